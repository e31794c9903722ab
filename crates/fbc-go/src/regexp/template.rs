//! What stands in place of a match: texts with `$1` and `${name}`.
//!
//! Source: `golang/go:src/regexp/regexp.go` (`Expand`, `extract`).

use super::{Groups, parser};
use crate::text::is_word;

/// The template of a replacement, as `regexp.Expand` reads it.
#[derive(Debug, Clone)]
pub struct Template<'t> {
    parts: Vec<Part<'t>>,
}

#[derive(Debug, Clone)]
enum Part<'t> {
    Text(&'t str),
    /// What the first of these groups has matched that has matched at all. Go lets several have one name.
    Group(Vec<usize>),
}

impl<'t> Template<'t> {
    /// Reads a template for what the expression matches. A dollar sign in front of no name is itself.
    pub fn new(template: &'t str, expression: &str) -> Self {
        let names = parser::parse_named(expression).map(|(_, names)| names).unwrap_or_default();
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some(at) = rest.find('$') {
            let (before, behind) = (&rest[..at], &rest[at + 1..]);
            parts.push(Part::Text(before));
            rest = match (behind.strip_prefix('$'), reference(behind)) {
                (Some(behind), _) => {
                    parts.push(Part::Text("$"));
                    behind
                }
                (None, Some((name, behind))) => {
                    parts.push(Part::Group(groups(name, &names)));
                    behind
                }
                (None, None) => {
                    parts.push(Part::Text("$"));
                    behind
                }
            };
        }
        parts.push(Part::Text(rest));
        Self { parts }
    }

    /// The pieces of the text that stands in place of a match, one behind the other.
    pub fn pieces<'s>(&'s self, groups: &'s Groups<'_>) -> impl Iterator<Item = &'s str> + Clone {
        self.parts.iter().map(move |part| match part {
            Part::Text(text) => *text,
            Part::Group(numbers) => numbers.iter().find_map(|number| groups.get(*number)).unwrap_or_default(),
        })
    }
}

/// The groups that a name or a number means.
fn groups(name: &str, names: &[&str]) -> Vec<usize> {
    let has_zero_in_front = name.len() > 1 && name.starts_with('0');
    let is_number = name.bytes().all(|digit| digit.is_ascii_digit()) && !has_zero_in_front;
    match name.parse() {
        Ok(number) if is_number => vec![number],
        _ => (1..).zip(names).filter(|(_, one)| **one == name).map(|(number, _)| number).collect(),
    }
}

/// The name or number behind a dollar sign, and what follows it.
fn reference(text: &str) -> Option<(&str, &str)> {
    let in_braces = text.strip_prefix('{');
    let text = in_braces.unwrap_or(text);
    let (name, rest) = text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()));
    let rest = if in_braces.is_some() { rest.strip_prefix('}')? } else { rest };
    (!name.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::super::{Pattern, Steps};
    use super::*;

    fn expanded(expression: &str, text: &str, template: &str) -> String {
        let groups = Pattern::new(expression).groups(text, &Steps::default()).unwrap().unwrap();
        Template::new(template, expression).pieces(&groups).collect()
    }

    /// What a program in Go prints.
    #[test]
    fn templates_are_expanded_as_in_go() {
        for (template, text) in [
            ("${a-b}", "${a-b}"),
            ("$1x", ""),
            ("${1}x", "ax"),
            ("$n", "a"),
            ("$$", "$"),
            ("$", "$"),
            ("$-", "$-"),
            ("${n", "${n"),
            ("${n}", "a"),
            ("${n }", "${n }"),
            ("$01", ""),
            ("${01}", ""),
            ("$0", "ab"),
            ("$5", ""),
            ("${}", "${}"),
            ("a$", "a$"),
            ("$é", ""),
            ("$٣", ""),
            ("$m_1-", "b-"),
            ("$m_1x", ""),
            ("${m_1}x", "bx"),
            ("$99999999999999999999", ""),
            ("<$4>", "<>"),
            ("$$1", "$1"),
            ("$$$1", "$a"),
            ("$2|", "|"),
        ] {
            let expression = "^(?s:(?P<n>a)(-)?(?<m_1>.)(x)?)$";
            assert_eq!(expanded(expression, "ab", template), text, "{template}");
        }
        assert_eq!(expanded("^(?s:(?P<n>a)|(?P<n>b))$", "b", "$n"), "b");
        assert_eq!(expanded("^(?s:(a){0}(b))$", "b", "$1$2"), "b");
    }
}
