//! Regular expressions of Go's `regexp`, compiled with the `regex` crate, and Go's texts for those that do not parse.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// A pattern that is compiled when it is first needed; definitions hold many that never are.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// The text as it was written.
    pub(crate) source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The compiled expression, or nothing if it does not compile.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.source)).as_ref()
    }

    /// True if it is found anywhere in the text, as `regexp.MatchString` says.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

/// How many bytes a compiled expression may take; Go has a limit of repetitions instead.
const SIZE_LIMIT: usize = 32 << 20;

/// Compiles a Go expression.
pub(crate) fn compile(source: &str) -> Option<Regex> {
    RegexBuilder::new(&translate(source)).size_limit(SIZE_LIMIT).build().ok()
}

/// The same expression in the syntax of the `regex` crate: classes and boundaries are those of ASCII in Go, and
/// brackets and operators within classes are plain characters there.
fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut characters = source.chars().peekable();
    let (mut in_class, mut class_start) = (false, false);
    while let Some(character) = characters.next() {
        let starts = std::mem::replace(&mut class_start, false);
        match character {
            '\\' => {
                let Some(escaped) = characters.next() else {
                    out.push('\\');
                    break;
                };
                match escaped {
                    'd' if in_class => out.push_str("0-9"),
                    'w' if in_class => out.push_str("0-9A-Za-z_"),
                    's' if in_class => out.push_str("\\t\\n\\x0C\\r\\x20"),
                    'd' => out.push_str("[0-9]"),
                    'w' => out.push_str("[0-9A-Za-z_]"),
                    's' => out.push_str("[\\t\\n\\x0C\\r\\x20]"),
                    'D' => out.push_str("[^0-9]"),
                    'W' => out.push_str("[^0-9A-Za-z_]"),
                    'S' => out.push_str("[^\\t\\n\\x0C\\r\\x20]"),
                    'b' if !in_class => out.push_str("(?-u:\\b)"),
                    'B' if !in_class => out.push_str("(?-u:\\B)"),
                    other => out.extend(['\\', other]),
                }
            }
            '[' if in_class && characters.peek() == Some(&':') => {
                out.push('[');
                for inner in characters.by_ref() {
                    out.push(inner);
                    if inner == ']' {
                        break;
                    }
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                class_start = true;
                out.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    out.push('^');
                }
            }
            ']' if in_class && starts => out.push_str("\\]"),
            ']' => {
                out.push_str(if in_class { "]" } else { "\\]" });
                in_class = false;
            }
            '&' | '~' if in_class => out.extend(['\\', character]),
            '-' if in_class && (starts || characters.peek() == Some(&']')) => out.push_str("\\-"),
            '{' if !in_class && !starts_repetition(characters.clone()) => out.push_str("\\{"),
            '}' if !in_class && !ends_repetition(&out) => out.push_str("\\}"),
            other => out.push(other),
        }
    }
    out
}

/// True if what follows `{` makes it a repetition: digits, and perhaps a comma and digits.
fn starts_repetition(characters: impl Iterator<Item = char>) -> bool {
    let inside: String = characters.take_while(|&character| character != '}').collect();
    let mut parts = inside.splitn(2, ',');
    let digits = |text: &str| text.chars().all(|character| character.is_ascii_digit());
    let first = parts.next().unwrap_or_default();
    !first.is_empty() && digits(first) && parts.next().is_none_or(digits)
}

/// True if `}` closes a repetition or a named class that was opened in what is written already.
fn ends_repetition(written: &str) -> bool {
    written.rfind('{').is_some_and(|open| !written[..open].ends_with('\\') && !written[open..].contains('}'))
}

