//! A catalog as its pages need it: what there is of each package.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use fbc_graph::{ChannelAnalysis, bundle_version};
use fbc_model::blob::schema;
use fbc_model::counted;
use fbc_model::{Bundle, Catalog, Channel, DeprecationEntry, Package, icon};
use fbc_version::VersionRelease;

use super::descriptor::Descriptor;

/// A catalog, and what its pages need of it.
#[derive(Debug)]
pub(crate) struct Site {
    /// The name of the catalog.
    pub(super) name: String,
    pub(super) catalog: Arc<Catalog>,
    packages: OnceLock<BTreeMap<String, Summary>>,
}

/// A package at a glance.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) name: String,
    /// The name for people.
    pub(super) title: String,
    /// Who makes it; empty where nobody says.
    pub(super) provider: String,
    /// A sentence on what it does.
    pub(super) line: String,
    /// What it is about, such as `Networking`.
    pub(super) categories: Vec<String>,
    /// The version that a fresh installation from the default channel gets.
    pub(super) version: String,
    pub(super) default_channel: String,
    pub(super) deprecation: Option<String>,
    /// The media type of the icon, if it is one that browsers show.
    pub(super) icon: Option<&'static str>,
    /// Names, titles and keywords in lower case, to search in.
    pub(super) words: String,
    /// The place of the package in the catalog.
    blob: Option<usize>,
    /// The places of its channels in the catalog.
    channels: Vec<usize>,
    /// The places of its bundles in the catalog.
    bundles: Vec<usize>,
}

impl Summary {
    fn channels<'s>(&'s self, catalog: &'s Catalog) -> impl Iterator<Item = &'s Channel> + Clone {
        self.channels.iter().filter_map(|&place| catalog.channels.get(place))
    }

    fn bundles<'s>(&'s self, catalog: &'s Catalog) -> impl Iterator<Item = &'s Bundle> + Clone {
        self.bundles.iter().filter_map(|&place| catalog.bundles.get(place))
    }

    /// How many bundles there are.
    pub(super) fn bundle_count(&self) -> usize {
        self.bundles.len()
    }

    /// How many channels there are.
    pub(super) fn channel_count(&self) -> usize {
        self.channels.len()
    }
}

/// Images that browsers show, and that an element for images cannot run anything in.
const SHOWN_IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];

impl Site {
    pub(crate) fn new(name: &str, catalog: Arc<Catalog>) -> Self {
        Self { name: name.to_owned(), catalog, packages: OnceLock::new() }
    }

    /// The packages by name; worked out when somebody asks first.
    pub(super) fn packages(&self) -> &BTreeMap<String, Summary> {
        self.packages.get_or_init(|| summaries(&self.catalog))
    }

    pub(super) fn package(&self, name: &str) -> Option<&Summary> {
        self.packages().get(name)
    }

    /// The bundle that speaks for a package.
    pub(super) fn representative(&self, summary: &Summary) -> Option<&Bundle> {
        representative(&self.catalog, summary)
    }

    pub(super) fn blob(&self, summary: &Summary) -> Option<&Package> {
        self.catalog.packages.get(summary.blob?)
    }

    /// The channels of a package, by name.
    pub(super) fn channels<'s>(&'s self, summary: &'s Summary) -> impl Iterator<Item = &'s Channel> + Clone {
        summary.channels(&self.catalog)
    }

    /// The bundles of a package, the highest version first; those without a version come last.
    pub(super) fn bundles<'s>(&'s self, summary: &'s Summary) -> impl Iterator<Item = &'s Bundle> + Clone {
        summary.bundles(&self.catalog)
    }

    pub(super) fn bundle<'s>(&'s self, summary: &'s Summary, name: &str) -> Option<&'s Bundle> {
        self.bundles(summary).find(|bundle| bundle.name == name)
    }

    /// The deprecations of a package.
    pub(super) fn deprecations<'s>(&'s self, package: &str) -> impl Iterator<Item = &'s DeprecationEntry> {
        let blobs = self.catalog.deprecations.iter().filter(move |blob| blob.package == package);
        blobs.flat_map(|blob| blob.entries())
    }

    /// Why something of a package is deprecated, if it is: the schema, and the name (empty for the package itself).
    pub(super) fn deprecation<'s>(&'s self, package: &str, schema: &str, name: &str) -> Option<&'s str> {
        let mut entries = self.deprecations(package);
        let entry = entries.find(|entry| entry.schema == schema && entry.name == name);
        entry.map(|entry| entry.message.as_str())
    }

    /// What the catalog has of one package, and nothing else.
    pub(super) fn alone(&self, package: &str) -> Catalog {
        let mut catalog = Catalog::default();
        let all = &self.catalog;
        let named = |name: &String| name == package;
        catalog.packages.extend(all.packages.iter().filter(|blob| named(&blob.name)).cloned());
        catalog.channels.extend(all.channels.iter().filter(|blob| named(&blob.package)).cloned());
        catalog.bundles.extend(all.bundles.iter().filter(|blob| named(&blob.package)).cloned());
        catalog.deprecations.extend(all.deprecations.iter().filter(|blob| named(&blob.package)).cloned());
        catalog
    }
}

/// The version of a bundle as pages show it; its name where it has none.
pub(super) fn version(bundle: &Bundle) -> String {
    bundle_version::find(bundle)
        .map_or_else(|| bundle.name.clone(), |version| version.to_version().to_string())
}

