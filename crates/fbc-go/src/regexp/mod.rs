//! Regular expressions of Go's `regexp`: read as Go reads them, with its words for what does not parse, and compiled with
//! the `regex` crate.

mod class;
mod parser;
mod syntax;
mod template;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

pub use self::template::Template;

/// A pattern that is compiled when it is first needed; definitions hold many that never are.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The text as it was written.
    pub source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that is not looked at yet.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The compiled expression, or nothing if it does not compile.
    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.source)).as_ref()
    }

    /// True if it is found anywhere in the text, as `regexp.MatchString` says.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

/// How many bytes a compiled expression may take; Go limits the repetitions and the instructions instead.
const SIZE_LIMIT: usize = 64 << 20;

/// How deep an expression may nest as the `regex` crate counts; Go's own limit is lower.
const NEST_LIMIT: u32 = 8000;

/// How many expressions a thread remembers, and how many bytes each of them may take.
const REMEMBERED: usize = 256;
const SMALL: usize = 256 << 10;

thread_local! {
    /// Expressions by their text: a cluster brings the same definitions as the one before, and to compile their patterns
    /// takes longer than all else that is done with them.
    static KNOWN: RefCell<HashMap<String, Regex>> = RefCell::default();
}

/// Compiles a Go expression.
fn compile(source: &str) -> Option<Regex> {
    if let Some(known) = KNOWN.with_borrow(|known| known.get(source).cloned()) {
        return Some(known);
    }
    let node = parser::parse(source).ok()?;
    let mut translated = String::with_capacity(source.len() + 16);
    node.write(&mut translated);
    let build = |limit| RegexBuilder::new(&translated).size_limit(limit).nest_limit(NEST_LIMIT).build().ok();
    let Some(small) = build(SMALL) else { return build(SIZE_LIMIT) };
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(source.to_owned(), small.clone());
    });
    Some(small)
}

/// What Go says about an expression that does not parse, such as ``missing closing ): `(` ``; nothing if it parses.
pub fn fault(source: &str) -> Option<String> {
    match parser::parse(source) {
        Err(fault) => Some(fault.to_string()),
        Ok(_) if compile(source).is_none() => {
            Some(format!("error parsing regexp: expression too large: `{source}`"))
        }
        Ok(_) => None,
    }
}

/// What Go says about an expression that does not parse, as [`fault`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidExpression(String);

/// How much memory and time an expression takes when it is compiled, about: for those who compile what strangers write.
///
/// # Errors
/// [`InvalidExpression`]
pub fn weight(source: &str) -> Result<u64, InvalidExpression> {
    parser::parse(source).map(|node| node.weight()).map_err(|fault| InvalidExpression(fault.to_string()))
}

#[cfg(test)]
mod tests;
