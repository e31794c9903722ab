//! `topk` and `bottomk`: the series with the highest or lowest values.

use fbc_go::sort::sort;

use crate::update_service::facts::Series;

/// Sorts series by their values. What is not a number comes last.
fn sort_by_value(series: &mut [Series], is_descending: bool) {
    sort(series, |one, other| is_worse(other.value, one.value, is_descending));
}

/// Whether a value comes behind another, as Prometheus compares them.
fn is_worse(one: f64, other: f64, is_descending: bool) -> bool {
    one.is_nan() || if is_descending { one < other } else { one > other }
}

/// The first series in the order of their values. Of equal ones those stay that Prometheus' heap keeps, which are not always the
/// first.
///
/// Source: `prometheus/prometheus:promql/engine.go` (`aggregationK`), `golang/go:src/container/heap`.
pub(super) fn extremes(members: Vec<Series>, count: usize, is_descending: bool) -> Vec<Series> {
    if count == 0 {
        return Vec::new();
    }
    // The heap has the one on top that leaves first.
    let mut heap = Heap { series: Vec::new(), is_descending };
    for one in members {
        if heap.series.len() < count {
            heap.push(one);
        } else if !one.value.is_nan() && is_worse(heap.series[0].value, one.value, is_descending) {
            heap.replace_top(one);
        }
    }
    sort_by_value(&mut heap.series, is_descending);
    heap.series
}

struct Heap {
    series: Vec<Series>,
    is_descending: bool,
}

impl Heap {
    /// Whether a series belongs above another.
    fn is_above(&self, one: usize, other: usize) -> bool {
        is_worse(self.series[one].value, self.series[other].value, self.is_descending)
    }

    fn push(&mut self, one: Series) {
        let mut at = self.series.len();
        self.series.push(one);
        while at > 0 && self.is_above(at, (at - 1) / 2) {
            self.series.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn replace_top(&mut self, one: Series) {
        self.series[0] = one;
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.series.len() {
                return;
            }
            let child = if right < self.series.len() && self.is_above(right, left) { right } else { left };
            if !self.is_above(child, at) {
                return;
            }
            self.series.swap(at, child);
            at = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// What a program in Go with `container/heap` keeps, by the places of the values.
    #[test]
    fn ties_are_broken_as_in_prometheus() {
        const NAN: f64 = f64::NAN;
        for (values, count, top, bottom) in [
            (&[1.0, 1.0, 1.0, 2.0][..], 2, "3 1", "0 1"),
            (&[1.0, 1.0, 1.0, 0.0], 2, "0 1", "3 1"),
            (&[2.0, 1.0, 1.0, 1.0, 3.0, 3.0, 0.0], 3, "5 4 0", "6 1 2"),
            (&[5.0, 5.0, 5.0, 5.0, 6.0, 6.0, 4.0], 4, "5 4 3 2", "6 1 3 2"),
            (&[NAN, 1.0, 1.0, NAN, 2.0], 2, "4 1", "2 1"),
            (&[NAN, 3.0, NAN, 3.0, 3.0, 1.0], 3, "4 1 3", "5 1 3"),
            (&[1.0, 2.0], 5, "1 0", "0 1"),
            (&[1.0, 2.0], 0, "", ""),
            (&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 0.0, 1.0], 5, "6 5 4 3 2", "7 8 3 1 2"),
        ] {
            let series = values.iter().enumerate().map(|(place, value)| Series {
                labels: BTreeMap::from([("place".to_owned(), place.to_string())]),
                value: *value,
            });
            for (is_descending, expected) in [(true, top), (false, bottom)] {
                let kept = extremes(series.clone().collect(), count, is_descending);
                let places: Vec<&str> = kept.iter().map(|one| one.labels["place"].as_str()).collect();
                assert_eq!(places.join(" "), expected, "{values:?} {count} {is_descending}");
            }
        }
    }
}
