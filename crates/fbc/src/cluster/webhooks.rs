//! Webhooks at URLs: the cluster sends them reviews over HTTPS, as an API server does.
//!
//! Services in the cluster have no processes behind them; a stand-in answers for those.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use fbc_cluster::admission::webhooks::stand_in::StandIn;
use fbc_cluster::admission::webhooks::{CallError, WebhookCall, WebhookCaller};
use fbc_go::base64;
use reqwest::Url;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use serde_json::Value;

/// An answer may be so large.
const MOST_BYTES: usize = 16 << 20;
const UNKNOWN_AUTHORITY: &str =
    "tls: failed to verify certificate: x509: certificate signed by unknown authority";

/// Calls webhooks.
pub(super) struct Webhooks {
    /// For webhooks behind services.
    services: StandIn,
    /// Hosts besides this machine that may be called.
    hosts: Vec<String>,
    runtime: tokio::runtime::Runtime,
    /// Clients by the certificate of the authority that they trust.
    clients: RefCell<HashMap<String, reqwest::Client>>,
}

impl Webhooks {
    /// Webhooks on this machine and these hosts.
    pub(super) fn new(services: StandIn, hosts: Vec<String>) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { services, hosts, runtime, clients: RefCell::default() })
    }

    fn may_call(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let address = bare(host).parse::<IpAddr>();
        host == "localhost"
            || address.is_ok_and(|address| address.is_loopback())
            || self.hosts.iter().any(|known| bare(known).eq_ignore_ascii_case(bare(host)))
    }

    fn client(&self, authority: &str) -> Result<reqwest::Client, String> {
        if let Some(client) = self.clients.borrow().get(authority) {
            return Ok(client.clone());
        }
        let tls = tls(authority).map_err(|error| error.to_string())?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| error.to_string())?;
        self.clients.borrow_mut().insert(authority.to_owned(), client.clone());
        Ok(client)
    }

    /// Sends a review; the error says what comes behind the address.
    fn post(&self, url: &str, call: &WebhookCall<'_>) -> Result<(u16, Vec<u8>), String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        if !self.may_call(&url) {
            let host = url.host_str().unwrap_or_default();
            return Err(format!("webhooks on other machines are called with `--webhook-host {host}` only"));
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
                    return Err(format!("the answer has more than {MOST_BYTES} bytes"));
                }
            }
            Ok((code, body))
        })
    }
}

impl WebhookCaller for Webhooks {
    fn call(&self, call: &WebhookCall<'_>) -> Result<Value, CallError> {
        let Some(url) = call.client["url"].as_str().filter(|url| !url.is_empty()) else {
            return self.services.call(call);
        };
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

/// The response of a review.
///
/// Source: `kubernetes/apiserver:pkg/admission/plugin/webhook/request/admissionreview.go` (`VerifyAdmissionResponse`).
fn response_of(body: &[u8], call: &WebhookCall<'_>) -> Result<Value, CallError> {
    let mut answer: Value =
        serde_json::from_slice(body).map_err(|error| CallError::NoAnswer(error.to_string()))?;
    let response = answer.get_mut("response").map(Value::take).unwrap_or_default();
    if response.is_null() {
        return Err(CallError::Invalid("webhook response was absent".to_owned()));
    }
    // The older version leaves out what the answer is.
    let is_checked = call.review["apiVersion"] == "admission.k8s.io/v1";
    match fault(&answer, &response, call).filter(|_| is_checked) {
        Some(fault) => Err(CallError::Invalid(fault)),
        None => Ok(response),
    }
}

/// What keeps a response from being one to the review of a call.
fn fault(answer: &Value, response: &Value, call: &WebhookCall<'_>) -> Option<String> {
    fn text<'v>(of: &'v Value, field: &str) -> &'v str {
        of[field].as_str().unwrap_or_default()
    }
    let (wanted, found) = (text(&call.review["request"], "uid"), text(response, "uid"));
    if wanted != found {
        return Some(format!("expected response.uid={wanted:?}, got {found:?}"));
    }
    let (found, kind) = (text(answer, "apiVersion"), text(answer, "kind"));
    if found != text(call.review, "apiVersion") || kind != "AdmissionReview" {
        let (group, version) = found.split_once('/').unwrap_or(("", found));
        return Some(format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {group}/{version}, Kind={kind}"
        ));
    }
    let (has_patch, patch_type) = (!text(response, "patch").is_empty(), response["patchType"].as_str());
    let fault = match (call.is_mutating, has_patch, patch_type) {
        (true, true, None) => "webhook returned response.patch but not response.patchType",
        (true, false, Some(_)) => "webhook returned response.patchType but not response.patch",
        (true, true, Some("")) => "webhook returned invalid response.patchType of \"\"",
        (false, true, _) => "validating webhook may not return response.patch",
        (false, false, Some(_)) => "validating webhook may not return response.patchType",
        _ => return None,
    };
    Some(fault.to_owned())
}

