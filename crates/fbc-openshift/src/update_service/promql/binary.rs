//! Operators between two values: what belongs together, and what comes of it.

use std::collections::{BTreeMap, BTreeSet};

use promql_parser::parser::{BinModifier, BinaryExpr, LabelModifier, VectorMatchCardinality};

use super::{Evaluation, Labels, QueryError, Series, Value, filtered, only, without};

impl Evaluation<'_> {
    pub(super) fn binary(&mut self, binary: &BinaryExpr) -> Result<Value, QueryError> {
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
            _ => Err(QueryError::Text),
        }
    }
}

fn compute(operation: &str, one: f64, other: f64) -> Result<f64, QueryError> {
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
        other => return Err(QueryError::Unknown("operator", other.to_owned())),
    })
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
    let signs = |list: &[Series]| list.iter().map(sign).collect::<BTreeSet<_>>();
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

type Keep<'k> = &'k dyn Fn(Series, f64, f64) -> Result<Option<Series>, QueryError>;

/// Combines each series with the one of the other side that has the same labels.
fn matched(
    left: Vec<Series>,
    right: Vec<Series>,
    modifier: Option<&BinModifier>,
    keep: Keep<'_>,
) -> Result<Value, QueryError> {
    let card = modifier.map_or(&VectorMatchCardinality::OneToOne, |modifier| &modifier.card);
    let is_right_many = matches!(card, VectorMatchCardinality::OneToMany(_));
    let (many, one) = if is_right_many { (right, left) } else { (left, right) };
    let mut partners: BTreeMap<Labels, Series> = BTreeMap::new();
    for partner in one {
        let sign = signature(&partner.labels, modifier);
        if partners.insert(sign, partner).is_some() {
            return Err(QueryError::ManyToMany);
        }
    }
    let mut used: BTreeSet<Labels> = BTreeSet::new();
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
                if !used.insert(sign.clone()) {
                    return Err(QueryError::ManyToOne);
                }
                if modifier.is_some_and(|modifier| modifier.matching.is_some()) {
                    labels = sign;
                }
            }
        }
        let (left, right) =
            if is_right_many { (partner.value, series.value) } else { (series.value, partner.value) };
        result.extend(keep(Series { labels, value: series.value }, left, right)?);
    }
    Ok(Value::Vector(result))
}
