//! What is known of a cluster, as metrics: lines of Prometheus' text format, such as
//! `cluster_infrastructure_provider{type="AWS"} 1`. They hold at all times.

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;

use super::promql::{self, Expression, Selector, Test, Type, Value};
use super::risk::{Metrics, MetricsError};

/// The bytes of a query or series. Longer ones are not parsed.
pub const MOST_QUERY_BYTES: usize = 16 << 10;
/// The operators and brackets of a query or series, with those in its strings: an expression nests no deeper than it
/// has some.
pub const MOST_OPERATORS: usize = 200;

/// A series with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The labels, with the name of the metric as `__name__`.
    pub labels: BTreeMap<String, String>,
    /// The value.
    pub value: f64,
}

/// Metrics of a cluster.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// All series, in the order of their lines.
    pub series: Vec<Series>,
}

impl Facts {
    /// Reads lines of Prometheus' text format.
    ///
    /// # Errors
    /// [`FactsError`]
    pub fn parse(text: &str) -> Result<Self, FactsError> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let series = lines
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(line, text)| line_of(text).map_err(|fault| FactsError { line, fault }));
        Ok(Self { series: series.collect::<Result<_, _>>()? })
    }
}

/// A line that is not a fact.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {fault}")]
pub struct FactsError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: LineFault,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// It is a name alone.
    #[error("a value must follow the name of the metric")]
    NoSeries,
    /// It is a series alone.
    #[error("a value must follow the series")]
    NoValue,
    /// The value is not a number.
    #[error("{0:?} is not a number")]
    Number(String),
    /// The series is too long to be read.
    #[error("the series {0}")]
    Excess(#[from] Excess),
    /// The series is not one.
    #[error("{0:?} is not a series: NAME{{LABEL=\"VALUE\", …}}")]
    Form(String),
}

/// Reads a line: the series is read as the selector that it looks like.
fn line_of(line: &str) -> Result<Series, LineFault> {
    // A value and perhaps a time stand behind the series; label values may hold blanks, but only within braces.
    let end = line.rfind('}').map_or_else(|| line.find(char::is_whitespace), |brace| Some(brace + 1));
    let (selector, rest) = line.split_at(end.ok_or(LineFault::NoSeries)?);
    let value = rest.split_whitespace().next().ok_or(LineFault::NoValue)?;
    let value = match value {
        "+Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        value => value.parse().map_err(|_| LineFault::Number(value.to_owned()))?,
    };
    bounded(selector)?;
    let labels = labels_of(selector).ok_or_else(|| LineFault::Form(selector.to_owned()))?;
    Ok(Series { labels, value })
}

/// The labels of a series that is written as a selector of equal values.
fn labels_of(text: &str) -> Option<BTreeMap<String, String>> {
    let Ok(Expression::Selector { selector: Selector { name, matchers }, is_range: false }) =
        promql::parse(text)
    else {
        return None;
    };
    let mut labels = BTreeMap::new();
    for matcher in matchers {
        let Test::Equal(value) = matcher.test else { return None };
        labels.insert(matcher.label, value);
    }
    labels.extend(name.map(|name| (promql::NAME.to_owned(), name)));
    Some(labels)
}

/// A text that is larger than any that somebody writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// It has too many bytes.
    #[error("is longer than {} KiB", MOST_QUERY_BYTES >> 10)]
    Bytes,
    /// It may nest too deeply.
    #[error("has more than {MOST_OPERATORS} operators and brackets")]
    Operators,
}

/// Refuses a text that is larger than any that somebody writes.
fn bounded(text: &str) -> Result<(), Excess> {
    if text.len() > MOST_QUERY_BYTES {
        return Err(Excess::Bytes);
    }
    if operators(text) > MOST_OPERATORS {
        return Err(Excess::Operators);
    }
    Ok(())
}

/// How many operators and opening brackets a text may have at the most, which is how deep it can nest.
fn operators(text: &str) -> usize {
    let is_operator =
        |word: &&str| ["and", "or", "unless", "atan2"].iter().any(|one| word.eq_ignore_ascii_case(one));
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(is_operator);
    text.chars().filter(|letter| "+-*/%^<>=!([".contains(*letter)).count() + words.count()
}

