//! What Kubernetes asks of names.
//!
//! Source: `kubernetes/apimachinery:pkg/util/validation/validation.go`.

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// An RFC 1123 label: at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends.
pub(super) fn is_dns_label(text: &str) -> bool {
    text.len() <= 63 && is_part(text)
}

/// An RFC 1123 subdomain: labels with dots between them, at most 253 characters in all.
pub(super) fn is_dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_part)
}

fn is_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().copied().is_some_and(is_word)
        && bytes.last().copied().is_some_and(is_word)
        && bytes.iter().all(|byte| is_word(*byte) || *byte == b'-')
}

/// What is wrong with the name of a cluster service version: it must be an RFC 1123 subdomain, and it
/// becomes the value of a label, which has at most 63 characters.
pub(super) fn csv_name_fault(text: &str) -> Option<&'static str> {
    if text.len() > 63 {
        Some("it has more than 63 characters, and it becomes the value of a label")
    } else if !is_dns_subdomain(text) {
        Some("use lower-case letters, digits, `-` and `.`, with a letter or digit at both ends of each part")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(is_dns_label("a-1") && !is_dns_label("a.b") && !is_dns_label("A") && !is_dns_label(""));
        assert!(is_dns_label(&"a".repeat(63)) && !is_dns_label(&"a".repeat(64)));
        assert!(
            is_dns_subdomain("foo.v1.0.0-rc1") && !is_dns_subdomain("foo..v1") && !is_dns_subdomain("-a")
        );
        assert_eq!(csv_name_fault("foo.v1.0.0"), None);
        assert!(csv_name_fault("foo.v1.0.0+1").is_some() && csv_name_fault(&"a".repeat(64)).is_some());
    }
}
