//! Values of a scenario file with their places. Faults are collected, and reading goes on.

use std::cell::RefCell;

use fbc_cluster::time::Milliseconds;
use fbc_go::regexp::Pattern;
use fbc_yaml::locate::{Lines, Locator};
use fbc_yaml::{Kind, Node};
use serde_json::{Number, Value};

use crate::duration::{DURATION_FORM, parse_duration};
use crate::fault::{Place, ScenarioFault, meant};

/// The file that values come from, and what is wrong with it.
pub(crate) struct Source<'f> {
    pub(crate) file: &'f str,
    pub(crate) lines: Lines<'f>,
    pub(crate) locator: Locator,
    pub(crate) faults: RefCell<Vec<ScenarioFault>>,
}

/// A value of the file.
#[derive(Clone)]
pub(crate) struct Field<'s> {
    source: &'s Source<'s>,
    node: Node<'s>,
    pointer: String,
}

impl<'s> Field<'s> {
    pub(crate) fn root(source: &'s Source<'s>, node: Node<'s>) -> Self {
        Self { source, node, pointer: String::new() }
    }

    /// Where the value stands; its key, if it has one.
    pub(crate) fn place(&self) -> Place {
        let found = self.source.locator.find(&self.pointer);
        let start = found.key.map_or(found.value.start, |key| key.start);
        let (line, column) = self.source.lines.line_and_column(start);
        Place { line, column }
    }

