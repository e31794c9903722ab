//! Two expressions with an operator between them.

use std::collections::BTreeSet;

use crate::update_service::promql::expression::{Expression, Matched, Set, Type, Vector, WithScalar};
use crate::update_service::promql::operator::Operator;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// An operator, with how both sides belong together.
pub(super) struct Combination {
    pub(super) operator: Operator,
    /// `on`
    pub(super) matching: Option<Vec<String>>,
    /// `group_left`
    pub(super) many: Option<Vec<String>>,
}

/// What may stand on both sides of an operator.
enum Sides {
    Scalars(f64, f64),
    Mixed { vector: Vector, scalar: f64, is_scalar_first: bool },
    Vectors(Vector, Vector),
}

impl Combination {
    /// The expression with both sides, in the order of Prometheus' complaints.
    pub(super) fn of(self, left: Expression, right: Expression) -> Result<Expression, SyntaxError> {
        let Self { operator, matching, many } = self;
        let kinds = [left.kind(), right.kind()];
        if operator.is_comparison() && kinds == [Type::Scalar; 2] {
            return refuse("comparisons between scalars must use BOOL modifier");
        }
        if let (Some(on), Some(many)) = (&matching, &many) {
            let on: BTreeSet<&String> = on.iter().collect();
            if let Some(label) = many.iter().find(|label| on.contains(label)) {
                return refuse(format!("label {label:?} must not occur in ON and GROUP clause at once"));
            }
        }
        let sides = match (left, right) {
            (Expression::Scalar(left), Expression::Scalar(right)) => Sides::Scalars(left, right),
            (Expression::Vector(vector), Expression::Scalar(scalar)) => {
                Sides::Mixed { vector, scalar, is_scalar_first: false }
            }
            (Expression::Scalar(scalar), Expression::Vector(vector)) => {
                Sides::Mixed { vector, scalar, is_scalar_first: true }
            }
            (Expression::Vector(left), Expression::Vector(right)) => Sides::Vectors(left, right),
            _ => return refuse("binary expression must contain only scalar and instant vector types"),
        };
        let has_labels = matching.as_ref().is_some_and(|on| !on.is_empty());
        if kinds != [Type::Vector; 2] && has_labels {
            return refuse("vector matching only allowed between instant vectors");
        }
        let word = operator.text();
        Ok(match (operator, sides) {
            (Operator::Set(_), Sides::Vectors(..)) if many.is_some() => {
                return refuse(format!("no grouping allowed for {word:?} operation"));
            }
            (Operator::Set(operator), Sides::Vectors(left, right)) => {
                Expression::Vector(Vector::Set(Box::new(Set { operator, left, right, matching })))
            }
            (Operator::Set(_), Sides::Scalars(..) | Sides::Mixed { .. }) => {
                return refuse(format!("set operator {word:?} not allowed in binary scalar expression"));
            }
            (Operator::Calculation(operator), Sides::Scalars(left, right)) => {
                Expression::Scalar(operator.result(left, right))
            }
            (Operator::Calculation(operator), Sides::Mixed { vector, scalar, is_scalar_first }) => {
                let of = WithScalar { operator, vector, scalar, is_scalar_first };
                Expression::Vector(Vector::WithScalar(Box::new(of)))
            }
            (Operator::Calculation(operator), Sides::Vectors(left, right)) => {
                let of = Matched { operator, left, right, matching, many };
                Expression::Vector(Vector::Matched(Box::new(of)))
            }
        })
    }
}
