//! Ranges of time behind selectors. Facts hold at all times, so only mistakes are of interest.

use super::Parser;
use crate::update_service::promql::expression::{Expression, Vector};
use crate::update_service::promql::lexer::Token;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// The seconds that fit into the nanoseconds of Go.
const MOST_SECONDS: f64 = i64::MAX as f64 / 1e9;

impl Parser<'_> {
    /// The rest of a range behind an expression, `5m]`, and whether a selector without brackets stands in front.
    pub(super) fn range(&mut self, of: Expression, is_bare: bool) -> Result<Expression, SyntaxError> {
        const CONTEXT: &str = "subquery or range selector";
        let Some(Token::Number(seconds, _)) = self.peek() else {
            return self.unexpected(CONTEXT, "number, duration, step(), or range()");
        };
        self.rest.next();
        if seconds.abs() > MOST_SECONDS {
            return refuse("duration out of range");
        }
        if *seconds <= 0.0 {
            return refuse("duration must be greater than 0");
        }
        if self.is_next(":") {
            return refuse("subqueries are not evaluated here");
        }
        self.expect("]", "subquery or range")?;
        match of {
            Expression::Vector(Vector::Selector(selector)) if is_bare => Ok(Expression::Range(selector)),
            _ => refuse("ranges only allowed for vector selectors"),
        }
    }
}
