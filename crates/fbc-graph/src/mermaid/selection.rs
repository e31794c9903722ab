//! Which entries and edges of a channel are drawn.

use std::borrow::Cow;

use fbc_model::{Channel, ChannelEntry};
use fbc_version::Version;
use fbc_version::blang::Range;

use super::{MermaidError, MermaidOptions, Versions, unknown_version};

/// An entry with the edges that are drawn of it.
pub(super) struct ShownEntry<'c> {
    pub(super) name: &'c str,
    pub(super) replaces: &'c str,
    pub(super) skips: Cow<'c, [String]>,
    pub(super) skip_range: &'c str,
}

impl<'c> ShownEntry<'c> {
    fn whole(entry: &'c ChannelEntry) -> Self {
        Self {
            name: &entry.name,
            replaces: &entry.replaces,
            skips: Cow::Borrowed(&entry.skips),
            skip_range: &entry.skip_range,
        }
    }

    fn has_edges(&self) -> bool {
        !self.replaces.is_empty() || !self.skips.is_empty() || !self.skip_range.is_empty()
    }
}

/// What the options choose.
pub(super) struct Selection<'o> {
    options: &'o MermaidOptions,
    minimum: Option<Minimum<'o>>,
}

/// The lower end of what is drawn.
struct Minimum<'o> {
    /// The package of the first channel that lists it; nothing where none does, and then all are drawn.
    package: Option<&'o str>,
    version: &'o Version,
    versions: &'o Versions<'o>,
    unknown: Version,
}

impl<'o> Selection<'o> {
    pub(super) fn new(
        options: &'o MermaidOptions,
        channels: &[&'o Channel],
        versions: &'o Versions<'o>,
    ) -> Result<Self, MermaidError> {
        let name = options.minimum_edge.as_str();
        if name.is_empty() {
            return Ok(Self { options, minimum: None });
        }
        let Some(version) = versions.get(name) else {
            return Err(MermaidError::UnknownMinimumEdge(name.to_owned()));
        };
        let lists = |channel: &&&Channel| channel.entries().iter().any(|entry| entry.name == name);
        let package = channels.iter().find(lists).map(|channel| channel.package.as_str());
        let minimum = Minimum { package, version, versions, unknown: unknown_version() };
        Ok(Self { options, minimum: Some(minimum) })
    }

    /// The entries of a channel that are drawn; nothing where the channel itself is not. A channel
    /// without entries is drawn only where all are.
    pub(super) fn entries<'c>(&self, channel: &'c Channel) -> Option<Vec<ShownEntry<'c>>> {
        let package = self.options.package.as_str();
        if !package.is_empty() && channel.package != package {
            return None;
        }
        let entries: Vec<ShownEntry<'c>> = match &self.minimum {
            None => channel.entries().iter().map(ShownEntry::whole).collect(),
            Some(minimum) if minimum.package.is_some_and(|of| of != channel.package) => return None,
            Some(minimum) => {
                let name = self.options.minimum_edge.as_str();
                channel.entries().iter().filter_map(|entry| minimum.cut(entry, name)).collect()
            }
        };
        let shows_all = package.is_empty() && self.minimum.is_none();
        (shows_all || !entries.is_empty()).then_some(entries)
    }
}

impl Minimum<'_> {
    /// An entry without what lies below the minimum; nothing where nothing is left of it.
    fn cut<'c>(&self, entry: &'c ChannelEntry, minimum: &str) -> Option<ShownEntry<'c>> {
        let mut shown =
            ShownEntry { name: &entry.name, replaces: "", skips: Cow::Borrowed(&[]), skip_range: "" };
        if entry.name == minimum {
            return Some(shown);
        }
        let whole = ShownEntry::whole(entry);
        if !whole.replaces.is_empty() && self.is_at_least(whole.replaces) {
            shown.replaces = whole.replaces;
        }
        shown.skips = entry.skips.iter().filter(|skip| self.is_at_least(skip)).cloned().collect();
        if Range::parse(whole.skip_range).is_ok_and(|range| range.matches(self.version)) {
            shown.skip_range = whole.skip_range;
        }
        let is_kept = shown.has_edges() || (!whole.has_edges() && self.is_at_least(whole.name));
        is_kept.then_some(shown)
    }

    fn is_at_least(&self, name: &str) -> bool {
        self.versions.get(name).unwrap_or(&self.unknown).compare_precedence(self.version).is_ge()
    }
}
