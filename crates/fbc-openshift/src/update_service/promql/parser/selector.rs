//! Selectors: which series of a metric are meant.

use regex::Regex;

use super::{Parser, shown};
use crate::update_service::promql::NAME;
use crate::update_service::promql::expression::{Expression, Matcher, Selector, Test};
use crate::update_service::promql::lexer::Token;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

impl Parser<'_> {
    /// A selector behind the name of its metric, which may also stand within its braces.
    pub(super) fn selector(&mut self, name: Option<String>) -> Result<Expression, SyntaxError> {
        let mut selector = Selector { name, matchers: Vec::new() };
        if self.takes("{") {
            while !self.takes("}") {
                self.matcher(&mut selector)?;
                if !self.takes(",") {
                    self.expect("}")?;
                    break;
                }
            }
        }
        // One that every series fits is a mistake.
        if selector.name.is_none() && selector.matchers.iter().all(|matcher| matcher.test.holds("")) {
            return refuse("vector selector must contain at least one non-empty matcher");
        }
        Ok(Expression::Selector { selector, is_range: false })
    }

    fn matcher(&mut self, selector: &mut Selector) -> Result<(), SyntaxError> {
        let (label, is_text) = match self.rest.next() {
            Some(Token::Word(label)) => (label.clone(), false),
            Some(Token::Text(label)) => (label.clone(), true),
            other => {
                return refuse(format!("unexpected {} in label matching, expected identifier", shown(other)));
            }
        };
        let is_alone = matches!(self.peek(), Some(Token::Sign("," | "}")));
        if is_text && is_alone {
            return set_name(selector, label);
        }
        let operator = match self.rest.next() {
            Some(Token::Sign(sign @ ("=" | "!=" | "=~" | "!~"))) => *sign,
            other => {
                return refuse(format!(
                    "unexpected {} in label matching, expected label matching operator",
                    shown(other)
                ));
            }
        };
        let Some(Token::Text(value)) = self.rest.next() else {
            return refuse("unexpected word in label matching, expected string");
        };
        if label == NAME && operator == "=" {
            return set_name(selector, value.clone());
        }
        let pattern =
            || Regex::new(&format!("^(?s:{value})$")).map_err(|error| SyntaxError(error.to_string()));
        let test = match operator {
            "=" => Test::Equal(value.clone()),
            "!=" => Test::NotEqual(value.clone()),
            "=~" => Test::Matches(pattern()?),
            _ => Test::MatchesNot(pattern()?),
        };
        selector.matchers.push(Matcher { label, test });
        Ok(())
    }
}

fn set_name(selector: &mut Selector, name: String) -> Result<(), SyntaxError> {
    match selector.name.replace(name) {
        None => Ok(()),
        Some(first) => refuse(format!("metric name must not be set twice: {first:?}")),
    }
}
