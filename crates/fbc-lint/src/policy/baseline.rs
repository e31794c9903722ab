//! The baseline: findings that were there when somebody began to look, so that only new ones fail.
//!
//! A finding is known again by what it is about, not by its line. The file has one entry a line, sorted,
//! so that a change of it reads well.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::set_aside::{Cause, SetAside};
use crate::finding::{Finding, Spot};
use crate::fingerprint::fnv1a;
use crate::report::{Located, Report};

/// The version of the file format.
const VERSION: u64 = 1;

/// What a finding is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The file, as a path from the directory of the baseline, with slashes; the catalog itself where there is none.
    pub file: String,
    /// The package; empty where none.
    pub package: String,
    /// The channel; empty where none.
    pub channel: String,
    /// The bundle; empty where none.
    pub bundle: String,
    /// The code of the rule.
    pub code: String,
    /// The place in the document: a JSON pointer with `*` for every number.
    pub key: String,
    /// The fingerprint of the message, in hexadecimal digits.
    pub message: String,
}

/// Known findings, with the number of times that each occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeMap<Identity, usize>,
}

impl Identity {
    /// What a finding is known by. `path_of` turns its path into one from the directory of the baseline.
    #[must_use]
    pub fn from_finding(finding: &Finding, path_of: &dyn Fn(&Path) -> String) -> Self {
        let key = match finding.place.as_ref().map(|place| &place.spot) {
            Some(Spot::Value(pointer) | Spot::Key(pointer)) => without_numbers(pointer),
            _ => String::new(),
        };
        Self {
            file: path_of(finding.place.as_ref().map_or(Path::new(""), |place| place.path.as_path())),
            package: finding.subject.package.clone(),
            channel: finding.subject.channel.clone(),
            bundle: finding.subject.bundle.clone(),
            code: finding.rule.code.to_owned(),
            key,
            message: format!("{:016x}", fnv1a([without_lines(&finding.message).as_str()])),
        }
    }
}

/// An item keeps its key when one is added in front of it.
fn without_numbers(pointer: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = pointer.split('/').map(|part| if is_number(part) { "*" } else { part }).collect();
    parts.join("/")
}

/// Messages of the YAML parser name lines, which any edit above would change.
fn without_lines(message: &str) -> String {
    let mut parts = message.split("line ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("line ");
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

/// A file that is not a baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is not JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// It is of another version of the format.
    #[error("it has version {0}, and only {VERSION} is known")]
    Version(u64),
    /// It does not say its version.
    #[error("it has no `version`: it is not a baseline")]
    NoVersion,
    /// There are no findings in it.
    #[error("it has no list `findings`")]
    NoFindings,
    /// An entry, by its number from 1, cannot be read.
    #[error("entry {0} of `findings` is not valid")]
    Entry(usize),
}

impl Baseline {
    /// Reads a file of this format.
    ///
    /// # Errors
    /// [`BaselineError`]
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let root: Value = serde_json::from_str(text)?;
        match root.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => return Err(BaselineError::Version(version)),
            None => return Err(BaselineError::NoVersion),
        }
        let findings = root.get("findings").and_then(Value::as_array).ok_or(BaselineError::NoFindings)?;
        let mut entries: BTreeMap<Identity, usize> = BTreeMap::new();
        for (index, entry) in findings.iter().enumerate() {
            let (identity, count) = read_entry(entry).ok_or(BaselineError::Entry(index + 1))?;
            let known = entries.entry(identity).or_default();
            *known = known.saturating_add(count);
        }
        Ok(Self { entries })
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{{\n  \"version\": {VERSION},\n  \"findings\": [");
        for (number, (identity, count)) in self.entries.iter().enumerate() {
            text.push_str(if number == 0 { "\n    " } else { ",\n    " });
            write_entry(&mut text, identity, *count);
        }
        text.push_str(if self.entries.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" });
        text
    }

    /// The number of findings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a finding.
    pub fn add(&mut self, identity: Identity) {
        *self.entries.entry(identity).or_default() += 1;
    }

    /// Keeps only the entries that a condition is true of.
    pub fn retain(&mut self, mut keeps: impl FnMut(&Identity) -> bool) {
        self.entries.retain(|identity, _| keeps(identity));
    }

    /// Sets the findings aside that are known, each entry as many times as it counts, and takes them out
    /// of the baseline: what is left in the end no longer occurs.
    pub fn apply(&mut self, report: &mut Report, path_of: &dyn Fn(&Path) -> String) {
        if self.is_empty() {
            return;
        }
        let (known, new): (Vec<Located>, Vec<Located>) = std::mem::take(&mut report.findings)
            .into_iter()
            .partition(|located| self.take(&Identity::from_finding(&located.finding, path_of)));
        report.findings = new;
        let set_aside = known.into_iter().map(|located| SetAside { located, cause: Cause::Baselined });
        report.set_aside.extend(set_aside);
    }

    fn take(&mut self, identity: &Identity) -> bool {
        match self.entries.get_mut(identity) {
            None => false,
            Some(1) => self.entries.remove(identity).is_some(),
            Some(count) => {
                *count -= 1;
                true
            }
        }
    }

    /// The entries, sorted, with the number of times that each occurs.
    pub fn entries(&self) -> impl Iterator<Item = (&Identity, usize)> {
        self.entries.iter().map(|(identity, count)| (identity, *count))
    }
}

fn read_entry(entry: &Value) -> Option<(Identity, usize)> {
    let text = |name: &str| match entry.get(name) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    let identity = Identity {
        file: text("file")?,
        package: text("package")?,
        channel: text("channel")?,
        bundle: text("bundle")?,
        code: text("code").filter(|code| !code.is_empty())?,
        key: text("key")?,
        message: text("message")?,
    };
    let count = entry.get("count").map_or(Some(1), Value::as_u64)?;
    Some((identity, usize::try_from(count).ok().filter(|count| *count > 0)?))
}

fn write_entry(text: &mut String, identity: &Identity, count: usize) {
    let fields = [
        ("code", &identity.code),
        ("file", &identity.file),
        ("package", &identity.package),
        ("channel", &identity.channel),
        ("bundle", &identity.bundle),
        ("key", &identity.key),
        ("message", &identity.message),
    ];
    let mut parts: Vec<String> = fields
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("\"{name}\": {}", Value::from(value.as_str())))
        .collect();
    if count > 1 {
        parts.push(format!("\"count\": {count}"));
    }
    // Writing to a String cannot fail.
    let _ = write!(text, "{{{}}}", parts.join(", "));
}

