//! Which revision the engine makes, keeps and drops.

use std::collections::BTreeMap;

use fbc_bundle::manifests;
use fbc_cluster::kind::{Kind, Registry};
use serde_json::{Value, json};

use super::super::*;
use crate::Target;
use crate::definitions::{Edition, definitions};

fn api() -> ApiServer {
    let mut registry = Registry::default();
    for (kind, plural, namespaced) in [("Namespace", "namespaces", false), ("Secret", "secrets", true)] {
        registry.register(Kind {
            group: String::new(),
            versions: vec!["v1".into()],
            kind: kind.into(),
            plural: plural.into(),
            singular: kind.to_lowercase(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            has_status: false,
            has_generation: false,
        });
    }
    registry.register(Kind {
        group: "apiextensions.k8s.io".into(),
        versions: vec!["v1".into()],
        kind: "CustomResourceDefinition".into(),
        plural: "customresourcedefinitions".into(),
        singular: "customresourcedefinition".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: false,
        has_status: true,
        has_generation: true,
    });
    let mut api = ApiServer::new(registry, 1);
    for definition in definitions(Edition::LATEST_EXPERIMENTAL) {
        api.install_definition(definition).expect("a definition");
    }
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "olmv1-system"}});
    let caller = Caller::administrator("kubectl");
    api.create(&caller, namespace, WriteOptions::default()).expect("a namespace");
    api
}

fn extension() -> Object {
    json!({
        "apiVersion": names::API_VERSION, "kind": "ClusterExtension",
        "metadata": {"name": "demo", "uid": "1", "generation": 1},
        "spec": {"namespace": "a", "serviceAccount": {"name": "installer"}},
    })
}

fn object(value: &Value) -> manifests::Object {
    let text = value.to_string();
    manifests::Object::new(Arc::new(fbc_yaml::stream::read_one(text.as_bytes()).expect("JSON")))
}

fn apply(engine: &Boxcutter, version: usize, api: &mut ApiServer) -> Result<(), BoxcutterError> {
    let data = json!({"version": version.to_string()});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "a"}, "data": data});
    let rendered = Arc::new(Rendered { objects: vec![object(&map)], annotations: BTreeMap::new() });
    let resolved = RevisionMetadata { version: format!("{version}.0.0"), ..RevisionMetadata::default() };
    let mut extension = extension();
    engine.apply(&mut extension, &resolved, Some(&rendered), &RevisionStates::default(), api)
}

fn revision_names(api: &ApiServer) -> Vec<String> {
    revisions(api, &extension()).iter().map(|revision| revision.name().to_owned()).collect()
}

fn archive(name: &str, api: &mut ApiServer) {
    let id = api.kind_id(names::GROUP, names::CLUSTER_OBJECT_SET).expect("the kind");
    let patch = Patch::Merge(json!({"spec": {"lifecycleState": "Archived"}}));
    let (caller, name) = (Caller::administrator("test"), ObjectName::cluster(name));
    api.patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default()).expect("archived");
}

#[test]
fn the_same_content_is_the_same_revision_and_other_content_another() {
    let (engine, mut api) = (Boxcutter::new(Options::of(Target::Latest)), api());
    apply(&engine, 1, &mut api).expect("applied");
    let before = api.store().revision();
    apply(&engine, 1, &mut api).expect("applied");
    assert_eq!((revision_names(&api), api.store().revision()), (vec!["demo-1".to_owned()], before));
    apply(&engine, 2, &mut api).expect("applied");
    assert_eq!(revision_names(&api), ["demo-1", "demo-2"]);
    for secret in api.all("", "Secret") {
        let owner = secret.controller().map(|owner| owner.text(&["name"]));
        assert_eq!(owner, secret.label(names::REVISION_NAME));
    }
}

#[test]
fn archived_revisions_are_kept_five_deep_and_active_ones_always() {
    let (engine, mut api) = (Boxcutter::new(Options::of(Target::Latest)), api());
    for version in 1..=8 {
        apply(&engine, version, &mut api).expect("applied");
        // The second one stays active for ever.
        if version != 2 {
            archive(&format!("demo-{version}"), &mut api);
        }
    }
    assert_eq!(revision_names(&api), ["demo-2", "demo-3", "demo-4", "demo-5", "demo-6", "demo-7", "demo-8"]);
    apply(&engine, 9, &mut api).expect("applied");
    assert_eq!(revision_names(&api), ["demo-2", "demo-4", "demo-5", "demo-6", "demo-7", "demo-8", "demo-9"]);
}

#[test]
fn without_content_only_what_is_there_is_kept() {
    let (engine, mut api) = (Boxcutter::new(Options::of(Target::Latest)), api());
    let keep = |api: &mut ApiServer| {
        engine.apply(&mut extension(), &RevisionMetadata::default(), None, &RevisionStates::default(), api)
    };
    assert!(matches!(keep(&mut api), Err(BoxcutterError::NothingToKeep)));
    apply(&engine, 1, &mut api).expect("applied");
    keep(&mut api).expect("kept");
}

#[test]
fn missing_rights_name_the_revision_that_would_be_made() {
    let mut options = Options::of(Target::Latest);
    let mut api = api();
    apply(&Boxcutter::new(options.clone()), 1, &mut api).expect("applied");
    options.gates.preflight_permissions = true;
    let error = apply(&Boxcutter::new(options), 2, &mut api).expect_err("no rights").to_string();
    assert!(error.starts_with("creating new Revision: pre-authorization failed: "), "{error}");
    assert!(error.contains("clusterobjectsets/finalizers] ResourceNames:[demo-2]"), "{error}");
    assert_eq!(revision_names(&api), ["demo-1"]);
}
