//! The `WWW-Authenticate` header: what a registry wants to be shown.

/// A way to authenticate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// User and password in each request.
    Basic,
    /// A token from elsewhere.
    Bearer {
        /// The address of the server that gives tokens.
        realm: String,
        /// What the token is for; passed on.
        service: Option<String>,
        /// Rights that the registry itself asks for.
        scope: Option<String>,
    },
}

/// The strongest challenge of all headers: bearer before basic.
///
/// Source: RFC 9110, section 11.6.1; `distribution/distribution:docs/content/spec/auth/token.md`.
#[must_use]
pub fn choose<'h>(headers: impl Iterator<Item = &'h str>) -> Option<Challenge> {
    let mut best = None;
    for header in headers {
        for (scheme, parameters) in parse(header) {
            let parameter = |name: &str| {
                parameters
                    .iter()
                    .find(|(key, _)| key.eq_ignore_ascii_case(name))
                    .map(|(_, value)| value.clone())
            };
            if scheme.eq_ignore_ascii_case("bearer") {
                if let Some(realm) = parameter("realm") {
                    let (service, scope) = (parameter("service"), parameter("scope"));
                    return Some(Challenge::Bearer { realm, service, scope });
                }
            } else if scheme.eq_ignore_ascii_case("basic") {
                best = Some(Challenge::Basic);
            }
        }
    }
    best
}

type Parameters = Vec<(String, String)>;

/// Divides a header into schemes with their parameters. What it does not understand it passes over.
fn parse(header: &str) -> Vec<(String, Parameters)> {
    let mut challenges: Vec<(String, Parameters)> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let word_ends = rest.find(|letter: char| !is_token(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word_ends);
        if word.is_empty() {
            let mut letters = after.chars();
            if letters.next().is_none() {
                return challenges;
            }
            rest = letters.as_str();
            continue;
        }
        match after.trim_start().strip_prefix('=') {
            Some(value) => {
                let (value, after) = parse_value(value.trim_start());
                if let Some((_, parameters)) = challenges.last_mut() {
                    parameters.push((word.to_owned(), value));
                }
                rest = after;
            }
            None => {
                challenges.push((word.to_owned(), Vec::new()));
                rest = after;
            }
        }
    }
}

fn parse_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.to_owned(), rest);
    };
    let mut value = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => value.extend(letters.next()),
            _ => value.push(letter),
        }
    }
    (value, letters.as_str())
}

fn is_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges() {
        let bearer = |realm: &str, service: Option<&str>, scope: Option<&str>| {
            let (service, scope) = (service.map(str::to_owned), scope.map(str::to_owned));
            Some(Challenge::Bearer { realm: realm.to_owned(), service, scope })
        };
        for (headers, expected) in [
            (vec!["Basic realm=\"x\""], Some(Challenge::Basic)),
            (vec!["basic"], Some(Challenge::Basic)),
            (
                vec!["Bearer realm=\"https://a.io/t\",service=\"r\",scope=\"repository:a/b:pull,push\""],
                bearer("https://a.io/t", Some("r"), Some("repository:a/b:pull,push")),
            ),
            (
                vec!["Basic realm=\"a\", Bearer realm=https://a.io/t , service=x"],
                bearer("https://a.io/t", Some("x"), None),
            ),
            (vec!["Basic realm=\"a, Bearer realm=\\\"b\""], Some(Challenge::Basic)),
            (vec!["Basic realm=x", "BEARER Realm = \"b\""], bearer("b", None, None)),
            (vec!["Bearer service=\"x\""], None),
            (vec!["Negotiate abc=="], None),
            (vec!["\"", "= = ,,", ""], None),
        ] {
            assert_eq!(choose(headers.iter().copied()), expected, "{headers:?}");
        }
    }
}
