//! Under which names a server may be asked, and for whose pages.
//!
//! A page of a stranger reaches servers of this machine and of its network through the browser of whoever reads it. It
//! reads answers if its own name is made to lead here, and then the browser names it in `Host`; it may send what
//! needs no answer, and then the browser names it in `Origin`. Programs send no foreign `Host`, and an `Origin` only if they
//! pass on what a page of their own sends, as proxies and consoles do.

use std::net::IpAddr;

use http::header::{self, HeaderMap, HeaderValue};
use http::request::Parts;
use http::uri::Authority;
use http::{Method, StatusCode, Version};

/// Last labels of names that nobody can register: this machine, services of clusters, and networks of one owner.
const UNREGISTRABLE: [&str; 3] = [LOCAL, "svc", "internal"];

/// This machine.
const LOCAL: &str = "localhost";

/// Services of a cluster with its usual domain.
const CLUSTER_DOMAIN: &str = ".cluster.local";

/// The names by which a server answers.
///
/// Addresses always do, and so do names that nobody can register and lead here: names without a dot, and those below
/// `localhost`, `svc`, `internal` and `cluster.local`. Others are given, or stand in the certificate.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    names: Vec<String>,
    is_any: bool,
}

/// Why a request is not answered.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stranger {
    /// The name is not one of this server.
    #[error(
        "unknown host {0} (protection against DNS rebinding): add `--allow-host {0}` if the name is right"
    )]
    Host(String),
    /// What is asked for is not the name of a host.
    #[error("the request does not name the host that it is for: {0:?} is not a name and a port")]
    Malformed(String),
    /// A page of another server sends something.
    #[error("cross-origin request refused (Origin: {0}): this server accepts requests of its own pages only")]
    Origin(String),
}

impl Stranger {
    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Host(_) => StatusCode::MISDIRECTED_REQUEST,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Origin(_) => StatusCode::FORBIDDEN,
        }
    }
}

impl Hosts {
    /// These names too; one that begins with `*.` is for all names with one label more, as in certificates.
    pub fn named(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self { names: names.into_iter().map(|name| canonical(name.as_ref())).collect(), is_any: false }
    }

    /// Whatever name over HTTP/2, which browsers do not speak without encryption; over HTTP/1 the usual ones.
    #[must_use]
    pub fn any() -> Self {
        Self { names: Vec::new(), is_any: true }
    }

    /// Whether the server answers by a name, without a port.
    #[must_use]
    pub fn allows(&self, host: &str) -> bool {
        let host = canonical(host);
        address(&host).is_some()
            || !host.contains('.')
            || host.ends_with(CLUSTER_DOMAIN)
            || host.rsplit('.').next().is_some_and(|last| UNREGISTRABLE.contains(&last))
            || self.has(&host)
    }

    /// Whether a name in its canonical form was given.
    fn has(&self, host: &str) -> bool {
        self.names.iter().any(|name| covers(name, host))
    }

    /// Whether pages of a host are of the same owner as the server: those of this machine, and of names that were given.
    /// An address elsewhere, or a name of a network, may be anyone's.
    fn trusts(&self, host: &str) -> bool {
        let host = canonical(host);
        let is_local = |address: IpAddr| match address {
            IpAddr::V4(address) => address.is_loopback(),
            IpAddr::V6(address) => {
                address.is_loopback() || address.to_ipv4_mapped().is_some_and(|address| address.is_loopback())
            }
        };
        address(&host).is_some_and(is_local)
            || host == LOCAL
            || host.strip_suffix(LOCAL).is_some_and(|above| above.ends_with('.'))
            || self.has(&host)
    }

    /// Whether a request is for this server, and not sent by a browser for a page of another one. `certificate` has
    /// the names in the certificate of the connection.
    ///
    /// # Errors
    /// [`Stranger`]
    pub fn check(&self, request: &Parts, certificate: &Self) -> Result<(), Stranger> {
        let asked = asked(request)?;
        if self.is_any && request.version == Version::HTTP_2 {
            return Ok(());
        }
        for authority in &asked {
            let host = authority.host();
            if !self.allows(host) && !certificate.allows(host) {
                return Err(Stranger::Host(host.to_owned()));
            }
        }
        // Without a host, the request is not of a browser.
        if asked.is_empty() || !changes(request) || has_token(request) {
            return Ok(());
        }
        match request.headers.get(header::ORIGIN) {
            Some(origin) => {
                let is_own = Page::read(origin).is_some_and(|page| {
                    self.trusts(page.host())
                        || certificate.has(&canonical(page.host()))
                        || asked.iter().any(|authority| page.is_of(authority))
                });
                match is_own {
                    true => Ok(()),
                    false => Err(Stranger::Origin(String::from_utf8_lossy(origin.as_bytes()).into_owned())),
                }
            }
            None => match text(&request.headers, "sec-fetch-site") {
                Some(site @ ("cross-site" | "same-site")) => {
                    Err(Stranger::Origin(format!("unknown, {site}")))
                }
                _ => Ok(()),
            },
        }
    }
}

