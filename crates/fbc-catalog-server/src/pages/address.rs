//! The addresses of the pages, read and written.

use std::fmt::Write as _;

/// What an address means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The catalogs.
    Start,
    /// A file that all pages use, by name.
    File(String),
    /// Something of a catalog.
    Catalog(String, Section),
}

/// Something of a catalog.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// All packages.
    Packages,
    /// All deprecations.
    Deprecations,
    /// What a word is found in.
    Search,
    /// Something of a package.
    Package(String, Part),
}

/// Something of a package.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// What there is to know at a glance.
    Overview,
    /// The icon.
    Icon,
    /// The page with the upgrade graph.
    Graph,
    /// The drawing in that page.
    Drawing,
    /// Which bundle a cluster would get.
    Resolve,
    /// A bundle, by name.
    Bundle(String),
}

/// Reads the path of a request; nothing if there is no such page.
pub(super) fn read(path: &str) -> Option<Asked> {
    let rest = path.strip_prefix("/ui")?;
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    let parts: Vec<String> =
        rest.trim_matches('/').split('/').map(|part| decoded(part, false)).collect::<Option<_>>()?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Some(match parts[..] {
        [""] => Asked::Start,
        // No catalog has an underscore in its name.
        ["_", file] => Asked::File(file.to_owned()),
        [catalog, ref rest @ ..] => Asked::Catalog(catalog.to_owned(), section(rest)?),
        [] => return None,
    })
}

fn section(parts: &[&str]) -> Option<Section> {
    let (package, part) = match *parts {
        [] => return Some(Section::Packages),
        ["deprecations"] => return Some(Section::Deprecations),
        ["search"] => return Some(Section::Search),
        ["packages", package] => (package, Part::Overview),
        ["packages", package, "icon"] => (package, Part::Icon),
        ["packages", package, "graph"] => (package, Part::Graph),
        ["packages", package, "graph", "drawing"] => (package, Part::Drawing),
        ["packages", package, "resolve"] => (package, Part::Resolve),
        ["packages", package, "bundles", bundle] => (package, Part::Bundle(bundle.to_owned())),
        _ => return None,
    };
    Some(Section::Package(package.to_owned(), part))
}

/// The values of a query in their order; what is malformed is left out.
pub(super) fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter_map(|(name, value)| Some((decoded(name, true)?, decoded(value, true)?))).collect()
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
                bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// A text as a part of an address.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            // Writing to a String never fails.
            byte => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

/// The page with the packages of a catalog.
pub(super) fn catalog(catalog: &str) -> String {
    format!("/ui/{}/", encoded(catalog))
}

/// The deprecations of a catalog.
pub(super) fn deprecations(catalog: &str) -> String {
    format!("/ui/{}/deprecations", encoded(catalog))
}

/// The search in a catalog.
pub(super) fn search(catalog: &str) -> String {
    format!("/ui/{}/search", encoded(catalog))
}

/// The page of a package.
pub(super) fn package(catalog: &str, package: &str) -> String {
    format!("/ui/{}/packages/{}", encoded(catalog), encoded(package))
}

/// The page of a bundle.
pub(super) fn bundle(catalog: &str, package: &str, bundle: &str) -> String {
    format!("{}/bundles/{}", self::package(catalog, package), encoded(bundle))
}

/// The icon of a package.
pub(super) fn icon(catalog: &str, package: &str) -> String {
    format!("{}/icon", self::package(catalog, package))
}

/// The page with the upgrade graph of a package, and a bundle chosen in it, or none.
pub(super) fn graph(catalog: &str, package: &str, chosen: Option<&str>) -> String {
    let query = chosen.map(|name| format!("?version={}", encoded(name))).unwrap_or_default();
    format!("{}/graph{query}", self::package(catalog, package))
}

/// The drawing in that page, and a bundle chosen in it, or none.
pub(super) fn drawing(catalog: &str, package: &str, chosen: Option<&str>) -> String {
    let fragment = chosen.map(|name| format!("#version={}", encoded(name))).unwrap_or_default();
    format!("{}/graph/drawing{fragment}", self::package(catalog, package))
}

