//! The text that compressed headers of SPDY/3 begin with, which both sides know.
//!
//! Source: section 2.6.10.1 of the protocol draft.

/// Names and values, each behind its length.
const WORDS: [&str; 65] = [
    "options",
    "head",
    "post",
    "put",
    "delete",
    "trace",
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "age",
    "allow",
    "authorization",
    "cache-control",
    "connection",
    "content-base",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-md5",
    "content-range",
    "content-type",
    "date",
    "etag",
    "expect",
    "expires",
    "from",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "last-modified",
    "location",
    "max-forwards",
    "pragma",
    "proxy-authenticate",
    "proxy-authorization",
    "range",
    "referer",
    "retry-after",
    "server",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    "warning",
    "www-authenticate",
    "method",
    "get",
    "status",
    "200 OK",
    "version",
    "HTTP/1.1",
    "url",
    "public",
    "set-cookie",
    "keep-alive",
    "origin",
];

/// What follows them, without lengths.
const REST: &str = "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 N\
    on-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized4\
    03 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJa\
    n Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTc\
    hunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain\
    ,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,e\
    nq=0.";

/// The dictionary.
pub(super) fn dictionary() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1423);
    for word in WORDS {
        // None is longer than a line.
        bytes.extend([0, 0, 0, word.len() as u8]);
        bytes.extend(word.as_bytes());
    }
    bytes.extend(REST.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::dictionary;

    #[test]
    fn it_has_the_sum_by_which_clients_ask_for_it() {
        let (mut low, mut high) = (1_u32, 0_u32);
        for byte in dictionary() {
            low = (low + u32::from(byte)) % 65_521;
            high = (high + low) % 65_521;
        }
        assert_eq!(high << 16 | low, 0xe3c6_a7c2);
    }
}
