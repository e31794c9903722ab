//! Findings: what is wrong where, as data. Words for people are made elsewhere.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;

use fbc_model::Origin;

use crate::fix::Fix;
use crate::rule::Rule;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// opm refuses the catalog (or the profile asks for more).
    Error,
    /// opm accepts it, but it can break users.
    Warning,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What a finding is about; empty parts are not known or do not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
}

impl Subject {
    /// A package.
    #[must_use]
    pub fn package(package: &str) -> Self {
        Self { package: package.to_owned(), ..Self::default() }
    }

    /// A channel of a package.
    #[must_use]
    pub fn channel(package: &str, channel: &str) -> Self {
        Self { package: package.to_owned(), channel: channel.to_owned(), ..Self::default() }
    }

    /// A bundle of a package.
    #[must_use]
    pub fn bundle(package: &str, bundle: &str) -> Self {
        Self { package: package.to_owned(), bundle: bundle.to_owned(), ..Self::default() }
    }

    /// A bundle in a channel.
    #[must_use]
    pub fn entry(package: &str, channel: &str, bundle: &str) -> Self {
        Self { package: package.to_owned(), channel: channel.to_owned(), bundle: bundle.to_owned() }
    }
}

/// The place of a finding, before lines are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file or directory, relative to the root of the catalog.
    pub path: PathBuf,
    /// The document in it.
    pub origin: Option<Origin>,
    /// What in the file or document.
    pub spot: Spot,
}

/// What a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The file or directory as a whole.
    File,
    /// A byte of the file.
    Byte(usize),
    /// A value of the document, as a JSON pointer; the closest one around it if it is not there.
    Value(String),
    /// The key of a value of the document, as a JSON pointer.
    Key(String),
    /// A stretch of bytes of the file.
    Bytes(std::ops::Range<usize>),
}

/// What opm says of a finding, with enough of the context to put its whole answer together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpmText {
    /// Loading fails with this text. opm reports the first in the order of the walk.
    Load(String),
    /// Converting the blobs fails with this text. opm reports the first in its order.
    Conversion {
        /// The order of the check.
        order: ConversionOrder,
        /// The text.
        text: String,
    },
    /// Checking the model fails: a leaf of opm's tree, once for every path of nodes given.
    Model {
        /// The nodes from the package down, each with the text that opm gives it.
        paths: Vec<Vec<String>>,
        /// Where the leaf stands among the children of its node.
        order: u8,
        /// The text.
        text: String,
    },
    /// Checking the model fails in several leaves for one reason, at every path of nodes given.
    ModelLeaves {
        /// The nodes from the package down, each with the text that opm gives it.
        paths: Vec<Vec<String>>,
        /// The leaves: where they stand among the children of their node, and their texts.
        leaves: Vec<(u8, String)>,
    },
}

/// opm's order of conversion: phases, then blobs in load order, then the checks of a blob. Of a
/// deprecation it makes all checks of one entry before it goes on to the next; elsewhere it makes one
/// check of all items before it goes on to the next check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversionOrder {
    /// What is converted.
    pub phase: Phase,
    /// The number of the blob among those of its kind, in load order.
    pub blob: u32,
    /// The number of the check, as the specification counts them.
    pub check: u8,
    /// The item in the blob (an entry, a property).
    pub item: u32,
}

