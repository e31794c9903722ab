//! Metrics servers of recorded cases.

use std::collections::BTreeMap;

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

use fbc_openshift::update_service::{Metrics, MetricsError};

/// A metrics server that takes no connections.
pub(super) struct Refusing(String);

impl Refusing {
    pub(super) fn new(address: &str) -> Self {
        Self(address.to_owned())
    }
}

impl Metrics for Refusing {
    fn query(&self, query: &str) -> Result<Vec<f64>, MetricsError> {
        let address = &self.0;
        let host = address.trim_start_matches("http://");
        let query = query.replace('(', "%28").replace(')', "%29");
        Err(MetricsError::Unreachable(format!(
            "Get \"{address}/api/v1/query?query={query}&time=<unix time>\": dial tcp {host}: connect: connection refused"
        )))
    }
}

/// Answers of the metrics server of a case.
pub(super) struct Answers(BTreeMap<String, Value>);

impl Answers {
    pub(super) fn new(answers: serde_json::Map<String, Value>) -> Self {
        Self(answers.into_iter().collect())
    }
}

impl Metrics for Answers {
    fn query(&self, query: &str) -> Result<Vec<f64>, MetricsError> {
        let number = |value: &Value| match value {
            Value::String(text) => text.parse().unwrap_or(f64::NAN),
            value => value.as_f64().unwrap_or(f64::NAN),
        };
        match self.0.get(query) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => Ok(values.iter().map(number).collect()),
            Some(answer @ Value::Object(_)) => {
                let body = &answer["body"];
                Err(MetricsError::Server {
                    kind: body.text(&["errorType"]).to_owned(),
                    error: body.text(&["error"]).to_owned(),
                })
            }
            Some(value) => Ok(vec![number(value)]),
        }
    }
}
