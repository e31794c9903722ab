//! Probes: when a container is found to have started, to be ready, or to hang.
//!
//! Source: `kubernetes/kubernetes:pkg/kubelet/prober/{worker,prober_manager}.go`. A worker looks once in a period, from the start
//! of the container on; the reference adds chance to its first look, which this one does not.

use serde_json::Value;

use crate::object::ObjectFields;
use crate::time::{Milliseconds, Moment, SECOND};

/// How often a probe looks, and what counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Probe {
    initial_delay: Milliseconds,
    period: Milliseconds,
    success_threshold: u64,
    failure_threshold: u64,
    /// How long the container has to end once the probe has given it up, if the probe says so.
    pub(super) grace: Option<Milliseconds>,
}

impl Probe {
    /// The probe in a field of a container.
    pub(super) fn of(container: &Value, field: &str) -> Option<Self> {
        let probe = container.get(field).filter(|probe| probe.is_object())?;
        let number = |field: &str, default: u64| {
            probe.number(&[field]).and_then(|number| u64::try_from(number).ok()).unwrap_or(default)
        };
        let grace = probe.number(&["terminationGracePeriodSeconds"]);
        Some(Self {
            initial_delay: number("initialDelaySeconds", 0) * SECOND,
            period: number("periodSeconds", 10).max(1) * SECOND,
            success_threshold: number("successThreshold", 1).max(1),
            failure_threshold: number("failureThreshold", 3).max(1),
            grace: grace.and_then(|seconds| u64::try_from(seconds).ok()).map(|seconds| seconds * SECOND),
        })
    }

    /// The first look at a moment or later.
    fn look(&self, started: Moment, from: Moment) -> Moment {
        let earliest = from.max(started + self.initial_delay);
        started + earliest.since(started).div_ceil(self.period) * self.period
    }

    /// When enough looks in a row have succeeded, for an application that answers from a moment on.
    pub(super) fn succeeds(&self, started: Moment, answers: Moment) -> Moment {
        self.look(started, answers) + (self.success_threshold - 1) * self.period
    }

    /// When enough looks in a row have failed, for an application that is silent from a moment on.
    pub(super) fn fails(&self, started: Moment, silent: Moment) -> Moment {
        self.look(started, silent) + (self.failure_threshold - 1) * self.period
    }
}

/// What a probe says that fails.
pub(super) fn failure(container: &Value, field: &str, address: &str) -> String {
    let name = match field {
        "livenessProbe" => "Liveness",
        "startupProbe" => "Startup",
        _ => "Readiness",
    };
    let probe = container.get(field).unwrap_or(&Value::Null);
    let seconds = probe.number(&["timeoutSeconds"]).unwrap_or(1);
    let port = |handler: &str| probe.at(&[handler, "port"]).map(port_text).unwrap_or_default();
    let reason = if probe.get("httpGet").is_some() {
        let path = probe.at(&["httpGet", "path"]).and_then(Value::as_str).unwrap_or("/");
        let scheme = probe.at(&["httpGet", "scheme"]).and_then(Value::as_str).unwrap_or("HTTP");
        format!(
            "Get \"{}://{address}:{}{path}\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
            scheme.to_lowercase(),
            port("httpGet")
        )
    } else if probe.get("tcpSocket").is_some() {
        format!("dial tcp {address}:{}: i/o timeout", port("tcpSocket"))
    } else if probe.get("grpc").is_some() {
        format!(
            "timeout: failed to connect service \"{address}:{}\" within {seconds}s: context deadline exceeded",
            port("grpc")
        )
    } else {
        format!("command timed out after {seconds}s")
    };
    format!("{name} probe failed: {reason}")
}

fn port_text(port: &Value) -> String {
    port.as_str().map_or_else(|| port.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn looks_come_once_in_a_period() {
        let probe = Probe::of(
            &json!({"p": {"initialDelaySeconds": 5, "periodSeconds": 4, "successThreshold": 2}}),
            "p",
        );
        let (probe, start) = (probe.unwrap(), Moment::START);
        let at = |seconds: u64| start + seconds * SECOND;
        // Looks at 8, 12, 16 …
        assert_eq!(probe.succeeds(start, start), at(12));
        assert_eq!(probe.succeeds(start, at(9)), at(16));
        assert_eq!(probe.fails(start, at(20)), at(28));
        assert_eq!(Probe::of(&json!({}), "p"), None);
    }
}