impl Ord for ConversionOrder {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |order: &Self| {
            let (check, item) = (u32::from(order.check), order.item);
            let inner = if order.phase == Phase::Deprecations { (item, check) } else { (check, item) };
            (order.phase, order.blob, inner)
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for ConversionOrder {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The phases of opm's conversion, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Checks P1 to P3.
    Packages,
    /// Checks C1 to C4.
    Channels,
    /// Checks B1 to B11.
    Bundles,
    /// Check L1.
    Leftovers,
    /// Checks D1 to D9.
    Deprecations,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// How bad it is under the profile of the run.
    pub severity: Severity,
    /// What is wrong, in one sentence that names the things involved.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// What it is about.
    pub subject: Subject,
    /// A few words for the place itself, shown beside it.
    pub label: String,
    /// More that is worth knowing.
    pub notes: Vec<String>,
    /// What to do about it; empty where the explanation of the rule says all.
    pub help: String,
    /// What would put it right; the best comes first.
    pub fixes: Vec<Fix>,
    /// What opm says, where it refuses.
    pub opm: Option<OpmText>,
    /// The other places that it speaks of.
    pub related: Vec<Related>,
}

/// Another place that a finding speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What is there, such as `declared first`.
    pub message: String,
}

impl Finding {
    /// A finding of a rule, with a message and nothing else yet.
    #[must_use]
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.basis.severity(),
            message: message.into(),
            place: None,
            subject: Subject::default(),
            label: String::new(),
            notes: Vec::new(),
            help: String::new(),
            fixes: Vec::new(),
            opm: None,
            related: Vec::new(),
        }
    }

    /// Sets what it is about.
    #[must_use]
    pub fn about(mut self, subject: Subject) -> Self {
        self.subject = subject;
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Sets the words beside the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds another place that it speaks of, with a few words for it.
    #[must_use]
    pub fn related(mut self, place: Place, message: impl Into<String>) -> Self {
        self.related.push(Related { place, message: message.into() });
        self
    }

    /// Sets what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Sets what opm says.
    #[must_use]
    pub fn opm(mut self, text: OpmText) -> Self {
        self.opm = Some(text);
        self
    }
}

/// Findings as rules report them: so many of each rule are kept, the others are counted.
#[derive(Debug)]
pub struct Findings {
    kept: Vec<Finding>,
    /// How many of each rule are kept.
    most: usize,
    /// How many there are, by rule.
    counts: BTreeMap<&'static str, (&'static Rule, usize)>,
    /// The first conversion that opm refuses, among those that are not kept.
    first_conversion: Option<(ConversionOrder, String)>,
}

/// Findings of one rule that are kept unless somebody wants more.
pub const MOST_FINDINGS: usize = 10_000;

impl Findings {
    /// No findings yet, with room for so many of each rule.
    #[must_use]
    pub fn with_room(most: usize) -> Self {
        Self { kept: Vec::new(), most, counts: BTreeMap::new(), first_conversion: None }
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        let (_, count) = self.counts.entry(finding.rule.code).or_insert((finding.rule, 0));
        *count += 1;
        if *count <= self.most {
            self.kept.push(finding);
        } else if let Some(OpmText::Conversion { order, text }) = finding.opm {
            self.note_conversion((order, text));
        }
    }

    /// Takes in what others found.
    pub fn append(&mut self, other: Self) {
        for (code, (rule, count)) in other.counts {
            self.counts.entry(code).or_insert((rule, 0)).1 += count;
        }
        self.kept.extend(other.kept);
        other.first_conversion.into_iter().for_each(|conversion| self.note_conversion(conversion));
    }

    fn note_conversion(&mut self, conversion: (ConversionOrder, String)) {
        if self.first_conversion.as_ref().is_none_or(|(first, _)| conversion.0 < *first) {
            self.first_conversion = Some(conversion);
        }
    }

    /// The findings that are kept.
    #[must_use]
    pub fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// The findings that are kept, to go on with, and how many of each rule are not among them. Nobody may have
    /// removed any before.
    #[must_use]
    pub fn into_kept(self) -> (Vec<Finding>, Vec<(&'static Rule, usize)>) {
        let left_out = self.counts.into_values();
        let left_out = left_out.map(|(rule, count)| (rule, count.saturating_sub(self.most)));
        (self.kept, left_out.filter(|(_, count)| *count > 0).collect())
    }

    /// The first conversion that opm refuses, among those that are not kept.
    #[must_use]
    pub fn first_conversion(&self) -> Option<&(ConversionOrder, String)> {
        self.first_conversion.as_ref()
    }
}

impl Extend<Finding> for Findings {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, findings: T) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

impl OpmText {
    /// The text without its context, for a note that people can search for.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Load(text) | Self::Conversion { text, .. } | Self::Model { text, .. } => text,
            Self::ModelLeaves { leaves, .. } => leaves.first().map_or("", |(_, text)| text),
        }
    }
}
