//! Version 2 of OpenAPI as protocol buffers, which older command lines ask for.
//!
//! Source of the numbers: `google/gnostic:openapiv2/OpenAPIv2.proto`.

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

/// A message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.number(field << 3 | 2);
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(&mut self, field: u64, text: &str) -> &mut Self {
        if text.is_empty() { self } else { self.bytes(field, text.as_bytes()) }
    }

    fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    fn flag(&mut self, field: u64, flag: bool) -> &mut Self {
        if flag {
            self.number(field << 3);
            self.number(1);
        }
        self
    }

    fn whole(&mut self, field: u64, number: Option<u64>) -> &mut Self {
        if let Some(number) = number {
            self.number(field << 3);
            self.number(number);
        }
        self
    }

    fn double(&mut self, field: u64, number: Option<f64>) -> &mut Self {
        if let Some(number) = number {
            self.number(field << 3 | 1);
            self.0.extend_from_slice(&number.to_le_bytes());
        }
        self
    }
}

/// A document.
pub(super) fn document(swagger: &Value) -> Vec<u8> {
    let mut info = Message::default();
    info.text(1, swagger.text(&["info", "title"])).text(2, swagger.text(&["info", "version"]));
    let mut paths = Message::default();
    for (path, item) in members(&swagger["paths"]) {
        paths.message(2, &named(path, &path_item(item)));
    }
    let mut definitions = Message::default();
    for (name, definition) in members(&swagger["definitions"]) {
        definitions.message(1, &named(name, &schema(definition)));
    }
    let mut document = Message::default();
    document
        .text(1, swagger.text(&["swagger"]))
        .message(2, &info)
        .message(8, &paths)
        .message(9, &definitions);
    document.0
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn named(name: &str, value: &Message) -> Message {
    let mut message = Message::default();
    message.text(1, name).message(2, value);
    message
}

/// Any value, as YAML; JSON is YAML as well.
fn any(value: &Value) -> Message {
    let mut message = Message::default();
    message.text(2, &format!("{value}\n"));
    message
}

fn extensions(message: &mut Message, field: u64, value: &Value) {
    for (name, value) in members(value).filter(|(name, _)| name.starts_with("x-")) {
        message.message(field, &named(name, &any(value)));
    }
}

fn path_item(item: &Value) -> Message {
    let mut message = Message::default();
    for (field, method) in [(2, "get"), (3, "put"), (4, "post"), (5, "delete"), (8, "patch")] {
        if let Some(found) = item.get(method) {
            message.message(field, &operation(found));
        }
    }
    message
}

fn operation(operation: &Value) -> Message {
    let mut message = Message::default();
    for parameter in operation.list(&["parameters"]) {
        let mut query = Message::default();
        query
            .text(2, parameter.text(&["in"]))
            .text(4, parameter.text(&["name"]))
            .text(6, parameter.text(&["type"]));
        query.flag(20, parameter["uniqueItems"] == true);
        let nested = [3, 2, 1].into_iter().fold(query, |inner, field| {
            let mut outer = Message::default();
            outer.message(field, &inner);
            outer
        });
        message.message(8, &nested);
    }
    let mut responses = Message::default();
    for (code, response) in members(&operation["responses"]) {
        let mut inner = Message::default();
        inner.text(1, response.text(&["description"]));
        let mut value = Message::default();
        value.message(1, &inner);
        responses.message(1, &named(code, &value));
    }
    message.message(9, &responses);
    extensions(&mut message, 13, operation);
    message
}

fn schema(value: &Value) -> Message {
    let mut message = Message::default();
    let text = |name: &str| value.text(&[name]);
    let whole = |name: &str| value[name].as_u64();
    message.text(1, text("$ref")).text(2, text("format")).text(3, text("title")).text(4, text("description"));
    if let Some(default) = value.get("default") {
        message.message(5, &any(default));
    }
    message.double(6, value["multipleOf"].as_f64()).double(7, value["maximum"].as_f64());
    message.flag(8, value["exclusiveMaximum"] == true).double(9, value["minimum"].as_f64());
    message
        .flag(10, value["exclusiveMinimum"] == true)
        .whole(11, whole("maxLength"))
        .whole(12, whole("minLength"));
    message.text(13, text("pattern")).whole(14, whole("maxItems")).whole(15, whole("minItems"));
    message.flag(16, value["uniqueItems"] == true);
    message.whole(17, whole("maxProperties")).whole(18, whole("minProperties"));
    for name in value.list(&["required"]).iter().filter_map(Value::as_str) {
        message.bytes(19, name.as_bytes());
    }
    for choice in value.list(&["enum"]) {
        message.message(20, &any(choice));
    }
    match value.get("additionalProperties") {
        Some(Value::Bool(flag)) => {
            let mut item = Message::default();
            item.flag(2, *flag);
            message.message(21, &item);
        }
        Some(inner) => {
            let mut item = Message::default();
            item.message(1, &schema(inner));
            message.message(21, &item);
        }
        None => {}
    }
    if !text("type").is_empty() {
        let mut item = Message::default();
        item.text(1, text("type"));
        message.message(22, &item);
    }
    if let Some(inner) = value.get("items") {
        let mut item = Message::default();
        item.message(1, &schema(inner));
        message.message(23, &item);
    }
    if let Some(properties) = value.get("properties") {
        let mut inner = Message::default();
        for (name, property) in members(properties) {
            inner.message(1, &named(name, &schema(property)));
        }
        message.message(25, &inner);
    }
    extensions(&mut message, 31, value);
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_have_the_bytes_of_the_wire_format() {
        let bytes = schema(&json!({"type": "string", "maxLength": 300, "uniqueItems": true}));
        // Field 11 as a number, 16 as a flag, 22 as a message with a text.
        let expected = [0x58, 0xac, 0x02, 0x80, 0x01, 0x01, 0xb2, 0x01, 0x08, 0x0a, 0x06];
        assert_eq!(bytes.0, [&expected[..], b"string"].concat());
    }
}
