//! Selectors: which series of a metric are meant.

use fbc_go::regexp::Steps;

use super::{Parser, shown};
use crate::update_service::promql::NAME;
use crate::update_service::promql::expression::{Expression, Matcher, Selector, Test, Vector};
use crate::update_service::promql::lexer::Token;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

const CONTEXT: &str = "label matching";

impl Parser<'_> {
    /// A selector behind the name of its metric, which may also stand within its braces.
    pub(super) fn selector(&mut self, name: Option<String>) -> Result<Expression, SyntaxError> {
        let mut matchers = Vec::new();
        if self.takes("{") {
            while !self.takes("}") {
                matchers.push(self.matcher()?);
                if !self.takes(",") && !self.is_next("}") {
                    return self.unexpected(CONTEXT, "\",\" or \"}\"");
                }
            }
        }
        let within = matchers.iter().find(|matcher| matcher.label == NAME);
        match (&name, within) {
            (Some(name), Some(within)) => {
                let value = within.test.value();
                return refuse(format!("metric name must not be set twice: {name:?} or {value:?}"));
            }
            // One that every series fits is a mistake.
            (None, _) if matchers.iter().all(|matcher| matcher.test.holds("", &Steps::default())) => {
                return refuse("vector selector must contain at least one non-empty matcher");
            }
            _ => {}
        }
        Ok(Expression::Vector(Vector::Selector(Selector { name, matchers })))
    }

    fn matcher(&mut self) -> Result<Matcher, SyntaxError> {
        let label = match self.peek() {
            Some(Token::Word(label)) => label.clone(),
            _ => return self.unexpected(CONTEXT, "identifier or \"}\""),
        };
        self.rest.next();
        let operator = match self.rest.next() {
            Some(Token::Punctuation(operator @ ("=" | "!=" | "=~" | "!~"))) => *operator,
            other => {
                return refuse(format!(
                    "unexpected {} in {CONTEXT}, expected label matching operator",
                    shown(other)
                ));
            }
        };
        let Some(Token::Text(value)) = self.peek() else { return self.unexpected(CONTEXT, "string") };
        self.rest.next();
        let test = match operator {
            "=" => Test::Equal(value.clone()),
            "!=" => Test::NotEqual(value.clone()),
            "=~" => Test::Matches(self.patterns.of_matcher(value)?),
            _ => Test::MatchesNot(self.patterns.of_matcher(value)?),
        };
        Ok(Matcher { label, test })
    }
}
