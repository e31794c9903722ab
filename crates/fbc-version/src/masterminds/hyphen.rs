//! Hyphen ranges: `1.2 - 1.4.5` is rewritten to `>= 1.2, <= 1.4.5 ` before anything else is looked at.
//!
//! Works on text only, since the reference does, and refusals quote the rewritten text. Source of the behaviour:
//! `Masterminds/semver:constraints.go`, function `rewriteRange`.

use std::borrow::Cow;

use super::lexer::{Cursor, is_segment_byte, is_space};
use crate::version::is_identifier_byte;

/// Rewrites all hyphen ranges, from left to right.
///
/// In a chain such as `0 - 1 - 2, 1 - 2` the reference can rewrite another place than the one it found. Such
/// a text is refused either way, since a lone hyphen remains, but what the refusal quotes may differ.
pub(super) fn rewrite(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_space_at = |index: usize| bytes.get(index).copied().is_some_and(is_space);
    let mut rewritten = String::new();
    // Everything before this place is rewritten already.
    let mut done = 0;
    for (hyphen, _) in text.match_indices('-') {
        if hyphen <= done || !is_space_at(hyphen - 1) || !is_space_at(hyphen + 1) {
            continue;
        }
        let before = bytes.get(done..hyphen).unwrap_or_default();
        let left_end = done + length_without_trailing(before, is_space);
        let left = bytes.get(done..left_end).unwrap_or_default();
        let token_start = done + length_without_trailing(left, |byte| !is_space(byte));
        let Some(offset) = leftmost_version(bytes.get(token_start..left_end).unwrap_or_default()) else {
            continue;
        };
        let mut cursor = Cursor::at(text, hyphen + 1);
        cursor.take_space();
        let Some(upper) = cursor.take_version() else {
            continue;
        };
        cursor.take_space();
        let lower_start = token_start + offset;
        // White space before the first version belongs to what is replaced, unless other text is in between.
        let kept = bytes.get(done..lower_start).unwrap_or_default();
        let kept_end = done + length_without_trailing(kept, is_space);
        rewritten.push_str(text.get(done..kept_end).unwrap_or_default());
        rewritten.push_str(">= ");
        rewritten.push_str(text.get(lower_start..left_end).unwrap_or_default());
        rewritten.push_str(", <= ");
        rewritten.push_str(upper.whole);
        rewritten.push(' ');
        done = cursor.position();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    rewritten.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(rewritten)
}

fn length_without_trailing(bytes: &[u8], unwanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().rposition(|&byte| !unwanted(byte)).map_or(0, |last| last + 1)
}

/// The first place in a token from which a version reaches to the token's end.
///
/// Takes linear time: which suffixes can follow the numbers is worked out once, and a place is only tried at the
/// start of a run of digits and wildcards, because a later place in the same run ends at the same suffix.
fn leftmost_version(token: &[u8]) -> Option<usize> {
    let suffixes = Suffixes::of(token);
    let run_end =
        |from: usize| from + token.iter().skip(from).take_while(|&&byte| is_segment_byte(byte)).count();
    let mut start = 0;
    while start < token.len() {
        let is_prefixed = token.get(start) == Some(&b'v');
        let run_start = start + usize::from(is_prefixed);
        let first_end = run_end(run_start);
        if first_end == run_start {
            start += 1;
            continue;
        }
        let mut end = first_end;
        for _ in 0..2 {
            if token.get(end) != Some(&b'.') {
                break;
            }
            let next = run_end(end + 1);
            if next == end + 1 {
                break;
            }
            end = next;
        }
        if suffixes.can_start_at(end) {
            return Some(start);
        }
        start = first_end;
    }
    None
}

/// Where prerelease and build metadata may begin in a token, so that they reach to its end.
struct Suffixes<'a> {
    token: &'a [u8],
    /// The last plus sign. Build metadata can only begin there, because it cannot contain another one.
    plus: Option<usize>,
    /// From where on everything before the plus sign, or the end, is identifiers.
    identifiers_before_plus: usize,
    /// From where on everything before the end is identifiers.
    identifiers_before_end: usize,
}

impl<'a> Suffixes<'a> {
    fn of(token: &'a [u8]) -> Self {
        let plus = token.iter().rposition(|&byte| byte == b'+');
        Self {
            token,
            plus,
            identifiers_before_plus: identifiers_start(
                token.get(..plus.unwrap_or(token.len())).unwrap_or_default(),
            ),
            identifiers_before_end: identifiers_start(token),
        }
    }

    fn can_start_at(&self, index: usize) -> bool {
        let length = self.token.len();
        let is_build = |from: usize| self.are_identifiers(from, self.identifiers_before_end, length);
        match self.token.get(index) {
            None => index == length,
            Some(b'+') => self.plus == Some(index) && is_build(index + 1),
            Some(b'-') => match self.plus {
                Some(plus) if index < plus => {
                    self.are_identifiers(index + 1, self.identifiers_before_plus, plus) && is_build(plus + 1)
                }
                _ => is_build(index + 1),
            },
            Some(_) => false,
        }
    }

    fn are_identifiers(&self, from: usize, possible_from: usize, end: usize) -> bool {
        from < end && from >= possible_from && self.token.get(from) != Some(&b'.')
    }
}

/// From where on all of `bytes` is identifiers with single dots between them.
fn identifiers_start(bytes: &[u8]) -> usize {
    let mut follower = b'.';
    for (index, &byte) in bytes.iter().enumerate().rev() {
        let fits = is_identifier_byte(byte) || (byte == b'.' && follower != b'.');
        if !fits {
            return index + 1;
        }
        follower = byte;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphen_ranges_are_rewritten() {
        for (text, rewritten) in [
            ("1.2 - 1.4.5", ">= 1.2, <= 1.4.5 "),
            ("  1 -  2  ", ">= 1, <= 2 "),
            ("0.2 - 1.2 || 2.3 - 3", ">= 0.2, <= 1.2 ||>= 2.3, <= 3 "),
            (">=1.0.0 - 2.0.0", ">=>= 1.0.0, <= 2.0.0 "),
            ("1.2.3 -2.3.4", "1.2.3 -2.3.4"),
            ("1.2.3- 2.3.4", "1.2.3- 2.3.4"),
            ("1.2.3 - ", "1.2.3 - "),
            (" - 1.2.3", " - 1.2.3"),
            ("- 1", "- 1"),
            ("1 - 2 - 3", ">= 1, <= 2 - 3"),
            ("1.2.3.4 - 5", "1.>= 2.3.4, <= 5 "),
            ("1.0.0,2 - 3", "1.0.0,>= 2, <= 3 "),
            ("1||2 - 3", ">= 1||2, <= 3 "),
            ("1-a.b+c.d - 2-a..b", ">= 1-a.b+c.d, <= 2-a ..b"),
            ("1-a+b+c - 2", "1-a+b+c - 2"),
            ("1+b+0 - 2", "1+b+>= 0, <= 2 "),
            ("1-a. - 2", "1-a. - 2"),
            ("vv1 - v2", "v>= v1, <= v2 "),
            ("1\t-\n2", ">= 1, <= 2 "),
            ("é1 - 2", "é>= 1, <= 2 "),
            ("1 - é", "1 - é"),
        ] {
            assert_eq!(rewrite(text), rewritten, "{text}");
        }
    }
}
