//! Globs of one name, as Go's `path/filepath` matches them; a malformed one matches nothing.

use std::str::Chars;

/// Whether nothing in a pattern is left open.
pub(super) fn is_well_formed(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let is_whole = match c {
            '\\' => rest.next().is_some(),
            '[' => class_has(&mut rest, c).is_some(),
            _ => true,
        };
        if !is_whole {
            return false;
        }
    }
    true
}

/// Whether a class has a character, read from behind its `[` to behind its `]`; nothing if it is malformed.
fn class_has(rest: &mut Chars<'_>, wanted: char) -> Option<bool> {
    let is_negated = skip(rest, '^');
    let mut has = range_has(rest, wanted)?;
    while !skip(rest, ']') {
        has |= range_has(rest, wanted)?;
    }
    Some(has != is_negated)
}

fn range_has(rest: &mut Chars<'_>, wanted: char) -> Option<bool> {
    let low = class_character(rest)?;
    let high = if skip(rest, '-') { class_character(rest)? } else { low };
    Some((low..=high).contains(&wanted))
}

fn class_character(rest: &mut Chars<'_>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        c => Some(c),
    }
}

/// Goes past a character if it comes next.
fn skip(rest: &mut Chars<'_>, c: char) -> bool {
    let comes = rest.as_str().starts_with(c);
    if comes {
        rest.next();
    }
    comes
}

/// Go's `filepath.Match` on one component, with one point to return to: the latest `*`, as is enough for globs. Adds how many
/// characters are gone through.
pub(super) fn matches(pattern: &str, name: &str, work: &mut usize) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    let mut retry: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        let (mut after, mut rest) = (pattern.clone(), name.clone());
        let goes_on = match (after.next(), rest.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                retry = Some((after.clone(), name.clone()));
                pattern = after;
                *work += 1;
                continue;
            }
            (Some('?'), Some(_)) => true,
            (Some('\\'), Some(c)) => after.next() == Some(c),
            (Some('['), Some(c)) => class_has(&mut after, c).unwrap_or_default(),
            (Some(expected), Some(c)) => expected == c,
            _ => false,
        };
        *work += 1 + pattern.as_str().len() - after.as_str().len();
        if goes_on {
            (pattern, name) = (after, rest);
            continue;
        }
        let Some((star, from)) = &mut retry else { return false };
        if from.next().is_none() {
            return false;
        }
        (pattern, name) = (star.clone(), from.clone());
    }
}
