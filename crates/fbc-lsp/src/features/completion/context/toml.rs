//! The place of the cursor in TOML, by the headers of tables and the key of its line.

use super::{Context, Quotes};

/// Follows the lines down to the cursor.
pub(super) fn context_at(before: &str) -> Option<Context<'_>> {
    let mut table: Vec<&str> = Vec::new();
    // Lists of tables: a header below one means its last table.
    let mut lists: Vec<Vec<&str>> = Vec::new();
    // The key whose value goes on over several lines, and how many brackets are open.
    let mut value: Option<(&str, i32)> = None;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    for line in before.get(..line_start)?.lines() {
        let line = line.trim();
        // A list that nobody closed yet ends where the next table begins.
        value = value.filter(|_| !is_header(line));
        if let Some((_, open)) = &mut value {
            *open += brackets(line);
        } else if let Some(header) = line.strip_prefix('[') {
            let is_list = header.starts_with('[');
            let names: Vec<&str> = header.trim_matches(['[', ']']).split('.').map(bare).collect();
            if is_list && !lists.contains(&names) {
                lists.push(names.clone());
            }
            table = names;
        } else if let Some((key, rest)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            value = Some((bare(key), brackets(rest)));
        }
        value = value.filter(|(_, open)| *open > 0);
    }
    let line = before.get(line_start..)?.trim_start();
    if line.starts_with(['#', '[']) && value.is_none() {
        return None;
    }
    let mut path = Vec::new();
    for (number, name) in table.iter().enumerate() {
        path.push(*name);
        if lists.iter().any(|list| Some(list.as_slice()) == table.get(..=number)) {
            path.push("-");
        }
    }
    let (key, rest) = match (value, line.split_once('=')) {
        (Some((key, open)), _) => (Some((key, open)), line),
        (None, Some((key, rest))) => (Some((bare(key), brackets(rest))), rest.trim_start()),
        (None, None) => (None, line),
    };
    let Some((key, open)) = key else {
        return Some(Context { path, prefix: rest, is_key: true, property_type: None, quotes: None });
    };
    path.push(key);
    if open > 0 {
        path.push("-");
    }
    let typed = rest.rsplit(['[', ',']).next().unwrap_or_default().trim_start();
    let (prefix, quotes) = match typed.strip_prefix('"') {
        Some(inner) => (inner, Quotes::Open),
        None => (typed, Quotes::Missing),
    };
    Some(Context { path, prefix, is_key: false, property_type: None, quotes: Some(quotes) })
}

/// Whether a line begins a table: `[rules]` or `[[waivers]]`.
fn is_header(line: &str) -> bool {
    let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let name =
        name.map(|name| name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name));
    name.is_some_and(|name| {
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && !name.contains(['"', ',', ' '])
    })
}

/// A key without quotes and spaces.
fn bare(key: &str) -> &str {
    key.trim().trim_matches(['"', '\''])
}

/// How many more brackets a line opens than it closes, outside of texts.
fn brackets(line: &str) -> i32 {
    let mut is_text = false;
    let mut open = 0;
    for letter in line.chars() {
        match letter {
            '"' => is_text = !is_text,
            '#' if !is_text => break,
            '[' if !is_text => open += 1,
            ']' if !is_text => open -= 1,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    #[test]
    fn the_place_of_the_cursor() {
        let text = "profile = \"stri\nallowed = [\n  \"quay.io/\",\n  \"regi\n]\nclusters = [\"4.1\n[rules]\nGRF0\n[[waivers]]\n\
                    code = \"A\"\nrea\n[waivers.extra]\nx = tr\n[[waivers]]\n";
        let at = |needle: &str| {
            let end = text.find(needle).unwrap() + needle.len();
            let context = context_at(text.get(..end).unwrap()).unwrap();
            (context.path.join("/"), context.prefix.to_owned(), context.is_key, context.quotes)
        };
        let expected =
            |path: &str, prefix: &str, is_key, quotes| (path.to_owned(), prefix.to_owned(), is_key, quotes);
        assert_eq!(at("pro"), expected("", "pro", true, None));
        assert_eq!(at("profile = "), expected("profile", "", false, Some(Quotes::Missing)));
        assert_eq!(at("\"stri"), expected("profile", "stri", false, Some(Quotes::Open)));
        assert_eq!(at("\"regi"), expected("allowed/-", "regi", false, Some(Quotes::Open)));
        assert_eq!(at("[\"4.1"), expected("clusters/-", "4.1", false, Some(Quotes::Open)));
        assert_eq!(at("code = \"A"), expected("waivers/-/code", "A", false, Some(Quotes::Open)));
        assert_eq!(at("\nrea"), expected("waivers/-", "rea", true, None));
        assert_eq!(at("x = tr"), expected("waivers/-/extra/x", "tr", false, Some(Quotes::Missing)));
        assert_eq!(context_at("[wai"), None);
        for end in 0..text.len() {
            let _ = context_at(text.get(..end).unwrap());
        }
    }
}