/// Whom a request is for: the target, if it says so, and the header. Programs of HTTP/1.0 say nothing.
fn asked(request: &Parts) -> Result<Vec<Authority>, Stranger> {
    let mut asked: Vec<Authority> = request.uri.authority().cloned().into_iter().collect();
    for value in request.headers.get_all(header::HOST).iter().filter(|value| !value.is_empty()) {
        let malformed = || Stranger::Malformed(String::from_utf8_lossy(value.as_bytes()).into_owned());
        asked.push(Authority::try_from(value.as_bytes()).map_err(|_| malformed())?);
    }
    match asked.iter().find(|authority| authority.host().is_empty() || authority.as_str().contains('@')) {
        Some(other) => Err(Stranger::Malformed(other.to_string())),
        None => Ok(asked),
    }
}

/// Whether a request may change something, or begin another protocol.
fn changes(request: &Parts) -> bool {
    let is_read = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&request.method);
    !is_read || request.headers.contains_key(header::UPGRADE)
}

/// Whether a request says with a token who sends it. A page can have that sent elsewhere only if the server there agrees
/// (CORS), which none of ours does. Passwords do not count, for browsers add those by themselves, and neither do tokens
/// in `Sec-WebSocket-Protocol`: every page may write there what it likes.
fn has_token(request: &Parts) -> bool {
    let scheme = text(&request.headers, header::AUTHORIZATION.as_str()).and_then(|text| text.split_once(' '));
    scheme.is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
}

/// Where a page came from.
struct Page {
    authority: Authority,
    /// The port of the scheme, for what does not write one.
    usual_port: u16,
}

impl Page {
    /// Reads an `Origin`; none if it is not that of a server.
    fn read(origin: &HeaderValue) -> Option<Self> {
        let origin = http::Uri::try_from(origin.as_bytes()).ok()?;
        let usual_port = match origin.scheme_str()? {
            "http" | "ws" => 80,
            "https" | "wss" => 443,
            _ => return None,
        };
        let authority = origin.authority().filter(|authority| !authority.as_str().contains('@'))?.clone();
        Some(Self { authority, usual_port })
    }

    fn host(&self) -> &str {
        self.authority.host()
    }

