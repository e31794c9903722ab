//! Blobs as jaq's values, straight from the model: nothing is rendered and read again.

use fbc_model::Value;
use fbc_model::writer::{BlobRef, Sink};
use fbc_yaml::{Kind, Node};
use jaq_json::{Map, Num, Val};

/// The largest whole number up to which a float is one exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The value of a blob, as `jq` would read it from what `fbc render` writes.
pub(super) fn of_blob(blob: BlobRef<'_>) -> Val {
    let mut sink = ValueSink::default();
    blob.write_to(&mut sink);
    sink.root
}

/// A part of a document.
fn of_node(node: Node<'_>) -> Val {
    match node.kind() {
        Kind::Null => Val::Null,
        Kind::Bool => Val::Bool(node.as_bool().unwrap_or_default()),
        Kind::Number => of_number(node.as_f64().unwrap_or_default()),
        Kind::String => of_text(node.as_str().unwrap_or_default()),
        Kind::Array => node.items().map(of_node).collect(),
        Kind::Object => Val::obj(node.members().map(|(key, value)| (of_text(key), of_node(value))).collect()),
    }
}

fn of_text(text: &str) -> Val {
    Val::from(text.to_owned())
}

/// Whole numbers can index lists in jaq, fractions cannot. Negative zero has a sign only as a float.
fn of_number(number: f64) -> Val {
    let is_whole = number.fract() == 0.0 && number.abs() <= MAX_EXACT;
    if is_whole && !(number == 0.0 && number.is_sign_negative()) {
        Val::Num(Num::Int(number as isize))
    } else {
        Val::Num(Num::Float(number))
    }
}

/// A container that is still open, and the key that waits for it.
enum Open {
    Object(Map),
    List(Vec<Val>),
}

#[derive(Default)]
struct ValueSink {
    root: Val,
    open: Vec<(Open, Option<Val>)>,
    key: Option<Val>,
}

impl ValueSink {
    fn open(&mut self, container: Open) {
        self.open.push((container, self.key.take()));
    }

    fn close(&mut self) {
        if let Some((container, key)) = self.open.pop() {
            self.key = key;
            self.store(match container {
                Open::Object(members) => Val::obj(members),
                Open::List(items) => items.into_iter().collect(),
            });
        }
    }

    fn store(&mut self, value: Val) {
        match self.open.last_mut() {
            Some((Open::Object(members), _)) => {
                members.insert(self.key.take().unwrap_or_default(), value);
            }
            Some((Open::List(items), _)) => items.push(value),
            None => self.root = value,
        }
    }
}

impl Sink for ValueSink {
    fn open_object(&mut self) {
        self.open(Open::Object(Map::default()));
    }

    fn close_object(&mut self) {
        self.close();
    }

    fn open_list(&mut self) {
        self.open(Open::List(Vec::new()));
    }

    fn close_list(&mut self) {
        self.close();
    }

    fn key(&mut self, key: &str) {
        self.key = Some(of_text(key));
    }

    fn text(&mut self, text: &str) {
        self.store(of_text(text));
    }

    fn null(&mut self) {
        self.store(Val::Null);
    }

    fn value(&mut self, value: &Value) {
        let kept = value.json().and_then(|json| jaq_json::read::parse_single(json.as_bytes()).ok());
        self.store(kept.unwrap_or_else(|| of_node(value.node())));
    }
}
