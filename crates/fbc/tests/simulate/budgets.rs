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
            errors.contains("s.yaml: the cluster has more than 2000 objects (budget cluster-objects)")
                && errors.contains("--limit cluster-objects=N"),
            "{kind}: {errors}"
        );
    }
    let crashes = "title: t\nobjects: [w.yaml]\nbehaviours: [{namespace: default, outcome: crash, after: 5s}]\n\
        until: 36500d\nsteps: [{wait: 36500d}]\n";
    let spec = format!("replicas: 3\n  {SELECTOR}");
    let folder = scenario(&[("s.yaml", crashes), ("w.yaml", &workload("Deployment", &spec))]);
    for (limit, words) in [
        ("cluster-writes=3000", "the cluster takes more than 3000 writes (budget cluster-writes)"),
        ("cluster-work=100k", "do more than 100000 units of work (budget cluster-work)"),
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
