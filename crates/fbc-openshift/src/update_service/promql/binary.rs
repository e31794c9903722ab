//! Operators between two values: what belongs together, and what comes of it.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Binary, Labels as Named, Operator};
use super::{Evaluation, Labels, QueryError, Series, Value, filtered, only, without};

impl Evaluation<'_> {
    pub(super) fn binary(&mut self, binary: &Binary) -> Result<Value, QueryError> {
        let operator = binary.operator;
        let (left, right) = (self.value(&binary.left)?, self.value(&binary.right)?);
        let compute = |one: f64, other: f64| compute(operator, one, other);
        let keep = |series: Series, value: f64, outcome: f64| match (
            operator.is_comparison(),
            binary.returns_bool,
        ) {
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
            (Value::Vector(left), Value::Vector(right)) if operator.is_set() => {
                Ok(Value::Vector(of_sets(binary, left, right)))
            }
            (Value::Vector(left), Value::Vector(right)) => {
                matched(left, right, binary, &|one, value, other| {
                    Ok(keep(one, value, compute(value, other)?))
                })
            }
            _ => Err(QueryError::Text),
        }
    }
}

fn compute(operator: Operator, one: f64, other: f64) -> Result<f64, QueryError> {
    let truth = |holds: bool| f64::from(u8::from(holds));
    Ok(match operator {
        Operator::Plus => one + other,
        Operator::Minus => one - other,
        Operator::Times => one * other,
        Operator::Divide => one / other,
        Operator::Modulo => one % other,
        Operator::Power => one.powf(other),
        Operator::Atan2 => one.atan2(other),
        Operator::Equal => truth(one == other),
        Operator::NotEqual => truth(one != other),
        Operator::Greater => truth(one > other),
        Operator::Less => truth(one < other),
        Operator::GreaterOrEqual => truth(one >= other),
        Operator::LessOrEqual => truth(one <= other),
        Operator::Or | Operator::And | Operator::Unless => {
            return Err(QueryError::Unknown("operator", operator.to_string()));
        }
    })
}

/// The labels by which series of both sides belong together.
fn signature(labels: &Labels, binary: &Binary) -> Labels {
    match &binary.matching {
        Some(Named::Only(on)) => only(labels, on),
        Some(Named::Without(ignored)) => without(labels, ignored),
        None => without(labels, &[]),
    }
}

fn of_sets(binary: &Binary, left: Vec<Series>, right: Vec<Series>) -> Vec<Series> {
    let sign = |one: &Series| signature(&one.labels, binary);
    let signs = |list: &[Series]| list.iter().map(sign).collect::<BTreeSet<_>>();
    let (in_left, in_right) = (signs(&left), signs(&right));
    match binary.operator {
        Operator::And => left.into_iter().filter(|one| in_right.contains(&sign(one))).collect(),
        Operator::Unless => left.into_iter().filter(|one| !in_right.contains(&sign(one))).collect(),
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
    binary: &Binary,
    keep: Keep<'_>,
) -> Result<Value, QueryError> {
    let is_right_many = binary.many.as_ref().is_some_and(|many| many.is_right);
    let (many, one) = if is_right_many { (right, left) } else { (left, right) };
    let mut partners: BTreeMap<Labels, Series> = BTreeMap::new();
    for partner in one {
        let sign = signature(&partner.labels, binary);
        if partners.insert(sign, partner).is_some() {
            return Err(QueryError::ManyToMany);
        }
    }
    let mut used: BTreeSet<Labels> = BTreeSet::new();
    let mut result = Vec::new();
    for series in many {
        let sign = signature(&series.labels, binary);
        let Some(partner) = partners.get(&sign) else { continue };
        let mut labels = series.labels.clone();
        match &binary.many {
            Some(many) => labels.extend(only(&partner.labels, &many.labels)),
            None => {
                if !used.insert(sign.clone()) {
                    return Err(QueryError::ManyToOne);
                }
                if binary.matching.is_some() {
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
