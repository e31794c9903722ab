//! The hash of a pod template, which names replica sets: `web-745fc8b8c9`.
//!
//! Kubernetes hashes Go's dump of the template with all its fields, so the hash depends on every field that the types of
//! its version have. Sources: `kubernetes/kubernetes:pkg/controller/controller_utils.go` (`ComputeHash`),
//! `pkg/util/hash/hash.go`, `kubernetes/apimachinery:pkg/util/dump/dump.go`, and how `davecgh/go-spew:spew/format.go`
//! prints with `%#v`. An amount with a unit is dumped as it is parsed; whether Go has its text at hand already depends
//! on what was done with it before, so hashes of templates with resources are stable here, but may differ from
//! those of a real cluster.

use std::fmt::Write as _;

use fbc_kubernetes::quantity::canonical_quantity;
use serde_json::Value;

use crate::types::{Field, Struct, StructId, Type, types};

/// Fields of the tables that version 1.36 does not have.
const LATER_FIELDS: [(&str, &str); 14] = [
    ("ClusterTrustBundleProjection", "user"),
    ("ConfigMapVolumeSource", "defaultUser"),
    ("DownwardAPIVolumeFile", "user"),
    ("DownwardAPIVolumeSource", "defaultUser"),
    ("EmptyDirVolumeSource", "mode"),
    ("GRPCAction", "mode"),
    ("HTTPGetAction", "protocol"),
    ("KeyToPath", "user"),
    ("PodCertificateProjection", "user"),
    ("PodSpec", "evictionResponders"),
    ("ProjectedVolumeSource", "defaultUser"),
    ("SecretVolumeSource", "defaultUser"),
    ("ServiceAccountTokenProjection", "user"),
    ("VolumeMount", "bindMountOptions"),
];

/// Structs whose fields lie in an embedded struct in Go: where it begins, how many fields it has, its name.
const EMBEDDED: [(&str, &str, usize, &str); 9] = [
    ("Volume", "hostPath", usize::MAX, "VolumeSource"),
    ("Probe", "exec", 4, "ProbeHandler"),
    ("ConfigMapEnvSource", "name", 1, "LocalObjectReference"),
    ("ConfigMapKeySelector", "name", 1, "LocalObjectReference"),
    ("ConfigMapProjection", "name", 1, "LocalObjectReference"),
    ("ConfigMapVolumeSource", "name", 1, "LocalObjectReference"),
    ("SecretEnvSource", "name", 1, "LocalObjectReference"),
    ("SecretKeySelector", "name", 1, "LocalObjectReference"),
    ("SecretProjection", "name", 1, "LocalObjectReference"),
];

/// The hash of a template with its defaults filled in, as it stands in names and in the label `pod-template-hash`.
/// The number of collisions, if there were any, changes it.
pub fn template_hash(template: &Value, collisions: Option<i64>) -> String {
    let mut dump = String::with_capacity(8192);
    if let Some(id) = types().named("core", "PodTemplateSpec") {
        value(&mut dump, &Type::Struct(id), Some(template), true);
    }
    let mut hash = fnv_1a(FNV_OFFSET, dump.as_bytes());
    if let Some(collisions) = collisions {
        let mut bytes = [0; 8];
        let number = u32::try_from(collisions).unwrap_or_default().to_le_bytes();
        bytes[..4].copy_from_slice(&number);
        hash = fnv_1a(hash, &bytes);
    }
    safe_text(&hash.to_string())
}

/// Where FNV hashes of 32 bits begin.
pub(super) const FNV_OFFSET: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

fn fnv_1a(hash: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(FNV_PRIME))
}

/// The older variant of the hash, which revisions of stateful sets and daemon sets use.
pub(super) fn fnv_1(hash: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(hash, |hash, byte| hash.wrapping_mul(FNV_PRIME) ^ u32::from(*byte))
}

/// Digits as letters that make no words (`kubernetes/apimachinery:pkg/util/rand`, `SafeEncodeString`).
pub(super) fn safe_text(digits: &str) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let letter = |byte: u8| ALPHABET.get(usize::from(byte) % ALPHABET.len()).copied().unwrap_or(b'b');
    digits.bytes().map(|byte| char::from(letter(byte))).collect()
}

/// The name of a type as Go's reflection gives it.
fn type_name(of: &Type) -> String {
    match of {
        Type::Text(name) | Type::Whole(name) => (*name).to_owned(),
        Type::Flag => "bool".to_owned(),
        Type::Quantity => "resource.Quantity".to_owned(),
        Type::IntOrText => "intstr.IntOrString".to_owned(),
        Type::Time => "v1.Time".to_owned(),
        Type::Optional(inner) => format!("*{}", type_name(inner)),
        Type::List(inner) => format!("[]{}", type_name(inner)),
        Type::Map(inner) if matches!(**inner, Type::Quantity) => "v1.ResourceList".to_owned(),
        Type::Map(inner) => format!("map[string]{}", type_name(inner)),
        Type::Struct(id) => format!("v1.{}", types().get(*id).name),
        _ => "[]uint8".to_owned(),
    }
}

