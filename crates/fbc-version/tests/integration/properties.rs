//! Properties that hold for any input, against simple models.

use std::cmp::Ordering;
use std::ops::Bound;

use fbc_version::masterminds::admitted;
use fbc_version::{Grammar, Interval, IntervalSet, Range, Release, Target, Version, VersionRelease};
use proptest::prelude::*;

const GRAMMARS: [(Grammar, Target); 3] = [
    (Grammar::Masterminds, Target::Latest),
    (Grammar::Masterminds, Target::Ocp419),
    (Grammar::Blang, Target::Latest),
];

/// Small numbers, so that versions meet; and the largest one.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..4_u64, 1 => Just(u64::MAX), 1 => Just(u64::MAX - 1)]
}

fn prerelease() -> impl Strategy<Value = String> {
    let identifier = prop::sample::select(vec!["0", "1", "10", "a", "rc", "-", "0a", "18446744073709551615"]);
    prop::collection::vec(identifier, 1..3).prop_map(|identifiers| identifiers.join("."))
}

fn version() -> impl Strategy<Value = Version> {
    (number(), number(), number(), prop::option::of(prerelease()), prop::option::of("[0-9a-]{1,3}"))
        .prop_filter_map("made of valid parts", |(major, minor, patch, prerelease, build)| {
            let mut text = format!("{major}.{minor}.{patch}");
            if let Some(prerelease) = prerelease {
                text = format!("{text}-{prerelease}");
            }
            if let Some(build) = build {
                text = format!("{text}+{build}");
            }
            Version::parse(&text).ok()
        })
}

/// Text that is often a range: pieces that either grammar knows, in any order.
fn range_text() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["", "=", "!=", "!", ">", "<", ">=", "<=", "~", "^"]);
    let segment = prop_oneof![
        6 => (0..4_u64).prop_map(|number| number.to_string()),
        1 => Just(u64::MAX.to_string()),
        1 => Just("x".to_owned()),
    ];
    let segments = prop::collection::vec(segment, 1..=3).prop_map(|segments| segments.join("."));
    let suffix = prop_oneof![
        4 => Just(String::new()),
        2 => prerelease().prop_map(|text| format!("-{text}")),
        1 => Just("+b".to_owned()),
    ];
    let separator = prop::sample::select(vec![" ", " ", ", ", " || ", " - "]);
    let comparator = (operator, segments, suffix, separator);
    prop::collection::vec(comparator, 1..4).prop_map(|comparators| {
        let mut text = String::new();
        for (index, (operator, segments, suffix, separator)) in comparators.into_iter().enumerate() {
            if index > 0 {
                text.push_str(separator);
            }
            text.push_str(operator);
            text.push_str(&segments);
            text.push_str(&suffix);
        }
        text
    })
}

/// Any text over the characters that mean something somewhere.
fn noise() -> impl Strategy<Value = String> {
    prop_oneof!["[0-9xX*|.v+~^<>=!, a\t\\-\\]]{0,24}", any::<String>()]
}

fn bound() -> impl Strategy<Value = Bound<Version>> {
    prop_oneof![
        4 => version().prop_map(Bound::Included),
        4 => version().prop_map(Bound::Excluded),
        1 => Just(Bound::Unbounded),
    ]
}

fn intervals() -> impl Strategy<Value = Vec<Interval>> {
    let interval = (bound(), bound()).prop_map(|(lower, upper)| Interval::new(lower, upper));
    prop::collection::vec(interval, 0..6)
}

fn check_range(range: &Range, version: &Version) -> Result<(), TestCaseError> {
    let versions = range.intervals();
    let matches = range.matches(version);
    if versions.exact {
        prop_assert_eq!(matches, versions.contains(version), "{} {} {}", range, version, versions);
    } else {
        prop_assert!(!matches || versions.contains(version), "{} {} {}", range, version, versions);
    }
    prop_assert!(!matches || !versions.is_empty());
    let explanation = range.explain();
    prop_assert_eq!(&explanation.versions, &versions);
    prop_assert!(explanation.to_string().lines().count() >= explanation.alternatives.len());
    let without_build = version.clone().without_build();
    prop_assert_eq!(matches, range.matches(&without_build));
    Ok(())
}

