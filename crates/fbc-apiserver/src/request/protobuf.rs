//! Bodies in protocol buffers, as newer command lines and typed clients send built-in kinds. Answers are JSON, which
//! every client takes besides.
//!
//! Source: `kubernetes/apimachinery:pkg/runtime/serializer/protobuf/protobuf.go`, `pkg/runtime/generated.proto`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fbc_cluster::time::{Moment, SECOND};
use fbc_cluster::types::{Field, Omit, StructId, Type, types};
use fbc_go::base64;
use fbc_go::json::read_value;
use serde_json::{Map, Value};

/// What every such body begins with.
const MAGIC: &[u8] = b"k8s\0";

/// Numbers of a field, those of inlined structs before its own.
type Numbers = Vec<u64>;
/// The fields of a struct by their names.
type OfStruct = BTreeMap<&'static str, Numbers>;

static NUMBERS: LazyLock<BTreeMap<(&'static str, &'static str), OfStruct>> = LazyLock::new(|| {
    let lines = include_str!("protobuf.numbers").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut words = line.split(' ');
            let name = words.next()?.split_once('.')?;
            let field = |word: &'static str| {
                let (field, numbers) = word.split_once('=')?;
                Some((field, numbers.split('.').filter_map(|number| number.parse().ok()).collect()))
            };
            Some((name, words.filter_map(field).collect()))
        })
        .collect()
});

