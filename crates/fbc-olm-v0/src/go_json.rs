//! Objects as Go's types write them, and the hashes that OLM makes of that text.
//!
//! Names and labels hold hashes of JSON in the order of Go's fields, so the order counts.

use fbc_bundle::kubernetes::{KeyOrder, TypeMismatch, convert};
use fbc_go::json::escape_html;
use fbc_kubernetes::types::Named;
use fbc_yaml::{json_reader, json_writer};
use serde_json::Value;
use sha2::{Digest, Sha224};

/// Bits of a hash that are divided at once.
const DIGIT_BASE: u32 = 62;
/// Go's digits of large numbers.
const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The text of a value as `encoding/json` writes it out of this type.
///
/// # Errors
/// The type cannot hold the value.
pub fn encode(value: &Value, of: Named) -> Result<String, TypeMismatch> {
    let text = value.to_string();
    let read = json_reader::read_value(text.as_bytes(), 0)
        .map_err(|error| TypeMismatch { message: error.message, pointer: String::new() })?;
    let document = convert(read.0.root(), of, KeyOrder::Go)?;
    Ok(escape_html(&json_writer::compact(document.root())))
}

/// `base62(SHA-224(bytes))`.
///
/// Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/resolver/rbac.go`.
pub fn base62(bytes: &[u8]) -> String {
    let mut number = Sha224::digest(bytes).to_vec();
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = u8::try_from(value / DIGIT_BASE).unwrap_or_default();
            rest = value % DIGIT_BASE;
        }
        digits.push(DIGITS.get(rest as usize).map_or('0', |digit| char::from(*digit)));
    }
    digits.iter().rev().collect()
}

/// The hash of what an encoder of Go writes: JSON with a line feed.
///
/// Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/lib/kubernetes/pkg/util/hash/hash.go`.
pub fn hash(json: &str) -> String {
    base62(format!("{json}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hashes_are_those_of_go() {
        // SHA-224 of no bytes, as a number to the base of 62.
        assert_eq!(base62(b"").len(), 38);
        let rules = json!([
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch", "create", "update"]},
            {"apiGroups": ["lantern.example.com"], "resources": ["*"], "verbs": ["*"]},
        ]);
        let rule = Named::new("rbac", "PolicyRule");
        let texts: Vec<String> =
            rules.as_array().unwrap().iter().map(|one| encode(one, rule).unwrap()).collect();
        let text = format!("[{}]", texts.join(","));
        assert_eq!(base62(text.as_bytes()), "ECsOzrFXvpHPL7eueHFj45yghN5kKqCYY1DB0");
    }
}
