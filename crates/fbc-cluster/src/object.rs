//! Kubernetes objects as JSON values, and what is asked of them everywhere.

use std::fmt;

use serde_json::{Map, Value, json};

/// A Kubernetes object: a JSON object with `apiVersion`, `kind` and `metadata`.
///
/// Fields are sorted by name, so equal objects have equal text.
pub type Object = Value;

/// The name of an object within its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ObjectName {
    /// Empty for objects of the whole cluster.
    pub namespace: String,
    /// The name within the namespace.
    pub name: String,
}

impl ObjectName {
    /// A name of the whole cluster.
    pub fn cluster(name: impl Into<String>) -> Self {
        Self { namespace: String::new(), name: name.into() }
    }

    /// A name within a namespace.
    pub fn namespaced(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(formatter, "{}/", self.namespace)?;
        }
        formatter.write_str(&self.name)
    }
}

/// What is read from any object. Absent or mistyped fields read as empty.
pub trait ObjectFields {
    /// The value behind a path of field names.
    fn at(&self, path: &[&str]) -> Option<&Value>;
    /// The same, unless it is null, which says as much as nothing.
    fn given(&self, path: &[&str]) -> Option<&Value> {
        self.at(path).filter(|value| !value.is_null())
    }
    /// The text behind a path of field names, or an empty one.
    fn text(&self, path: &[&str]) -> &str;
    /// The whole number behind a path of field names.
    fn number(&self, path: &[&str]) -> Option<i64>;
    /// The elements of the list behind a path of field names.
    fn list(&self, path: &[&str]) -> &[Value];
    /// The place behind a path of field names; missing objects on the way are made.
    fn place(&mut self, path: &[&str]) -> &mut Value;
    /// Sets the value behind a path of field names; missing objects on the way are made.
    fn set(&mut self, path: &[&str], value: impl Into<Value>);
    /// Removes the value behind a path of field names.
    fn remove(&mut self, path: &[&str]) -> Option<Value>;

    /// `apiVersion`.
    fn api_version(&self) -> &str {
        self.text(&["apiVersion"])
    }
    /// `kind`.
    fn kind(&self) -> &str {
        self.text(&["kind"])
    }
    /// `metadata.name`.
    fn name(&self) -> &str {
        self.text(&["metadata", "name"])
    }
    /// `metadata.namespace`, empty for objects of the whole cluster.
    fn namespace(&self) -> &str {
        self.text(&["metadata", "namespace"])
    }
    /// Namespace and name.
    fn object_name(&self) -> ObjectName {
        ObjectName::namespaced(self.namespace(), self.name())
    }
    /// `metadata.uid`.
    fn uid(&self) -> &str {
        self.text(&["metadata", "uid"])
    }
    /// `metadata.generation`, 0 where the kind has none.
    fn generation(&self) -> i64 {
        self.number(&["metadata", "generation"]).unwrap_or_default()
    }
    /// The value of a label.
    fn label(&self, key: &str) -> Option<&str> {
        self.at(&["metadata", "labels", key]).and_then(Value::as_str)
    }
    /// The value of an annotation.
    fn annotation(&self, key: &str) -> Option<&str> {
        self.at(&["metadata", "annotations", key]).and_then(Value::as_str)
    }
    /// `metadata.finalizers`.
    fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.list(&["metadata", "finalizers"]).iter().filter_map(Value::as_str)
    }
    /// True once deletion was requested.
    fn is_terminating(&self) -> bool {
        self.given(&["metadata", "deletionTimestamp"]).is_some()
    }
    /// `metadata.ownerReferences`.
    fn owner_references(&self) -> &[Value] {
        self.list(&["metadata", "ownerReferences"])
    }
    /// The owner reference with `controller: true`.
    fn controller(&self) -> Option<&Value> {
        self.owner_references().iter().find(|owner| owner["controller"] == true)
    }
    /// The entry of `status.conditions` with this `type`.
    fn condition(&self, condition_type: &str) -> Option<&Value> {
        self.list(&["status", "conditions"]).iter().find(|condition| condition["type"] == condition_type)
    }
    /// `status` of a condition, empty if it is absent.
    fn condition_status(&self, condition_type: &str) -> &str {
        self.condition(condition_type).and_then(|condition| condition["status"].as_str()).unwrap_or_default()
    }
}

impl ObjectFields for Value {
    fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self, |value, field| value.get(field))
    }

    fn text(&self, path: &[&str]) -> &str {
        self.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    fn number(&self, path: &[&str]) -> Option<i64> {
        self.at(path).and_then(Value::as_i64)
    }

    fn list(&self, path: &[&str]) -> &[Value] {
        self.at(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn place(&mut self, path: &[&str]) -> &mut Value {
        path.iter().fold(self, |value, field| {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            &mut value[*field]
        })
    }

    fn set(&mut self, path: &[&str], value: impl Into<Value>) {
        *self.place(path) = value.into();
    }

    fn remove(&mut self, path: &[&str]) -> Option<Value> {
        let (last, parents) = path.split_last()?;
        let parent = parents.iter().try_fold(self, |value, field| value.get_mut(field))?;
        parent.as_object_mut()?.remove(*last)
    }
}

/// An owner reference as controllers set it: `controller` and `blockOwnerDeletion` are true.
pub fn controller_reference(owner: &Object) -> Value {
    json!({
        "apiVersion": owner.api_version(),
        "kind": owner.kind(),
        "name": owner.name(),
        "uid": owner.uid(),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_on_the_way() {
        let mut object = json!({"metadata": null});
        object.set(&["metadata", "labels", "app"], "demo");
        assert_eq!(object, json!({"metadata": {"labels": {"app": "demo"}}}));
        assert_eq!(object.label("app"), Some("demo"));
        assert_eq!(object.remove(&["metadata", "labels", "app"]), Some(json!("demo")));
        assert_eq!(object.label("app"), None);
        assert_eq!(object.remove(&["spec", "replicas"]), None);
    }

    #[test]
    fn the_controller_is_the_owner_that_says_so() {
        let object =
            json!({"metadata": {"ownerReferences": [{"name": "a"}, {"name": "b", "controller": true}]}});
        assert_eq!(object.controller().map(|owner| owner.text(&["name"])), Some("b"));
    }
}
