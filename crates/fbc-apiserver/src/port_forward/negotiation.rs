//! Which protocol a client wants to speak.

use http::header::{self, HeaderMap};

use crate::request::Query;

/// The header by which clients of SPDY name what their streams are for.
pub(super) const STREAM_PROTOCOL_HEADER: &str = "x-stream-protocol-version";
/// Streams that carry ports.
pub(super) const STREAM_PROTOCOL: &str = "portforward.k8s.io";
/// The same through a WebSocket.
const TUNNEL: &str = "SPDY/3.1+portforward.k8s.io";
/// Channels of a WebSocket; those in base64 are not spoken.
const CHANNELS: &str = "v4.channel.k8s.io";
/// So many ports have channels at most: a channel is one byte, and each port has two.
const PORTS: usize = 128;

/// How ports are carried.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// As streams of SPDY.
    Spdy,
    /// As streams of SPDY in the messages of a WebSocket.
    Tunnel { key: String, subprotocol: Option<&'static str> },
    /// As channels of a WebSocket.
    Channels { key: String, subprotocol: Option<&'static str>, ports: Vec<u16> },
}

/// Why there is nothing that a client and this server both speak.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unspoken {
    #[error("Upgrade request required")]
    NoUpgrade,
    #[error(
        "unable to upgrade: unable to negotiate protocol: client supports [{}], server accepts [{known}]",
        offered.join(", ")
    )]
    Protocol { offered: Vec<String>, known: String },
    #[error("expected a WebSocket of version 13 with its key")]
    WebSocket,
    #[error("query parameter \"ports\" is required")]
    NoPorts,
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("at most {PORTS} ports are carried over a connection")]
    TooManyPorts,
}

/// A text that is not the number of a port.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PortError {
    #[error("port {0:?} must be > 0")]
    Zero(String),
    #[error("unable to parse {0:?} as a port")]
    NoNumber(String),
}

/// What a client and this server both speak, or why there is nothing.
pub(super) fn negotiated(asked: &HeaderMap, query: &str) -> Result<Protocol, Unspoken> {
    let upgrade = all(asked, header::UPGRADE.as_str());
    if upgrade.iter().any(|one| one.eq_ignore_ascii_case("SPDY/3.1")) {
        let offered = all(asked, STREAM_PROTOCOL_HEADER);
        return match offered.iter().any(|one| one == STREAM_PROTOCOL) {
            true => Ok(Protocol::Spdy),
            false => Err(Unspoken::Protocol { offered, known: STREAM_PROTOCOL.to_owned() }),
        };
    }
    if !upgrade.iter().any(|one| one.eq_ignore_ascii_case("websocket")) {
        return Err(Unspoken::NoUpgrade);
    }
    let key = all(asked, header::SEC_WEBSOCKET_KEY.as_str()).join(",");
    if key.is_empty() || all(asked, header::SEC_WEBSOCKET_VERSION.as_str()) != ["13"] {
        return Err(Unspoken::WebSocket);
    }
    let offered = all(asked, header::SEC_WEBSOCKET_PROTOCOL.as_str());
    if offered.iter().any(|one| one == TUNNEL) {
        return Ok(Protocol::Tunnel { key, subprotocol: Some(TUNNEL) });
    }
    let subprotocol = match offered.iter().any(|one| one == CHANNELS) {
        true => Some(CHANNELS),
        false if offered.is_empty() => None,
        false => return Err(Unspoken::Protocol { offered, known: format!("{TUNNEL}, {CHANNELS}") }),
    };
    Ok(Protocol::Channels { key, subprotocol, ports: ports(query)? })
}

/// The values of a header, which may be given several times and hold several each.
fn all(asked: &HeaderMap, name: &str) -> Vec<String> {
    let lines = asked.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let values = lines.flat_map(|line| line.split(',')).map(|value| value.trim().to_owned());
    values.filter(|value| !value.is_empty()).collect()
}

/// The ports that have channels.
///
/// Source: `kubernetes/kubernetes:pkg/kubelet/cri/streaming/portforward/websocket.go` (`NewV4Options`).
fn ports(query: &str) -> Result<Vec<u16>, Unspoken> {
    let query = Query::read(query);
    let given: Vec<&str> = query.all("ports").collect();
    if given.is_empty() {
        return Err(Unspoken::NoPorts);
    }
    let texts = given.iter().flat_map(|text| text.split(','));
    let ports = texts.map(port).collect::<Result<Vec<u16>, _>>()?;
    match ports.len() > PORTS {
        true => Err(Unspoken::TooManyPorts),
        false => Ok(ports),
    }
}

/// The number of a port.
pub(super) fn port(text: &str) -> Result<u16, PortError> {
    match text.parse::<u16>() {
        Ok(0) => Err(PortError::Zero(text.to_owned())),
        Ok(port) => Ok(port),
        Err(_) => Err(PortError::NoNumber(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn web_socket(subprotocols: &'static str) -> HeaderMap {
        let mut asked =
            asked(&[("upgrade", "WebSocket"), ("sec-websocket-key", "k"), ("sec-websocket-version", "13")]);
        asked.insert("sec-websocket-protocol", subprotocols.parse().unwrap());
        asked
    }

    #[test]
    fn protocols_are_chosen_by_what_clients_offer() {
        let spdy = [("upgrade", "spdy/3.1"), ("x-stream-protocol-version", "portforward.k8s.io")];
        assert_eq!(negotiated(&asked(&spdy), ""), Ok(Protocol::Spdy));
        let key = || "k".to_owned();
        assert_eq!(
            negotiated(&web_socket("SPDY/3.1+portforward.k8s.io"), ""),
            Ok(Protocol::Tunnel { key: key(), subprotocol: Some(TUNNEL) })
        );
        assert_eq!(
            negotiated(&web_socket("v5.channel.k8s.io, v4.channel.k8s.io"), "ports=1,2&ports=3"),
            Ok(Protocol::Channels { key: key(), subprotocol: Some(CHANNELS), ports: vec![1, 2, 3] })
        );
        assert_eq!(
            negotiated(&web_socket(""), "ports=80"),
            Ok(Protocol::Channels { key: key(), subprotocol: None, ports: vec![80] })
        );
    }

    #[test]
    fn what_nobody_speaks_is_refused() {
        for (asked, query, text) in [
            (asked(&[]), "", "Upgrade request required"),
            (asked(&[("upgrade", "h2c")]), "", "Upgrade request required"),
            (asked(&[("upgrade", "SPDY/3.1")]), "", "server accepts [portforward.k8s.io]"),
            (asked(&[("upgrade", "websocket")]), "", "a WebSocket of version 13"),
            (web_socket("base64.channel.k8s.io"), "", "client supports [base64.channel.k8s.io]"),
            (web_socket(""), "", "query parameter \"ports\" is required"),
            (web_socket(""), "ports=0", "port \"0\" must be > 0"),
            (web_socket(""), "ports=65536", "unable to parse \"65536\" as a port"),
        ] {
            let error = negotiated(&asked, query).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }
}
