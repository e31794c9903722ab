//! Images that catalogs name by tags, and the digests that they mean.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use fbc_go::text::quote;
use fbc_model::tree::{Tree, TreeEntry, read_file};
use fbc_repository::images::{Unsearchable, check as check_text, tagged};
use fbc_repository::pins;
use fbc_source::Error;
use fbc_source::Session;
use fbc_source::needed_images::find_all;
use fbc_yaml::{Kind, stream};

use crate::event::Event;
use crate::layout;
use crate::loading::load_tree;
use crate::settings::Settings;

/// Digests by image with tag.
pub type Digests = BTreeMap<String, String>;

/// What registries say of images.
#[derive(Debug, Default)]
pub struct Answers {
    /// By image with tag.
    pub digests: Digests,
    /// By image, why it has no digest.
    pub failed: BTreeMap<String, Error>,
}

/// Asks registries for digests.
pub fn ask(references: &[&str], session: &Session) -> Result<Answers, Error> {
    let mut answers = Answers::default();
    if references.is_empty() {
        return Ok(answers);
    }
    if session.open()?.is_offline() {
        return Err(Error::new(format!("the map does not know {}", references.join(", ")))
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

/// The tags by what they are pinned to. Of several tags of one digest the last counts, by name.
pub fn back(known: &Digests) -> BTreeMap<String, String> {
    known
        .iter()
        .filter_map(|(tag, digest)| Some((format!("{}@{digest}", tagged(tag)?.0), tag.clone())))
        .collect()
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
pub fn texts(paths: &[PathBuf], settings: &Settings) -> Result<BTreeMap<PathBuf, Vec<u8>>, Error> {
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
            return Err(Error::refusal(format!("{} holds no catalog", path.display()))
                .help("name the directory with the files of the catalog, or the root of a repository"));
        }
        all.extend(files);
    }
    all.into_iter()
        .map(|path| {
            let text = read_file(&path).map_err(|error| Error::io("read", &path, &error))?;
            match check_text(&text) {
                // A directory may hold other files, such as an empty one or a page of documentation.
                Err(Unsearchable::NoBlob) if !paths.contains(&path) => {}
                Err(Unsearchable::Malformed { .. }) if !paths.contains(&path) && !is_data(&path) => {
                    let note = format!("note: {} is neither YAML nor JSON", path.display());
                    settings.tell(Event::Detail(&note));
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

fn unsearchable(path: &Path, error: Unsearchable) -> Error {
    let shown = path.display();
    match error {
        Unsearchable::Malformed { line, message } => Error::new(format!("{shown}:{line}: {message}"))
            .help(format!("`fbc validate {shown}` shows the place; nothing was written")),
        Unsearchable::NoBlob => Error::new(format!("{shown} is neither a catalog nor a template"))
            .help("name files whose documents have a `schema`, or the root of a repository"),
    }
}

/// A map, with the text that holds it.
#[derive(Debug, Default)]
pub struct Map {
    /// The text.
    pub text: Vec<u8>,
    /// What it says.
    pub digests: Digests,
}

/// Reads a map.
///
/// # Errors
/// If it cannot be read, or maps anything but images with tags to digests.
pub fn read_map(path: &Path) -> Result<Map, Error> {
    let text = read_file(path).map_err(|error| Error::io("read", path, &error))?;
    let invalid = |text: String| {
        Error::new(format!("{}: {text}", path.display()))
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
        .collect::<Result<_, Error>>()?;
    Ok(Map { text, digests })
}

fn is_digest(text: &str) -> bool {
    let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
    hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
