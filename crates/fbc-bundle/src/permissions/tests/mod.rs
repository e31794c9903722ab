//! Rights of installers, operators and users.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod installer;
mod operators;
mod preauthorization;
mod rules;

use std::path::{Path, PathBuf};

use fbc_kubernetes::rbac::rule::uncovered;
use fbc_kubernetes::rbac::{Access, Account, RBAC_GROUP, Request, Rule};
use fbc_model::tree::DiskTree;
use fbc_version::Target;

use super::*;
use crate::manifests::{Bundle, CertificateProvider, Installation, Object, render};

/// The namespace of all installations here.
const NAMESPACE: &str = "harbours";

fn account() -> Account {
    Account { namespace: NAMESPACE.to_owned(), name: "harbour-installer".to_owned() }
}

fn harbour() -> Bundle {
    example("harbour-bundle")
}

fn example(name: &str) -> Bundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    Bundle::read(&DiskTree { root }).unwrap()
}

fn installed(bundle: &Bundle, target: Target) -> Vec<Object> {
    render(bundle, &installation(target)).unwrap()
}

fn installation(target: Target) -> Installation {
    Installation {
        namespace: NAMESPACE.to_owned(),
        certificate_provider: Some(CertificateProvider::CertManager),
        target,
        ..Installation::default()
    }
}

/// Roles and bindings of that text.
fn access(text: &str) -> Access {
    let mut access = Access::default();
    rbac_files::read(&mut access, text.as_bytes(), "").unwrap_or_else(|errors| panic!("{errors:?}"));
    access
}

/// A cluster role of those rules, each a YAML flow mapping, bound to the installer.
fn bound(rules: &[&str]) -> Access {
    access(&format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: r}}\nrules: [{}]\n---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: b}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}}\n\
         subjects: [{{kind: ServiceAccount, name: harbour-installer, namespace: harbours}}]\n",
        rules.join(", ")
    ))
}

/// Objects of several YAML documents.
fn objects(text: &str) -> Vec<Object> {
    fbc_yaml::stream::read(text.as_bytes(), &|document| Ok::<_, ()>(document))
        .into_iter()
        .map(|decoded| Object::new(decoded.outcome.unwrap().into()))
        .collect()
}

/// All recorded bundles, if they are there.
fn recorded_bundles() -> Option<Vec<PathBuf>> {
    let packages = std::fs::read_dir(fbc_testing::recordings("bundles")?).unwrap();
    let mut versions: Vec<PathBuf> = packages
        .filter_map(|package| std::fs::read_dir(package.unwrap().path()).ok())
        .flat_map(|versions| versions.map(|version| version.unwrap().path()))
        .collect();
    versions.sort();
    Some(versions)
}
