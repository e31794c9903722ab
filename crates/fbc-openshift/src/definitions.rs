//! Definitions of the kinds that OpenShift's controllers need before any payload brings its own.

use fbc_cluster::object::Object;

const MACHINE_API: [&str; 6] = [
    include_str!("../definitions/machine.yaml"),
    include_str!("../definitions/machineset.yaml"),
    include_str!("../definitions/machinehealthcheck.yaml"),
    include_str!("../definitions/controlplanemachineset.yaml"),
    include_str!("../definitions/clusterautoscaler.yaml"),
    include_str!("../definitions/machineautoscaler.yaml"),
];
const MACHINE_CONFIG: [&str; 5] = [
    include_str!("../definitions/machineconfigpool.yaml"),
    include_str!("../definitions/machineconfignode.yaml"),
    include_str!("../definitions/machineconfig.yaml"),
    include_str!("../definitions/controllerconfig.yaml"),
    include_str!("../definitions/scheduler.yaml"),
];

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

/// Machines, sets, health checks, control plane machine sets.
pub fn machine_api() -> Vec<Object> {
    MACHINE_API.iter().map(|yaml| read(yaml)).collect()
}

/// Pools, nodes and configurations of the Machine Config Operator, and what it reads.
pub fn machine_config() -> Vec<Object> {
    MACHINE_CONFIG.iter().map(|yaml| read(yaml)).collect()
}

/// The value of a file that is part of this program; tests hold that each can be read.
fn read(yaml: &str) -> Object {
    let document = fbc_yaml::stream::read_one(yaml.as_bytes());
    document.map(|document| document.root().to_json()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use fbc_cluster::control_plane::api_server;
    use fbc_cluster::time::Moment;

    use super::*;

    #[test]
    fn a_server_takes_all_definitions() {
        let mut api = api_server(&[], 1, Moment::START);
        for definition in machine_api().into_iter().chain(machine_config()) {
            api.install_definition(definition).unwrap();
        }
        assert!(api.kind_id("machine.openshift.io", "Machine").is_some());
    }
}
