//! What can be wrong with reports.

use super::*;

fn report(shard: &str, finding: &str) -> String {
    let mark = if shard.is_empty() { String::new() } else { format!("  \"shard\": \"{shard}\",\n") };
    let findings = if finding.is_empty() { "[]".to_owned() } else { format!("[\n    {finding}\n  ]") };
    let errors = usize::from(!finding.is_empty());
    format!(
        "{{\n{mark}  \"findings\": {findings},\n  \"summary\": {{\n    \"errors\": {errors},\n    \"warnings\": 0\n  }}\n}}\n"
    )
}

fn merged(texts: &[&str]) -> Result<Merged, String> {
    merge(texts.iter().enumerate().map(|(index, text)| (format!("r{index}"), (*text).to_owned())).collect())
        .map_err(|error| error.to_string())
}

#[test]
fn parts_come_in_the_order_of_their_shards() {
    let (one, two, three) =
        (report("1/3", "{\"severity\": \"error\"}"), report("2/3", ""), report("3/3", "7"));
    let whole = merged(&[&three, &one, &two]).unwrap();
    let expected = "{\n  \"findings\": [\n    {\"severity\": \"error\"},\n    7\n  ],\n  \"summary\": {\n    \"errors\": 2,\n    \"warnings\": 0\n  }\n}\n";
    assert_eq!(whole.text, expected);
    assert!(whole.has_errors && !whole.has_warnings);
}

#[test]
fn the_whole_shows_no_more_than_its_limit() {
    let limited = |shard: &str, finding: &str| {
        report(shard, finding).replace("  \"findings\"", "  \"maxFindings\": 1,\n  \"findings\"")
    };
    let whole = merged(&[&limited("1/2", "1"), &limited("2/2", "2")]).unwrap();
    let expected = "{\n  \"findings\": [\n    1\n  ],\n  \"summary\": {\n    \"errors\": 2,\n    \"warnings\": 0\n  }\n}\n";
    assert_eq!(whole.text, expected);
    let log = |shard: &str, name: &str| {
        let properties = format!(r#"{{"shard":"{shard}","errors":1,"warnings":0,"maxFindings":1}}"#);
        format!(
            r#"{{"version":"2.1.0","runs":[{{"results":[{{"name":"{name}"}}],"properties":{properties}}}]}}"#
        )
    };
    let whole = merged(&[&log("1/2", "a"), &log("2/2", "b")]).unwrap();
    assert!(whole.text.contains("\"a\"") && !whole.text.contains("\"b\""), "{}", whole.text);
    assert!(whole.has_errors);
}

#[test]
fn a_field_that_some_lack_keeps_its_place() {
    let with = "{\n  \"findings\": [],\n  \"waived\": [\n    1\n  ],\n  \"summary\": {\n    \"errors\": 0,\n    \"waived\": 1\n  }\n}\n";
    let without = "{\n  \"findings\": [],\n  \"summary\": {\n    \"errors\": 0\n  }\n}\n";
    for order in [[with, without], [without, with]] {
        assert_eq!(merged(&order).unwrap().text, with);
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let (one, two, of_three) = (report("1/2", ""), report("2/2", ""), report("2/3", ""));
    let junit = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fbc validate\" tests=\"0\" failures=\"0\" errors=\"0\">\n  <!-- shard 2/2 errors=0 warnings=0 -->\n</testsuites>\n";
    let foreign = "{\"package\": \"a\", \"upgrades\": []}";
    for (texts, expected) in [
        (&[one.as_str()][..], "the report of shard 2/2 is missing"),
        (&[&of_three], "the reports of 2 shards are missing: 1/3, 3/3"),
        (&[&one, &one], "r0 and r1 are both shard 1/2"),
        (&[&one, &of_three], "r1 is shard 2/3, and others are of 2 shards"),
        (&[&one, &two, &report("", "")], "r2 is not a shard, and others are of 2 shards"),
        (&[&one, junit], "r0 is a report of the kind findings, and r1 of the kind JUnit"),
        (
            &[foreign, "{\"package\": \"b\", \"upgrades\": []}"],
            "`package` differs between the reports; they are not of one run",
        ),
        (
            &["{}"],
            "r0 is not a report that can be merged; fbc merges SARIF, JUnit and JSON as `fbc validate` writes them, and JSON of `fbc simulate`",
        ),
        (
            &["<testsuites/>"],
            "r0 is not a report that can be merged; fbc merges SARIF, JUnit and JSON as `fbc validate` writes them, and JSON of `fbc simulate`",
        ),
        (&["{\"findings\": 3, \"summary\": {}}"], "`findings` is not a list"),
        (
            &["{\"findings\": [], \"summary\": {\"errors\": \"x\"}}"],
            "`summary` has a `errors` that is not a number",
        ),
        (
            &["{\"version\": \"2.1.0\", \"runs\": []}"],
            "r0 does not have one run with results, as logs that fbc writes",
        ),
        (
            &["{\"version\": \"2.1.0\", \"runs\": [{\"results\": [{}, 7]}]}"],
            "r0 has a result that is not an object",
        ),
        (
            &["{\"findings\": [], \"shard\": \"x\"}"],
            "r0 names a shard that is not one: write the number of the shard and how many there are, such as 3/16",
        ),
        (&[], "there is no report to merge"),
    ] {
        assert_eq!(merged(texts).unwrap_err(), expected);
    }
}

/// Reports of each kind, as small as they can be.
const SMALL: [&str; 3] = [
    "{\"shard\": \"1/2\", \"maxFindings\": 2, \"findings\": [{\"severity\": \"error\"}], \"waived\": [1], \"summary\": \
     {\"errors\": 18446744073709551615, \"warnings\": 1}}",
    "{\"version\": \"2.1.0\", \"runs\": [{\"results\": [{\"level\": \"error\", \"suppressions\": [1]}], \"properties\": \
     {\"shard\": \"1/2\", \"errors\": 1, \"maxFindings\": 1}}]}",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fbc validate\" tests=\"18446744073709551615\" \
     failures=\"18446744073709551615\" errors=\"0\">\n  <!-- shard 1/2 errors=1 warnings=0 -->\n</testsuites>\n",
];

#[test]
fn broken_reports_are_merged_or_refused() {
    for small in SMALL {
        let other = small.replace("1/2", "2/2");
        assert!(merged(&[small, &other]).unwrap().has_errors, "{small}");
        for broken in fbc_testing::broken_variants(small) {
            let _ = merged(&[&broken]);
            let _ = merged(&[&broken, &other]);
        }
    }
}
