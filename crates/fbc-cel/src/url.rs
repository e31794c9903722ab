//! Addresses as Go's `net/url` and `net` take them apart.

use std::net::IpAddr;

/// The parts of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// In lower case; empty where there is none.
    pub scheme: String,
    /// With the port, if there is one.
    pub host: String,
    /// What stands behind the host.
    pub path: String,
    /// What stands behind the question mark.
    pub query: String,
}

impl Url {
    /// Takes an address apart as `ParseRequestURI` does: it has a scheme, or is a path from the root.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.chars().any(|character| character.is_ascii_control()) {
            return None;
        }
        let (scheme, rest) = match text.find(':') {
            Some(colon) if is_scheme(&text[..colon]) => {
                (text[..colon].to_ascii_lowercase(), &text[colon + 1..])
            }
            Some(0) => return None,
            _ => (String::new(), text),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let query = query.to_owned();
        if !rest.starts_with('/') {
            // An address such as `urn:a:b` says nothing about hosts and paths.
            let opaque = !scheme.is_empty() && !rest.is_empty();
            return opaque.then(|| Self { scheme, host: String::new(), path: String::new(), query });
        }
        let (host, path) = match rest.strip_prefix("//") {
            Some(after) if !(scheme.is_empty() && after.starts_with('/')) => {
                let end = after.find('/').unwrap_or(after.len());
                let authority = &after[..end];
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                (host, &after[end..])
            }
            _ => ("", rest),
        };
        let fits = has_escapes_right(path) && is_host(host);
        fits.then(|| Self { scheme, host: host.to_owned(), path: path.to_owned(), query })
    }

    /// The host without port and brackets.
    pub(crate) fn hostname(&self) -> &str {
        let host = split_port(&self.host).0;
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    /// The port, or nothing.
    pub(crate) fn port(&self) -> &str {
        split_port(&self.host).1
    }

    /// Names and values of the query, in order; `+` and `%..` are decoded.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        self.query
            .split('&')
            .filter(|part| !part.is_empty() && !part.contains(';'))
            .map(|part| {
                let (name, value) = part.split_once('=').unwrap_or((part, ""));
                (decode(name), decode(value))
            })
            .collect()
    }

    /// The path with `%..` where it is needed.
    pub(crate) fn escaped_path(&self) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@%!'()*[]".contains(&byte);
        let escape =
            |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        self.path.bytes().map(escape).collect()
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.'))
}

fn split_port(host: &str) -> (&str, &str) {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => (&host[..colon], &host[colon + 1..]),
        _ => (host, ""),
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = split_port(host);
    let closed = !name.starts_with('[') || name.ends_with(']');
    let fits = |byte: u8| {
        !byte.is_ascii() || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&byte)
    };
    closed
        && name.bytes().all(fits)
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && has_escapes_right(name)
}

fn has_escapes_right(text: &str) -> bool {
    text.split('%')
        .skip(1)
        .all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut index) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(index) {
        let code = (byte == b'%').then(|| text.get(index + 1..index + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                index += 2;
            }
            None => out.push(if byte == b'+' { b' ' } else { byte }),
        }
        index += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// As `net.ParseCIDR`.
#[must_use]
pub fn is_cidr(text: &str) -> bool {
    text.split_once('/').is_some_and(|(address, bits)| {
        let most = match address.parse() {
            Ok(IpAddr::V4(_)) => 32,
            Ok(IpAddr::V6(_)) => 128,
            Err(_) => return false,
        };
        let digits =
            bits.bytes().all(|byte| byte.is_ascii_digit()) && (bits.len() == 1 || !bits.starts_with('0'));
        digits && bits.parse::<u8>().is_ok_and(|bits| bits <= most)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_addresses() {
        for (text, scheme, host, port, path) in [
            ("https://a.b:80/c?d=e", "https", "a.b", "80", "/c"),
            ("http://[::1]:8/x", "http", "::1", "8", "/x"),
            ("/only/path", "", "", "", "/only/path"),
            ("http://user@host", "http", "host", "", ""),
        ] {
            let url = Url::parse(text).expect(text);
            assert_eq!((&*url.scheme, url.hostname(), url.port(), &*url.path), (scheme, host, port, path));
        }
        for text in ["", "a b", "relative", "http://a:b/", "http://a/%zz", ":x"] {
            assert_eq!(Url::parse(text), None, "{text}");
        }
    }
}
