//! Directories of catalogs: the root of a repository, or `catalogs/<OpenShift version>/<package>/`.
//!
//! What the files of such a directory say of its catalogs is known to `fbc_repository`; here it is decided whether a
//! directory that is named on the command line is one catalog or holds several, and which of them are meant.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_model::load::is_ignored;
use fbc_model::tree::Tree;
use fbc_repository::{CatalogPlace, FoundBy, ImageFile, Repository, looks_like_repository, release};
use fbc_source::confinement::repository_around;
use fbc_source::image_source::is_image;
use fbc_source::{CatalogSource, Error, Reading, system_words as words};
use fbc_version::OpenShiftRelease;
use fbc_version::openshift_release::in_words;

use crate::event::Event;
use crate::settings::Settings;

/// A catalog in a directory of catalogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its path in the directory.
    pub name: String,
    /// The releases that it is for, as far as that is known.
    pub releases: Vec<OpenShiftRelease>,
    /// What makes images of it.
    pub images: Vec<ImageFile>,
}

impl Place {
    fn new(catalog: CatalogPlace) -> Option<Self> {
        Some(Self {
            name: catalog.path.to_str()?.to_owned(),
            releases: catalog.releases.into_iter().collect(),
            images: catalog.images,
        })
    }

    /// The path, with the releases where it does not name them.
    fn described(&self) -> String {
        let last = self.name.rsplit('/').next().unwrap_or_default();
        match self.releases.as_slice() {
            [] => self.name.clone(),
            [only] if release::of_directory(last) == Some(*only) => self.name.clone(),
            releases => format!("{} ({})", self.name, in_words(releases)),
        }
    }
}

/// A catalog that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// Where it is.
    pub path: PathBuf,
    /// The releases that its repository says it is for.
    pub releases: Vec<OpenShiftRelease>,
    /// What makes images of it, as its repository says.
    pub images: Vec<ImageFile>,
}

impl Meant {
    /// A catalog of which nothing more is known.
    pub fn of_path(path: &Path) -> Self {
        Self { path: path.to_path_buf(), releases: Vec::new(), images: Vec::new() }
    }

    /// The Dockerfile that makes its image for a release, or else the first one.
    pub fn image(&self, release: Option<OpenShiftRelease>) -> Option<&ImageFile> {
        self.images.iter().find(|image| image.release == release).or(self.images.first())
    }

    /// Where it goes in its image, below the directory that is served; nothing if nobody says that.
    pub fn target(&self, release: Option<OpenShiftRelease>) -> Option<&Path> {
        self.image(release).map(|image| image.target.as_path())
    }

    /// How it is called among others.
    pub fn title(&self) -> String {
        match self.releases.is_empty() {
            true => self.path.display().to_string(),
            false => format!("{} ({})", self.path.display(), in_words(&self.releases)),
        }
    }
}

/// The catalogs that the paths name. What is found in a directory is told.
pub fn expand(paths: &[PathBuf], settings: &Settings) -> Result<Vec<Meant>, Error> {
    let mut catalogs = Vec::new();
    for path in paths {
        match catalogs_in(path, &settings.reading())? {
            None => catalogs.push(around(path, settings)),
            Some(places) => {
                settings.tell(Event::Expanded { directory: path, catalogs: &places });
                catalogs.extend(places.into_iter().map(|place| meant(path, place)));
            }
        }
    }
    Ok(catalogs)
}

/// The catalogs of a directory that are for some releases; all if none is named. What holds no others is one catalog.
pub fn select(path: &Path, releases: &[OpenShiftRelease], reading: &Reading) -> Result<Vec<Meant>, Error> {
    let Some(places) = catalogs_in(path, reading)? else {
        return match releases {
            [] => Ok(vec![Meant::of_path(path)]),
            _ => Err(Error::new(format!("{} does not hold several catalogs", path.display()))
                .help("leave `--ocp` out, or name the root of the repository")),
        };
    };
    let known = described(&places);
    let is_meant = |place: &Place| {
        releases.is_empty() || place.releases.iter().any(|release| releases.contains(release))
    };
    let meant: Vec<Meant> = places.into_iter().filter(is_meant).map(|place| meant(path, place)).collect();
    if meant.is_empty() {
        return Err(Error::new(format!("{} has no catalog for {}", path.display(), in_words(releases)))
            .help(format!("it holds the catalogs {known}")));
    }
    Ok(meant)
}

fn meant(directory: &Path, place: Place) -> Meant {
    // Other tools do not expect a leading `./`.
    let directory = if directory == Path::new(".") { Path::new("") } else { directory };
    Meant { path: directory.join(&place.name), releases: place.releases, images: place.images }
}

/// A catalog that is named by its own path, with what the repository around it says of its images. Its releases are those of its
/// path, as for any catalog.
pub fn around(path: &Path, settings: &Settings) -> Meant {
    let known = || {
        let real = fs::canonicalize(path).ok()?;
        let root = repository_around(path)?;
        let below = real.strip_prefix(&root).ok().filter(|below| !below.as_os_str().is_empty())?;
        // Whoever names a catalog does not ask what is wrong with the repository.
        let found = find(settings.disk_tree(&root).as_ref()).ok()?;
        found.catalogs.into_iter().find(|catalog| catalog.path == below)
    };
    Meant { images: known().map(|catalog| catalog.images).unwrap_or_default(), ..Meant::of_path(path) }
}

/// The catalogs in a directory of the disk; nothing if it is a catalog itself, or no directory.
///
/// What its files expand to is bounded, and beyond that nobody knows which catalogs they name.
pub fn catalogs_in(directory: &Path, reading: &Reading) -> Result<Option<Vec<Place>>, Error> {
    if directory.as_os_str() == "-" || is_image(directory) || !directory.is_dir() {
        return Ok(None);
    }
    let tree = reading.disk_tree(directory);
    catalogs_of(tree.as_ref(), directory.join(".git").exists())
}

