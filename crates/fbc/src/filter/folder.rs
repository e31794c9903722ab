//! A catalog as a folder for each package.

use std::fs;
use std::path::{Component, Path, PathBuf};

use fbc_model::{Catalog, writer};

use crate::command::render::{self, OutputFormat};
use crate::failure::{Failure, WARNING};
use crate::output_folder::{Existing, write_folder};

/// Writes `FOLDER/PACKAGE/catalog.yaml` (or `.json`) for each package, and blobs without a package to
/// `FOLDER/catalog.yaml`.
pub(crate) fn write(
    catalog: &Catalog,
    folder: &Path,
    format: OutputFormat,
    existing: Existing,
) -> Result<(), Failure> {
    let name = match format {
        OutputFormat::Json => "catalog.json",
        OutputFormat::Yaml => "catalog.yaml",
    };
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for part in writer::parts(catalog) {
        let package = part.package;
        let is_plain =
            matches!(Path::new(package).components().collect::<Vec<_>>().as_slice(), [Component::Normal(_)]);
        if !package.is_empty() && (!is_plain || package.contains(['/', '\\'])) {
            return Err(Failure::refusal(format!("package {package:?} cannot be the name of a folder"))
                .help("write to one file with `--output-file`"));
        }
        let mut bytes = Vec::new();
        part.write(format.into(), &mut bytes).map_err(render::write_failure)?;
        files.push((Path::new(package).join(name), bytes));
    }
    warn_of_others(folder, &files);
    write_folder(folder, &files, existing)
}

/// Other files of the folder are part of the catalog there.
fn warn_of_others(folder: &Path, files: &[(PathBuf, Vec<u8>)]) {
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
