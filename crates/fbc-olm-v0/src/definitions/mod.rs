//! The definitions of OLM v0: catalogs, subscriptions, plans, operators and what belongs to them.

use serde_json::Value;

use fbc_cluster::object::Object;

const DEFINITIONS: [&str; 8] = [
    include_str!("../../definitions/catalogsource.yaml"),
    include_str!("../../definitions/clusterserviceversion.yaml"),
    include_str!("../../definitions/installplan.yaml"),
    include_str!("../../definitions/olmconfig.yaml"),
    include_str!("../../definitions/operatorcondition.yaml"),
    include_str!("../../definitions/operatorgroup.yaml"),
    include_str!("../../definitions/operator.yaml"),
    include_str!("../../definitions/subscription.yaml"),
];

/// The definitions to create, in the order of their names.
///
/// Shows V0-001 to V0-007 and V0-127 to V0-129.
pub fn definitions() -> Vec<Object> {
    DEFINITIONS.iter().map(|yaml| object(yaml)).collect()
}

/// The value of a file that is part of this program; tests hold that each can be read.
fn object(yaml: &str) -> Value {
    let json = fbc_yaml::stream::read_one(yaml.as_bytes())
        .map(|document| fbc_yaml::json_writer::compact(document.root()));
    json.ok().and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use fbc_cluster::control_plane::api_server;
    use fbc_cluster::object::ObjectFields;
    use fbc_cluster::time::Moment;

    use super::*;
    use crate::names::GROUP;

    #[test]
    fn a_cluster_takes_all_definitions() {
        let mut api = api_server(&[], 1, Moment::START);
        for definition in definitions() {
            let kind = definition.text(&["spec", "names", "kind"]).to_owned();
            api.install_definition(definition).unwrap();
            assert!(api.kind_id(GROUP, &kind).is_some(), "{kind}");
        }
    }
}
