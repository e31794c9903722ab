//! Paths that are not resources: the version, health, figures, keys, documents, and the time of the cluster.

use fbc_cluster::error::ApiError;
use fbc_cluster::kubernetes_version::KubernetesVersion;
use fbc_cluster::time::Milliseconds;
use http::Method;
use serde_json::{Value, json};

use crate::actor::{Actor, TimeMode};
use crate::answer::{Answer, Content};
use crate::authentication::ISSUER;
use crate::later::{Later, Work};
use crate::request::{Query, Request};
use crate::resources::{method_not_allowed, not_found};

/// The version that the recordings of behaviour come from.
/// The path of the cluster's time, for `fbc cluster advance`.
pub const TIME_PATH: &str = "/fbc/time";
/// So far time can be moved in one request.
const LONGEST_PASS: Milliseconds = 366 * 24 * 3600 * 1000;

impl Actor<'_> {
    pub(crate) fn non_resource(
        &mut self,
        request: &Request,
        query: &Query,
        path: &str,
    ) -> Result<Answer, ApiError> {
        let is_read = request.method == Method::GET || request.method == Method::HEAD;
        if path == TIME_PATH {
            return self.time(request, query, is_read);
        }
        let path = path.trim_end_matches('/');
        let answer = match path {
            "/version" => Answer::json(version(self.cluster.api.kubernetes())),
            "/healthz" | "/livez" | "/readyz" => Answer::text(health(path.trim_start_matches('/'), query)),
            "/metrics" => {
                let text = self.metrics.text(self.cluster, self.watches.count());
                Answer::new(200, Content::Bytes("text/plain; version=0.0.4; charset=utf-8", text.into()))
            }
            "/openid/v1/jwks" => {
                let keys = self.settings.tokens.key_set().to_string();
                Answer::new(200, Content::Bytes("application/jwk-set+json", keys.into()))
            }
            "/.well-known/openid-configuration" => Answer::json(json!({
                "issuer": ISSUER, "jwks_uri": format!("https://{}/openid/v1/jwks", self.settings.address),
                "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA"],
            })),
            "" => Answer::json(json!({"paths": self.paths()})),
            _ if path.starts_with("/openapi/") => self.openapi(request, path)?,
            _ => not_found(),
        };
        if is_read || answer.code == 404 { Ok(answer) } else { Err(method_not_allowed()) }
    }

    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> =
            ["/.well-known/openid-configuration", "/api", "/api/v1", "/apis"].map(str::to_owned).to_vec();
        let versions = self.group_versions();
        let mut groups: Vec<&str> = versions.iter().map(|(group, _)| group.as_str()).collect();
        groups.dedup();
        for group in groups.into_iter().filter(|group| !group.is_empty()) {
            paths.push(format!("/apis/{group}"));
            let own = versions.iter().filter(|(of, _)| of == group);
            paths.extend(own.map(|(group, version)| format!("/apis/{group}/{version}")));
        }
        let rest = [
            "/healthz",
            "/livez",
            "/metrics",
            "/openapi/v2",
            "/openapi/v3",
            "/openid/v1/jwks",
            "/readyz",
            "/version",
        ];
        paths.extend(rest.map(str::to_owned));
        paths
    }

    /// The time of the cluster; a POST with `advance` in milliseconds moves it.
    fn time(&mut self, request: &Request, query: &Query, is_read: bool) -> Result<Answer, ApiError> {
        if request.method == Method::POST {
            let span = query.number("advance")?.and_then(|span| Milliseconds::try_from(span).ok());
            let span = span.filter(|span| *span <= LONGEST_PASS).ok_or_else(|| {
                ApiError::bad_request(format!("advance is a number of milliseconds up to {LONGEST_PASS}"))
            })?;
            return Ok(Answer::new(200, Content::Later(Later(Work::Pass(span)))));
        }
        if is_read { Ok(self.time_answer()) } else { Err(method_not_allowed()) }
    }

    /// What is said of the time of the cluster.
    pub(crate) fn time_answer(&self) -> Answer {
        let mode = match self.settings.time {
            TimeMode::Still => "still",
            TimeMode::Paused => "paused",
            TimeMode::Flowing => "flowing",
        };
        Answer::json(json!({"now": self.cluster.now().to_string(), "mode": mode}))
    }
}

fn version(version: KubernetesVersion) -> Value {
    let (major, minor, before) =
        ("1", version.minor.to_string(), version.minor.saturating_sub(1).to_string());
    json!({
        "major": major, "minor": minor, "gitVersion": version.to_string(), "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "fbc", "platform": "simulated/any",
        "emulationMajor": major, "emulationMinor": minor, "minCompatibilityMajor": major, "minCompatibilityMinor": before,
    })
}

fn health(name: &str, query: &Query) -> String {
    if query.flag("verbose") {
        format!("[+]ping ok\n[+]etcd ok\n[+]informer-sync ok\n{name} check passed\n")
    } else {
        "ok".to_owned()
    }
}
