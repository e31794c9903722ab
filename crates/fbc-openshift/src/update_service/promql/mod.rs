//! Values of PromQL expressions over facts, which hold at all times: ranges, offsets and subqueries see what there is now.
//!
//! Source: `prometheus/prometheus:promql/engine.go`.

mod binary;
mod function;

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;
use promql_parser::parser::{AggregateExpr, Expr, LabelModifier, VectorSelector};

use super::facts::Series;

/// The label that holds the name of a metric.
pub(super) const NAME: &str = "__name__";
/// Expressions nest no deeper than this.
const DEEPEST: usize = 200;

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
    /// It nests beyond all limits.
    #[error("the query is nested too deeply")]
    Depth,
    /// It is not PromQL as everybody knows it.
    #[error("the query uses an extension")]
    Extension,
    /// A part has a value of another type.
    #[error("expected type {expected}, got {expression}")]
    Type {
        /// The type that it should have.
        expected: &'static str,
        /// The part.
        expression: String,
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
    fn misfit(expected: &'static str, expression: &Expr) -> Self {
        Self::Type { expected, expression: expression.to_string() }
    }
}

/// The value of an expression.
///
/// # Errors
/// [`QueryError`]
pub(super) fn evaluate(expression: &Expr, facts: &[Series], now: Moment) -> Result<Value, QueryError> {
    Evaluation { facts, now, depth: 0 }.value(expression)
}

struct Evaluation<'f> {
    facts: &'f [Series],
    now: Moment,
    depth: usize,
}

impl Evaluation<'_> {
    fn value(&mut self, expression: &Expr) -> Result<Value, QueryError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(QueryError::Depth);
        }
        let value = match expression {
            Expr::Aggregate(aggregate) => self.aggregate(aggregate),
            Expr::Unary(unary) => Ok(match self.value(&unary.expr)? {
                Value::Scalar(number) => Value::Scalar(-number),
                Value::Vector(series) => Value::Vector(mapped(series, |number| -number)),
                text => text,
            }),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Subquery(inner) => self.value(&inner.expr),
            Expr::NumberLiteral(number) => Ok(Value::Scalar(number.val)),
            Expr::StringLiteral(text) => Ok(Value::Text(text.val.clone())),
            Expr::VectorSelector(selector) => Ok(Value::Vector(self.select(selector))),
            Expr::MatrixSelector(selector) => Ok(Value::Vector(self.select(&selector.vs))),
            Expr::Call(call) => self.call(call),
            Expr::Extension(_) => Err(QueryError::Extension),
        };
        self.depth -= 1;
        value
    }

    fn vector(&mut self, expression: &Expr) -> Result<Vec<Series>, QueryError> {
        match self.value(expression)? {
            Value::Vector(series) => Ok(series),
            _ => Err(QueryError::misfit("instant vector", expression)),
        }
    }

    fn number(&mut self, expression: &Expr) -> Result<f64, QueryError> {
        match self.value(expression)? {
            Value::Scalar(number) => Ok(number),
            _ => Err(QueryError::misfit("scalar", expression)),
        }
    }

    fn text(&mut self, expression: &Expr) -> Result<String, QueryError> {
        match self.value(expression)? {
            Value::Text(text) => Ok(text),
            _ => Err(QueryError::misfit("string", expression)),
        }
    }

    fn select(&self, selector: &VectorSelector) -> Vec<Series> {
        let value = |series: &Series, label: &str| series.labels.get(label).cloned().unwrap_or_default();
        let has_name =
            |series: &Series| selector.name.as_ref().is_none_or(|name| value(series, NAME) == *name);
        let all = |series: &Series, list: &[promql_parser::label::Matcher]| {
            list.iter().all(|one| one.is_match(&value(series, &one.name)))
        };
        let matches = |series: &Series| {
            let or = &selector.matchers.or_matchers;
            has_name(series)
                && all(series, &selector.matchers.matchers)
                && (or.is_empty() || or.iter().any(|list| all(series, list)))
        };
        self.facts.iter().filter(|series| matches(series)).cloned().collect()
    }

    fn aggregate(&mut self, aggregate: &AggregateExpr) -> Result<Value, QueryError> {
        let operation = aggregate.op.to_string();
        let series = self.vector(&aggregate.expr)?;
        let group = |labels: &Labels| match &aggregate.modifier {
            None => Labels::new(),
            Some(LabelModifier::Include(kept)) => only(labels, &kept.labels),
            Some(LabelModifier::Exclude(left_out)) => without(labels, &left_out.labels),
        };
        let mut groups: BTreeMap<Labels, Vec<Series>> = BTreeMap::new();
        for one in series {
            groups.entry(group(&one.labels)).or_default().push(one);
        }
        if let ("topk" | "bottomk", Some(parameter)) = (operation.as_str(), &aggregate.param) {
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
            let value = match operation.as_str() {
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
