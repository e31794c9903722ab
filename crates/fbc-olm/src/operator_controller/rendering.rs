//! Bundles as the objects that an extension installs; rendered once for each image, namespace and configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_bundle::manifests::{self, Configuration, Installation};
use fbc_cluster::object::{Object, ObjectFields};

use serde_json::Value;

use super::status::{Failure, FailureKind};
use crate::content::Image;
use crate::{Options, Target};

/// What a bundle comes to.
#[derive(Debug)]
pub struct Rendered {
    /// The objects in the order of the reference.
    pub objects: Vec<manifests::Object>,
    /// The annotations of the cluster service version.
    pub annotations: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    digest: String,
    namespace: String,
    configuration: String,
    watch_namespace: String,
}

/// Renders bundles, and remembers them.
#[derive(Debug, Default)]
pub struct Renderings {
    known: BTreeMap<Key, Result<Arc<Rendered>, Failure>>,
}

/// So many renderings are kept; a cluster of that size has no use for old ones.
const KEPT: usize = 4096;

impl Renderings {
    /// The objects of an image for an extension, or why it is refused.
    pub fn render(
        &mut self,
        image: &Image,
        extension: &Object,
        options: &Options,
    ) -> Result<Arc<Rendered>, Failure> {
        let configuration = extension.given(&["spec", "config", "inline"]);
        let key = Key {
            digest: image.digest().to_owned(),
            namespace: extension.text(&["spec", "namespace"]).to_owned(),
            configuration: configuration.map(Value::to_string).unwrap_or_default(),
            watch_namespace: watch_namespace(extension, options).to_owned(),
        };
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let rendered = render(image, &key, options).map(Arc::new);
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(key, rendered.clone());
        rendered
    }
}

/// The annotation of 4.19 and 4.20 that says which namespace to watch.
fn watch_namespace<'e>(extension: &'e Object, options: &Options) -> &'e str {
    let counts = options.target <= Target::Ocp420 && options.gates.single_own_namespace_install_support;
    let annotation = extension.annotation("olm.operatorframework.io/watch-namespace").unwrap_or_default();
    if counts { annotation } else { "" }
}

fn render(image: &Image, key: &Key, options: &Options) -> Result<Rendered, Failure> {
    if !is_namespace(&key.watch_namespace) {
        return Err(Failure::retry(format!(
            "invalid watch namespace '{}': namespace must consist of lower case alphanumeric characters, '-' or '.', \
             and must start and end with an alphanumeric character",
            key.watch_namespace
        )));
    }
    let bundle = image.bundle().map_err(|error| Failure::retry(error.to_string()))?;
    let mut gates = options.gates.rendering();
    // 4.19 and 4.20 have no configuration, and refuse by what the bundle supports.
    gates.single_own_namespace |= options.target <= Target::Ocp420;
    let configuration = match (key.configuration.as_str(), options.target) {
        ("", _) | (_, Target::Ocp419 | Target::Ocp420) => None,
        (text, _) => {
            let document = fbc_yaml::stream::read_one(text.as_bytes());
            Some(Configuration::new(document.map_err(|error| Failure::retry(error.message))?))
        }
    };
    let installation = Installation {
        namespace: key.namespace.clone(),
        watch_namespaces: Some(key.watch_namespace.clone())
            .filter(|one| !one.is_empty())
            .into_iter()
            .collect(),
        configuration: Some(configuration.unwrap_or_else(|| Configuration::new(empty())))
            .filter(|_| options.target >= Target::Ocp421),
        certificate_provider: options.gates.certificate_provider(),
        target: options.target,
        gates,
    };
    let objects = manifests::render(bundle, &installation).map_err(|refusal| {
        let message = refusal.to_string();
        let is_configuration = message.starts_with("invalid ClusterExtension configuration: ");
        let kind = if is_configuration { FailureKind::InvalidConfiguration } else { FailureKind::Retry };
        Failure { message, kind }
    })?;
    Ok(Rendered { objects, annotations: bundle.annotations.clone() })
}

/// A configuration in which nothing is configured: what is required is missing then.
fn empty() -> fbc_yaml::Document {
    let mut builder = fbc_yaml::DocumentBuilder::new();
    let mark = builder.open();
    let root = builder.close_object(mark);
    builder.finish(root)
}

/// True for names of namespaces, and for no name.
fn is_namespace(name: &str) -> bool {
    let is_alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.is_empty()
        || name.bytes().all(|byte| is_alphanumeric(byte) || byte == b'-' || byte == b'.')
            && [name.bytes().next(), name.bytes().last()].into_iter().flatten().all(is_alphanumeric)
}
