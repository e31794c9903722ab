//! Values of PromQL expressions over facts, which hold at all times: ranges, offsets and subqueries see what there is now.
//!
//! Source: `prometheus/prometheus:promql/engine.go`.

mod binary;
mod expression;
mod function;
mod lexer;
mod parser;
mod syntax_error;

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;

use self::expression::{Aggregation, Labels as Named};
use super::facts::Series;

pub(super) use self::expression::{Expression, Selector, Test, Type};
pub(super) use self::parser::parse;
pub use self::syntax_error::SyntaxError;

/// The label that holds the name of a metric.
pub(super) const NAME: &str = "__name__";
type Labels = BTreeMap<String, String>;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Scalar(f64),
    Text(String),
    Vector(Vec<Series>),
}

/// What an expression asks for that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A part has a value of another type.
    #[error("expected type {expected}, got {found}")]
    Type {
        /// The type that it should have.
        expected: &'static str,
        /// The type that it has.
        found: String,
    },
    /// A function, an operator or an aggregation that is not known here.
    #[error("the {0} {1} is not known here")]
    Unknown(&'static str, String),
    /// A function needs more.
    #[error("an argument is missing")]
    Argument,
    /// A pattern is not one.
    #[error("invalid regular expression in label_replace(): {0}")]
    Pattern(String),
    /// An operator has a text beside it.
    #[error("binary operations take no strings")]
    Text,
    /// Several series on one side belong to several on the other.
    #[error("found duplicate series for the match group: many-to-many matching not allowed")]
    ManyToMany,
    /// Several series belong to one, which nobody asked for.
    #[error("multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)")]
    ManyToOne,
}

impl QueryError {
    fn misfit(expected: &'static str, expression: &Expression) -> Self {
        Self::Type { expected, found: expression.kind().to_string() }
    }
}

/// The value of an expression.
///
/// # Errors
/// [`QueryError`]
pub(super) fn evaluate(expression: &Expression, facts: &[Series], now: Moment) -> Result<Value, QueryError> {
    Evaluation { facts, now }.value(expression)
}

struct Evaluation<'f> {
    facts: &'f [Series],
    now: Moment,
}

impl Evaluation<'_> {
    fn value(&mut self, expression: &Expression) -> Result<Value, QueryError> {
        match expression {
            Expression::Aggregation(aggregation) => self.aggregate(aggregation),
            Expression::Negation(of) => match self.value(of)? {
                Value::Scalar(number) => Ok(Value::Scalar(-number)),
                Value::Vector(series) => Ok(Value::Vector(mapped(series, |number| -number))),
                Value::Text(_) => Err(QueryError::Text),
            },
            Expression::Binary(binary) => self.binary(binary),
            Expression::Subquery(of) => self.value(of),
            Expression::Number(number) => Ok(Value::Scalar(*number)),
            Expression::Text(text) => Ok(Value::Text(text.clone())),
            Expression::Selector { selector, .. } => Ok(Value::Vector(self.select(selector))),
            Expression::Call { function, arguments } => self.call(function.name, arguments),
        }
    }

    fn vector(&mut self, expression: &Expression) -> Result<Vec<Series>, QueryError> {
        match self.value(expression)? {
            Value::Vector(series) => Ok(series),
            _ => Err(QueryError::misfit("instant vector", expression)),
        }
    }

    fn number(&mut self, expression: &Expression) -> Result<f64, QueryError> {
        match self.value(expression)? {
            Value::Scalar(number) => Ok(number),
            _ => Err(QueryError::misfit("scalar", expression)),
        }
    }

    fn text(&mut self, expression: &Expression) -> Result<String, QueryError> {
        match self.value(expression)? {
            Value::Text(text) => Ok(text),
            _ => Err(QueryError::misfit("string", expression)),
        }
    }

    fn select(&self, selector: &Selector) -> Vec<Series> {
        let value = |series: &'_ Series, label: &str| series.labels.get(label).cloned().unwrap_or_default();
        let fits = |series: &&Series| {
            selector.name.as_ref().is_none_or(|name| value(series, NAME) == *name)
                && selector.matchers.iter().all(|matcher| matcher.test.holds(&value(series, &matcher.label)))
        };
        self.facts.iter().filter(fits).cloned().collect()
    }

    fn aggregate(&mut self, aggregation: &Aggregation) -> Result<Value, QueryError> {
        let operation = aggregation.operation.as_str();
        let series = self.vector(&aggregation.of)?;
        let group = |labels: &Labels| match &aggregation.grouping {
            None => Labels::new(),
            Some(Named::Only(kept)) => only(labels, kept),
            Some(Named::Without(left_out)) => without(labels, left_out),
        };
        let mut groups: BTreeMap<Labels, Vec<Series>> = BTreeMap::new();
        for one in series {
            groups.entry(group(&one.labels)).or_default().push(one);
        }
        if let ("topk" | "bottomk", Some(parameter)) = (operation, &aggregation.parameter) {
            let count = self.number(parameter)?.max(0.0) as usize;
            let mut kept = Vec::new();
            for (_, mut members) in groups {
                members.sort_by(|one, other| one.value.total_cmp(&other.value));
                if operation == "topk" {
                    members.reverse();
                }
                kept.extend(members.into_iter().take(count));
            }
            return Ok(Value::Vector(kept));
        }
        let result = groups.into_iter().map(|(labels, members)| {
            let values = || members.iter().map(|one| one.value);
            let count = members.len() as f64;
            let mean = values().sum::<f64>() / count;
            let variance = || values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
            let value = match operation {
                "sum" => values().sum(),
                "avg" => mean,
                "min" => values().fold(f64::NAN, f64::min),
                "max" => values().fold(f64::NAN, f64::max),
                "count" => count,
                "group" => 1.0,
                "stdvar" => variance(),
                "stddev" => variance().sqrt(),
                other => return Err(QueryError::Unknown("aggregation", other.to_owned())),
            };
            Ok(Series { labels, value })
        });
        result.collect::<Result<_, _>>().map(Value::Vector)
    }
}

/// The type of the parameter of an aggregation; nothing inside if it takes none, nothing at all for other words.
fn aggregation_parameter(operation: &str) -> Option<Option<Type>> {
    match operation {
        "sum" | "avg" | "min" | "max" | "count" | "group" | "stddev" | "stdvar" => Some(None),
        "topk" | "bottomk" | "quantile" => Some(Some(Type::Scalar)),
        "count_values" => Some(Some(Type::Text)),
        _ => None,
    }
}

fn only(labels: &Labels, names: &[String]) -> Labels {
    labels
        .iter()
        .filter(|(name, _)| names.contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Labels without some of them, and without the name of the metric.
fn without(labels: &Labels, names: &[String]) -> Labels {
    let is_left = |name: &String| *name != NAME && !names.contains(name);
    labels
        .iter()
        .filter(|(name, _)| is_left(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn mapped(series: Vec<Series>, function: impl Fn(f64) -> f64) -> Vec<Series> {
    series
        .into_iter()
        .map(|one| Series { labels: without(&one.labels, &[]), value: function(one.value) })
        .collect()
}

fn filtered(
    series: Vec<Series>,
    mut keep: impl FnMut(Series) -> Result<Option<Series>, QueryError>,
) -> Result<Value, QueryError> {
    let kept = series.into_iter().filter_map(|one| keep(one).transpose());
    kept.collect::<Result<_, _>>().map(Value::Vector)
}
