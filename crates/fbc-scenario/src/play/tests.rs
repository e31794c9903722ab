//! Runs of small scenarios: what is met, what is not, and what is told.

use std::sync::Arc;

use fbc_model::overlay_tree::OverlayTree;
use fbc_model::tree::{DiskTree, MemoryTree, Tree};

use super::{Options, Run, Verdict, play};
use crate::{Contents, Prepared, Scenario};

fn prepared(text: &str) -> Result<Prepared, Vec<String>> {
    let texts = |faults: Vec<crate::ScenarioFault>| faults.iter().map(ToString::to_string).collect();
    let scenario = Scenario::read("s.yaml", text.as_bytes()).map_err(texts)?;
    let mut files = MemoryTree::default();
    files.insert("pod.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n");
    files.insert("broken.yaml", "apiVersion: v1\nkind: [\n");
    Prepared::new(scenario, Contents::default(), Arc::new(files)).map_err(texts)
}

/// What is wrong with the section `clusterVersion` of a scenario beside the payloads of the examples, and beside a file.
fn faults_of_updates(section: &str, file: (&str, &str)) -> Vec<String> {
    let text =
        format!("title: t\nopenshift: {{clusterVersion: {{payloads: [payload-4.18.8], {section}}}}}\n");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenarios/updates").into();
    let files = [(file.0.into(), Some(file.1.into()))].into();
    let files: Arc<dyn Tree> = Arc::new(OverlayTree::new(Box::new(DiskTree { root }), files));
    let texts =
        |faults: Vec<crate::ScenarioFault>| faults.iter().map(|fault| fault.message.clone()).collect();
    Scenario::read("s.yaml", text.as_bytes())
        .and_then(|scenario| Prepared::new(scenario, Contents::default(), files))
        .map_or_else(texts, |_| Vec::new())
}

fn run(text: &str) -> Run {
    let prepared = prepared(text).unwrap();
    let options = Options { keep_trace: true, ..Options::default() };
    let (first, second) = (play(&prepared, options), play(&prepared, options));
    assert_eq!(first.trace, second.trace);
    assert_eq!(first.hash, second.hash);
    first
}

/// What failed, with what was seen instead.
fn failures(run: &Run) -> Vec<String> {
    let steps = run.steps.iter().filter_map(|step| step.fault.clone());
    let failed = run.expectations.iter().filter_map(|result| match &result.verdict {
        Verdict::Failed(at, seen) => Some(format!("{at}: {}: {seen}", result.wanted)),
        Verdict::Met(_) => None,
    });
    steps.chain(failed).collect()
}

const START: &str = "title: t\nobjects: [pod.yaml]\nsteps:\n";

#[test]
fn steps_change_objects_and_expectations_see_it() {
    let run = run(&format!(
        "{START}\
- edit: {{object: ConfigMap/default/a, set: {{data: {{key: one}}}}}}
  expect: [{{object: ConfigMap/default/a, fields: {{.data.key: one}}}}]
- at: 10m
  patch: {{object: ConfigMap/default/a, patch: {{data: {{key: two}}}}}}
- after: 1m
  delete: ConfigMap/default/a
  expect: [{{object: ConfigMap/default/a, absent: true, within: 1s}}]
- apply: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: b}}}}
  expect: [{{object: cm/default/b}}]
expect:
- order:
  - {{object: ConfigMap/default/a, fields: {{.data.key: two}}}}
  - {{object: ConfigMap/default/a, absent: true}}
"
    ));
    assert_eq!(failures(&run), [] as [String; 0]);
    assert!(run.is_success());
    let times: Vec<u64> = run.steps.iter().map(|step| step.at / 1000).collect();
    assert_eq!(times, [10, 600, 660, 670]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.to_json_text()).unwrap(), run.to_json());
}

#[test]
fn what_is_not_seen_is_told() {
    let run = run(&format!(
        "{START}\
- edit: {{object: ConfigMap/default/a, set: {{data: {{key: one}}}}}}
  expect:
  - {{object: ConfigMap/default/a, fields: {{.data.key: two}}, within: 1m}}
  - {{object: ConfigMap/default/a, absent: true}}
  - {{object: Pod/default/a, condition: {{type: Ready}}}}
  - never: {{object: ConfigMap/default/a, fields: {{.data.key: three}}}}
- edit: {{object: ConfigMap/default/a, set: {{data: {{key: three}}}}}}
- create: pod.yaml
- create: pod.yaml
  refused: configmaps \"a\" already exists
- delete: ConfigMap/default/x
  refused: something else
- edit: {{object: ConfigMap/default/a, set: {{data: null}}}}
  refusedMatches: not
expect:
- order:
  - {{object: ConfigMap/default/a, fields: {{.data.key: three}}}}
  - {{object: ConfigMap/default/a, fields: {{.data.key: one}}}}
"
    ));
    assert_eq!(
        failures(&run),
        [
            "configmaps \"a\" already exists",
            "was refused with \"configmaps \\\"x\\\" not found\", expected was \"something else\"",
            "was accepted, but a refusal was expected: matching /not/",
            "70000: ConfigMap/default/a has fields where .data.key is \"two\" within 1m: .data.key is \"one\"",
            "70000: ConfigMap/default/a does not exist: it exists",
            "70000: Pod/default/a has condition Ready: it does not exist",
            "70000: never: ConfigMap/default/a has fields where .data.key is \"three\": ",
            "120000: in this order: ConfigMap/default/a has fields where .data.key is \"three\", then ConfigMap/default/a has fields where .data.key is \"one\": never seen that ConfigMap/default/a has fields where .data.key is \"one\" after ConfigMap/default/a has fields where .data.key is \"three\"; .data.key is absent",
        ]
    );
}

