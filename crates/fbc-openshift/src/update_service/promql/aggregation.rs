//! Aggregations: many series become few.

use std::collections::BTreeMap;

use super::expression::{Aggregation, Operation, Summary};
use super::extremes::extremes;
use super::{Evaluation, Labels, QueryError, Series, only, shown};

impl Evaluation<'_> {
    pub(super) fn aggregate(&self, aggregation: &Aggregation) -> Result<Vec<Series>, QueryError> {
        let mut groups: BTreeMap<Labels, Vec<Series>> = BTreeMap::new();
        for one in self.vector(&aggregation.of)? {
            groups.entry(only(&one.labels, &aggregation.grouping)).or_default().push(one);
        }
        match &aggregation.operation {
            Operation::Summary(summary) => {
                let value = |members: &[Series]| summary.of(members.iter().map(|one| one.value));
                let summed =
                    |(labels, members): (Labels, Vec<Series>)| Series { labels, value: value(&members) };
                Ok(groups.into_iter().map(summed).collect())
            }
            Operation::Top(number) => highest(groups, *number, true),
            Operation::Bottom(number) => highest(groups, *number, false),
        }
    }
}

/// The series with the highest or lowest values of each group, as many as a number says.
fn highest(
    groups: BTreeMap<Labels, Vec<Series>>,
    number: f64,
    is_descending: bool,
) -> Result<Vec<Series>, QueryError> {
    let count = match number {
        number if number.is_nan() => return Err(QueryError::Count),
        number if number >= i64::MAX as f64 => return Err(QueryError::CountOverflow(shown(number))),
        // Less than none is none.
        number => number as usize,
    };
    Ok(groups.into_values().flat_map(|members| extremes(members, count, is_descending)).collect())
}

impl Summary {
    fn of(self, values: impl ExactSizeIterator<Item = f64>) -> f64 {
        match self {
            Self::Count => values.len() as f64,
            Self::Group => 1.0,
            Self::Maximum => values.fold(f64::NAN, f64::max),
            Self::Minimum => values.fold(f64::NAN, f64::min),
            Self::Sum => sum(values),
        }
    }
}

/// A sum with what rounding has lost of it, after Kahan and Neumaier: the smaller of two numbers is the one that loses digits.
///
/// Source: `prometheus/prometheus:util/kahansum`.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for more in values {
        let next = sum + more;
        lost = match sum.abs() >= more.abs() {
            _ if next.is_infinite() => 0.0,
            true => lost + ((sum - next) + more),
            false => lost + ((more - next) + sum),
        };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_rounded_as_in_prometheus() {
        const INFINITY: f64 = f64::INFINITY;
        for (values, expected) in [
            (&[0.1; 10][..], 1.0),
            (&[0.1; 3], 0.300_000_000_000_000_04),
            (&[1e308; 2], INFINITY),
            (&[-1e308; 3], -INFINITY),
            (&[INFINITY, 1.0], INFINITY),
            (&[1e100, 1.0, -1e100], 1.0),
        ] {
            assert_eq!(sum(values.iter().copied()), expected, "{values:?}");
        }
        assert!(sum([INFINITY, -INFINITY].into_iter()).is_nan());
    }
}
