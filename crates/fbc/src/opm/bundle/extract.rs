//! `opm alpha bundle extract`: the files of a bundle in a ConfigMap, as OLM v0 unpacks bundles.
//!
//! Source: `operator-framework/operator-registry:cmd/opm/alpha/bundle/extract.go`, `pkg/configmap/configmap_writer.go`,
//! `pkg/client/kubeclient.go`.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use fbc_go::base64;
use fbc_go::text::quote;
use fbc_yaml::stream;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use super::generate::go_words;
use crate::opm::arguments::Invocation;
use crate::opm::error::{OpmError, inform};
use fbc_simulation::server::{ApiClient, ClientError};

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
/// The variable with the image that the bundle comes from.
const IMAGE_VARIABLE: &str = "CONTAINER_IMAGE";

/// Why a bundle is not extracted.
#[derive(Debug, thiserror::Error)]
enum ExtractError {
    #[error(transparent)]
    Client(#[from] ClientError),
    /// What the system does not give, in Go's words.
    #[error("{action} {path}: {}", go_words(.error))]
    System { action: &'static str, path: String, error: io::Error },
    #[error("bundle files exceeded {0} bytes limit")]
    TooLarge(u64),
    #[error(transparent)]
    Packing(io::Error),
    #[error("{0}")]
    Syntax(String),
    #[error("resource name may not be empty")]
    NoName,
}

impl ExtractError {
    fn system(action: &'static str, path: &str, error: io::Error) -> Self {
        Self::System { action, path: path.to_owned(), error }
    }
}

/// `opm alpha bundle extract`.
pub(in crate::opm) fn extract(invocation: &Invocation) -> Result<(), OpmError> {
    let limit = invocation.text("datalimit");
    let limit: u64 = limit.parse().map_err(|_| {
        let limit = quote(limit);
        OpmError::Usage(format!(
            "invalid argument {limit} for \"-l, --datalimit\" flag: strconv.ParseUint: parsing {limit}: invalid syntax"
        ))
    })?;
    let client = client(invocation.text("kubeconfig")).map_err(|error| {
        OpmError::Fatal(format!("cluster config failed: Cannot load config for REST client: {error}"))
    })?;
    let failed =
        |error: ExtractError| OpmError::Usage(format!("error loading manifests from directory: {error}"));
    let (namespace, name) = (invocation.text("namespace"), invocation.text("configmapname"));
    if name.is_empty() {
        return Err(failed(ExtractError::NoName));
    }
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/{name}");
    populate(&client, &path, invocation.text("manifestsdir"), limit, invocation.switch("gzip"))
        .map_err(failed)
}

fn client(kubeconfig: &str) -> Result<ApiClient, ExtractError> {
    let variable = env::var("KUBECONFIG").ok().filter(|path| !path.is_empty());
    match variable.as_deref().or(Some(kubeconfig).filter(|path| !path.is_empty())) {
        Some(path) => {
            inform(&format!("Loading kube client config from path {}", quote(path)));
            fs::metadata(path).map_err(|error| ExtractError::system("stat", path, error))?;
            Ok(ApiClient::of_kubeconfig(Path::new(path))?)
        }
        None => {
            inform("Using in-cluster kube client config");
            Ok(ApiClient::in_cluster(&|name| env::var(name).ok())?)
        }
    }
}

fn populate(
    client: &ApiClient,
    path: &str,
    directory: &str,
    limit: u64,
    gzip: bool,
) -> Result<(), ExtractError> {
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
    if let Some(image) = env::var(IMAGE_VARIABLE).ok().filter(|image| !image.is_empty()) {
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
