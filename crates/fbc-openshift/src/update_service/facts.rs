//! What is known of a cluster, as metrics: lines of Prometheus' text format, such as
//! `cluster_infrastructure_provider{type="AWS"} 1`. They hold at all times.

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;

use super::promql::{self, Excess, Expression, Selector, SyntaxError, Test, Vector};
use super::risk::{Metrics, MetricsError};

pub use super::promql::{MOST_BYTES as MOST_QUERY_BYTES, MOST_OPERATORS};

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
    let form = || LineFault::Form(selector.to_owned());
    let labels = match promql::parse(selector) {
        Ok(Expression::Vector(Vector::Selector(selector))) => labels_of(selector).ok_or_else(form)?,
        Err(SyntaxError::Excess(excess)) => return Err(LineFault::Excess(excess)),
        _ => return Err(form()),
    };
    Ok(Series { labels, value })
}

/// The labels of a series that is written as a selector of equal values, each label once.
fn labels_of(Selector { name, matchers }: Selector) -> Option<BTreeMap<String, String>> {
    let mut labels: BTreeMap<String, String> =
        name.map(|name| (promql::NAME.to_owned(), name)).into_iter().collect();
    for matcher in matchers {
        let Test::Equal(value) = matcher.test else { return None };
        if labels.insert(matcher.label, value).is_some() {
            return None;
        }
    }
    // A label without a value does not exist.
    labels.retain(|_, value| !value.is_empty());
    Some(labels)
}

impl Metrics for Facts {
    fn query(&self, query: &str, now: Moment) -> Result<Vec<f64>, MetricsError> {
        match promql::parse(query).map_err(MetricsError::Syntax)? {
            Expression::Vector(vector) => {
                let series = promql::evaluate(&vector, &self.series, now)?;
                Ok(series.iter().map(|one| one.value).collect())
            }
            other => Err(MetricsError::Type(other.kind().short())),
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
        let labels = |count| {
            let labels: Vec<String> = (0..count).map(|number| format!("a{number}=\"b\"")).collect();
            format!("{{{}}} 1", labels.join(","))
        };
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
            (
                "histogram_quantile(0.9, plain)",
                "bad_data: the function histogram_quantile is not evaluated here",
            ),
            ("count_over_time(plain[1h])", "bad_data: the function count_over_time is not evaluated here"),
            ("plain * on () cluster_operator_conditions", "query: execution: found duplicate series"),
        ] {
            let error = query(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for (text, number, part) in [
            ("a 1\nb", 2, "value"),
            ("a{b=\"c\"} x", 1, "not a number"),
            ("a b{} 1", 1, "not a series"),
            ("a{b=\"c\",b=\"d\"} 1", 1, "not a series"),
        ] {
            let FactsError { line, fault } = Facts::parse(text).unwrap_err();
            assert!(line == number && fault.to_string().contains(part), "{text}: {line}: {fault}");
        }
    }
}
