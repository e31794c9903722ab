//! `format`: the forms of text and the ranges of numbers that the API server knows.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use fbc_go::regexp::{Pattern, Steps};

use fbc_cel::dates::{is_date, is_date_time, parse_duration};
use fbc_cel::url::{Url, is_cidr};

/// A format that the API server checks; all others are ignored.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/validation/formats.go`,
/// `kubernetes/kube-openapi:pkg/validation/strfmt`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    /// The name as it is written in errors.
    pub(crate) name: &'static str,
    check: Check,
}

#[derive(Debug, Clone, Copy)]
enum Check {
    /// A whole number; the check is one of range.
    Whole,
    /// A number; the check is one of range.
    Number,
    Text(fn(&str) -> bool),
}

const FORMATS: &[(&str, Check)] = &[
    ("int32", Check::Whole),
    ("int64", Check::Whole),
    ("float", Check::Number),
    ("double", Check::Number),
    (
        "bsonobjectid",
        Check::Text(|text| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())),
    ),
    ("uri", Check::Text(is_uri)),
    ("email", Check::Text(is_email)),
    ("hostname", Check::Text(is_hostname)),
    ("ipv4", Check::Text(|text| text.parse::<Ipv4Addr>().is_ok())),
    ("ipv6", Check::Text(|text| text.parse::<Ipv6Addr>().is_ok())),
    ("cidr", Check::Text(is_cidr)),
    ("mac", Check::Text(is_mac)),
    ("uuid", Check::Text(|text| is_uuid(text, None))),
    ("uuid3", Check::Text(|text| is_uuid(text, Some('3')))),
    ("uuid4", Check::Text(|text| is_uuid(text, Some('4')))),
    ("uuid5", Check::Text(|text| is_uuid(text, Some('5')))),
    ("isbn", Check::Text(|text| is_isbn(text, 10) || is_isbn(text, 13))),
    ("isbn10", Check::Text(|text| is_isbn(text, 10))),
    ("isbn13", Check::Text(|text| is_isbn(text, 13))),
    ("creditcard", Check::Text(is_credit_card)),
    ("ssn", Check::Text(|text| SOCIAL_SECURITY_NUMBER.is_match(text))),
    ("hexcolor", Check::Text(|text| HEX_COLOR.is_match(text))),
    ("rgbcolor", Check::Text(|text| RGB_COLOR.is_match(text))),
    ("byte", Check::Text(is_base64)),
    ("password", Check::Text(|_| true)),
    ("date", Check::Text(is_date)),
    ("duration", Check::Text(|text| parse_duration(text).is_some())),
    ("date-time", Check::Text(is_date_time)),
    ("datetime", Check::Text(is_date_time)),
    ("k8s-short-name", Check::Text(|text| is_label(text, 63))),
    (
        "k8s-long-name",
        Check::Text(|text| text.len() <= 253 && text.split('.').all(|part| is_label(part, 253))),
    ),
];

impl Format {
    /// The format of this name, if the API server knows it.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let of_name =
            |&&(known, _): &&(&str, Check)| known == name || known.replace('-', "") == name.replace('-', "");
        FORMATS.iter().find(of_name).map(|&(name, check)| Self { name, check })
    }

    /// True for a format of text.
    pub(crate) fn is_of_text(self) -> bool {
        matches!(self.check, Check::Text(_))
    }

    /// True for a format of whole numbers.
    pub(crate) fn is_of_whole_numbers(self) -> bool {
        matches!(self.check, Check::Whole)
    }

    /// True for a format of numbers that need not be whole.
    pub(crate) fn is_of_numbers(self) -> bool {
        matches!(self.check, Check::Number)
    }

    /// True if the text has the form.
    pub(crate) fn fits(self, text: &str) -> bool {
        match self.check {
            Check::Text(fits) => fits(text),
            _ => true,
        }
    }
}

struct Fixed(LazyLock<Pattern>);

impl Fixed {
    fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text, &Steps::default()).unwrap_or_default()
    }
}

