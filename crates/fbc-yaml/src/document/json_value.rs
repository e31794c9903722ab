//! Nodes as values of `serde_json`, and such values as documents.

use serde_json::{Number, Value};

use super::{Built, Document, DocumentBuilder, Kind, Node};

impl Node<'_> {
    /// The node as a value; whole numbers are integers where no digit is lost.
    #[must_use]
    pub fn to_json(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Bool => Value::Bool(self.as_bool().unwrap_or_default()),
            Kind::Number => number(self.as_f64().unwrap_or_default()),
            Kind::String => Value::String(self.as_str().unwrap_or_default().to_owned()),
            Kind::Array => self.items().map(Node::to_json).collect(),
            Kind::Object => self.members().map(|(key, member)| (key.to_owned(), member.to_json())).collect(),
        }
    }
}

fn number(number: f64) -> Value {
    // Every whole number of a document that is this small is exact.
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Value::Number(Number::from(number as i64));
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

impl Document {
    /// The value as a document, members sorted by key.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let mut builder = DocumentBuilder::new();
        let root = builder.json(value);
        builder.finish(root)
    }
}

impl DocumentBuilder {
    /// The value as a part of the document.
    pub fn json(&mut self, value: &Value) -> Built {
        match value {
            Value::Null => self.null(),
            Value::Bool(flag) => self.boolean(*flag),
            Value::Number(number) => self.number(number.as_f64().unwrap_or_default()),
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                let mark = self.open();
                for item in items {
                    let item = self.json(item);
                    self.push_item(item);
                }
                self.close_array(mark)
            }
            Value::Object(members) => {
                let mark = self.open();
                for (key, member) in members {
                    let member = self.json(member);
                    self.push_member(key, member);
                }
                self.close_object(mark)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Document;

    #[test]
    fn values_come_back_from_documents() {
        for value in [
            json!(null),
            json!({"b": [1, -2.5, {"x": "y"}], "a": {}, "c": [true, false, null, [], ""]}),
            json!(8_999_999_999_999_999_u64),
        ] {
            assert_eq!(Document::from_json(&value).root().to_json(), value);
        }
    }
}