    /// The path of the value, for complaints.
    fn path(&self) -> String {
        let mut path = String::new();
        for step in self.pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            if step.parse::<usize>().is_ok() {
                path.push_str(&format!("[{step}]"));
            } else {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(&step);
            }
        }
        path
    }

    /// Complains about this value; the path stands in front.
    pub(crate) fn fault(&self, message: &str, help: Option<String>) {
        let path = self.path();
        let message = if path.is_empty() { message.to_owned() } else { format!("{path} {message}") };
        let fault = ScenarioFault { file: self.source.file.to_owned(), place: self.place(), message, help };
        self.source.faults.borrow_mut().push(fault);
    }

    pub(crate) fn is_object(&self) -> bool {
        self.node.kind() == Kind::Object
    }

    pub(crate) fn is_text(&self) -> bool {
        self.node.kind() == Kind::String
    }

    pub(crate) fn is_list(&self) -> bool {
        self.node.kind() == Kind::Array
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    /// A member; null counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let node = self.node.get(key).filter(|node| !node.is_null())?;
        let key = key.replace('~', "~0").replace('/', "~1");
        Some(Self { source: self.source, node, pointer: format!("{}/{key}", self.pointer) })
    }

    /// A member, even if it is null.
    pub(crate) fn member(&self, key: &str) -> Option<Self> {
        let node = self.node.get(key)?;
        let key = key.replace('~', "~0").replace('/', "~1");
        Some(Self { source: self.source, node, pointer: format!("{}/{key}", self.pointer) })
    }

    /// A member that must be there.
    pub(crate) fn required(&self, key: &str) -> Option<Self> {
        let field = self.get(key);
        if field.is_none() {
            let path = self.path();
            let place = if path.is_empty() { String::new() } else { format!("{path}.") };
            let message = format!("{place}{key} is missing");
            let fault =
                ScenarioFault { file: self.source.file.to_owned(), place: self.place(), message, help: None };
            self.source.faults.borrow_mut().push(fault);
        }
        field
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.node.members().map(|(key, _)| key.to_owned()).collect()
    }

    /// Complains unless it is an object that has no members but these.
    pub(crate) fn only(&self, allowed: &[&str]) -> Option<()> {
        self.expect(Kind::Object, "an object")?;
        for key in self.keys() {
            if allowed.contains(&key.as_str()) {
                continue;
            }
            if let Some(member) = self.member(&key) {
                let known = format!("allowed are {}", allowed.join(", "));
                let help = meant(&key, allowed).map_or(known, |known| format!("did you mean {known:?}?"));
                member.fault("is not known", Some(help));
            }
        }
        Some(())
    }

    fn expect(&self, kind: Kind, what: &str) -> Option<()> {
        if self.node.kind() == kind {
            return Some(());
        }
        let found = match self.node.kind() {
            Kind::Null => "nothing",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a text",
            Kind::Array => "a list",
            Kind::Object => "an object",
        };
        let is_scalar = matches!(self.node.kind(), Kind::Number | Kind::Bool);
        let help = (kind == Kind::String && is_scalar).then(|| "put it in quotes".to_owned());
        self.fault(&format!("must be {what}, not {found}"), help);
        None
    }

    pub(crate) fn text(&self) -> Option<&'s str> {
        self.expect(Kind::String, "a text")?;
        let text = self.node.as_str()?;
        if text.is_empty() {
            self.fault("must not be empty", None);
            return None;
        }
        Some(text)
    }

    /// A text that may be empty.
    pub(crate) fn any_text(&self) -> Option<&'s str> {
        self.expect(Kind::String, "a text")?;
        self.node.as_str()
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        self.expect(Kind::Bool, "true or false")?;
        self.node.as_bool()
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        self.expect(Kind::Number, "a whole number")?;
        let number = self.value().as_i64();
        if number.is_none() {
            self.fault("must be a whole number", None);
        }
        number
    }

    pub(crate) fn natural(&self) -> Option<u64> {
        let number = self.integer()?;
        let natural = u64::try_from(number).ok();
        if natural.is_none() {
            self.fault("must not be negative", None);
        }
        natural
    }

    pub(crate) fn duration(&self) -> Option<Milliseconds> {
        let Some(text) = self.node.as_str() else {
            self.fault("must be a duration", Some(DURATION_FORM.to_owned()));
            return None;
        };
        let duration = parse_duration(text);
        if duration.is_none() {
            self.fault(&format!("is not a duration: {text:?}"), Some(DURATION_FORM.to_owned()));
        }
        duration
    }

    pub(crate) fn expression(&self) -> Option<Pattern> {
        let pattern = Pattern::new(self.text()?);
        let Some(fault) = pattern.fault() else { return Some(pattern) };
        let cause = fault.to_string();
        let cause = cause.trim_start_matches("error parsing regexp: ");
        self.fault(&format!("is not a regular expression: {cause}"), None);
        None
    }

    pub(crate) fn one_of(&self, names: &[&str]) -> Option<&'s str> {
        let text = self.text()?;
        if names.contains(&text) {
            return Some(text);
        }
        let help = meant(text, names).map(|known| format!("did you mean {known:?}?"));
        self.fault(&format!("must be {}, not {text:?}", names.join(" or ")), help);
        None
    }

    pub(crate) fn items(&self) -> Vec<Self> {
        if self.expect(Kind::Array, "a list").is_none() {
            return Vec::new();
        }
        let item =
            |(index, node)| Self { source: self.source, node, pointer: format!("{}/{index}", self.pointer) };
        self.node.items().enumerate().map(item).collect()
    }

    /// The items of a list, or the value itself.
    pub(crate) fn one_or_more(&self) -> Vec<Self> {
        if self.is_list() { self.items() } else { vec![self.clone()] }
    }

    pub(crate) fn value(&self) -> Value {
        value(self.node)
    }
}

/// The value as a JSON tree.
pub(crate) fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
        Kind::Number => number(node.as_f64().unwrap_or_default()),
        Kind::String => Value::String(node.as_str().unwrap_or_default().to_owned()),
        Kind::Array => node.items().map(value).collect(),
        Kind::Object => node.members().map(|(key, member)| (key.to_owned(), value(member))).collect(),
    }
}

fn number(number: f64) -> Value {
    // Every whole number of a document that is this small is exact.
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Value::Number(Number::from(number as i64));
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
