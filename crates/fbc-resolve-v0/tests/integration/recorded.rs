//! Recorded namespaces: what the resolver says of the objects at the end of a step is what the real one wrote into them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::load::load_bytes;
use fbc_resolve_v0::{
    Catalog, CatalogSource, Content, InstalledOperator, Namespace, SourceKey, Subscription, resolve,
};
use serde_json::Value;

use crate::harbor::RULES;

/// The namespace whose catalogs serve all others.
const GLOBAL: &str = "olm";

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The values of the top level of a small file of YAML.
fn fields(path: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// The objects at the end of each step, whole.
fn settled(scenario: &Path) -> Vec<(String, Vec<Value>)> {
    let mut known: BTreeMap<(String, String, String, String), Value> = BTreeMap::new();
    let mut files: Vec<PathBuf> =
        fs::read_dir(scenario.join("recorded")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut steps = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let recorded: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let mut objects = Vec::new();
        for object in recorded["settled"].as_array().unwrap() {
            let short = object.get("as").is_some();
            let field = |short_form: &str, pointer: &str| {
                text(object, if short { short_form } else { pointer }).to_owned()
            };
            let key = (
                text(object, "/kind").to_owned(),
                field("/namespace", "/metadata/namespace"),
                field("/name", "/metadata/name"),
            );
            let whole = match object.get("as").and_then(Value::as_str) {
                Some(step) => known[&(key.0.clone(), key.1.clone(), key.2.clone(), step.to_owned())].clone(),
                None => object.clone(),
            };
            known.insert((key.0, key.1, key.2, name.clone()), whole.clone());
            objects.push(whole);
        }
        steps.push((name, objects));
    }
    steps
}

/// What the catalogs serve during each step, by address or image.
fn served(scenario: &Path, step: &str) -> BTreeMap<String, PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(scenario.join("steps")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut served = BTreeMap::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name[..2] > step[..2] || !(name.ends_with("-serve.yaml") || name.ends_with("-image.yaml")) {
            continue;
        }
        let fields = fields(&file);
        let Some(key) = fields.get("address").or_else(|| fields.get("image")) else { continue };
        match fields.get("content").map(String::as_str) {
            // The resolver goes on with what it has read.
            None | Some("null") => {}
            Some(content) => {
                served.insert(key.clone(), scenario.join("content").join(content).join("catalog.yaml"));
            }
        }
    }
    served
}

fn namespaces(scenario: &Path, step: &str, objects: &[Value]) -> Vec<(Namespace, Vec<Value>)> {
    let of_kind = |kind: &'static str| objects.iter().filter(move |object| text(object, "/kind") == kind);
    let served = served(scenario, step);
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for subscription in of_kind("Subscription") {
        found
            .entry(text(subscription, "/metadata/namespace").to_owned())
            .or_default()
            .push(subscription.clone());
    }
    let mut all = Vec::new();
    for (name, subscriptions) in found {
        let sources = of_kind("CatalogSource").filter(|source| {
            let namespace = text(source, "/metadata/namespace");
            namespace == name || namespace == GLOBAL
        });
        let catalogs = sources.map(|source| {
            let place = [text(source, "/spec/address"), text(source, "/spec/image")];
            let path = place.iter().find_map(|place| served.get(*place));
            let content = match path {
                Some(path) => {
                    Content::Served(Arc::new(Catalog::new(&load_bytes(path, &fs::read(path).unwrap()))))
                }
                None => Content::Failed("unread".to_owned()),
            };
            CatalogSource {
                key: SourceKey {
                    namespace: text(source, "/metadata/namespace").to_owned(),
                    name: text(source, "/metadata/name").to_owned(),
                },
                priority: source.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or_default(),
                content,
            }
        });
        let groups: Vec<&Value> =
            of_kind("OperatorGroup").filter(|group| text(group, "/metadata/namespace") == name).collect();
        let here =
            of_kind("ClusterServiceVersion").filter(|version| text(version, "/metadata/namespace") == name);
        let namespace = Namespace {
            catalogs: catalogs.collect(),
            subscriptions: subscriptions.iter().map(Subscription::from_object).collect(),
            operators: here.filter_map(InstalledOperator::from_object).collect(),
            fails_forward: groups
                .iter()
                .any(|group| text(group, "/spec/upgradeStrategy").starts_with("Tech")),
            name,
        };
        all.push((namespace, subscriptions));
    }
    all
}

