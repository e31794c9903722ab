//! What a YAML scalar means: the YAML 1.1 resolution rules of go-yaml v2.
//!
//! Source of the behaviour: `go-yaml/yaml:resolve.go` (branch v2) and `sigs.k8s.io/yaml`, which
//! turns the result into JSON. Only scalars live here; documents are read elsewhere.

/// The meaning of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    Float(f64),
    /// The text itself.
    Text,
    /// `<<`: merges a mapping when it is a key, the text `<<` otherwise.
    Merge,
}

/// Resolves an untagged plain scalar.
pub(crate) fn resolve_plain(text: &str) -> Scalar {
    let Some(&first) = text.as_bytes().first() else { return Scalar::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => resolve_word(text),
        b'<' if text == "<<" => Scalar::Merge,
        b'.' => resolve_dotted(text),
        b'0'..=b'9' | b'+' | b'-' => resolve_number(text),
        _ => Scalar::Text,
    }
}

fn resolve_word(text: &str) -> Scalar {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => Scalar::Text,
    }
}

fn resolve_dotted(text: &str) -> Scalar {
    match text {
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" => Scalar::Float(f64::INFINITY),
        // Here go-yaml leaves the underscores to Go's parser, which wants digits on both sides.
        _ if text.contains('_') => match without_underscores(text) {
            Some(plain) if is_decimal_float(&plain) => finite(&plain),
            _ => Scalar::Text,
        },
        _ if is_decimal_float(text) => finite(text),
        _ => Scalar::Text,
    }
}

/// The text without underscores, if each stands between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let between_digits = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'_').all(|(at, _)| {
        let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))
    });
    between_digits.then(|| text.replace('_', ""))
}

fn resolve_number(text: &str) -> Scalar {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    // A number has no other bytes than these; this sorts out versions, dates and image digests.
    if !text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_')) {
        return Scalar::Text;
    }
    let without_underscores;
    let plain = if text.contains('_') {
        without_underscores = text.replace('_', "");
        without_underscores.as_str()
    } else {
        text
    };
    if let Some(scalar) = parse_integer(plain) {
        return scalar;
    }
    if is_decimal_float(plain) {
        return finite(plain);
    }
    // go-yaml tries binary once more by hand, which lets a sign in after the prefix.
    if let Some(digits) = plain.strip_prefix("0b") {
        let (negative, digits) = split_sign(digits);
        return integer(negative, digits, 2).unwrap_or(Scalar::Text);
    }
    Scalar::Text
}

/// Go's `strconv.ParseInt(text, 0, 64)`, then `ParseUint`: the prefix decides the base.
fn parse_integer(text: &str) -> Option<Scalar> {
    let signed = text.starts_with(['+', '-']);
    let (negative, digits) = split_sign(text);
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    match integer(negative, digits, base)? {
        // ParseUint takes no sign.
        Scalar::Uint(_) if signed => None,
        scalar => Some(scalar),
    }
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    }
}

