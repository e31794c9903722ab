//! `opm alpha bundle generate`: `metadata/annotations.yaml` and `bundle.Dockerfile` for a folder of manifests.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fbc_app::bundle_labels::{Labels, METADATA, absolute, files, go_words, media_type, relative};
use fbc_app::output::file::{root_for, write_in};
use fbc_staging::Root;

use crate::failure::Failure;
use crate::opm::arguments::Invocation;
use crate::opm::error::{OpmError, inform};
use crate::settings::Settings;

/// The Dockerfile, in the working directory.
pub(super) const DOCKERFILE: &str = "bundle.Dockerfile";

const ANNOTATIONS: &str = "annotations.yaml";

/// `opm alpha bundle generate`.
pub(in crate::opm) fn run(invocation: &Invocation) -> Result<(), OpmError> {
    generate(invocation, true)
}

/// Writes both files; those that are there only if they may be overwritten.
pub(super) fn generate(invocation: &Invocation, overwrite: bool) -> Result<(), OpmError> {
    let here = env::current_dir().map_err(|error| OpmError::Usage(format!("getwd: {}", go_words(&error))))?;
    let manifests = absolute(&here, invocation.text("directory"));
    if let Err(error) = fs::metadata(&manifests)
        && error.kind() == io::ErrorKind::NotFound
    {
        return Err(OpmError::Usage(format!("stat {}: {}", manifests.display(), go_words(&error))));
    }
    let labels = labels(invocation, &manifests)?;
    inform("Building annotations.yaml");
    let annotations = labels.annotations().map_err(OpmError::usage)?;
    let output = Some(invocation.text("output-dir")).filter(|output| !output.is_empty());
    let (place, copied) = match output {
        None => (manifests.parent().unwrap_or(&manifests).to_path_buf(), manifests.clone()),
        Some(output) => {
            inform("Generating output manifests directory");
            let place = absolute(&here, output);
            let copied = place.join("manifests");
            copy(&manifests, &place, Path::new("manifests"), overwrite)?;
            (place, copied)
        }
    };
    let metadata = place.join("metadata");
    match fs::read(metadata.join(ANNOTATIONS)) {
        Ok(existing) if !overwrite => {
            inform(&format!("An annotations.yaml already exists in the directory: {METADATA}"));
            inform("Validating existing annotations.yaml");
            labels.check(&existing).map_err(OpmError::usage)?;
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound && !overwrite => {
            let path = metadata.join(ANNOTATIONS);
            return Err(OpmError::Usage(format!("open {}: {}", path.display(), go_words(&error))));
        }
        _ => write(&place, Path::new("metadata"), ANNOTATIONS, &annotations)?,
    }
    inform("Building Dockerfile");
    if here.join(DOCKERFILE).exists() && !overwrite {
        inform(&format!(
            "A bundle.Dockerfile already exists in current working directory: {}",
            here.display()
        ));
        return Ok(());
    }
    let text = labels.dockerfile(
        invocation.text("base-image"),
        &relative(&here, &copied),
        &relative(&here, &metadata),
    );
    write(&here, Path::new(""), DOCKERFILE, &text)
}

/// What flags say, and where they do not, the package folder.
fn labels(invocation: &Invocation, manifests: &Path) -> Result<Labels, OpmError> {
    let text = |flag: &str| invocation.text(flag).to_owned();
    let labels = Labels {
        media_type: media_type(manifests).map_err(OpmError::usage)?,
        package: text("package"),
        channels: text("channels"),
        default_channel: text("default"),
    };
    labels.complete(manifests, &inform).map_err(OpmError::usage)
}

/// Copies the files of a folder, and those of the folders in it, to a place below a directory; what is there stays unless
/// it may be overwritten.
pub(super) fn copy(from: &Path, to: &Path, below: &Path, overwrite: bool) -> Result<(), OpmError> {
    let root = root_for(to, &Settings::like_opm()).map_err(OpmError::refused)?;
    copy_below(from, &root, below, overwrite)
}

fn copy_below(from: &Path, root: &Root, below: &Path, overwrite: bool) -> Result<(), OpmError> {
    let shown = root.shown(below);
    let refused = |error: io::Error| OpmError::refused(Failure::io("write", &shown, &error));
    root.create_directory(below).map_err(refused)?;
    for path in files(from) {
        let target = below.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_below(&path, root, &target, overwrite)?;
        } else if overwrite || !root.path().join(&target).exists() {
            let bytes = fs::read(&path)
                .map_err(|error| OpmError::Usage(format!("open {}: {}", path.display(), go_words(&error))))?;
            let copied = root.replace(&target).and_then(|mut new| {
                new.file.write_all(&bytes)?;
                new.file.as_file()?.set_permissions(fs::metadata(&path)?.permissions())?;
                new.publish()
            });
            copied.map_err(refused)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, below: &Path, name: &str, text: &str) -> Result<(), OpmError> {
    let root = root_for(folder, &Settings::like_opm()).map_err(OpmError::refused)?;
    let shown: PathBuf = folder.join(below).components().collect();
    inform(&format!("Writing {name} in {}", shown.display()));
    write_in(&root, &below.join(name), text.as_bytes()).map_err(OpmError::refused)
}
