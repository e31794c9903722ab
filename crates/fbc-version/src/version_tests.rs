//! Tables for versions. Only compiled for tests.

use super::*;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn refusals_have_the_known_texts() {
    for (text, error) in [
        ("", "Version string empty"),
        ("1", "No Major.Minor.Patch elements found"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("1.2-rc.1", "Invalid character(s) found in minor number \"2-rc\""),
        ("v1.0.0", "Invalid character(s) found in major number \"v1\""),
        ("1.a.0", "Invalid character(s) found in minor number \"a\""),
        ("1.2.3.4", "Invalid character(s) found in patch number \"3.4\""),
        ("1.2. 3", "Invalid character(s) found in patch number \" 3\""),
        ("１.2.3", "Invalid character(s) found in major number \"１\""),
        ("01.2.3", "Major number must not contain leading zeroes \"01\""),
        ("1.00.3", "Minor number must not contain leading zeroes \"00\""),
        ("1.2.03", "Patch number must not contain leading zeroes \"03\""),
        ("1..2", "strconv.ParseUint: parsing \"\": invalid syntax"),
        (".1.2", "strconv.ParseUint: parsing \"\": invalid syntax"),
        ("1.2.-a", "strconv.ParseUint: parsing \"\": invalid syntax"),
        (
            "18446744073709551616.0.0",
            "strconv.ParseUint: parsing \"18446744073709551616\": value out of range",
        ),
        (
            "1.0.0-18446744073709551616",
            "strconv.ParseUint: parsing \"18446744073709551616\": value out of range",
        ),
        ("1.2.3-", "Prerelease is empty"),
        ("1.2.3-a..b", "Prerelease is empty"),
        ("1.2.3-+b", "Prerelease is empty"),
        ("1.2.3-a_b", "Invalid character(s) found in prerelease \"a_b\""),
        ("1.2.3-a.01", "Numeric PreRelease version must not contain leading zeroes \"01\""),
        ("1.2.3+", "Build meta data is empty"),
        ("1.2.3+a..b", "Build meta data is empty"),
        ("1.2.3+a+b", "Invalid character(s) found in build meta data \"a+b\""),
    ] {
        assert_eq!(Version::parse(text).unwrap_err().to_string(), error, "{text}");
    }
}

#[test]
fn tolerance() {
    for (text, expected) in [
        (" v1.2.3 ", "1.2.3"),
        ("1", "1.0.0"),
        ("v01.02.003-a+b", "1.2.3-a+b"),
        ("00.1.00", "0.1.0"),
        ("1.2", "1.2.0"),
        ("", "strconv.ParseUint: parsing \"\": invalid syntax"),
        ("1-a", "Short version cannot contain PreRelease/Build meta data"),
        ("1.0x.2", "Invalid character(s) found in minor number \"0x\""),
        ("vv1", "Invalid character(s) found in major number \"0v1\""),
        ("1.2.00-a", "1.2.0-a"),
    ] {
        let found = Version::parse_tolerant(text);
        let found = found.map_or_else(|error| error.to_string(), |version| version.to_string());
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn display_is_what_was_parsed() {
    for text in [
        "0.0.0",
        "18446744073709551615.18446744073709551615.18446744073709551615",
        "1.2.3-rc.1",
        "1.2.3-0.a-b.--+001.x-y",
        "1.2.3+5",
        "1.2.3--",
        "1.2.3-01a",
    ] {
        assert_eq!(version(text).to_string(), text);
    }
    let parsed = version("1.2.3-rc.1+build.5");
    assert_eq!(parsed.build(), "build.5");
    assert_eq!(parsed.core().to_string(), "1.2.3");
    assert_eq!(parsed.without_build().to_string(), "1.2.3-rc.1");
}

#[test]
fn precedence_is_a_ladder() {
    let ladder = [
        "0.0.0-0",
        "0.0.0",
        "1.0.0-0",
        "1.0.0-0.0",
        "1.0.0-2",
        "1.0.0-11",
        "1.0.0-18446744073709551615",
        "1.0.0--",
        "1.0.0-Alpha",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1-0",
        "1.2.0",
        "1.12.0",
        "18446744073709551615.0.0",
    ];
    for (left_index, left) in ladder.iter().enumerate() {
        for (right_index, right) in ladder.iter().enumerate() {
            assert_eq!(
                version(left).compare_precedence(&version(right)),
                left_index.cmp(&right_index),
                "{left} {right}"
            );
        }
    }
}

#[test]
fn build_metadata_has_no_precedence_but_is_part_of_the_value() {
    assert_eq!(version("1.0.0+1").compare_precedence(&version("1.0.0+2")), Ordering::Equal);
    assert_ne!(version("1.0.0+1"), version("1.0.0+2"));
}
