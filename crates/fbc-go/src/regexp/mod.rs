//! Regular expressions of Go's `regexp`: read, compiled and matched as Go does, with its words for what does not parse.
//!
//! The door for every expression that is not a constant: what one may take is counted before it is compiled
//! ([`weight`]) and while it is matched ([`Steps`]). The `regex` crate compiles classes of Unicode to automata over bytes,
//! whose size is that of the class times the repetitions; here a class is kept once.

mod class;
mod machine;
mod parser;
mod program;
mod syntax;
mod template;
mod unicode;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use self::machine::{Steps, TooManySteps};
use self::program::Program;
pub use self::template::Template;

/// The weight of an expression, or of all that come together: see [`weight`].
pub const MOST_STATES: u64 = 1_000_000;

/// How many steps all matches of one request may take.
pub const MOST_STEPS: u64 = 100_000_000;

/// A pattern that is compiled when it is first needed; definitions hold many that never are. Clones share it.
#[derive(Debug, Clone)]
pub struct Pattern(Arc<Shared>);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

#[derive(Debug)]
struct Shared {
    source: String,
    compiled: OnceLock<Result<Program, InvalidExpression>>,
}

/// Why an expression is not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidExpression {
    /// What Go says about an expression that does not parse, such as ``missing closing ): `(` ``.
    #[error("{0}")]
    Syntax(String),
    /// Go would compile it.
    #[error(
        "the regular expression has about {weight} states; at most {MOST_STATES} are compiled (limit pattern-states)"
    )]
    TooLarge {
        /// What [`weight`] says.
        weight: u64,
    },
}

/// The groups of a match.
#[derive(Debug, Clone)]
pub struct Groups<'t> {
    text: &'t str,
    slots: machine::Slots,
}

impl<'t> Groups<'t> {
    /// What the group of this number has matched; 0 is the whole match.
    pub fn get(&self, number: usize) -> Option<&'t str> {
        self.text.get(range(&self.slots, number)?)
    }
}

fn range(slots: &machine::Slots, number: usize) -> Option<Range<usize>> {
    let place = number.checked_mul(2)?;
    let place_of = |slot: usize| slots.get(slot).copied()?.map(|place| place as usize);
    Some(place_of(place)?..place_of(place + 1)?)
}

impl Pattern {
    /// A pattern that is not looked at yet.
    pub fn new(source: impl Into<String>) -> Self {
        Self(Arc::new(Shared { source: source.into(), compiled: OnceLock::new() }))
    }

    /// The text as it was written.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// True once it was compiled, or would not.
    pub fn is_compiled(&self) -> bool {
        self.0.compiled.get().is_some()
    }

    /// Why it does not compile, if it does not.
    pub fn fault(&self) -> Option<&InvalidExpression> {
        self.program().err()
    }

    fn program(&self) -> Result<&Program, &InvalidExpression> {
        self.0.compiled.get_or_init(|| compile(&self.0.source)).as_ref()
    }

    /// True if it is found anywhere in the text, as `regexp.MatchString` says; one that does not compile is found nowhere.
    ///
    /// # Errors
    /// [`TooManySteps`]
    pub fn is_match(&self, text: &str, steps: &Steps) -> Result<bool, TooManySteps> {
        match self.program() {
            Ok(program) => Ok(machine::run(program, text, 0, ((), true), steps)?.is_some()),
            Err(_) => Ok(false),
        }
    }

    /// The first match in the text.
    ///
    /// # Errors
    /// [`TooManySteps`]
    pub fn find<'t>(&self, text: &'t str, steps: &Steps) -> Result<Option<&'t str>, TooManySteps> {
        let slots = self.run(text, 0, 2, steps)?;
        Ok(slots.and_then(|slots| text.get(range(&slots, 0)?)))
    }

    /// The first matches in the text that do not overlap, `most` of them; an empty one right behind another is none.
    ///
    /// # Errors
    /// [`TooManySteps`]
    pub fn find_all<'t>(
        &self,
        text: &'t str,
        most: usize,
        steps: &Steps,
    ) -> Result<Vec<&'t str>, TooManySteps> {
        let (mut found, mut from, mut last_end) = (Vec::new(), 0, None);
        while found.len() < most && from <= text.len() {
            let Some(range) = self.run(text, from, 2, steps)?.and_then(|slots| range(&slots, 0)) else {
                break;
            };
            let next = text.get(range.end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            from = if range.is_empty() { range.end + next } else { range.end };
            if !(range.is_empty() && last_end == Some(range.start)) {
                found.extend(text.get(range.clone()));
            }
            last_end = Some(range.end);
        }
        Ok(found)
    }

    /// The groups of the first match in the text.
    ///
    /// # Errors
    /// [`TooManySteps`]
    pub fn groups<'t>(&self, text: &'t str, steps: &Steps) -> Result<Option<Groups<'t>>, TooManySteps> {
        let groups = self.program().map_or(0, |program| program.groups);
        Ok(self.run(text, 0, 2 * (groups + 1), steps)?.map(|slots| Groups { text, slots }))
    }

    fn run(
        &self,
        text: &str,
        from: usize,
        slots: usize,
        steps: &Steps,
    ) -> Result<Option<machine::Slots>, TooManySteps> {
        match self.program() {
            Ok(program) => machine::run(program, text, from, (vec![None; slots], false), steps),
            Err(_) => Ok(None),
        }
    }
}

impl Default for Steps {
    /// The steps of one request.
    fn default() -> Self {
        Self::new(MOST_STEPS)
    }
}

fn compile(source: &str) -> Result<Program, InvalidExpression> {
    let node = parser::parse(source).map_err(|fault| InvalidExpression::Syntax(fault.to_string()))?;
    match node.weight() {
        0..=MOST_STATES => Ok(Program::new(&node)),
        weight => Err(InvalidExpression::TooLarge { weight }),
    }
}

/// What Go says about an expression that does not parse; nothing if it parses.
pub fn fault(source: &str) -> Option<String> {
    parser::parse(source).err().map(|fault| fault.to_string())
}

/// How much memory and time an expression takes when it is compiled, about: instructions, ranges of characters, and the
/// places of groups that each way through the instructions remembers.
///
/// # Errors
/// [`InvalidExpression::Syntax`]
pub fn weight(source: &str) -> Result<u64, InvalidExpression> {
    parser::parse(source)
        .map(|node| node.weight())
        .map_err(|fault| InvalidExpression::Syntax(fault.to_string()))
}

#[cfg(test)]
mod tests;
