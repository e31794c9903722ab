//! `opm alpha bundle generate`: `metadata/annotations.yaml` and `bundle.Dockerfile` for a folder of manifests.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
use fbc_go::text::quote;
use fbc_staging::Root;
use fbc_yaml::{DocumentBuilder, stream, yaml_writer};

use super::package_folder::PackageFolder;
use super::{files, first_object};
use crate::failure::{Failure, words};
use crate::opm::arguments::Invocation;
use crate::opm::error::{OpmError, inform};
use crate::settings::Settings;
use fbc_app::output::file::{root_for, write_in};

/// The Dockerfile, in the working directory.
pub(super) const DOCKERFILE: &str = "bundle.Dockerfile";

const MANIFESTS: &str = "manifests/";
const METADATA: &str = "metadata/";
const ANNOTATIONS: &str = "annotations.yaml";

/// What a bundle says of itself.
struct Labels {
    media_type: &'static str,
    package: String,
    channels: String,
    default_channel: String,
}

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
    let labels = Labels::read(invocation, &manifests)?;
    inform("Building annotations.yaml");
    let annotations = labels.annotations()?;
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
            labels.check(&existing)?;
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

impl Labels {
    /// What flags say, and where they do not, the package folder.
    fn read(invocation: &Invocation, manifests: &Path) -> Result<Self, OpmError> {
        let text = |flag: &str| invocation.text(flag).to_owned();
        let mut labels = Self {
            media_type: media_type(manifests).map_err(OpmError::usage)?,
            package: text("package"),
            channels: text("channels"),
            default_channel: text("default"),
        };
        let missing: Vec<&str> = [("channels", &labels.channels), ("package name", &labels.package)]
            .into_iter()
            .filter(|(_, given)| given.is_empty())
            .map(|(name, _)| name)
            .collect();
        if missing.is_empty() {
            return Ok(labels);
        }
        inform(&format!(
            "Bundle {} information not provided, inferring from parent package directory",
            missing.join(" and ")
        ));
        let folder = PackageFolder::around(manifests).map_err(|error| {
            OpmError::Usage(format!(
                "please manually input channels and packageName, error interpreting bundle from directory {}, {error}",
                manifests.display()
            ))
        })?;
        if labels.channels.is_empty() {
            labels.channels = folder.channels.join(",");
            if labels.channels.is_empty() {
                let text = "error interpreting channels, please manually input channels instead";
                return Err(OpmError::Usage(text.to_owned()));
            }
            inform(&format!("Inferred channels: {}", labels.channels));
        }
        if labels.package.is_empty() {
            labels.package = folder.package;
            inform(&format!("Inferred package name: {}", labels.package));
        }
        if labels.default_channel.is_empty() {
            labels.default_channel = folder.default_channel;
            inform(&format!("Inferred default channel: {}", labels.default_channel));
        }
        Ok(labels)
    }

    /// Labels with their values, in the order of the Dockerfile.
    fn all(&self) -> Vec<(String, &str)> {
        let mut all = vec![
            ("mediatype", self.media_type),
            ("manifests", MANIFESTS),
            ("metadata", METADATA),
            ("package", self.package.as_str()),
            ("channels", self.channels.as_str()),
        ];
        if !self.default_channel.is_empty() {
            all.push(("channel.default", self.default_channel.as_str()));
        }
        let label = |name: &str| format!("operators.operatorframework.io.bundle.{name}.v1");
        all.into_iter().map(|(name, value)| (label(name), value)).collect()
    }

    fn annotations(&self) -> Result<String, OpmError> {
        let mut builder = DocumentBuilder::in_written_order();
        let root = builder.open();
        let annotations = builder.open();
        for (label, value) in self.all() {
            let value = builder.string(value);
            builder.push_member(&label, value);
        }
        let annotations = builder.close_object(annotations);
        builder.push_member("annotations", annotations);
        let root = builder.close_object(root);
        let mut text = String::new();
        yaml_writer::write(&mut text, builder.finish(root).root())
            .map_err(|error| OpmError::Usage(error.to_string()))?;
        Ok(text)
    }