/// What Go says about an expression that does not parse, such as ``missing closing ): `(` ``; nothing if it parses.
///
/// Source: `golang/go:src/regexp/syntax/parse.go`.
pub(crate) fn fault(source: &str) -> Option<String> {
    let named = |what: &str, part: &str| Some(format!("error parsing regexp: {what}: `{part}`"));
    let characters: Vec<(usize, char)> = source.char_indices().collect();
    let rest = |index: usize| characters.get(index).map_or("", |&(at, _)| &source[at..]);
    let (mut index, mut depth, mut repeatable, mut repeated_from) = (0, 0usize, false, None);
    while let Some(&(at, character)) = characters.get(index) {
        match character {
            '(' => {
                depth += 1;
                if rest(index).starts_with("(?") && !starts_known_group(rest(index)) {
                    let part: String = rest(index).chars().take(3).collect();
                    return named("invalid or unsupported Perl syntax", &part);
                }
                if let Some(end) =
                    rest(index).strip_prefix("(?").and_then(|_| rest(index).find([':', '>', ')']))
                {
                    index += source[at..at + end].chars().count();
                    // Flags without an expression, as in `(?i)`, are no group.
                    depth -= usize::from(rest(index).starts_with(')'));
                }
                repeatable = false;
            }
            ')' if depth == 0 => return named("unexpected )", source),
            ')' => {
                depth -= 1;
                repeatable = true;
            }
            '[' => match class_end(&characters, index) {
                Ok(end) => {
                    index = end;
                    repeatable = true;
                }
                Err(Some((from, to))) => {
                    return named("invalid character class range", &source[from..to]);
                }
                Err(None) => return named("missing closing ]", rest(index)),
            },
            '*' | '+' | '?' => {
                if let Some(from) = repeated_from {
                    let lazy = character == '?' && index == from + 1;
                    if !lazy {
                        let start = characters.get(from).map_or(0, |&(at, _)| at);
                        return named("invalid nested repetition operator", &source[start..=at]);
                    }
                    repeated_from = None;
                } else if repeatable {
                    repeated_from = Some(index);
                } else {
                    return named("missing argument to repetition operator", &character.to_string());
                }
                index += 1;
                continue;
            }
            '|' => repeatable = false,
            '\\' => {
                let Some(&(_, escaped)) = characters.get(index + 1) else {
                    return Some(
                        "error parsing regexp: trailing backslash at end of expression: ``".to_owned(),
                    );
                };
                let known = "dDwWsSbBAzpPQEaftnrvxC01234567".contains(escaped);
                if !known && (escaped.is_ascii_alphanumeric() || !escaped.is_ascii()) {
                    return named("invalid escape sequence", &format!("\\{escaped}"));
                }
                index += 1;
                repeatable = true;
            }
            _ => repeatable = true,
        }
        repeated_from = None;
        index += 1;
    }
    if depth > 0 {
        return named("missing closing )", source);
    }
    match compile(source) {
        Some(_) => None,
        None => named("invalid or unsupported Perl syntax", source),
    }
}

fn starts_known_group(text: &str) -> bool {
    ["(?:", "(?P<", "(?<"].iter().any(|start| text.starts_with(start))
        && !text.starts_with("(?<=")
        && !text.starts_with("(?<!")
        || text[2..].starts_with(['i', 'm', 's', 'U', '-'])
}

/// The index of the bracket that closes the class at `start`; the range that is wrong; or nothing if it is not closed.
fn class_end(characters: &[(usize, char)], start: usize) -> Result<usize, Option<(usize, usize)>> {
    let at = |index: usize| characters.get(index).map(|&(_, character)| character);
    let mut index = start + 1;
    if at(index) == Some('^') {
        index += 1;
    }
    let first = index;
    loop {
        match at(index) {
            None => return Err(None),
            Some(']') if index > first => return Ok(index),
            Some('\\') => index += 2,
            Some('[') if at(index + 1) == Some(':') => {
                while at(index).is_some_and(|character| character != ']') {
                    index += 1;
                }
                index += 1;
            }
            Some(low) => {
                let range = at(index + 1) == Some('-')
                    && at(index + 2).is_some_and(|high| high != ']' && high != '\\');
                if range && at(index + 2).is_some_and(|high| high < low) {
                    let place = |index: usize| characters.get(index).map_or(0, |&(at, c)| at + c.len_utf8());
                    let from = characters.get(index).map_or(0, |&(at, _)| at);
                    return Err(Some((from, place(index + 2))));
                }
                index += if range { 3 } else { 1 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_ascii() {
        for (pattern, text, matches) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\w-]+$", "a_b-c", true),
            (r"^[x|X|\*])$", "*)", false),
            (r"^[x|X|\*]]$", "*]", true),
            (r"^[[a]+$", "[a", true),
            (r"^[]a]+$", "a]", true),
            (r"^a{2}$", "aa", true),
            (r"^a{x}$", "a{x}", true),
            (r"^\w+\b", "ä", false),
            (r"(@.*:)", "a@sha256:b", true),
            (r"^[a-z0-9]+:[[:xdigit:]]+$", "a:0F", true),
            (r"\/", "a/b", true),
        ] {
            assert_eq!(Pattern::new(pattern).is_match(text), matches, "{pattern} {text}");
        }
    }

    #[test]
    fn faults_have_the_words_of_go() {
        for (pattern, text) in [
            ("(", Some("missing closing ): `(`")),
            ("a)", Some("unexpected ): `a)`")),
            ("[a", Some("missing closing ]: `[a`")),
            ("x[b-a]", Some("invalid character class range: `b-a`")),
            ("*", Some("missing argument to repetition operator: `*`")),
            ("a**", Some("invalid nested repetition operator: `**`")),
            ("\\y", Some("invalid escape sequence: `\\y`")),
            ("\\", Some("trailing backslash at end of expression: ``")),
            ("(?=a)", Some("invalid or unsupported Perl syntax: `(?=`")),
            ("^(?:a|b)+?[^]x]*$", None),
            ("^(?i)(abort|warn)?$", None),
        ] {
            let expected = text.map(|text| format!("error parsing regexp: {text}"));
            assert_eq!(fault(pattern), expected, "{pattern}");
        }
    }
}
