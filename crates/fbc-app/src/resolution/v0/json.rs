//! Resolutions of OLM v0 as JSON.

use fbc_resolve_v0::{Answer, BundleName, Cause, Need, NewOperator, Part, Verdict};
use serde_json::{Map, Value, json};

use super::{NamespaceAnswer, words};

/// The answer about a namespace; with every bundle if that is wanted.
#[must_use]
pub fn answer(answer: &NamespaceAnswer, with_bundles: bool) -> Value {
    let (asked, explanation) = (&answer.asked, &answer.explanation);
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
    set("namespace", json!(asked.namespace.name));
    match &explanation.outcome {
        Ok(resolution) => {
            let new: Vec<Value> = resolution
                .operators
                .iter()
                .filter(|operator| !operator.is_up_to_date)
                .map(|operator| new_operator(operator, &explanation.needs))
                .collect();
            set("installs", json!(new));
        }
        Err(error) => {
            set("error", json!(error.to_string()));
            set("reason", json!(error.reason()));
            set("causes", json!(explanation.causes.iter().map(cause).collect::<Vec<Value>>()));
            set("why", json!(words::reasons(&explanation.causes, &asked.namespace)));
            set("help", json!(words::remedies(&explanation.causes, &asked.namespace)));
        }
    }
    let subscriptions: Vec<Value> = explanation
        .subscriptions
        .iter()
        .map(|one| subscription(one, asked.places.get(&one.subscription.name), with_bundles))
        .collect();
    set("subscriptions", json!(subscriptions));
    let notes = answer.notes();
    if !notes.is_empty() {
        set("notes", json!(notes));
    }
    Value::Object(object)
}

fn new_operator(operator: &NewOperator, needs: &[Need]) -> Value {
    let NewOperator { catalog, entry, replaces, subscriptions, generated, .. } = operator;
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
    set("name", json!(entry.name()));
    set("version", json!(entry.bundle.version.as_ref().map(ToString::to_string)));
    set("package", json!(entry.bundle.package));
    set("channel", json!(entry.channel));
    set("catalog", json!({"name": catalog.name, "namespace": catalog.namespace}));
    if !entry.bundle.image.is_empty() {
        set("image", json!(entry.bundle.image));
    }
    if !replaces.is_empty() {
        set("replaces", json!(replaces));
    }
    set("subscriptions", json!(subscriptions));
    let needed: Vec<Value> = needs
        .iter()
        .filter(|need| need.met_by.name == entry.name())
        .map(|need| json!({"bundle": bundle(&need.bundle), "requirement": need.requirement}))
        .collect();
    if !needed.is_empty() {
        set("neededBy", json!(needed));
    }
    if let Some(generated) = generated {
        set("generatedSubscription", json!(generated.name));
    }
    Value::Object(object)
}

fn subscription(answer: &Answer, place: Option<&String>, with_bundles: bool) -> Value {
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
    set("name", json!(answer.subscription.name));
    set("package", json!(answer.subscription.package));
    if let Some(place) = place {
        set("place", json!(place));
    }
    if let Some(installed) = &answer.installed {
        set("installed", bundle(installed));
    }
    if let Some(gets) = &answer.gets {
        set("gets", bundle(gets));
    }
    let wanted =
        answer.bundles.iter().filter(|one| with_bundles || matches!(one.verdict, Verdict::PassedOver(_)));
    let bundles: Vec<Value> = wanted
        .map(|one| {
            let mut value = bundle(&one.bundle);
            value["verdict"] = json!(verdict(&one.verdict));
            match &one.verdict {
                Verdict::PassedOver(causes) => {
                    value["causes"] = json!(causes.iter().map(cause).collect::<Vec<Value>>());
                }
                Verdict::Skipped(by) => value["skippedBy"] = json!(by),
                _ => {}
            }
            value
        })
        .collect();
    if !bundles.is_empty() {
        set("bundles", json!(bundles));
    }
    Value::Object(object)
}

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Chosen => "chosen",
        Verdict::LessPreferred => "lessPreferred",
        Verdict::PassedOver(_) => "passedOver",
        Verdict::Installed => "installed",
        Verdict::OtherChannel => "otherChannel",
        Verdict::NotStarting => "notStarting",
        Verdict::NoEdge => "noEdge",
        Verdict::Skipped(_) => "skipped",
        Verdict::Undecided => "undecided",
    }
}

fn bundle(bundle: &BundleName) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(bundle.name));
    if let Some(version) = &bundle.version {
        object.insert("version".to_owned(), json!(version));
    }
    if let Some(catalog) = &bundle.catalog {
        object.insert("channel".to_owned(), json!(bundle.channel));
        object.insert("catalog".to_owned(), json!({"name": catalog.name, "namespace": catalog.namespace}));
    }
    Value::Object(object)
}

fn cause(cause: &Cause) -> Value {
    let bundles = |list: &[BundleName]| list.iter().map(bundle).collect::<Vec<Value>>();
    match cause {
        Cause::Subscription(name) => json!({"type": "subscription", "subscription": name}),
        Cause::Nowhere { subscription, part, text } => {
            let part = match part {
                Part::Catalog => "source",
                Part::Package => "name",
                Part::Channel => "channel",
                Part::StartingCsv => "startingCSV",
            };
            json!({"type": "nowhere", "subscription": subscription, "field": part, "text": text})
        }
        Cause::Candidates { subscription, candidates } => {
            json!({"type": "candidates", "subscription": subscription, "bundles": bundles(candidates)})
        }
        Cause::Unsubscribed(one) => json!({"type": "unsubscribed", "bundle": bundle(one)}),
        Cause::Deprecated(one) => json!({"type": "deprecated", "bundle": bundle(one)}),
        Cause::Needs { bundle: one, requirement, met_by } => {
            json!({"type": "needs", "bundle": bundle(one), "requirement": requirement, "metBy": bundles(met_by)})
        }
        Cause::Replaces { bundle: one, replaced } => {
            json!({"type": "replaces", "bundle": bundle(one), "replaced": bundle(replaced)})
        }
        Cause::SameApi { api, bundles: providers } => {
            json!({"type": "sameApi", "api": api, "bundles": bundles(providers)})
        }
        Cause::SamePackage { package, bundles: members } => {
            json!({"type": "samePackage", "package": package, "bundles": bundles(members)})
        }
        Cause::ChosenBefore(one) => json!({"type": "chosenBefore", "bundle": bundle(one)}),
    }
}
