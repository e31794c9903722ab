//! Regular expressions of Go's `regexp`: read as Go reads them, with its words for what does not parse, and compiled with
//! the `regex` crate.

mod class;
mod parser;
mod syntax;

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

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

/// Compiles a Go expression.
fn compile(source: &str) -> Option<Regex> {
    let node = parser::parse(source).ok()?;
    let mut translated = String::with_capacity(source.len() + 16);
    node.write(&mut translated);
    RegexBuilder::new(&translated).size_limit(SIZE_LIMIT).nest_limit(NEST_LIMIT).build().ok()
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

#[cfg(test)]
mod tests;
