//! A payload as the Cluster Version Operator loads it: which release it is, and the manifests for a cluster.
//!
//! Source: `openshift/cluster-version-operator:pkg/payload/payload.go` (`LoadUpdate`).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use fbc_go::allowance::Allowance;
use fbc_model::tree::Tree;

use super::inclusion::{Inclusion, profiles_of};
use super::manifest::{self, Manifest};
use super::metadata::{Release, read_images, read_metadata};
use super::template::{self, Values};

/// The directory with the operator's own manifests.
pub const OWN: &str = "manifests";
/// The directory with all other manifests.
pub const RELEASE: &str = "release-manifests";
const METADATA: &str = "release-metadata";
const IMAGES: &str = "image-references";

/// A payload that was loaded for a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// The release, with its image.
    pub release: Release,
    /// The versions that may be updated to it.
    pub previous: Vec<String>,
    /// The images of the release by the names of their tags.
    pub images: BTreeMap<String, String>,
    /// The manifests for this cluster, in order.
    pub manifests: Vec<Manifest>,
    /// The manifests that this cluster leaves out, and why.
    pub excluded: Vec<(Manifest, String)>,
    /// Files of the operator's own that use expressions of templates which it does not know.
    pub skipped: Vec<(String, String)>,
    /// The hash of the manifests.
    pub hash: String,
}

/// Something that keeps a payload from being loaded, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadFault {
    /// The text, as the Cluster Version Operator gives it.
    pub message: String,
    /// The file, from the root of the payload.
    pub file: String,
    /// The line, if the fault has one.
    pub line: Option<usize>,
}

/// Why a payload cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// All faults in the order of the files, at least one.
    pub faults: Vec<LoadFault>,
    /// Whether they are faults of manifests, which are told together.
    pub is_of_manifests: bool,
}

impl LoadError {
    fn of(file: &str, message: String) -> Self {
        Self {
            faults: vec![LoadFault { message, file: file.to_owned(), line: None }],
            is_of_manifests: false,
        }
    }

    /// The text of the operator, for a payload in this directory.
    pub fn text(&self, directory: &str) -> String {
        let mut texts: Vec<&str> = Vec::new();
        for fault in &self.faults {
            if !texts.contains(&fault.message.as_str()) {
                texts.push(&fault.message);
            }
        }
        let text = match texts.as_slice() {
            [only] => (*only).to_owned(),
            _ => format!("[{}]", texts.join(", ")),
        };
        if self.is_of_manifests { format!("Error loading manifests from {directory}: {text}") } else { text }
    }
}

/// The first file or directory that every payload has and this one lacks, as the operator looks for them.
pub fn missing_part(tree: &dyn Tree) -> Option<String> {
    let is_directory = |name: &str| tree.list(Path::new(name)).is_ok_and(|entries| !entries.is_empty());
    if let Some(directory) = [OWN, RELEASE].into_iter().find(|name| !is_directory(name)) {
        return Some(directory.to_owned());
    }
    let files = [METADATA, IMAGES].map(|name| format!("{RELEASE}/{name}"));
    files.into_iter().find(|file| tree.read(Path::new(file)).is_err())
}

impl Payload {
    /// Loads the payload of an image for a cluster. A directory without `manifests` is read as if that directory were empty.
    ///
    /// # Errors
    /// What would make the operator refuse the payload.
    pub fn load(tree: &dyn Tree, image: &str, inclusion: &Inclusion) -> Result<Self, LoadError> {
        let read = |name: &str| {
            let file = format!("{RELEASE}/{name}");
            let bytes = tree.read(Path::new(&file));
            bytes
                .map(|bytes| (file.clone(), bytes))
                .map_err(|error| LoadError::of(&file, open_error(&file, &error)))
        };
        let (file, bytes) = read(METADATA)?;
        let (mut release, previous, major) =
            read_metadata(&bytes).map_err(|error| LoadError::of(&file, error.to_string()))?;
        let (file, bytes) = read(IMAGES)?;
        let images =
            read_images(&bytes, &release.version).map_err(|error| LoadError::of(&file, error.to_string()))?;
        image.clone_into(&mut release.image);
        let inclusion = Inclusion { major: Some(major), ..inclusion.clone() };
        let mut payload = Self {
            release,
            previous,
            images,
            manifests: Vec::new(),
            excluded: Vec::new(),
            skipped: Vec::new(),
            hash: String::new(),
        };
        let mut faults = Vec::new();
        for directory in [OWN, RELEASE] {
            payload.read_directory(tree, directory, &inclusion, &mut faults)?;
        }
        if !faults.is_empty() {
            return Err(LoadError { faults, is_of_manifests: true });
        }
        payload.hash = hash(&payload.manifests);
        Ok(payload)
    }

    /// The profiles of clusters that manifests of it are for, whether this cluster takes them or not.
    pub fn profiles(&self) -> BTreeSet<&str> {
        let excluded = self.excluded.iter().map(|(manifest, _)| manifest);
        self.manifests.iter().chain(excluded).flat_map(|manifest| profiles_of(&manifest.object)).collect()
    }

    fn read_directory(
        &mut self,
        tree: &dyn Tree,
        directory: &'static str,
        inclusion: &Inclusion,
        faults: &mut Vec<LoadFault>,
    ) -> Result<(), LoadError> {
        let allowance = Allowance::default();
        let entries = match tree.list(Path::new(directory)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound && directory == OWN => return Ok(()),
            Err(error) => return Err(LoadError::of(directory, open_error(directory, &error))),
        };
        for entry in entries.into_iter().filter(|entry| !entry.is_directory) {
            let ending = entry.name.extension().and_then(|ending| ending.to_str());
            if !matches!(ending, Some("yaml" | "yml" | "json")) {
                continue;
            }
            let name = entry.name.display().to_string();
            let path = format!("{directory}/{name}");
            let mut fault = |message, line| faults.push(LoadFault { message, file: path.clone(), line });
            let mut bytes = match tree.read(Path::new(&path)) {
                Ok(bytes) => bytes,
                Err(error) => {
                    fault(open_error(&path, &error), None);
                    continue;
                }
            };
            if directory == OWN {
                let values = Values {
                    image: &self.release.image,
                    profile: &inclusion.profile,
                    images: &self.images,
                    allowance: &allowance,
                };
                match template::render(&String::from_utf8_lossy(&bytes), &values) {
                    Ok(text) => bytes = text.into_bytes(),
                    Err(fault) => {
                        self.skipped.push((name, fault.to_string()));
                        continue;
                    }
                }
            }
            let (manifests, error) = manifest::read(directory, &name, &bytes);
            if let Some(error) = error {
                fault(format!("parse {name}: {}", error.message), Some(error.line));
                continue;
            }
            for manifest in manifests {
                match inclusion.refusal(&manifest.object) {
                    None => self.manifests.push(manifest),
                    Some(reason) => self.excluded.push((manifest, reason)),
                }
            }
        }
        Ok(())
    }
}

/// `open FILE: no such file or directory`
fn open_error(file: &str, error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    format!(
        "open {file}: {}{}",
        words.chars().next().unwrap_or_default().to_lowercase(),
        words.get(1..).unwrap_or_default()
    )
}

/// The operator's hash of a list of manifests: 64 bits of FNV-1 over their JSON, in base64.
fn hash(manifests: &[Manifest]) -> String {
    let bytes = manifests.iter().flat_map(|manifest| manifest.raw.bytes());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte));
    URL_SAFE.encode(hash.to_be_bytes())
}
