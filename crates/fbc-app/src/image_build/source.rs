//! What an image is built from: a directory on disk or in a revision, which must be valid and apart from the target.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fbc_bundle::BundleFolder;
use fbc_bundle::folder::is_bundle as is_bundle_folder;
use fbc_lint::Profile;
use fbc_model::Catalog;
use fbc_model::tree::{DiskTree, Tree};
use fbc_source::CatalogSource;
use fbc_source::Error;
use fbc_source::git::{GitLimits, Repository};
use fbc_source::image_source::image_of_path;
use fbc_staging::StagedDirectory;

use crate::checked;
use crate::image_build::attestation::Origin;
use crate::input::other::{refuse_repository, refuse_without_blobs};
use crate::loading::load_tree;
use crate::loading::open_as_one;
use crate::settings::Settings;

/// A directory on disk: the one that is named, or what a revision holds, written to a directory that goes away again.
pub(super) fn on_disk(
    folder: PathBuf,
    settings: &Settings,
) -> Result<(PathBuf, Option<StagedDirectory>), Error> {
    if folder.exists() {
        return Ok((folder, None));
    }
    if image_of_path(&folder).is_some() {
        let shown = folder.display();
        return Err(Error::new(format!("{shown} is an image, and an image is built from a directory"))
            .help(format!("`fbc unpack {shown} DIR` writes its files to a directory; `fbc push {shown} --tag REF` copies it")));
    }
    let source = CatalogSource::open(&folder, &settings.session())?;
    if source.image_name().is_some() {
        return Err(Error::new(format!("{} is not a directory", folder.display()))
            .help("an image is built from a directory on disk or in a revision (`REV:PATH`)"));
    }
    let work = settings.scratch_directory()?;
    write_tree(source.tree.as_ref(), Path::new(""), &work)?;
    Ok((work.path().to_path_buf(), Some(work)))
}

fn write_tree(tree: &dyn Tree, below: &Path, to: &StagedDirectory) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("write to", to.path(), &error);
    for entry in tree.list(below).map_err(|error| Error::io("read", below, &error))? {
        let path = below.join(&entry.name);
        if entry.is_directory {
            to.create_directory(&path).map_err(failed)?;
            write_tree(tree, &path, to)?;
        } else {
            let bytes = tree.read(&path).map_err(|error| Error::io("read", &path, &error))?;
            to.create_file(&path).and_then(|mut file| file.write_all(&bytes)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Refuses what is not a directory, unless its repository says where a file goes, and a target that would become part of the
/// image.
pub(super) fn check_source(folder: &Path, has_place: bool, target: Option<&Path>) -> Result<(), Error> {
    let real = fs::canonicalize(folder).map_err(|error| Error::io("read", folder, &error))?;
    if !real.is_dir() && !has_place {
        return Err(Error::new(format!("{} is not a directory", folder.display()))
            .help("an image is built from a directory; put the file into one, or let a Dockerfile of the repository say where it goes"));
    }
    let Some(target) = target else { return Ok(()) };
    let mut existing =
        target.ancestors().map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let place = existing.find_map(|path| fs::canonicalize(path).ok());
    if place.is_some_and(|place| place.starts_with(&real)) {
        return Err(Error::new(format!(
            "the target {} lies in the directory that is built",
            target.display()
        ))
        .help("name a target elsewhere"));
    }
    Ok(())
}

/// Whether the input is valid. What is wrong is told.
pub(super) fn is_valid(folder: &Path, is_bundle: bool, settings: &Settings) -> Result<bool, Error> {
    if is_bundle {
        let tree = DiskTree { root: folder.to_path_buf() };
        let rendered = BundleFolder::read(&tree).and_then(|bundle| fbc_bundle::render::render(&bundle, None));
        return match rendered {
            Ok(_) => Ok(true),
            Err(error) => Err(Error::refusal(format!("{}: {error}", folder.display()))
                .help("fix the bundle, or build it all the same with --no-validate")),
        };
    }
    is_valid_catalog(open_as_one(folder, &settings.session(), settings)?, folder, settings)
}

/// As [`is_valid`], of a catalog that is open.
pub(super) fn is_valid_catalog(
    source: CatalogSource,
    folder: &Path,
    settings: &Settings,
) -> Result<bool, Error> {
    refuse_repository(&source, folder, &settings.reading())?;
    let catalog = load_tree(source.tree.as_ref(), settings)?;
    if let Err(failure) = refuse_without_blobs(&source, &catalog, folder) {
        let shown = folder.display();
        return Err(match is_bundle_folder(source.tree.as_ref()) {
            true => Error::new(format!("{shown} is a bundle directory, not a catalog"))
                .help(format!("`fbc build --bundle {shown}` builds the image of a bundle")),
            false => failure,
        });
    }
    if !checked::tell_errors(&crate::checked::check_loaded(folder, source, &catalog, Profile::Opm), settings)
    {
        return Ok(false);
    }
    if catalog.files.is_empty() {
        return Err(Error::refusal(format!("{} holds no catalog", folder.display()))
            .help("name the directory with the files of the catalog; --bundle builds a bundle"));
    }
    Ok(true)
}

/// The commit that the files come from, if git knows one. `named` is what the user wrote.
pub(super) fn origin(named: &Path, limits: GitLimits) -> Option<Origin> {
    if !named.exists() {
        let (revision, path) = named.to_str()?.split_once(':')?;
        let commit = Repository::around(Path::new("."), limits).ok()?.commit(revision).ok()?;
        return Some(Origin { commit, path: path.to_owned(), is_modified: false });
    }
    let folder = if named.is_file() { named.parent().unwrap_or(named) } else { named };
    let repository = Repository::around(folder, limits).ok()?;
    let commit = repository.commit("HEAD").ok()?;
    let path = repository.prefix().ok()?;
    let folders = [path.as_path()];
    let folders = if path.as_os_str().is_empty() { &[] } else { &folders[..] };
    let is_modified = !repository.touched_since(&commit, folders).ok()?.is_empty();
    let path = path.display().to_string().trim_end_matches('/').to_owned();
    Some(Origin { commit, path: if path.is_empty() { ".".to_owned() } else { path }, is_modified })
}

/// What a bill of materials lists: the blobs of a catalog, or the one of a bundle.
pub(super) fn content(folder: &Path, is_bundle: bool, settings: &Settings) -> Result<Catalog, Error> {
    if !is_bundle {
        return load_tree(CatalogSource::open(folder, &settings.session())?.tree.as_ref(), settings);
    }
    let tree = DiskTree { root: folder.to_path_buf() };
    let rendered = BundleFolder::read(&tree).and_then(|bundle| fbc_bundle::render::render(&bundle, None));
    let bundle = rendered.map_err(|error| Error::refusal(format!("{}: {error}", folder.display())))?;
    Ok(Catalog { bundles: vec![bundle], ..Catalog::default() })
}
