//! `fbc pin`: tags of images become digests, in catalogs and templates, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::count::counted;
use fbc_app::output::file::{edit_files, edit_files_of};
use fbc_app::pin::{Answers, Digests, Map, ask, back, read_map, texts};
use fbc_model::overlay_tree::FileVersions;
use fbc_repository::images::{images, replaced, tagged};
use fbc_repository::pins;
use fbc_source::Error;
use fbc_source::Session;

use crate::edit_outcome::show_diff;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::report_written;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;
use crate::terminal;

/// Replace the tags of images by digests, in place
///
/// In templates and catalogs, images of bundles and related images that are named by a tag get the digest that the tag
/// means now. Comments, order and layout stay. The map remembers which tag a digest comes from: with it, nothing that it
/// knows is asked again, --tags puts the tags back, and --drift says which tags mean something else by now.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 done, 1 with --check if an image is named by a tag, with --drift if a tag has moved, 2 could not run."
)]
pub(crate) struct Arguments {
    /// Files and directories of catalogs and templates; the root of a repository is taken for the catalogs and
    /// templates in it
    #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// A YAML file with the digest of each image that has a tag; what registries answer is added to it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    map: Option<PathBuf>,
    /// Put the tags of the map back in place of its digests
    #[arg(long, requires = "map", conflicts_with_all = ["drift", "check"])]
    tags: bool,
    /// Write nothing; ask registries which tags of the map mean another digest by now, and exit with 1 if some do
    #[arg(long, requires = "map", conflicts_with_all = ["check", "dry_run"])]
    drift: bool,
    /// Write nothing; exit with 1 if an image is named by a tag
    #[arg(long)]
    check: bool,
    /// Write nothing; show the changes as a unified diff
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,
    #[command(flatten)]
    transfer: TransferArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.transfer.session(Named::paths(None::<&Path>), &CopyLogins::default(), settings);
    if arguments.drift && session.open()?.is_offline() {
        return Err(Failure::new("--drift asks registries, and --offline forbids that")
            .help("leave --offline and FBC_OFFLINE out"));
    }
    let map = match &arguments.map {
        // The first run makes it; the others have nothing to go by.
        Some(path) if !arguments.tags && !arguments.drift && !path.exists() => Map::default(),
        Some(path) => read_map(path)?,
        None => Map::default(),
    };
    let mut known = map.digests;
    if arguments.drift {
        return drift(&known, &session, settings);
    }
    let texts = texts(&arguments.paths, settings)?;
    if arguments.tags {
        let back = back(&known);
        return write(arguments, &texts, &back, None, settings);
    }
    let tags: BTreeSet<String> = texts
        .values()
        .flat_map(|text| images(text))
        .filter(|image| tagged(&image.reference).is_some() && !Path::new(&image.reference).exists())
        .map(|image| image.reference)
        .collect();
    if arguments.check {
        return Ok(check(&texts, &tags));
    }
    let asked: Vec<&str> = tags.iter().filter(|tag| !known.contains_key(*tag)).map(String::as_str).collect();
    let Answers { digests: answers, failed } = ask(&asked, &session)?;
    let new_map = match &arguments.map {
        Some(path) if !answers.is_empty() => {
            let text = pins::with_digests(&map.text, &answers).map_err(|error| {
                Failure::refusal(format!("{}: {error}", path.display()))
                    .help("write the map in plain style, one image on a line; nothing was written")
            })?;
            Some((path.as_path(), text))
        }
        _ => None,
    };
    if !failed.is_empty() {
        return unresolved(failed, asked.len(), &texts, new_map.filter(|_| !arguments.dry_run), settings);
    }
    known.extend(answers);
    let pinned: BTreeMap<String, String> = tags
        .iter()
        .filter_map(|tag| Some((tag.clone(), format!("{}@{}", tagged(tag)?.0, known.get(tag)?))))
        .collect();
    write(arguments, &texts, &pinned, new_map, settings)
}

/// Says which images are named by a tag, and where.
fn check(texts: &BTreeMap<PathBuf, Vec<u8>>, tags: &BTreeSet<String>) -> u8 {
    for (path, text) in texts {
        let named: BTreeSet<String> = images(text).into_iter().map(|image| image.reference).collect();
        for reference in named.intersection(tags) {
            terminal::tell(format_args!("{}: {reference} is not pinned", path.display()));
        }
    }
    if tags.is_empty() { CLEAN } else { FINDINGS }
}