static SOCIAL_SECURITY_NUMBER: Fixed =
    Fixed(LazyLock::new(|| Pattern::new(r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$")));
static HEX_COLOR: Fixed = Fixed(LazyLock::new(|| Pattern::new("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")));
static RGB_COLOR: Fixed = Fixed(LazyLock::new(|| {
    let part = r"\s*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*";
    Pattern::new(format!(r"^rgb\({part},{part},{part}\)$"))
}));
static CREDIT_CARD: Fixed = Fixed(LazyLock::new(|| {
    Pattern::new(
        "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}\
         |3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$",
    )
}));
static HOSTNAME: Fixed = Fixed(LazyLock::new(|| {
    Pattern::new(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$",
    )
}));

fn is_hostname(text: &str) -> bool {
    text.len() <= 255 && HOSTNAME.is_match(text) && text.split('.').all(|part| part.len() <= 63)
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    CREDIT_CARD.is_match(&digits)
}

fn is_label(text: &str, longest: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !text.is_empty()
        && text.len() <= longest
        && text.bytes().all(|byte| fits(byte) || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// As `net/url.ParseRequestURI` accepts: an absolute address or a path from the root.
pub(crate) fn is_uri(text: &str) -> bool {
    Url::parse(text).is_some()
}

fn is_email(text: &str) -> bool {
    let address = text.rsplit_once('<').and_then(|(_, rest)| rest.strip_suffix('>')).unwrap_or(text);
    address.split_once('@').is_some_and(|(name, domain)| {
        let fits = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && !part.ends_with('.')
                && !part.contains("..")
                && !part.contains([' ', '@', '<', '>', '(', ')', ',', ';', ':', '"', '[', ']', '\\'])
        };
        fits(name) && fits(domain)
    })
}

/// As `net.ParseMAC`: 6, 8 or 20 bytes with `:` or `-` between bytes, or `.` between pairs of bytes.
fn is_mac(text: &str) -> bool {
    let hex =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let of = |separator: char, length: usize, counts: [usize; 3]| {
        let parts: Vec<&str> = text.split(separator).collect();
        counts.contains(&parts.len()) && parts.iter().all(|part| hex(part, length))
    };
    of(':', 2, [6, 8, 20]) || of('-', 2, [6, 8, 20]) || of('.', 4, [3, 4, 10])
}

/// Hyphens may be missing; versions 4 and 5 also say which variant.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut digits = String::with_capacity(32);
    for (index, character) in text.char_indices() {
        match character {
            '-' if matches!(digits.len(), 8 | 12 | 16 | 20) && !text[..index].ends_with('-') => {}
            character if character.is_ascii_hexdigit() => digits.push(character.to_ascii_lowercase()),
            _ => return false,
        }
    }
    let at = |index: usize| digits.chars().nth(index);
    digits.len() == 32
        && !text.ends_with('-')
        && version.is_none_or(|version| {
            at(12) == Some(version)
                && (version == '3' || at(16).is_some_and(|variant| "89ab".contains(variant)))
        })
}

fn is_isbn(text: &str, length: usize) -> bool {
    let digits: Vec<u32> = text
        .chars()
        .filter(|character| !matches!(character, '-' | ' '))
        .enumerate()
        .map_while(|(index, character)| match character {
            'X' | 'x' if length == 10 && index == 9 => Some(10),
            character => character.to_digit(10),
        })
        .collect();
    let count = text.chars().filter(|character| !matches!(character, '-' | ' ')).count();
    if digits.len() != length || count != length {
        return false;
    }
    if length == 10 {
        digits
            .iter()
            .zip((1..=10).rev())
            .map(|(digit, weight)| digit * weight)
            .sum::<u32>()
            .is_multiple_of(11)
    } else {
        digits
            .iter()
            .zip([1, 3].into_iter().cycle())
            .map(|(digit, weight)| digit * weight)
            .sum::<u32>()
            .is_multiple_of(10)
    }
}

/// Base64 in its usual alphabet, with padding.
pub(crate) fn is_base64(text: &str) -> bool {
    fbc_go::base64::decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_text() {
        for (name, fitting, misfitting) in [
            ("uri", &["https://a.b/c?d", "/path", "urn:a:b"][..], &["", "a b", "nothing"][..]),
            ("email", &["a@b.c", "A <a@b.c>"], &["a", "@b", "a@"]),
            ("hostname", &["a", "a.example.com"], &["-a", "a..b"]),
            ("ipv4", &["10.0.0.1"], &["10.0.0.256", "::1"]),
            ("ipv6", &["::1"], &["10.0.0.1"]),
            ("cidr", &["10.0.0.0/8", "::/0"], &["10.0.0.0", "10.0.0.0/33"]),
            ("mac", &["00:11:22:33:44:55", "0011.2233.4455"], &["00:11"]),
            ("uuid", &["123e4567-e89b-12d3-a456-426614174000"], &["x", "123e4567"]),
            ("uuid4", &["123e4567-e89b-42d3-a456-426614174000"], &["123e4567-e89b-12d3-a456-426614174000"]),
            ("isbn", &["978-0321751041", "0321751043"], &["978-0321751042"]),
            ("creditcard", &["4111-1111-1111-1111"], &["1"]),
            ("ssn", &["111-22-3333"], &["1"]),
            ("hexcolor", &["#fff"], &["#ff"]),
            ("rgbcolor", &["rgb(1, 2, 3)"], &["rgb(1, 2)"]),
            ("byte", &["YQ=="], &["YQ=", "%"]),
            ("date", &["2024-02-29", "1969-12-31"], &["2023-02-29", "2023"]),
            (
                "date-time",
                &["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.123+02:00"],
                &["yesterday", "2024-01-01T25:00:00Z"],
            ),
            ("duration", &["1h30m", "3 days", "22 ns", "0"], &["soon", "1x", ""]),
            ("k8s-short-name", &["a-b"], &["A", "-a", ""]),
            ("k8s-long-name", &["a.b-c"], &["a..b"]),
        ] {
            let format = Format::read(name).expect(name);
            for text in fitting {
                assert!(format.fits(text), "{name} {text}");
            }
            for text in misfitting {
                assert!(!format.fits(text), "{name} {text}");
            }
        }
        assert!(Format::read("phone").is_none());
    }
}