/// The question which bundle of a package a cluster would get that has a bundle installed, or none.
pub(super) fn resolve(catalog: &str, package: &str, installed: Option<&str>) -> String {
    let query = installed.map(|name| format!("?installed={}", encoded(name))).unwrap_or_default();
    format!("{}/resolve{query}", self::package(catalog, package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let of = |package: &str, part| {
            Some(Asked::Catalog("c".to_owned(), Section::Package(package.to_owned(), part)))
        };
        for (path, expected) in [
            ("/ui", Some(Asked::Start)),
            ("/ui/", Some(Asked::Start)),
            ("/ui/_/style.css", Some(Asked::File("style.css".to_owned()))),
            ("/ui/c/", Some(Asked::Catalog("c".to_owned(), Section::Packages))),
            ("/ui/c/search", Some(Asked::Catalog("c".to_owned(), Section::Search))),
            ("/ui/c/packages/p%2Fq", of("p/q", Part::Overview)),
            ("/ui/c/packages/p/bundles/p.v1%3C", of("p", Part::Bundle("p.v1<".to_owned()))),
            ("/ui/c/packages/p/graph/drawing", of("p", Part::Drawing)),
            ("/ui/c/packages", None),
            ("/ui/c/packages/%zz", None),
            ("/ui/c/packages/%ff", None),
            ("/uix", None),
            ("/", None),
        ] {
            assert_eq!(read(path), expected, "{path}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let of = |part| Asked::Catalog("c".to_owned(), Section::Package("p/q".to_owned(), part));
        let catalog = |section| Asked::Catalog("c".to_owned(), section);
        for (address, expected) in [
            (super::catalog("c"), catalog(Section::Packages)),
            (deprecations("c"), catalog(Section::Deprecations)),
            (search("c"), catalog(Section::Search)),
            (package("c", "p/q"), of(Part::Overview)),
            (icon("c", "p/q"), of(Part::Icon)),
            (graph("c", "p/q", None), of(Part::Graph)),
            (graph("c", "p/q", Some("b&c")), of(Part::Graph)),
            (drawing("c", "p/q", None), of(Part::Drawing)),
            (resolve("c", "p/q", None), of(Part::Resolve)),
            (resolve("c", "p/q", Some("b&c")), of(Part::Resolve)),
            (bundle("c", "p/q", "b"), of(Part::Bundle("b".to_owned()))),
        ] {
            let (path, _) = address.split_once('?').unwrap_or((&address, ""));
            assert_eq!(read(path), Some(expected), "{address}");
        }
        assert_eq!(drawing("c", "p", Some("b&c")), "/ui/c/packages/p/graph/drawing#version=b%26c");
    }

    #[test]
    fn names_survive_addresses() {
        for name in ["a", "a/b", "..", "ü & <x>", "a%2Fb", "a?b#c", "\u{202e}x", ""] {
            let asked = read(&bundle("c", "p", name));
            let expected = Section::Package("p".to_owned(), Part::Bundle(name.to_owned()));
            match name {
                // A bundle without a name has no page.
                "" => assert_eq!(asked, None),
                _ => assert_eq!(asked, Some(Asked::Catalog("c".to_owned(), expected)), "{name}"),
            }
        }
        let pairs = query("a=b+c&d=%3C&e&=f&g=%");
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(pairs, [("a", "b c"), ("d", "<"), ("e", ""), ("", "f")]);
    }

    #[test]
    fn broken_addresses_are_read_or_refused() {
        for broken in fbc_testing::broken_variants("/ui/c%2F/packages/p/bundles/%C3%A9?a=%41&b+c;d") {
            let (path, text) = broken.split_once('?').unwrap_or((&broken, ""));
            if let Some(Asked::Catalog(name, Section::Package(package, Part::Bundle(bundle)))) = read(path) {
                let again = Section::Package(package.clone(), Part::Bundle(bundle.clone()));
                let address = super::bundle(&name, &package, &bundle);
                assert_eq!(read(&address), Some(Asked::Catalog(name, again)), "{broken:?}");
            }
            assert!(query(text).len() <= text.matches('&').count() + 1);
        }
    }
}
