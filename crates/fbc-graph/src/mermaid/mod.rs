//! The channels of a catalog as a Mermaid flow chart, byte for byte that of opm's `render-graph`.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/write.go`
//! (`WriteChannels`). Its oddities are kept, because people compare the text: links are numbered over
//! channels by name whatever their package, so the numbers in `linkStyle` are those of the chart only
//! while one package is drawn; and deprecated channels and bundles are found by name in all packages.
//!
//! Entries of equal version and channels of equal name stand in the order that Go's sort gives them, as
//! in the reference. It gets channels from threads that race; here they come in the order of the walk.
//! Nothing but the numbers in `linkStyle` shows that.

mod covered;
mod selection;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::fmt::Write as _;

use fbc_go::sort;
use fbc_go::text::quote;
use fbc_model::blob::schema;
use fbc_model::{Bundle, Catalog, Channel};
use fbc_version::Version;
use fbc_version::blang::RangeError;

use crate::bundle_version::{self, BundleVersionError};
use covered::CoveredEntries;
use selection::{Selection, ShownEntry};

/// Bytes that a chart may have, unless somebody wants more: the edges of ranges grow with the square of the channel.
pub const MOST_BYTES: u64 = 64 << 20;

/// What to draw.
#[derive(Clone, Debug)]
pub struct MermaidOptions {
    /// Only edges from this bundle upwards, in its package; empty for all.
    pub minimum_edge: String,
    /// Only this package; empty for all. A package that is not there gives an empty chart.
    pub package: String,
    /// Whether to mark what OLM v0 never installs or follows, because it is skipped.
    pub draw_v0_semantics: bool,
    /// Whether identifiers and ranges keep their place in the text whatever they hold. The reference writes them as
    /// they are, which is the same for all names that Kubernetes takes.
    pub confines_names: bool,
    /// Bytes that the chart may have.
    pub most_bytes: u64,
}

impl Default for MermaidOptions {
    fn default() -> Self {
        Self {
            minimum_edge: String::new(),
            package: String::new(),
            draw_v0_semantics: false,
            confines_names: false,
            most_bytes: MOST_BYTES,
        }
    }
}

/// A chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MermaidChart {
    /// The text, with a newline at its end.
    pub text: String,
    /// What was left out of it.
    pub warnings: Vec<InvalidSkipRange>,
}

/// A `skipRange` that is not a range; its edges are not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSkipRange {
    /// The package.
    pub package: String,
    /// The entry.
    pub entry: String,
    /// What is wrong.
    pub error: RangeError,
}

/// The reference's words, without its `warning: `.
impl fmt::Display for InvalidSkipRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (package, entry) = (quote(&self.package), quote(&self.entry));
        write!(formatter, "ignoring invalid SkipRange for package/edge {package}/{entry}: {}", self.error)
    }
}

/// Why a catalog cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MermaidError {
    /// A bundle has no version; the first of all bundles, also of packages that are not drawn.
    #[error(transparent)]
    Version(#[from] BundleVersionError),
    /// No bundle has the name given as the minimum.
    #[error("unknown minimum edge name: {}", quote(.0))]
    UnknownMinimumEdge(String),
    /// The chart has more bytes than it may have.
    #[error("the chart has more than {0} bytes")]
    TooLarge(u64),
}

/// Versions by bundle name, over all packages.
type Versions<'c> = HashMap<&'c str, Version>;

/// Draws the channels of a catalog.
///
/// # Errors
/// As [`MermaidError`]; a catalog that is otherwise unsound is drawn as it is.
pub fn draw(catalog: &Catalog, options: &MermaidOptions) -> Result<MermaidChart, MermaidError> {
    let mut channels: Vec<&Channel> = catalog.channels.iter().collect();
    sort::sort(&mut channels, |a, b| a.name < b.name);
    let versions = versions(&catalog.bundles)?;
    let selection = Selection::new(options, &channels, &versions)?;
    let mut chart = Chart {
        draw_v0_semantics: options.draw_v0_semantics,
        bytes_left: options.most_bytes,
        most_bytes: options.most_bytes,
        confines_names: options.confines_names,
        deprecated: DeprecatedNames::from_catalog(catalog),
        ..Chart::default()
    };
    for channel in channels {
        if let Some(entries) = selection.entries(channel) {
            chart.draw_channel(channel, &entries, &versions)?;
        }
    }
    Ok(chart.finish())
}