impl Metrics for Facts {
    fn query(&self, query: &str, now: Moment) -> Result<Vec<f64>, MetricsError> {
        bounded(query).map_err(MetricsError::Excess)?;
        let expression = promql::parse(query).map_err(MetricsError::Syntax)?;
        if expression.kind() == Type::Range {
            return Err(MetricsError::Type("matrix"));
        }
        match promql::evaluate(&expression, &self.series, now)? {
            Value::Vector(series) => Ok(series.iter().map(|one| one.value).collect()),
            Value::Scalar(_) => Err(MetricsError::Type("scalar")),
            Value::Text(_) => Err(MetricsError::Type("string")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# HELP what there is\n\
        cluster_infrastructure_provider{type=\"AWS\", region=\"eu {1}\"} 1\n\
        cluster_operator_conditions{name=\"a\",condition=\"Degraded\"} 1\n\
        cluster_operator_conditions{name=\"b\",condition=\"Degraded\"} 0\n\
        cluster_version{type=\"current\",version=\"4.19.0\"} 1700000000 1700000001\n\
        node_role{role=\"worker\"} 3\n\
        plain 7\n";

    fn query(query: &str) -> Result<Vec<f64>, String> {
        Facts::parse(TEXT).unwrap().query(query, Moment::START).map_err(|error| error.to_string())
    }

    /// Shows D-CVO-16, D-CVO-17
    #[test]
    fn facts_answer_queries() {
        for (text, values) in [
            ("plain", vec![7.0]),
            ("node:role:{role=\"worker\"} or plain", vec![7.0]),
            ("missing", vec![]),
            ("vector(1)", vec![1.0]),
            ("cluster_infrastructure_provider{type=~\"AWS|Azure\"}", vec![1.0]),
            ("cluster_infrastructure_provider{type!=\"AWS\"}", vec![]),
            (
                "cluster_infrastructure_provider{type=~\"GCP|None\"} or on () 0 * group(cluster_version)",
                vec![0.0],
            ),
            ("group(cluster_infrastructure_provider{type=\"AWS\"}) or 0 * group(cluster_version)", vec![1.0]),
            ("sum(node_role) > 2", vec![3.0]),
            ("sum(node_role) > bool 3", vec![0.0]),
            ("max by (condition) (cluster_operator_conditions)", vec![1.0]),
            ("count without (name) (cluster_operator_conditions)", vec![2.0]),
            ("topk(1, cluster_operator_conditions)", vec![1.0]),
            ("absent(missing)", vec![1.0]),
            ("absent(plain)", vec![]),
            ("max_over_time(plain[1h])", vec![7.0]),
            (
                "cluster_operator_conditions and on (name) label_replace(plain, \"name\", \"b\", \"\", \"\")",
                vec![0.0],
            ),
            (
                "cluster_operator_conditions unless on (name) label_replace(plain, \"name\", \"b\", \"\", \"\")",
                vec![1.0],
            ),
            ("-plain + 10 - 2 ^ 3 % 5", vec![0.0]),
            ("scalar(plain) * node_role", vec![21.0]),
            ("plain * on () group_left (type) cluster_infrastructure_provider", vec![7.0]),
            ("cluster_operator_conditions == 1", vec![1.0]),
            ("clamp_max(plain, 3)", vec![3.0]),
        ] {
            assert_eq!(query(text), Ok(values), "{text}");
        }
    }

    #[test]
    fn queries_beyond_all_measure_are_refused() {
        let brackets = |count| format!("{}plain{}", "(".repeat(count), ")".repeat(count));
        let labels = |count| format!("{{{}}} 1", vec!["a=\"b\""; count].join(","));
        for (text, excess) in [
            (["plain"; 5000].join("+"), "is longer than 16 KiB"),
            (["1"; 1000].join("+"), "has more than 200 operators and brackets"),
            (["plain"; 202].join(" Or "), "has more than 200 operators and brackets"),
            (brackets(8000), "has more than 200 operators and brackets"),
            ("-".repeat(201) + "plain", "has more than 200 operators and brackets"),
        ] {
            let expected = format!("executing PromQL query: bad_data: the query {excess}");
            assert_eq!(query(&text), Err(expected), "{}", &text[..20]);
        }
        for (text, excess) in [
            (format!("{}{{a=\"b\"}} 1", brackets(9000)), "is longer than 16 KiB"),
            (labels(201), "has more than 200 operators and brackets"),
        ] {
            assert_eq!(Facts::parse(&text).unwrap_err().to_string(), format!("1: the series {excess}"));
        }
        assert_eq!(query(&["plain"; 150].join(" or ")), Ok(vec![7.0]));
        assert_eq!(query(&brackets(150)), Ok(vec![7.0]));
        assert!(Facts::parse(&labels(200)).is_ok());
    }

    #[test]
    fn what_cannot_be_answered_is_told() {
        for (text, part) in [
            ("sum(", "executing PromQL query: bad_data"),
            ("1 + 1", "result type is scalar"),
            ("plain[5m]", "result type is matrix"),
            ("plain[1h:]", "result type is matrix"),
            ("histogram_quantile(0.9, plain)", "histogram_quantile"),
            ("plain * on () cluster_operator_conditions", "many-to-many"),
        ] {
            let error = query(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for (text, number, part) in
            [("a 1\nb", 2, "value"), ("a{b=\"c\"} x", 1, "not a number"), ("a b{} 1", 1, "not a series")]
        {
            let FactsError { line, fault } = Facts::parse(text).unwrap_err();
            assert!(line == number && fault.to_string().contains(part), "{text}: {line}: {fault}");
        }
    }
}
