//! Payloads on the command line: directories, and release images.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_image::unpack::{Options, unpack_into};
use fbc_kubectl::release::ReleaseImage;
use fbc_model::tree::DiskTree;
use fbc_openshift::release::{Inclusion, Payload};
use fbc_source::Session;
use fbc_source::image_source::{ImageName, OpenImage, image_of_path, registry_image_of_path};
use fbc_staging::StagedDirectory;

use fbc_source::Error;

/// The directories of a payload in a release image.
const DIRECTORIES: [&str; 2] = ["manifests", "release-manifests"];

/// A payload that can be read.
pub struct PayloadSource {
    /// Its files.
    pub tree: DiskTree,
    /// How its root is shown.
    shown: PathBuf,
    /// The pull spec, or the directory.
    image: String,
    /// What else is known of an image.
    described: Option<Described>,
    /// Holds what was unpacked of an image.
    _unpacked: Option<StagedDirectory>,
}

/// An image that a payload is from.
#[derive(Clone)]
struct Described {
    digest: String,
    created: Option<String>,
    platform: String,
}

impl PayloadSource {
    /// Opens a directory or an image.
    pub fn open(reference: &Path, session: &Session) -> Result<Self, Error> {
        let image = match image_of_path(reference) {
            Some(image) => Some(image?),
            None if !reference.exists() => registry_image_of_path(reference),
            None => None,
        };
        let Some(name) = image else { return Self::directory(reference) };
        let directory = session.reading().scratch_directory()?;
        let opened = name.open(session.platform(), session)?;
        unpack(&name, &opened, &directory, session)?;
        let text = |field: &str| {
            let value = opened.image.raw_configuration.get(field);
            value.and_then(serde_json::Value::as_str).map(str::to_owned)
        };
        let platform =
            [text("os"), text("architecture")].map(|part| part.unwrap_or_else(|| "unknown".to_owned()));
        let digest = opened.image.descriptor.digest().to_string();
        Ok(Self {
            tree: DiskTree { root: directory.path().to_path_buf() },
            shown: PathBuf::from(name.to_string()),
            image: name.to_string(),
            described: Some(Described { digest, created: text("created"), platform: platform.join("/") }),
            _unpacked: Some(directory),
        })
    }

    fn directory(path: &Path) -> Result<Self, Error> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(Error::new(format!("{} is not a directory", path.display()))
                    .help("name a directory with release-manifests, or a release image"));
            }
            Err(error) => return Err(Error::io("open", path, &error)),
        }
        Ok(Self {
            tree: DiskTree { root: path.to_path_buf() },
            shown: path.to_path_buf(),
            image: path.display().to_string(),
            described: None,
            _unpacked: None,
        })
    }

    /// How a file of the payload is shown.
    pub fn shown(&self, file: &str) -> String {
        self.shown.join(file).display().to_string()
    }

    /// The pull spec, for manifests that name it.
    pub fn image(&self) -> &str {
        &self.image
    }

    /// The payload as an image of a release. A directory has no digest.
    pub fn release_image(&self) -> ReleaseImage {
        let none =
            || Described { digest: "<none>".to_owned(), created: None, platform: "linux/amd64".to_owned() };
        let Described { digest, created, platform } = self.described.clone().unwrap_or_else(none);
        let tree = Arc::new(DiskTree { root: self.tree.root.clone() });
        let sizes = BTreeMap::new();
        ReleaseImage { reference: self.image.clone(), digest, created, platform, tree, sizes }
    }

    /// Loads it for a cluster.
    pub fn load(&self, inclusion: &Inclusion) -> Result<Payload, Error> {
        Payload::load(&self.tree, &self.image, inclusion).map_err(|error| {
            let faults: Vec<String> = error
                .faults
                .iter()
                .map(|fault| {
                    let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
                    format!("{}{line}: {}", self.shown(&fault.file), fault.message)
                })
                .collect();
            Error::new(faults.join("\n")).help(
                "a payload is a directory with release-manifests; `fbc release verify` looks at all of it",
            )
        })
    }
}

/// Writes the payload of an image to an empty directory.
pub fn unpack(
    name: &ImageName,
    opened: &OpenImage,
    target: &StagedDirectory,
    session: &Session,
) -> Result<(), Error> {
    opened.bring_layers(session)?;
    for below in DIRECTORIES {
        let directory = target.path().join(below);
        target.create_directory(Path::new(below)).map_err(|error| Error::io("create", &directory, &error))?;
        let options = Options { below: PathBuf::from(below), ..Options::default() };
        unpack_into(&opened.image, opened.source.as_ref(), &directory, &options)
            .map_err(|error| Error::from(error).within(&name.to_string()))?;
    }
    let metadata = target.path().join("release-manifests/release-metadata");
    if !metadata.exists() {
        return Err(Error::refusal(format!("{name} is not a release image: it holds no /release-manifests/release-metadata"))
            .help("release images of OpenShift are named like quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"));
    }
    Ok(())
}