/// The first bundle of a name counts, whatever its package.
fn versions(bundles: &[Bundle]) -> Result<Versions<'_>, BundleVersionError> {
    let mut versions = HashMap::with_capacity(bundles.len());
    for bundle in bundles {
        if !versions.contains_key(bundle.name.as_str()) {
            versions.insert(bundle.name.as_str(), bundle_version::require(bundle)?);
        }
    }
    Ok(versions)
}

/// The version of names that have no bundle.
fn unknown_version() -> Version {
    Version::new(0, 0, 0)
}

#[derive(Default)]
struct DeprecatedNames<'c> {
    packages: HashSet<&'c str>,
    channels: HashSet<&'c str>,
    bundles: HashSet<&'c str>,
}

impl<'c> DeprecatedNames<'c> {
    fn from_catalog(catalog: &'c Catalog) -> Self {
        let mut names = Self::default();
        for deprecation in &catalog.deprecations {
            for entry in deprecation.entries() {
                match entry.schema.as_str() {
                    schema::PACKAGE => names.packages.insert(&deprecation.package),
                    schema::CHANNEL => names.channels.insert(&entry.name),
                    schema::BUNDLE => names.bundles.insert(&entry.name),
                    _ => continue,
                };
            }
        }
        names
    }
}

/// A chart in the making.
#[derive(Default)]
struct Chart<'c> {
    draw_v0_semantics: bool,
    most_bytes: u64,
    bytes_left: u64,
    confines_names: bool,
    deprecated: DeprecatedNames<'c>,
    packages: BTreeMap<&'c str, String>,
    /// The number of links so far.
    links: usize,
    /// The numbers of the links that OLM v0 does not follow.
    skipped_links: Vec<usize>,
    /// The last deprecated package; the reference styles no other.
    deprecated_package: Option<&'c str>,
    deprecated_channels: Vec<String>,
    deprecated_bundles: Vec<String>,
    deprecated_and_skipped_bundles: Vec<String>,
    skipped_bundles: Vec<String>,
    warnings: Vec<InvalidSkipRange>,
}

