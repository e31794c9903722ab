//! How Dockerfiles are written: lines that go on, words, pairs, and variables in texts.

use std::collections::BTreeMap;

use fbc_go::allowance::{Allowance, Exceeded};

/// What a word takes beside its text.
const WORD_BYTES: usize = 32;

/// An instruction in one line.
pub(super) struct Instruction {
    /// The line that it begins in, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// The instructions of a text.
pub(super) fn instructions(text: &str) -> impl Iterator<Item = Instruction> {
    // Comments may stand between the lines of an instruction.
    let mut lines =
        (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || {
        let (number, mut line) = lines.next()?;
        let mut text = String::new();
        while let Some(part) = line.strip_suffix('\\') {
            text.push_str(part);
            text.push(' ');
            line = lines.next().map_or("", |(_, line)| line);
        }
        text.push_str(line);
        Some(Instruction { line: number, text })
    })
}

/// Words between blanks, without their quotation marks.
pub(super) fn words(text: &str, allowance: &Allowance) -> Result<Vec<String>, Exceeded> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => {
                if let Some(word) = word.take() {
                    allowance.bytes(word.len() + WORD_BYTES)?;
                    words.push(word);
                }
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// `KEY=VALUE …`, or the older `KEY VALUE`.
pub(super) fn pairs(text: &str, allowance: &Allowance) -> Result<Vec<(String, String)>, Exceeded> {
    let words = words(text, allowance)?;
    Ok(match words.as_slice() {
        [key, value @ ..] if !key.contains('=') => vec![(key.clone(), value.join(" "))],
        words => words
            .iter()
            .filter_map(|word| word.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    })
}

/// The sources and the target of a copy.
type Paths = (Vec<String>, String);

/// Sources and target of `COPY` or `ADD`; nothing if they come from another stage.
pub(super) fn copy(text: &str, allowance: &Allowance) -> Result<Option<Paths>, Exceeded> {
    let mut rest = text;
    while rest.starts_with("--") {
        let Some((flag, more)) = rest.split_once(char::is_whitespace) else { return Ok(None) };
        if flag.starts_with("--from=") {
            return Ok(None);
        }
        rest = more.trim_start();
    }
    let mut paths = match rest.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => words(&list.replace(',', " "), allowance)?,
        None => words(rest, allowance)?,
    };
    let to = paths.pop().filter(|_| !paths.is_empty());
    Ok(to.map(|to| (paths, to)))
}

/// Fills variables in; also the first one that has no value.
pub(super) fn fill(
    text: &str,
    variables: &BTreeMap<String, String>,
    allowance: &Allowance,
) -> Result<(String, Option<String>), Exceeded> {
    let mut filled = String::new();
    let mut open = None;
    let mut rest = text;
    // Where one brace is not closed, none behind it is.
    let mut braces_close = true;
    while let Some(at) = rest.find('$') {
        allowance.push(&mut filled, &rest[..at])?;
        let after = &rest[at + 1..];
        let in_braces = after.strip_prefix('{').filter(|_| braces_close).map(|inner| inner.split_once('}'));
        braces_close &= in_braces != Some(None);
        let (name, default, end) = match in_braces.flatten() {
            Some((inner, _)) => {
                let (name, default) = match inner.split_once(":-") {
                    Some((name, default)) => (name, Some(default)),
                    None => (inner, None),
                };
                (name, default, inner.len() + 2)
            }
            None => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                (&after[..end], None, end)
            }
        };
        match variables.get(name).map(String::as_str).filter(|value| !value.is_empty()).or(default) {
            Some(value) => allowance.push(&mut filled, value)?,
            None => {
                allowance.push(&mut filled, &rest[at..=at + end])?;
                if !name.is_empty() {
                    open.get_or_insert_with(|| name.to_owned());
                }
            }
        }
        rest = &after[end..];
    }
    allowance.push(&mut filled, rest)?;
    Ok((filled, open))
}
