//! What becomes of requests that say more, or something else, than they should.

use serde_json::json;

use super::*;
use crate::control_plane;

fn server() -> ApiServer {
    control_plane::api_server(&["sea"], 1, Moment::START)
}

fn caller() -> Caller {
    Caller::administrator("test")
}

fn map(metadata: &Value) -> Object {
    let mut map =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "sea"}});
    for (field, value) in metadata.as_object().into_iter().flatten() {
        map.set(&["metadata", field], value.clone());
    }
    map
}

fn create(server: &mut ApiServer, object: Object) -> Result<Arc<Object>, ApiError> {
    server.create(&caller(), object, WriteOptions::default())
}

fn update(server: &mut ApiServer, object: Object) -> Result<Arc<Object>, ApiError> {
    server.update(&caller(), object, Subresource::None, WriteOptions::default())
}

fn patch(
    server: &mut ApiServer,
    object: &Object,
    patch: &Patch,
    validation: FieldValidation,
) -> Result<Arc<Object>, ApiError> {
    let (id, _) = server.kind_of(object).unwrap();
    let options = WriteOptions { validation, ..WriteOptions::default() };
    server.patch(&caller(), id, &object.object_name(), patch, Subresource::None, options)
}

#[test]
fn a_resource_version_of_a_new_object_is_looked_at_by_the_store() {
    let mut server = server();
    let versioned = map(&json!({"resourceVersion": "5"}));
    let dry_run = WriteOptions { dry_run: true, ..WriteOptions::default() };
    assert!(server.create(&caller(), versioned.clone(), dry_run).is_ok());
    let refusal = create(&mut server, versioned.clone()).unwrap_err();
    assert_eq!((refusal.code(), refusal.reason_text().as_str()), (500, ""));
    assert_eq!(refusal.message, "resourceVersion should not be set on objects to be created");
    let mut misnamed = versioned;
    misnamed.set(&["metadata", "name"], "M_");
    assert_eq!(create(&mut server, misnamed).unwrap_err().code(), 422);
}

#[test]
fn a_uid_is_a_precondition() {
    let mut server = server();
    create(&mut server, map(&json!({}))).unwrap();
    let other = map(&json!({"uid": "other"}));
    let refusal = update(&mut server, other.clone()).unwrap_err();
    assert_eq!(refusal.code(), 409);
    assert!(refusal.message.contains("Key: /registry/configmaps/sea/m, "), "{refusal}");
    let changes = Patch::Merge(json!({"metadata": {"uid": "other"}}));
    let refusal = patch(&mut server, &other, &changes, FieldValidation::Ignore).unwrap_err();
    assert_eq!(
        refusal.message,
        "ConfigMap \"m\" is invalid: metadata.uid: Invalid value: \"other\": field is immutable"
    );
    let mut absent = other;
    absent.set(&["metadata", "name"], "absent");
    let configuration = Patch::Apply { configuration: absent.clone(), force: false };
    let refusal = patch(&mut server, &absent, &configuration, FieldValidation::Ignore).unwrap_err();
    assert!(refusal.message.contains("uid mismatch: the provided object specified uid other"), "{refusal}");
}

#[test]
fn namespaces_keep_their_finalizers_until_they_are_finalized() {
    let mut server = server();
    let mut namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sea"}});
    let kept = json!(["kubernetes"]);
    assert_eq!(update(&mut server, namespace.clone()).unwrap()["spec"]["finalizers"], kept);
    namespace.set(&["spec", "finalizers"], json!(["kubernetes", "a.b/c"]));
    let configuration = Patch::Apply { configuration: namespace.clone(), force: true };
    let stored = patch(&mut server, &namespace, &configuration, FieldValidation::Ignore).unwrap();
    assert_eq!(stored["spec"]["finalizers"], kept);
    let finalized =
        server.update(&caller(), namespace, Subresource::Finalize, WriteOptions::default()).unwrap();
    assert_eq!(finalized["spec"]["finalizers"], json!(["kubernetes", "a.b/c"]));
}

#[test]
fn some_replacements_create_and_some_need_a_version() {
    let mut server = server();
    let lease = |holder: &str| {
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l", "namespace": "sea"},
            "spec": {"holderIdentity": holder},
        })
    };
    assert!(update(&mut server, lease("a")).is_ok());
    let (id, _) = server.kind_of(&lease("b")).unwrap();
    let refusal = server.check_version(id, &lease("b")).unwrap_err();
    assert!(
        refusal
            .message
            .ends_with("metadata.resourceVersion: Invalid value: 0: must be specified for an update")
    );
    assert_eq!(update(&mut server, map(&json!({}))).unwrap_err().code(), 404);
}

