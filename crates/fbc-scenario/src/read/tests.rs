//! Scenario files that are right, and many that are wrong.

use fbc_cluster::time::MINUTE;

use crate::model::{Action, Check, Limit, Scenario, Start, Trouble};

fn faults(text: &str) -> Vec<String> {
    let told = |fault: &super::ScenarioFault| {
        let help = fault.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{fault}{help}")
    };
    match Scenario::read("s.yaml", text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(told).collect(),
    }
}

#[test]
fn a_whole_scenario_is_read() {
    let text = "\
title: Everything
seed: 7
target: ocp-4.19
featureGates: {BoxcutterRuntime: true}
start: \"2026-02-01T00:00:00Z\"
until: 2h
shows: [D-EXT-3, X-13]
catalogs:
- {name: harbour, content: ../catalog, pollIntervalMinutes: 1}
objects:
- manifests/
- {apiVersion: v1, kind: Namespace, metadata: {name: lights}}
steps:
- apply: extension.yaml
  expect:
  - object: ClusterExtension/lighthouse
    condition: {type: Installed, status: \"True\", messageMatches: ^Installed}
    within: 10m
- at: 5m
  publish: {catalog: harbour, content: ../next}
- after: 1m
  break: registry
- when: {object: Deployment/lights/keeper, absent: true, within: 3m}
  fix: {serviceAccount: lights/keeper}
- run: oc get clusterextension
  prints: |
    NAME [..]
expect:
- never: {object: Deployment.apps/lights/keeper, absent: true}
- object: ClusterExtension/lighthouse
  fields: {.status.install.bundle.version: 1.2.0, '{.metadata.deletionTimestamp}': null}
";
    let scenario = Scenario::read("s.yaml", text.as_bytes()).unwrap();
    assert_eq!((scenario.seed, scenario.steps.len(), scenario.expectations.len()), (7, 5, 2));
    assert_eq!(scenario.steps[0].name, "apply extension.yaml");
    assert_eq!(scenario.steps[0].expectations[0].limit, Limit::Within(10 * MINUTE));
    assert!(matches!(scenario.steps[1].start, Start::At(at) if at == 5 * MINUTE));
    let Some(Action::Publish(publication)) = &scenario.steps[1].action else { panic!() };
    assert_eq!(publication.image, "registry.example/catalogs/harbour:latest");
    assert!(matches!(&scenario.steps[2].action, Some(Action::Break(Trouble::Registry))));
    assert!(matches!(&scenario.steps[3].start, Start::When(_, limit) if *limit == 3 * MINUTE));
    assert_eq!(scenario.expectations[0].limit, Limit::Never(None));
    let Check::State(predicate) = &scenario.expectations[0].check else { panic!() };
    assert_eq!(predicate.object.group.as_deref(), Some("apps"));
}

#[test]
fn every_fault_is_told_with_its_place() {
    let text = "\
titel: x
until: 5
steps:
- aply: a.yaml
- at: 5m
  apply: b.yaml
  delete: Pod/a
- at: 3m
  wait: 1 minute
- expect:
  - object: Deployment
  - object: Pod/a/b
    condition: {typ: Ready}
  - object: Pod/a/b
    fields: {'.spec[': 1}
- run: ls
";
    assert_eq!(
        faults(text),
        [
            "s.yaml:1:1: titel is not known (did you mean \"title\"?)",
            "s.yaml:1:1: title is missing",
            "s.yaml:2:1: until must be a duration (a duration is written like 500ms, 90s, 10m, 1h30m or 2d)",
            "s.yaml:4:3: steps[0].aply is not known (did you mean \"apply\"?)",
            "s.yaml:4:3: steps[0] does nothing and expects nothing (a step has one of apply, create, delete, patch, edit, scale, publish, updateService, facts, break, fix, restart, jump, run, wait)",
            "s.yaml:5:3: steps[1] has both apply and delete (a step does one thing; write two steps)",
            "s.yaml:8:3: steps[2].at is earlier than the step before it (put steps in order)",
            "s.yaml:9:3: steps[2].wait is not a duration: \"1 minute\" (a duration is written like 500ms, 90s, 10m, 1h30m or 2d)",
            "s.yaml:11:5: steps[3].expect[0].object names no object: \"Deployment\" (write Kind/name, or Kind/namespace/name)",
            "s.yaml:13:5: steps[3].expect[1].condition.type is missing",
            "s.yaml:13:17: steps[3].expect[1].condition.typ is not known (did you mean \"type\"?)",
            "s.yaml:15:14: steps[3].expect[2].fields..spec[ is not a path: unclosed action (paths are JSONPath, such as .status.replicas or {.spec.phases[0].name})",
            "s.yaml:16:3: steps[4].run runs an unknown program, \"ls\" (only oc and kubectl can be run)",
        ]
    );
}

#[test]
fn each_kind_of_fault() {
    let step = |text: &str| format!("title: t\ncatalogs: [{{name: a, content: b}}]\nsteps:\n- {text}\n");
    for (text, expected) in [
        ("", "s.yaml:1:1: there is no scenario in the file"),
        (
            "title: a\n---\ntitle: b\n",
            "s.yaml:3:1: a file holds one scenario, and here begins another document",
        ),
        ("title: a\ntitle: b\n", "s.yaml:2:1: title is given twice"),
        ("- a\n", "s.yaml:1:1: must be an object, not a list"),
        ("title: 5\n", "s.yaml:1:1: title must be a text, not a number (put it in quotes)"),
        ("title: a\nseed: -1\n", "s.yaml:2:1: seed must not be negative"),
        (
            "title: a\ntarget: ocp-4.2\n",
            "s.yaml:2:1: target must be latest or upstream or ocp-4.19 or ocp-4.20 or ocp-4.21 or ocp-5.0, not \"ocp-4.2\" (did you mean \"ocp-4.20\"?)",
        ),
        (
            "title: a\ntarget: ocp-4.21\nusesServiceAccounts: false\n",
            "s.yaml:3:1: usesServiceAccounts cannot be false: ocp-4.21 installs with service accounts (leave it out, or choose the target latest or ocp-5.0)",
        ),
        (
            "title: a\nstart: today\n",
            "s.yaml:2:1: start is not a moment (write it like \"2026-01-01T00:00:00Z\")",
        ),
        (
            "title: a\nshows: [ext 3]\n",
            "s.yaml:2:9: shows[0] is not an id of a statement (ids look like D-EXT-3 or X-13)",
        ),
        (&step("{at: 1m, after: 1m, wait: 1m}"), "s.yaml:4:3: steps[0] has both at and after"),
        (
            &step("{break: moon}"),
            "s.yaml:4:4: steps[0].break must be an object, or the word registry (what can break: registry, image, serviceAccount, catalog, deployments)",
        ),
        (
            &step("{break: {serviceAccount: a}}"),
            "s.yaml:4:12: steps[0].break.serviceAccount must be written as NAMESPACE/NAME",
        ),
        (
            &step("{publish: {catalog: x, content: z}}"),
            "s.yaml:4:14: steps[0].publish.catalog names no catalog of the scenario: \"x\" (the scenario has the catalogs [a])",
        ),
        (&step("{publish: {content: z}}"), "s.yaml:4:4: steps[0].publish must have either catalog or image"),
        (
            &step("{wait: 1m, refused: a}"),
            "s.yaml:4:3: steps[0] expects a refusal of something that is not a request",
        ),
        (&step("{wait: 1m, prints: a}"), "s.yaml:4:14: steps[0].prints goes with run only"),
        (
            &step("{patch: {object: Pod/a/b, type: json, patch: {}}}"),
            "s.yaml:4:41: steps[0].patch.patch must be a list of operations for this type of patch",
        ),
        (
            &step("{expect: [{within: 1m}]}"),
            "s.yaml:4:13: steps[0].expect[0] expects nothing (it needs object, order, run or never)",
        ),
        (
            &step("{expect: {never: {object: Pod/a/b}, within: 1m}}"),
            "s.yaml:4:39: steps[0].expect.within does not go with never (say how long with for)",
        ),
        (
            &step("{expect: {order: [{object: Pod/a/b}]}}"),
            "s.yaml:4:13: steps[0].expect.order needs two states or more",
        ),
        (
            &step("{expect: {object: Pod/a/b, absent: true, exists: true}}"),
            "s.yaml:4:4: steps[0].expect has both exists and absent (write two expectations)",
        ),
        (
            &step("{expect: {object: Pod/a/b, condition: {type: A, messageMatches: '('}}}"),
            "s.yaml:4:51: steps[0].expect.condition.messageMatches is not a regular expression: missing closing ): `(`",
        ),
        (&step("{apply: [{kind: A}]}"), "s.yaml:4:12: steps[0].apply[0].apiVersion is missing"),
    ] {
        assert_eq!(faults(text), [expected], "{text}");
    }
}

/// The JSON Schema of scenarios and the reader know the same fields.
#[test]
fn the_schema_has_the_fields_of_the_reader() {
    use super::{
        BUNDLE_FIELDS, CATALOG_FIELDS, SCENARIO_FIELDS, action, behaviour, expectation, step, updates,
    };
    let text = include_str!("../../../../schemas/scenario.json");
    let schema: serde_json::Value = serde_json::from_str(text).unwrap();
    let fields = |pointer: &str| -> Vec<String> {
        let properties = schema.pointer(&format!("{pointer}/properties")).unwrap().as_object().unwrap();
        properties.keys().cloned().collect()
    };
    let sorted = |lists: &[&[&str]]| -> Vec<String> {
        let mut all: Vec<String> = lists.concat().iter().map(|field| (*field).to_owned()).collect();
        all.sort();
        all.dedup();
        all
    };
    let step_of = |name: &str| format!("/$defs/step/properties/{name}");
    for (pointer, known) in [
        (String::new(), sorted(&[&SCENARIO_FIELDS])),
        ("/$defs/catalog".to_owned(), sorted(&[&CATALOG_FIELDS])),
        ("/$defs/bundle".to_owned(), sorted(&[&BUNDLE_FIELDS])),
        ("/$defs/payload/oneOf/1".to_owned(), sorted(&[&updates::PAYLOAD_FIELDS])),
        (
            "/properties/openshift/properties/clusterVersion/properties/signatures".to_owned(),
            sorted(&[&updates::SIGNATURES_FIELDS]),
        ),
        ("/$defs/updateService".to_owned(), sorted(&[&updates::UPDATE_SERVICE_FIELDS])),
        (
            "/properties/openshift/properties/clusterVersion".to_owned(),
            sorted(&[&updates::CLUSTER_VERSION_FIELDS]),
        ),
        ("/$defs/webhook".to_owned(), sorted(&[&behaviour::WEBHOOK_FIELDS])),
        ("/$defs/step".to_owned(), sorted(&[&step::STEP_FIELDS, &step::ACTIONS])),
        ("/$defs/condition".to_owned(), sorted(&[&expectation::CONDITION_FIELDS])),
        ("/$defs/stateFields".to_owned(), sorted(&[&["object"], &expectation::TESTS])),
        ("/$defs/stateFields/properties/event".to_owned(), sorted(&[&expectation::EVENT_FIELDS])),
        ("/$defs/trouble/oneOf/1".to_owned(), sorted(&[&action::TROUBLES])),
        (step_of("patch"), sorted(&[&action::PATCH_FIELDS])),
        (step_of("edit"), sorted(&[&action::EDIT_FIELDS])),
        (step_of("scale"), sorted(&[&action::SCALE_FIELDS])),
        (step_of("publish"), sorted(&[&action::PUBLISH_FIELDS])),
        (step_of("delete/oneOf/2"), sorted(&[&action::DELETE_FIELDS])),
    ] {
        assert_eq!(fields(&pointer), known, "{pointer}");
    }
    let mut expected = [fields("/$defs/expectation"), fields("/$defs/stateFields")].concat();
    expected.sort();
    assert_eq!(expected, sorted(&[&expectation::EXPECTATION_FIELDS]));
}
