//! Names of catalogs: `NAME=REF` on a command line, or made of the reference.

use std::path::{Path, PathBuf};

use fbc_source::Error;

/// The name and the reference of `NAME=REF`; of a reference alone the name is made.
pub fn named(text: &str) -> Result<(String, PathBuf), Error> {
    match text.split_once('=') {
        Some((name, reference)) if is_name(name) && !reference.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(reference)))
        }
        Some((name, "")) if is_name(name) => Err(Error::new(format!("the catalog {text:?} has no content"))
            .help("write `NAME=REF`, with a directory, a file or an image as REF")),
        _ => match derived(Path::new(text)) {
            Some(name) => Ok((name, PathBuf::from(text))),
            None => Err(Error::new(format!("no name for a catalog can be made of {text:?}"))
                .help("write `NAME=REF`; a name has lower-case letters, digits, `-` and `.`")),
        },
    }
}

/// Whether Kubernetes takes it as a name: URLs of catalogd hold names of ClusterCatalogs.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    !name.is_empty() && name.bytes().all(fits) && !name.starts_with(['-', '.']) && !name.ends_with(['-', '.'])
}

/// The last part of a directory, a file without its ending, or the repository of an image.
fn derived(path: &Path) -> Option<String> {
    if path.as_os_str() == "-" {
        return Some("stdin".to_owned());
    }
    let whole = path.canonicalize().ok();
    let last = whole.as_deref().unwrap_or(path).file_name()?.to_string_lossy().to_lowercase();
    let end = last.find(['@', ':']).unwrap_or(last.len());
    let mut name = last.get(..end)?.to_owned();
    if path.is_file() {
        name = name.split('.').next()?.to_owned();
    }
    is_name(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_or_made() {
        for (text, expected) in [
            ("a.b=x/y", Some(("a.b", "x/y"))),
            ("quay.io/me/catalog:v4.19", Some(("catalog", "quay.io/me/catalog:v4.19"))),
            ("quay.io/me/Catalog@sha256:0", Some(("catalog", "quay.io/me/Catalog@sha256:0"))),
            ("-", Some(("stdin", "-"))),
            ("a=", None),
            ("/", None),
            ("a_b", None),
        ] {
            let named = named(text).ok();
            let named = named.as_ref().map(|(name, path)| (name.as_str(), path.to_str().unwrap()));
            assert_eq!(named, expected, "{text}");
        }
    }
}
