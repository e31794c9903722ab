//! Hashes of values as OLM makes them: what Go's encoder writes of a type, SHA-224, digits of base 62.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/lib/kubernetes/pkg/util/hash/hash.go`,
//! `pkg/controller/registry/resolver/rbac.go`.

use fbc_bundle::kubernetes::{KeyOrder, convert};
use fbc_kubernetes::types::Named;
use fbc_yaml::Document;
use serde_json::Value;

use crate::go_json;

const RULE: Named = Named::new("rbac", "PolicyRule");
const ROLE_REFERENCE: Named = Named::new("rbac", "RoleRef");
const SUBJECT: Named = Named::new("rbac", "Subject");

/// A value as Go writes it after it has read it into a type; what does not fit stays as it is.
fn text_of(value: &Value, of: Named) -> String {
    go_json::encode(value, of).unwrap_or_else(|_| fbc_go::json::encode(value))
}

/// A value as it is after Go has read it into a type and written it again.
pub fn go_typed(value: &Value, of: Named) -> Value {
    let document = Document::from_json(value);
    convert(document.root(), of, KeyOrder::Sorted)
        .map_or_else(|_| value.clone(), |typed| typed.root().to_json())
}

/// The hash of a value of a type, as labels have it (V0-149).
pub fn deep_hash(value: &Value, of: Named) -> String {
    go_json::hash(&text_of(value, of))
}

/// The hash of the rules of a role.
pub fn rules_hash(rules: &[Value]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| text_of(rule, RULE)).collect();
    text_hash(&format!("[{}]", rules.join(",")))
}

/// The hash of what a binding refers to, and of whom it names.
pub fn binding_hash(role: &Value, subjects: &[Value]) -> String {
    let subjects: Vec<String> = subjects.iter().map(|subject| text_of(subject, SUBJECT)).collect();
    let role = text_of(role, ROLE_REFERENCE);
    text_hash(&format!(r#"{{"RoleRef":{role},"Subjects":[{}]}}"#, subjects.join(",")))
}

/// A rule as requirements show it.
pub fn rule_json(rule: &Value) -> String {
    text_of(rule, RULE)
}

/// The hash of a text.
pub fn text_hash(text: &str) -> String {
    go_json::base62(text.as_bytes())
}

/// The 64-bit FNV-1a sum of a text in hexadecimal digits, without leading zeros.
pub fn fnv_1a_64(text: &str) -> String {
    let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{sum:x}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Values that a real olm-operator wrote.
    #[test]
    fn hashes_are_those_of_the_real_program() {
        assert_eq!(text_hash("port/port-group/admin"), "baQvy5MOyBxJZtU8fMdjlLt3RNpm8evN7Y0CBC");
        assert_eq!(fnv_1a_64("Lantern.v1.lantern.example.com"), "bddb72013b9c29d3");
        let rules = [
            json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch", "create", "update"]}),
            json!({"apiGroups": ["lantern.example.com"], "resources": ["*"], "verbs": ["*"]}),
        ];
        assert_eq!(rules_hash(&rules), "ECsOzrFXvpHPL7eueHFj45yghN5kKqCYY1DB0");
        let role = json!({
            "apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
            "name": "lantern.v1.0.0-lantern-o-1DP5HhjljbYbpJeSeD9rctJMFjL7YpI31RaEp0",
        });
        let subject = json!({"kind": "ServiceAccount", "name": "lantern-operator", "namespace": "port"});
        assert_eq!(binding_hash(&role, &[subject]), "32tIL5cIXUUVmHiKqB8o8NiA8PY3EQhDsnJb37");
    }
}
