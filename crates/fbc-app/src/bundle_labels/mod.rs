//! What a bundle says of itself in its annotations and its Dockerfile, as `opm alpha bundle generate` finds it out.
//!
//! Source: `operator-framework/operator-registry:pkg/lib/bundle/generate.go`.

mod package_folder;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
use fbc_go::text::quote;
use fbc_source::system_words;
use fbc_yaml::yaml_writer::{self, WriteError};
use fbc_yaml::{Document, DocumentBuilder, Kind, stream};

pub use package_folder::{DescriptorError, PackageFolder, PackageFolderError};

/// Where the manifests of a bundle are.
const MANIFESTS: &str = "manifests/";
/// Where its metadata is.
pub const METADATA: &str = "metadata/";

/// What a bundle says of itself.
#[derive(Debug)]
pub struct Labels {
    /// What kind of bundle it is.
    pub media_type: &'static str,
    /// Its package.
    pub package: String,
    /// Its channels, with commas between them.
    pub channels: String,
    /// The default channel of the package; empty if nothing says it.
    pub default_channel: String,
}

/// Why a bundle has no labels, or others than it should, in opm's words.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// Nothing says what flags do not.
    #[error(
        "please manually input channels and packageName, error interpreting bundle from directory {}, {error}",
        .folder.display()
    )]
    NoPackageFolder {
        /// The folder of the manifests.
        folder: PathBuf,
        /// Why there is no package folder around it.
        error: PackageFolderError,
    },
    /// The bundle is in no channel.
    #[error("error interpreting channels, please manually input channels instead")]
    NoChannels,
    /// YAML does not hold the labels.
    #[error(transparent)]
    Unwritable(#[from] WriteError),
    /// The annotations are no YAML.
    #[error("{0}")]
    Unreadable(String),
    /// An annotation is missing or says something else.
    #[error("{0}")]
    Different(String),
    /// Several are.
    #[error("[{}]", .0.join(", "))]
    SeveralDifferent(Vec<String>),
}

impl Labels {
    /// Adds to what flags say what the package folder says; `inform` is told what comes from there.
    ///
    /// # Errors
    /// If nothing says what the bundle is.
    pub fn complete(mut self, manifests: &Path, inform: &dyn Fn(&str)) -> Result<Self, LabelError> {
        let missing: Vec<&str> = [("channels", &self.channels), ("package name", &self.package)]
            .into_iter()
            .filter(|(_, given)| given.is_empty())
            .map(|(name, _)| name)
            .collect();
        if missing.is_empty() {
            return Ok(self);
        }
        inform(&format!(
            "Bundle {} information not provided, inferring from parent package directory",
            missing.join(" and ")
        ));
        let folder = PackageFolder::around(manifests)
            .map_err(|error| LabelError::NoPackageFolder { folder: manifests.to_path_buf(), error })?;
        if self.channels.is_empty() {
            self.channels = folder.channels.join(",");
            if self.channels.is_empty() {
                return Err(LabelError::NoChannels);
            }
            inform(&format!("Inferred channels: {}", self.channels));
        }
        if self.package.is_empty() {
            self.package = folder.package;
            inform(&format!("Inferred package name: {}", self.package));
        }
        if self.default_channel.is_empty() {
            self.default_channel = folder.default_channel;
            inform(&format!("Inferred default channel: {}", self.default_channel));
        }
        Ok(self)
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

    /// The text of `annotations.yaml`.
    ///
    /// # Errors
    /// If YAML does not hold the labels.
    pub fn annotations(&self) -> Result<String, LabelError> {
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
        yaml_writer::write(&mut text, builder.finish(root).root())?;
        Ok(text)
    }

    /// The text of `bundle.Dockerfile`; the folders are relative to it.
    #[must_use]
    pub fn dockerfile(&self, base_image: &str, manifests: &str, metadata: &str) -> String {
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
    ///
    /// # Errors
    /// If they cannot be read, or say something else.
    pub fn check(&self, existing: &[u8]) -> Result<(), LabelError> {
        let document = stream::read_one(existing).map_err(|error| LabelError::Unreadable(error.message))?;
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
            [one] => Err(LabelError::Different(one.clone())),
            _ => Err(LabelError::SeveralDifferent(errors)),
        }
    }
}

/// Why the kind of a bundle is not known, in opm's words.
#[derive(Debug, thiserror::Error)]
pub enum MediaTypeError {
    /// A file of it cannot be read.
    #[error("Unable to read file {} in bundle", .0.display())]
    Unreadable(PathBuf),
    /// It has no files.
    #[error("The directory {} contains no yaml files", .0.display())]
    Empty(PathBuf),
}

/// What kind of bundle a folder of manifests is.
///
/// # Errors
/// If a file of it cannot be read, or it has none.
pub fn media_type(folder: &Path) -> Result<&'static str, MediaTypeError> {
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

/// The first document of a file, if it is a Kubernetes object: a mapping with a kind.
fn first_object(path: &Path) -> Option<Document> {
    let bytes = fs::read(path).ok()?;
    let only_objects = |document: Document| match document.root().kind() {
        Kind::Object => Ok(document),
        _ => Err(()),
    };
    let first = stream::read(&bytes, &only_objects).into_iter().next()?;
    first.outcome.ok().filter(|object| object.root().get_str("kind").is_some_and(|kind| !kind.is_empty()))
}

/// The files of a folder and the folders in it, by name. A folder that cannot be read has none.
#[must_use]
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A path from the root, without `.` and `..`, told from its text alone as Go does.
#[must_use]
pub fn absolute(here: &Path, path: &str) -> PathBuf {
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
#[must_use]
pub fn relative(here: &Path, path: &Path) -> String {
    let shared = here.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = here.components().skip(shared).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(shared)).collect();
    let way = way.to_string_lossy().replace('\\', "/");
    if way.is_empty() { ".".to_owned() } else { way }
}

/// The words of the system as Go writes them.
#[must_use]
pub fn go_words(error: &io::Error) -> String {
    system_words(error).to_lowercase()
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
        let error = labels.check(other.as_bytes()).unwrap_err().to_string();
        assert!(
            error.contains("[Missing field: operators.operatorframework.io.bundle.manifests.v1, Expect"),
            "{error}"
        );
    }
}
