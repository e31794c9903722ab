//! The engine against recordings of the real one.

mod ensure;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_bundle::manifests::{Bundle, Gates, Installation, render};
use fbc_model::tree::DiskTree;
use serde_json::{Value, json};

use super::secrets::Packer;
use super::*;

/// The directory of recordings, if it is there.
fn recordings() -> Option<PathBuf> {
    fbc_testing::recordings("olmv1")
}

/// The objects of a recorded bundle for an extension.
fn rendered(directory: &Path, bundle: &str, namespace: &str) -> Rendered {
    let tree = DiskTree { root: directory.join("content/bundles").join(bundle) };
    let bundle = Bundle::read(&tree).expect("a bundle");
    let installation = Installation {
        namespace: namespace.into(),
        gates: Gates { single_own_namespace: false, deployment_configuration: false },
        ..Installation::default()
    };
    let objects = render(&bundle, &installation).expect("objects");
    Rendered { objects, annotations: BTreeMap::new() }
}

/// Names of Secrets and keys in them are digests of the objects, so that equal names mean equal objects.
#[test]
fn revisions_hold_the_recorded_objects() {
    let Some(directory) = recordings() else { return };
    let mut compared = 0;
    for (scenario, step, package) in [
        ("bc-32-collision-protection", "02", "demo"),
        ("bc-05-install-latest-in-channel", "02", "demo"),
        ("bc-05-install-no-channel", "02", "demo"),
        ("bc-06-pin-and-edit", "03", "demo"),
        ("bc-19-same-crd-second-extension", "03", "second"),
    ] {
        let path = directory.join(scenario).join("recorded").join(format!("{step}.json"));
        let text = std::fs::read_to_string(path).expect("a recording");
        let recording: Value = serde_json::from_str(&text).expect("JSON");
        for revision in recording.list(&["settled"]).iter().filter(|one| one.kind() == "ClusterObjectSet") {
            let label = |key| revision.label(key).unwrap_or_default();
            let annotation = |key| revision.annotation(key).unwrap_or_default().to_owned();
            if annotation(names::PACKAGE_NAME) != package {
                continue;
            }
            let resolved = RevisionMetadata {
                package: package.into(),
                name: annotation(names::BUNDLE_NAME),
                version: annotation(names::BUNDLE_VERSION),
                image: annotation(names::BUNDLE_REFERENCE),
                ..RevisionMetadata::default()
            };
            let namespace = annotation(names::SERVICE_ACCOUNT_NAMESPACE);
            let extension = json!({
                "apiVersion": names::API_VERSION, "kind": "ClusterExtension",
                "metadata": {"name": label(names::OWNER_NAME), "uid": "<uid>"},
                "spec": {"namespace": namespace, "serviceAccount": {"name": annotation(names::SERVICE_ACCOUNT_NAME)}},
            });
            let rendered = rendered(&directory, &format!("{package}-{}", resolved.version), &namespace);
            let desired = desired::of_rendered(&extension, &resolved, &rendered, true);
            let packer =
                Packer { revision: revision.name(), owner: extension.name(), namespace: "olmv1-system" };
            let (phases, _) = packer.pack(&desired["spec"]["phases"]).expect("packed");
            let wanted = &revision["spec"];
            assert_eq!(phases, wanted["phases"], "{scenario} {}", revision.name());
            assert_eq!(desired["spec"]["progressionProbes"], wanted["progressionProbes"]);
            assert_eq!(desired["spec"]["collisionProtection"], wanted["collisionProtection"]);
            for field in ["annotations", "labels", "ownerReferences"] {
                assert_eq!(desired["metadata"][field], revision["metadata"][field], "{scenario} {field}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared}");
}
