//! Figures of the API server, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fbc_cluster::engine::Cluster;
use http::Method;

/// What is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: BTreeMap<(String, u16), u64>,
}

impl Metrics {
    /// Counts an answer.
    pub(crate) fn count(&mut self, method: &Method, code: u16) {
        *self.requests.entry((method.as_str().to_owned(), code)).or_default() += 1;
    }

    /// What `/metrics` shows of a cluster that so many clients watch.
    pub(crate) fn text(&self, cluster: &Cluster, watches: usize) -> String {
        let mut out = String::new();
        let family =
            |name: &str, kind: &str, help: &str| format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        out.push_str(&family(
            "apiserver_request_total",
            "counter",
            "Counter of apiserver requests broken out for each verb and HTTP response code.",
        ));
        for ((method, code), count) in &self.requests {
            let _ = writeln!(out, "apiserver_request_total{{code=\"{code}\",verb=\"{method}\"}} {count}");
        }
        out.push_str(&family(
            "apiserver_longrunning_requests",
            "gauge",
            "Gauge of all active long-running apiserver requests.",
        ));
        let _ = writeln!(out, "apiserver_longrunning_requests{{verb=\"WATCH\"}} {}", watches);
        let api = &cluster.api;
        out.push_str(&family(
            "apiserver_storage_objects",
            "gauge",
            "Number of stored objects at the time of last check split by kind.",
        ));
        for (id, kind) in api.registry().iter() {
            let count = api.store().count(id);
            if count > 0 {
                let _ = writeln!(
                    out,
                    "apiserver_storage_objects{{resource=\"{}\"}} {count}",
                    kind.qualified_plural()
                );
            }
        }
        out.push_str(&family(
            "fbc_reconciliations_total",
            "counter",
            "Number of times that controllers looked at an object.",
        ));
        let _ = writeln!(out, "fbc_reconciliations_total {}", cluster.reconciliations());
        out.push_str(&family(
            "fbc_virtual_time_seconds",
            "gauge",
            "The time of the cluster in seconds since 1970.",
        ));
        let _ = writeln!(out, "fbc_virtual_time_seconds {}.{:03}", api.now().0 / 1000, api.now().0 % 1000);
        out
    }
}
