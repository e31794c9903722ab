//! Two expressions with an operator between them.

use std::collections::BTreeSet;

use crate::update_service::promql::expression::{
    Expression, Grouping, Many, Matched, Scalar, Set, Type, Vector, WithScalar,
};
use crate::update_service::promql::operator::Operator;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// An operator, with how both sides belong together.
pub(super) struct Combination {
    pub(super) operator: Operator,
    pub(super) returns_bool: bool,
    pub(super) matching: Option<Grouping>,
    pub(super) many: Option<Many>,
}

/// What may stand on both sides of an operator.
enum Sides {
    Scalars(Scalar, Scalar),
    Mixed { vector: Vector, scalar: Scalar, is_scalar_first: bool },
    Vectors(Vector, Vector),
}

impl Combination {
    /// The expression with both sides, in the order of Prometheus' complaints.
    pub(super) fn of(self, left: Expression, right: Expression) -> Result<Expression, SyntaxError> {
        let Self { operator, returns_bool, matching, many } = self;
        let kinds = [left.kind(), right.kind()];
        if returns_bool && !operator.is_comparison() {
            return refuse("bool modifier can only be used on comparison operators");
        }
        if operator.is_comparison() && !returns_bool && kinds == [Type::Scalar; 2] {
            return refuse("comparisons between scalars must use BOOL modifier");
        }
        if let (Some(Grouping::Only(on)), Some(many)) = (&matching, &many) {
            let on: BTreeSet<&String> = on.iter().collect();
            if let Some(label) = many.labels.iter().find(|label| on.contains(label)) {
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
        let has_labels = matching.as_ref().is_some_and(|matching| !matching.labels().is_empty());
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
                Expression::Scalar(Scalar::Calculation { operator, sides: Box::new((left, right)) })
            }
            (Operator::Calculation(operator), Sides::Mixed { vector, scalar, is_scalar_first }) => {
                let of = WithScalar { operator, vector, scalar, is_scalar_first, returns_bool };
                Expression::Vector(Vector::WithScalar(Box::new(of)))
            }
            (Operator::Calculation(operator), Sides::Vectors(left, right)) => {
                let of = Matched { operator, left, right, returns_bool, matching, many };
                Expression::Vector(Vector::Matched(Box::new(of)))
            }
        })
    }
}
