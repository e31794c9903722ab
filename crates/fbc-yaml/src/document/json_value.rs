//! Nodes as values of `serde_json`.

use serde_json::{Number, Value};

use super::{Kind, Node};

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
