//! What a request to catalogd's API asks for.

use http::Method;

use super::fields::Fields;
use super::store::Selection;

/// What a path and a query mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The name of the catalog.
    pub(super) catalog: String,
    pub(super) what: What,
}

/// What is wanted of a catalog.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    /// All blobs.
    All,
    /// Some blobs, or some fields of them.
    Metas(Selection, Option<Fields>),
    /// The packages at a glance.
    Packages,
    /// The answer to a question in the body.
    Graphql,
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

    /// A path that nobody serves, in the words of Go's router.
    pub(super) fn unknown_path() -> Self {
        Self { code: 404, text: Some("404 page not found".to_owned()) }
    }
}

/// The parameters of a request for some blobs; catalogd does not know the last.
const PARAMETERS: [&str; 4] = ["schema", "package", "name", "fields"];

/// Reads a request.
pub(super) fn read(method: &Method, path: &str, query: &str) -> Result<Asked, Rejection> {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let ["catalogs", catalog, "api", "v1", endpoint] = parts[..] else {
        return Err(Rejection::unknown_path());
    };
    let is_question = endpoint == "graphql";
    let allowed: &[Method] = if is_question { &[Method::POST] } else { &[Method::GET, Method::HEAD] };
    if !is_question && !matches!(endpoint, "all" | "metas" | "packages") {
        return Err(Rejection::unknown_path());
    }
    if !allowed.contains(method) {
        return Err(Rejection { code: 405, text: Some("Method Not Allowed".to_owned()) });
    }
    let catalog = decoded(catalog, false).ok_or(Rejection::new(400))?;
    check_name(&catalog)?;
    let what = match endpoint {
        "all" => What::All,
        "packages" => What::Packages,
        "graphql" => What::Graphql,
        _ => metas(query)?,
    };
    Ok(Asked { catalog, what })
}

/// Refuses what is not the name of a ClusterCatalog.
///
/// Source: `operator-framework/operator-controller:internal/catalogd/server/handlers.go`, and
/// `kubernetes/apimachinery:pkg/util/validation`.
fn check_name(name: &str) -> Result<(), Rejection> {
    let is_edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(is_edge)
            && bytes.last().is_some_and(is_edge)
            && bytes.iter().all(|byte| is_edge(byte) || *byte == b'-')
    };
    let mut errors = Vec::new();
    if name.len() > 253 {
        errors.push("must be no more than 253 bytes");
    }
    if !name.split('.').all(is_label) {
        errors.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
             and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        );
    }
    match errors.is_empty() {
        true => Ok(()),
        false => {
            let text = format!("invalid catalog name: {}", errors.join("; "));
            Err(Rejection { code: 400, text: Some(text) })
        }
    }
}

/// Reads the parameters; the first of a name counts, as in Go.
fn metas(query: &str) -> Result<What, Rejection> {
    let mut values = PARAMETERS.map(|_| None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(value)) = (decoded(name, true), decoded(value, true)) else {
            return Err(Rejection::new(400));
        };
        let Some(index) = PARAMETERS.iter().position(|known| *known == name) else {
            return Err(Rejection::new(400));
        };
        values[index].get_or_insert(value);
    }
    let [schema, package, name, fields] = values.map(Option::unwrap_or_default);
    let fields = match fields.as_str() {
        "" => None,
        text => Some(Fields::parse(text).ok_or_else(|| Rejection {
            code: 400,
            text: Some(format!("invalid fields {text:?}: write names such as name,properties.type")),
        })?),
    };
    Ok(What::Metas(Selection { schema, package, name }, fields))
}

/// The text of a part of an address; nothing if it is malformed. In a query, `+` is a blank.
fn decoded(text: &str, is_query: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' if is_query => bytes.push(b' '),
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let value = digit()? * 16 + digit()?;
                bytes.push(u8::try_from(value).ok()?);
            }
            b';' if is_query => return None,
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
        let asked = |what| Ok(Asked { catalog: "a".to_owned(), what });
        let metas = |schema: &str, package: &str, name: &str, fields: Option<&str>| {
            let selection =
                Selection { schema: schema.to_owned(), package: package.to_owned(), name: name.to_owned() };
            asked(What::Metas(selection, fields.and_then(Fields::parse)))
        };
        for (path, query, expected) in [
            ("/catalogs/a/api/v1/all", "", asked(What::All)),
            ("/catalogs/a/api/v1/all", "x=1", asked(What::All)),
            ("/catalogs/a/api/v1/packages", "", asked(What::Packages)),
            ("/catalogs/a/api/v1/metas", "", metas("", "", "", None)),
            (
                "/catalogs/a/api/v1/metas",
                "schema=olm.bundle&package=b%2Dc&name=d+e&schema=other",
                metas("olm.bundle", "b-c", "d e", None),
            ),
            ("/catalogs/a/api/v1/metas", "fields=name,a.b", metas("", "", "", Some("name,a.b"))),
            ("/catalogs/a/api/v1/metas", "schemas=x", Err(Rejection::new(400))),
            ("/catalogs/a/api/v1/metas", "schema=%zz", Err(Rejection::new(400))),
            ("/catalogs/a/api/v1/", "", Err(Rejection::unknown_path())),
            ("/catalogs/a/all", "", Err(Rejection::unknown_path())),
            ("/", "", Err(Rejection::unknown_path())),
        ] {
            assert_eq!(read(&Method::GET, path, query), expected, "{path}?{query}");
        }
        assert_eq!(read(&Method::POST, "/catalogs/a/api/v1/graphql", ""), asked(What::Graphql));
    }

    #[test]
    fn refusals_have_their_codes_and_words() {
        for (method, path, code, words) in [
            (Method::POST, "/catalogs/a/api/v1/all", 405, "Method Not Allowed"),
            (Method::GET, "/catalogs/a/api/v1/graphql", 405, "Method Not Allowed"),
            (
                Method::GET,
                "/catalogs/A_b/api/v1/all",
                400,
                "invalid catalog name: a lowercase RFC 1123 subdomain",
            ),
            (
                Method::GET,
                "/catalogs/..%2Fa/api/v1/all",
                400,
                "invalid catalog name: a lowercase RFC 1123 subdomain",
            ),
            (Method::GET, "/catalogs/a/api/v1/metas?fields=a..b", 400, "invalid fields \"a..b\""),
        ] {
            let (path, query) = path.split_once('?').unwrap_or((path, ""));
            let rejection = read(&method, path, query).unwrap_err();
            assert_eq!(rejection.code, code, "{path}");
            assert!(rejection.text.unwrap().starts_with(words), "{path}");
        }
    }
}
