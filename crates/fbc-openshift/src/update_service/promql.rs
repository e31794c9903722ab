//! Values of PromQL expressions over facts, which hold at all times: ranges, offsets and subqueries see what there is now.
//!
//! Source: `prometheus/prometheus:promql/engine.go`.

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;
use promql_parser::parser::{
    AggregateExpr, BinModifier, BinaryExpr, Call, Expr, LabelModifier, VectorMatchCardinality, VectorSelector,
};

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

/// The value of an expression.
///
/// # Errors
/// What the expression asks for that cannot be done.
pub(super) fn evaluate(expression: &Expr, facts: &[Series], now: Moment) -> Result<Value, String> {
    Evaluation { facts, now, depth: 0 }.value(expression)
}

struct Evaluation<'f> {
    facts: &'f [Series],
    now: Moment,
    depth: usize,
}

impl Evaluation<'_> {
    fn value(&mut self, expression: &Expr) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the query is nested too deeply".to_owned());
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
            Expr::Extension(_) => Err("the query uses an extension".to_owned()),
        };
        self.depth -= 1;
        value
    }

    fn vector(&mut self, expression: &Expr) -> Result<Vec<Series>, String> {
        match self.value(expression)? {
            Value::Vector(series) => Ok(series),
            _ => Err(format!("expected type instant vector, got {expression}")),
        }
    }

    fn number(&mut self, expression: &Expr) -> Result<f64, String> {
        match self.value(expression)? {
            Value::Scalar(number) => Ok(number),
            _ => Err(format!("expected type scalar, got {expression}")),
        }
    }

    fn text(&mut self, expression: &Expr) -> Result<String, String> {
        match self.value(expression)? {
            Value::Text(text) => Ok(text),
            _ => Err(format!("expected type string, got {expression}")),
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

    fn aggregate(&mut self, aggregate: &AggregateExpr) -> Result<Value, String> {
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
                other => return Err(format!("the aggregation {other} is not known here")),
            };
            Ok(Series { labels, value })
        });
        result.collect::<Result<_, _>>().map(Value::Vector)
    }

    fn binary(&mut self, binary: &BinaryExpr) -> Result<Value, String> {
        let operation = binary.op.to_string();
        let (left, right) = (self.value(&binary.lhs)?, self.value(&binary.rhs)?);
        let modifier = binary.modifier.as_ref();
        let is_bool = modifier.is_some_and(|modifier| modifier.return_bool);
        let compute = |one: f64, other: f64| compute(&operation, one, other);
        let is_comparison = binary.op.is_comparison_operator();
        let keep = |series: Series, value: f64, outcome: f64| match (is_comparison, is_bool) {
            (true, false) => (outcome == 1.0).then_some(Series { value, ..series }),
            _ => Some(Series { labels: without(&series.labels, &[]), value: outcome }),
        };
        match (left, right) {
            (Value::Scalar(one), Value::Scalar(other)) => Ok(Value::Scalar(compute(one, other)?)),
            (Value::Vector(series), Value::Scalar(other)) => filtered(series, |one| {
                let value = one.value;
                Ok(keep(one, value, compute(value, other)?))
            }),
            (Value::Scalar(one), Value::Vector(series)) => filtered(series, |other| {
                let value = other.value;
                Ok(keep(other, value, compute(one, value)?))
            }),
            (Value::Vector(left), Value::Vector(right)) if binary.op.is_set_operator() => {
                Ok(Value::Vector(of_sets(&operation, left, right, modifier)))
            }
            (Value::Vector(left), Value::Vector(right)) => {
                matched(left, right, modifier, &|one, value, other| {
                    Ok(keep(one, value, compute(value, other)?))
                })
            }
            _ => Err("binary operations take no strings".to_owned()),
        }
    }

    fn call(&mut self, call: &Call) -> Result<Value, String> {
        let name = call.func.name;
        let arguments = &call.args.args;
        let argument = |index: usize| arguments.get(index).map(|one| &**one).ok_or("an argument is missing");
        let now = self.now.0 as f64 / 1000.0;
        match name {
            "time" => Ok(Value::Scalar(now)),
            "vector" => {
                let value = self.number(argument(0)?)?;
                Ok(Value::Vector(vec![Series { labels: Labels::new(), value }]))
            }
            "scalar" => Ok(Value::Scalar(match self.vector(argument(0)?)?.as_slice() {
                [only] => only.value,
                _ => f64::NAN,
            })),
            "absent" | "absent_over_time" => {
                let is_empty = self.vector(argument(0)?)?.is_empty();
                let one = Series { labels: Labels::new(), value: 1.0 };
                Ok(Value::Vector(if is_empty { vec![one] } else { Vec::new() }))
            }
            "label_replace" => {
                let series = self.vector(argument(0)?)?;
                let mut texts = Vec::new();
                for index in 1..5 {
                    texts.push(self.text(argument(index)?)?);
                }
                label_replace(series, &texts)
            }
            "label_join" => {
                let series = self.vector(argument(0)?)?;
                let (target, separator) = (self.text(argument(1)?)?, self.text(argument(2)?)?);
                let mut sources = Vec::new();
                for source in arguments.iter().skip(3) {
                    sources.push(self.text(source)?);
                }
                filtered(series, |mut one| {
                    let values: Vec<&str> = sources
                        .iter()
                        .map(|label| one.labels.get(label).map_or("", String::as_str))
                        .collect();
                    let value = values.join(&separator);
                    one.labels.insert(target.clone(), value);
                    Ok(Some(one))
                })
            }
            "sort" | "sort_desc" => {
                let mut series = self.vector(argument(0)?)?;
                series.sort_by(|one, other| one.value.total_cmp(&other.value));
                if name == "sort_desc" {
                    series.reverse();
                }
                Ok(Value::Vector(series))
            }
            "last_over_time" => Ok(Value::Vector(self.vector(argument(0)?)?)),
            "clamp_max" | "clamp_min" => {
                let limit = self.number(argument(1)?)?;
                let bound = if name == "clamp_max" { f64::min } else { f64::max };
                Ok(Value::Vector(mapped(self.vector(argument(0)?)?, |value| bound(value, limit))))
            }
            _ => {
                let function: fn(f64) -> f64 = match name {
                    "max_over_time" | "min_over_time" | "avg_over_time" | "sum_over_time" => |value| value,
                    "count_over_time" | "present_over_time" => |_| 1.0,
                    "rate" | "irate" | "increase" | "delta" | "idelta" | "deriv" | "changes" | "resets" => {
                        |_| 0.0
                    }
                    "abs" => f64::abs,
                    "ceil" => f64::ceil,
                    "floor" => f64::floor,
                    "round" => f64::round,
                    "sgn" => |value| if value == 0.0 { 0.0 } else { value.signum() },
                    "sqrt" => f64::sqrt,
                    "exp" => f64::exp,
                    "ln" => f64::ln,
                    "log2" => f64::log2,
                    "log10" => f64::log10,
                    _ => return Err(format!("the function {name} is not known here")),
                };
                Ok(Value::Vector(mapped(self.vector(argument(0)?)?, function)))
            }
        }
    }
}

