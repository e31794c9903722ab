//! What Kubernetes takes as key and value of a label, and how it refuses others.
//!
//! Source of the behaviour: `kubernetes/apimachinery:pkg/util/validation/validation.go`.

/// The longest name of a key, and the longest value, in bytes.
const MAXIMUM_LENGTH: usize = 63;
/// The longest prefix of a key, in bytes.
const MAXIMUM_PREFIX_LENGTH: usize = 253;

const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
    an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' \
    or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', \
    regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex \
    used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// What is wrong with the key of a label; nothing for a good one.
pub(crate) fn refuse_key(key: &str) -> Option<String> {
    let (prefix, name) = match key.split_once('/') {
        None => (None, key),
        Some((_, name)) if name.contains('/') => {
            return Some(format!(
                "a qualified name {NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            ));
        }
        Some((prefix, name)) => (Some(prefix), name),
    };
    let mut faults = Vec::new();
    match prefix {
        Some("") => faults.push("prefix part must be non-empty".to_owned()),
        Some(prefix) => {
            if prefix.len() > MAXIMUM_PREFIX_LENGTH {
                faults.push(format!("prefix part must be no more than {MAXIMUM_PREFIX_LENGTH} bytes"));
            }
            if !is_subdomain(prefix) {
                faults.push(format!("prefix part {SUBDOMAIN_RULE}"));
            }
        }
        None => {}
    }
    if name.is_empty() {
        faults.push("name part must be non-empty".to_owned());
    } else if name.len() > MAXIMUM_LENGTH {
        faults.push(format!("name part must be no more than {MAXIMUM_LENGTH} bytes"));
    }
    if !is_name(name) {
        faults.push(format!("name part {NAME_RULE}"));
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// What is wrong with the value of a label; nothing for a good one.
pub(crate) fn refuse_value(value: &str) -> Option<String> {
    let mut faults = Vec::new();
    if value.len() > MAXIMUM_LENGTH {
        faults.push(format!("must be no more than {MAXIMUM_LENGTH} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        faults.push(VALUE_RULE.to_owned());
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

fn is_name(text: &str) -> bool {
    let is_edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    is_edge(bytes.first())
        && is_edge(bytes.last())
        && bytes.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_subdomain(text: &str) -> bool {
    let is_alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('.').all(|part| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(is_alphanumeric)
            && bytes.last().is_some_and(is_alphanumeric)
            && bytes.iter().all(|byte| is_alphanumeric(byte) || *byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::{refuse_key, refuse_value};

    #[test]
    fn keys() {
        for good in ["a", "a.b_c-d", "example.com/tier", "olm.operatorframework.io/metadata.name"] {
            assert_eq!(refuse_key(good), None);
        }
        for (bad, begin) in [
            ("", "name part must be non-empty; name part must consist of"),
            ("/a", "prefix part must be non-empty"),
            ("Example.com/a", "prefix part a lowercase RFC 1123 subdomain must"),
            ("a/b/c", "a qualified name must consist of"),
            ("-a", "name part must consist of"),
            ("ä", "name part must consist of"),
        ] {
            let text = refuse_key(bad).unwrap_or_default();
            assert!(text.starts_with(begin), "{bad}: {text}");
        }
        assert!(refuse_key(&"a".repeat(63)).is_none());
        assert_eq!(refuse_key(&"a".repeat(64)).as_deref(), Some("name part must be no more than 63 bytes"));
    }

    #[test]
    fn values() {
        for good in ["", "a", "A_1.b"] {
            assert_eq!(refuse_value(good), None);
        }
        for bad in ["a b", "a/b", ".", "a-"] {
            assert!(refuse_value(bad).is_some_and(|text| text.starts_with("a valid label must")), "{bad}");
        }
    }
}
