//! Tables for the blang grammar. Only compiled for tests.

use super::*;

fn matches(range: &str, version: &str) -> bool {
    Range::parse(range)
        .unwrap_or_else(|error| panic!("{range}: {error}"))
        .matches(&Version::parse(version).unwrap())
}

#[test]
fn intervals_of_ranges() {
    for (range, intervals) in [
        ("1.2.3", "[1.2.3, 1.2.3] (releases only)"),
        ("! 1.2.3", "[1.2.3, 1.2.3] (releases only)"),
        ("!=1.2.3", "(-∞, 1.2.3) ∪ (1.2.3, ∞)"),
        ("1.x", "[1.0.0, 2.0.0)"),
        ("1.x.x", "[1.0.0, 1.1.0)"),
        (">=1.0.0 <2.0.0 || 3.x", "[1.0.0, 2.0.0) ∪ [3.0.0, 4.0.0)"),
        ("!=1.x", "∅"),
        ("1.2.3 2.0.0", "∅"),
        (">1.0.0 <3.0.0 !2.0.0", "(1.0.0, 2.0.0) ∪ (2.0.0, 3.0.0)"),
        (">1.2.3 <1.2.4-0", "∅"),
        ("<0.0.0-0", "∅"),
        ("1.2.3+build.5", "[1.2.3, 1.2.3] (releases only)"),
        ("~1.x", "[1.0.0, 1.0.0] (releases only)"),
    ] {
        assert_eq!(Range::parse(range).unwrap().intervals().to_string(), intervals, "{range}");
    }
}

#[test]
fn refusals_have_the_known_texts() {
    for (range, error) in [
        ("", "Last element in range is '||'"),
        ("x", "Last element in range is '||'"),
        ("1.2.3 ||", "Last element in range is '||'"),
        ("||", "First element in range is '||'"),
        ("> ", "Could not get version from string: \">\""),
        ("1.0.0 && 2.0.0", "Could not get version from string: \"&&\""),
        (
            "\t>=v1.0.0",
            "Could not parse Range \"\\t>=v1.0.0\": Could not parse comparator \">=v\" in \">=v1.0.0\"",
        ),
        (
            "\t>=1.0",
            "Could not parse Range \"\\t>=1.0\": Could not parse version \"1.0\" in \">=1.0\": \
             No Major.Minor.Patch elements found",
        ),
        (
            ">=1.0.0, <2.0.0",
            "Could not parse Range \">=1.0.0,\": Could not parse version \"1.0.0,\" in \">=1.0.0,\": \
             Invalid character(s) found in patch number \"0,\"",
        ),
        // Wildcards are expanded everywhere before any token is parsed.
        ("1.0 || vx.x", "Could not get version from string: \"vx.x\""),
        (
            ">9223372036854775807.x",
            "Could not parse Range \">=-9223372036854775808.0.0\": Could not parse comparator \">=-\" in \
             \">=-9223372036854775808.0.0\"",
        ),
    ] {
        assert_eq!(Range::parse(range).unwrap_err().to_string(), error, "{range}");
    }
}

#[test]
fn nothing_between_two_ors_is_not_a_range() {
    for text in ["1.2.3 || || 1.2.4", "1.2.3 || || || 1.2.4", "<1.0.0 || x || >2.0.0"] {
        assert_eq!(Range::parse(text).unwrap_err(), RangeError::EmptyAlternative, "{text}");
    }
}

#[test]
fn prereleases_are_ordinary_versions() {
    assert!(matches("<1.0.0", "1.0.0-rc.1"));
    assert!(matches("<=0.0.1", "0.0.1-alpha"));
    assert!(matches("1.2.x", "1.3.0-rc.1"));
    assert!(!matches("1.2.x", "1.2.0-rc.1"));
    assert!(matches("!=1.2.3+b5", "1.2.4"));
    assert!(!matches("!=1.2.3+b5", "1.2.3"));
}
