//! Webhooks at URLs: the cluster sends them reviews over HTTPS, as an API server does.
//!
//! Services in the cluster have no processes behind them; a stand-in answers for those. A session holds the answers of the
//! others, so that it is played again without them.

mod recorded;
mod review;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use fbc_cluster::admission::webhooks::stand_in::StandIn;
use fbc_cluster::admission::webhooks::{CallError, WebhookCall, WebhookCaller};
use fbc_go::base64;
use fbc_registry::authorities::{Authorities, in_words};
use reqwest::Url;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use serde_json::Value;

pub(super) use self::recorded::RecordedWebhooks;
use self::review::response_of;
use super::trace::Trace;

/// An answer may be so large.
const MOST_BYTES: usize = 16 << 20;
const UNKNOWN_AUTHORITY: &str =
    "tls: failed to verify certificate: x509: certificate signed by unknown authority";

/// Why a webhook does not answer: what comes behind its address.
#[derive(Debug, thiserror::Error)]
enum PostError {
    #[error("{0}")]
    Address(String),
    #[error("webhooks on other machines are called with `--webhook-host {host}` only")]
    OtherMachine { host: String },
    #[error("{0}")]
    Tls(Box<dyn std::error::Error>),
    #[error(transparent)]
    Client(reqwest::Error),
    #[error("context deadline exceeded")]
    Timeout,
    #[error("dial tcp {host}:{port}: connect: connection refused")]
    Refused { host: String, port: u16 },
    #[error("{}", UNKNOWN_AUTHORITY)]
    UnknownAuthority,
    #[error("{0}")]
    Connection(String),
    #[error("the answer has more than {MOST_BYTES} bytes")]
    TooLarge,
}

/// Calls webhooks.
pub(super) struct Webhooks {
    /// For webhooks behind services.
    services: StandIn,
    /// Hosts besides this machine that may be called.
    hosts: Vec<String>,
    /// Where answers are written down.
    trace: Option<Trace>,
    runtime: tokio::runtime::Runtime,
    /// Clients by the certificate of the authority that they trust.
    clients: RefCell<HashMap<String, reqwest::Client>>,
}

impl Webhooks {
    /// Webhooks on this machine and these hosts.
    pub(super) fn new(services: StandIn, hosts: Vec<String>, trace: Option<Trace>) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { services, hosts, trace, runtime, clients: RefCell::default() })
    }

    fn may_call(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let address = bare(host).parse::<IpAddr>();
        host == "localhost"
            || address.is_ok_and(|address| address.is_loopback())
            || self.hosts.iter().any(|known| bare(known).eq_ignore_ascii_case(bare(host)))
    }

    fn client(&self, authority: &str) -> Result<reqwest::Client, PostError> {
        if let Some(client) = self.clients.borrow().get(authority) {
            return Ok(client.clone());
        }
        let tls = tls(authority).map_err(PostError::Tls)?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(PostError::Client)?;
        self.clients.borrow_mut().insert(authority.to_owned(), client.clone());
        Ok(client)
    }

    /// Sends a review.
    fn post(&self, url: &str, call: &WebhookCall<'_>) -> Result<(u16, Vec<u8>), PostError> {
        let url = Url::parse(url).map_err(|error| PostError::Address(error.to_string()))?;
        if !self.may_call(&url) {
            let host = url.host_str().unwrap_or_default().to_owned();
            return Err(PostError::OtherMachine { host });
        }
        let client = self.client(call.client["caBundle"].as_str().unwrap_or_default())?;
        let mut address = url.clone();
        address.set_query(Some(&format!("timeout={}s", call.timeout)));
        let request = client
            .post(address)
            .timeout(Duration::from_secs(call.timeout.max(1)))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, */*")
            .body(call.review.to_string());
        self.runtime.block_on(async {
            let mut response = request.send().await.map_err(|error| cause(&error, &url))?;
            let code = response.status().as_u16();
            let mut body: Vec<u8> = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| cause(&error, &url))? {
                body.extend_from_slice(&chunk);
                if body.len() > MOST_BYTES {
                    return Err(PostError::TooLarge);
                }
            }
            Ok((code, body))
        })
    }

    /// What a webhook at a URL answers.
    fn answer(&self, call: &WebhookCall<'_>) -> Result<Value, CallError> {
        let url = call.client["url"].as_str().unwrap_or_default();
        let (code, body) = self
            .post(url, call)
            .map_err(|cause| CallError::NoAnswer(format!("Post {:?}: {cause}", call.url())))?;
        match code {
            200..=299 => {}
            404 => {
                return Err(CallError::NoAnswer(
                    "the server could not find the requested resource".to_owned(),
                ));
            }
            500.. => {
                let text = String::from_utf8_lossy(&body);
                let text = format!(
                    "an error on the server ({:?}) has prevented the request from succeeding",
                    text.trim()
                );
                return Err(CallError::NoAnswer(text));
            }
            _ => {
                let text = "the server rejected our request for an unknown reason";
                return Err(CallError::NoAnswer(text.to_owned()));
            }
        }
        response_of(&body, call)
    }
}

impl WebhookCaller for Webhooks {
    fn call(&self, call: &WebhookCall<'_>) -> Result<Value, CallError> {
        if !is_at_url(call) {
            return self.services.call(call);
        }
        let answer = self.answer(call);
        if let Some(trace) = &self.trace {
            recorded::record(trace, call, &answer);
        }
        answer
    }
}

/// Whether a webhook is elsewhere, and not behind a service of the cluster.
fn is_at_url(call: &WebhookCall<'_>) -> bool {
    call.client["url"].as_str().is_some_and(|url| !url.is_empty())
}

/// A host without the brackets of addresses.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// What went wrong, in the words of a client of Go where they are known.
fn cause(error: &reqwest::Error, url: &Url) -> PostError {
    if error.is_timeout() {
        return PostError::Timeout;
    }
    let mut source: Option<&dyn std::error::Error> = Some(error);
    let mut last = error.to_string();
    while let Some(error) = source {
        last = error.to_string();
        if let Some(error) = error.downcast_ref::<io::Error>() {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                let host = url.host_str().unwrap_or_default().to_owned();
                return PostError::Refused { host, port: url.port_or_known_default().unwrap_or(443) };
            }
            match tls_error(error) {
                Some(rustls::Error::InvalidCertificate(
                    CertificateError::UnknownIssuer | CertificateError::BadSignature,
                )) => return PostError::UnknownAuthority,
                Some(rustls::Error::InvalidCertificate(reason)) => {
                    return PostError::Connection(in_words(reason));
                }
                _ => {}
            }
        }
        source = error.source();
    }
    PostError::Connection(last)
}

/// The error of TLS in an error of a connection, which may be in another one.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    inner.downcast_ref().or_else(|| inner.downcast_ref::<io::Error>().and_then(tls_error))
}

/// Trusts the authority of a configuration, or those of the system where it names none.
fn tls(authority: &str) -> Result<ClientConfig, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    let mut named = Vec::new();
    if authority.is_empty() {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    } else {
        let pem = base64::decode(authority).map_err(|error| error.to_string())?;
        named = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>()?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let authorities = Arc::new(Authorities::new(roots, named, provider)?);
    Ok(builder.dangerous().with_custom_certificate_verifier(authorities).with_no_client_auth())
}
