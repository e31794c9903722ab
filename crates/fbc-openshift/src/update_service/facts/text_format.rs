//! Lines of Prometheus' text format.
//!
//! Source: `prometheus/prometheus:model/textparse/promlex.l` and `promparse.go`.

use std::collections::BTreeMap;

use super::Series;
use crate::update_service::promql::{Excess, MOST_BYTES, NAME};

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// Something else stands where a part of a series must be.
    #[error("{wanted} is expected at {found:?}")]
    Expected {
        /// What must be there.
        wanted: &'static str,
        /// The text from there on.
        found: String,
    },
    /// It names no metric.
    #[error("the name of the metric must stand in front of its labels")]
    NoName,
    /// It is a series alone.
    #[error("a value must follow the series")]
    NoValue,
    /// The value is not a number.
    #[error("{0:?} is not a number")]
    Number(String),
    /// Something else than a time stands behind the value.
    #[error("{0:?} is not a time in milliseconds, which is all that may follow the value")]
    Time(String),
    /// A label has two values.
    #[error("the label {0:?} is given twice")]
    Twice(String),
    /// The series is too long to be read.
    #[error("the series {0}")]
    Excess(Excess),
}

const BLANKS: [char; 2] = [' ', '\t'];
/// As much of a line as errors show.
const SHOWN: usize = 40;

type Labels = BTreeMap<String, String>;

/// The series in a line, if it has one: the others are empty, or comments.
pub(super) fn series(line: &str) -> Result<Option<Series>, LineFault> {
    let line = line.trim_matches(BLANKS);
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    if line.len() > MOST_BYTES {
        return Err(LineFault::Excess(Excess::Bytes));
    }
    let mut labels = Labels::new();
    let (name, rest) = word(line, |c| c == ':');
    if !name.is_empty() {
        labels.insert(NAME.to_owned(), name.to_owned());
    }
    let rest = rest.trim_start_matches(BLANKS);
    let rest = match rest.strip_prefix('{') {
        Some(inner) => braces(inner, &mut labels)?.trim_start_matches(BLANKS),
        None if name.is_empty() => return expected("the name of a metric", rest),
        None => rest,
    };
    if labels.get(NAME).is_none_or(String::is_empty) {
        return Err(LineFault::NoName);
    }
    let (value, time) = rest.split_at(rest.find([' ', '\t', '{']).unwrap_or(rest.len()));
    if value.is_empty() {
        return if rest.is_empty() { Err(LineFault::NoValue) } else { expected("a value", rest) };
    }
    let value = number(value).ok_or_else(|| LineFault::Number(shown(value)))?;
    let time = time.trim_start_matches(BLANKS);
    let is_time = time.bytes().all(|digit| digit.is_ascii_digit()) && time.parse::<i64>().is_ok();
    if !time.is_empty() && !is_time {
        return Err(LineFault::Time(shown(time)));
    }
    // A label without a value does not exist.
    labels.retain(|_, value| !value.is_empty());
    Ok(Some(Series { labels, value }))
}

/// Reads labels up to the closing brace; answers what follows. Commas between them may be absent.
fn braces<'t>(text: &'t str, labels: &mut Labels) -> Result<&'t str, LineFault> {
    let mut rest = text.trim_start_matches(BLANKS);
    loop {
        if let Some(behind) = rest.strip_prefix('}') {
            return Ok(behind);
        }
        let is_quoted = rest.starts_with('"');
        let (label, behind) = if is_quoted {
            quoted(rest, "the name of a label")?
        } else {
            let (label, behind) = word(rest, |_| false);
            (label.to_owned(), behind)
        };
        if label.is_empty() && !is_quoted {
            return expected("the name of a label, or \"}\",", rest);
        }
        let behind = behind.trim_start_matches(BLANKS);
        // A text alone is the name of the metric.
        let is_name = is_quoted && behind.starts_with([',', '}']);
        let (label, value, behind) = if is_name {
            (NAME.to_owned(), label, behind)
        } else {
            let Some(behind) = behind.strip_prefix('=') else { return expected("\"=\"", behind) };
            let (value, behind) =
                quoted(behind.trim_start_matches(BLANKS), "the value of a label in quotes")?;
            (label, value, behind.trim_start_matches(BLANKS))
        };
        if label.is_empty() {
            return expected("the name of a label", rest);
        }
        if labels.contains_key(&label) {
            return Err(LineFault::Twice(shown(&label)));
        }
        if label == NAME && !is_name {
            return Err(LineFault::NoName);
        }
        labels.insert(label, value);
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start_matches(BLANKS);
    }
}

/// The name that a text begins with, and what follows it.
fn word(text: &str, is_more: impl Fn(char) -> bool) -> (&str, &str) {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || is_more(c);
    let is_name = text.chars().next().is_some_and(&starts);
    let end = text.find(|c: char| !starts(c) && !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(if is_name { end } else { 0 })
}

/// The text in quotes that another begins with, and what follows it. Only quotes, backslashes and the ends of lines are written with
/// a backslash; any other is itself.
fn quoted<'t>(text: &'t str, wanted: &'static str) -> Result<(String, &'t str), LineFault> {
    let Some(inner) = text.strip_prefix('"') else { return expected(wanted, text) };
    let mut value = String::new();
    let mut rest = inner.chars();
    loop {
        match rest.next() {
            None => return expected("a quote at the end of what begins", text),
            Some('"') => return Ok((value, rest.as_str())),
            Some('\\') => match rest.next() {
                Some(c @ ('"' | '\\')) => value.push(c),
                Some('n') => value.push('\n'),
                other => {
                    value.push('\\');
                    value.extend(other);
                }
            },
            Some(c) => value.push(c),
        }
    }
}

