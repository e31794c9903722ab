//! What the operator has against the spec of ClusterVersion.
//!
//! Source: `openshift/cluster-version-operator:lib/validation/validation.go`.

use fbc_cluster::error::FieldError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_version::Version;
use serde_json::Value;

/// The faults of a spec, and the spec without the fields that have any.
pub(super) fn check(version: &Object, knows_accepted_risks: bool) -> (Vec<String>, Object) {
    let mut faults = Vec::new();
    let mut cleaned = version.clone();
    let invalid =
        |field: &str, value: &str, text: &str| FieldError::invalid_text(field, value, text).to_string();
    let upstream = version.text(&["spec", "upstream"]);
    if !is_url(upstream) {
        faults.push(invalid("spec.upstream", upstream, "must be a valid URL or empty"));
        cleaned.remove(&["spec", "upstream"]);
    }
    let id = version.text(&["spec", "clusterID"]);
    if let Some(text) = id_fault(id) {
        faults.push(invalid("spec.clusterID", id, text));
        cleaned.set(&["spec", "clusterID"], "");
    }
    let Some(update) = version.at(&["spec", "desiredUpdate"]).filter(|update| update.is_object()) else {
        return (faults, cleaned);
    };
    let text = |field: &str| update.text(&[field]);
    let accepts = !update.list(&["acceptRisks"]).is_empty();
    let is_empty = ["architecture", "version", "image"].iter().all(|field| text(field).is_empty());
    let mut fault = None;
    if accepts && !knows_accepted_risks {
        let text = "spec.desiredUpdate.acceptRisks: Forbidden: acceptRisks must not be specified";
        fault = Some(text.to_owned());
    } else if is_empty && !knows_accepted_risks {
        faults.push(
            "spec.desiredUpdate: Required value: must specify architecture, version, or image".to_owned(),
        );
    } else if is_empty && !accepts {
        faults.push(
            "spec.desiredUpdate: Required value: must specify architecture, version, image, or acceptRisks"
                .to_owned(),
        );
    } else if !text("version").is_empty() && Version::parse(text("version")).is_err() {
        fault = Some(invalid(
            "spec.desiredUpdate.version",
            text("version"),
            "must be a semantic version (1.2.3[-...])",
        ));
    } else if !text("version").is_empty() && text("image").is_empty() {
        fault = match payloads_of(version, text("version")) {
            0 => Some("when image is empty the update must be an available update"),
            1 => None,
            _ => Some("there are multiple possible payloads for this version, specify the exact image"),
        }
        .map(|told| invalid("spec.desiredUpdate.version", text("version"), told));
    }
    if let Some(fault) = fault {
        faults.push(fault);
        cleaned.remove(&["spec", "desiredUpdate"]);
    }
    (faults, cleaned)
}

/// As Go's `net/url` decides, as far as addresses of services go.
fn is_url(text: &str) -> bool {
    let has_control = text.bytes().any(|byte| byte < b' ' || byte == 0x7f);
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let has_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let scheme_fits = match scheme {
        None => true,
        // A first segment with a colon is taken for a scheme, unless a slash comes before.
        Some(scheme) => scheme.contains('/') || has_scheme(scheme),
    };
    let host = text.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let host_fits = host.is_none_or(|host| {
        let port = host.rsplit_once(':').map(|(_, port)| port);
        !host.contains([' ', '<', '>', '"'])
            && port.is_none_or(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let mut escapes = text.split('%').skip(1);
    let escapes_fit = escapes
        .all(|rest| rest.get(..2).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())));
    !has_control && scheme_fits && host_fits && escapes_fit
}

fn id_fault(id: &str) -> Option<&'static str> {
    if id.is_empty() {
        return None;
    }
    let digits: Vec<char> = id.chars().filter(|digit| *digit != '-').collect();
    let is_uuid = digits.len() == 32 && digits.iter().all(char::is_ascii_hexdigit);
    match (is_uuid, digits.get(16).map(char::to_ascii_lowercase), digits.get(12)) {
        (true, Some('8' | '9' | 'a' | 'b'), Some('4')) => None,
        (true, Some('8' | '9' | 'a' | 'b'), _) => Some("must be a version-4 UUID"),
        _ => Some("must be an RFC4122-variant UUID"),
    }
}

/// How many payloads a version may mean.
fn payloads_of(version: &Object, wanted: &str) -> usize {
    let has = |entry: &&Value| entry["version"] == wanted && !entry.text(&["image"]).is_empty();
    match version.list(&["status", "availableUpdates"]).iter().filter(has).count() {
        0 => usize::from(version.list(&["status", "history"]).iter().any(|entry| has(&entry))),
        count => count,
    }
}
