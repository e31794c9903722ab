//! Values of PromQL expressions over facts, which hold at all times: ranges see what there is now.
//!
//! What is evaluated is what the risks of `openshift/cincinnati-graph-data` ask for and have asked for; the test
//! `what_risks_ask_for_is_evaluated` lists it. The rest of PromQL is refused by its name.
//!
//! Source: `prometheus/prometheus:promql/engine.go` and `functions.go`.

mod aggregation;
mod binary;
mod expression;
mod extremes;
mod function;
mod lexer;
mod operator;
mod parser;
mod pattern;
mod syntax_error;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use fbc_go::regexp::{Steps, TooManySteps};

use self::expression::{Selector, Vector};
use super::facts::Series;

pub(super) use self::expression::Expression;
pub(super) use self::parser::parse;
pub use self::pattern::MOST_PATTERN_WEIGHT;
pub use self::syntax_error::{Excess, MOST_BYTES, MOST_OPERATORS, SyntaxError};

/// The label that holds the name of a metric.
pub(super) const NAME: &str = "__name__";
type Labels = BTreeMap<String, String>;
/// The bytes of all labels that a query makes.
pub const MOST_LABEL_BYTES: usize = 32 << 20;

/// What an expression asks for that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A pattern is not one.
    #[error("invalid regular expression in label_replace(): {0}")]
    Pattern(String),
    /// A new label has no name.
    #[error("invalid destination label name in label_replace(): ")]
    TargetLabel,
    /// A new value of a label is longer than any query.
    #[error("{function} makes the value of a label longer than {} KiB", MOST_BYTES >> 10)]
    LabelValue {
        /// What makes it.
        function: &'static str,
    },
    /// There are too many labels, or they are too long.
    #[error("the query makes more than {} MiB of labels", MOST_LABEL_BYTES >> 20)]
    Labels,
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
    /// Regular expressions take too long.
    #[error(transparent)]
    Steps(#[from] TooManySteps),
    /// Several series have become one.
    #[error("vector cannot contain metrics with the same labelset")]
    SameLabels,
}

/// The series that an expression stands for.
///
/// # Errors
/// [`QueryError`]
pub(super) fn evaluate(expression: &Vector, facts: &[Series]) -> Result<Vec<Series>, QueryError> {
    let evaluation = Evaluation { facts, label_bytes: Cell::default(), steps: Steps::default() };
    let series = evaluation.vector(expression)?;
    if evaluation.steps.are_used_up() { Err(TooManySteps.into()) } else { Ok(series) }
}

struct Evaluation<'f> {
    facts: &'f [Series],
    /// The bytes of the labels that have been made.
    label_bytes: Cell<usize>,
    /// What its regular expressions may still take.
    steps: Steps,
}

impl Evaluation<'_> {
    fn vector(&self, vector: &Vector) -> Result<Vec<Series>, QueryError> {
        let series = match vector {
            Vector::Selector(selector) => return Ok(self.select(selector)),
            Vector::Negation(of) => mapped(self.vector(of)?, |number| -number),
            Vector::Plus(of) => return self.vector(of),
            Vector::WithScalar(of) => self.with_scalar(of)?,
            Vector::Matched(of) => self.matched(of)?,
            Vector::Set(of) => self.set(of)?,
            Vector::Aggregation(of) => self.aggregate(of)?,
            Vector::Call(of) => self.call(of)?,
        };
        let labels: BTreeSet<&Labels> = series.iter().map(|one| &one.labels).collect();
        if labels.len() == series.len() { Ok(series) } else { Err(QueryError::SameLabels) }
    }

    fn select(&self, selector: &Selector) -> Vec<Series> {
        let fits = |Series { labels, .. }: &&Series| {
            selector.name.as_ref().is_none_or(|name| value(labels, NAME) == *name)
                && selector
                    .matchers
                    .iter()
                    .all(|matcher| matcher.test.holds(value(labels, &matcher.label), &self.steps))
        };
        // As Prometheus takes the first of two equal series.
        let mut seen = BTreeSet::new();
        self.facts.iter().filter(fits).filter(|series| seen.insert(&series.labels)).cloned().collect()
    }

    /// A new value of a label. Its length is known before it is made: values within values could double at every step.
    fn made<'p>(
        &self,
        function: &'static str,
        label: &str,
        pieces: impl Iterator<Item = &'p str> + Clone,
    ) -> Result<String, QueryError> {
        let length: usize = pieces.clone().map(str::len).sum();
        if length > MOST_BYTES {
            return Err(QueryError::LabelValue { function });
        }
        self.label_bytes.set(self.label_bytes.get() + label.len() + length);
        if self.label_bytes.get() > MOST_LABEL_BYTES {
            return Err(QueryError::Labels);
        }
        Ok(pieces.collect())
    }
}

/// A number as a label and messages have it.
pub(super) fn shown(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
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

/// Labels without the name of the metric.
fn without_name(labels: &Labels) -> Labels {
    let mut left = labels.clone();
    left.remove(NAME);
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
