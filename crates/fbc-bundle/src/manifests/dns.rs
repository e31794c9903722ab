//! Names as RFC 1123 has them, with the words of Kubernetes.
//!
//! Source: `kubernetes/apimachinery:pkg/api/validate/content/dns.go`.

/// The longest subdomain.
const LONGEST_SUBDOMAIN: usize = 253;

/// The longest label.
#[cfg(test)]
const LONGEST_LABEL: usize = 63;

/// What Kubernetes has against a name that should be a subdomain, sorted by text.
pub(super) fn subdomain_errors(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if !name.split('.').all(has_label_form) {
        errors.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
             must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    if name.len() > LONGEST_SUBDOMAIN {
        errors.push(format!("must be no more than {LONGEST_SUBDOMAIN} bytes"));
    }
    errors
}

/// Whether a name is a label.
#[cfg(test)]
pub(super) fn is_label(name: &str) -> bool {
    name.len() <= LONGEST_LABEL && has_label_form(name)
}

/// Whether a text is made as a label is, however long: `[a-z0-9]([-a-z0-9]*[a-z0-9])?`.
pub(super) fn has_label_form(text: &str) -> bool {
    let is_alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| is_alphanumeric(byte) || *byte == b'-')
        && bytes.first().is_some_and(is_alphanumeric)
        && bytes.last().is_some_and(is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subdomains() {
        for (name, faults) in [
            ("a", 0),
            ("a-b.c9", 0),
            ("", 1),
            ("a.", 1),
            ("-a", 1),
            ("A", 1),
            ("a_b", 1),
            ("a..b", 1),
            (&"a".repeat(253), 0),
            (&"a".repeat(254), 1),
            (&"A".repeat(254), 2),
        ] {
            assert_eq!(subdomain_errors(name).len(), faults, "{name}");
        }
        assert!(is_label(&"a".repeat(63)) && !is_label(&"a".repeat(64)) && !is_label("a.b"));
    }
}