fn compute(operation: &str, one: f64, other: f64) -> Result<f64, String> {
    let truth = |holds: bool| f64::from(u8::from(holds));
    Ok(match operation {
        "+" => one + other,
        "-" => one - other,
        "*" => one * other,
        "/" => one / other,
        "%" => one % other,
        "^" => one.powf(other),
        "atan2" => one.atan2(other),
        "==" => truth(one == other),
        "!=" => truth(one != other),
        ">" => truth(one > other),
        "<" => truth(one < other),
        ">=" => truth(one >= other),
        "<=" => truth(one <= other),
        other => return Err(format!("the operator {other} is not known here")),
    })
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
    mut keep: impl FnMut(Series) -> Result<Option<Series>, String>,
) -> Result<Value, String> {
    let kept = series.into_iter().filter_map(|one| keep(one).transpose());
    kept.collect::<Result<_, _>>().map(Value::Vector)
}

/// The labels by which series of both sides belong together.
fn signature(labels: &Labels, modifier: Option<&BinModifier>) -> Labels {
    match modifier.and_then(|modifier| modifier.matching.as_ref()) {
        Some(LabelModifier::Include(on)) => only(labels, &on.labels),
        Some(LabelModifier::Exclude(ignored)) => without(labels, &ignored.labels),
        None => without(labels, &[]),
    }
}

