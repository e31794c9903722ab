//! Regular expressions of a query: those of Go, few enough and small enough together.

use fbc_go::regexp::{self, Groups, InvalidExpression, Steps, Template};

use super::QueryError;
use super::syntax_error::{Excess, SyntaxError};

/// The weight of all regular expressions of a query; see [`regexp::weight`].
pub const MOST_PATTERN_WEIGHT: u64 = 100_000;
/// What one weighs however short it is: each keeps buffers for its matches.
const LEAST_WEIGHT: u64 = 500;

/// A regular expression that a whole text must match.
#[derive(Debug, Clone)]
pub(in super::super) struct Pattern {
    /// As it was written.
    pub(super) text: String,
    /// As it is compiled.
    whole: regexp::Pattern,
}

impl Pattern {
    /// False, too, if there are not enough steps; the evaluation ends with an error then.
    pub(super) fn is_match(&self, text: &str, steps: &Steps) -> bool {
        self.whole.is_match(text, steps).unwrap_or_default()
    }

    /// The groups of a match; none, too, if there are not enough steps.
    pub(super) fn groups<'t>(&self, text: &'t str, steps: &Steps) -> Option<Groups<'t>> {
        self.whole.groups(text, steps).unwrap_or_default()
    }

    /// A template for what it matches.
    pub(super) fn template<'t>(&self, text: &'t str) -> Template<'t> {
        Template::new(text, self.whole.source())
    }
}

/// Compiles the regular expressions of a query, each once.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    weight: u64,
}

impl Patterns {
    /// The pattern of a matcher.
    pub(super) fn of_matcher(&mut self, text: &str) -> Result<Pattern, SyntaxError> {
        // By itself too, so that no bracket of the text ends the group around it.
        let invalid = |fault: InvalidExpression| SyntaxError::Text(fault.to_string());
        regexp::weight(text).map_err(invalid)?;
        match self.compiled(text, format!("^(?s:{text})$"))? {
            Ok(pattern) => Ok(pattern),
            // A quotation without an end goes on to the end of the text.
            Err(_) => self.compiled(text, format!("^(?s:{text}\\E)$"))?.map_err(invalid),
        }
    }

    /// The pattern of `label_replace`. Only an evaluation tells that it is not one.
    pub(super) fn of_replacement(&mut self, text: &str) -> Result<Result<Pattern, QueryError>, SyntaxError> {
        let compiled = self.compiled(text, format!("^(?s:{text})$"))?;
        Ok(compiled.map_err(|_| QueryError::Pattern(text.to_owned())))
    }

    /// Compiles a pattern, or tells what is wrong with it.
    fn compiled(
        &mut self,
        text: &str,
        whole: String,
    ) -> Result<Result<Pattern, InvalidExpression>, SyntaxError> {
        let weight = match regexp::weight(&whole) {
            Ok(weight) => weight,
            Err(fault) => return Ok(Err(fault)),
        };
        self.weight = self.weight.saturating_add(weight).saturating_add(LEAST_WEIGHT);
        if self.weight > MOST_PATTERN_WEIGHT {
            return Err(SyntaxError::Excess(Excess::Patterns));
        }
        Ok(Ok(Pattern { text: text.to_owned(), whole: regexp::Pattern::new(whole) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Result<Pattern, SyntaxError> {
        Patterns::default().of_matcher(text)
    }

    #[test]
    fn patterns_are_those_of_go() {
        for (text, value, is_match) in [
            ("a{b", "a{b", true),
            ("[[]", "[", true),
            ("\\Qx.y\\E", "x.y", true),
            ("\\Qx.y\\E", "x-y", false),
            ("\\Qx.y", "x.y", true),
            ("\\Qa)|(b", "a)|(b", true),
            ("[a&&b]", "&", true),
            ("\\d", "1", true),
            ("\\d", "١", false),
            ("a.b", "a\nb", true),
            ("a", "ab", false),
            ("", "", true),
        ] {
            assert_eq!(pattern(text).unwrap().is_match(value, &Steps::default()), is_match, "{text} {value}");
        }
        for (text, message) in [
            ("(", "error parsing regexp: missing closing ): `(`"),
            ("a)|(b", "error parsing regexp: unexpected ): `a)|(b`"),
            ("a{1,1001}", "error parsing regexp: invalid repeat count: `{1,1001}`"),
            ("[a-z]{1000}".repeat(100).as_str(), "the query has regular expressions that are too large"),
        ] {
            assert_eq!(pattern(text).map(|_| ()).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn all_patterns_of_a_query_have_one_budget() {
        let mut patterns = Patterns::default();
        let count = (0..1000).take_while(|number| patterns.of_matcher(&format!("a{number}")).is_ok()).count();
        assert!((100..=200).contains(&count), "{count}");
    }
}
