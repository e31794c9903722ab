//! What a simulated cluster may take.

use super::{scenario, simulate_in, text};

/// A workload of many pods.
fn workload(kind: &str, spec: &str) -> String {
    let (group, template) = if kind == "Job" {
        ("batch", "spec: {restartPolicy: Never, containers: [{name: c, image: x}]}")
    } else {
        ("apps", "metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: x}]}")
    };
    format!(
        "apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: big, namespace: default}}\nspec:\n  {spec}\n  \
         template:\n    {template}\n"
    )
}

#[test]
fn what_asks_for_too_much_ends_in_a_budget() {
    const SELECTOR: &str = "selector: {matchLabels: {a: b}}";
    let parallel =
        format!("serviceName: x\n  podManagementPolicy: Parallel\n  replicas: 2147483647\n  {SELECTOR}");
    for (kind, spec) in [
        ("Deployment", format!("replicas: 2147483647\n  {SELECTOR}")),
        ("StatefulSet", parallel),
        ("Job", "parallelism: 2147483647\n  completions: 2147483647".to_owned()),
    ] {
        let folder =
            scenario(&[("s.yaml", "title: t\nobjects: [w.yaml]\n"), ("w.yaml", &workload(kind, &spec))]);
        let output = simulate_in(folder.path(), &["s.yaml", "--limit", "cluster-objects=2000"]);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{kind}: {errors}");
        assert!(
            errors.contains("s.yaml: the cluster has more than 2000 objects (limit cluster-objects)")
                && errors.contains("--limit cluster-objects=N"),
            "{kind}: {errors}"
        );
    }
    let crashes = "title: t\nobjects: [w.yaml]\nbehaviours: [{namespace: default, outcome: crash, after: 5s}]\n\
        until: 36500d\nsteps: [{wait: 36500d}]\n";
    let spec = format!("replicas: 3\n  {SELECTOR}");
    let folder = scenario(&[("s.yaml", crashes), ("w.yaml", &workload("Deployment", &spec))]);
    for (limit, words) in [
        ("cluster-writes=3000", "the cluster takes more than 3000 writes (limit cluster-writes)"),
        ("cluster-work=100k", "do more than 100000 units of work (limit cluster-work)"),
    ] {
        let output = simulate_in(folder.path(), &["s.yaml", "--limit", limit]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

#[test]
fn a_thousand_replicas_are_no_fight() {
    let spec = "replicas: 1000\n  selector: {matchLabels: {a: b}}";
    let expect = "title: t\nobjects: [w.yaml]\nexpect:\n- object: Deployment/default/big\n  \
        condition: {type: Available, status: \"True\"}\n";
    let folder = scenario(&[("s.yaml", expect), ("w.yaml", &workload("Deployment", spec))]);
    // What a pod costs does not grow with the number of pods.
    let output = simulate_in(folder.path(), &["s.yaml", "--limit", "cluster-work=900k"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// Values of a policy that share values: the API server would count a few units for the comparison, and never end.
#[test]
fn policies_that_compare_for_ever_are_refused_at_once() {
    let variables: String = (1..=30)
        .map(|n| format!("  - {{name: v{n}, expression: \"[variables.v{0}, variables.v{0}]\"}}\n", n - 1))
        .collect();
    let policy = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: nest}}\nspec:\n  \
         matchConstraints: {{resourceRules: [{{apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], \
         resources: [limitranges]}}]}}\n  variables:\n  - {{name: v0, expression: \"[1, 2]\"}}\n{variables}  \
         validations:\n  - {{expression: \"variables.v30 == variables.v30\"}}\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: nest}}\n\
         spec: {{policyName: nest, validationActions: [Deny]}}\n"
    );
    let config = "apiVersion: v1\nkind: LimitRange\nmetadata: {name: q, namespace: default}\nspec: {limits: [{type: Pod}]}\n";
    let steps = "title: t\nobjects: [policy.yaml]\nsteps:\n- {wait: 1m}\n- {apply: [cm.yaml], refusedMatches: \
        \"resulted in error: operation cancelled: evaluating takes too much work, .*limit cel-work\"}\n";
    let folder = scenario(&[("s.yaml", steps), ("policy.yaml", &policy), ("cm.yaml", config)]);
    let output = simulate_in(folder.path(), &["s.yaml"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// A definition with one field, and an object of it.
fn definition(field: &str, value: &str) -> (String, String) {
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: boats.sea.example}}\n\
         spec:\n  group: sea.example\n  scope: Cluster\n  names: {{kind: Boat, plural: boats}}\n  versions:\n  \
         - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties: {{name: {field}}}\n"
    );
    let object = format!("apiVersion: sea.example/v1\nkind: Boat\nmetadata: {{name: boat}}\nname: {value}\n");
    (definition, object)
}

#[test]
fn patterns_of_definitions_are_as_quick_as_in_go_and_have_limits() {
    let texts = "[\\p{L}\\p{N}]{1000}";
    let large = format!("(?:{}){{1000}}", "a".repeat(1001));
    let wait = "title: t\nobjects: [crd.yaml]\nsteps:\n- {wait: 1m}\n";
    for (pattern, value, step, code) in [
        (texts, "é".repeat(1000), "- {apply: [boat.yaml]}\n", 0),
        (
            texts,
            "é".repeat(999),
            "- {apply: [boat.yaml], refusedMatches: \"name in body should match\"}\n",
            0,
        ),
        (
            "x{0,900}y",
            "x".repeat(200_000),
            "- {apply: [boat.yaml], refusedMatches: \"too many steps .limit pattern-steps\"}\n",
            0,
        ),
        (&large, "a".to_owned(), "", 1),
    ] {
        let (definition, object) = definition(&format!("{{type: string, pattern: '{pattern}'}}"), &value);
        let steps = format!("{wait}{step}");
        let folder = scenario(&[("s.yaml", &steps), ("crd.yaml", &definition), ("boat.yaml", &object)]);
        let output = simulate_in(folder.path(), &["s.yaml"]);
        let shown = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{shown}");
        assert_eq!(shown.contains("(limit pattern-states)"), code == 1, "{shown}");
    }
}

#[test]
fn rules_that_may_cost_too_much_are_refused_with_the_definition() {
    let rule = "x-kubernetes-validations: [{rule: 'self.all(x, self.all(y, x == y))'}]";
    let (definition, _) = definition(&format!("{{type: array, items: {{type: string}}, {rule}}}"), "[]");
    let steps = "title: t\nsteps:\n- {apply: [crd.yaml], refusedMatches: \
        \"estimated rule cost exceeds budget by factor of more than 100x .try simplifying the rule\"}\n";
    let folder = scenario(&[("s.yaml", steps), ("crd.yaml", &definition)]);
    let output = simulate_in(folder.path(), &["s.yaml"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
