//! What a directory holds that carries images to another registry: `mirror.json` beside the layout.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fbc_registry::Reference;
use fbc_source::Error;
use fbc_staging::StagedFile;
use serde::{Deserialize, Serialize};

use super::plan::Selected;
use super::run::Done;
use super::{Place, Plan};

/// The file in the directory.
const FILE: &str = "mirror.json";
/// The version of its form.
const VERSION: u32 = 2;

/// An image that was copied, with its place at a destination.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Copied {
    /// The reference that catalogs and clusters use; none for a catalog from a directory.
    pub source: Option<String>,
    /// Its repository at a destination.
    pub repository: String,
    /// Its tag there.
    pub tag: String,
    /// The digest of what was copied.
    pub digest: String,
    /// Whether it is a catalog, and which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<CatalogForm>,
    /// Whether it is attached to another image, as a signature is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_attached: bool,
    /// Whether an earlier directory brought it.
    #[serde(skip)]
    pub is_carried: bool,
}

/// What a catalog at the destination is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CatalogForm {
    /// The image of the source, byte for byte.
    Whole,
    /// The same, of an image that runs no program, so that the older OLM cannot serve it.
    Bare,
    /// An image that was built from a directory or a selection.
    Built,
}

impl Copied {
    /// Its place at a destination.
    pub fn place(&self) -> Place {
        Place { repository: self.repository.clone(), tag: self.tag.clone() }
    }

    /// What users know it by: where it came from, or else its repository.
    pub(super) fn shown(&self) -> &str {
        self.source.as_deref().unwrap_or(&self.repository)
    }

    /// Where it came from, if that was a registry.
    pub fn source(&self) -> Option<Reference> {
        self.source.as_deref().and_then(|source| Reference::parse(source).ok())
    }
}

/// What a directory holds.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    version: u32,
    /// The images in it.
    pub images: Vec<Copied>,
    /// The images that belong to these, and that earlier directories brought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<Copied>,
    /// The blobs of the images.
    #[serde(default)]
    blobs: Holders,
    /// The blobs that earlier directories brought.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    carried_blobs: Holders,
    /// What should be there and could not be copied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<Incomplete>,
}

/// For each blob, by its digest, the repositories of the destination that have it. A registry keeps blobs by repository, so
/// what one has another may still need.
pub type Holders = BTreeMap<String, BTreeSet<String>>;

/// What a run could not copy.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Incomplete {
    /// The catalogs of the run; the next run for these replaces the entry.
    catalogs: BTreeSet<String>,
    /// References of what is missing; a catalog from a directory has its place.
    lacks: BTreeSet<String>,
}

/// What earlier directories brought, and the destination has.
#[derive(Debug, Default)]
pub struct Earlier {
    /// The digest at each place.
    images: BTreeMap<Place, String>,
    /// Which repositories have which blobs.
    pub blobs: Holders,
}

impl Earlier {
    /// Whether a place has an image already.
    pub fn has(&self, place: &Place, digest: &str) -> bool {
        self.images.get(place).is_some_and(|known| known == digest)
    }

    /// Whether a repository has a blob already.
    pub fn has_blob(&self, repository: &str, digest: &str) -> bool {
        self.blobs.get(digest).is_some_and(|holders| holders.contains(repository))
    }
}

impl Document {
    /// What is missing, by its references.
    pub fn lacks(&self) -> BTreeSet<&str> {
        self.incomplete.iter().flat_map(|run| run.lacks.iter().map(String::as_str)).collect()
    }

    /// What the destination has once the directory, and those that it builds upon, are carried over.
    pub fn as_earlier(&self) -> Earlier {
        let images = self.carried.iter().chain(&self.images);
        let mut blobs = self.carried_blobs.clone();
        add_holders(&mut blobs, &self.blobs);
        Earlier { images: images.map(|one| (one.place(), one.digest.clone())).collect(), blobs }
    }

    /// What the directory builds upon.
    pub fn builds_upon(&self) -> Earlier {
        let images = self.carried.iter().map(|one| (one.place(), one.digest.clone()));
        Earlier { images: images.collect(), blobs: self.carried_blobs.clone() }
    }

    /// Adds what a run came to.
    fn add(&mut self, plan: &Plan, done: &Done, earlier: &Earlier) {
        let (carried, held) =
            done.copied.iter().chain(&done.attached).cloned().partition(|one| one.is_carried);
        self.images = merged(std::mem::take(&mut self.images), held);
        self.carried = merged(std::mem::take(&mut self.carried), carried);
        // A place names one image, wherever that came from.
        let held: BTreeSet<Place> = self.images.iter().map(Copied::place).collect();
        self.carried.retain(|one| !held.contains(&one.place()));
        add_holders(&mut self.blobs, &done.blobs);
        add_holders(&mut self.carried_blobs, &earlier.blobs);
        let catalogs: BTreeSet<String> = plan.catalogs.iter().map(Selected::name).collect();
        let failed = done.failed.iter().map(|(image, _)| image);
        let lacks: BTreeSet<String> = failed.chain(&done.withheld).cloned().collect();
        self.incomplete.retain(|run| run.catalogs != catalogs);
        for run in &mut self.incomplete {
            for one in &done.copied {
                run.lacks.remove(&one.source.clone().unwrap_or_else(|| one.place().to_string()));
            }
        }
        self.incomplete.retain(|run| !run.lacks.is_empty());
        if !lacks.is_empty() {
            self.incomplete.push(Incomplete { catalogs, lacks });
        }
    }
}

fn add_holders(all: &mut Holders, more: &Holders) {
    for (digest, repositories) in more {
        all.entry(digest.clone()).or_default().extend(repositories.iter().cloned());
    }
}

