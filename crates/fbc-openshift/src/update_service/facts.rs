//! What is known of a cluster, as metrics: lines of Prometheus' text format, such as
//! `cluster_infrastructure_provider{type="AWS"} 1`. They hold at all times.

mod text_format;

use std::collections::BTreeMap;

use super::promql::{self, Expression};
use super::risk::{Metrics, MetricsError};

pub use self::text_format::LineFault;
pub use super::promql::{
    MOST_BYTES as MOST_QUERY_BYTES, MOST_LABEL_BYTES, MOST_OPERATORS, MOST_PATTERN_WEIGHT,
};

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
        let lines = text.lines().zip(1..);
        let series =
            lines.map(|(text, line)| text_format::series(text).map_err(|fault| FactsError { line, fault }));
        Ok(Self { series: series.filter_map(Result::transpose).collect::<Result<_, _>>()? })
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

impl Metrics for Facts {
    fn query(&self, query: &str) -> Result<Vec<f64>, MetricsError> {
        match promql::parse(query).map_err(MetricsError::Syntax)? {
            Expression::Vector(vector) => {
                let series = promql::evaluate(&vector, &self.series)?;
                Ok(series.iter().map(|one| one.value).collect())
            }
            other => Err(MetricsError::Type(other.kind().short())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# HELP plain what there is\n\
        cluster_infrastructure_provider{type=\"AWS\", region=\"eu {1}\"} 1\n\
        cluster_operator_conditions{name=\"a\",condition=\"Degraded\"} 1\n\
        cluster_operator_conditions{name=\"b\",condition=\"Degraded\"} 0\n\
        cluster_version{type=\"current\",version=\"4.19.0\"} 1700000000 1700000001\n\
        node_role{role=\"worker\"} 3\n\
        plain 7\n";

    fn query(query: &str) -> Result<Vec<f64>, String> {
        Facts::parse(TEXT).unwrap().query(query).map_err(|error| error.to_string())
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
            ("max by (condition) (cluster_operator_conditions)", vec![1.0]),
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
            ("plain * on () group_left (type) cluster_infrastructure_provider", vec![7.0]),
            ("cluster_operator_conditions == 1", vec![1.0]),
        ] {
            assert_eq!(query(text), Ok(values), "{text}");
        }
    }

    #[test]
    fn queries_beyond_all_measure_are_refused() {
        let brackets = |count| format!("{}plain{}", "(".repeat(count), ")".repeat(count));
        let labels = |count| {
            let labels: Vec<String> = (0..count).map(|number| format!("a{number}=\"b\"")).collect();
            format!("a{{{}}} 1", labels.join(","))
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
        let error = Facts::parse(&labels(2000)).unwrap_err();
        assert_eq!(error.to_string(), "1: the series is longer than 16 KiB");
        assert_eq!(query(&["plain"; 150].join(" or ")), Ok(vec![7.0]));
        assert_eq!(query(&brackets(150)), Ok(vec![7.0]));
        assert!(Facts::parse(&labels(1000)).is_ok());
    }

    #[test]
    fn what_cannot_be_answered_is_told() {
        for (text, part) in [
            ("sum(", "executing PromQL query: bad_data"),
            ("1 + 1", "result type is scalar"),
            ("plain[5m]", "result type is matrix"),
            ("plain[1h:]", "bad_data: subqueries are not evaluated here"),
            ("count_over_time(plain[1h])", "bad_data: the function count_over_time is not evaluated here"),
            ("plain * on () cluster_operator_conditions", "query: execution: found duplicate series"),
        ] {
            let error = query(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for (text, message) in [
            ("# HELP a\n\na 1\r\nb", "4: a value must follow the series"),
            ("a{b=\"c\"} x", "1: \"x\" is not a number"),
        ] {
            assert_eq!(Facts::parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