/// Says which tags mean another digest by now.
fn drift(known: &Digests, session: &Session, settings: &Settings) -> Result<u8, Failure> {
    let tags: Vec<&str> = known.keys().map(String::as_str).collect();
    let Answers { digests: now, failed } = ask(&tags, session)?;
    let mut moved = 0;
    for (tag, digest) in &now {
        match known.get(tag) {
            Some(old) if old != digest => {
                moved += 1;
                terminal::tell(format_args!("{tag} was {old}, and is {digest} now"));
            }
            _ => {}
        }
    }
    if !settings.quiet {
        terminal::tell(format_args!("{moved} of {} tags have moved", now.len()));
    }
    // What one registry does not answer says nothing of the others.
    let unanswered = failed.values().map(exit_of).max();
    for failure in failed.into_values() {
        let _ = Failure::from(failure).report();
    }
    Ok(unanswered.unwrap_or(if moved == 0 { CLEAN } else { FINDINGS }))
}

/// Tells every image that has no digest, with the files that name it. The map keeps what registries did answer, so that
/// the next run asks only for the rest.
fn unresolved(
    failed: BTreeMap<String, Error>,
    asked: usize,
    texts: &BTreeMap<PathBuf, Vec<u8>>,
    map: Option<(&Path, Vec<u8>)>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let mut naming: BTreeMap<String, BTreeSet<&Path>> = BTreeMap::new();
    for (path, text) in texts {
        for image in images(text) {
            naming.entry(image.reference).or_default().insert(path);
        }
    }
    let count = failed.len();
    let mut exit = FINDINGS;
    for (reference, failure) in failed {
        exit = exit.max(exit_of(&failure));
        let paths = naming.get(&reference).into_iter().flatten();
        let told =
            paths.fold(failure, |failure, path| failure.detail(format!("  named in {}", path.display())));
        let _ = Failure::from(told).report();
    }
    if let Some((path, text)) = &map {
        edit_files(path, settings, [(*path, Some(text.as_slice()))])?;
        report_written(path, settings);
    }
    let failure = Failure::new(format!(
        "{count} of {} cannot be resolved, so no file is pinned",
        counted(asked, "tag")
    ));
    Err(failure.exits_with(exit).help(match map {
        Some(_) => "the map has the digests of the others, which are not asked for again; correct these, or add them to the map",
        None => "correct these, or give their digests in a map (`--map`)",
    }))
}

/// Writes files with other references, and the map; all or nothing.
fn write(
    arguments: &Arguments,
    texts: &BTreeMap<PathBuf, Vec<u8>>,
    references: &BTreeMap<String, String>,
    map: Option<(&Path, Vec<u8>)>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let mut files = FileVersions::new();
    for (path, text) in texts {
        let new = replaced(text, references).map_err(|error| {
            Failure::refusal(format!("{}: {error}", path.display()))
                .help("write this image in plain style, or change it in an editor; nothing was written")
        })?;
        if new != *text {
            files.insert(path.clone(), Some(new));
        }
    }
    if arguments.dry_run {
        show_diff(&files, texts, &BTreeMap::new())?;
        return Ok(CLEAN);
    }
    let changed: Vec<PathBuf> = files.keys().cloned().collect();
    let named_by = |path: &Path| {
        let holds = |named: &&PathBuf| path.starts_with(named.strip_prefix(".").unwrap_or(named));
        arguments.paths.iter().rfind(holds).map_or(Path::new("."), PathBuf::as_path)
    };
    let pinned = files.iter().map(|(path, bytes)| (named_by(path), path.as_path(), bytes.as_deref()));
    edit_files_of(settings, pinned.chain(map.iter().map(|(path, text)| (*path, *path, Some(&text[..])))))?;
    if !settings.quiet {
        changed.iter().for_each(|path| report_written(path, settings));
        if changed.is_empty() {
            terminal::tell(format_args!("nothing to do"));
        }
    }
    Ok(CLEAN)
}

/// The exit code of an image that has no digest.
fn exit_of(error: &Error) -> u8 {
    Failure::from(error.clone()).exit()
}
