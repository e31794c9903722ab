//! Numbers of tests, read from the summaries that nextest, `cargo test` and the conformance runner print.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::AddAssign;

/// How many tests passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Ran and held.
    pub(super) passed: u64,
    /// Ran and did not hold, or could not be run.
    pub(super) failed: u64,
    /// Did not run: ignored, or without the data they need.
    pub(super) skipped: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

impl Counts {
    /// Adds a number under the word that a tool puts behind it; unknown words are not tests.
    fn add(&mut self, count: u64, word: &str) {
        match word {
            "passed" => self.passed += count,
            "failed" | "exec failed" | "timed out" | "leak failed" | "leak-failed" => self.failed += count,
            "skipped" | "ignored" => self.skipped += count,
            _ => {}
        }
    }

    /// Adds every `<number> <word>` of a list.
    fn add_list(&mut self, list: &str, separator: char) {
        for part in list.split(separator) {
            if let Some((count, word)) = part.trim().split_once(' ')
                && let Ok(count) = count.parse()
            {
                self.add(count, word.trim());
            }
        }
    }
}

impl Counts {
    /// The counts, given the lines that skipped tests have written: `PROCESS THREAD: REASON`. A test may write several.
    pub(super) fn with_skipped(self, lines: &str) -> Self {
        let tests: BTreeSet<&str> =
            lines.lines().filter_map(|line| line.split_once(": ")).map(|(test, _)| test).collect();
        // A test that failed nevertheless stays among the failed ones.
        let skipped = (tests.len() as u64).min(self.passed);
        Self { passed: self.passed - skipped, skipped: self.skipped + skipped, ..self }
    }
}

/// Why tests were skipped, each reason with the number of tests.
pub(super) fn reasons(lines: &str) -> BTreeMap<&str, usize> {
    let mut tests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, reason) in lines.lines().filter_map(|line| line.split_once(": ")) {
        tests.entry(reason).or_default().insert(test);
    }
    tests.into_iter().map(|(reason, tests)| (reason, tests.len())).collect()
}

/// Sums the line `Summary [   0.1s] 5 tests run: 4 passed (1 slow), 1 failed, 2 skipped` of cargo-nextest.
pub(super) fn of_nextest(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in without_colours(text).lines() {
        if let Some(rest) = line.trim_start().strip_prefix("Summary [")
            && let Some((_, list)) = rest.split_once(" run: ")
        {
            counts.add_list(&without_parentheses(list), ',');
        }
    }
    counts
}

/// Sums the lines `test result: ok. 4 passed; 0 failed; 1 ignored; …` of `cargo test`.
pub(super) fn of_cargo_test(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in without_colours(text).lines() {
        if let Some(rest) = line.trim_start().strip_prefix("test result: ")
            && let Some((_, list)) = rest.split_once(". ")
        {
            counts.add_list(list, ';');
        }
    }
    counts
}

/// Reads the last line of the conformance runner, `N passed, N failed`; `None` when it is not of that form.
pub(super) fn of_conformance(text: &str) -> Option<Counts> {
    let is_summary = |line: &&str| line.contains(" passed, ") && line.ends_with(" failed");
    let line = text.lines().map(str::trim).rev().find(is_summary)?;
    let mut counts = Counts::default();
    counts.add_list(line, ',');
    Some(counts)
}

/// Sums the lines `# pass 3`, `# fail 0` and `# skipped 1` of node's test runner.
pub(super) fn of_node(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in text.lines() {
        let count = |word: &str| line.strip_prefix(word).and_then(|count| count.trim().parse::<u64>().ok());
        counts.passed += count("# pass ").unwrap_or_default();
        counts.failed += count("# fail ").unwrap_or_default();
        counts.skipped += count("# skipped ").unwrap_or_default();
    }
    counts
}

/// Whether the conformance runner lists a case as failed: `  CASE: what differs`.
pub(super) fn case_failed(text: &str, case: &str) -> bool {
    text.lines().any(|line| {
        line.strip_prefix("  ")
            .and_then(|line| line.strip_prefix(case))
            .is_some_and(|rest| rest.starts_with(": "))
    })
}

/// The text without the escape sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            // A sequence ends at its first letter: ESC [ 3 1 m.
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    let mut outside = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            other if depth == 0 => outside.push(other),
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
        Counts { passed, failed, skipped }
    }

    #[test]
    fn summary_of_node() {
        let text = "ok 1 - # pass 7\n# tests 4\n# pass 3\n# fail 0\n# skipped 1\n";
        assert_eq!(of_node(text), Counts { passed: 3, failed: 0, skipped: 1 });
    }

    #[test]
    fn nextest_summaries() {
        let cases = [
            ("     Summary [   0.012s] 5 tests run: 5 passed, 1 skipped", counts(5, 0, 1)),
            (
                "Summary [  1.0s] 4 tests run: 3 passed (1 slow, 1 leaky), 1 failed, 0 skipped",
                counts(3, 1, 0),
            ),
            (
                "Summary [  1.0s] 3/9 tests run: 1 passed, 1 exec failed, 1 timed out, 2 skipped",
                counts(1, 2, 2),
            ),
            ("Summary [  1.0s] 1 test run: 1 passed, 0 skipped", counts(1, 0, 0)),
            ("Starting 5 tests across 2 binaries", counts(0, 0, 0)),
            (
                "\u{1b}[32;1m     Summary\u{1b}[0m [   0.0s] \u{1b}[1m2\u{1b}[0m tests run: \
                 \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m \u{1b}[33;1mskipped\u{1b}[0m",
                counts(2, 0, 0),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(of_nextest(text), expected, "{text}");
        }
    }

    #[test]
    fn cargo_test_summaries_are_summed() {
        let text = "running 2 tests\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 3 passed; 1 failed; 4 ignored; 0 measured; 9 filtered out; finished in 0.10s\n";
        assert_eq!(of_cargo_test(text), counts(5, 1, 4));
    }

    #[test]
    fn failed_cases_are_found_by_their_whole_name() {
        let text = "render     1 of 2\n  a mermaid: 5 bytes differ\n1 passed, 1 failed";
        assert!(case_failed(text, "a mermaid"));
        assert!(!case_failed(text, "a"));
        assert!(!case_failed(text, "mermaid"));
    }

    #[test]
    fn the_conformance_summary_is_the_last_of_its_form() {
        let text = "validate   120 of 121\n  a case: 3 passed, 4 failed\n120 passed, 7 failed\n\n";
        assert_eq!(of_conformance(text), Some(counts(120, 7, 0)));
        assert_eq!(of_conformance("Traceback (most recent call last):"), None);
    }

    #[test]
    fn the_sum_is_printed_in_the_agreed_form() {
        let mut sum = counts(1, 0, 2);
        sum += counts(10, 3, 0);
        assert_eq!(sum.to_string(), "11 passed, 3 failed, 2 skipped");
    }

    #[test]
    fn tests_that_say_so_are_skipped() {
        let lines =
            "7 a::b: there are no recordings\n7 a::b: jq is not installed\n8 main: jq is not installed\n";
        let counts = Counts { passed: 5, failed: 1, skipped: 1 }.with_skipped(lines);
        assert_eq!(counts.to_string(), "3 passed, 1 failed, 3 skipped");
        let expected = BTreeMap::from([("jq is not installed", 2), ("there are no recordings", 1)]);
        assert_eq!(reasons(lines), expected);
    }
}
