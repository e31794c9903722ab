//! Text as Go writes it: quoted strings (`%q`) and floating point numbers.
//!
//! The messages and the canonical JSON of the reference are made by Go's `strconv`, so these
//! forms decide bytes that people compare. Nothing here reads input.

use std::fmt::Write as _;

use unicode_general_category::{GeneralCategory, get_general_category};

/// The widest column of a table that people read. One long name would be as many blanks in each other line.
const WIDEST: usize = 1_000;

/// A text filled up with blanks to a width, in characters; wider columns are not aligned. Widths in format strings, which
/// panic beyond 65,535, are for constants.
///
/// ```
/// assert_eq!(fbc_go::text::padded("é", 3), "é  ");
/// assert_eq!(fbc_go::text::padded("ab", 1 << 40).len(), 1_000);
/// ```
#[must_use]
pub fn padded(text: &str, width: usize) -> String {
    let missing = width.min(WIDEST).saturating_sub(text.chars().count());
    let mut padded = text.to_owned();
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

/// Writes `text` as Go's `strconv.Quote` (`%q`) does: double quotes, short escapes, `\x..` for
/// other ASCII controls, `\u....`/`\U........` for what Go does not count as printable.
///
/// ```
/// assert_eq!(fbc_go::text::quote("a\"b\n\u{200b}"), r#""a\"b\n\u200b""#);
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            c if is_print(c) => out.push(c),
            c if (c as u32) < 0x80 => push_hex(&mut out, 'x', 2, c),
            c if (c as u32) < 0x1_0000 => push_hex(&mut out, 'u', 4, c),
            c => push_hex(&mut out, 'U', 8, c),
        }
    }
    out.push('"');
    out
}

fn push_hex(out: &mut String, kind: char, width: usize, c: char) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\\{kind}{:0width$x}", c as u32);
}

/// Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space.
#[must_use]
pub fn is_print(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    !matches!(
        get_general_category(c),
        G::Control
            | G::Format
            | G::Surrogate
            | G::PrivateUse
            | G::Unassigned
            | G::SpaceSeparator
            | G::LineSeparator
            | G::ParagraphSeparator
    )
}

/// Letters and digits of any script, and `_`: what names consist of.
#[must_use]
pub fn is_word(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        get_general_category(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
    )
}

/// Appends a finite number as Go's `encoding/json` writes a float64: shortest digits, an exponent
/// below 1e-6 and from 1e21 on, without padding of the exponent.
pub fn push_json_number(out: &mut String, number: f64) {
    let magnitude = number.abs();
    // Writing to a String cannot fail.
    if number.fract() == 0.0 && magnitude < 1e15 && !(number == 0.0 && number.is_sign_negative()) {
        let _ = write!(out, "{}", number as i64);
    } else if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let text = format!("{number:e}");
        match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                let _ = write!(out, "{digits}e+{exponent}");
            }
            _ => out.push_str(&text),
        }
    } else {
        let _ = write!(out, "{number}");
    }
}

/// Appends a number as Go's `%g` with the shortest digits (`strconv.FormatFloat(n, 'g', -1, 64)`):
/// an exponent, of at least two digits, when the decimal exponent is below -4 or above 5.
pub fn push_general_number(out: &mut String, number: f64) {
    push_general(out, number, &format!("{number:e}"), &format!("{number}"));
}

/// As [`push_general_number`], rounded to a float32 first (`FormatFloat(n, 'g', -1, 32)`): the form
/// that the reference gives to mapping keys that are floats.
pub fn push_general_number_32(out: &mut String, number: f64) {
    let number = number as f32;
    push_general(out, number.into(), &format!("{number:e}"), &format!("{number}"));
}

fn push_general(out: &mut String, number: f64, scientific: &str, positional: &str) {
    if !number.is_finite() {
        return out.push_str(match number {
            f64::INFINITY => "+Inf",
            f64::NEG_INFINITY => "-Inf",
            _ => "NaN",
        });
    }
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if (-4..6).contains(&exponent) {
        out.push_str(positional);
        return;
    }
    let digits = scientific.split('e').next().unwrap_or(scientific);
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "{digits}e{sign}{:02}", exponent.abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_like_go() {
        for (text, quoted) in [
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("\u{7f}\u{1}", r#""\x7f\x01""#),
            ("\u{a0}é\u{301}", r#""\u00a0é"#),
            ("\u{feff}😀\u{e000}\u{10ffff}", r#""\ufeff😀\ue000\U0010ffff""#),
        ] {
            assert!(quote(text).starts_with(quoted), "{} {quoted}", quote(text));
        }
    }

    #[test]
    fn json_numbers_like_go() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (100.0, "100"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (12345678901234567890.0, "12345678901234567000"),
            (9007199254740993.0, "9007199254740992"),
            (5e-324, "5e-324"),
        ] {
            let mut out = String::new();
            push_json_number(&mut out, number);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn general_numbers_like_go() {
        for (number, text) in [
            (123456.5, "123456.5"),
            (1234567.5, "1.2345675e+06"),
            (0.00012345, "0.00012345"),
            (0.000012345, "1.2345e-05"),
            (1e20, "1e+20"),
            (1e300, "1e+300"),
            (-0.5, "-0.5"),
        ] {
            let mut out = String::new();
            push_general_number(&mut out, number);
            assert_eq!(out, text);
        }
        let mut out = String::new();
        for (number, text) in
            [(f64::INFINITY, "+Inf"), (f64::NEG_INFINITY, "-Inf"), (f64::NAN, "NaN"), (1e39, "+Inf")]
        {
            let mut out = String::new();
            push_general_number_32(&mut out, number);
            assert_eq!(out, text);
        }
        push_general_number_32(&mut out, 0.1);
        assert_eq!(out, "0.1");
    }
}
