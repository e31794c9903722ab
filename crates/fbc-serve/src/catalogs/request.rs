//! What a request to catalogd's API asks for.

use http::Method;

use super::store::Selection;

/// What a path and a query mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// All blobs of a catalog.
    All(String),
    /// Some blobs of a catalog.
    Metas(String, Selection),
}

/// A request that gets an error: the code, and the text if it is not that of the code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    pub(super) code: u16,
    pub(super) text: Option<String>,
}

impl Rejection {
    pub(super) fn new(code: u16) -> Self {
        Self { code, text: None }
    }
}

/// The parameters of a request for some blobs.
const PARAMETERS: [&str; 3] = ["schema", "package", "name"];

/// Reads a request.
pub(super) fn read(method: &Method, path: &str, query: &str) -> Result<Asked, Rejection> {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let ["catalogs", catalog, "api", "v1", endpoint] = parts[..] else { return Err(Rejection::new(404)) };
    if !matches!(endpoint, "all" | "metas") {
        return Err(Rejection::new(404));
    }
    if method != Method::GET && method != Method::HEAD {
        return Err(Rejection { code: 405, text: Some("Method Not Allowed".to_owned()) });
    }
    if endpoint == "all" {
        return Ok(Asked::All(catalog.to_owned()));
    }
    Ok(Asked::Metas(catalog.to_owned(), selection(query)?))
}

/// Reads the parameters; the first of a name counts, as in Go.
fn selection(query: &str) -> Result<Selection, Rejection> {
    let mut values: [Option<String>; 3] = [None, None, None];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
            return Err(Rejection::new(400));
        };
        let Some(index) = PARAMETERS.iter().position(|known| *known == name) else {
            return Err(Rejection::new(400));
        };
        values[index].get_or_insert(value);
    }
    let [schema, package, name] = values.map(Option::unwrap_or_default);
    Ok(Selection { schema, package, name })
}

/// The text of a part of a query; nothing if it is malformed.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let value = digit()? * 16 + digit()?;
                bytes.push(u8::try_from(value).ok()?);
            }
            b';' => return None,
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let selection = |schema: &str, package: &str, name: &str| Selection {
            schema: schema.to_owned(),
            package: package.to_owned(),
            name: name.to_owned(),
        };
        for (path, query, expected) in [
            ("/catalogs/a/api/v1/all", "", Ok(Asked::All("a".to_owned()))),
            ("/catalogs/a/api/v1/all", "x=1", Ok(Asked::All("a".to_owned()))),
            ("/catalogs/a/api/v1/metas", "", Ok(Asked::Metas("a".to_owned(), selection("", "", "")))),
            (
                "/catalogs/a/api/v1/metas",
                "schema=olm.bundle&package=b%2Dc&name=d+e&schema=other",
                Ok(Asked::Metas("a".to_owned(), selection("olm.bundle", "b-c", "d e"))),
            ),
            ("/catalogs/a/api/v1/metas", "schemas=x", Err(Rejection::new(400))),
            ("/catalogs/a/api/v1/metas", "schema=%zz", Err(Rejection::new(400))),
            ("/catalogs/a/api/v1/", "", Err(Rejection::new(404))),
            ("/catalogs/a/all", "", Err(Rejection::new(404))),
            ("/", "", Err(Rejection::new(404))),
        ] {
            assert_eq!(read(&Method::GET, path, query), expected, "{path}?{query}");
        }
        let refused = read(&Method::POST, "/catalogs/a/api/v1/all", "").map_err(|rejection| rejection.code);
        assert_eq!(refused, Err(405));
    }
}