/// Whether a directory is a repository of catalogs, or the root of a clone, and not a catalog.
pub fn is_repository(directory: &Path, reading: &Reading) -> Result<bool, Error> {
    Ok(directory.join(".git").exists() || catalogs_in(directory, reading)?.is_some())
}

/// The catalogs in what was opened; nothing if it is one itself.
pub fn catalogs_of_source(source: &CatalogSource) -> Result<Option<Vec<Place>>, Error> {
    let tree = source.tree.as_ref();
    let has_git =
        || tree.list(Path::new("")).is_ok_and(|all| all.iter().any(|entry| entry.name == Path::new(".git")));
    catalogs_of(tree, source.is_root_of_revision() || has_git())
}

/// The catalogs in a tree. Blobs alone make catalogs of directories only where the tree is a repository that is not
/// itself a catalog.
fn catalogs_of(tree: &dyn Tree, is_root: bool) -> Result<Option<Vec<Place>>, Error> {
    let found = find(tree)?.catalogs;
    // What files say counts everywhere, names and contents only where a repository begins.
    let is_said = |catalog: &CatalogPlace| {
        let files = [FoundBy::Configuration, FoundBy::Dockerfile, FoundBy::CiFile];
        files.iter().any(|file| catalog.found_by.contains(file))
    };
    if !is_root && !looks_like_repository(tree) && !found.iter().any(is_said) {
        return Ok(None);
    }
    let blobs_count = is_root && !is_ignored(tree, Path::new(".git/HEAD"));
    let only_blobs = found.iter().all(|catalog| catalog.found_by.contains(&FoundBy::Blobs));
    let is_itself = found.iter().any(|catalog| catalog.path.as_os_str().is_empty());
    if found.is_empty() || is_itself || only_blobs && !blobs_count {
        return Ok(None);
    }
    if found.iter().all(|catalog| catalog.is_absent) {
        let names = some_of(found.iter().map(|catalog| catalog.path.display().to_string()));
        return Err(Error::new(format!("the catalogs {names} are not there yet"))
            .help("`fbc generate` makes them from their templates"));
    }
    let there = found.into_iter().filter(|catalog| !catalog.is_absent);
    Ok(Some(there.filter_map(Place::new).collect()))
}

/// More catalogs are not named in a message.
const MOST_NAMED: usize = 4;

/// The names, for people: by release, and not all of many.
pub fn described(places: &[Place]) -> String {
    let mut places: Vec<&Place> = places.iter().collect();
    places.sort_by(|a, b| (a.releases.first(), &a.name).cmp(&(b.releases.first(), &b.name)));
    some_of(places.into_iter().map(Place::described))
}

/// The first names of a list, and how many there are besides.
pub fn some_of(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_at_checked(MOST_NAMED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more (`fbc repository` lists them)", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

/// Puts the places of two states of a directory together, in the order of their releases and names.
pub fn both(old: &[Place], new: &[Place]) -> Vec<Place> {
    let mut all: Vec<Place> = new.to_vec();
    all.extend(old.iter().filter(|place| !new.iter().any(|one| one.name == place.name)).cloned());
    all.sort_by(|a, b| (a.releases.first(), &a.name).cmp(&(b.releases.first(), &b.name)));
    all
}

/// Whether one of the places has the name.
pub fn has(places: &[Place], name: &str) -> bool {
    places.iter().any(|place| place.name == name)
}

/// The catalogs of a repository.
pub fn find(tree: &dyn Tree) -> Result<Repository, Error> {
    fbc_repository::find(tree).map_err(Error::from)
}

/// The files of a directory, for what looks at a repository as a whole.
pub fn repository_tree(directory: &Path, settings: &Settings) -> Result<Box<dyn Tree>, Error> {
    let tree = settings.disk_tree(directory);
    let failed = |error| {
        Error::new(format!("cannot read {}: {}", directory.display(), words(&error)))
            .help("name the root of a repository")
    };
    tree.list(Path::new("")).map_err(failed)?;
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use super::*;

    fn places(paths: &[&str], is_root: bool) -> Option<String> {
        let blob = "schema: olm.package\nname: a\n";
        let tree: MemoryTree = paths.iter().map(|path| (*path, blob)).collect();
        catalogs_of(&tree, is_root).unwrap().map(|places| described(&places))
    }

    #[test]
    fn directories_of_catalogs() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(places(&["v4.18/a/c.yaml", "v4.9/a/c.yaml", "docs/x.md"], false), some("v4.9, v4.18"));
        assert_eq!(places(&["4.18/a/c.yaml"], false), some("4.18"));
        let many = ["v4.12/c.yaml", "v4.11/c.yaml", "v4.14/c.yaml", "v4.13/c.yaml", "v4.9/c.yaml"];
        let named = "v4.9, v4.11, v4.12, v4.13 and 1 more (`fbc repository` lists them)";
        assert_eq!(places(&many, false), some(named));
        assert_eq!(places(&["catalog-4-18/c.yaml"], false), some("catalog-4-18 (OpenShift 4.18)"));
        for one in [&["foo/c.yaml", "bar/c.yaml"][..], &["v4/c.yaml", "v4.x/c.yaml"], &["c.yaml"]] {
            assert_eq!(places(one, false), None, "{one:?}");
        }
        assert_eq!(places(&["foo/a/c.yaml", "fbc.toml"], false), None);
        assert_eq!(places(&["foo/a/c.yaml"], true), some("foo"));
    }
}
