//! What the API server admits as `spec.source.catalog.version` of a ClusterExtension, before any parsing.
//!
//! The rule is a regular expression in the custom resource definition, with slips of the pen (a stray `]` in some
//! alternatives) that decide which wildcards are usable where. Matched by hand: the expression is deterministic
//! from left to right, and a matcher of one page needs no dependency.

use super::lexer::Cursor;

/// The greatest length that is admitted, in characters.
pub const MAXIMUM_ADMITTED_LENGTH: usize = 64;

/// One number or wildcard of a version, as the expression tells them apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Segment {
    /// A number without leading zeros, `x` or `X`: fits everywhere.
    Plain,
    /// A `*` that is not followed by `]`.
    Star,
    /// The two characters `*]`.
    StarBracket,
    /// A `|`, by accident a wildcard at the very start.
    Bar,
}

/// Whether the API server admits a constraint.
///
/// Source of the behaviour: the validation rule of `spec.source.catalog.version` in the ClusterExtension
/// custom resource definition of operator-controller.
#[must_use]
pub fn admitted(text: &str) -> bool {
    // The expression admits ASCII only, so bytes are characters here.
    if text.len() > MAXIMUM_ADMITTED_LENGTH {
        return false;
    }
    let mut cursor = Cursor::new(text);
    cursor.take_space();
    let mut is_first = true;
    loop {
        if cursor.take_operator().is_none() || !take_version(&mut cursor, is_first) {
            return false;
        }
        is_first = false;
        let mut is_separated = cursor.take_space();
        if cursor.is_at_end() {
            return true;
        }
        if cursor.take(",") || cursor.take("||") {
            is_separated = true;
            cursor.take_space();
        }
        if !is_separated {
            return false;
        }
    }
}

fn take_version(cursor: &mut Cursor<'_>, is_first: bool) -> bool {
    // Which wildcards the stray brackets leave usable: as first, second and third segment.
    let (as_major, as_minor, as_patch) = if is_first {
        (&[Segment::Star, Segment::Bar][..], Segment::StarBracket, Segment::Star)
    } else {
        (&[Segment::StarBracket][..], Segment::Star, Segment::StarBracket)
    };
    let fits = |segment: Segment, wildcard: Segment| segment == Segment::Plain || segment == wildcard;

    cursor.take("v");
    let Some(major) = take_segment(cursor) else {
        return false;
    };
    if major != Segment::Plain && !as_major.contains(&major) {
        return false;
    }
    let mut segments = Vec::with_capacity(2);
    while segments.len() < 2 && cursor.take(".") {
        match take_segment(cursor) {
            Some(segment) => segments.push(segment),
            None => return false,
        }
    }
    let is_usable = match segments[..] {
        [] => true,
        // A single segment may count as second or as third one.
        [one] => fits(one, as_minor) || fits(one, as_patch),
        [minor, patch] => fits(minor, as_minor) && fits(patch, as_patch),
        _ => false,
    };
    cursor.take_suffixes();
    is_usable
}

fn take_segment(cursor: &mut Cursor<'_>) -> Option<Segment> {
    match cursor.peek()? {
        b'0' => {
            cursor.take("0");
            Some(Segment::Plain)
        }
        b'1'..=b'9' => {
            cursor.take_while(|byte| byte.is_ascii_digit());
            Some(Segment::Plain)
        }
        b'x' | b'X' => {
            let _ = cursor.take("x") || cursor.take("X");
            Some(Segment::Plain)
        }
        b'*' => {
            cursor.take("*");
            Some(if cursor.take("]") { Segment::StarBracket } else { Segment::Star })
        }
        b'|' => {
            cursor.take("|");
            Some(Segment::Bar)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_admitted() {
        for (text, is_admitted) in [
            ("1.*", true),
            ("1.2.*", true),
            ("*", true),
            ("x", true),
            ("1.x.x", true),
            ("1.*]", true),
            ("1.*].*", true),
            ("|", true),
            ("|||1.0.0", true),
            ("1.*.*", false),
            ("1.*.2", false),
            ("^0 || *", false),
            ("^0 || *]", true),
            ("^0 || 1.*", true),
            (">=1.0.0, <1.2.*", false),
            (">=1.0.0, <1.2.*]", true),
            ("1.2 - 1.4.5", false),
            ("01.2.3", false),
            ("1.02.3", false),
            (">=1.0.0-01", true),
            ("", false),
            (" ", false),
            ("1.0.0,", false),
            ("1.0.0 ||", false),
            ("||1.0.0", false),
            ("1.0.0 2.0.0", true),
            ("1.0.0 ,\t2.0.0||3.0.0", true),
            ("==1", false),
            ("1.0.0-a..b", false),
            ("1.0.0-rc.1+b.2", true),
            ("V1", false),
            ("1.2.3.4", false),
            ("é", false),
        ] {
            assert_eq!(admitted(text), is_admitted, "{text}");
        }
    }

    #[test]
    fn length_counts() {
        let text = format!("1.0.0+{}", "a".repeat(58));
        assert_eq!(text.len(), MAXIMUM_ADMITTED_LENGTH);
        assert!(admitted(&text));
        assert!(!admitted(&format!("{text}a")));
    }
}
