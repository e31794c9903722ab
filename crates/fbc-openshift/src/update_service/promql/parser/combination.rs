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
        if kinds.iter().any(|kind| !matches!(kind, Type::Scalar | Type::Vector)) {
            return refuse("binary expression must contain only scalar and instant vector types");
        }
        let has_labels = matching.as_ref().is_some_and(|matching| !matching.labels().is_empty());
        if kinds != [Type::Vector; 2] && has_labels {
            return refuse("vector matching only allowed between instant vectors");
        }
        let word = operator.text();
        Ok(match (operator, left, right) {
            (Operator::Set(_), Expression::Vector(_), Expression::Vector(_)) if many.is_some() => {
                return refuse(format!("no grouping allowed for {word:?} operation"));
            }
            (Operator::Set(operator), Expression::Vector(left), Expression::Vector(right)) => {
                Expression::Vector(Vector::Set(Box::new(Set { operator, left, right, matching })))
            }
            (Operator::Set(_), _, _) => {
                return refuse(format!("set operator {word:?} not allowed in binary scalar expression"));
            }
            (Operator::Calculation(operator), Expression::Scalar(left), Expression::Scalar(right)) => {
                Expression::Scalar(Scalar::Calculation { operator, sides: Box::new((left, right)) })
            }
            (Operator::Calculation(operator), Expression::Vector(vector), Expression::Scalar(scalar)) => {
                let of = WithScalar { operator, vector, scalar, is_scalar_first: false, returns_bool };
                Expression::Vector(Vector::WithScalar(Box::new(of)))
            }
            (Operator::Calculation(operator), Expression::Scalar(scalar), Expression::Vector(vector)) => {
                let of = WithScalar { operator, vector, scalar, is_scalar_first: true, returns_bool };
                Expression::Vector(Vector::WithScalar(Box::new(of)))
            }
            (Operator::Calculation(operator), Expression::Vector(left), Expression::Vector(right)) => {
                let of = Matched { operator, left, right, returns_bool, matching, many };
                Expression::Vector(Vector::Matched(Box::new(of)))
            }
            (Operator::Calculation(_), _, _) => {
                return refuse("binary expression must contain only scalar and instant vector types");
            }
        })
    }
}
