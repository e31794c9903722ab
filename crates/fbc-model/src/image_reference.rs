//! Image references, as strict as Docker's familiar form: `[domain/]path[:tag][@digest]`.
//!
//! Source of the behaviour: `containers/image:docker/reference/normalize.go`, `reference.go`, `regexp.go` and
//! `opencontainers/go-digest:digest.go`. Newer versions of `distribution/reference` differ: they know addresses of
//! IPv6, and take a first part with capital letters for a registry.

/// Why a text is not an image reference. The texts are the reference's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// A bare digest could be meant.
    #[error("invalid repository name ({0}), cannot specify 64-byte hexadecimal strings")]
    BareDigest(String),
    /// Capital letters in the path.
    #[error("invalid reference format: repository name must be lowercase")]
    Uppercase,
    /// Capital letters in what would be a path otherwise.
    #[error("repository name must be lowercase")]
    UppercaseName,
    /// It does not have the form.
    #[error("invalid reference format")]
    Format,
    /// The path is too long.
    #[error("repository name must not be more than 255 characters")]
    TooLong,
    /// The digest has the wrong number of digits.
    #[error("invalid checksum digest length")]
    DigestLength,
    /// The digest is not in lower-case hexadecimal.
    #[error("invalid checksum digest format")]
    DigestFormat,
    /// The algorithm of the digest is not known.
    #[error("unsupported digest algorithm")]
    DigestAlgorithm,
}

/// The parts of an image reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageReference {
    /// The registry; `docker.io` where the text names none, and nothing where the first part can only be a path.
    pub domain: String,
    /// The repository.
    pub path: String,
    /// The tag.
    pub tag: Option<String>,
    /// The digest with its algorithm.
    pub digest: Option<String>,
}

/// Reads a reference; short names get Docker's defaults.
///
/// # Errors
/// [`ReferenceError`]
pub fn parse(text: &str) -> Result<ImageReference, ReferenceError> {
    if text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(ReferenceError::BareDigest(text.to_owned()));
    }
    let (domain, remainder) = split_domain(text);
    let before_tag = remainder.split(':').next().unwrap_or(&remainder);
    if before_tag.to_lowercase() != before_tag {
        return Err(ReferenceError::Uppercase);
    }
    let (name, digest) = match remainder.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (remainder.as_str(), None),
    };
    let (path, tag) = match name.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (name, None),
    };
    let is_path = |text: &str| text.split('/').all(is_path_component);
    let has_registry = is_domain(&domain);
    let is_well_formed = |domain: &str| {
        (has_registry || is_path_component(domain))
            && is_path(path)
            && tag.is_none_or(is_tag)
            && digest.is_none_or(has_form_of_digest)
    };
    if !is_well_formed(&domain) {
        let is_well_formed_otherwise = is_well_formed(&domain.to_lowercase());
        return Err(if is_well_formed_otherwise {
            ReferenceError::UppercaseName
        } else {
            ReferenceError::Format
        });
    }
    if domain.len() + 1 + path.len() > 255 {
        return Err(ReferenceError::TooLong);
    }
    if let Some(digest) = digest {
        check_digest(digest)?;
    }
    let (domain, path) =
        if has_registry { (domain, path.to_owned()) } else { (String::new(), format!("{domain}/{path}")) };
    Ok(ImageReference { domain, path, tag: tag.map(str::to_owned), digest: digest.map(str::to_owned) })
}

fn split_domain(text: &str) -> (String, String) {
    let (mut domain, mut remainder) = match text.split_once('/') {
        Some((first, rest)) if first.contains(['.', ':']) || first == "localhost" => {
            (first.to_owned(), rest.to_owned())
        }
        _ => ("docker.io".to_owned(), text.to_owned()),
    };
    if domain == "index.docker.io" {
        domain = "docker.io".to_owned();
    }
    if domain == "docker.io" && !remainder.contains('/') {
        remainder = format!("library/{remainder}");
    }
    (domain, remainder)
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (domain, None),
    };
    let is_component = |component: &str| {
        !component.is_empty()
            && !component.starts_with('-')
            && !component.ends_with('-')
            && component.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    host.split('.').all(is_component) && port.is_none_or(is_port)
}

