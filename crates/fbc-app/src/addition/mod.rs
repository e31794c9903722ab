//! A bundle into channels of a catalog, in the text of its files.

use std::path::PathBuf;

use fbc_bundle::ImageTemplate;
use fbc_graph::{ChannelAnalysis, bundle_version, entry_place};
use fbc_model::edit::Edited;
use fbc_model::{Channel, ChannelEntry, Origin};
use fbc_source::{Error, Session};
use fbc_version::VersionRelease;

use crate::catalog_edit::{CatalogEdit, meant_name, unknown};
use crate::settings::Settings;

mod bundle;
mod edges;
mod repository;
mod template;

pub use edges::Edges;

/// What is added, and where.
#[derive(Clone, Debug)]
pub struct Addition {
    /// A bundle directory, an image of one, a catalog file with one bundle, or the name of a bundle that the catalog has.
    pub bundle: PathBuf,
    /// The catalog: a directory, a file, or a template.
    pub catalog: PathBuf,
    /// The channels that get an entry.
    pub channels: Vec<String>,
    /// Whether channels are created that do not exist.
    pub create_channel: bool,
    /// The image of a bundle directory.
    pub image: Option<String>,
    /// What names the image of a bundle directory.
    pub image_ref_template: Option<ImageTemplate>,
    /// Whether the bundle is brought up to date even if the others of the package are not.
    pub migrate: bool,
    /// The edges.
    pub edges: Edges,
    /// Entries that are newer and skip the bundle from now on.
    pub skipped_by: Vec<String>,
    /// Whether the catalog itself is written.
    pub edits_in_place: bool,
}

/// What an addition changes.
pub struct Added {
    /// The catalog.
    pub edit: CatalogEdit,
    /// Its edited files.
    pub edited: Edited,
    /// What was edited, in words.
    pub done: Vec<String>,
    /// What may help if the edited catalog is refused.
    pub advice: Vec<String>,
}