/// A number as `strconv.ParseFloat` reads it, without hexadecimal ones.
fn number(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_named = is_word(text.strip_prefix(['+', '-']).unwrap_or(text));
    // Digits beyond all numbers are not infinite, and what is not a number has no sign.
    let is_fine = if value.is_nan() { is_word(text) } else { value.is_finite() || is_named };
    is_fine.then_some(value)
}

fn expected<T>(wanted: &'static str, found: &str) -> Result<T, LineFault> {
    Err(LineFault::Expected { wanted, found: shown(found) })
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_in_prometheus() {
        for (line, labels, value) in [
            ("a 1", &[("__name__", "a")][..], 1.0),
            ("\ta:b {x=\"1\"}2.5 17 ", &[("__name__", "a:b"), ("x", "1")], 2.5),
            ("a+1", &[("__name__", "a")], 1.0),
            ("a { x = \"1\" , y=\"2\", } 1e3", &[("__name__", "a"), ("x", "1"), ("y", "2")], 1000.0),
            ("a{x=\"1\" y=\"2\"}\t-Inf", &[("__name__", "a"), ("x", "1"), ("y", "2")], f64::NEG_INFINITY),
            ("d{p=\"C:\\temp\"} 1", &[("__name__", "d"), ("p", "C:\\temp")], 1.0),
            ("d{p=\"\\\\n\\n\\\"\\é\"} 1", &[("__name__", "d"), ("p", "\\n\n\"\\é")], 1.0),
            ("a{x=\"\",y=\"} 2 \"} +Inf", &[("__name__", "a"), ("y", "} 2 ")], f64::INFINITY),
            ("{\"a.b\",\"x y\"=\"1\"} 0", &[("__name__", "a.b"), ("x y", "1")], 0.0),
            ("{x=\"1\", \"a\"} infinity", &[("__name__", "a"), ("x", "1")], f64::INFINITY),
        ] {
            let labels = labels.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned()));
            assert_eq!(series(line), Ok(Some(Series { labels: labels.collect(), value })), "{line}");
        }
        assert!(series("a NaN").unwrap().unwrap().value.is_nan());
        for line in ["", " \t", "# HELP a b", "# TYPE a gauge", "#a 1"] {
            assert_eq!(series(line), Ok(None), "{line}");
        }
    }

    #[test]
    fn what_is_no_sample_is_refused() {
        for (line, message) in [
            ("a", "a value must follow the series"),
            ("a{x=\"1\"}", "a value must follow the series"),
            ("a nodes", "\"nodes\" is not a number"),
            ("a 1e999", "\"1e999\" is not a number"),
            ("a -NaN", "\"-NaN\" is not a number"),
            ("a 0x1", "\"0x1\" is not a number"),
            ("a 1_0", "\"1_0\" is not a number"),
            ("a b{} 1", "\"b\" is not a number"),
            ("a{} {} 1", "a value is expected at \"{} 1\""),
            ("a 1 nodes", "\"nodes\" is not a time in milliseconds, which is all that may follow the value"),
            ("a 1 -5", "\"-5\" is not a time in milliseconds, which is all that may follow the value"),
            ("a 1 5 # b", "\"5 # b\" is not a time in milliseconds, which is all that may follow the value"),
            ("a 1{", "\"{\" is not a time in milliseconds, which is all that may follow the value"),
            ("+a{x=\"1\"} 1", "the name of a metric is expected at \"+a{x=\\\"1\\\"} 1\""),
            ("1 2", "the name of a metric is expected at \"1 2\""),
            ("{x=\"1\"} 1", "the name of the metric must stand in front of its labels"),
            ("{__name__=\"a\"} 1", "the name of the metric must stand in front of its labels"),
            ("{\"\"} 1", "the name of the metric must stand in front of its labels"),
            ("a{\"b\"} 1", "the label \"__name__\" is given twice"),
            ("a{b=\"c\",b=\"d\"} 1", "the label \"b\" is given twice"),
            ("a{b=\"\",b=\"d\"} 1", "the label \"b\" is given twice"),
            ("a{,} 1", "the name of a label, or \"}\", is expected at \",} 1\""),
            ("a{b=\"c\"", "the name of a label, or \"}\", is expected at \"\""),
            ("a{b:c=\"c\"} 1", "\"=\" is expected at \":c=\\\"c\\\"} 1\""),
            ("a{b=~\"c\"} 1", "the value of a label in quotes is expected at \"~\\\"c\\\"} 1\""),
            ("a{b='c'} 1", "the value of a label in quotes is expected at \"'c'} 1\""),
            ("a{\"\"=\"c\"} 1", "the name of a label is expected at \"\\\"\\\"=\\\"c\\\"} 1\""),
            ("a{b=\"c\\\"} 1", "a quote at the end of what begins is expected at \"\\\"c\\\\\\\"} 1\""),
        ] {
            assert_eq!(series(line).unwrap_err().to_string(), message, "{line}");
        }
    }
}
