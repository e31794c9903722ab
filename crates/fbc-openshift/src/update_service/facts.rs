//! What is known of a cluster, as metrics: lines of Prometheus' text format, such as
//! `cluster_infrastructure_provider{type="AWS"} 1`. They hold at all times.

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;
use promql_parser::parser::{self, Expr};

use super::promql::{self, Value};
use super::risk::Metrics;

/// Longer queries are not read: to parse one takes time that grows with the square of its length.
const LONGEST: usize = 16 << 10;

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
    /// The number of the line, from 1, and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let series = lines
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| line_of(line).map_err(|fault| (number, fault)));
        Ok(Self { series: series.collect::<Result<_, _>>()? })
    }
}

/// Reads a line: the series is read as the selector that it looks like.
fn line_of(line: &str) -> Result<Series, String> {
    // A value and perhaps a time stand behind the series; label values may hold blanks, but only within braces.
    let end = line.rfind('}').map_or_else(|| line.find(char::is_whitespace), |brace| Some(brace + 1));
    let (selector, rest) = line.split_at(end.ok_or("a value must follow the name of the metric")?);
    let value = rest.split_whitespace().next().ok_or("a value must follow the series")?;
    let value = match value {
        "+Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        value => value.parse().map_err(|_| format!("{value:?} is not a number"))?,
    };
    let Ok(Expr::VectorSelector(selector)) = parser::parse(selector) else {
        return Err(format!("{selector:?} is not a series: NAME{{LABEL=\"VALUE\", …}}"));
    };
    let mut labels: BTreeMap<String, String> =
        selector.matchers.matchers.iter().map(|one| (one.name.clone(), one.value.clone())).collect();
    labels.extend(selector.name.map(|name| (promql::NAME.to_owned(), name)));
    Ok(Series { labels, value })
}

impl Metrics for Facts {
    fn query(&self, query: &str, now: Moment) -> Result<Vec<f64>, String> {
        let fail = |text: &dyn std::fmt::Display| format!("executing PromQL query: {text}");
        if query.len() > LONGEST {
            return Err(fail(&format!("bad_data: the query is longer than {} KiB", LONGEST >> 10)));
        }
        let expression = parser::parse(query).map_err(|text| fail(&format!("bad_data: {text}")))?;
        match promql::evaluate(&expression, &self.series, now).map_err(|fault| fail(&fault))? {
            Value::Vector(series) => Ok(series.iter().map(|one| one.value).collect()),
            Value::Scalar(_) => Err("invalid PromQL result type is scalar, not vector".to_owned()),
            Value::Text(_) => Err("invalid PromQL result type is string, not vector".to_owned()),
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
        Facts::parse(TEXT).unwrap().query(query, Moment::START)
    }

    /// Shows D-CVO-16, D-CVO-17
    #[test]
    fn facts_answer_queries() {
        for (text, values) in [
            ("plain", vec![7.0]),
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
    fn long_queries_are_refused() {
        let error = query(&["plain"; 5000].join("+")).unwrap_err();
        assert_eq!(error, "executing PromQL query: bad_data: the query is longer than 16 KiB");
    }

    #[test]
    fn what_cannot_be_answered_is_told() {
        for (text, part) in [
            ("sum(", "executing PromQL query: bad_data"),
            ("1 + 1", "result type is scalar"),
            ("histogram_quantile(0.9, plain)", "histogram_quantile"),
            ("plain * on () cluster_operator_conditions", "many-to-many"),
        ] {
            let error = query(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for (text, number, part) in
            [("a 1\nb", 2, "value"), ("a{b=\"c\"} x", 1, "not a number"), ("a b{} 1", 1, "not a series")]
        {
            let (line, fault) = Facts::parse(text).unwrap_err();
            assert!(line == number && fault.contains(part), "{text}: {line}: {fault}");
        }
    }
}
