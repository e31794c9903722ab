//! Numbers as Go's `fmt` lays them out.
//!
//! Source of the behaviour: `golang/go:src/fmt/format.go`.

use crate::text::{push_general_number, quote};

use super::format::{Flags, in_ascii, pad};

/// More digits than a double has behind its point; what follows is zeros, and Rust formats no more than 65,535 of them.
const MOST_DIGITS: usize = 1_100;

/// The zeros behind all digits that a double has.
fn zeros(precision: usize) -> String {
    "0".repeat(precision.saturating_sub(MOST_DIGITS))
}

pub(super) fn integer(number: i128, verb: char, flags: &Flags, is_byte: bool) -> Option<Vec<u8>> {
    let magnitude = number.unsigned_abs();
    let (digits, prefix) = match verb {
        'v' if flags.sharp_value && is_byte => (format!("{magnitude:x}"), "0x"),
        'v' | 'd' => (magnitude.to_string(), ""),
        'b' => (format!("{magnitude:b}"), if flags.sharp { "0b" } else { "" }),
        'o' => (format!("{magnitude:o}"), if flags.sharp && number != 0 { "0" } else { "" }),
        'O' => (format!("{magnitude:o}"), if flags.sharp { "0o0" } else { "0o" }),
        'x' => (format!("{magnitude:x}"), if flags.sharp { "0x" } else { "" }),
        'X' => (format!("{magnitude:X}"), if flags.sharp { "0X" } else { "" }),
        'c' | 'q' | 'U' => return character(number, verb, flags),
        _ => return None,
    };
    let sign = match number {
        ..0 => "-",
        _ if flags.plus => "+",
        _ if flags.space => " ",
        _ => "",
    };
    if flags.precision == Some(0) && number == 0 {
        return Some(vec![b' '; flags.width.unwrap_or_default()]);
    }
    let mut least = flags.precision.unwrap_or_default();
    if flags.precision.is_none() && flags.zero && !flags.minus && flags.width.is_some() {
        // The sign counts, the prefix does not.
        least = flags.width.unwrap_or_default().saturating_sub(sign.len());
    }
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    let text = format!("{sign}{prefix}{zeros}{digits}");
    Some(pad(text.into_bytes(), &Flags { zero: false, ..flags.clone() }, false))
}

fn character(number: i128, verb: char, flags: &Flags) -> Option<Vec<u8>> {
    let c = u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
    let text = match verb {
        'c' => c.to_string(),
        'q' => match c {
            '\'' => "'\\''".to_owned(),
            '"' => "'\"'".to_owned(),
            c => {
                let shown = format!("'{}'", quote(&c.to_string()).trim_matches('"'));
                if flags.plus { in_ascii(&shown) } else { shown }
            }
        },
        _ => {
            let width = flags.precision.filter(|precision| *precision > 4).unwrap_or(4);
            let shown =
                if flags.sharp && crate::text::is_print(c) { format!(" '{c}'") } else { String::new() };
            let digits = format!("{:X}", number as u64);
            format!("U+{}{digits}{shown}", "0".repeat(width.saturating_sub(digits.len())))
        }
    };
    Some(pad(text.into_bytes(), &Flags { zero: flags.zero && verb != 'U', ..flags.clone() }, false))
}

pub(super) fn float(number: f64, verb: char, flags: &Flags) -> Option<Vec<u8>> {
    let magnitude = number.abs();
    let scientific = |precision: Option<usize>| {
        let text = match precision {
            Some(precision) => format!("{magnitude:.*e}", precision.min(MOST_DIGITS)),
            None => format!("{magnitude:e}"),
        };
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = format!("{digits}{}", zeros(precision.unwrap_or_default()));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
        format!("{digits}e{sign}{exponent:0>2}")
    };
    let text = match verb {
        'v' | 'g' | 'G' => match flags.precision {
            None => {
                let mut text = String::new();
                push_general_number(&mut text, magnitude);
                text
            }
            Some(precision) => general(magnitude, precision.max(1)),
        },
        'e' | 'E' => scientific(Some(flags.precision.unwrap_or(6))),
        'f' | 'F' => {
            let precision = flags.precision.unwrap_or(6);
            format!("{magnitude:.*}{}", precision.min(MOST_DIGITS), zeros(precision))
        }
        _ => return None,
    };
    let text = match (flags.sharp, verb) {
        (false, _) => text,
        (true, 'g' | 'G' | 'v') => with_point(&text, flags.precision.unwrap_or(6)),
        (true, _) => with_point(&text, 0),
    };
    let text = if verb.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text };
    let sign = match () {
        () if number.is_sign_negative() => "-",
        () if flags.plus => "+",
        () if flags.space => " ",
        () => "",
    };
    Some(pad(format!("{sign}{text}").into_bytes(), flags, true))
}

/// A number with a point, and with zeros up to a number of digits, as the flag `#` asks.
fn with_point(text: &str, digits: usize) -> String {
    let (mantissa, exponent) = text.find('e').map_or((text, ""), |at| text.split_at(at));
    let significant =
        mantissa.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count().max(1);
    let point = if mantissa.contains('.') { "" } else { "." };
    format!("{mantissa}{point}{}{exponent}", "0".repeat(digits.saturating_sub(significant)))
}

/// `%g` with that many digits.
fn general(magnitude: f64, digits: usize) -> String {
    // Zeros at the end are cut off below.
    let text = format!("{magnitude:.*e}", (digits - 1).min(MOST_DIGITS));
    let exponent: i32 =
        text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default();
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if exponent < -4 || exponent >= digits as i32 {
        let mantissa = trimmed(text.split('e').next().unwrap_or_default());
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let places = usize::try_from(digits as i32 - 1 - exponent).unwrap_or_default();
    trimmed(&format!("{magnitude:.*}", places.min(MOST_DIGITS)))
}
