//! What differs from run to run, in the words of the recordings.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

/// What addresses in the network of the recordings follow.
const DIAL: &str = "dial tcp ";

/// A text with the address of the network in it replaced.
pub(super) fn without_address(text: &str) -> String {
    let Some((before, rest)) = text.split_once(DIAL) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(": connect: ") else { return text.to_owned() };
    format!("{before}{DIAL}<address>: connect: {}", without_address(after))
}

/// Names with a random end, and what stands for them.
#[derive(Default)]
pub(super) struct Names {
    /// By name.
    names: BTreeMap<String, String>,
    /// How many names begin so.
    counts: BTreeMap<String, usize>,
}

impl Names {
    /// Notes a new object whose name was made up.
    pub(super) fn note(&mut self, object: &Object) {
        let prefix = object.text(&["metadata", "generateName"]);
        if prefix.is_empty() || self.names.contains_key(object.name()) {
            return;
        }
        let count = self.counts.entry(prefix.to_owned()).or_default();
        *count += 1;
        self.names.insert(object.name().to_owned(), format!("{prefix}<r{count:02}>"));
    }

    /// Puts the placeholders into a text.
    pub(super) fn text(&self, text: &str) -> String {
        let text = without_address(text);
        self.names.iter().fold(text, |text, (name, placeholder)| text.replace(name, placeholder))
    }

    /// Puts all placeholders into an object.
    pub(super) fn object(&self, object: &Object) -> Value {
        let mut copy = object.clone();
        if let Some(metadata) = copy.get_mut("metadata") {
            metadata.remove(&["managedFields"]);
        }
        of_object(&mut copy);
        self.put(&mut copy);
        copy
    }

    fn put(&self, value: &mut Value) {
        match value {
            Value::String(text)
                if text.contains(DIAL) || self.names.keys().any(|name| text.contains(name)) =>
            {
                *text = self.text(text);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.put(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.put(member)),
            _ => {}
        }
    }
}

/// Puts placeholders for what no two runs share.
pub(super) fn of_object(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(of_object),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match (name.as_str(), member.as_str()) {
                    ("uid" | "uuid", Some(text)) if !text.is_empty() => *member = json!("<uid>"),
                    ("resourceVersion", Some(_)) => *member = json!("<resourceVersion>"),
                    ("clusterIP", Some(_)) => *member = json!("<ip>"),
                    ("caBundle", Some(_)) => *member = json!("<ca>"),
                    ("olmcahash", Some(_)) => *member = json!("<hash>"),
                    (name, Some(_)) if name.ends_with("controller-uid") => *member = json!("<uid>"),
                    (_, Some(text)) if Moment::parse(text).is_some() => *member = json!("<time>"),
                    ("clusterIPs", None) => *member = json!("<ip>"),
                    _ => of_object(member),
                }
            }
            let labels: Vec<String> =
                members.keys().filter(|key| key.starts_with("olm.operatorgroup.uid/")).cloned().collect();
            for label in labels {
                let value = members.remove(&label).unwrap_or_default();
                members.insert("olm.operatorgroup.uid/<uid>".to_owned(), value);
            }
        }
        _ => {}
    }
}
