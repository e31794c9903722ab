//! What can be wrong with manifests.

use std::fs;

use super::*;

const MANIFESTS: &str = "apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {name: a, labels: {b: c}}
spec: {priority: 1, source: {type: Image, image: {ref: q.io/a}}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: lamp}
spec: {namespace: lamp, serviceAccount: {name: lamp}, source: {sourceType: Catalog, catalog: {packageName: lamp, version: '>=1', channels: [stable], selector: {
  matchExpressions: [{key: b, operator: In, values: [c]}]}}}}
";

#[test]
fn broken_manifests_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("manifests.yaml");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        read(std::slice::from_ref(&path), Semantics::V1, Target::Latest, &Settings::default())
    };
    let whole = read(MANIFESTS).unwrap();
    assert_eq!((whole.catalogs.len(), whole.extensions.len()), (1, 1));
    for broken in fbc_testing::broken_variants(MANIFESTS) {
        if let Ok(found) = read(&broken) {
            assert!(!found.extensions.is_empty(), "{broken:?}");
        }
    }
}
