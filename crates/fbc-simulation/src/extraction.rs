//! The files of a bundle in a ConfigMap, as OLM v0 unpacks bundles.
//!
//! Source: `operator-framework/operator-registry:pkg/configmap/configmap_writer.go`.

use std::fs;
use std::io::{self, Write as _};

use fbc_app::bundle_labels::go_words;
use fbc_go::base64;
use fbc_yaml::stream;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use crate::server::{ApiClient, ClientError};

const ANNOTATIONS_FILE: &str = "annotations.yaml";
/// The annotations of a bundle that the ConfigMap gets.
const ANNOTATIONS: [&str; 6] = [
    "operators.operatorframework.io.bundle.manifests.v1",
    "operators.operatorframework.io.bundle.mediatype.v1",
    "operators.operatorframework.io.bundle.metadata.v1",
    "operators.operatorframework.io.bundle.package.v1",
    "operators.operatorframework.io.bundle.channels.v1",
    "operators.operatorframework.io.bundle.channel.default.v1",
];

/// Why a bundle is not extracted.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The API server refuses, or cannot be reached.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// What the system does not give, in Go's words.
    #[error("{action} {path}: {}", go_words(.error))]
    System {
        /// What was tried.
        action: &'static str,
        /// With which file or directory.
        path: String,
        /// The words of the system.
        error: io::Error,
    },
    /// The files take more bytes than this.
    #[error("bundle files exceeded {0} bytes limit")]
    TooLarge(u64),
    /// A file is not compressed.
    #[error(transparent)]
    Packing(io::Error),
    /// The annotations are no YAML.
    #[error("{0}")]
    Syntax(String),
    /// The ConfigMap has no name.
    #[error("resource name may not be empty")]
    NoName,
}

impl ExtractError {
    /// What the system does not give.
    #[must_use]
    pub fn system(action: &'static str, path: &str, error: io::Error) -> Self {
        Self::System { action, path: path.to_owned(), error }
    }
}

/// What a ConfigMap gets.
pub struct Extraction<'e> {
    /// The namespace of the ConfigMap.
    pub namespace: &'e str,
    /// Its name.
    pub name: &'e str,
    /// The directory of the bundle, with what ends it.
    pub directory: &'e str,
    /// The most bytes of its files.
    pub limit: u64,
    /// Whether files are compressed.
    pub gzip: bool,
    /// The image that the bundle comes from.
    pub image: Option<String>,
}

/// Puts the files of a bundle into a ConfigMap that is there; `inform` is told how it goes on.
///
/// # Errors
/// If a file cannot be read, the files are too large, or the API server refuses.
pub fn populate(
    client: &ApiClient,
    wanted: Extraction<'_>,
    inform: &dyn Fn(&str),
) -> Result<(), ExtractError> {
    let Extraction { namespace, name, directory, limit, gzip, image } = wanted;
    if name.is_empty() {
        return Err(ExtractError::NoName);
    }
    let path = &format!("/api/v1/namespaces/{namespace}/configmaps/{name}");
    let mut map = client.get(path)?;
    let (mut data, mut binary) = (Map::new(), Map::new());
    let mut size = 0;
    for below in ["manifests/", "metadata/"] {
        let directory = format!("{directory}{below}");
        for name in names(&directory)? {
            let file = format!("{directory}{name}");
            inform("Reading file");
            let content = fs::read(&file).map_err(|error| ExtractError::system("read", &file, error))?;
            if name == ANNOTATIONS_FILE {
                map["metadata"]["annotations"] = annotations(&content)?;
                continue;
            }
            let packed = if gzip { packed(&content).map_err(ExtractError::Packing)? } else { content };
            size += packed.len() as u64;
            if size > limit {
                return Err(ExtractError::TooLarge(limit));
            }
            let key = key_of(&name);
            match gzip {
                true => drop(binary.insert(key, json!(base64::encode(&packed)))),
                false => drop(data.insert(key, json!(String::from_utf8_lossy(&packed)))),
            }
        }
    }
    if let Some(image) = image {
        map["metadata"]["annotations"]["olm.sourceImage"] = json!(image);
    }
    if gzip {
        map["metadata"]["annotations"]["olm.contentEncoding"] = json!("gzip+base64");
    }
    map["data"] = Value::Object(data);
    map["binaryData"] = Value::Object(binary);
    Ok(client.put(path, &map).map(drop)?)
}

/// The names in a directory, in their order.
fn names(directory: &str) -> Result<Vec<String>, ExtractError> {
    let failed = |error: io::Error| ExtractError::system("open", directory, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The annotations of the bundle; those that it does not have are empty.
fn annotations(content: &[u8]) -> Result<Value, ExtractError> {
    let document = stream::read_one(content).map_err(|error| ExtractError::Syntax(error.message))?;
    let given = document.root().get("annotations");
    let value = |key: &&str| given.and_then(|all| all.get_str(key)).unwrap_or_default().to_owned();
    Ok(ANNOTATIONS.iter().map(|key| ((*key).to_owned(), json!(value(key)))).collect::<Map<_, _>>().into())
}

/// A file compressed, in base64.
fn packed(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    Ok(base64::encode(&encoder.finish()?).into_bytes())
}

/// The key of a file: other characters than letters, digits, `-`, `_` and `.` become `-`.
fn key_of(name: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_annotations() {
        assert_eq!(key_of("my file:v1_2.yaml"), "my-file-v1_2.yaml");
        let text = "annotations:\n  operators.operatorframework.io.bundle.package.v1: foo\n  other: x\n";
        let found = annotations(text.as_bytes()).unwrap();
        assert_eq!(found["operators.operatorframework.io.bundle.package.v1"], "foo");
        assert_eq!(found["operators.operatorframework.io.bundle.channels.v1"], "");
        assert_eq!(found.as_object().unwrap().len(), 6);
    }
}
