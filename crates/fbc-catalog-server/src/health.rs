//! What probes and Prometheus ask.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where a catalog stands.
#[derive(Debug, Clone, Default)]
struct Standing {
    is_served: bool,
    loads: u64,
    refusals: u64,
    /// Why the newest content is not served, if it is not.
    fault: Option<String>,
}

/// What is known of a server's work.
#[derive(Debug, Default)]
pub(super) struct Health {
    catalogs: Mutex<BTreeMap<String, Standing>>,
    http_requests: AtomicU64,
    grpc_requests: AtomicU64,
}

impl Health {
    fn with<T>(&self, catalog: &str, change: impl FnOnce(&mut Standing) -> T) -> T {
        let mut catalogs = self.catalogs.lock().unwrap_or_else(PoisonError::into_inner);
        change(catalogs.entry(catalog.to_owned()).or_default())
    }

    /// Makes a catalog known that is not there yet.
    pub(super) fn expects(&self, catalog: &str) {
        self.with(catalog, |_| ());
    }

    pub(super) fn loaded(&self, catalog: &str) {
        self.with(catalog, |standing| {
            standing.is_served = true;
            standing.loads += 1;
            standing.fault = None;
        });
    }

    pub(super) fn refused(&self, catalog: &str, fault: &str) {
        self.with(catalog, |standing| {
            standing.refusals += 1;
            standing.fault = Some(fault.to_owned());
        });
    }

    /// Why the newest content of a catalog is not served, if it is not.
    pub(super) fn fault(&self, catalog: &str) -> Option<String> {
        self.with(catalog, |standing| standing.fault.clone())
    }

    pub(super) fn count_http(&self) {
        self.http_requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_grpc(&self) {
        self.grpc_requests.fetch_add(1, Ordering::Relaxed);
    }

    /// The answer to a probe: whether all catalogs are served, and what is wrong with each.
    pub(super) fn readiness(&self) -> (bool, String) {
        let catalogs = self.catalogs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (name, standing) in catalogs.iter() {
            let state = if standing.is_served { "served" } else { "not served" };
            // Writing to a String never fails.
            let _ = match &standing.fault {
                None => writeln!(text, "{name}: {state}"),
                Some(fault) => writeln!(text, "{name}: {state}; its newest content is refused: {fault}"),
            };
        }
        (catalogs.values().all(|standing| standing.is_served), text)
    }

    /// All figures in the text format of Prometheus.
    pub(super) fn metrics(&self) -> String {
        let catalogs = self.catalogs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, of: &dyn Fn(&Standing) -> u64| {
            // Writing to a String never fails.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (catalog, standing) in catalogs.iter() {
                let label = catalog.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                let _ = writeln!(text, "{name}{{catalog=\"{label}\"}} {}", of(standing));
            }
        };
        family("fbc_catalog_served", "gauge", "Whether the catalog is served.", &|standing| {
            u64::from(standing.is_served)
        });
        family("fbc_catalog_stale", "gauge", "Whether newer content was refused.", &|standing| {
            u64::from(standing.fault.is_some())
        });
        family("fbc_catalog_loads_total", "counter", "How often content was loaded.", &|standing| {
            standing.loads
        });
        family("fbc_catalog_refusals_total", "counter", "How often content was refused.", &|standing| {
            standing.refusals
        });
        for (api, count) in [("http", &self.http_requests), ("grpc", &self.grpc_requests)] {
            let name = format!("fbc_{api}_requests_total");
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(text, "# HELP {name} Requests.\n# TYPE {name} counter\n{name} {count}");
        }
        text
    }
}
