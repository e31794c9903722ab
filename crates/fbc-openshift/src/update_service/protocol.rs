//! The protocol of an update service: a request for a graph, and the answer.
//!
//! Source: `openshift/cincinnati:policy-engine/src/graph.rs`, `commons/src/lib.rs` (US-1, US-2, US-5).

use serde_json::json;

use super::graph::Graph;

/// The addresses at which graphs are asked for.
pub const PATHS: [&str; 3] = ["/api/upgrades_info/v1/graph", "/api/upgrades_info/graph", "/graph"];
/// The content types that an answer has.
const TYPES: [&str; 2] = ["application/json", "application/vnd.redhat.cincinnati.v1+json"];

/// The answer of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAnswer {
    /// The status code of HTTP.
    pub status: u16,
    /// The body: JSON.
    pub body: String,
}

/// A service with a graph for each architecture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateService {
    graphs: Vec<(String, Graph)>,
}

fn refused(status: u16, kind: &str, value: String) -> ServiceAnswer {
    ServiceAnswer { status, body: json!({"kind": kind, "value": value}).to_string() }
}

/// The value of a parameter of a query, with its escapes read.
fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let raw = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()?;
    let mut bytes = Vec::new();
    let mut rest = raw.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
        rest = tail;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl UpdateService {
    /// A service that answers for these architectures.
    pub fn new(graphs: impl IntoIterator<Item = (String, Graph)>) -> Self {
        Self { graphs: graphs.into_iter().collect() }
    }

    /// The graphs with their architectures.
    pub fn graphs(&self) -> impl Iterator<Item = (&str, &Graph)> {
        self.graphs.iter().map(|(architecture, graph)| (architecture.as_str(), graph))
    }

    /// Answers a request by its query and the header `Accept`.
    pub fn answer(&self, query: &str, accept: Option<&str>) -> ServiceAnswer {
        let takes = |wanted: &str| {
            let wanted = wanted.split(';').next().unwrap_or_default().trim();
            wanted == "*/*" || wanted == "application/*" || TYPES.contains(&wanted)
        };
        if accept.is_some_and(|accept| !accept.split(',').any(takes)) {
            return refused(406, "invalid_content_type", "invalid Content-Type requested".to_owned());
        }
        let is_made_of = |text: &str, more: &[u8]| {
            let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || more.contains(&byte);
            !text.is_empty() && text.bytes().all(fits)
        };
        let Some(channel) = parameter(query, "channel") else {
            return refused(400, "missing_params", "mandatory client parameters missing: channel".to_owned());
        };
        if !is_made_of(&channel, b"-.") {
            let text = format!(r"channel '{channel}' does not match regex '^[0-9a-z\-\.]+$'");
            return refused(400, "invalid_params", text);
        }
        let architecture = parameter(query, "arch").unwrap_or_else(|| "amd64".to_owned());
        if !is_made_of(&architecture, b"") {
            return refused(
                400,
                "invalid_params",
                format!("arch '{architecture}' does not match regex '^[0-9a-z]+$'"),
            );
        }
        let graph = self.graphs.iter().find(|(known, _)| *known == architecture).map(|(_, graph)| graph);
        let graph = graph.map(|graph| graph.of_channel(&channel)).unwrap_or_default();
        ServiceAnswer { status: 200, body: graph.to_value().to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered() {
        let graph = json!({"nodes": [
            {"version": "4.19.0", "payload": "a", "metadata": {"io.openshift.upgrades.graph.release.channels": "stable-4.19"}},
            {"version": "4.19.1", "payload": "b", "metadata": {"io.openshift.upgrades.graph.release.channels": "fast-4.19"}},
        ], "edges": [[0, 1]]});
        let graph = Graph::parse(graph.to_string().as_bytes()).unwrap();
        let service = UpdateService::new(vec![("amd64".to_owned(), graph)]);
        for (query, accept, status, part) in [
            ("channel=stable-4.19", None, 200, "4.19.0"),
            (
                "arch=amd64&channel=stable%2d4.19&id=x&version=4.19.0",
                Some("application/json"),
                200,
                "\"edges\":[]",
            ),
            ("arch=arm64&channel=stable-4.19", Some("*/*"), 200, "\"nodes\":[]"),
            ("arch=amd64", None, 400, "mandatory client parameters missing: channel"),
            ("channel=A", None, 400, r"channel 'A' does not match regex"),
            ("channel=a&arch=A-", None, 400, "arch 'A-' does not match regex"),
            ("channel=a", Some("text/html"), 406, "invalid_content_type"),
        ] {
            let answer = service.answer(query, accept);
            assert!(answer.status == status && answer.body.contains(part), "{query}: {answer:?}");
        }
    }
}
