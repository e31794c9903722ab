//! Values of PromQL expressions over facts, which hold at all times: ranges, offsets and subqueries see what there is now.
//!
//! Source: `prometheus/prometheus:promql/engine.go` and `functions.go`.

mod aggregation;
mod binary;
mod expression;
mod function;
mod lexer;
mod operator;
mod parser;
mod syntax_error;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::time::Moment;

use self::expression::{Range, Scalar};
use super::facts::Series;

pub(super) use self::expression::{Expression, Selector, Test, Vector};
pub(super) use self::parser::parse;
pub use self::syntax_error::{Excess, MOST_BYTES, MOST_OPERATORS, SyntaxError};

/// The label that holds the name of a metric.
pub(super) const NAME: &str = "__name__";
type Labels = BTreeMap<String, String>;

/// What an expression asks for that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A pattern is not one.
    #[error("invalid regular expression in label_replace(): {0}")]
    Pattern(String),
    /// A new label has no name.
    #[error("invalid label name in {function}(): \"\"")]
    LabelName {
        /// What makes it.
        function: &'static str,
    },
    /// A new value of a label is longer than any query.
    #[error("{function}() makes the value of a label longer than {} KiB", MOST_BYTES >> 10)]
    LabelValue {
        /// What makes it.
        function: &'static str,
    },
    /// The number of wanted series is not a number.
    #[error("Parameter value is NaN")]
    Count,
    /// More series are wanted than can be counted.
    #[error("Scalar value {0} overflows int64")]
    CountOverflow(String),
    /// Several series on one side belong to several on the other.
    #[error("found duplicate series for the match group: many-to-many matching not allowed")]
    ManyToMany,
    /// Several series belong to one, which nobody asked for.
    #[error("multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)")]
    ManyToOne,
    /// Several series belong to one, and would be one.
    #[error("multiple matches for labels: grouping labels must ensure unique matches")]
    ManyToOneLabels,
    /// Several series have become one.
    #[error("vector cannot contain metrics with the same labelset")]
    SameLabels,
}

/// The series that an expression stands for.
///
/// # Errors
/// [`QueryError`]
pub(super) fn evaluate(
    expression: &Vector,
    facts: &[Series],
    now: Moment,
) -> Result<Vec<Series>, QueryError> {
    Evaluation { facts, now }.vector(expression)
}

struct Evaluation<'f> {
    facts: &'f [Series],
    now: Moment,
}

impl Evaluation<'_> {
    fn vector(&self, vector: &Vector) -> Result<Vec<Series>, QueryError> {
        let series = match vector {
            Vector::Selector(selector) => return Ok(self.select(selector)),
            Vector::Negation(of) => mapped(self.vector(of)?, |number| -number),
            Vector::WithScalar(of) => self.with_scalar(of)?,
            Vector::Matched(of) => self.matched(of)?,
            Vector::Set(of) => self.set(of)?,
            Vector::Aggregation(of) => self.aggregate(of)?,
            Vector::Call(of) => self.call(of)?,
        };
        let labels: BTreeSet<&Labels> = series.iter().map(|one| &one.labels).collect();
        if labels.len() == series.len() { Ok(series) } else { Err(QueryError::SameLabels) }
    }

    /// The series of a range, each with the value that it has at all times.
    fn range(&self, range: &Range) -> Result<Vec<Series>, QueryError> {
        match range {
            Range::Selector(selector) => Ok(self.select(selector)),
            Range::Subquery(of) => self.vector(of),
        }
    }

    fn scalar(&self, scalar: &Scalar) -> Result<f64, QueryError> {
        Ok(match scalar {
            Scalar::Number(number) => *number,
            Scalar::Time => self.now.0 as f64 / 1000.0,
            Scalar::Only(of) => match self.vector(of)?.as_slice() {
                [only] => only.value,
                _ => f64::NAN,
            },
            Scalar::Negation(of) => -self.scalar(of)?,
            Scalar::Calculation { operator, sides } => {
                operator.result(self.scalar(&sides.0)?, self.scalar(&sides.1)?)
            }
        })
    }

    fn select(&self, selector: &Selector) -> Vec<Series> {
        let fits = |Series { labels, .. }: &&Series| {
            selector.name.as_ref().is_none_or(|name| value(labels, NAME) == *name)
                && selector.matchers.iter().all(|matcher| matcher.test.holds(value(labels, &matcher.label)))
        };
        // As Prometheus takes the first of two equal series.
        let mut seen = BTreeSet::new();
        self.facts.iter().filter(fits).filter(|series| seen.insert(&series.labels)).cloned().collect()
    }
}

/// The order of two series by their values. What is not a number comes last.
fn by_value(one: &Series, other: &Series, is_descending: bool) -> Ordering {
    let order = one.value.partial_cmp(&other.value);
    match order {
        Some(order) if is_descending => order.reverse(),
        Some(order) => order,
        None => one.value.is_nan().cmp(&other.value.is_nan()),
    }
}

/// The value of a label, which is empty if there is none.
fn value<'l>(labels: &'l Labels, label: &str) -> &'l str {
    labels.get(label).map_or("", String::as_str)
}

fn only(labels: &Labels, names: &[String]) -> Labels {
    let kept = names.iter().filter_map(|name| labels.get_key_value(name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Labels without some of them, and without the name of the metric.
fn without(labels: &Labels, names: &[String]) -> Labels {
    let mut left = labels.clone();
    left.remove(NAME);
    for name in names {
        left.remove(name);
    }
    left
}

/// Series with other values, which are no longer those of their metric.
fn mapped(mut series: Vec<Series>, function: impl Fn(f64) -> f64) -> Vec<Series> {
    for one in &mut series {
        one.labels.remove(NAME);
        one.value = function(one.value);
    }
    series
}
