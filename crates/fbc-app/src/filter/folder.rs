//! A catalog as a directory for each package.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_lint::Profile;
use fbc_model::Catalog;
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::DiskTree;
use fbc_model::writer::Format;
use fbc_source::CatalogSource;
use fbc_source::Error;
use fbc_source::package_files::{file_name, package_files};

use crate::checked::check_loaded;
use crate::checked::tell_errors;
use crate::loading::load_tree;
use crate::output::directory::{Existing, write_folder};
use crate::output::file::root_for;
use crate::settings::Settings;

/// Writes `FOLDER/PACKAGE/catalog.yaml` (or `.json`) for each package, and blobs without a package to
/// `FOLDER/catalog.yaml`. A file of a package in the other format goes away. What is in the directory then must be
/// a valid catalog, or nothing is written.
pub fn write(
    catalog: &Catalog,
    folder: &Path,
    format: Format,
    existing: Existing,
    settings: &Settings,
) -> Result<(), Error> {
    let other_format = match format {
        Format::Json => Format::Yaml,
        Format::Yaml => Format::Json,
    };
    let (name, other_name) = (file_name(format), file_name(other_format));
    let files = package_files(catalog, format)?;
    let in_other_format: Vec<PathBuf> = files
        .iter()
        .filter(|(path, _)| path != Path::new(name))
        .map(|(path, _)| path.with_file_name(other_name))
        .filter(|path| folder.join(path).is_file())
        .collect();
    let replaced: Vec<PathBuf> = in_other_format.iter().map(|path| folder.join(path)).collect();
    warn_of_others(folder, &files, &replaced, settings);
    if folder.exists() {
        check_result(folder, &files, &in_other_format, settings)?;
    }
    write_folder(folder, &files, existing, settings)?;
    let root = root_for(folder, settings)?;
    in_other_format.iter().try_for_each(|path| {
        root.remove_file(path).map_err(|error| Error::io("remove", &folder.join(path), &error))
    })
}

/// Refuses to write if the directory, with what else is in it, would hold no valid catalog.
fn check_result(
    folder: &Path,
    files: &[(PathBuf, Vec<u8>)],
    removed: &[PathBuf],
    settings: &Settings,
) -> Result<(), Error> {
    let written = files.iter().map(|(path, bytes)| (path.clone(), Some(bytes.clone())));
    let versions: FileVersions = written.chain(removed.iter().map(|path| (path.clone(), None))).collect();
    let tree = Box::new(DiskTree { root: folder.to_path_buf() });
    let source = CatalogSource::of_tree(tree, folder).overlaid(versions);
    let result = load_tree(source.tree.as_ref(), settings)?;
    if tell_errors(&check_loaded(folder, source, &result, Profile::Opm), settings) {
        return Ok(());
    }
    let shown = folder.display();
    Err(Error::refusal(format!("{shown} would hold no valid catalog, so nothing is written"))
        .help("remove from the directory what does not belong to the catalog, or name another directory"))
}

/// Other files of the directory are part of the catalog there.
fn warn_of_others(folder: &Path, files: &[(PathBuf, Vec<u8>)], replaced: &[PathBuf], settings: &Settings) {
    let ours: Vec<PathBuf> = files.iter().map(|(path, _)| folder.join(path)).collect();
    let mut others = Vec::new();
    let places = std::iter::once(folder.to_path_buf()).chain(
        ours.iter().filter_map(|path| path.parent().map(Path::to_path_buf)).filter(|path| path != folder),
    );
    for place in places {
        let entries = fs::read_dir(place).into_iter().flatten().filter_map(Result::ok);
        let paths = entries.map(|entry| entry.path());
        others.extend(paths.filter(|path| !ours.iter().chain(replaced).any(|ours| ours.starts_with(path))));
    }
    others.sort();
    for path in others {
        settings.warn(Error::new(format!(
            "{} stays, and is part of the catalog in that directory",
            path.display()
        )));
    }
}
