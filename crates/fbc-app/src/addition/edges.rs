//! The edges of a new entry: given on the command line, declared by the bundle, or advised.

use fbc_model::bundle_object;
use fbc_model::closest::closest;
use fbc_model::go_type;
use fbc_model::render::CSV_METADATA;
use fbc_model::{Bundle, ChannelEntry};
use fbc_source::Error;

use crate::catalog_edit::CatalogEdit;
use crate::settings::Settings;

/// The edges of the new entries.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// The entry that the new ones come after, by its name or version.
    pub replaces: Option<String>,
    /// Entries, by their names or versions, that upgrade to the new ones as well, and that nobody should be on.
    pub skips: Vec<String>,
    /// The range of versions that upgrade to the new ones as well.
    pub skip_range: Option<String>,
    /// Whether the entries have no edges.
    pub none: bool,
}

impl Edges {
    /// The edges of the command line, in an entry without a name; nothing where none were given.
    pub(super) fn given(&self) -> Option<ChannelEntry> {
        let edges = ChannelEntry {
            name: String::new(),
            replaces: self.replaces.clone().unwrap_or_default(),
            skips: self.skips.clone(),
            skip_range: self.skip_range.clone().unwrap_or_default(),
        };
        (self.none || edges != ChannelEntry::default()).then_some(edges)
    }
}

/// The same edges with the names that are meant.
pub(super) fn with_names(
    edges: &ChannelEntry,
    name: impl Fn(&String) -> Result<String, Error>,
) -> Result<ChannelEntry, Error> {
    let replaces = name(&edges.replaces)?;
    let skips = edges.skips.iter().map(name).collect::<Result<_, _>>()?;
    Ok(ChannelEntry { replaces, skips, ..edges.clone() })
}

/// Warns of names of the command line that a channel does not know: nothing refuses them, and they may be misspelled.
pub(super) fn warn_of_unknown(
    given: &ChannelEntry,
    channel: &str,
    entries: &[ChannelEntry],
    settings: &Settings,
) {
    let known: Vec<&str> = entries
        .iter()
        .flat_map(|entry| [&entry.name, &entry.replaces].into_iter().chain(&entry.skips))
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    let names = [("--replaces", &given.replaces)].into_iter().filter(|(_, name)| !name.is_empty());
    let names = names.chain(given.skips.iter().map(|name| ("--skips", name)));
    for (flag, name) in names.filter(|(_, name)| !known.is_empty() && !known.contains(&name.as_str())) {
        let warning = Error::new(format!("channel {channel:?} has no entry {name:?}, which {flag} names"));
        settings.warn(match closest(name, known.iter().copied()) {
            Some(meant) => warning.help(format!("did you mean {meant:?}?")),
            None => warning,
        });
    }
}

/// The edges that a bundle declares in its cluster service version; nothing where there are none.
pub(super) fn declared(bundle: &Bundle) -> Option<ChannelEntry> {
    const SKIP_RANGE: &str = "olm.skipRange";
    let mut edges = ChannelEntry::default();
    if let Some(version) = bundle_object::cluster_service_version(bundle) {
        let root = version.root();
        if let Some(spec) = go_type::field(root, "spec") {
            edges.replaces = spec.get_str("replaces").unwrap_or_default().to_owned();
            let skips = spec.get("skips").into_iter().flat_map(|skips| skips.items());
            edges.skips = skips.filter_map(|skip| skip.as_str().map(str::to_owned)).collect();
        }
        let annotations = root.get("metadata").and_then(|metadata| metadata.get("annotations"));
        let range = annotations.and_then(|annotations| annotations.get_str(SKIP_RANGE));
        edges.skip_range = range.unwrap_or_default().to_owned();
    } else if let Some(metadata) = bundle.property_values(CSV_METADATA).next() {
        let range = metadata.get("annotations").and_then(|annotations| annotations.get_str(SKIP_RANGE));
        edges.skip_range = range.unwrap_or_default().to_owned();
    }
    (edges != ChannelEntry::default()).then_some(edges)
}

/// An entry with these edges.
pub(super) fn entry(name: &str, edges: &ChannelEntry) -> ChannelEntry {
    ChannelEntry { name: name.to_owned(), ..edges.clone() }
}

/// An entry in words.
pub(super) fn words(entry: &ChannelEntry) -> String {
    let mut edges = Vec::new();
    if !entry.replaces.is_empty() {
        edges.push(format!("replaces {:?}", entry.replaces));
    }
    if !entry.skips.is_empty() {
        let names: Vec<String> = entry.skips.iter().map(|name| format!("{name:?}")).collect();
        edges.push(format!("skips {}", names.join(", ")));
    }
    if !entry.skip_range.is_empty() {
        edges.push(format!("skipRange {:?}", entry.skip_range));
    }
    match edges.as_slice() {
        [] => format!("entry {:?} without edges", entry.name),
        edges => format!("entry {:?} ({})", entry.name, edges.join(", ")),
    }
}

/// How the head of a channel and a new entry are connected: nobody goes from a newer head to an older entry.
pub(super) fn way_from(head: &str, is_older: bool) -> String {
    match is_older {
        true => format!(
            "the head is {head:?}, which is newer: `--skipped-by {head}` leads from the new entry to it"
        ),
        false => format!("the head is {head:?}: `--replaces {head}` leads from it to the new entry"),
    }
}

/// The refusal of an entry without edges, with what they may be: the way from the head, if there is one.
pub(super) fn refusal(
    edit: &CatalogEdit,
    bundle: &Bundle,
    channel: &str,
    way_from_head: Option<String>,
) -> Error {
    let failure = Error::refusal(format!(
        "nothing says which entry of channel {channel:?} upgrades to {:?}",
        bundle.name
    ));
    let failure = match way_from_head {
        Some(way) => failure.help(way),
        None => failure.help("the channel has no single head: give --replaces, --skips or --skip-range"),
    };
    let elsewhere = edit
        .catalog
        .channels
        .iter()
        .filter(|channel| channel.package == bundle.package)
        .flat_map(|channel| channel.entries().iter().map(move |entry| (channel, entry)));
    let mut elsewhere = elsewhere.filter(|(_, entry)| entry.name == bundle.name);
    let failure = match elsewhere.next() {
        Some((channel, entry)) => {
            failure.help(format!("channel {:?} has the {}", channel.name, words(entry)))
        }
        None => failure,
    };
    failure.help("--no-edges adds the entry without any")
}