fn integer(negative: bool, digits: &str, base: u32) -> Option<Scalar> {
    // Rust's parser would take a second sign.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, base).ok()?;
    if negative {
        0_i64.checked_sub_unsigned(magnitude).map(Scalar::Int)
    } else {
        Some(i64::try_from(magnitude).map_or(Scalar::Uint(magnitude), Scalar::Int))
    }
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`
fn is_decimal_float(text: &str) -> bool {
    let (_, rest) = split_sign(text);
    let rest = rest.as_bytes();
    let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(rest);
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let [b'.', fraction @ ..] = rest {
        let length = digits(fraction);
        if whole == 0 && length == 0 {
            return false;
        }
        rest = fraction.get(length..).unwrap_or_default();
    } else if whole == 0 {
        return false;
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && exponent.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// A decimal float; out of the range of a double it stays text.
fn finite(text: &str) -> Scalar {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Scalar::Float(number),
        _ => Scalar::Text,
    }
}

/// Why a tagged scalar cannot be read; the text is go-yaml's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot decode !!{found} `{text}` as a !!{tag}")]
pub(crate) struct TagError {
    found: &'static str,
    text: String,
    tag: String,
}

const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// Resolves a scalar with an explicit tag. `!!binary` is decoded by the caller.
pub(crate) fn resolve_tagged(tag: &str, text: &str) -> Result<Scalar, TagError> {
    let Some(short) = tag.strip_prefix(TAG_PREFIX) else { return Ok(Scalar::Text) };
    match short {
        "str" => return Ok(Scalar::Text),
        "bool" | "int" | "float" | "null" | "timestamp" => {}
        _ => return Ok(Scalar::Text),
    }
    if short == "timestamp" && looks_like_timestamp(text) {
        return Ok(Scalar::Text);
    }
    let scalar = resolve_plain(text);
    let found = match scalar {
        Scalar::Null => "null",
        Scalar::Bool(_) => "bool",
        Scalar::Int(number) if short == "float" => return Ok(Scalar::Float(number as f64)),
        Scalar::Int(_) | Scalar::Uint(_) => "int",
        Scalar::Float(_) => "float",
        Scalar::Text => "str",
        Scalar::Merge => "merge",
    };
    match found == short {
        true => Ok(scalar),
        false => Err(TagError { found, text: text.to_owned(), tag: short.to_owned() }),
    }
}

/// Whether go-yaml reads the text as a timestamp: a date, or a date and a time of day.
pub(crate) fn looks_like_timestamp(text: &str) -> bool {
    let Some((date, time)) = split_date(text) else { return false };
    match time.as_bytes() {
        [] => date,
        [b'T' | b't', ..] => date && is_time(time.get(1..).unwrap_or_default(), true),
        [b' ', ..] => date && is_time(time.trim_start_matches(' '), false),
        _ => false,
    }
}

/// Splits `YYYY-M-D` off; the flag says whether month and day exist in that year.
fn split_date(text: &str) -> Option<(bool, &str)> {
    let (year, rest) = number(text, 4, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 1, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 1, 2)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    Some(((1..=days).contains(&day), rest))
}

fn is_time(text: &str, with_zone: bool) -> bool {
    let parsed = (|| {
        let (hour, rest) = number(text, 1, 2)?;
        let (minute, rest) = number(rest.strip_prefix(':')?, 1, 2)?;
        let (second, rest) = number(rest.strip_prefix(':')?, 1, 2)?;
        let rest = match rest.strip_prefix(['.', ',']) {
            Some(fraction) => number(fraction, 1, usize::MAX)?.1,
            None => rest,
        };
        let zone = match rest.as_bytes() {
            [] => !with_zone,
            [b'Z'] => with_zone,
            [b'+' | b'-', ..] if with_zone => {
                let (hours, rest) = number(rest.get(1..)?, 2, 2)?;
                let (minutes, rest) = number(rest.strip_prefix(':')?, 2, 2)?;
                hours <= 24 && minutes <= 60 && rest.is_empty()
            }
            _ => false,
        };
        Some(hour < 24 && minute < 60 && second < 60 && zone)
    })();
    parsed.unwrap_or(false)
}

/// A run of digits of a length in the given range (greedy), as a number that saturates.
fn number(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count().min(most);
    if length < least {
        return None;
    }
    let (digits, rest) = text.split_at(length);
    Some((digits.parse().unwrap_or(u32::MAX), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_as_go_yaml_v2() {
        use Scalar::*;
        for (text, scalar) in [
            ("", Null),
            ("~", Null),
            ("NULL", Null),
            ("nULL", Text),
            ("y", Bool(true)),
            ("yEs", Text),
            ("Off", Bool(false)),
            ("<<", Merge),
            ("017", Int(15)),
            ("0o17", Int(15)),
            ("0x1F", Int(31)),
            ("-0x1F", Int(-31)),
            ("0b11", Int(3)),
            ("-0b11", Int(-3)),
            ("0b-11", Int(-3)),
            ("1_000", Int(1000)),
            ("08", Float(8.0)),
            ("+1", Int(1)),
            ("-", Text),
            ("--1", Text),
            ("0x", Text),
            ("18446744073709551615", Uint(u64::MAX)),
            ("+18446744073709551615", Float(18446744073709551615.0)),
            ("18446744073709551616", Float(18446744073709551616.0)),
            ("-9223372036854775808", Int(i64::MIN)),
            ("1.", Float(1.0)),
            (".5", Float(0.5)),
            ("+.5", Float(0.5)),
            ("1.e3", Float(1000.0)),
            ("1_000.5", Float(1000.5)),
            ("1e400", Text),
            ("e3", Text),
            ("1e", Text),
            ("1e+", Text),
            (".", Text),
            (".e3", Text),
            (".5_0", Float(0.5)),
            ("._5", Text),
            ("1.2.3", Text),
            ("190:20:30", Text),
            ("2001-01-01", Text),
            ("sha256:0", Text),
        ] {
            assert_eq!(resolve_plain(text), scalar, "{text}");
        }
        assert!(matches!(resolve_plain(".nan"), Float(n) if n.is_nan()));
        assert_eq!(resolve_plain("-.Inf"), Float(f64::NEG_INFINITY));
    }

    #[test]
    fn tagged_scalars() {
        let int = "tag:yaml.org,2002:int";
        assert_eq!(resolve_tagged(int, "3"), Ok(Scalar::Int(3)));
        let error = resolve_tagged(int, "abc").map_err(|error| error.to_string());
        assert_eq!(error, Err("cannot decode !!str `abc` as a !!int".to_owned()));
        assert_eq!(resolve_tagged("tag:yaml.org,2002:float", "3"), Ok(Scalar::Float(3.0)));
        assert_eq!(resolve_tagged("!foo", "3"), Ok(Scalar::Text));
        assert!(resolve_tagged("tag:yaml.org,2002:timestamp", "2001-02-29").is_err());
    }

    #[test]
    fn timestamps() {
        for text in ["2001-01-01", "2001-1-1T1:2:3Z", "2001-12-14 21:59:43.10", "2000-02-29t00:00:00.5+01:00"]
        {
            assert!(looks_like_timestamp(text), "{text}");
        }
        for text in ["2001-13-01", "2001-02-30", "2001-01-01T00:00:00", "2001-01-01 1:2:3 -5", "20011-1-1"] {
            assert!(!looks_like_timestamp(text), "{text}");
        }
    }
}