/// Reads a body; nothing if its kind has no such form here.
///
/// # Errors
/// What is wrong with the bytes.
pub(super) fn decode(body: &[u8]) -> Result<Option<Value>, &'static str> {
    let envelope =
        body.strip_prefix(MAGIC).ok_or("the body does not begin as protocol buffers of Kubernetes do")?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for part in Parts(envelope) {
        match part? {
            (1, Wire::Bytes(meta)) => {
                for part in Parts(meta) {
                    match part? {
                        (1, Wire::Bytes(text)) => api_version = lossy(text),
                        (2, Wire::Bytes(text)) => kind = lossy(text),
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    if kind.is_empty() && api_version.is_empty() {
        // What the path says is meant, and nothing of it is given.
        return if raw.is_empty() {
            Ok(Some(Map::new().into()))
        } else {
            Err("the body does not name its kind")
        };
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let of = match kind.as_str() {
        "DeleteOptions" => types().named("meta", "DeleteOptions"),
        _ => types().of_kind(group, version, &kind),
    };
    let Some(of) = of.filter(|of| numbers_of(*of).is_some()) else { return Ok(None) };
    let mut object = Map::new();
    members(raw, of, &[], &mut object)?;
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    Ok(Some(object.into()))
}

fn numbers_of(of: StructId) -> Option<&'static OfStruct> {
    let of = types().get(of);
    NUMBERS.get(&(of.package, of.name))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A value as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire<'b> {
    Number(u64),
    Fixed(u64),
    Bytes(&'b [u8]),
}

/// The fields of a message with their numbers.
struct Parts<'b>(&'b [u8]);

impl<'b> Parts<'b> {
    fn number(&mut self) -> Result<u64, &'static str> {
        let mut number = 0;
        for shift in (0..70).step_by(7) {
            let (first, rest) = self.0.split_first().ok_or("the body ends in the middle of a number")?;
            self.0 = rest;
            number |= u64::from(first & 0x7f).checked_shl(shift).unwrap_or_default();
            if first & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number has too many bytes")
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8], &'static str> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (taken, rest) =
            self.0.split_at_checked(length).ok_or("the body ends in the middle of a field")?;
        self.0 = rest;
        Ok(taken)
    }

    fn part(&mut self) -> Result<(u64, Wire<'b>), &'static str> {
        let tag = self.number()?;
        let fixed = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let wire = match tag & 7 {
            0 => Wire::Number(self.number()?),
            1 => Wire::Fixed(fixed(self.take(8)?)),
            2 => {
                let length = self.number()?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed(fixed(self.take(4)?)),
            _ => return Err("a field has an unknown type"),
        };
        Ok((tag >> 3, wire))
    }
}

impl<'b> Iterator for Parts<'b> {
    type Item = Result<(u64, Wire<'b>), &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let part = self.part();
        if part.is_err() {
            self.0 = &[];
        }
        Some(part)
    }
}

/// Reads the fields of a struct, and those of structs that Go inlines in it, which are messages of their own.
fn members(
    bytes: &[u8],
    of: StructId,
    prefix: &[u64],
    object: &mut Map<String, Value>,
) -> Result<(), &'static str> {
    let Some(numbers) = numbers_of(of) else { return Ok(()) };
    for part in Parts(bytes) {
        let (number, wire) = part?;
        let path = [prefix, &[number]].concat();
        let found = types().get(of).fields.iter().find(|field| numbers.get(field.name) == Some(&path));
        match (found, wire) {
            (Some(field), wire) => add(field, wire, object)?,
            (None, Wire::Bytes(inner)) if numbers.values().any(|other| other.starts_with(&path)) => {
                members(inner, of, &path, object)?;
            }
            // A field of a version that is not known here.
            _ => {}
        }
    }
    Ok(())
}

fn add(field: &Field, wire: Wire<'_>, object: &mut Map<String, Value>) -> Result<(), &'static str> {
    let name = field.name;
    match &field.of {
        Type::List(items) => {
            let item = value(items, wire)?;
            if let Value::Array(list) = object.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                list.push(item);
            }
        }
        Type::Map(values) => {
            let Wire::Bytes(entry) = wire else { return Err("a map has an entry of the wrong type") };
            let (mut key, mut found) = (String::new(), Value::Null);
            for part in Parts(entry) {
                match part? {
                    (1, Wire::Bytes(text)) => key = lossy(text),
                    (2, wire) => found = value(values, wire)?,
                    _ => {}
                }
            }
            if let Value::Object(map) = object.entry(name).or_insert_with(|| Value::Object(Map::new())) {
                map.insert(key, found);
            }
        }
        of => {
            let found = value(of, wire)?;
            // Fields that are not pointers are always written, and mean nothing when they are empty.
            let is_pointer = matches!(of, Type::Optional(_));
            if is_pointer || (field.omit == Omit::Never && !found.is_null()) || !is_empty(&found) {
                object.insert(name.to_owned(), found);
            }
        }
    }
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

fn value(of: &Type, wire: Wire<'_>) -> Result<Value, &'static str> {
    const MISFIT: &str = "a field has the wrong type";
    let whole = |number: u64| Value::from(i64::from_ne_bytes(number.to_ne_bytes()));
    Ok(match (of, wire) {
        (Type::Optional(inner), wire) => value(inner, wire)?,
        (Type::Text(_), Wire::Bytes(text)) => lossy(text).into(),
        (Type::Flag, Wire::Number(number)) => (number != 0).into(),
        (Type::Whole(_), Wire::Number(number)) => whole(number),
        (Type::Float, Wire::Fixed(bits)) => f64::from_bits(bits).into(),
        (Type::Bytes, Wire::Bytes(bytes)) => base64::encode(bytes).into(),
        (Type::Time | Type::MicroTime, Wire::Bytes(bytes)) => time(bytes, matches!(of, Type::MicroTime))?,
        (Type::Duration, Wire::Bytes(bytes)) => match first(bytes)? {
            Some((1, Wire::Number(nanoseconds))) => format!("{nanoseconds}ns").into(),
            _ => "0s".into(),
        },
        (Type::Quantity, Wire::Bytes(bytes)) => match first(bytes)? {
            Some((1, Wire::Bytes(text))) => lossy(text).into(),
            _ => "0".into(),
        },
        (Type::IntOrText, Wire::Bytes(bytes)) => {
            let (mut is_text, mut number, mut text) = (false, 0, String::new());
            for part in Parts(bytes) {
                match part? {
                    (1, Wire::Number(kind)) => is_text = kind == 1,
                    (2, Wire::Number(found)) => number = found,
                    (3, Wire::Bytes(found)) => text = lossy(found),
                    _ => {}
                }
            }
            if is_text { text.into() } else { whole(number) }
        }
        (Type::Raw | Type::Fields | Type::Any | Type::Special(_), Wire::Bytes(bytes)) => {
            match first(bytes)? {
                Some((1, Wire::Bytes(json))) if !json.is_empty() => {
                    let json = std::str::from_utf8(json).ok();
                    json.and_then(|json| read_value(json).ok()).ok_or("a field does not hold JSON")?
                }
                _ => Value::Null,
            }
        }
        (Type::Struct(id), Wire::Bytes(bytes)) => {
            let mut object = Map::new();
            members(bytes, *id, &[], &mut object)?;
            object.into()
        }
        // Lists of lists and maps of lists have a message around the inner list.
        (Type::List(items), Wire::Bytes(bytes)) => {
            let inner = Parts(bytes).map(|part| part.and_then(|(_, wire)| value(items, wire)));
            Value::Array(inner.collect::<Result<_, _>>()?)
        }
        _ => return Err(MISFIT),
    })
}

fn first(bytes: &[u8]) -> Result<Option<(u64, Wire<'_>)>, &'static str> {
    Parts(bytes).next().transpose()
}

/// A moment; an empty message is none.
fn time(bytes: &[u8], with_fraction: bool) -> Result<Value, &'static str> {
    let (mut seconds, mut nanoseconds) = (None, 0);
    for part in Parts(bytes) {
        match part? {
            (1, Wire::Number(number)) => seconds = Some(number),
            (2, Wire::Number(number)) => nanoseconds = number,
            _ => {}
        }
    }
    // Moments before 1970 mean that nothing is set.
    let Some(seconds) = seconds.filter(|seconds| *seconds < 1 << 40) else { return Ok(Value::Null) };
    let text = Moment(seconds * SECOND).to_string();
    let fraction = format!(".{:06}Z", nanoseconds / 1000 % 1_000_000);
    Ok(if with_fraction { text.replace('Z', &fraction) } else { text }.into())
}

#[cfg(test)]
mod tests {
    use fbc_cluster::validation::builtin_kinds;
    use serde_json::json;

    use super::*;

    /// `kubectl create deployment web --image=nginx --replicas=3`, as version 1.33 sends it.
    const DEPLOYMENT: &str = "6b3873000a150a07617070732f7631120a4465706c6f796d656e7412ab010a1f0a0377656212001a0022002a003200\
        380042005a0a0a036170701203776562127a0803120c0a0a0a036170701203776562\
        1a600a1c0a0012001a0022002a003200380042005a0a0a036170701203776562\
        124012220a056e67696e7812056e67696e782a0042006a007200800100880100900100a201001a00320042004a005200\
        580060006800820100 8a01009a0100c2010022020a00280038001a0c08001000180020002800380 01a002200";

    fn bytes(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    }

    #[test]
    fn a_deployment_as_command_lines_send_it() {
        let expected = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"app": "web"}},
            "spec": {
                "replicas": 3, "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "nginx", "image": "nginx", "resources": {}}]},
                },
                "strategy": {},
            },
        });
        let mut decoded = decode(&bytes(DEPLOYMENT)).unwrap().unwrap();
        // What Go always writes, although it is empty, is left out.
        let mut expected = expected;
        expected["spec"].as_object_mut().unwrap().remove("strategy");
        expected["spec"]["template"]["spec"]["containers"][0].as_object_mut().unwrap().remove("resources");
        decoded.as_object_mut().unwrap().retain(|_, value| !is_empty(value));
        assert_eq!(decoded, expected);
    }

    #[test]
    fn a_request_for_a_certificate_is_approved() {
        fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
            [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
        }
        let meta = [field(1, b"certificates.k8s.io/v1"), field(2, b"CertificateSigningRequest")].concat();
        let condition = [field(1, b"Approved"), field(6, b"True")].concat();
        let extra = [field(1, b"key"), field(2, &field(1, b"value"))].concat();
        let spec = [field(1, b"pem"), field(7, b"a/b"), field(6, &extra)].concat();
        let request = [field(1, &field(1, b"x")), field(2, &spec), field(3, &field(1, &condition))].concat();
        let body = [MAGIC.to_vec(), field(1, &meta), field(2, &request)].concat();
        assert_eq!(
            decode(&body).unwrap().unwrap(),
            json!({
                "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
                "metadata": {"name": "x"},
                "spec": {"request": "cGVt", "signerName": "a/b", "extra": {"key": ["value"]}},
                "status": {"conditions": [{"type": "Approved", "status": "True"}]},
            })
        );
    }

    #[test]
    fn hostile_bytes_are_refused() {
        let whole = bytes(DEPLOYMENT);
        for end in 0..whole.len() {
            // Whatever is cut off, the answer is an error or a value, and comes at once.
            let _ = decode(&whole[..end]);
        }
        assert!(decode(b"{}").is_err());
        assert!(decode(b"k8s\0\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").is_err());
        // The path says which kind is meant.
        assert_eq!(decode(b"k8s\0"), Ok(Some(json!({}))));
    }

    #[test]
    fn every_built_in_kind_has_its_numbers() {
        fn check(of: &Type, seen: &mut Vec<StructId>) {
            match of {
                Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => check(inner, seen),
                Type::Struct(id) if !seen.contains(id) => {
                    seen.push(*id);
                    let of = types().get(*id);
                    assert!(numbers_of(*id).is_some(), "{}.{}", of.package, of.name);
                    of.fields.iter().for_each(|field| check(&field.of, seen));
                }
                _ => {}
            }
        }
        let mut seen = Vec::new();
        // Definitions have schemas, which hold themselves; their protocol buffers are read by no client.
        for kind in builtin_kinds().iter().filter(|kind| kind.group != "apiextensions.k8s.io") {
            let version = &kind.versions[0];
            let of = types().of_kind(&kind.group, version, &kind.kind).unwrap();
            check(&Type::Struct(of), &mut seen);
        }
    }
}