impl<'c> Chart<'c> {
    fn draw_channel(
        &mut self,
        channel: &'c Channel,
        entries: &[ShownEntry<'c>],
        versions: &Versions<'_>,
    ) -> Result<(), MermaidError> {
        let channel_id = format!("{}-{}", self.id(&channel.package), self.id(&channel.name));
        let name = quote(&channel.name);
        let mut text = self.packages.remove(channel.package.as_str()).unwrap_or_default();
        // Writing to a String cannot fail, here and below.
        let _ = write!(text, "    %% channel {name}\n    subgraph {channel_id}[{name}]\n");
        if self.deprecated.packages.contains(channel.package.as_str()) {
            self.deprecated_package = Some(&channel.package);
        }
        if self.deprecated.channels.contains(channel.name.as_str()) {
            self.deprecated_channels.push(channel_id.clone());
        }
        let confines_names = self.confines_names;
        let node = |name: &str| format!("{channel_id}-{}[{}]", id(name, confines_names), quote(name));
        let nodes: Vec<String> = entries.iter().map(|entry| node(entry.name)).collect();
        let covered = CoveredEntries::new(entries.iter().map(|entry| versions.get(entry.name)));
        let mut skipped: HashSet<&str> = HashSet::new();
        for &index in covered.descending() {
            let (Some(entry), Some(own_node)) = (entries.get(index), nodes.get(index)) else { continue };
            let _ = writeln!(text, "      {own_node}");
            self.decorate(entry.name, &channel_id, &skipped);
            for skip in entry.skips.iter().map(String::as_str) {
                self.spend(skip.len() + own_node.len())?;
                let _ = writeln!(text, "      {}-- skip --> {own_node}", node(skip));
                let is_new = !self.draw_v0_semantics || skipped.insert(skip);
                self.count_link(!is_new);
            }
            // A skipped entry is not installed, so nothing leads to it.
            let target_is_skipped = skipped.contains(entry.name);
            if !entry.skip_range.is_empty() {
                match covered.in_range(entry.skip_range) {
                    Ok(sources) => {
                        for source in sources.into_iter().filter_map(|source| nodes.get(source)) {
                            let range = entry.skip_range;
                            self.spend(source.len() + range.len() + own_node.len())?;
                            let range = match confines_names {
                                true => {
                                    range.replace(|c: char| c.is_control() || "\"`;".contains(c), "_").into()
                                }
                                false => Cow::Borrowed(range),
                            };
                            let _ = writeln!(text, "      {source}-- \"skipRange({range})\" --> {own_node}");
                            self.count_link(target_is_skipped);
                        }
                    }
                    Err(error) => self.warnings.push(InvalidSkipRange {
                        package: channel.package.clone(),
                        entry: entry.name.to_owned(),
                        error,
                    }),
                }
            }
            if !entry.replaces.is_empty() {
                let _ = writeln!(text, "      {}-- replace --> {own_node}", node(entry.replaces));
                self.count_link(target_is_skipped);
            }
        }
        text.push_str("    end\n");
        self.packages.insert(&channel.package, text);
        Ok(())
    }

    /// Takes the bytes of an edge out of the budget.
    fn spend(&mut self, bytes: usize) -> Result<(), MermaidError> {
        self.bytes_left =
            self.bytes_left.checked_sub(bytes as u64).ok_or(MermaidError::TooLarge(self.most_bytes))?;
        Ok(())
    }

    fn count_link(&mut self, is_skipped: bool) {
        if is_skipped {
            self.skipped_links.push(self.links);
        }
        self.links += 1;
    }

    /// Notes the class of an entry. Only what was drawn before can have skipped it.
    fn decorate(&mut self, name: &str, channel_id: &str, skipped: &HashSet<&str>) {
        let class = match (self.deprecated.bundles.contains(name), skipped.contains(name)) {
            (true, true) => &mut self.deprecated_and_skipped_bundles,
            (true, false) => &mut self.deprecated_bundles,
            (false, true) => &mut self.skipped_bundles,
            (false, false) => return,
        };
        class.push(format!("{channel_id}-{}", id(name, self.confines_names)));
    }

    fn id<'n>(&self, name: &'n str) -> Cow<'n, str> {
        id(name, self.confines_names)
    }

    fn finish(self) -> MermaidChart {
        let mut text = HEADER.to_owned();
        for (package, channels) in &self.packages {
            let package = quote(package);
            let _ = write!(text, "  %% package {package}\n  subgraph {package}\n{channels}  end\n");
        }
        if let Some(package) = self.deprecated_package {
            let _ = writeln!(text, "style {} fill:#989695", self.id(package));
        }
        for channel in &self.deprecated_channels {
            let _ = writeln!(text, "style {channel} fill:#DCD0FF");
        }
        for (class, mut bundles) in [
            ("deprecated", self.deprecated_bundles),
            ("deprecatedskipped", self.deprecated_and_skipped_bundles),
            ("skipped", self.skipped_bundles),
        ] {
            if !bundles.is_empty() {
                bundles.sort_unstable();
                let _ = writeln!(text, "class {} {class}", bundles.join(","));
            }
        }
        if !self.skipped_links.is_empty() {
            let links: Vec<String> = self.skipped_links.iter().map(usize::to_string).collect();
            let _ = writeln!(
                text,
                "linkStyle {} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;",
                links.join(",")
            );
        }
        MermaidChart { text, warnings: self.warnings }
    }
}

/// A part of an identifier.
fn id(name: &str, is_confined: bool) -> Cow<'_, str> {
    let breaks_out = |c: char| !c.is_alphanumeric() && !"-_.+~".contains(c);
    match is_confined && name.contains(breaks_out) {
        true => name.replace(breaks_out, "_").into(),
        false => name.into(),
    }
}

const HEADER: &str = "\
graph LR
  classDef deprecated fill:#E8960F
  classDef skipped stroke:#FF0000,stroke-width:4px
  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
";

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
