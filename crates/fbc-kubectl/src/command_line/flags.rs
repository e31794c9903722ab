//! Flags and arguments as pflag reads them.
//!
//! Source: `spf13/pflag:flag.go`; flags may stand anywhere, `--` ends them.

use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, SECOND};

use super::{CommandError, Parsed};

/// A flag of a verb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    short: Option<char>,
    takes: Takes,
}

/// What follows a flag.
#[derive(Debug, Clone, Copy)]
pub(super) enum Takes {
    /// A truth value behind `=`, or nothing.
    Nothing,
    /// A value.
    Value,
    /// A value behind `=`, or nothing, which stands for this value.
    ValueOr(&'static str),
}

impl Flag {
    pub(super) const fn new(name: &'static str, takes: Takes) -> Self {
        Self { name, short: None, takes }
    }

    pub(super) const fn short(name: &'static str, short: char, takes: Takes) -> Self {
        Self { name, short: Some(short), takes }
    }
}

/// How many words a flag in front of the verb takes.
pub(super) fn words_of(flags: &[Flag], word: &str) -> usize {
    let flag = match word.strip_prefix("--") {
        Some(name) => flags.iter().find(|flag| flag.name == name),
        None if word.len() == 2 => flags.iter().find(|flag| flag.short == word.chars().nth(1)),
        None => None,
    };
    if flag.is_some_and(|flag| matches!(flag.takes, Takes::Value)) { 2 } else { 1 }
}

/// What stands behind a verb.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    /// Everything that is not a flag.
    pub(super) positional: Vec<String>,
    given: Vec<(&'static str, String)>,
}

impl Arguments {
    /// Reads the words behind a verb.
    pub(super) fn parse(verb: &str, flags: &[&[Flag]], words: &[String]) -> Parsed<Self> {
        let usage =
            |text: String| CommandError::error(format!("{text}\nSee 'kubectl {verb} --help' for usage."));
        let all = || flags.iter().flat_map(|flags| flags.iter());
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                arguments.positional.extend(words.by_ref().cloned());
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let flag = all().find(|flag| flag.name == name);
                let Some(flag) = flag else { return Err(usage(format!("unknown flag: --{name}"))) };
                let value = match (value, flag.takes) {
                    (Some(value), _) => value.to_owned(),
                    (None, Takes::Nothing) => "true".to_owned(),
                    (None, Takes::ValueOr(default)) => default.to_owned(),
                    (None, Takes::Value) => words
                        .next()
                        .cloned()
                        .ok_or_else(|| usage(format!("flag needs an argument: --{name}")))?,
                };
                arguments.given.push((flag.name, value));
            } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
                let mut rest = short;
                while let Some(letter) = rest.chars().next() {
                    rest = &rest[letter.len_utf8()..];
                    let flag = all().find(|flag| flag.short == Some(letter));
                    let Some(flag) = flag else {
                        return Err(usage(format!("unknown shorthand flag: {letter:?} in -{short}")));
                    };
                    let value = match (rest.strip_prefix('='), flag.takes) {
                        (Some(value), _) => value.to_owned(),
                        (None, Takes::Nothing) => "true".to_owned(),
                        (None, Takes::ValueOr(default)) => default.to_owned(),
                        (None, Takes::Value) if !rest.is_empty() => rest.to_owned(),
                        (None, Takes::Value) => words.next().cloned().ok_or_else(|| {
                            usage(format!("flag needs an argument: {letter:?} in -{short}"))
                        })?,
                    };
                    arguments.given.push((flag.name, value));
                    if rest.starts_with('=') || matches!(flag.takes, Takes::Value) {
                        break;
                    }
                }
            } else {
                arguments.positional.push(word.clone());
            }
        }
        Ok(arguments)
    }

    /// All values of a flag, in order.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.given.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// The last value of a flag.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values(name).last()
    }

    /// All values of a flag that takes lists: separated by commas, or given several times.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        self.values(name).flat_map(|value| value.split(',')).map(str::to_owned).collect()
    }

    /// A value that must be given.
    pub(super) fn required(&self, name: &str) -> Parsed<&str> {
        self.value(name).ok_or_else(|| CommandError::error(format!("required flag(s) {name:?} not set")))
    }

    /// A switch, off unless given.
    pub(super) fn switch(&self, name: &str) -> Parsed<bool> {
        self.switch_or(name, false)
    }

    /// A switch with its default.
    pub(super) fn switch_or(&self, name: &str, default: bool) -> Parsed<bool> {
        match self.value(name) {
            None => Ok(default),
            Some("true" | "1" | "t" | "T" | "TRUE" | "True") => Ok(true),
            Some("false" | "0" | "f" | "F" | "FALSE" | "False") => Ok(false),
            Some(other) => {
                Err(invalid(name, other, &format!("strconv.ParseBool: parsing {other:?}: invalid syntax")))
            }
        }
    }

    /// A whole number.
    pub(super) fn number(&self, name: &str) -> Parsed<Option<i64>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let fault = |_| invalid(name, value, &format!("strconv.ParseInt: parsing {value:?}: invalid syntax"));
        value.parse().map(Some).map_err(fault)
    }

    /// A span of time; negative ones are so long that they never end.
    pub(super) fn span(&self, name: &str) -> Parsed<Option<Milliseconds>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let span = parse_span(value);
        span.map(Some).ok_or_else(|| invalid(name, value, &format!("time: invalid duration {value:?}")))
    }
}

fn invalid(flag: &str, value: &str, reason: &str) -> CommandError {
    CommandError::error(format!("invalid argument {value:?} for \"--{flag}\" flag: {reason}"))
}

/// One week: what kubectl takes for "for ever".
pub(super) const FOR_EVER: Milliseconds = 7 * 24 * HOUR;

/// A span as Go writes it: `90s`, `1h30m`, `500ms`, `0`.
fn parse_span(text: &str) -> Option<Milliseconds> {
    if let Some(negative) = text.strip_prefix('-') {
        return parse_span(negative).map(|_| FOR_EVER);
    }
    if text == "0" {
        return Some(0);
    }
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let unit = match &rest[..end] {
            "ms" => 1,
            "s" => SECOND,
            "m" => MINUTE,
            "h" => HOUR,
            _ => return None,
        };
        rest = &rest[end..];
        #[allow(clippy::cast_precision_loss)]
        let unit = unit as f64;
        sum += number * unit;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (!text.is_empty()).then_some(sum as Milliseconds)
}
