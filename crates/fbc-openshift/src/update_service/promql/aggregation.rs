//! Aggregations: many series become few.

use std::collections::BTreeMap;

use super::expression::{Aggregation, Grouping, Operation, Scalar, Summary};
use super::{Evaluation, Labels, QueryError, Series, by_value, only, without};

impl Evaluation<'_> {
    pub(super) fn aggregate(&self, aggregation: &Aggregation) -> Result<Vec<Series>, QueryError> {
        let mut series = self.vector(&aggregation.of)?;
        if let Operation::CountValues(label) = &aggregation.operation {
            if label.is_empty() {
                return Err(QueryError::LabelName { function: "count_values" });
            }
            for one in &mut series {
                one.labels.insert(label.clone(), shown(one.value));
            }
        }
        let mut groups: BTreeMap<Labels, Vec<Series>> = BTreeMap::new();
        for one in series {
            groups.entry(group(&one.labels, aggregation)).or_default().push(one);
        }
        match &aggregation.operation {
            Operation::Summary(summary) => Ok(summed_up(groups, |values| summary.of(values))),
            Operation::CountValues(_) => Ok(summed_up(groups, |values| values.len() as f64)),
            Operation::Quantile(which) => {
                let which = self.scalar(which)?;
                Ok(summed_up(groups, |values| quantile(which, values)))
            }
            Operation::Top(count) => Ok(highest(groups, self.count(count)?, true)),
            Operation::Bottom(count) => Ok(highest(groups, self.count(count)?, false)),
        }
    }

    /// How many series a number asks for.
    fn count(&self, scalar: &Scalar) -> Result<usize, QueryError> {
        match self.scalar(scalar)? {
            number if number.is_nan() => Err(QueryError::Count),
            number if number >= i64::MAX as f64 => Err(QueryError::CountOverflow(shown(number))),
            // Less than none is none.
            number => Ok(number as usize),
        }
    }
}

/// The labels of the group that a series is in.
fn group(labels: &Labels, aggregation: &Aggregation) -> Labels {
    let value_label = match &aggregation.operation {
        Operation::CountValues(label) => Some(label),
        _ => None,
    };
    match &aggregation.grouping {
        Some(Grouping::Without(left_out)) => without(labels, left_out),
        Some(Grouping::Only(kept)) => {
            let mut group = only(labels, kept);
            group.extend(value_label.and_then(|label| labels.get_key_value(label)).map(owned));
            group
        }
        None => value_label.and_then(|label| labels.get_key_value(label)).map(owned).into_iter().collect(),
    }
}

fn owned((label, value): (&String, &String)) -> (String, String) {
    (label.clone(), value.clone())
}

fn summed_up(groups: BTreeMap<Labels, Vec<Series>>, value: impl Fn(Vec<Series>) -> f64) -> Vec<Series> {
    groups.into_iter().map(|(labels, members)| Series { labels, value: value(members) }).collect()
}

/// The series with the highest or lowest values of each group.
fn highest(groups: BTreeMap<Labels, Vec<Series>>, count: usize, is_descending: bool) -> Vec<Series> {
    let sorted = groups.into_values().map(|mut members| {
        members.sort_by(|one, other| by_value(one, other, is_descending));
        members
    });
    sorted.flat_map(|members| members.into_iter().take(count)).collect()
}

impl Summary {
    fn of(self, members: Vec<Series>) -> f64 {
        let values = || members.iter().map(|one| one.value);
        let count = members.len() as f64;
        let mean = || values().sum::<f64>() / count;
        let variance = || {
            let mean = mean();
            values().map(|value| (value - mean).powi(2)).sum::<f64>() / count
        };
        match self {
            Self::Average => mean(),
            Self::Count => count,
            Self::Group => 1.0,
            Self::Maximum => values().fold(f64::NAN, f64::max),
            Self::Minimum => values().fold(f64::NAN, f64::min),
            Self::StandardDeviation => variance().sqrt(),
            Self::Sum => values().sum(),
            Self::Variance => variance(),
        }
    }
}

/// The value below which a part of the values is, between the two that are nearest.
fn quantile(which: f64, mut members: Vec<Series>) -> f64 {
    match which {
        _ if which.is_nan() => return f64::NAN,
        _ if which < 0.0 => return f64::NEG_INFINITY,
        _ if which > 1.0 => return f64::INFINITY,
        _ => {}
    }
    // What is not a number is below all others.
    members.sort_by(|one, other| by_value(other, one, true));
    let rank = which * (members.len() as f64 - 1.0);
    let weight = rank - rank.floor();
    let value = |index: usize| members.get(index).or(members.last()).map_or(f64::NAN, |one| one.value);
    value(rank as usize) * (1.0 - weight) + value(rank as usize + 1) * weight
}

/// A number as a label has it.
fn shown(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}
