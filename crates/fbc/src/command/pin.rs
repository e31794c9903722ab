//! `fbc pin`: tags of images become digests, in catalogs and templates, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_go::text::quote;
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::{Tree, TreeEntry, read_file};
use fbc_repository::images::{Unsearchable, check as check_text, images, replaced, tagged};
use fbc_repository::pins;
use fbc_source::Session;
use fbc_source::needed_images::find_all;
use fbc_yaml::{Kind, stream};

use crate::edit_outcome::show_diff;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::report_written;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;
use crate::terminal;
use fbc_app::count::counted;
use fbc_app::layout;
use fbc_app::loading::load_tree;
use fbc_app::output::file::{edit_files, edit_files_of};

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

/// Digests by image with tag.
type Digests = BTreeMap<String, String>;

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
    if let Some(exit) = failed.values().map(Failure::exit).max() {
        for failure in failed.into_values() {
            failure.report();
        }
        return Ok(exit);
    }
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
    Ok(if moved == 0 { CLEAN } else { FINDINGS })
}

/// What registries say of images.
#[derive(Debug, Default)]
struct Answers {
    digests: Digests,
    /// By image, why it has no digest.
    failed: BTreeMap<String, Failure>,
}

/// Asks registries for digests.
fn ask(references: &[&str], session: &Session) -> Result<Answers, Failure> {
    let mut answers = Answers::default();
    if references.is_empty() {
        return Ok(answers);
    }
    if session.open()?.is_offline() {
        return Err(Failure::new(format!("the map does not know {}", references.join(", ")))
            .help("add them to the map, or leave --offline and FBC_OFFLINE out to ask registries"));
    }
    for (reference, answer) in find_all(references.iter().copied(), session)? {
        match answer {
            Ok(image) => drop(answers.digests.insert(reference, image.digest)),
            Err(error) => drop(answers.failed.insert(reference, error.into())),
        }
    }
    Ok(answers)
}

/// Tells every image that has no digest, with the files that name it. The map keeps what registries did answer, so that
/// the next run asks only for the rest.
fn unresolved(
    failed: BTreeMap<String, Failure>,
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
        exit = exit.max(failure.exit());
        let paths = naming.get(&reference).into_iter().flatten();
        paths
            .fold(failure, |failure, path| failure.detail(format!("  named in {}", path.display())))
            .report();
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

/// The tags by what they are pinned to. Of several tags of one digest the last counts, by name.
fn back(known: &Digests) -> BTreeMap<String, String> {
    known
        .iter()
        .filter_map(|(tag, digest)| Some((format!("{}@{digest}", tagged(tag)?.0), tag.clone())))
        .collect()
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

/// A tree without what git keeps for itself, which names no images and may be large.
struct WithoutGit<'t>(&'t dyn Tree);

impl Tree for WithoutGit<'_> {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        let mut entries = self.0.list(directory)?;
        entries.retain(|entry| entry.name != Path::new(".git"));
        Ok(entries)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.0.read(file)
    }

    fn size(&self, file: &Path) -> Option<u64> {
        self.0.size(file)
    }

    fn read_into(&self, file: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.0.read_into(file, buffer)
    }

    fn folder(&self) -> Option<&Path> {
        self.0.folder()
    }
}

/// The texts of all files that may name images.
fn texts(paths: &[PathBuf], settings: &Settings) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let mut all = BTreeSet::new();
    for path in paths {
        if !path.is_dir() {
            all.insert(path.clone());
            continue;
        }
        let mut files = BTreeSet::new();
        let tree = settings.disk_tree(path);
        let places = layout::catalogs_in(path, &settings.reading())?;
        let catalogs: Vec<PathBuf> = match &places {
            Some(places) => places.iter().map(|place| path.join(&place.name)).collect(),
            None => vec![path.clone()],
        };
        if places.is_some() {
            let found = layout::find(tree.as_ref())?.catalogs.into_iter();
            files
                .extend(found.flat_map(|catalog| catalog.templates).map(|template| path.join(template.path)));
        }
        for catalog in catalogs {
            match catalog.is_dir() {
                true => {
                    let whole = settings.disk_tree(&catalog);
                    let tree = WithoutGit(whole.as_ref());
                    let loaded = load_tree(&tree, settings)?;
                    files.extend(loaded.files.iter().map(|file| catalog.join(&file.path)));
                }
                false => drop(files.insert(catalog)),
            }
        }
        // An empty answer would read as if all were pinned.
        if files.is_empty() {
            return Err(Failure::refusal(format!("{} holds no catalog", path.display()))
                .help("name the directory with the files of the catalog, or the root of a repository"));
        }
        all.extend(files);
    }
    all.into_iter()
        .map(|path| {
            let text = read_file(&path).map_err(|error| Failure::io("read", &path, &error))?;
            match check_text(&text) {
                // A directory may hold other files, such as an empty one or a page of documentation.
                Err(Unsearchable::NoBlob) if !paths.contains(&path) => {}
                Err(Unsearchable::Malformed { .. }) if !paths.contains(&path) && !is_data(&path) => {
                    if settings.verbose {
                        terminal::tell(format_args!("note: {} is neither YAML nor JSON", path.display()));
                    }
                }
                outcome => outcome.map_err(|error| unsearchable(&path, error))?,
            }
            let short = path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path);
            Ok((short, text))
        })
        .collect()
}

/// Whether a file is YAML or JSON by its name, so that it may be expected to name images.
fn is_data(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["yaml", "yml", "json"].contains(&extension))
}

fn unsearchable(path: &Path, error: Unsearchable) -> Failure {
    let shown = path.display();
    match error {
        Unsearchable::Malformed { line, message } => Failure::new(format!("{shown}:{line}: {message}"))
            .help(format!("`fbc validate {shown}` shows the place; nothing was written")),
        Unsearchable::NoBlob => Failure::new(format!("{shown} is neither a catalog nor a template"))
            .help("name files whose documents have a `schema`, or the root of a repository"),
    }
}

/// A map, with the text that holds it.
#[derive(Debug, Default)]
struct Map {
    text: Vec<u8>,
    digests: Digests,
}

fn read_map(path: &Path) -> Result<Map, Failure> {
    let text = read_file(path).map_err(|error| Failure::io("read", path, &error))?;
    let invalid = |text: String| {
        Failure::new(format!("{}: {text}", path.display()))
            .help("write a YAML mapping: image with tag to digest, such as quay.io/me/bundle:v1: sha256:…")
    };
    if pins::is_blank(&text) {
        return Ok(Map { text, digests: Digests::new() });
    }
    let document = stream::read_one(&text).map_err(|error| invalid(error.message))?;
    if document.root().kind() != Kind::Object {
        return Err(invalid("it is not a mapping".to_owned()));
    }
    let digests = document
        .root()
        .members()
        .map(|(tag, digest)| {
            let digest = digest.as_str().filter(|digest| is_digest(digest));
            let digest = digest.ok_or_else(|| invalid(format!("{} maps to no digest", quote(tag))))?;
            tagged(tag).ok_or_else(|| invalid(format!("{} is not an image with a tag", quote(tag))))?;
            Ok((tag.to_owned(), digest.to_owned()))
        })
        .collect::<Result<_, Failure>>()?;
    Ok(Map { text, digests })
}

fn is_digest(text: &str) -> bool {
    let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
    hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