#[test]
fn patches_are_held_to_the_fields_of_the_kind() {
    let mut server = server();
    let object = map(&json!({}));
    create(&mut server, object.clone()).unwrap();
    server.take_warnings();
    for changes in [Patch::Merge(json!({"dta": {}})), Patch::Strategic(json!({"dta": {"a": 1}}))] {
        assert!(patch(&mut server, &object, &changes, FieldValidation::Warn).is_ok());
        assert_eq!(server.take_warnings(), ["unknown field \"dta\""]);
        let refusal = patch(&mut server, &object, &changes, FieldValidation::Strict).unwrap_err();
        assert_eq!(refusal.code(), 422);
        assert!(refusal.message.ends_with("strict decoding error: unknown field \"dta\""), "{refusal}");
        assert_eq!(refusal.message.contains("\"map[dta:map[a:1]]\""), matches!(changes, Patch::Strategic(_)));
    }
}

#[test]
fn owners_are_kept_once() {
    let mut server = server();
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"});
    let mut other = owner.clone();
    other.set(&["controller"], true);
    let stored = create(&mut server, map(&json!({"ownerReferences": [owner, other, owner]}))).unwrap();
    assert_eq!(stored.owner_references().len(), 2);
    let warnings = server.take_warnings();
    assert!(warnings[0].ends_with("duplicate UID(s) observed: u"), "{warnings:?}");
}

#[test]
fn what_admission_and_strategies_add_belongs_to_nobody() {
    let mut server = server();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "sea"},
        "spec": {"containers": [{"name": "c", "image": "x"}]},
    });
    let pod = crate::apply::unpacked(&create(&mut server, pod).unwrap());
    let owned = &pod["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"];
    assert!(pod["spec"].get("tolerations").is_some() && pod["spec"].get("priority").is_some());
    let names: Vec<&str> = owned.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "f:containers",
            "f:dnsPolicy",
            "f:enableServiceLinks",
            "f:restartPolicy",
            "f:schedulerName",
            "f:securityContext",
            "f:terminationGracePeriodSeconds",
        ]
    );
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "sea"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}},
    });
    let job = crate::apply::unpacked(&create(&mut server, job).unwrap());
    assert!(job.at(&["spec", "selector", "matchLabels"]).is_some());
    let owned = &job["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"];
    assert!(owned.get("f:selector").is_none() && owned["f:template"].get("f:metadata").is_none(), "{owned}");
}

#[test]
fn an_event_is_one_object_in_both_groups() {
    let mut server = server();
    let event = json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e", "namespace": "sea"},
        "regarding": {"kind": "Pod", "name": "p", "namespace": "sea"}, "note": "hello", "type": "Normal",
        "reason": "R", "action": "A", "reportingController": "a.b/c", "reportingInstance": "i",
        "eventTime": "2026-01-01T00:00:00.000000Z",
    });
    let stored = create(&mut server, event).unwrap();
    assert_eq!(server.find("", "Event", &stored.object_name()).unwrap().text(&["message"]), "hello");
    let new = server.kind_id("events.k8s.io", "Event").unwrap();
    let (id, _) = server.kind_of(&stored).unwrap();
    assert_eq!(server.stored_as(new), id);
    assert_eq!(server.in_version(id, &stored, "events.k8s.io/v1").text(&["note"]), "hello");
    assert_eq!(server.in_version(id, &stored, "v1").text(&["message"]), "hello");
}

#[test]
fn parts_of_pods_are_written_alone() {
    let mut server = server();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "sea"},
        "spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}]},
    });
    let stored = create(&mut server, pod).unwrap();
    let mut changed = Object::clone(&stored);
    let added = json!([{"name": "debugger", "image": "y", "targetContainerName": "c"}]);
    changed.set(&["spec", "ephemeralContainers"], added);
    changed.set(&["metadata", "labels", "a"], "b");
    let options = WriteOptions::default();
    let stored = server.update(&caller(), changed, Subresource::EphemeralContainers, options).unwrap();
    assert_eq!(stored.list(&["spec", "ephemeralContainers"]).len(), 1);
    assert!(stored.at(&["metadata", "labels"]).is_none());
    let mut without = Object::clone(&stored);
    without.remove(&["spec", "ephemeralContainers"]);
    let refusal = server.update(&caller(), without, Subresource::EphemeralContainers, options).unwrap_err();
    assert!(refusal.message.contains("existing ephemeral containers \"debugger\" may not be removed"));
    let mut resized = Object::clone(&stored);
    let mut containers = resized.list(&["spec", "containers"]).to_vec();
    containers[0].set(&["resources", "requests", "cpu"], "2");
    containers[0].set(&["image"], "other");
    resized.set(&["spec", "containers"], containers);
    let stored = server.update(&caller(), resized, Subresource::Resize, options).unwrap();
    let container = &stored["spec"]["containers"][0];
    assert_eq!((container.text(&["resources", "requests", "cpu"]), container.text(&["image"])), ("2", "x"));
}
