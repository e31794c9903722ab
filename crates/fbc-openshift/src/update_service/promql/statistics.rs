//! What many numbers are together, with the rounding of Prometheus.
//!
//! Source: `prometheus/prometheus:promql/engine.go` (`aggregation`), `util/kahansum`, `promql/quantile.go`.

/// A sum, and what rounding has lost of it.
#[derive(Debug, Clone, Copy)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// After Kahan and Neumaier: the smaller of two numbers is the one that loses digits.
    fn plus(self, more: f64) -> Self {
        let sum = self.sum + more;
        let lost = match self.sum.abs() >= more.abs() {
            _ if sum.is_infinite() => 0.0,
            true => self.lost + ((self.sum - sum) + more),
            false => self.lost + ((more - sum) + self.sum),
        };
        Self { sum, lost }
    }

    fn times(self, factor: f64) -> Self {
        Self { sum: self.sum * factor, lost: self.lost * factor }
    }
}

/// What never changes differs from itself by nothing, unless it is no number or has no end.
pub(super) fn difference(value: f64) -> f64 {
    if value.is_finite() { 0.0 } else { f64::NAN }
}

pub(super) fn sum(values: &[f64]) -> f64 {
    let sum = values.iter().fold(Sum { sum: 0.0, lost: 0.0 }, |sum, value| sum.plus(*value));
    sum.sum + sum.lost
}

/// The sum through the count. From where the sum would be infinite, the mean itself grows.
pub(super) fn mean(values: &[f64]) -> f64 {
    let mut sum = Sum { sum: 0.0, lost: 0.0 };
    let mut mean: Option<Sum> = None;
    let mut count = 0.0;
    for value in values {
        let before = count;
        count += 1.0;
        let next = sum.plus(*value);
        if mean.is_none() && (before == 0.0 || !next.sum.is_infinite()) {
            sum = next;
            continue;
        }
        let so_far = mean.unwrap_or(Sum { sum: sum.sum / before, lost: sum.lost / before });
        mean = Some(so_far.times(before / count).plus(value / count));
    }
    match mean {
        Some(mean) => mean.sum + mean.lost,
        None => sum.sum / count + sum.lost / count,
    }
}

/// After Welford: what is equal has no variance, whatever its mean is rounded to.
pub(super) fn variance(values: &[f64]) -> f64 {
    let Some((first, rest)) = values.split_first() else { return f64::NAN };
    let mut mean = *first;
    let mut squares = difference(*first);
    let mut count = 1.0;
    for value in rest {
        count += 1.0;
        let distance = value - mean;
        mean += distance / count;
        squares += distance * (value - mean);
    }
    squares / count
}

/// The value below which a part of the values is, between the two that are nearest.
pub(super) fn quantile(which: f64, mut values: Vec<f64>) -> f64 {
    match which {
        _ if which.is_nan() => return f64::NAN,
        _ if which < 0.0 => return f64::NEG_INFINITY,
        _ if which > 1.0 => return f64::INFINITY,
        _ => {}
    }
    // What is not a number is below all others.
    values.sort_by(|one, other| one.partial_cmp(other).unwrap_or(other.is_nan().cmp(&one.is_nan())));
    let rank = which * (values.len() as f64 - 1.0);
    let weight = rank - rank.floor();
    let value = |index: usize| values.get(index).or(values.last()).copied().unwrap_or(f64::NAN);
    value(rank as usize) * (1.0 - weight) + value(rank as usize + 1) * weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_as_in_prometheus() {
        const INFINITY: f64 = f64::INFINITY;
        for (values, expected) in [
            (&[0.1; 10][..], [1.0, 0.1, 0.0]),
            (&[0.1; 3], [0.300_000_000_000_000_04, 0.1, 0.0]),
            (&[1e308; 2], [INFINITY, 1e308, 0.0]),
            (&[-1e308; 3], [-INFINITY, -1e308, 0.0]),
            (&[INFINITY, 1.0], [INFINITY, INFINITY, f64::NAN]),
            (&[INFINITY, -INFINITY], [f64::NAN; 3]),
            (&[1.0, 2.0, 3.0, 4.0], [10.0, 2.5, 1.25]),
            (&[f64::NAN, 1.0], [f64::NAN; 3]),
        ] {
            let found = [sum(values), mean(values), variance(values)];
            for (found, expected) in found.into_iter().zip(expected) {
                let is_same = found == expected || found.is_nan() && expected.is_nan();
                assert!(is_same, "{values:?}: {found} instead of {expected}");
            }
        }
        assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
    }
}
