//! Tables for intervals. Only compiled for tests.

use super::*;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn from(text: &str) -> Bound<Version> {
    Bound::Included(version(text))
}

fn beyond(text: &str) -> Bound<Version> {
    Bound::Excluded(version(text))
}

#[test]
fn emptiness_is_exact() {
    const LAST: &str = "18446744073709551615.18446744073709551615.18446744073709551615";
    for (lower, upper, empty) in [
        (from("1.0.0"), beyond("1.0.0"), true),
        (from("1.0.0"), from("1.0.0"), false),
        (from("2.0.0"), beyond("1.0.0"), true),
        (beyond("1.2.3"), beyond("1.2.4"), false),
        (beyond("1.2.3"), beyond("1.2.4-0"), true),
        (beyond("1.2.3"), beyond("1.2.4-0.0"), false),
        (beyond("1.0.0-a"), beyond("1.0.0-a.0"), true),
        (beyond("1.0.0-a"), beyond("1.0.0-a.0.0"), false),
        (beyond("1.0.0-a"), beyond("1.0.0-a.a"), false),
        (beyond("1.2.18446744073709551615"), beyond("1.3.0-0"), true),
        (beyond("1.18446744073709551615.18446744073709551615"), beyond("2.0.0-0"), true),
        (beyond("1.18446744073709551615.0"), beyond("2.0.0-0"), false),
        (beyond(LAST), Bound::Unbounded, true),
        (from(LAST), Bound::Unbounded, false),
        (Bound::Unbounded, beyond("0.0.0-0"), true),
        (Bound::Unbounded, from("0.0.0-0"), false),
        (Bound::Unbounded, Bound::Unbounded, false),
    ] {
        let interval = Interval::new(lower, upper);
        assert_eq!(interval.is_empty(), empty, "{interval}");
    }
}

#[test]
fn sets_merge_what_touches() {
    for (intervals, text) in [
        (vec![], "∅"),
        (
            vec![(from("3.0.0"), Bound::Unbounded), (from("1.0.0"), beyond("2.0.0"))],
            "[1.0.0, 2.0.0) ∪ [3.0.0, ∞)",
        ),
        (vec![(from("1.0.0"), beyond("2.0.0")), (from("2.0.0"), from("3.0.0"))], "[1.0.0, 3.0.0]"),
        (vec![(from("1.0.0"), from("1.2.3")), (from("1.2.4-0"), beyond("2.0.0"))], "[1.0.0, 2.0.0)"),
        (
            vec![(from("1.0.0"), from("1.2.3")), (from("1.2.4"), beyond("2.0.0"))],
            "[1.0.0, 1.2.3] ∪ [1.2.4, 2.0.0)",
        ),
        (vec![(from("1.0.0"), from("4.0.0")), (from("2.0.0"), beyond("3.0.0"))], "[1.0.0, 4.0.0]"),
    ] {
        let set = IntervalSet::from_intervals(
            intervals.into_iter().map(|(lower, upper)| Interval::new(lower, upper)),
        );
        assert_eq!(set.to_string(), text);
        assert_eq!(set.complement().complement(), set);
        assert!(set.intersection(&set.complement()).is_empty());
        assert_eq!(set.union(&set.complement()), IntervalSet::all());
    }
}

#[test]
fn complement_turns_bounds_around() {
    let point = IntervalSet::from(Interval::exactly(version("1.2.3")));
    assert_eq!(point.complement().to_string(), "(-∞, 1.2.3) ∪ (1.2.3, ∞)");
    assert!(IntervalSet::all().complement().is_empty());
    assert_eq!(IntervalSet::empty().complement(), IntervalSet::all());
}

#[test]
fn releases_only() {
    for (lower, upper, text) in [
        (from("1.0.0-0"), beyond("2.0.0-0"), "[1.0.0, 2.0.0)"),
        (beyond("1.0.0-rc"), from("1.0.0"), "[1.0.0, 1.0.0]"),
        (from("1.0.0-a"), beyond("1.0.0"), "∅"),
        (beyond("1.2.3"), beyond("1.2.4"), "∅"),
        (beyond("1.2.3"), from("1.2.4-rc"), "∅"),
        (beyond("1.2.3"), from("1.2.4"), "(1.2.3, 1.2.4]"),
    ] {
        assert_eq!(IntervalSet::from(Interval::new(lower, upper)).releases().to_string(), text);
    }
}

#[test]
fn prereleases_are_found() {
    for (lower, upper, found) in [
        (from("1.2.3"), from("1.2.3"), false),
        (from("1.2.3"), from("1.2.4"), true),
        (from("1.2.3"), beyond("1.2.4-0"), false),
        (from("1.2.3"), from("1.2.4-0"), true),
        (from("1.0.0-a"), from("1.0.0"), true),
        (beyond("1.0.0-a"), beyond("1.0.0-a.0"), false),
        (Bound::Unbounded, Bound::Unbounded, true),
    ] {
        let interval = Interval::new(lower, upper);
        assert_eq!(interval.has_prerelease(), found, "{interval}");
    }
}