fn summaries(catalog: &Catalog) -> BTreeMap<String, Summary> {
    let mut summaries: BTreeMap<String, Summary> = BTreeMap::new();
    for (place, blob) in catalog.packages.iter().enumerate() {
        let summary = summaries.entry(blob.name.clone()).or_default();
        summary.blob.get_or_insert(place);
    }
    for (place, blob) in catalog.channels.iter().enumerate() {
        summaries.entry(blob.package.clone()).or_default().channels.push(place);
    }
    for (place, blob) in catalog.bundles.iter().enumerate() {
        summaries.entry(blob.package.clone()).or_default().bundles.push(place);
    }
    for (name, summary) in &mut summaries {
        summary.name.clone_from(name);
        describe(catalog, summary);
    }
    for blob in &catalog.deprecations {
        let entry = blob.entries().iter().find(|entry| entry.schema == schema::PACKAGE);
        if let (Some(entry), Some(summary)) = (entry, summaries.get_mut(&blob.package)) {
            summary.deprecation = Some(entry.message.clone());
        }
    }
    summaries
}

fn describe(catalog: &Catalog, summary: &mut Summary) {
    let name = |place: usize| catalog.channels.get(place).map_or("", |channel| channel.name.as_str());
    summary.channels.sort_by(|&one, &other| counted::compare(name(one), name(other)));
    let versions: HashMap<usize, VersionRelease> = summary
        .bundles
        .iter()
        .filter_map(|&place| Some((place, bundle_version::find(catalog.bundles.get(place)?)?)))
        .collect();
    summary.bundles.sort_by(|one, other| match (versions.get(one), versions.get(other)) {
        (Some(one), Some(other)) => other.compare_precedence(one),
        (one, other) => other.is_some().cmp(&one.is_some()),
    });
    if let Some(blob) = summary.blob.and_then(|place| catalog.packages.get(place)) {
        summary.default_channel.clone_from(&blob.default_channel);
        summary.line = first_sentence(&blob.description);
        let data = blob.icon.as_ref().and_then(|icon| icon.data.as_deref()).unwrap_or_default();
        let found = icon::media_type(data);
        summary.icon = found.filter(|found| SHOWN_IMAGES.contains(found));
    }
    let mut words = vec![summary.name.clone()];
    if let Some(bundle) = representative(catalog, summary) {
        summary.version = version(bundle);
        if let Some(descriptor) = Descriptor::from_bundle(bundle) {
            descriptor.text("displayName").trim().clone_into(&mut summary.title);
            descriptor.provider().trim().clone_into(&mut summary.provider);
            let short = descriptor.annotation("description").trim();
            if !short.is_empty() {
                summary.line = first_sentence(short);
            } else if summary.line.is_empty() {
                summary.line = first_sentence(descriptor.text("description"));
            }
            let categories = descriptor.annotation("categories").split(',').map(str::trim);
            summary.categories = categories.filter(|name| !name.is_empty()).map(str::to_owned).collect();
            let keywords = descriptor.list(&["keywords"]).filter_map(fbc_yaml::Node::as_str);
            words.extend(keywords.map(str::to_owned));
        }
        for api in bundle.property_values("olm.gvk") {
            words.extend(api.get_str("kind").map(str::to_owned));
        }
    }
    if summary.title.is_empty() {
        summary.title.clone_from(&summary.name);
    }
    words.extend([summary.title.clone(), summary.provider.clone(), summary.line.clone()]);
    words.extend(summary.categories.iter().cloned());
    summary.words = words.join(" ").to_lowercase();
}

/// The bundle that speaks for a package: the head of its default channel, or the newest.
fn representative<'c>(catalog: &'c Catalog, summary: &Summary) -> Option<&'c Bundle> {
    let bundles = || summary.bundles.iter().filter_map(|&place| catalog.bundles.get(place));
    let default = summary.channels(catalog).find(|channel| channel.name == summary.default_channel);
    let head = default.and_then(|channel| {
        let entry = channel.entries().get(ChannelAnalysis::from_entries(channel.entries()).head()?)?;
        bundles().find(|bundle| bundle.name == entry.name)
    });
    head.or_else(|| bundles().next())
}

/// How much of a description fits on a card, in characters.
const MOST_ON_CARD: usize = 180;

/// The first line of a description in Markdown that is text, without markup; cut where it is long.
fn first_sentence(text: &str) -> String {
    let is_markup =
        |line: &&str| line.is_empty() || line.starts_with(['#', '!', '<', '|', '=', '-', '*', '`']);
    let mut lines = text.lines().map(str::trim);
    let line = lines.clone().find(|line| !is_markup(line)).or_else(|| lines.find(|line| !line.is_empty()));
    let plain: String = super::markdown::plain(line.unwrap_or_default());
    if plain.chars().count() <= MOST_ON_CARD {
        return plain;
    }
    let cut: String = plain.chars().take(MOST_ON_CARD).collect();
    let end = cut.rfind(char::is_whitespace).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_show_a_sentence() {
        for (text, line) in [
            ("", ""),
            ("Runs lamps.", "Runs lamps."),
            (
                "# Title\n\n![x](y)\n\nRuns **lamps** and [more](https://x.y).\n\nNext.",
                "Runs lamps and more.",
            ),
            ("# Title only", "Title only"),
        ] {
            assert_eq!(first_sentence(text), line, "{text}");
        }
        let long = first_sentence(&"word ".repeat(100));
        assert!(long.chars().count() <= MOST_ON_CARD + 1 && long.ends_with("word…"), "{long}");
    }
}