    fn dockerfile(&self, base_image: &str, manifests: &str, metadata: &str) -> String {
        let mut text = format!("FROM {base_image}\n\n");
        for (label, value) in self.all() {
            text.push_str(&format!("LABEL {label}={value}\n"));
        }
        // As ever in opm, the empty line belongs to the last label.
        if !self.default_channel.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("COPY {manifests} /manifests/\nCOPY {metadata} /metadata/\n"));
        text
    }

    /// Checks annotations that are there already.
    fn check(&self, existing: &[u8]) -> Result<(), OpmError> {
        inform("Validating existing annotations.yaml");
        let document = stream::read_one(existing).map_err(|error| OpmError::Usage(error.message))?;
        let annotations = document.root().get("annotations");
        let mut errors = Vec::new();
        for (label, expected) in self.all() {
            match annotations.and_then(|annotations| annotations.get_str(&label)) {
                None => errors.push(format!("Missing field: {label}")),
                Some(value) if value != expected => errors.push(format!(
                    "Expect field {} to have value {} instead of {}",
                    quote(&label),
                    quote(expected),
                    quote(value)
                )),
                Some(_) => {}
            }
        }
        match errors.as_slice() {
            [] => Ok(()),
            [one] => Err(OpmError::Usage(one.clone())),
            many => Err(OpmError::Usage(format!("[{}]", many.join(", ")))),
        }
    }
}

/// Why the kind of a bundle is not known, in opm's words.
#[derive(Debug, thiserror::Error)]
pub(super) enum MediaTypeError {
    #[error("Unable to read file {} in bundle", .0.display())]
    Unreadable(PathBuf),
    #[error("The directory {} contains no yaml files", .0.display())]
    Empty(PathBuf),
}

/// What kind of bundle a folder of manifests is.
pub(super) fn media_type(folder: &Path) -> Result<&'static str, MediaTypeError> {
    let files: Vec<PathBuf> = files(folder).into_iter().filter(|path| !path.is_dir()).collect();
    for path in &files {
        fs::read(path).map_err(|_| MediaTypeError::Unreadable(path.clone()))?;
    }
    if files.is_empty() {
        return Err(MediaTypeError::Empty(folder.to_path_buf()));
    }
    let chart = fs::read(folder.join("Chart.yaml")).ok().and_then(|text| stream::read_one(&text).ok());
    if chart.is_some_and(|chart| chart.root().get_str("name").is_some_and(|name| !name.is_empty())) {
        return Ok("helm");
    }
    let is_descriptor = |path: &PathBuf| {
        first_object(path)
            .is_some_and(|object| object.root().get_str("kind") == Some(CLUSTER_SERVICE_VERSION))
    };
    Ok(if files.iter().any(is_descriptor) { "registry+v1" } else { "plain" })
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

/// A path from the root, without `.` and `..`, told from its text alone as Go does.
fn absolute(here: &Path, path: &str) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in here.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// The way from one folder to a path, both from the root.
fn relative(here: &Path, path: &Path) -> String {
    let shared = here.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = here.components().skip(shared).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(shared)).collect();
    let way = way.to_string_lossy().replace('\\', "/");
    if way.is_empty() { ".".to_owned() } else { way }
}

/// The words of the system as Go writes them.
pub(super) fn go_words(error: &io::Error) -> String {
    words(error).to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Labels, absolute, relative};

    #[test]
    fn paths_are_made_as_go_makes_them() {
        let here = Path::new("/a/b");
        for (path, expected, way) in [
            ("manifests/", "/a/b/manifests", "manifests"),
            ("./x/../m", "/a/b/m", "m"),
            ("../m", "/a/m", "../m"),
            ("/c", "/c", "../../c"),
            (".", "/a/b", "."),
        ] {
            let found = absolute(here, path);
            assert_eq!(
                (found.as_path(), relative(here, &found).as_str()),
                (Path::new(expected), way),
                "{path}"
            );
        }
    }

    #[test]
    fn existing_annotations_must_agree() {
        let labels = Labels {
            media_type: "registry+v1",
            package: "a".to_owned(),
            channels: "4.5".to_owned(),
            default_channel: String::new(),
        };
        let written = labels.annotations().unwrap();
        assert!(written.contains("bundle.channels.v1: \"4.5\"\n"), "{written}");
        assert!(labels.check(written.as_bytes()).is_ok());
        let other = written.replace(": a\n", ": b\n").replace("manifests.v1", "manifests.v2");
        let error = format!("{:?}", labels.check(other.as_bytes()).unwrap_err());
        assert!(
            error.contains("[Missing field: operators.operatorframework.io.bundle.manifests.v1, Expect"),
            "{error}"
        );
    }
}