    /// Whether it came from where a request goes to.
    fn is_of(&self, asked: &Authority) -> bool {
        let port = |authority: &Authority| authority.port_u16().unwrap_or(self.usual_port);
        canonical(self.host()) == canonical(asked.host()) && port(&self.authority) == port(asked)
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// A name as it is compared: in small letters, without the dot at the end that says that it is whole.
fn canonical(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    host.strip_suffix('.').map_or_else(|| host.clone(), str::to_owned)
}

/// The address that is written in place of a name.
fn address(host: &str) -> Option<IpAddr> {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    inner.split('%').next().unwrap_or(inner).parse().ok()
}

fn covers(name: &str, host: &str) -> bool {
    match name.strip_prefix("*.") {
        Some(above) => host.split_once('.').is_some_and(|(_, rest)| rest == above),
        None => name == host,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use http::Request;

    use super::*;

    fn checked(method: &str, target: &str, headers: &[(&str, &str)]) -> Option<u16> {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let hosts = Hosts::named(["Catalogs.example.com"]);
        let certificate = Hosts::named(["*.cert.example"]);
        hosts.check(&parts, &certificate).err().map(|stranger| stranger.status().as_u16())
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for host in [
            "127.0.0.1:8080",
            "[::1]:8080",
            "10.1.2.3",
            "localhost:1",
            "LOCALHOST.",
            "a.localhost:80",
            "catalogs",
            "catalogd-service.olmv1-system.svc:443",
            "registry.kube-system.svc.cluster.local",
            "host.docker.internal:5000",
            "catalogs.example.com:443",
            "CATALOGS.example.COM.",
            "a.cert.example",
        ] {
            assert_eq!(checked("GET", "/", &[("host", host)]), None, "{host}");
            assert_eq!(checked("GET", &format!("http://{host}/"), &[]), None, "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:80",
            "evil.example.com",
            "a.catalogs.example.com",
            "a.b.cert.example",
            "cert.example",
            "1.2.3.4.5",
            "printer.local",
            "a.svc.evil.example",
        ] {
            assert_eq!(checked("GET", "/", &[("host", host)]), Some(421), "{host}");
            assert_eq!(checked("GET", &format!("http://{host}/"), &[("host", "localhost")]), Some(421));
            assert_eq!(checked("GET", "http://localhost/", &[("host", host)]), Some(421), "{host}");
            assert_eq!(checked("GET", "/", &[("host", "localhost"), ("host", host)]), Some(421), "{host}");
        }
        for host in ["localhost@evil.example", "a b", "http://localhost/", ":80"] {
            assert_eq!(checked("GET", "/", &[("host", host)]), Some(400), "{host}");
        }
        // Browsers always say whom they ask.
        assert_eq!(checked("GET", "/", &[]), None);
        assert_eq!(checked("GET", "/", &[("host", "")]), None);
    }

    #[test]
    fn pages_of_others_change_nothing() {
        let host = ("host", "127.0.0.1:8080");
        for (method, other, refused) in [
            ("POST", ("origin", "http://127.0.0.1:8080"), false),
            // What this machine's user has running: `kubectl proxy`, consoles.
            ("POST", ("origin", "http://127.0.0.1:9090"), false),
            ("POST", ("origin", "http://[::1]:9090"), false),
            ("POST", ("origin", "http://localhost"), false),
            ("POST", ("origin", "https://console.localhost:1"), false),
            ("POST", ("origin", "https://catalogs.example.com:9000"), false),
            ("POST", ("origin", "https://a.cert.example"), false),
            ("POST", ("origin", "https://evil.example"), true),
            ("POST", ("origin", "http://127.0.0.1.evil.example:8080"), true),
            ("POST", ("origin", "http://evillocalhost"), true),
            ("POST", ("origin", "http://localhost@evil.example"), true),
            ("POST", ("origin", "http://203.0.113.5:8080"), true),
            ("POST", ("origin", "http://wiki"), true),
            ("POST", ("origin", "http://a.b.svc"), true),
            ("POST", ("origin", "file://localhost"), true),
            ("DELETE", ("origin", "null"), true),
            ("POST", ("sec-fetch-site", "cross-site"), true),
            ("POST", ("sec-fetch-site", "same-origin"), false),
            ("POST", ("accept", "*/*"), false),
            ("GET", ("origin", "https://evil.example"), false),
        ] {
            let status = checked(method, "/", &[host, other]);
            assert_eq!(status, refused.then_some(403), "{method} {other:?}");
        }
        let upgrade = ("upgrade", "websocket");
        let evil = ("origin", "https://evil.example");
        assert_eq!(checked("GET", "/", &[host, upgrade, evil]), Some(403));
        assert_eq!(checked("GET", "/", &[host, upgrade, ("origin", "http://localhost")]), None);
        // A server elsewhere knows its own pages.
        let elsewhere = ("host", "10.1.2.3:8080");
        assert_eq!(checked("POST", "/", &[elsewhere, ("origin", "http://10.1.2.3:8080")]), None);
        assert_eq!(checked("POST", "/", &[elsewhere, ("origin", "http://10.1.2.3:9090")]), Some(403));
        // What a page cannot send by itself is not of a page; what it can send proves nothing.
        let cross = ("sec-fetch-site", "cross-site");
        for (credential, refused) in [
            (("authorization", "Bearer abc"), false),
            (("authorization", "bearer abc"), false),
            (("authorization", "Basic abc"), true),
            (("authorization", "Negotiate abc"), true),
            (("sec-websocket-protocol", "base64url.bearer.authorization.k8s.io.abc"), true),
        ] {
            for foreign in [evil, cross] {
                let status = checked("POST", "/", &[host, foreign, credential]);
                assert_eq!(status, refused.then_some(403), "{credential:?} {foreign:?}");
            }
            let status = checked("GET", "/", &[host, upgrade, evil, credential]);
            assert_eq!(status, refused.then_some(403), "{credential:?}");
        }
        assert_eq!(checked("GET", "/", &[("host", "a"), upgrade, ("origin", "https://a:443")]), None);
    }

    #[test]
    fn what_browsers_do_not_speak_may_have_any_name() {
        let checked = |version: Version, host: &str| {
            let request = Request::builder().method("POST").version(version).header("host", host);
            let (parts, ()) = request.body(()).unwrap().into_parts();
            Hosts::any().check(&parts, &Hosts::default()).err().map(|stranger| stranger.status().as_u16())
        };
        for host in ["catalog.olm:50051", "catalogs.example.com"] {
            assert_eq!(checked(Version::HTTP_2, host), None, "{host}");
            assert_eq!(checked(Version::HTTP_11, host), Some(421), "{host}");
        }
        assert_eq!(checked(Version::HTTP_11, "catalog.olm.svc:50051"), None);
    }
}
