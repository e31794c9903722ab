//! Values and what Go says of them. Only compiled for tests.

use super::*;

use fbc_kubernetes::types::named::{CLUSTER_SERVICE_VERSION, CUSTOM_RESOURCE_DEFINITION};

const DEPLOYMENT_SPEC: Named = Named::new("apps", "DeploymentSpec");

fn said(json: &str, of: Named, keys: Keys, extensions: &'static str) -> String {
    let (document, _) = fbc_yaml::json_reader::read_value(json.as_bytes(), 0).unwrap();
    check(document.root(), of, keys, extensions).map_or_else(|misfit| misfit.message, |()| "fits".to_owned())
}

#[test]
fn definitions() {
    for (json, expected) in [
        (r#"{"spec":{"versions":[{"name":"v1","served":true,"Served":"x"}]}}"#, "fits"),
        (
            r#"{"spec":{"versions":[{"served":"yes"}]}}"#,
            "json: cannot unmarshal string into Go struct field CustomResourceDefinitionVersion.spec.versions.served of type bool",
        ),
        (
            r#"{"spec":{"versions":{}}}"#,
            "json: cannot unmarshal object into Go struct field CustomResourceDefinitionSpec.spec.versions of type []v1.CustomResourceDefinitionVersion",
        ),
        (
            r#"{"spec":{"scope":3}}"#,
            "json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope",
        ),
        (
            r#"{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"type":3}},"items":{"type":[]}}}}]}}"#,
            "json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.type of type string",
        ),
        (
            r#"{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":3}}}]}}"#,
            "boolean or JSON schema expected",
        ),
        (
            r#"{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"maxLength":1.5}}}]}}"#,
            "json: cannot unmarshal number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maxLength of type int64",
        ),
        (
            r#"{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"x-kubernetes-validations":{}}}}}}]}}"#,
            "json: cannot unmarshal object into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.x-kubernetes-validations of type v1.ValidationRules",
        ),
        (
            r#"{"metadata":{"labels":{"a":1}}}"#,
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
    ] {
        assert_eq!(said(json, CUSTOM_RESOURCE_DEFINITION, Keys::Exact, "v1"), expected, "{json}");
    }
}

#[test]
fn deployments() {
    for (json, expected) in [
        (
            r#"{"Replicas":1,"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":0.5}}}]}}}"#,
            "fits",
        ),
        (
            r#"{"REPLICAS":"1"}"#,
            "json: cannot unmarshal string into Go struct field DeploymentSpec.replicas of type int32",
        ),
        (
            r#"{"replicas":9007199254740993}"#,
            "json: cannot unmarshal number 9007199254740993 into Go struct field DeploymentSpec.replicas of type int32",
        ),
        (
            r#"{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}}}"#,
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            r#"{"template":{"spec":{"containers":[{"image":3,"livenessProbe":{"httpGet":{"port":true}}}]}}}"#,
            "json: cannot unmarshal bool into Go struct field HTTPGetAction.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
        ),
        (
            r#"{"template":{"metadata":{"creationTimestamp":"now"}}}"#,
            "parsing time \"now\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"now\" as \"2006\"",
        ),
    ] {
        assert_eq!(said(json, DEPLOYMENT_SPEC, Keys::Folded, "v1"), expected, "{json}");
    }
}

#[test]
fn cluster_service_versions() {
    for (json, expected) in [
        (
            r#"{"spec":{"webhookdefinitions":[{"rules":[{"operations":["CREATE"],"resources":["a"]}]}]}}"#,
            "fits",
        ),
        (
            r#"{"spec":{"webhookdefinitions":[{"rules":[{"resources":"a"}]}]}}"#,
            "json: cannot unmarshal string into Go struct field RuleWithOperations.spec.webhookdefinitions.rules.Rule.resources of type []string",
        ),
        (
            r#"{"spec":{"webhookdefinitions":[{"rules":[{"operations":"CREATE"}]}]}}"#,
            "json: cannot unmarshal string into Go struct field RuleWithOperations.spec.webhookdefinitions.rules.operations of type []v1.OperationType",
        ),
        (
            r#"{"spec":{"install":{"spec":{"permissions":[{"serviceAccountName":1}]}},"installModes":[{"supported":"x"}]}}"#,
            "json: cannot unmarshal number into Go struct field StrategyDeploymentPermissions.spec.install.spec.permissions.serviceAccountName of type string",
        ),
        (r#"{"spec":{"version":"v01.2","release":"1.a"}}"#, "fits"),
        (r#"{"spec":{"version":"x"}}"#, "Invalid character(s) found in major number \"x\""),
        (r#"{"spec":{"version":null}}"#, "strconv.ParseUint: parsing \"\": invalid syntax"),
        (
            r#"{"spec":{"release":"01.2"}}"#,
            "Numeric PreRelease version must not contain leading zeroes \"01\"",
        ),
        (r#"{"spec":{"release":""}}"#, "Prerelease is empty"),
        (
            r#"{"spec":{"release":3}}"#,
            "json: cannot unmarshal number into Go struct field ClusterServiceVersionSpec.spec.release of type string",
        ),
    ] {
        assert_eq!(said(json, CLUSTER_SERVICE_VERSION, Keys::Folded, "v1"), expected, "{json}");
    }
}