#[test]
fn a_step_waits_for_a_state_and_runs_end() {
    let waiting = run(&format!(
        "{START}\
- when: {{object: ConfigMap/default/a}}
  wait: 5m
- when: {{object: ConfigMap/default/b, within: 2m}}
  delete: ConfigMap/default/a
- jump: 1h
"
    ));
    assert_eq!(
        failures(&waiting),
        ["not done, because it waits for: ConfigMap/default/b exists within 2m; it does not exist"]
    );
    let short = run(&format!("{START}- wait: 5m\n- wait: 10m\n").replace("title: t", "title: t\nuntil: 7m"));
    assert_eq!((short.end, short.steps.len()), (420_000, 2));
}

#[test]
fn what_a_run_does_not_reach_is_not_met() {
    let short =
        run(&format!("{START}- wait: 10m\n- wait: 1m\n  expect: [{{object: ConfigMap/default/a}}]\n")
            .replace("title: t", "title: t\nuntil: 7m"));
    assert_eq!(
        failures(&short),
        ["420000: ConfigMap/default/a exists: not reached: the run ended before step 2"]
    );
    assert!(!short.is_success());
    let text = format!(
        "{START}- wait: 10m\n- run: oc get pods\n  exit: 1\n- run: oc get pods\n- delete: Pod/default/none\n  refused: denied\n"
    );
    let short = run(&text.replace("title: t", "title: t\nuntil: 7m"));
    let failed: Vec<usize> =
        short.steps.iter().filter(|step| step.fault.is_some()).map(|step| step.number).collect();
    assert_eq!(failed, [2, 4], "a command that may say anything is no check");
    assert_eq!(failures(&short), ["not reached: the run ended before this step"; 2]);
    assert!(!short.is_success());
}

#[test]
fn objects_that_are_refused_at_the_start_have_a_place() {
    for (objects, place) in [
        ("- {apiVersion: v1, kind: Namespace, metadata: {name: default}}", "s.yaml:3"),
        ("- pod.yaml\n- pod.yaml", "pod.yaml:1"),
    ] {
        let run = run(&format!("title: t\nobjects:\n{objects}\n"));
        let [step] = &run.steps[..] else { panic!("{:?}", run.steps) };
        let fault = step.fault.as_deref().unwrap();
        assert!(fault.ends_with("\" already exists") && !fault.contains("yaml"), "{fault}");
        assert_eq!(step.location(&run.file), place);
    }
}

#[test]
fn what_could_never_be_evaluated_is_refused_before() {
    let told = prepared(
        "title: t\nobjects: [missing.yaml, broken.yaml]\nexpect:\n- object: Lamp/a\n- object: Pods/a\n- object: Namespace/a/b\n",
    );
    let told = told.err().unwrap();
    assert_eq!(told.len(), 5, "{told:#?}");
    assert!(told[0].starts_with("broken.yaml:"), "{}", told[0]);
    assert!(told[1].starts_with("s.yaml:2:11: cannot read missing.yaml: "), "{}", told[1]);
    assert_eq!(
        told[2..],
        [
            "s.yaml:4:3: there is no kind \"Lamp\"",
            "s.yaml:5:3: objects of kind Pod have a namespace",
            "s.yaml:6:3: objects of kind Namespace have no namespace",
        ]
    );
    // A definition in the files makes its kind known.
    let known = "title: t\nobjects:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  \
                 metadata: {name: lamps.a.example}\n  spec: {group: a.example, scope: Cluster, names: {kind: Lamp, plural: lamps}}\n\
                 expect:\n- {object: Lamp/a, absent: true}\n";
    assert!(prepared(known).is_ok());
}

#[test]
fn images_and_names_that_cannot_be_are_refused_before() {
    let told = prepared(
        "title: t\nsteps:\n- break: {image: registry.example/a:b}\n- fix: {image: registry.example/a:b}\n",
    );
    assert_eq!(
        told.err().unwrap(),
        [
            "s.yaml:3:3: there is no image \"registry.example/a:b\"",
            "s.yaml:4:3: there is no image \"registry.example/a:b\"",
        ]
    );
    let told = prepared("title: t\ncatalogs:\n- {name: Not_A_Name, content: c}\n").err().unwrap();
    assert_eq!(
        told,
        ["s.yaml:3:4: catalogs[0].name cannot be \"Not_A_Name\": a ClusterCatalog has this name"]
    );
}

