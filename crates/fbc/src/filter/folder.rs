//! A catalog as a folder for each package.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use fbc_model::Catalog;

use crate::command::render::{self, OutputFormat};
use crate::failure::{Failure, WARNING};
use crate::output_file::write_output;

/// Refuses a folder that holds something.
pub(crate) fn require_empty(folder: &Path) -> Result<(), Failure> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::new(format!("{} is not empty", folder.display()))
            .help("name a new folder, or give `--force` to write into this one; nothing is deleted")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::io("write into", folder, &error).help("name a folder")),
    }
}

/// Writes `FOLDER/PACKAGE/catalog.yaml` (or `.json`) for each package, and blobs without a package to
/// `FOLDER/catalog.yaml`. A folder that is absent or empty appears whole or not at all; in one that is not,
/// each file does.
pub(crate) fn write(catalog: Catalog, folder: &Path, format: OutputFormat) -> Result<(), Failure> {
    let name = match format {
        OutputFormat::Json => "catalog.json",
        OutputFormat::Yaml => "catalog.yaml",
    };
    let mut files: Vec<(PathBuf, Catalog)> = Vec::new();
    for (package, part) in by_package(catalog) {
        let is_plain =
            matches!(Path::new(&package).components().collect::<Vec<_>>().as_slice(), [Component::Normal(_)]);
        if !package.is_empty() && (!is_plain || package.contains(['/', '\\'])) {
            return Err(Failure::refusal(format!("package {package:?} cannot be the name of a folder"))
                .help("write to one file with `--output-file`"));
        }
        files.push((Path::new(&package).join(name), part));
    }
    if require_empty(folder).is_err() {
        warn_of_others(folder, &files);
        return write_files(&files, folder, format);
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    fs::create_dir_all(&parent).map_err(|error| Failure::io("create", &parent, &error))?;
    let temporary = tempfile::Builder::new()
        .prefix(".fbc-")
        .tempdir_in(&parent)
        .map_err(|error| Failure::io("write into", &parent, &error))?;
    // A folder inside, because the temporary one itself is for this user alone.
    let whole = temporary.path().join("catalog");
    fs::create_dir(&whole).map_err(|error| Failure::io("create", &whole, &error))?;
    write_files(&files, &whole, format)?;
    fs::rename(&whole, folder).map_err(|error| Failure::io("write", folder, &error))
}

fn write_files(files: &[(PathBuf, Catalog)], folder: &Path, format: OutputFormat) -> Result<(), Failure> {
    for (path, catalog) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| Failure::io("create", parent, &error))?;
        }
        write_output(Some(&path), |out| render::write(catalog, format.into(), out))?;
    }
    Ok(())
}

/// Other files of the folder are part of the catalog there.
fn warn_of_others(folder: &Path, files: &[(PathBuf, Catalog)]) {
    use std::io::Write as _;
    let ours: Vec<PathBuf> = files.iter().map(|(path, _)| folder.join(path)).collect();
    let mut others = Vec::new();
    let places = std::iter::once(folder.to_path_buf()).chain(
        ours.iter().filter_map(|path| path.parent().map(Path::to_path_buf)).filter(|path| path != folder),
    );
    for place in places {
        let entries = fs::read_dir(place).into_iter().flatten().filter_map(Result::ok);
        let paths = entries.map(|entry| entry.path());
        others.extend(paths.filter(|path| !ours.iter().any(|ours| ours.starts_with(path))));
    }
    others.sort();
    for path in others {
        // A hint is not worth failing for.
        let _ = writeln!(
            anstream::stderr().lock(),
            "{WARNING}warning{WARNING:#}: {} stays, and is part of the catalog in that folder",
            path.display()
        );
    }
}

/// The blobs of each package; those without one under the empty name.
fn by_package(catalog: Catalog) -> BTreeMap<String, Catalog> {
    let mut parts: BTreeMap<String, Catalog> = BTreeMap::new();
    for blob in catalog.packages {
        parts.entry(blob.name.clone()).or_default().packages.push(blob);
    }
    for blob in catalog.channels {
        parts.entry(blob.package.clone()).or_default().channels.push(blob);
    }
    for blob in catalog.bundles {
        parts.entry(blob.package.clone()).or_default().bundles.push(blob);
    }
    for blob in catalog.deprecations {
        parts.entry(blob.package.clone()).or_default().deprecations.push(blob);
    }
    for blob in catalog.others {
        parts.entry(blob.meta.package.clone()).or_default().others.push(blob);
    }
    parts
}