fn of_sets(
    operation: &str,
    left: Vec<Series>,
    right: Vec<Series>,
    modifier: Option<&BinModifier>,
) -> Vec<Series> {
    let sign = |one: &Series| signature(&one.labels, modifier);
    let signs = |list: &[Series]| list.iter().map(sign).collect::<Vec<_>>();
    let (in_left, in_right) = (signs(&left), signs(&right));
    match operation {
        "and" => left.into_iter().filter(|one| in_right.contains(&sign(one))).collect(),
        "unless" => left.into_iter().filter(|one| !in_right.contains(&sign(one))).collect(),
        _ => {
            let more = right.into_iter().filter(|one| !in_left.contains(&sign(one)));
            left.into_iter().chain(more.collect::<Vec<_>>()).collect()
        }
    }
}

type Keep<'k> = &'k dyn Fn(Series, f64, f64) -> Result<Option<Series>, String>;

/// Combines each series with the one of the other side that has the same labels.
fn matched(
    left: Vec<Series>,
    right: Vec<Series>,
    modifier: Option<&BinModifier>,
    keep: Keep<'_>,
) -> Result<Value, String> {
    let card = modifier.map_or(&VectorMatchCardinality::OneToOne, |modifier| &modifier.card);
    let is_right_many = matches!(card, VectorMatchCardinality::OneToMany(_));
    let (many, one) = if is_right_many { (right, left) } else { (left, right) };
    let mut partners: BTreeMap<Labels, Series> = BTreeMap::new();
    for partner in one {
        let sign = signature(&partner.labels, modifier);
        if partners.insert(sign, partner).is_some() {
            return Err(
                "found duplicate series for the match group: many-to-many matching not allowed".to_owned()
            );
        }
    }
    let mut used = Vec::new();
    let mut result = Vec::new();
    for series in many {
        let sign = signature(&series.labels, modifier);
        let Some(partner) = partners.get(&sign) else { continue };
        let mut labels = series.labels.clone();
        match card {
            VectorMatchCardinality::ManyToOne(more) | VectorMatchCardinality::OneToMany(more) => {
                labels.extend(only(&partner.labels, &more.labels));
            }
            _ => {
                if used.contains(&sign) {
                    return Err("multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)".to_owned());
                }
                if modifier.is_some_and(|modifier| modifier.matching.is_some()) {
                    labels.clone_from(&sign);
                }
                used.push(sign);
            }
        }
        let (left, right) =
            if is_right_many { (partner.value, series.value) } else { (series.value, partner.value) };
        result.extend(keep(Series { labels, value: series.value }, left, right)?);
    }
    Ok(Value::Vector(result))
}

/// `label_replace`, with target, replacement, source and pattern.
fn label_replace(series: Vec<Series>, texts: &[String]) -> Result<Value, String> {
    let [target, replacement, source, pattern] = texts else {
        return Err("an argument is missing".to_owned());
    };
    let matcher = regex::Regex::new(&format!("^(?s:{pattern})$"))
        .map_err(|_| format!("invalid regular expression in label_replace(): {pattern}"))?;
    filtered(series, |mut one| {
        let value = one.labels.get(source).cloned().unwrap_or_default();
        if let Some(groups) = matcher.captures(&value) {
            let mut text = String::new();
            groups.expand(replacement, &mut text);
            if text.is_empty() {
                one.labels.remove(target);
            } else {
                one.labels.insert(target.clone(), text);
            }
        }
        Ok(Some(one))
    })
}
