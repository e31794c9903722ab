//! Tables for Masterminds constraints. Only compiled for tests.

use super::*;
use MastermindsVersion::{V3_3_1, V3_5_0};

fn parse(library: MastermindsVersion, text: &str) -> Constraint {
    Constraint::parse(library, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn intervals_of_constraints() {
    for (text, intervals) in [
        ("1.2.3", "[1.2.3, 1.2.3] (releases only)"),
        ("1.11.x", "[1.11.0, 1.12.0) (releases only)"),
        ("1.x.3", "[1.0.0, 2.0.0) (releases only)"),
        ("*", "(-∞, ∞) (releases only)"),
        ("*-0", "(-∞, ∞)"),
        ("!=1.2.3", "(-∞, 1.2.3) ∪ (1.2.3, ∞) (releases only)"),
        ("!=1.x", "(-∞, 1.0.0) ∪ [2.0.0, ∞) (releases only)"),
        ("!=1.2 >0.9.0-0", "[0.9.0, 1.2.0) ∪ [1.3.0, ∞) (releases), (0.9.0-0, ∞) (prereleases)"),
        (">1.15, <1.17", "[1.16.0, 1.17.0) (releases only)"),
        (">1", "[2.0.0, ∞) (releases only)"),
        (">*", "(0.0.0, ∞) (releases only)"),
        ("<=1.2", "(-∞, 1.3.0) (releases only)"),
        ("<=*", "(-∞, 0.1.0) (releases only)"),
        ("<*", "∅"),
        ("~0.0.0", "(-∞, ∞) (releases only)"),
        ("~1.2.3-0", "[1.2.3-0, 1.3.0-0)"),
        ("^0.2.3", "[0.2.3, 0.3.0) (releases only)"),
        ("^0.0.3", "[0.0.3, 0.0.4) (releases only)"),
        ("^*", "(-∞, 0.0.1) (releases only)"),
        ("^0 || ^3", "(-∞, 1.0.0) ∪ [3.0.0, 4.0.0) (releases only)"),
        (">=1.0.0 || >=2.0.0-0", "[1.0.0, ∞) (releases), [2.0.0-0, ∞) (prereleases)"),
        ("1 - 2", "[1.0.0, 3.0.0) (releases only)"),
        (">18446744073709551615", "∅"),
        ("<=18446744073709551615.18446744073709551615", "(-∞, ∞) (releases only)"),
        (">1.18446744073709551615", "[2.0.0, ∞) (releases only)"),
        ("^0.0.18446744073709551615", "[0.0.18446744073709551615, 0.1.0) (releases only)"),
    ] {
        assert_eq!(parse(V3_5_0, text).intervals().to_string(), intervals, "{text}");
    }
}

#[test]
fn prereleases_must_be_asked_for() {
    for (text, version, in_3_5_0, in_3_3_1) in [
        (">=1.0.0", "1.2.3-rc.1", false, false),
        (">=1.0.0-0", "1.2.3-rc.1", true, true),
        (">=1.0.0-0 <2.0.0", "2.0.0-rc.1", true, false),
        (">=1.0.0-0 <2.0.0-0", "2.0.0-rc.1", false, false),
        (">=1.0.0, <2.0.0-0", "1.2.3-rc.1", true, false),
        ("!=1.2.3", "1.2.3-rc.1", false, true),
        ("!=1.2.x", "1.3.0-rc.1", false, false),
        ("!=1.2.x-rc.1", "1.2.9-rc.1", false, false),
        ("!=1.2.x-rc.1", "1.2.9-rc.2", true, true),
        (">=1.0.0 || >=2.0.0-0", "1.2.3-rc.1", false, false),
        // Beyond the largest number, identifiers are text: greater than any number.
        (">1.0.0-99999999999999999999", "1.0.0-18446744073709551615", false, false),
        ("<1.0.0-99999999999999999999", "1.0.0-18446744073709551615", true, true),
        (">1.0.0-100000000000000000000", "1.0.0-a", true, true),
    ] {
        let version = Version::parse(version).unwrap();
        assert_eq!(parse(V3_5_0, text).matches(&version), in_3_5_0, "{text} {version}");
        assert_eq!(parse(V3_3_1, text).matches(&version), in_3_3_1, "{text} {version}");
    }
}

#[test]
fn refusals_have_the_known_texts() {
    for (text, in_3_5_0, in_3_3_1) in [
        ("", "improper constraint: \"\"", "improper constraint: "),
        ("1.0.0 ||", "improper constraint: \"\"", "improper constraint: "),
        ("\u{b}1", "improper constraint: \"\\v1\"", "improper constraint: \u{b}1"),
        ("==1", "improper constraint: \"==1\"", "improper constraint: ==1"),
        (">=1 - 2", "improper constraint: \">=>= 1, <= 2 \"", "improper constraint: >=>= 1, <= 2 "),
        ("1|2", "constraint parser error", "constraint Parser Error"),
        ("1|2 || foo", "constraint parser error", "constraint Parser Error"),
        ("foo || 1|2", "improper constraint: \"foo \"", "improper constraint: foo "),
        ("1|2 foo", "improper constraint: \"1|2 foo\"", "improper constraint: 1|2 foo"),
        ("1.0.0-01", "constraint parser error", "constraint Parser Error"),
        ("18446744073709551616", "constraint parser error", "constraint Parser Error"),
    ] {
        assert_eq!(Constraint::parse(V3_5_0, text).unwrap_err().to_string(), in_3_5_0);
        assert_eq!(Constraint::parse(V3_3_1, text).unwrap_err().to_string(), in_3_3_1);
    }
}

#[test]
fn limits_are_those_of_the_newer_library() {
    let long = format!("1.0.0-{}", "a".repeat(250));
    assert!(Constraint::parse(V3_5_0, &long).is_ok());
    let longer = format!("{long}a");
    assert_eq!(Constraint::parse(V3_5_0, &longer).unwrap_err().to_string(), "constraint parser error");
    assert!(Constraint::parse(V3_3_1, &longer).is_ok());

    let padded = format!("1{}", " ".repeat(511));
    assert!(Constraint::parse(V3_5_0, &padded).is_ok());
    let padded = format!("{padded} ");
    assert_eq!(
        Constraint::parse(V3_5_0, &padded).unwrap_err().to_string(),
        "constraint string is too long (max 512 bytes)"
    );
    assert!(Constraint::parse(V3_3_1, &padded).is_ok());

    let groups = ["1"; 33].join("||");
    assert_eq!(
        Constraint::parse(V3_5_0, &groups).unwrap_err().to_string(),
        "too many constraint groups (max 32)"
    );
    assert!(Constraint::parse(V3_3_1, &groups).is_ok());
}

#[test]
fn leading_zeroes_are_coerced_by_the_newer_library() {
    assert!(parse(V3_5_0, "01.02.003").matches(&Version::new(1, 2, 3)));
    for text in ["01.2.3", "01.x", "1.02"] {
        assert_eq!(Constraint::parse(V3_3_1, text).unwrap_err().to_string(), "constraint Parser Error");
    }
    // What is ignored may look like anything.
    assert!(Constraint::parse(V3_3_1, "1.x.03").is_ok());
    assert!(Constraint::parse(V3_3_1, "x.|.|").is_ok());
}