/// A host without the brackets of addresses.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// What went wrong, in the words of a client of Go where they are known.
fn cause(error: &reqwest::Error, url: &Url) -> String {
    if error.is_timeout() {
        return "context deadline exceeded".to_owned();
    }
    let mut source: Option<&dyn std::error::Error> = Some(error);
    let mut last = error.to_string();
    while let Some(error) = source {
        last = error.to_string();
        if let Some(error) = error.downcast_ref::<io::Error>() {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default());
                return format!("dial tcp {host}:{}: connect: connection refused", port.unwrap_or(443));
            }
            if let Some(rustls::Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::BadSignature,
            )) = tls_error(error)
            {
                return UNKNOWN_AUTHORITY.to_owned();
            }
        }
        source = error.source();
    }
    last
}

/// The error of TLS in an error of a connection, which may be in another one.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    inner.downcast_ref().or_else(|| inner.downcast_ref::<io::Error>().and_then(tls_error))
}

/// Trusts the authority of a configuration, or those of the system where it names none.
fn tls(authority: &str) -> Result<ClientConfig, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    if authority.is_empty() {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    } else {
        let pem = base64::decode(authority).map_err(|error| error.to_string())?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            roots.add(certificate?)?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};

    use fbc_cluster::api::ApiServer;
    use fbc_cluster::control_plane::api_server;
    use fbc_cluster::time::Moment;
    use rustls::{ServerConfig, ServerConnection, StreamOwned};
    use serde_json::json;

    use super::*;

    /// A webhook that answers once with this code and body, and the certificate of its authority.
    fn webhook(code: u16, body: String) -> (SocketAddr, String) {
        let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let authority = base64::encode(certified.cert.pem().as_bytes());
        let key = rustls::pki_types::PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), stream);
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !request.ends_with(b"}") {
                match stream.read(&mut part) {
                    Ok(0) | Err(_) => return,
                    Ok(count) => request.extend_from_slice(&part[..count]),
                }
            }
            let head =
                format!("HTTP/1.1 {code} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            let _ = stream.flush();
        });
        (address, authority)
    }

    fn called(api: &ApiServer, client: &Value, hosts: &[&str]) -> Result<Value, String> {
        called_as(true, api, client, hosts)
    }

    fn called_as(
        is_mutating: bool,
        api: &ApiServer,
        client: &Value,
        hosts: &[&str],
    ) -> Result<Value, String> {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u1"},
        });
        let call = WebhookCall { webhook: "a.b.c", client, timeout: 5, review: &review, is_mutating, api };
        let webhooks = Webhooks::new(StandIn::default(), hosts).unwrap();
        webhooks.call(&call).map_err(|error| error.to_string())
    }

    fn review(response: Value) -> String {
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
            .to_string()
    }

    #[test]
    fn reviews_are_sent_and_answered() {
        let api = api_server(&[], 1, Moment::START);
        let cases = [
            (200, review(json!({"uid": "u1", "allowed": true})), Ok(json!({"uid": "u1", "allowed": true}))),
            (
                200,
                review(json!({"uid": "u2", "allowed": true})),
                Err("received invalid webhook response: expected response.uid=\"u1\", got \"u2\""),
            ),
            (200, "{}".to_owned(), Err("received invalid webhook response: webhook response was absent")),
            (
                200,
                review(json!({"uid": "u1", "allowed": true, "patch": "W10="})),
                Err(
                    "received invalid webhook response: webhook returned response.patch but not response.patchType",
                ),
            ),
            (
                200,
                review(json!({"uid": "u1", "allowed": true, "patchType": "JSONPatch"})),
                Err(
                    "received invalid webhook response: webhook returned response.patchType but not response.patch",
                ),
            ),
            (
                200,
                json!({"response": {"uid": "u1", "allowed": true}}).to_string(),
                Err(
                    "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
                ),
            ),
            (200, "x".to_owned(), Err("failed to call webhook: expected value at line 1 column 1")),
            (
                404,
                String::new(),
                Err("failed to call webhook: the server could not find the requested resource"),
            ),
            (
                500,
                "no\n".to_owned(),
                Err(
                    "failed to call webhook: an error on the server (\"no\") has prevented the request from succeeding",
                ),
            ),
        ];
        for (code, body, expected) in cases {
            let (address, authority) = webhook(code, body);
            let url = format!("https://localhost:{}/check", address.port());
            let client = json!({"url": url, "caBundle": authority});
            assert_eq!(called(&api, &client, &[]), expected.map_err(str::to_owned));
        }
    }

    #[test]
    fn webhooks_that_validate_change_nothing() {
        let api = api_server(&[], 1, Moment::START);
        for field in ["patch", "patchType"] {
            let mut response = json!({"uid": "u1", "allowed": true});
            response[field] = "JSONPatch".into();
            let (address, authority) = webhook(200, review(response));
            let url = format!("https://LOCALHOST:{}/check", address.port());
            let error = called_as(false, &api, &json!({"url": url, "caBundle": authority}), &[]).unwrap_err();
            let text = format!("validating webhook may not return response.{field}");
            assert_eq!(error, format!("received invalid webhook response: {text}"));
        }
    }

    #[test]
    fn hosts_are_the_same_without_brackets_and_case() {
        let hosts = ["EXAMPLE.org", "2001:db8::1"].map(str::to_owned).to_vec();
        let webhooks = Webhooks::new(StandIn::default(), hosts).unwrap();
        for (url, expected) in [
            ("https://Example.org/", true),
            ("https://[2001:DB8::1]/", true),
            ("https://[::1]/", true),
            ("https://example.com/", false),
        ] {
            assert_eq!(webhooks.may_call(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn what_cannot_be_reached_is_told_in_the_words_of_the_client() {
        let api = api_server(&[], 1, Moment::START);
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let refused = format!("https://127.0.0.1:{free}/x");
        assert_eq!(
            called(&api, &json!({"url": refused}), &[]),
            Err(format!(
                "failed to call webhook: Post \"{refused}?timeout=5s\": dial tcp 127.0.0.1:{free}: connect: connection refused"
            ))
        );
        let (address, _) = webhook(200, String::new());
        let other = base64::encode(
            rcgen::generate_simple_self_signed(vec!["other".to_owned()]).unwrap().cert.pem().as_bytes(),
        );
        let url = format!("https://localhost:{}/", address.port());
        let error = called(&api, &json!({"url": url, "caBundle": other}), &[]).unwrap_err();
        assert!(error.ends_with(UNKNOWN_AUTHORITY), "{error}");
        let error = called(&api, &json!({"url": "https://example.com/"}), &["example.org"]).unwrap_err();
        assert!(error.ends_with("called with `--webhook-host example.com` only"), "{error}");
    }
}
