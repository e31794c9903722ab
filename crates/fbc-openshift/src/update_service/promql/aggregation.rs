//! Aggregations: many series become few.

use std::collections::BTreeMap;
use std::iter;

use super::expression::{Aggregation, Grouping, Operation, Scalar, Summary};
use super::extremes::extremes;
use super::statistics::{mean, quantile, sum, variance};
use super::{Evaluation, Labels, QueryError, Series, only, shown, without};

impl Evaluation<'_> {
    pub(super) fn aggregate(&self, aggregation: &Aggregation) -> Result<Vec<Series>, QueryError> {
        let mut series = self.vector(&aggregation.of)?;
        if let Operation::CountValues(label) = &aggregation.operation {
            if label.is_empty() {
                return Err(QueryError::ValueLabel);
            }
            for one in &mut series {
                let value = self.made("count_values", label, iter::once(shown(one.value).as_str()))?;
                one.labels.insert(label.clone(), value);
            }
        }
        let mut groups: BTreeMap<Labels, Vec<Series>> = BTreeMap::new();
        for one in series {
            groups.entry(group(&one.labels, aggregation)).or_default().push(one);
        }
        match &aggregation.operation {
            Operation::Summary(summary) => Ok(summed_up(groups, |values| summary.of(&values))),
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

fn summed_up(groups: BTreeMap<Labels, Vec<Series>>, value: impl Fn(Vec<f64>) -> f64) -> Vec<Series> {
    let value = |members: Vec<Series>| value(members.iter().map(|one| one.value).collect());
    groups.into_iter().map(|(labels, members)| Series { labels, value: value(members) }).collect()
}

/// The series with the highest or lowest values of each group.
fn highest(groups: BTreeMap<Labels, Vec<Series>>, count: usize, is_descending: bool) -> Vec<Series> {
    groups.into_values().flat_map(|members| extremes(members, count, is_descending)).collect()
}

impl Summary {
    fn of(self, values: &[f64]) -> f64 {
        match self {
            Self::Average => mean(values),
            Self::Count => values.len() as f64,
            Self::Group => 1.0,
            Self::Maximum => values.iter().copied().fold(f64::NAN, f64::max),
            Self::Minimum => values.iter().copied().fold(f64::NAN, f64::min),
            Self::StandardDeviation => variance(values).sqrt(),
            Self::Sum => sum(values),
            Self::Variance => variance(values),
        }
    }
}
