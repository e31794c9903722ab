//! What follows series: ranges of time, and when they end. Facts hold at all times, so only mistakes are of interest.

use super::{Parser, shown};
use crate::update_service::promql::expression::{Expression, Range, Vector};
use crate::update_service::promql::lexer::Token;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// The seconds that fit into the nanoseconds of Go.
const MOST_SECONDS: f64 = i64::MAX as f64 / 1e9;

/// What follows series so far.
#[derive(Debug)]
pub(super) struct Modifiers {
    /// Whether they are named or in a range, without brackets around them.
    is_allowed: bool,
    has_offset: bool,
    has_moment: bool,
}

impl Modifiers {
    pub(super) fn new(is_allowed: bool) -> Self {
        Self { is_allowed, has_offset: false, has_moment: false }
    }

    fn allow(&self, modifier: &str) -> Result<(), SyntaxError> {
        if self.is_allowed {
            return Ok(());
        }
        refuse(format!(
            "{modifier} modifier must be preceded by an instant vector selector or range vector selector or a \
             subquery"
        ))
    }
}

impl Parser<'_> {
    /// A range behind an expression: `[5m]` behind a selector, `[1h:]` or `[1h:5m]` behind anything.
    pub(super) fn range(&mut self, of: Expression, modifiers: &Modifiers) -> Result<Expression, SyntaxError> {
        self.length("subquery or range selector", DURATION)?;
        if self.takes(":") {
            if !self.is_next("]") {
                self.length("subquery selector", "number, duration, step(), range(), or \"]\"")?;
            }
            self.expect("]", "subquery selector")?;
            return match of {
                Expression::Vector(of) => Ok(Expression::Range(Range::Subquery(Box::new(of)))),
                of => refuse(format!(
                    "subquery is only allowed on instant vector, got {} instead",
                    of.kind().short()
                )),
            };
        }
        if !self.takes("]") {
            return self.unexpected("subquery or range", "\":\" or \"]\"");
        }
        match of {
            Expression::Vector(Vector::Selector(selector)) if modifiers.is_allowed => {
                if modifiers.has_offset {
                    return refuse("no offset modifiers allowed before range");
                }
                if modifiers.has_moment {
                    return refuse("no @ modifiers allowed before range");
                }
                Ok(Expression::Range(Range::Selector(selector)))
            }
            _ => refuse("ranges only allowed for vector selectors"),
        }
    }

    /// What follows `offset`.
    pub(super) fn offset(&mut self, modifiers: &mut Modifiers) -> Result<(), SyntaxError> {
        let seconds = self.seconds("offset", DURATION)?;
        modifiers.allow("offset")?;
        if modifiers.has_offset {
            return refuse("offset may not be set multiple times");
        }
        // One of no length is as good as none.
        modifiers.has_offset = seconds != 0.0;
        Ok(())
    }

    /// What follows `@`: a moment, or the start or the end of the query.
    pub(super) fn moment(&mut self, modifiers: &mut Modifiers) -> Result<(), SyntaxError> {
        if self.takes_word("start") || self.takes_word("end") {
            self.expect("(", "@")?;
            self.expect(")", "@")?;
        } else {
            let _is_signed = self.takes("-") || self.takes("+");
            match self.rest.next() {
                // Not a number is beyond these too.
                Some(Token::Number(seconds, _)) if seconds.abs() < i64::MAX as f64 => {}
                Some(Token::Number(seconds, _)) => {
                    return refuse(format!("timestamp out of bounds for @ modifier: {seconds}"));
                }
                other => return refuse(format!("unexpected {} in @, expected timestamp", shown(other))),
            }
        }
        modifiers.allow("@")?;
        if modifiers.has_moment {
            return refuse("@ <timestamp> may not be set multiple times");
        }
        modifiers.has_moment = true;
        Ok(())
    }

    /// The length of a range or of its steps.
    fn length(&mut self, context: &str, expected: &str) -> Result<(), SyntaxError> {
        if self.seconds(context, expected)? > 0.0 {
            Ok(())
        } else {
            refuse("duration must be greater than 0")
        }
    }

    /// A span of time.
    fn seconds(&mut self, context: &str, expected: &str) -> Result<f64, SyntaxError> {
        let mut sign = 1.0;
        while self.is_next("-") || self.is_next("+") {
            sign = if self.is_next("-") { -sign } else { sign };
            self.rest.next();
        }
        let Some(Token::Number(seconds, _)) = self.peek() else {
            return self.unexpected(context, expected);
        };
        self.rest.next();
        if seconds.abs() <= MOST_SECONDS { Ok(sign * seconds) } else { refuse("duration out of range") }
    }
}

const DURATION: &str = "number, duration, step(), or range()";
