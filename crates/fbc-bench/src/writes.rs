//! How many writes a second the API server of the simulated cluster takes, and that unrelated objects cost nothing.

use std::sync::Arc;
use std::time::Instant;

use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields as _};
use fbc_cluster::time::Moment;
use serde_json::json;

/// How many objects are changed again and again, however many there are.
const CHANGED: usize = 100;

/// The least number of changes that is measured.
const LEAST_CHANGES: usize = 20_000;

/// Makes the object of a number.
type Make = fn(usize) -> Object;

/// What is measured: a name, and how an object of that kind is made.
const KINDS: [(&str, Make); 3] =
    [("ConfigMap", config_map), ("Deployment", deployment), ("custom object", widget)];

/// Measures with each of these numbers of objects.
pub(super) fn run(sizes: &[usize]) -> Result<(), ApiError> {
    println!("{:<14} {:>9} {:>12} {:>12} {:>12}", "writes/s", "objects", "create", "update", "status");
    for (kind, make) in KINDS {
        for size in sizes {
            let rates = measure(*size, make)?;
            let [create, update, status] =
                rates.map(|rate| rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.0}")));
            println!("{kind:<14} {size:>9} {create:>12} {update:>12} {status:>12}");
        }
    }
    Ok(())
}

/// Creations, updates and writes of the status a second; the latter only for kinds with a status.
fn measure(size: usize, make: fn(usize) -> Object) -> Result<[Option<f64>; 3], ApiError> {
    let mut api = control_plane::api_server(&["demo"], 1, Moment::START);
    api.install_definition(definition())?;
    let caller = Caller::administrator("benchmark");
    let options = WriteOptions::default();
    let objects: Vec<Object> = (0..size).map(make).collect();
    let start = Instant::now();
    let mut changed = Vec::new();
    for object in objects {
        let stored = api.create(&caller, object, options)?;
        if changed.len() < CHANGED {
            changed.push(stored);
        }
    }
    let create = rate(size, start);
    let update = change(&mut api, &caller, &mut changed, Subresource::None, |object, number| {
        let path: &[&str] = match object.kind() {
            "ConfigMap" => &["data", "number"],
            "Deployment" => &["spec", "template", "metadata", "annotations", "number"],
            _ => &["spec", "name"],
        };
        object.set(path, number.to_string());
    })?;
    let has_status = changed.first().is_some_and(|object| object.kind() != "ConfigMap");
    let status = has_status.then(|| {
        change(&mut api, &caller, &mut changed, Subresource::Status, |object, number| {
            object.set(&["status", "observedGeneration"], number);
            object.set(
                &["status", "conditions"],
                json!([{
                    "type": "Available", "status": if number % 2 == 0 { "True" } else { "False" }, "reason": "Measured",
                    "message": format!("write {number}"), "lastTransitionTime": "2026-01-01T00:00:00Z",
                }]),
            );
        })
    });
    Ok([Some(create), Some(update), status.transpose()?])
}

/// Changes a second.
fn change(
    api: &mut ApiServer,
    caller: &Caller,
    objects: &mut [Arc<Object>],
    subresource: Subresource,
    edit: fn(&mut Object, usize),
) -> Result<f64, ApiError> {
    let start = Instant::now();
    let mut done = 0;
    while done < LEAST_CHANGES && !objects.is_empty() {
        for object in objects.iter_mut() {
            done += 1;
            // One copy, as controllers make it.
            let mut next = Object::clone(object);
            edit(&mut next, done);
            *object = api.update(caller, next, subresource, WriteOptions::default())?;
        }
    }
    Ok(rate(done, start))
}

fn rate(done: usize, start: Instant) -> f64 {
    done as f64 / start.elapsed().as_secs_f64().max(1e-9)
}

fn config_map(number: usize) -> Object {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": format!("map-{number}"), "namespace": "demo",
            "labels": {"app": format!("app-{}", number % 100), "number": number.to_string()},
        },
        "data": {"key": "value", "number": number.to_string()},
    })
}

fn deployment(number: usize) -> Object {
    let labels = json!({"app": format!("app-{number}")});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": format!("deployment-{number}"), "namespace": "demo", "labels": labels},
        "spec": {
            "replicas": 3, "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{
                    "name": "manager", "image": "registry.example/operator:v1", "args": ["--leader-elect"],
                    "env": [{"name": "WATCH_NAMESPACE", "value": ""}, {"name": "NAME", "value": "operator"}],
                    "ports": [{"containerPort": 8443, "name": "https"}],
                    "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
                }]},
            },
        },
    })
}

fn widget(number: usize) -> Object {
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": format!("widget-{number}"), "namespace": "demo", "labels": {"app": "widgets"}},
        "spec": {"size": number % 100, "name": "widget", "tags": ["one", "two"], "parts": {"a": 1, "b": 2}},
    })
}

fn definition() -> Object {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {
                            "type": "object", "required": ["size"],
                            "properties": {
                                "size": {"type": "integer", "minimum": 0},
                                "name": {"type": "string", "maxLength": 63},
                                "mode": {"type": "string", "enum": ["A", "B"], "default": "A"},
                                "tags": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 63}},
                                "parts": {"type": "object", "additionalProperties": {"type": "integer"}},
                            },
                            "x-kubernetes-validations": [{"rule": "self.size >= 0", "message": "size must not be negative"}],
                        },
                        "status": {
                            "type": "object",
                            "properties": {
                                "observedGeneration": {"type": "integer"},
                                "conditions": {
                                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
                                    "items": {
                                        "type": "object", "required": ["type"],
                                        "properties": {
                                            "type": {"type": "string"}, "status": {"type": "string"},
                                            "reason": {"type": "string"}, "message": {"type": "string"},
                                            "lastTransitionTime": {"type": "string", "format": "date-time"},
                                        },
                                    },
                                },
                            },
                        },
                    },
                }},
            }],
        },
    })
}
