//! Cases of rules, as texts beside the rules.
//!
//! A line `== TITLE` begins a case, and the text of its files follows. Lines `=> FINDING` behind it say what the rule finds. A case about
//! a change has the files twice, with a line `~~ after the change` between. An empty line stands between two cases.

use super::{Check, Rule};

const TITLE: &str = "== ";
const FINDING: &str = "=> ";
const CHANGE: &str = "~~ after the change\n";

/// A small catalog or bundle, and what the rule finds in it. Cases are tests, and examples in the
/// documentation of the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What is special about it.
    pub title: &'static str,
    /// The text of its files. It begins with the text of [`Check::first_file`]; a line `-- path --` begins
    /// another file.
    pub files: &'static str,
    /// The findings of this rule: `line:column message` each, with the path and a colon before it where it
    /// is not the first file; none if all is fine. A finding about a whole file, or all of them, has `-` for line and column.
    pub findings: Vec<&'static str>,
}

/// A small change of a catalog, and what the rule finds in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeCase {
    /// What is special about it.
    pub title: &'static str,
    /// The text of the files before the change, as in a [`Case`]: of `catalog.yaml`, then of others.
    pub old: &'static str,
    /// The text of the files after the change.
    pub new: &'static str,
    /// The messages of the findings of this rule; none if the change is fine.
    pub findings: Vec<&'static str>,
}

impl Case {
    /// The files with their texts.
    #[must_use]
    pub fn files(&self, check: &Check) -> Vec<(&'static str, &'static str)> {
        files(check.first_file(), self.files)
    }
}

impl ChangeCase {
    /// The files with their texts, before and after the change.
    #[must_use]
    pub fn files(&self) -> [Vec<(&'static str, &'static str)>; 2] {
        [self.old, self.new].map(|text| files(Check::Elsewhere.first_file(), text))
    }
}

impl Rule {
    /// Small catalogs or bundles with what the rule finds in them.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        let cases = blocks(self.cases).filter(|(_, text, _)| !text.contains(CHANGE));
        cases.map(|(title, files, findings)| Case { title, files, findings }).collect()
    }

    /// Small changes with what the rule finds in them.
    #[must_use]
    pub fn change_cases(&self) -> Vec<ChangeCase> {
        blocks(self.cases)
            .filter_map(|(title, text, findings)| {
                let (old, new) = text.split_once(CHANGE)?;
                Some(ChangeCase { title, old, new, findings })
            })
            .collect()
    }
}

/// The cases of a text: their titles, the texts of their files, and their findings.
fn blocks(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static str>)> {
    let at_lines = |text: &'static str, start: &'static str| {
        let mut at = 0;
        let starts = text.split_inclusive('\n').filter_map(move |line| {
            at += line.len();
            line.starts_with(start).then_some(at - line.len())
        });
        starts.collect::<Vec<_>>()
    };
    let starts = at_lines(text, TITLE);
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).filter_map(move |(start, end)| {
        let (title, rest) = text.get(start + TITLE.len()..end)?.split_once('\n')?;
        let rest = if end < text.len() { rest.strip_suffix('\n').unwrap_or(rest) } else { rest };
        let first = at_lines(rest, FINDING).first().copied().unwrap_or(rest.len());
        let (files, findings) = rest.split_at_checked(first)?;
        Some((title, files, findings.lines().filter_map(|line| line.strip_prefix(FINDING)).collect()))
    })
}

/// Cuts the text of files apart: it begins with that of the first one, and a line `-- path --` begins another.
fn files(first: &'static str, text: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    let (mut path, mut rest) = (first, text);
    loop {
        let mut at = 0;
        let next = rest.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            let name = line.trim_end().strip_prefix("-- ")?.strip_suffix(" --")?;
            Some((name, start, at))
        });
        let text = rest.get(..next.map_or(rest.len(), |(_, start, _)| start)).unwrap_or_default();
        if !text.is_empty() || !files.is_empty() {
            files.push((path, text));
        }
        let Some((name, _, end)) = next else { return files };
        (path, rest) = (name, rest.get(end..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn titles_files_and_findings() {
        let text = "== fine\na: 1\n\n== two\n-- b --\nb: == 2\n=> 1:1 one\n=> b:1:1 two\n\n== none\n";
        let found: Vec<_> = blocks(text).collect();
        let expected = [
            ("fine", "a: 1\n", vec![]),
            ("two", "-- b --\nb: == 2\n", vec!["1:1 one", "b:1:1 two"]),
            ("none", "", vec![]),
        ];
        assert_eq!(found, expected);
        assert_eq!(blocks("").count(), 0);
    }
}