/// Images with later ones: a place holds the image that was put there last, for all sources that it came from.
fn merged(old: Vec<Copied>, new: Vec<Copied>) -> Vec<Copied> {
    let latest: BTreeMap<Place, String> =
        old.iter().chain(&new).map(|one| (one.place(), one.digest.clone())).collect();
    let all: BTreeSet<Copied> =
        old.into_iter().chain(new).filter(|one| latest.get(&one.place()) == Some(&one.digest)).collect();
    all.into_iter().collect()
}

/// Writes what a directory holds, with what earlier runs put there.
pub fn write(folder: &Path, plan: &Plan, done: &Done, earlier: &Earlier) -> Result<(), Error> {
    let mut document = match folder.join(FILE).exists() {
        true => read(folder)?,
        false => Document { version: VERSION, ..Document::default() },
    };
    document.add(plan, done, earlier);
    let text = serde_json::to_string_pretty(&document).map_err(|error| Error::new(error.to_string()))?;
    let path = folder.join(FILE);
    replace(&path, format!("{text}\n").as_bytes()).map_err(|error| Error::io("write", &path, &error))
}

/// Writes a file under a temporary name first, so that it is whole whenever it is there.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = StagedFile::beside(path)?;
    file.write_all(bytes)?;
    file.publish(path).map(drop)
}

/// Reads what a directory holds.
pub fn read(folder: &Path) -> Result<Document, Error> {
    read_file(&folder.join(FILE))
}

/// Reads what an earlier directory brought: the directory, or the record out of it; with what to say where it is
/// incomplete.
///
/// # Errors
/// If it cannot be read, or is the one that is written.
pub fn since(path: &Path, target: &Path) -> Result<(Earlier, Option<Error>), Error> {
    let file: PathBuf = if path.is_dir() { path.join(FILE) } else { path.to_path_buf() };
    let is_target = file.parent().and_then(|folder| folder.canonicalize().ok());
    if is_target.is_some() && is_target == target.canonicalize().ok() {
        return Err(Error::new(format!("--since names {}, to which this run writes", target.display()))
            .help("write to another directory, or leave out --since to add to that one"));
    }
    let document = read_file(&file)?;
    let lacks = document.lacks().into_iter().collect::<Vec<_>>().join(", ");
    let is_whole = lacks.is_empty();
    let warning = || Error::new(format!("{} is incomplete; it lacks {lacks}", path.display()));
    Ok((document.as_earlier(), (!is_whole).then(warning)))
}

fn read_file(path: &Path) -> Result<Document, Error> {
    let bytes = fbc_model::tree::read_file(path).map_err(|error| {
        Error::io("read", path, &error).help("name a directory that `fbc mirror --to-dir` wrote to the end")
    })?;
    let version: Version = serde_json::from_slice(&bytes).map_err(|error| malformed(path, &error))?;
    if version.version != VERSION {
        return Err(Error::new(format!(
            "{} has version {}; this fbc knows {VERSION}",
            path.display(),
            version.version
        ))
        .help("use the fbc that wrote the directory, or write it again"));
    }
    serde_json::from_slice(&bytes).map_err(|error| malformed(path, &error))
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn malformed(path: &Path, error: &serde_json::Error) -> Error {
    Error::new(format!("{}: {error}", path.display()))
        .help("write the directory again with `fbc mirror --to-dir`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(source: &str, place: &str, digest: &str) -> Copied {
        let (repository, tag) = place.rsplit_once(':').unwrap();
        Copied {
            source: (!source.is_empty()).then(|| source.to_owned()),
            repository: repository.to_owned(),
            tag: tag.to_owned(),
            digest: digest.to_owned(),
            catalog: None,
            is_attached: source.is_empty(),
            is_carried: false,
        }
    }

    #[test]
    fn a_place_has_all_its_sources_and_one_digest() {
        let old =
            vec![copied("a.io/x@1", "x:1", "1"), copied("a.io/y:v", "y:v", "1"), copied("", "x:s", "1")];
        let new =
            vec![copied("b.io/x@1", "x:1", "1"), copied("b.io/y:v", "y:v", "2"), copied("", "x:s", "2")];
        let all: Vec<String> = merged(old, new)
            .iter()
            .map(|one| format!("{} {} {}", one.source.as_deref().unwrap_or("-"), one.place(), one.digest))
            .collect();
        assert_eq!(all, ["- x:s 2", "a.io/x@1 x:1 1", "b.io/x@1 x:1 1", "b.io/y:v y:v 2"]);
    }

    #[test]
    fn a_run_replaces_what_the_last_one_for_its_catalogs_lacked() {
        let plan = |catalog: &str| Plan { catalogs: vec![Selected::named(catalog)], ..Plan::default() };
        let lacking = |images: &[&str]| Done {
            failed: images.iter().map(|image| ((*image).to_owned(), Error::new("gone"))).collect(),
            ..Done::default()
        };
        let mut document = Document::default();
        let none = Earlier::default();
        document.add(&plan("a.io/one:v1"), &lacking(&["x", "y"]), &none);
        document.add(&plan("a.io/two:v1"), &lacking(&["z"]), &none);
        assert_eq!(document.lacks().into_iter().collect::<String>(), "xyz");
        // The other run's images count where they are copied.
        let done = Done { copied: vec![copied("z", "z:1", "1")], ..lacking(&["y"]) };
        document.add(&plan("a.io/one:v1"), &done, &none);
        assert_eq!(document.lacks().into_iter().collect::<String>(), "y");
        // Images that do not exist and may be missing are not lacking.
        let missing = Done { missing: vec![("y".to_owned(), Error::new("gone"))], ..Done::default() };
        document.add(&plan("a.io/one:v1"), &missing, &none);
        assert!(document.lacks().is_empty());
    }
}