/// The message of `ResolutionFailed`, if the resolver found that the constraints contradict each other.
fn contradiction(subscription: &Value) -> Option<String> {
    let conditions = subscription.pointer("/status/conditions")?.as_array()?;
    let failed = conditions.iter().find(|condition| {
        condition["type"] == "ResolutionFailed" && condition["reason"] == "ConstraintsNotSatisfiable"
    })?;
    Some(text(failed, "/message").to_owned())
}

/// Whether all Subscriptions follow what is there, and nothing failed.
fn is_at_rest(subscriptions: &[Value]) -> bool {
    subscriptions.iter().all(|subscription| {
        let conditions = subscription.pointer("/status/conditions").and_then(Value::as_array);
        let failed = |condition: &Value| {
            condition["type"] == "ResolutionFailed" || condition["type"] == "BundleUnpackFailed"
        };
        text(subscription, "/status/state") == "AtLatestKnown"
            && !conditions.into_iter().flatten().any(failed)
    })
}

/// Whether what failed is that a catalog is gone, or that an operator is being replaced: neither wakes the resolver.
fn is_not_noticed(said: &Result<Vec<String>, String>) -> bool {
    let texts = ["no operators found from catalog", "is not referenced by a subscription"];
    said.as_ref().is_err_and(|error| texts.iter().any(|text| error.contains(text)))
}

/// What the resolver says: its error, or the names of what it installs.
fn said(namespace: &Namespace) -> Result<Vec<String>, String> {
    let resolution = resolve(namespace, RULES).map_err(|error| error.to_string())?;
    let new = resolution.operators.iter().filter(|operator| !operator.is_up_to_date);
    Ok(new.map(|operator| operator.entry.name().to_owned()).collect())
}

/// A condition stays until somebody looks again, which the deletion of what was in the way does not cause: then it is what was
/// true at the end of the step before.
#[test]
fn namespaces_are_resolved_as_recorded() {
    let Some(root) = fbc_testing::recordings("olmv0") else { return };
    let (mut failed, mut at_rest) = (0, 0);
    let mut differences = Vec::new();
    let mut scenarios: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    scenarios.sort();
    for scenario in scenarios {
        let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
        let mut before: BTreeMap<String, Result<Vec<String>, String>> = BTreeMap::new();
        for (step, objects) in settled(&scenario) {
            for (namespace, subscriptions) in namespaces(&scenario, &step, &objects) {
                let found = said(&namespace);
                let before = before.insert(namespace.name.clone(), found.clone());
                let recorded: Vec<String> = subscriptions.iter().filter_map(contradiction).collect();
                if let Some(expected) = recorded.first() {
                    failed += 1;
                    let is_expected =
                        |said: &Result<Vec<String>, String>| said.as_ref().err() == Some(expected);
                    if !is_expected(&found) && !before.as_ref().is_some_and(is_expected) {
                        differences.push(format!("{name} {step}\n  recorded {expected}\n  found {found:?}"));
                    }
                } else if is_at_rest(&subscriptions) {
                    at_rest += 1;
                    if !(found == Ok(Vec::new()) || is_not_noticed(&found)) {
                        differences.push(format!("{name} {step}\n  recorded at rest\n  found {found:?}"));
                    }
                }
            }
        }
    }
    assert!(failed > 0 && at_rest > 0);
    let texts = differences.join("\n");
    assert!(
        differences.is_empty(),
        "{} of {failed} failed and {at_rest} at rest differ:\n{texts}",
        differences.len()
    );
}