#[test]
fn what_the_whole_scenario_expects_holds_no_step_up() {
    let run = run(&format!(
        "{START}\
- edit: {{object: ConfigMap/default/a, set: {{data: {{key: one}}}}}}
- restart: operator-controller
expect:
- {{object: ConfigMap/default/a, fields: {{.data.key: one}}, within: 2h}}
- {{object: ConfigMap/default/b, absent: true, within: 2h}}
"
    ));
    assert_eq!(failures(&run), [] as [String; 0]);
    assert!(run.steps.iter().all(|step| step.at < 60_000), "{:?}", run.steps);
}

#[test]
fn stores_of_signatures_that_nobody_could_use_are_refused() {
    let store = |keys: &str, directory: &str| {
        format!("signatures: {{{keys} stores: {{\"https://store.example\": {directory}}}}}")
    };
    let with_keys = |directory: &str| store("keys: [signatures/release.asc],", directory);
    let none = ("other.yaml", "");
    assert_eq!(faults_of_updates(&with_keys("signatures/store"), none), [""; 0]);
    assert_eq!(
        faults_of_updates(&with_keys("signatures"), none),
        ["cannot read signatures: it holds no directory such as sha256=HEX"]
    );
    let without_keys = store("", "signatures/store");
    assert_eq!(
        faults_of_updates(&without_keys, none),
        ["nothing asks https://store.example: no payload names it as a store of signatures"]
    );
    let settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: release-verification, namespace: openshift-config-managed, \
                    annotations: {include.release.openshift.io/self-managed-high-availability: \"true\", \
                    release.openshift.io/verification-config-map: \"\"}}, data: {store-a: \"https://store.example\"}}";
    let named = ("payload-4.18.8/release-manifests/0000_90_verification.yaml", settings);
    assert_eq!(faults_of_updates(&without_keys, named), [""; 0]);
}

#[test]
fn pools_are_refused_at_the_field_that_is_wrong() {
    let faults = |pool: &str| faults_of_updates(&format!("pools: {{master: {pool}}}"), ("other.yaml", ""));
    let place = "openshift.clusterVersion.pools.master";
    for (pool, fault) in [
        ("1000000000000", " must be a number of nodes, at most 5000"),
        ("{nodes: 5001}", ".nodes must be a number of nodes, at most 5000"),
        ("{\"\": 1}", ". is not known"),
        ("{node: 1, paused: 1}", ".node is not known"),
    ] {
        assert_eq!(faults(pool)[0], format!("{place}{fault}"), "{pool}");
    }
    assert_eq!(faults("{nodes: 1, maxUnavailable: 20%}"), [""; 0]);
}

#[test]
fn accounts_may_be_left_out_where_they_are_ignored() {
    let extension = "apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: e}, \
         spec: {namespace: default, source: {sourceType: Catalog, catalog: {packageName: p}}}";
    let retrying = |accounts: &str| {
        let text = format!(
            "title: t\n{accounts}steps:\n- apply: {{{extension}}}\nexpect:\n- object: ClusterExtension/e\n  \
             condition: {{type: Progressing, message: no bundles found for package \"p\"}}\n\
             - object: ValidatingAdmissionPolicyBinding/clusterextension-serviceaccount-deprecated\n"
        );
        failures(&run(&text))
    };
    assert_eq!(retrying("usesServiceAccounts: false\n"), [] as [String; 0]);
    assert_eq!(retrying("").len(), 3);
}

#[test]
fn policies_that_warn_are_told_of_with_what_is_written() {
    let api = "apiVersion: admissionregistration.k8s.io/v1";
    let text = format!(
        "title: t\nobjects:\n\
         - {{{api}, kind: ValidatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
         matchConstraints: {{resourceRules: [{{apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], \
         resources: [configmaps]}}]}}, validations: [{{expression: \"false\", message: not good}}]}}}}\n\
         - {{{api}, kind: ValidatingAdmissionPolicyBinding, metadata: {{name: b}}, \
         spec: {{policyName: p, validationActions: [Warn]}}}}\n\
         steps:\n- apply: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: m}}}}\n\
         - run: kubectl create configmap n\n- run: kubectl get configmap n -o name\n"
    );
    let warning = "Warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': not good\n";
    let printed: Vec<String> =
        run(&text).steps.into_iter().map(|step| step.printed.unwrap_or_default()).collect();
    assert_eq!(printed.len(), 3);
    assert_eq!(printed[0], warning);
    for (text, expected) in [(&printed[1], true), (&printed[2], false)] {
        assert_eq!(text.contains(warning.trim_end()), expected, "{text}");
    }
}
