//! Fields of a manifest, with their places for complaints.

use std::collections::BTreeMap;
use std::fmt;

use fbc_yaml::{Kind, Node};

/// A value of a manifest.
#[derive(Clone)]
pub(super) struct Field<'d> {
    pub(super) node: Node<'d>,
    /// The JSON pointer.
    pub(super) pointer: String,
}

/// What is wrong with a manifest.
#[derive(Debug)]
pub(super) struct Fault {
    /// The JSON pointer of the value.
    pub(super) pointer: String,
    /// What is wrong, with the path of the field.
    pub(super) message: String,
}

impl<'d> Field<'d> {
    pub(super) fn root(node: Node<'d>) -> Self {
        Self { node, pointer: String::new() }
    }

    /// A complaint about this value.
    pub(super) fn fault(&self, message: impl fmt::Display) -> Fault {
        let path = self.pointer.trim_start_matches('/').replace('/', ".");
        let message = if path.is_empty() { message.to_string() } else { format!("{path} {message}") };
        Fault { pointer: self.pointer.clone(), message }
    }

    /// A member; null counts as absent, as it does in Go.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let node = self.node.get(key).filter(|node| !node.is_null())?;
        let key = key.replace('~', "~0").replace('/', "~1");
        Some(Self { node, pointer: format!("{}/{key}", self.pointer) })
    }

    fn expect(self, kind: Kind, what: &str) -> Result<Self, Fault> {
        if self.node.kind() == kind {
            return Ok(self);
        }
        let found = match self.node.kind() {
            Kind::Null => "nothing",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "a list",
            Kind::Object => "an object",
        };
        let quotes = kind == Kind::String && matches!(self.node.kind(), Kind::Number | Kind::Bool);
        let hint = if quotes { "; put it in quotes" } else { "" };
        Err(self.fault(format!("must be {what}, not {found}{hint}")))
    }

    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, Fault> {
        self.get(key).map(|field| field.expect(Kind::Object, "an object")).transpose()
    }

    pub(super) fn required_object(&self, key: &str) -> Result<Self, Fault> {
        self.object(key)?.ok_or_else(|| self.missing(key))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'d str>, Fault> {
        let field = self.get(key).map(|field| field.expect(Kind::String, "a string")).transpose()?;
        Ok(field.and_then(|field| field.node.as_str()))
    }

    pub(super) fn required_text(&self, key: &str) -> Result<&'d str, Fault> {
        match self.text(key)? {
            Some("") => Err(self.get(key).unwrap_or_else(|| self.clone()).fault("must not be empty")),
            Some(text) => Ok(text),
            None => Err(self.missing(key)),
        }
    }

    pub(super) fn one_of(&self, key: &str, names: &[&str]) -> Result<Option<&'d str>, Fault> {
        match self.text(key)? {
            Some(text) if !names.contains(&text) => {
                let field = self.get(key).unwrap_or_else(|| self.clone());
                Err(field.fault(format!("must be {}, not {text:?}", names.join(" or "))))
            }
            other => Ok(other),
        }
    }

    pub(super) fn list(&self, key: &str) -> Result<Vec<Self>, Fault> {
        let Some(list) = self.get(key) else { return Ok(Vec::new()) };
        let list = list.expect(Kind::Array, "a list")?;
        let item = |(index, node)| Self { node, pointer: format!("{}/{index}", list.pointer) };
        Ok(list.node.items().enumerate().map(item).collect())
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Fault> {
        let text = |item: Self| {
            let item = item.expect(Kind::String, "a string")?;
            Ok(item.node.as_str().unwrap_or_default().to_owned())
        };
        self.list(key)?.into_iter().map(text).collect()
    }

    /// An object of texts.
    pub(super) fn text_map(&self, key: &str) -> Result<BTreeMap<String, String>, Fault> {
        let Some(object) = self.object(key)? else { return Ok(BTreeMap::new()) };
        object
            .node
            .members()
            .map(|(key, _)| Ok((key.to_owned(), object.text(key)?.unwrap_or_default().to_owned())))
            .collect()
    }

    pub(super) fn missing(&self, key: &str) -> Fault {
        let path = self.pointer.trim_start_matches('/').replace('/', ".");
        let dot = if path.is_empty() { "" } else { "." };
        Fault { pointer: self.pointer.clone(), message: format!("{path}{dot}{key} is missing") }
    }
}
