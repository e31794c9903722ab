//! The textual half of the blang grammar: splitting a range into tokens and expanding wildcards.
//!
//! Both work on text and know nothing of versions; the oddities here are the reference's and decide what a
//! range means. Source of the behaviour: `blang/semver:range.go`, version 4.0.0.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::RangeError;

/// What a range text consists of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens<'t> {
    /// The tokens that count, without spaces.
    pub(super) kept: Vec<Cow<'t, str>>,
    /// The tokens of one character, which the reference silently drops.
    pub(super) dropped: Vec<&'t str>,
}

impl<'t> Tokens<'t> {
    /// The tokens of each alternative.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Cow<'t, str>]> {
        self.kept.split(|token| token == "||")
    }
}

/// Splits at spaces, except at those that follow `>`, `<` or `=`. Tabs, line ends and commas separate nothing.
pub(super) fn tokenize<'t>(text: &'t str) -> Tokens<'t> {
    let mut tokens = Tokens::default();
    let mut start = 0;
    let mut last_byte = b' ';
    let mut add = |token: &'t str| {
        // The length counts bytes, and spaces that are removed only afterwards: `> ` is kept, as `>`.
        match token.len() {
            0 => {}
            1 => tokens.dropped.push(token),
            _ if token.contains(' ') => tokens.kept.push(token.replace(' ', "").into()),
            _ => tokens.kept.push(token.into()),
        }
    };
    for (index, byte) in text.bytes().enumerate() {
        if byte != b' ' {
            last_byte = byte;
        } else if !matches!(last_byte, b'>' | b'<' | b'=') {
            add(text.get(start..index).unwrap_or_default());
            start = index + 1;
        }
    }
    add(text.get(start..).unwrap_or_default());
    tokens
}

/// Splits a token before its first digit, in any script as in the reference. `None` without a digit.
pub(super) fn split_operator(token: &str) -> Option<(&str, &str)> {
    let index = token.find(is_decimal_digit)?;
    let (operator, version) = token.split_at(index);
    Some((operator.trim(), version))
}

fn is_decimal_digit(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_digit()
    } else {
        get_general_category(character) == GeneralCategory::DecimalNumber
    }
}

/// Replaces a token by what it expands to: one or two tokens for a token with an `x` anywhere, otherwise itself.
///
/// # Errors
///
/// A token with an `x` and without a digit.
pub(super) fn expand_wildcard<'t>(
    token: &'t str,
    expanded: &mut Vec<Cow<'t, str>>,
) -> Result<(), RangeError> {
    if !token.contains('x') {
        expanded.push(token.into());
        return Ok(());
    }
    let (operator, version) = split_operator(token).ok_or_else(|| RangeError::NoVersion(token.to_owned()))?;
    let flat = flatten(version);
    let next = || step(version, &flat);
    match operator {
        ">" => expanded.push(format!(">={}", next()).into()),
        ">=" => expanded.push(format!(">={flat}").into()),
        "<" => expanded.push(format!("<{flat}").into()),
        "<=" => expanded.push(format!("<{}", next()).into()),
        "" | "=" | "==" => expanded.extend([format!(">={flat}").into(), format!("<{}", next()).into()]),
        "!=" | "!" => expanded.extend([format!("<{flat}").into(), format!(">={}", next()).into()]),
        // An operator that is unknown here gets lost together with the wildcard: `~1.x` means `1.0.0`.
        _ => expanded.push(flat.clone().into()),
    }
    Ok(())
}

/// `1.2.x` to `1.2.0`; `1.x` and `1.x.x` to `1.0.0`. Touches the first `.x` wherever it is, also in a prerelease.
fn flatten(version: &str) -> String {
    let mut flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if flat.split('.').count() == 2 {
        flat.push_str(".0");
    }
    flat
}

/// The version after all that a wildcard covers: a minor step when the wildcard is the third part, a major step
/// when it is the second. Empty text, which no longer parses, in all other cases.
fn step(version: &str, flat: &str) -> String {
    let index = match version.rsplit_once('.') {
        Some((before, "x")) => match before.split('.').count() {
            1 => 0,
            2 => 1,
            _ => return String::new(),
        },
        _ => return String::new(),
    };
    let mut parts: Vec<String> = flat.split('.').map(str::to_owned).collect();
    // Like Go's `Atoi`: signed, and wrapping at the end, which gives a text that fails to parse later.
    match parts.get_mut(index).map(|part| (part.parse::<i64>(), part)) {
        Some((Ok(number), part)) => *part = number.wrapping_add(1).to_string(),
        _ => return String::new(),
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(token: &str) -> String {
        let mut expanded = Vec::new();
        match expand_wildcard(token, &mut expanded) {
            Ok(()) => expanded.join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn tokens_split_at_some_spaces() {
        for (text, kept, dropped) in [
            ("", "", ""),
            ("   ", "", ""),
            ("1.2.3", "1.2.3", ""),
            ("  >=1.0.0   <2.0.0  ", ">=1.0.0 <2.0.0", ""),
            (">= 1.0.0 <  2.0.0", ">=1.0.0 <2.0.0", ""),
            ("! 1.2.3", "1.2.3", "!"),
            (">=1.0.0 5", ">=1.0.0", "5"),
            ("1.0.0 | 2.0.0", "1.0.0 2.0.0", "|"),
            ("> ", ">", ""),
            (">", "", ">"),
            ("1.2.3 || 1.2.4", "1.2.3 || 1.2.4", ""),
            ("1.2.3\t1.2.4", "1.2.3\t1.2.4", ""),
            ("é x", "é", "x"),
        ] {
            let tokens = tokenize(text);
            assert_eq!(
                (tokens.kept.join(" ").as_str(), tokens.dropped.join(" ").as_str()),
                (kept, dropped),
                "{text}"
            );
        }
    }

    #[test]
    fn wildcards_expand() {
        for (token, expanded) in [
            ("1.2.3", "1.2.3"),
            ("1.2.x", ">=1.2.0 <1.3.0"),
            ("==1.x", ">=1.0.0 <2.0.0"),
            ("1.x.x", ">=1.0.0 <1.1.0"),
            (">1.2.x", ">=1.3.0"),
            (">=1.2.x", ">=1.2.0"),
            ("<1.x", "<1.0.0"),
            ("<=1.x", "<2.0.0"),
            ("!1.2.x", "<1.2.0 >=1.3.0"),
            ("~1.x", "1.0.0"),
            (">1.05.x", ">=1.6.0"),
            ("<=1.-1.x", "<1.0.0"),
            ("1.x.3", ">=1.0.3 <"),
            ("1.x.x.x", ">=1.0.x <"),
            (">9223372036854775807.x", ">=-9223372036854775808.0.0"),
            (">9223372036854775808.x", ">="),
            (">=1.0.0-next.1", ">=1.0.0-next.1"),
            (">=1.0.0-a.x", ">=1.0.0-a.0"),
            (">1.0.0-next.1", ">="),
            ("1x", ">=1x <"),
            ("latest-x", "Could not get version from string: \"latest-x\""),
        ] {
            assert_eq!(expand(token), expanded, "{token}");
        }
    }

    #[test]
    fn digits_of_any_script_end_the_operator() {
        assert_eq!(split_operator(">=１.0.0"), Some((">=", "１.0.0")));
        assert_eq!(split_operator("\t>= ²"), None);
        assert_eq!(split_operator("\u{a0}!\n1"), Some(("!", "1")));
    }
}