fn is_port(port: &str) -> bool {
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Letters and digits with single separators between: `.`, `_`, `__`, or any number of `-`.
fn is_path_component(component: &str) -> bool {
    let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    let bytes = component.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    is_word(first)
        && is_word(last)
        && bytes.chunk_by(|a, b| is_word(*a) == is_word(*b)).all(|run| {
            run.first().is_some_and(|&byte| is_word(byte))
                || matches!(run, [b'.' | b'_'] | [b'_', b'_'])
                || run.iter().all(|&byte| byte == b'-')
        })
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=128).contains(&tag.len())
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// `algorithm[separator algorithm]*:hex{32,}`
fn has_form_of_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let is_part = |part: &str| {
        part.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(is_part)
        && hex.len() >= 32
        && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn check_digest(digest: &str) -> Result<(), ReferenceError> {
    let (algorithm, hex) = digest.split_once(':').ok_or(ReferenceError::Format)?;
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err(ReferenceError::DigestAlgorithm),
    };
    if hex.len() != length {
        return Err(ReferenceError::DigestLength);
    }
    if hex.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(ReferenceError::DigestFormat);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        use ReferenceError::*;
        let hex = "0123456789abcdef".repeat(4);
        let long = format!("quay.io/{}", "a".repeat(248));
        let tag = |length: usize| format!("quay.io/a:{}", "t".repeat(length));
        for (text, expected) in [
            ("quay.io/ns/alpha:v1".to_owned(), Ok("quay.io ns/alpha v1 -")),
            ("foo".to_owned(), Ok("docker.io library/foo - -")),
            ("foo/bar".to_owned(), Ok("docker.io foo/bar - -")),
            ("localhost/foo".to_owned(), Ok("localhost foo - -")),
            ("localhost:5000/foo:1".to_owned(), Ok("localhost:5000 foo 1 -")),
            ("Quay.io/foo".to_owned(), Ok("Quay.io foo - -")),
            ("[::1]:5000/foo".to_owned(), Err(Format)),
            ("[::1]/foo".to_owned(), Err(Format)),
            ("a_b.c/d".to_owned(), Ok(" a_b.c/d - -")),
            ("a_B.c/d".to_owned(), Err(UppercaseName)),
            ("A/b".to_owned(), Err(Uppercase)),
            ("quay.io/a__b/c---d/e.f".to_owned(), Ok("quay.io a__b/c---d/e.f - -")),
            (hex.clone(), Err(BareDigest(hex.clone()))),
            ("http://x".to_owned(), Err(Format)),
            ("bad image".to_owned(), Err(Format)),
            ("quay.io/ns/alpha :v1".to_owned(), Err(Format)),
            ("quay.io/NS/Alpha::bad".to_owned(), Err(Uppercase)),
            ("quay.io/ns/alpha:".to_owned(), Err(Format)),
            ("quay.io/ns/alpha-bundle:v1.0.0+a".to_owned(), Err(Format)),
            ("quay.io/a___b".to_owned(), Err(Format)),
            ("quay.io/a@sha256:abcd".to_owned(), Err(Format)),
            (format!("quay.io/a@sha256:{hex}0"), Err(DigestLength)),
            (format!("quay.io/a@sha256:{}", hex.to_uppercase()), Err(DigestFormat)),
            (format!("quay.io/a@md5:{hex}"), Err(DigestAlgorithm)),
            (long, Err(TooLong)),
            (tag(129), Err(Format)),
            (String::new(), Err(Format)),
        ] {
            let shown = parse(&text).map(|reference| {
                let or_dash = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
                format!(
                    "{} {} {} {}",
                    reference.domain,
                    reference.path,
                    or_dash(reference.tag),
                    or_dash(reference.digest)
                )
            });
            assert_eq!(shown, expected.map(str::to_owned), "{text}");
        }
        assert!(parse(&tag(128)).is_ok());
        assert!(parse(&format!("quay.io/a:t@sha256:{hex}")).is_ok());
    }
}