/// Adds a bundle; nothing after refusals that were told.
///
/// # Errors
/// If the bundle or the catalog cannot be loaded, or the catalog has no place for it.
pub fn add(addition: &Addition, session: &Session, settings: &Settings) -> Result<Option<Added>, Error> {
    let edit = CatalogEdit::open(&addition.catalog, session, settings)?;
    if addition.migrate && edit.template().is_some() {
        return Err(Error::new(format!(
            "{} is a template, which has no manifests to bring up to date",
            addition.catalog.display()
        ))
        .help("leave --migrate out, and give `fbc template render` the level"));
    }
    if edit.template().is_none() && addition.edits_in_place {
        repository::warn_of_generated(&addition.catalog, settings);
    }
    let Some(found) = bundle::find(addition, &edit, session, settings)? else { return Ok(None) };
    let bundle = &found.bundle;
    if let Some(template) = edit.template() {
        template.add_bundle(bundle);
        if template.is_semver() {
            return template::add_to_lists(addition, edit, &found).map(Some);
        }
        template::require_place(template, addition)?;
    }
    let (name, package) = (bundle.name.as_str(), bundle.package.as_str());
    edit.require_package(package).map_err(|failure| {
        if edit.catalog.packages.iter().any(|blob| blob.name == package) {
            return failure;
        }
        failure.help(format!(
            "a package begins with its `olm.package` blob: `fbc init {package} --default-channel CHANNEL` writes one"
        ))
    })?;
    let mut versions = edit.versions(package);
    versions.extend(bundle_version::find(bundle).map(|version| (name, version)));
    let known = || {
        let channels = edit.catalog.channels.iter().filter(|channel| channel.package == package);
        let entries = channels.flat_map(Channel::entries).map(|entry| (entry.name.as_str(), None));
        let bundles = versions.iter().map(|(name, version)| (*name, Some(version)));
        // Nothing comes after itself.
        bundles.filter(|(known, _)| *known != name).chain(entries)
    };
    let named = |text: &String| {
        meant_name(text, known()).ok_or_else(|| {
            Error::refusal(format!("package {package:?} does not have one bundle of version {text}"))
                .help("name the entry; `fbc list bundles` shows all of them")
        })
    };
    let given = addition.edges.given().map(|edges| edges::with_names(&edges, named)).transpose()?;
    let skipped_by = addition.skipped_by.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let declared = given.clone().or_else(|| edges::declared(&found.manifests));
    let mut draft = edit.draft();
    let mut done = Vec::new();
    let mut advice = Vec::new();
    let mut channel_names: Vec<&str> = addition.channels.iter().map(String::as_str).collect();
    channel_names.sort_unstable();
    channel_names.dedup();
    for channel_name in channel_names {
        let Some((number, channel)) = channel(&edit, package, channel_name) else {
            require_may_create(addition, &edit, package, channel_name)?;
            let entry = edges::entry(name, declared.as_ref().unwrap_or(&ChannelEntry::default()));
            done.push(format!("created: channel {channel_name:?} with {}", edges::words(&entry)));
            let channel = Channel {
                origin: Origin::default(),
                name: channel_name.to_owned(),
                package: package.to_owned(),
                entries: Some(vec![entry]),
                properties: Vec::new(),
            };
            draft.add_channel(&channel).map_err(|error| Error::refusal(error.to_string()))?;
            continue;
        };
        let entries = channel.entries();
        if let Some(given) = &given {
            edges::warn_of_unknown(given, channel_name, entries, settings);
        }
        if entries.iter().any(|entry| entry.name == name) {
            return Err(Error::refusal(format!("channel {channel_name:?} has an entry {name:?} already"))
                .help("edit that entry by hand to change its edges"));
        }
        for skipping in &skipped_by {
            let names = entries.iter().map(|entry| entry.name.as_str());
            let Some(at) = names.clone().position(|entry| entry == skipping) else {
                return Err(unknown("entry", skipping, &format!("channel {channel_name:?}"), names));
            };
            if !entries.get(at).is_some_and(|entry| entry.skips.iter().any(|skip| skip == name)) {
                draft.add_skip(number, at, name);
                done.push(format!("edited: {skipping:?} in channel {channel_name:?} skips {name:?}"));
            }
        }
        let head = ChannelAnalysis::from_entries(entries).head().and_then(|head| entries.get(head));
        let way = |head: &ChannelEntry| {
            let both = versions.get(name).zip(versions.get(head.name.as_str()));
            edges::way_from(&head.name, both.is_some_and(|(new, head)| new.compare_precedence(head).is_lt()))
        };
        let may_stand_alone = addition.edges.none || entries.is_empty() || !addition.skipped_by.is_empty();
        let wanted = match &declared {
            Some(declared) => declared.clone(),
            None if may_stand_alone => ChannelEntry::default(),
            None => return Err(edges::refusal(&edit, bundle, channel_name, head.map(way))),
        };
        advice.extend(head.map(|head| format!("channel {channel_name:?}: {}", way(head))));
        let entry = edges::entry(name, &wanted);
        let known: Vec<Option<VersionRelease>> =
            entries.iter().map(|entry| versions.get(entry.name.as_str()).cloned()).collect();
        draft.add_entry(number, entry_place::place_of(&known, versions.get(name)), &entry);
        done.push(format!("added: {} to channel {channel_name:?}", edges::words(&entry)));
    }
    if found.is_new {
        draft.add_bundle(bundle).map_err(|error| Error::refusal(error.to_string()))?;
        done.push(format!("added: bundle {name:?} to package {package:?}"));
    } else {
        done.push(format!("left as it is: bundle {name:?}, which the catalog has"));
    }
    let edited = edit.finish(draft)?;
    Ok(Some(Added { edit, edited, done, advice }))
}

/// The first channel of that name, with its number.
fn channel<'c>(edit: &'c CatalogEdit, package: &str, name: &str) -> Option<(usize, &'c Channel)> {
    let mut channels = edit.catalog.channels.iter().enumerate();
    channels.find(|(_, channel)| channel.package == package && channel.name == name)
}

fn require_may_create(
    addition: &Addition,
    edit: &CatalogEdit,
    package: &str,
    channel: &str,
) -> Result<(), Error> {
    if let Some(skipping) = addition.skipped_by.first() {
        return Err(Error::refusal(format!(
            "channel {channel:?} does not exist, so {skipping:?} cannot skip anything in it"
        )));
    }
    if addition.create_channel {
        return Ok(());
    }
    let place = format!("package {package:?}");
    Err(unknown("channel", channel, &place, edit.channel_names(package)).help("--create-channel creates it"))
}
