//! Bundles in memory, and what becomes of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod configuration;
mod generators;
mod reading;
mod validators;

use fbc_model::tree::MemoryTree;

use super::*;

/// A file of annotations that names the package.
const ANNOTATIONS: &str = "annotations:\n  operators.operatorframework.io.bundle.package.v1: lamp\n";

/// A custom resource definition without a schema.
fn definition(name: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {name}\n"
    )
}

/// A bundle of a cluster service version, given as the YAML flow mapping of its spec, and other manifests.
fn tree(spec: &str, others: &[&str]) -> MemoryTree {
    let version = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
         metadata: {{name: lamp.v1.0.0, annotations: {{note: x}}}}\nspec: {spec}\n"
    );
    let mut tree: MemoryTree =
        [("metadata/annotations.yaml", ANNOTATIONS.to_owned()), ("manifests/csv.yaml", version)]
            .into_iter()
            .collect();
    for (index, other) in others.iter().enumerate() {
        tree.insert(format!("manifests/other{index}.yaml"), other.as_bytes());
    }
    tree
}

fn bundle(spec: &str, others: &[&str]) -> Bundle {
    Bundle::read(&tree(spec, others)).unwrap_or_else(|error| panic!("{error}"))
}

/// An installation with cert-manager in the namespace `lamps`.
fn installation(watch: &[&str]) -> Installation {
    Installation {
        namespace: "lamps".to_owned(),
        watch_namespaces: watch.iter().map(|name| (*name).to_owned()).collect(),
        certificate_provider: Some(CertificateProvider::CertManager),
        ..Installation::default()
    }
}

/// What an installation says to a bundle: `rendered`, or the reasons against it.
fn answer(bundle: &Bundle, installation: &Installation) -> String {
    render(bundle, installation).map_or_else(|refusal| refusal.to_string(), |_| "rendered".to_owned())
}

/// The install modes of those names as a YAML flow sequence.
fn modes(names: &str) -> String {
    let modes: Vec<String> =
        names.split_whitespace().map(|name| format!("{{type: {name}, supported: true}}")).collect();
    format!("[{{type: Unheard, supported: false}}, {}]", modes.join(", "))
}
