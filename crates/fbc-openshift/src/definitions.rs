//! Definitions of the kinds that OpenShift's controllers need before any payload brings its own.

use fbc_cluster::object::Object;

/// ClusterVersion, ClusterOperator and FeatureGate, as the installer brings them.
pub fn of_updates() -> Vec<Object> {
    let files = [
        include_str!("../definitions/clusterversion.yaml"),
        include_str!("../definitions/clusteroperator.yaml"),
        include_str!("../definitions/featuregate.yaml"),
    ];
    files.into_iter().map(read).collect()
}

/// ClusterVersion with the fields of the feature set TechPreviewNoUpgrade.
pub fn with_accepted_risks() -> Object {
    use fbc_cluster::object::ObjectFields as _;
    let mut definition = read(include_str!("../definitions/clusterversion.yaml"));
    let preserve = serde_json::json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    if let Some(spec) =
        definition.pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties")
    {
        spec.set(&["desiredUpdate"], preserve);
        spec.set(
            &["signatureStores"],
            serde_json::json!({"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}),
        );
    }
    definition
}

/// The value of a file that is part of this program; tests hold that each can be read.
fn read(yaml: &str) -> Object {
    let document = fbc_yaml::stream::read_one(yaml.as_bytes());
    document.map(|document| fbc_cluster::go_json::value(document.root())).unwrap_or_default()
}