/// Dumps a value; its type comes first where it was not said already.
fn value(dump: &mut String, of: &Type, present: Option<&Value>, says_type: bool) {
    let is_empty = |value: &Value| {
        value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || matches!(of, Type::Map(_)) && value.as_object().is_some_and(serde_json::Map::is_empty)
    };
    let present = present.filter(|value| !is_empty(value));
    if says_type {
        let _ = write!(dump, "({})", type_name(of));
    }
    match of {
        Type::Optional(inner) => match present {
            None => dump.push_str("<nil>"),
            Some(_) => value(dump, inner, present, false),
        },
        Type::Text(_) => dump.push_str(present.and_then(Value::as_str).unwrap_or_default()),
        Type::Flag => {
            let _ = write!(dump, "{}", present.and_then(Value::as_bool).unwrap_or_default());
        }
        Type::Whole(_) => {
            let _ = write!(dump, "{}", present.and_then(Value::as_i64).unwrap_or_default());
        }
        Type::List(inner) => match present.and_then(Value::as_array) {
            None => dump.push_str("<nil>"),
            Some(items) => {
                dump.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        dump.push(' ');
                    }
                    value(dump, inner, Some(item), false);
                }
                dump.push(']');
            }
        },
        Type::Map(inner) => match present.and_then(Value::as_object) {
            None => dump.push_str("<nil>"),
            Some(entries) => {
                dump.push_str("map[");
                for (index, (key, entry)) in entries.iter().enumerate() {
                    let space = if index > 0 { " " } else { "" };
                    let _ = write!(dump, "{space}{key}:");
                    value(dump, inner, Some(entry), false);
                }
                dump.push(']');
            }
        },
        Type::Struct(id) => structure(dump, *id, present),
        Type::IntOrText => {
            let number = present.and_then(Value::as_i64).unwrap_or_default();
            let text = present.and_then(Value::as_str);
            let _ = write!(
                dump,
                "{{Type:(intstr.Type){} IntVal:(int32){number} StrVal:(string){}}}",
                u8::from(text.is_some()),
                text.unwrap_or_default()
            );
        }
        Type::Time => {
            dump.push_str("{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}")
        }
        Type::Quantity => quantity(dump, present),
        _ => dump.push_str("<nil>"),
    }
}

fn structure(dump: &mut String, id: StructId, present: Option<&Value>) {
    let of = types().get(id);
    let is_later = |field: &Field| LATER_FIELDS.contains(&(of.name, field.name));
    let fields: Vec<&Field> = of.fields.iter().filter(|field| !is_later(field)).collect();
    let embedded = embedded(of, &fields);
    dump.push('{');
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            dump.push(' ');
        }
        if let Some((_, _, name)) = embedded.filter(|(first, ..)| *first == index) {
            let _ = write!(dump, "{name}:(v1.{name}){{");
        }
        dump.push_str(&field.go_name);
        dump.push(':');
        value(dump, &field.of, present.and_then(|present| present.get(field.name)), true);
        if embedded.is_some_and(|(_, last, _)| last == index) {
            dump.push('}');
        }
    }
    dump.push('}');
}

/// The first and last of the fields that lie in an embedded struct, and its name.
fn embedded(of: &Struct, fields: &[&Field]) -> Option<(usize, usize, &'static str)> {
    let (_, start, count, name) = EMBEDDED.iter().find(|(owner, ..)| *owner == of.name)?;
    let first = fields.iter().position(|field| field.name == *start)?;
    let last = first.saturating_add(*count).min(fields.len()) - 1;
    Some((first, last, name))
}

/// An amount as Go keeps it: a number, a power of ten, and the family of its unit.
fn quantity(dump: &mut String, present: Option<&Value>) {
    let text = match present {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "0".to_owned(),
    };
    let text = canonical_quantity(&text).unwrap_or(text);
    let split = text.find(|one: char| !one.is_ascii_digit() && one != '-').unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let number: i64 = digits.parse().unwrap_or_default();
    let (number, scale, format) = match unit.strip_suffix('i') {
        Some(unit) => {
            let power =
                "KMGTPE".find(unit).and_then(|power| u32::try_from(power + 1).ok()).unwrap_or_default();
            (number.saturating_mul(1024_i64.saturating_pow(power)), 0, "BinarySI")
        }
        None => {
            let scale = match unit {
                "n" => -9,
                "u" => -6,
                "m" => -3,
                "k" => 3,
                "M" => 6,
                "G" => 9,
                "T" => 12,
                "P" => 15,
                "E" => 18,
                _ => 0,
            };
            (number, scale, "DecimalSI")
        }
    };
    let _ = write!(
        dump,
        "{{i:(resource.int64Amount){{value:(int64){number} scale:(resource.Scale){scale}}} d:(resource.infDecAmount)\
         {{Dec:(*inf.Dec)<nil>}} s:(string) Format:(resource.Format){format}}}"
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Templates of recordings, and the hashes that a real control plane gave them.
    #[test]
    fn hashes_are_those_of_kubernetes() {
        let template = |image: u32, annotation: Option<(&str, &str)>| {
            let mut template = json!({
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [{
                        "name": "c", "image": format!("registry.example/app:{image}"), "resources": {},
                        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                        "imagePullPolicy": "IfNotPresent",
                    }],
                    "restartPolicy": "Always", "terminationGracePeriodSeconds": 1, "dnsPolicy": "ClusterFirst",
                    "securityContext": {}, "schedulerName": "default-scheduler",
                },
            });
            if let Some((key, value)) = annotation {
                template["metadata"]["annotations"] = json!({ key: value });
            }
            template
        };
        let ready_after = Some(("fake/ready-after", "1"));
        for (template, hash) in [
            (template(1, None), "67dc8d66d7"),
            (template(1, ready_after), "745fc8b8c9"),
            (template(2, ready_after), "7c5c69987d"),
            (template(1, Some(("fake/ready", "never"))), "5bdf6c585c"),
        ] {
            assert_eq!(template_hash(&template, None), hash);
        }
        assert_ne!(template_hash(&template(1, None), Some(1)), "67dc8d66d7");
    }
}
