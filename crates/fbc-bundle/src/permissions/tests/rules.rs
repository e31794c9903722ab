//! Roles, bindings and accounts out of files, and what roles take over from others.

use super::*;

#[test]
fn plurals_are_lower_case() {
    for kind in ["Service", "NetworkPolicy", "PriorityClass", "Issuer"] {
        assert!(resource_of_kind(kind).bytes().all(|byte| byte.is_ascii_lowercase()), "{kind}");
    }
}

#[test]
fn aggregated_roles_take_over_what_their_selectors_find_and_nothing_else() {
    let role = |name: &str, label: &str, rest: &str| {
        format!(
            "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}, labels: \
             {{for: {label}}}}}\n{rest}\n"
        )
    };
    let rule =
        |resource: &str| format!("rules: [{{apiGroups: [''], resources: [{resource}], verbs: [get]}}]");
    let text = [
        role("top", "none", "aggregationRule: {clusterRoleSelectors: [{matchLabels: {for: top}}]}\nrules: [{apiGroups: [''], resources: [lost], verbs: [get]}]"),
        // A circle comes to an end.
        role("middle", "top", "aggregationRule: {clusterRoleSelectors: [{matchExpressions: [{key: for, operator: In, values: [middle, top]}]}]}"),
        role("leaf", "middle", &rule("pods")),
        role("own", "top", &rule("nodes")),
        role("stranger", "other", &rule("secrets")),
    ]
    .concat();
    let access = access(&text);
    let top = &access.roles[&(String::new(), "top".to_owned())];
    let resources: Vec<&str> = access.rules_of(top).iter().map(|rule| rule.resources[0].as_str()).collect();
    assert_eq!(resources, ["pods", "nodes"]);
}

#[test]
fn files_with_faults_are_told_with_lines() {
    let text =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/rbac/broken.yaml")).unwrap();
    let errors = rbac_files::read(&mut Access::default(), &text, "").unwrap_err();
    let lines: Vec<usize> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines.len(), 4, "{errors:?}");
    assert_eq!(lines[..3], [7, 11, 15], "{errors:?}");
}