proptest! {
    // Failures are worth a row in a table beside the code, not a file of seeds.
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ranges_match_what_their_intervals_hold(text in range_text(), version in version()) {
        for (grammar, target) in GRAMMARS {
            if let Ok(range) = Range::parse(grammar, target, &text) {
                check_range(&range, &version)?;
            }
        }
    }

    #[test]
    fn any_text_is_a_range_or_an_error(text in noise(), version in version()) {
        for (grammar, target) in GRAMMARS {
            match Range::parse(grammar, target, &text) {
                Ok(range) => {
                    prop_assert_eq!(range.to_string(), text.clone());
                    check_range(&range, &version)?;
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        let _ = admitted(&text);
    }

    #[test]
    fn any_text_is_a_version_or_an_error(text in any::<String>()) {
        if let Ok(version) = Version::parse(&text) {
            prop_assert_eq!(version.to_string(), text);
        }
    }

    #[test]
    fn versions_are_those_of_the_semver_crate(text in "[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9a.+-]{1,8}") {
        prop_assert_eq!(Version::parse(&text).is_ok(), semver::Version::parse(&text).is_ok(), "{}", text);
    }

    #[test]
    fn precedence_is_that_of_the_semver_crate(left in version(), right in version()) {
        let model = |version: &Version| semver::Version::parse(&version.to_string()).expect("a version");
        prop_assert_eq!(left.compare_precedence(&right), model(&left).cmp_precedence(&model(&right)));
    }

    #[test]
    fn releases_go_through_build_metadata_and_back(version in version()) {
        let pair = VersionRelease::from_build_metadata(version.clone());
        prop_assert_eq!(pair.to_version().to_string(), version.to_string());
        prop_assert_eq!(Release::parse(&pair.release.to_string()), Ok(pair.release.clone()));
        prop_assert_eq!(pair.compare_precedence(&pair), Ordering::Equal);
    }

    #[test]
    fn sets_do_as_their_intervals(left in intervals(), right in intervals(), version in version()) {
        let is_in = |intervals: &[Interval]| intervals.iter().any(|interval| interval.contains(&version));
        let (in_left, in_right) = (is_in(&left), is_in(&right));
        let (left, right) = (IntervalSet::from_intervals(left), IntervalSet::from_intervals(right));
        prop_assert_eq!(left.contains(&version), in_left);
        prop_assert_eq!(left.union(&right).contains(&version), in_left || in_right);
        prop_assert_eq!(left.intersection(&right).contains(&version), in_left && in_right);
        prop_assert_eq!(left.complement().contains(&version), !in_left);
        prop_assert_eq!(left.complement().complement(), left.clone());
        prop_assert!(left.union(&left.complement()).complement().is_empty());
        if !version.is_prerelease() {
            prop_assert_eq!(left.releases().contains(&version), in_left);
        } else if in_left {
            prop_assert!(left.has_prerelease());
        }
    }
}

/// Hostile text of 100 kilobytes is done with in a moment: no step takes quadratic time.
#[test]
fn long_text_takes_linear_time() {
    let version = Version::new(1, 2, 3);
    for piece in [
        "1",
        "1-",
        "1.",
        " ",
        "- ",
        "1 - 2 ",
        "0 - 1 - 2, ",
        "1+",
        "1-a.",
        "v",
        "x.x",
        "||",
        "1 || ",
        "!=1.2.3 ",
        "!=1.2.x ",
        "<1.2.3 ",
        ">=",
        "1.x ",
        "1.2.3 || ",
        "=1.0.0-x ",
        "5 ",
        "1||2 - 3 ",
        "1.0.0-a_ - 1 ",
    ] {
        let text = format!("{}1.2.3", piece.repeat(100_000 / piece.len()));
        for (grammar, target) in GRAMMARS {
            if let Ok(range) = Range::parse(grammar, target, &text) {
                let _ = range.matches(&version);
                let _ = range.intervals();
                let _ = range.explain().to_string();
            }
        }
        let _ = admitted(&text);
        let _ = Version::parse(&text);
    }
}
