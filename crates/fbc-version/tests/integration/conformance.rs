//! Holds the crate against recorded answers of the reference libraries, when they are at hand.

use std::collections::HashMap;

use fbc_version::masterminds::admitted;
use fbc_version::{Grammar, Range, Target, Version};
use serde_json::Value;

/// The rows of a recording; `None` when there are no recordings here.
fn rows(name: &str) -> Option<Vec<Value>> {
    let rows = fbc_testing::recorded_json(&format!("ranges/{name}"))?;
    Some(serde_json::from_value(rows).expect(name))
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

fn compare(name: &str, grammar: Grammar) {
    let Some(rows) = rows(name) else { return };
    let mut differences = Vec::new();
    for row in &rows {
        let answer = Range::parse(grammar, Target::Latest, text(row, "range"));
        let differs = match (&answer, row.get("error")) {
            (Err(error), Some(expected)) => Some(error.to_string().as_str()) != expected.as_str(),
            (Ok(range), None) => {
                let version = Version::parse(text(row, "version")).expect("recorded versions are versions");
                let expected = row["matches"].as_bool().expect("an answer");
                let versions = range.intervals();
                range.matches(&version) != expected
                    || (versions.exact && versions.contains(&version) != expected)
            }
            _ => true,
        };
        if differs {
            differences.push(format!("{row}: {answer:?}"));
        }
    }
    assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), rows.len(), differences.join("\n"));
    println!("{name}: {} answers agree", rows.len());
}

#[test]
fn masterminds_answers() {
    compare("masterminds.json", Grammar::Masterminds);
}

#[test]
fn blang_answers() {
    compare("blang.json", Grammar::Blang);
}

/// Everything that is not recorded as a difference must be the same in both versions of the library.
#[test]
fn masterminds_answers_of_the_older_library() {
    let (Some(rows_of_latest), Some(differences)) =
        (rows("masterminds.json"), rows("masterminds-3.3.1-differences.json"))
    else {
        return;
    };
    let mut expected: HashMap<(&str, &str), &str> = HashMap::new();
    for row in &differences {
        expected.insert((text(row, "range"), text(row, "version")), text(row, "v3.3.1"));
    }
    let answer = |target: Target, range: &str, version: &str| match Range::parse(
        Grammar::Masterminds,
        target,
        range,
    ) {
        Err(error) => error.to_string(),
        Ok(_) if version.is_empty() => "parses".to_owned(),
        Ok(range) => {
            let version = Version::parse(version).expect("recorded versions are versions");
            let versions = range.intervals();
            assert!(
                !versions.exact || versions.contains(&version) == range.matches(&version),
                "{range} {version}"
            );
            range.matches(&version).to_string()
        }
    };
    for row in &differences {
        let (range, version) = (text(row, "range"), text(row, "version"));
        assert_eq!(answer(Target::Ocp419, range, version), text(row, "v3.3.1"), "{range:?} {version}");
        assert_eq!(answer(Target::Latest, range, version), text(row, "v3.5.0"), "{range:?} {version}");
    }
    let mut same = 0;
    for row in &rows_of_latest {
        let (range, version) = (text(row, "range"), text(row, "version"));
        if !expected.contains_key(&(range, version)) && !expected.contains_key(&(range, "")) {
            let (latest, older) =
                (answer(Target::Latest, range, version), answer(Target::Ocp419, range, version));
            assert_eq!(latest, older, "{range:?} {version}");
            same += 1;
        }
    }
    println!("{} differences agree, {same} other answers are the same", differences.len());
}

#[test]
fn admission_answers() {
    let Some(rows) = rows("spec-version-admission.json") else { return };
    for row in &rows {
        let range = text(row, "range");
        assert_eq!(Some(admitted(range)), row["admitted"].as_bool(), "{range:?}");
        match Range::parse(Grammar::Masterminds, Target::Latest, range) {
            Ok(_) => assert_eq!(row["parses"].as_bool(), Some(true), "{range:?}"),
            Err(error) => {
                assert_eq!(row["parses"].as_bool(), Some(false), "{range:?}");
                assert_eq!(Some(error.to_string().as_str()), row["error"].as_str());
            }
        }
    }
    println!("{} answers agree", rows.len());
}
