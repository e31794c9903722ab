//! What a revision must keep to before anything of it is applied.
//!
//! Source: `package-operator/boxcutter:validation/revision.go`, `metadata.go`, `errors.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::error::FieldError;
use fbc_cluster::object::{Object, ObjectFields};

use super::content::Phase;
use super::error::RevisionError;
use super::reference::ObjectReference;

/// Why names of phases are refused that the definition of revisions allows: they must not begin with a digit.
const NAME_RULE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                         alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or \
                         'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Fields that only a cluster sets, and how they read when they are not set.
const FORBIDDEN: [&str; 6] =
    ["uid", "generation", "generateName", "finalizers", "ownerReferences", "resourceVersion"];

/// Refuses phases with bad names, objects that set what only a cluster sets, and objects that come twice.
pub(super) fn check(revision: &Object, phases: &[Phase]) -> Result<(), RevisionError> {
    let duplicates = duplicates(phases);
    let errors: Vec<String> = phases.iter().filter_map(|phase| phase_error(phase, &duplicates)).collect();
    if errors.is_empty() {
        return Ok(());
    }
    let number = revision.number(&["spec", "revision"]).unwrap_or_default();
    Err(RevisionError::Invalid { revision: revision.name().to_owned(), number, errors })
}

fn phase_error(phase: &Phase, duplicates: &BTreeMap<ObjectReference, BTreeSet<&str>>) -> Option<String> {
    let mut errors = Vec::new();
    if phase.name.starts_with(|first: char| !first.is_ascii_lowercase()) {
        errors.push(format!("phase name invalid: {NAME_RULE}"));
    }
    for wanted in &phase.objects {
        let faults = metadata_faults(&wanted.object);
        if !faults.is_empty() {
            errors.push(format!("{}: {}", ObjectReference::of(&wanted.object), faults.join(", ")));
        }
    }
    for (object, phases) in duplicates.iter().filter(|(_, phases)| phases.contains(phase.name.as_str())) {
        let phases: Vec<&str> = phases.iter().copied().collect();
        errors.push(format!("{object}: duplicate object found in phases: {}", phases.join(", ")));
    }
    (!errors.is_empty()).then(|| format!("phase {:?}: {}", phase.name, errors.join(", ")))
}

fn metadata_faults(object: &Object) -> Vec<String> {
    let missing = [("apiVersion", object.api_version()), ("kind", object.kind())]
        .into_iter()
        .filter(|(_, text)| text.is_empty())
        .map(|(field, _)| FieldError::required(field, "must not be empty"));
    let is_set = |field: &&str| match object.at(&["metadata", field]) {
        None | Some(serde_json::Value::Null) => false,
        Some(serde_json::Value::String(text)) => !text.is_empty(),
        Some(serde_json::Value::Array(items)) => !items.is_empty(),
        Some(serde_json::Value::Number(number)) => number.as_i64() != Some(0),
        Some(_) => true,
    };
    let forbidden = FORBIDDEN
        .into_iter()
        .filter(is_set)
        .map(|field| FieldError::forbidden(format!("metadata.{field}"), "must be empty"));
    missing.chain(forbidden).map(|error| error.to_string()).collect()
}

/// Objects that come more than once, with the phases in which they do.
fn duplicates(phases: &[Phase]) -> BTreeMap<ObjectReference, BTreeSet<&str>> {
    let mut seen: BTreeMap<ObjectReference, Vec<&str>> = BTreeMap::new();
    for phase in phases {
        for wanted in &phase.objects {
            seen.entry(ObjectReference::of(&wanted.object)).or_default().push(&phase.name);
        }
    }
    seen.into_iter()
        .filter(|(_, phases)| phases.len() > 1)
        .map(|(object, phases)| (object, phases.into_iter().collect()))
        .collect()
}
