//! What names, keys and values may look like, and the words about those that do not.
//!
//! Sources: `kubernetes/apimachinery:pkg/api/validate/content`, `…/pkg/util/validation/validation.go`,
//! `…/pkg/api/validation/path/name.go`.

/// A form that names have to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    /// `example.com`: most kinds.
    Subdomain,
    /// `my-name`: namespaces.
    Label,
    /// `my-name` that begins with a letter: services.
    Label1035,
    /// Anything without `/` and `%`: roles, bindings and the like.
    PathSegment,
}

const QUALIFIED: &str = "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
    '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
    used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
    '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which \
    must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. \
    '*.example.com', regex used for validation is \
    '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const SUBDOMAIN_WITH_UNDERSCORES: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used \
    for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
    start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
    validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. \
    'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const ENVIRONMENT: &str =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";

fn too_long(limit: usize) -> String {
    format!("must be no more than {limit} bytes")
}

/// Begins and ends with what `edge` accepts, and holds nothing but what `inner` accepts.
fn is_framed(text: &str, edge: fn(u8) -> bool, inner: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    edge(*first) && edge(*last) && bytes.iter().all(|byte| inner(*byte))
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_label(text: &str) -> bool {
    is_framed(text, is_lower, |byte| is_lower(byte) || byte == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_qualified(text: &str) -> bool {
    is_framed(
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
    )
}

/// What is wrong with the key of a label, a taint or an annotation.
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let steps: Vec<&str> = text.split('/').collect();
    let name = match steps.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else {
                wrong.extend(subdomain(prefix).into_iter().map(|text| format!("prefix part {text}")));
            }
            *name
        }
        _ => {
            return vec![format!(
                "a valid label key must {QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push(format!("name part {}", too_long(63)));
    }
    if !is_qualified(name) {
        wrong.push(format!("name part must {QUALIFIED}"));
    }
    wrong
}

/// What is wrong with the value of a label or a taint.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long(63));
    }
    if !text.is_empty() && !is_qualified(text) {
        wrong.push(LABEL_VALUE.to_owned());
    }
    wrong
}

/// What is wrong with a name such as `example.com`.
pub fn subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    if !is_subdomain(text) {
        wrong.push(SUBDOMAIN.to_owned());
    }
    wrong
}

/// What is wrong with a name such as `_tcp.example.com`.
pub(super) fn subdomain_with_underscores(text: &str) -> Vec<String> {
    let is_label = |label: &str| {
        let label = label.strip_prefix('_').unwrap_or(label);
        is_framed(label, is_lower, |byte| is_lower(byte) || byte == b'-' || byte == b'_')
    };
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    if !text.split('.').all(is_label) {
        wrong.push(SUBDOMAIN_WITH_UNDERSCORES.to_owned());
    }
    wrong
}

/// What is wrong with a name such as `*.example.com`.
pub fn wildcard_subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    if !text.strip_prefix("*.").is_some_and(is_subdomain) {
        wrong.push(WILDCARD.to_owned());
    }
    wrong
}

/// What is wrong with a name such as `my-name`.
pub fn label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long(63));
    }
    if !is_label(text) {
        wrong.push(if is_subdomain(text) { "must not contain dots".to_owned() } else { LABEL.to_owned() });
    }
    wrong
}

/// What is wrong with a name such as `my-name` that has to begin with a letter.
pub fn label_1035(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long(63));
    }
    if !is_label(text) || text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        wrong.push(LABEL_1035.to_owned());
    }
    wrong
}

/// What is wrong with the key of a configuration map or a secret.
pub fn config_key(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || !text.bytes().all(fits) {
        wrong.push(CONFIG_KEY.to_owned());
    }
    match text {
        "." => wrong.push("must not be '.'".to_owned()),
        ".." => wrong.push("must not be '..'".to_owned()),
        _ if text.starts_with("..") => wrong.push("must not start with '..'".to_owned()),
        _ => {}
    }
    wrong
}

/// What is wrong with the name of an environment variable.
pub fn environment_name(text: &str) -> Vec<String> {
    let fits = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
    if !text.is_empty() && text.bytes().all(fits) { Vec::new() } else { vec![ENVIRONMENT.to_owned()] }
}

/// Whether a text is the name of a header of HTTP.
pub fn is_header_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// What is wrong with the name of a port of a container.
pub fn port_name(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 15 {
        wrong.push(too_long(15));
    }
    if !text.bytes().all(|byte| is_lower(byte) || byte == b'-') {
        wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        wrong.push("must contain at least one letter (a-z)".to_owned());
    }
    if text.contains("--") {
        wrong.push("must not contain consecutive hyphens".to_owned());
    }
    if text.starts_with('-') || text.ends_with('-') {
        wrong.push("must not begin or end with a hyphen".to_owned());
    }
    wrong
}

impl NameForm {
    /// The form of the names of a built-in kind; custom kinds have [`NameForm::Subdomain`].
    pub fn of_kind(group: &str, kind: &str) -> Self {
        match (group, kind) {
            ("", "Namespace") => Self::Label,
            ("", "Service") => Self::Label1035,
            ("rbac.authorization.k8s.io" | "apiregistration.k8s.io", _) => Self::PathSegment,
            _ => Self::Subdomain,
        }
    }

    /// What is wrong with a name, or with the beginning of one that is to be completed (`generateName`).
    pub fn check(self, name: &str, is_prefix: bool) -> Vec<String> {
        let masked = match name.strip_suffix('-') {
            Some(beginning) if is_prefix && !beginning.is_empty() => format!("{beginning}a"),
            _ => name.to_owned(),
        };
        match self {
            Self::Subdomain => subdomain(&masked),
            Self::Label => label(&masked),
            Self::Label1035 => label_1035(&masked),
            Self::PathSegment => path_segment(name, is_prefix),
        }
    }
}

fn path_segment(name: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"]
        .into_iter()
        .filter(|forbidden| name.contains(forbidden))
        .map(|forbidden| format!("may not contain '{forbidden}'"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_form() {
        let long = "a".repeat(254);
        for (form, name, fits) in [
            (NameForm::Subdomain, "a.b-c", true),
            (NameForm::Subdomain, "a..b", false),
            (NameForm::Subdomain, "A", false),
            (NameForm::Subdomain, "", false),
            (NameForm::Subdomain, &long, false),
            (NameForm::Label, "a-1", true),
            (NameForm::Label, "a.b", false),
            (NameForm::Label1035, "1a", false),
            (NameForm::PathSegment, "system:a/b", false),
            (NameForm::PathSegment, "system:ab", true),
            (NameForm::PathSegment, "..", false),
        ] {
            assert_eq!(form.check(name, false).is_empty(), fits, "{name}");
        }
        assert!(NameForm::Subdomain.check("web-", true).is_empty());
        assert!(!NameForm::Subdomain.check("web-", false).is_empty());
        assert_eq!(label("a.b"), ["must not contain dots"]);
        assert_eq!(qualified_name("").len(), 2);
    }
}