#[cfg(test)]
mod tests {
    use super::{Baseline, Identity, without_lines, without_numbers};

    fn identity(code: &str, file: &str) -> Identity {
        Identity { code: code.to_owned(), file: file.to_owned(), ..Identity::default() }
    }

    #[test]
    fn text_is_sorted_and_reads_back() {
        let mut baseline = Baseline::default();
        for (code, file) in [("IMG103", "b.yaml"), ("FBC001", "a \"b\".yaml"), ("IMG103", "b.yaml")] {
            baseline.add(identity(code, file));
        }
        let text = baseline.text();
        assert_eq!(
            text,
            "{\n  \"version\": 1,\n  \"findings\": [\n    \
             {\"code\": \"FBC001\", \"file\": \"a \\\"b\\\".yaml\"},\n    \
             {\"code\": \"IMG103\", \"file\": \"b.yaml\", \"count\": 2}\n  ]\n}\n"
        );
        assert_eq!(Baseline::parse(&text).unwrap(), baseline.clone());
        assert_eq!(baseline.len(), 3);
        assert_eq!(Baseline::parse(&Baseline::default().text()).unwrap(), Baseline::default());
    }

    #[test]
    fn counts_that_no_number_holds_are_as_many_as_there_can_be() {
        let entry = |code: &str| format!("{{\"code\": \"{code}\", \"count\": {}}}", usize::MAX);
        let entries = [entry("a"), entry("a"), entry("b")].join(", ");
        let baseline = Baseline::parse(&format!("{{\"version\": 1, \"findings\": [{entries}]}}")).unwrap();
        assert_eq!(baseline.len(), usize::MAX);
        assert_eq!(Baseline::parse(&baseline.text()).unwrap(), baseline);
    }

    #[test]
    fn other_files_are_refused() {
        for (text, error) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("[]", "it has no `version`: it is not a baseline"),
            ("{\"version\": 2}", "it has version 2, and only 1 is known"),
            ("{\"version\": 1}", "it has no list `findings`"),
            ("{\"version\": 1, \"findings\": [{}]}", "entry 1 of `findings` is not valid"),
            ("{\"version\": 1, \"findings\": [{\"code\": 1}]}", "entry 1 of `findings` is not valid"),
            (
                "{\"version\": 1, \"findings\": [{\"code\": \"A\", \"count\": 0}]}",
                "entry 1 of `findings` is not valid",
            ),
        ] {
            assert_eq!(Baseline::parse(text).unwrap_err().to_string(), error, "{text}");
        }
    }

    #[test]
    fn lines_and_numbers_of_items_do_not_count() {
        assert_eq!(without_numbers("/properties/12/value/a/v1"), "/properties/*/value/a/v1");
        assert_eq!(without_numbers(""), "");
        assert_eq!(without_lines("yaml: line 12: bad line 3"), "yaml: line : bad line ");
        assert_eq!(without_lines("outline 4.17"), "outline .17");
    }

    #[test]
    fn an_entry_covers_as_many_as_it_counts() {
        let mut baseline = Baseline::default();
        (0..2).for_each(|_| baseline.add(identity("FBC001", "a")));
        let taken = [true, true, false].map(|_| baseline.take(&identity("FBC001", "a")));
        assert_eq!(taken, [true, true, false]);
        assert!(baseline.is_empty());
    }
}
