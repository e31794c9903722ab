//! The library `format`: names and forms of Kubernetes, and what is wrong with a text that has not the form.
//!
//! Source: `kubernetes/apiserver:pkg/cel/library/format.go`,
//! `kubernetes/apimachinery:pkg/util/validation/validation.go`.

use std::borrow::Cow;

use super::dates::{is_date, is_date_time};
use super::url::Url;

/// A format and its check, which gives what is wrong in words.
#[derive(Debug)]
pub struct NamedFormat {
    /// Its name, such as `dns1123Label`.
    pub name: &'static str,
    /// What is wrong with a text.
    pub faults: fn(&str) -> Vec<String>,
}

const FORMATS: &[NamedFormat] = &[
    NamedFormat { name: "dns1123Label", faults: dns_1123_label },
    NamedFormat { name: "dns1123Subdomain", faults: dns_1123_subdomain },
    NamedFormat { name: "dns1035Label", faults: dns_1035_label },
    NamedFormat { name: "qualifiedName", faults: qualified_name },
    NamedFormat { name: "dns1123LabelPrefix", faults: |text| dns_1123_label(&without_hyphen(text)) },
    NamedFormat { name: "dns1123SubdomainPrefix", faults: |text| dns_1123_subdomain(&without_hyphen(text)) },
    NamedFormat { name: "dns1035LabelPrefix", faults: |text| dns_1035_label(&without_hyphen(text)) },
    NamedFormat { name: "labelValue", faults: label_value },
    NamedFormat { name: "uri", faults: |text| one(Url::parse(text).is_some(), "invalid URI") },
    NamedFormat { name: "uuid", faults: |text| one(is_uuid(text), "does not match the UUID format") },
    NamedFormat { name: "byte", faults: |text| one(fbc_go::base64::decode(text).is_ok(), "invalid base64") },
    NamedFormat { name: "date", faults: |text| one(is_date(text), "invalid date") },
    NamedFormat { name: "datetime", faults: |text| one(is_date_time(text), "invalid datetime") },
];

/// The format of this name.
pub fn find(name: &str) -> Option<&'static NamedFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

fn one(fits: bool, fault: &str) -> Vec<String> {
    if fits { Vec::new() } else { vec![fault.to_owned()] }
}

/// Prefixes of generated names may end in a hyphen; with the character before it, it counts as a letter.
fn without_hyphen(text: &str) -> Cow<'_, str> {
    match text.strip_suffix('-').and_then(|text| text.char_indices().next_back()) {
        Some((last, _)) => Cow::Owned(format!("{}a", &text[..last])),
        None => Cow::Borrowed(text),
    }
}

/// What a DNS label of RFC 1035 must look like, in Kubernetes' words.
const DNS_1035_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
    start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
    regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// What is wrong with a DNS label of RFC 1035.
///
/// Source: `kubernetes/apimachinery:pkg/util/validation/validation.go`.
#[must_use]
pub fn dns_1035_label(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if text.len() > 63 {
        faults.push("must be no more than 63 characters".to_owned());
    }
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let starts = text.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    if !starts || !text.bytes().all(fits) || text.ends_with('-') {
        faults.push(DNS_1035_LABEL.to_owned());
    }
    faults
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_label(text: &str) -> bool {
    let ends = |byte: Option<&u8>| byte.is_some_and(|byte| is_lower(*byte));
    let bytes = text.as_bytes();
    ends(bytes.first()) && ends(bytes.last()) && bytes.iter().all(|byte| is_lower(*byte) || *byte == b'-')
}

fn limited(text: &str, longest: usize, fits: bool, words: &str) -> Vec<String> {
    let too_long = (text.len() > longest).then(|| format!("must be no more than {longest} characters"));
    too_long.into_iter().chain((!fits).then(|| words.to_owned())).collect()
}

fn dns_1123_label(text: &str) -> Vec<String> {
    let words = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
                 and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    limited(text, 63, is_label(text), words)
}

fn dns_1123_subdomain(text: &str) -> Vec<String> {
    limited(text, 253, text.split('.').all(is_label), DNS_1123_SUBDOMAIN)
}

/// What a name of RFC 1123 must look like, in Kubernetes' words.
pub(crate) const DNS_1123_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and \
     end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn is_name(text: &str) -> bool {
    let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    ends(bytes.first())
        && ends(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn label_value(text: &str) -> Vec<String> {
    let words = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                 start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
                 for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    limited(text, 63, text.is_empty() || is_name(text), words)
}

fn qualified_name(text: &str) -> Vec<String> {
    let words = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    match text.split_once('/') {
        Some(("", _)) => vec!["prefix part must be non-empty".to_owned()],
        Some((prefix, name)) => {
            let mut faults: Vec<String> =
                dns_1123_subdomain(prefix).into_iter().map(|fault| format!("prefix part {fault}")).collect();
            faults.extend(limited(name, 63, is_name(name), words));
            faults
        }
        None => limited(text, 63, is_name(text), words),
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
