//! `fbc add`: a bundle into channels of a catalog, in the text of its files.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use fbc_bundle::ImageTemplate;
use fbc_graph::{ChannelAnalysis, bundle_version, entry_place};
use fbc_model::{Channel, ChannelEntry, Origin};
use fbc_version::VersionRelease;

use crate::edit_outcome::{Outcome, complete};
use crate::failure::{FINDINGS, Failure};
use crate::registry::ImageArguments;
use crate::settings::Settings;
use fbc_app::catalog_edit::{CatalogEdit, meant_name, unknown};

mod bundle;
mod edges;
mod repository;
mod template;

/// Add a bundle to channels of a catalog, in place
///
/// The bundle goes after the others of its package, in the format of their file, and an entry into each
/// channel, where the order of the entries has its place. Comments, order and layout of everything else
/// stay. A bundle that the catalog has already only gets the entries (promotion). Nothing is written if the
/// edited catalog would have an error that it did not have before. A template gets the image of the bundle, and a basic
/// one the entries; a semver template has the channels candidate, fast and stable, and no edges.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A bundle directory, an image of one, a catalog file with one bundle (such as `fbc render` writes), or the name of a
    /// bundle that the catalog has
    #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    bundle: PathBuf,
    /// The catalog: a directory, a file, or a template
    #[arg(value_name = "CATALOG", value_hint = ValueHint::AnyPath)]
    catalog: PathBuf,
    /// A channel that gets an entry; can be repeated, or separated by commas
    #[arg(long = "channel", value_name = "NAME", required = true, value_delimiter = ',',
          value_parser = NonEmptyStringValueParser::new())]
    channels: Vec<String>,
    /// Create channels that do not exist
    #[arg(long)]
    create_channel: bool,
    /// The image of a bundle directory
    #[arg(long, value_name = "REFERENCE", conflicts_with = "image_ref_template")]
    image: Option<String>,
    /// Name the image of a bundle directory, such as `quay.io/me/{{.Package}}:v{{.Version}}`; also {{.Name}}
    #[arg(long, value_name = "TEMPLATE", value_parser = ImageTemplate::parse)]
    image_ref_template: Option<ImageTemplate>,
    /// Bring the bundle up to date (`olm.csv.metadata`) even if the others of the package are not; the first bundle of a
    /// package is, in a directory of a repository that is named after OpenShift 4.17 or later, such as `v4.20`
    #[arg(long)]
    migrate: bool,
    #[command(flatten)]
    outcome: Outcome,
    #[command(flatten)]
    edges: edges::Edges,
    /// An entry, by its name or version, that is newer and skips the bundle from now on, such as 1.3.0 for 1.2.4 that
    /// comes after it
    #[arg(long, value_name = "NAME")]
    skipped_by: Vec<String>,
    #[command(flatten)]
    images: ImageArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.bundle], settings);
    let edit = CatalogEdit::open(&arguments.catalog, &session, settings)?;
    if arguments.migrate && edit.template().is_some() {
        return Err(Failure::new(format!(
            "{} is a template, which has no manifests to bring up to date",
            arguments.catalog.display()
        ))
        .help("leave --migrate out, and give `fbc template render` the level"));
    }
    if edit.template().is_none() && arguments.outcome.edits_in_place() {
        repository::warn_of_generated(&arguments.catalog, settings);
    }
    let Some(found) = bundle::find(arguments, &edit, &session, settings)? else { return Ok(FINDINGS) };
    let bundle = &found.bundle;
    if let Some(template) = edit.template() {
        template.add_bundle(bundle);
        if template.is_semver() {
            return template::add_to_lists(arguments, edit, &found, settings);
        }
        template::require_place(template, arguments)?;
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
            Failure::refusal(format!("package {package:?} does not have one bundle of version {text}"))
                .help("name the entry; `fbc list bundles` shows all of them")
        })
    };
    let given = arguments.edges.given().map(|edges| edges::with_names(&edges, named)).transpose()?;
    let skipped_by = arguments.skipped_by.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let declared = given.clone().or_else(|| edges::declared(&found.manifests));
    let mut draft = edit.draft();
    let mut done = Vec::new();
    let mut advice = Vec::new();
    let mut channel_names: Vec<&str> = arguments.channels.iter().map(String::as_str).collect();
    channel_names.sort_unstable();
    channel_names.dedup();
    for channel_name in channel_names {
        let Some((number, channel)) = channel(&edit, package, channel_name) else {
            require_may_create(arguments, &edit, package, channel_name)?;
            let entry = edges::entry(name, declared.as_ref().unwrap_or(&ChannelEntry::default()));
            done.push(format!("created: channel {channel_name:?} with {}", edges::words(&entry)));
            let channel = Channel {
                origin: Origin::default(),
                name: channel_name.to_owned(),
                package: package.to_owned(),
                entries: Some(vec![entry]),
                properties: Vec::new(),
            };
            draft.add_channel(&channel).map_err(|error| Failure::refusal(error.to_string()))?;
            continue;
        };
        let entries = channel.entries();
        if let Some(given) = &given {
            edges::warn_of_unknown(given, channel_name, entries);
        }
        if entries.iter().any(|entry| entry.name == name) {
            return Err(Failure::refusal(format!("channel {channel_name:?} has an entry {name:?} already"))
                .help("edit that entry by hand to change its edges"));
        }
        for skipping in &skipped_by {
            let names = entries.iter().map(|entry| entry.name.as_str());
            let Some(at) = names.clone().position(|entry| entry == skipping) else {
                return Err(unknown("entry", skipping, &format!("channel {channel_name:?}"), names).into());
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
        let may_stand_alone = arguments.edges.none || entries.is_empty() || !arguments.skipped_by.is_empty();
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
        draft.add_bundle(bundle).map_err(|error| Failure::refusal(error.to_string()))?;
        done.push(format!("added: bundle {name:?} to package {package:?}"));
    } else {
        done.push(format!("left as it is: bundle {name:?}, which the catalog has"));
    }
    let edited = edit.finish(draft)?;
    complete(edit, edited, &arguments.outcome, &done, &advice, settings)
}

/// The first channel of that name, with its number.
fn channel<'c>(edit: &'c CatalogEdit, package: &str, name: &str) -> Option<(usize, &'c Channel)> {
    let mut channels = edit.catalog.channels.iter().enumerate();
    channels.find(|(_, channel)| channel.package == package && channel.name == name)
}

fn require_may_create(
    arguments: &Arguments,
    edit: &CatalogEdit,
    package: &str,
    channel: &str,
) -> Result<(), Failure> {
    if let Some(skipping) = arguments.skipped_by.first() {
        return Err(Failure::refusal(format!(
            "channel {channel:?} does not exist, so {skipping:?} cannot skip anything in it"
        )));
    }
    if arguments.create_channel {
        return Ok(());
    }
    let place = format!("package {package:?}");
    Err(unknown("channel", channel, &place, edit.channel_names(package))
        .help("--create-channel creates it")
        .into())
}
