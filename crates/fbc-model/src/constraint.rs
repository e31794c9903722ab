//! `olm.constraint`: a condition that OLM v0 must fulfil to install a bundle, parsed and compiled as its resolver does it.
//!
//! Source: `operator-framework/api:pkg/constraints/constraint.go` (`Parse`), `pkg/constraints/cel.go`;
//! `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go` (`convertConstraints`).

mod condition;

use fbc_cel::CompileError;
use fbc_version::blang::{Range, RangeError};
use fbc_yaml::{Kind, Node};

use crate::closest::closest;
use crate::go_type::{self, GoType, TypeError, push_key};
use crate::go_types;

pub use self::condition::CelCondition;

/// The type of the property and of the dependency.
pub const TYPE: &str = "olm.constraint";

/// The most bytes that a value may have as JSON.
///
/// Source: `operator-framework/api:pkg/constraints/constraint.go` (`maxConstraintSize`).
pub const MOST_BYTES: usize = 2 << 16;

/// A condition, with what users are told when it does not hold.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// What users are told; may be empty.
    pub failure_message: String,
    /// What must hold.
    pub condition: Condition,
}

/// What must hold.
#[derive(Clone, Debug)]
pub enum Condition {
    /// An API is provided.
    Api {
        /// Its group.
        group: String,
        /// Its version.
        version: String,
        /// Its kind.
        kind: String,
    },
    /// A package is installed in a version of a range.
    Package {
        /// Its name.
        name: String,
        /// The range.
        range: Range,
    },
    /// All of these hold for the same bundle.
    All(Vec<Constraint>),
    /// One of these holds.
    Any(Vec<Constraint>),
    /// None of these holds.
    Not(Vec<Constraint>),
    /// An expression over the properties of a bundle is true.
    Cel(CelCondition),
}

/// Something that keeps OLM v0 from using a constraint, or from meaning what its author means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintFault {
    /// The place, as a JSON pointer from the value.
    pub pointer: String,
    /// What is wrong there.
    pub kind: FaultKind,
}

/// What is wrong with a constraint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// It is larger than OLM reads.
    #[error("the constraint takes {0} bytes as JSON, and OLM reads no more than {MOST_BYTES}")]
    TooLarge(usize),
    /// A value has another type than Go's.
    #[error("{0}")]
    WrongType(TypeError),
    /// A field that there is not.
    #[error("a constraint has no field `{field}` here")]
    UnknownField {
        /// The field.
        field: String,
        /// What may be meant.
        meant: Option<&'static str>,
    },
    /// None of the fields that say what must hold.
    #[error("the constraint says nothing that must hold")]
    Empty,
    /// Several fields of which OLM reads one.
    #[error("the constraint has {}, and OLM reads `{}` alone", in_backticks(.0), .0.first().copied().unwrap_or_default())]
    Several(Vec<&'static str>),
    /// The old name of `not`, which the resolver does not look at.
    #[error("`none` is the old name of `not`, and OLM does not look at it any more")]
    OldName,
    /// A text that is missing or empty.
    #[error("`{0}` is missing or empty")]
    NoText(&'static str),
    /// A list without constraints.
    #[error("`{0}` has no constraints")]
    NoConstraints(&'static str),
    /// A text that is not a range.
    #[error("{} is not a range of versions: {error}", fbc_go::text::quote(.range))]
    Range {
        /// The text.
        range: String,
        /// Why.
        error: RangeError,
    },
    /// An expression that does not compile.
    #[error("the CEL expression does not compile: {0}")]
    Expression(CompileError),
    /// An expression whose result is no boolean.
    #[error("the CEL expression is not a condition: its result is not a boolean")]
    NoCondition,
}

fn in_backticks(names: &[&'static str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

/// The fields that say what must hold, in the order in which the resolver looks at them.
pub const CONDITIONS: [&str; 6] = ["gvk", "package", "all", "any", "not", "cel"];

impl Constraint {
    /// Parses and compiles the value of a property or dependency.
    ///
    /// # Errors
    /// All that is wrong with it. OLM reports the first alone, and takes several fields and empty texts without a word.
    pub fn parse(value: Node<'_>) -> Result<Self, Vec<ConstraintFault>> {
        let mut faults = Vec::new();
        let mut report =
            |pointer: &str, kind| faults.push(ConstraintFault { pointer: pointer.to_owned(), kind });
        let size = fbc_yaml::json_writer::compact(value).len();
        if size > MOST_BYTES {
            report("", FaultKind::TooLarge(size));
            return Err(faults);
        }
        if let Err(error) = go_type::check(value, &GoType::Struct(&go_types::CONSTRAINT)) {
            let pointer = error.pointer.clone();
            report(&pointer, FaultKind::WrongType(error));
            return Err(faults);
        }
        let parsed = constraint(value, "", &mut report);
        match (parsed, faults.is_empty()) {
            (Some(constraint), true) => Ok(constraint),
            _ => Err(faults),
        }
    }
}

/// Tells a fault at a place.
type Report<'r> = dyn FnMut(&str, FaultKind) + 'r;

fn constraint(value: Node<'_>, at: &str, report: &mut Report<'_>) -> Option<Constraint> {
    unknown_fields(value, at, &CONDITIONS_AND_MESSAGE, report);
    if go_type::field(value, "none").is_some() {
        report(&below(value, at, "none"), FaultKind::OldName);
        return None;
    }
    let given: Vec<(&'static str, Node<'_>)> =
        CONDITIONS.iter().filter_map(|name| Some((*name, go_type::field(value, name)?))).collect();
    if given.len() > 1 {
        report(at, FaultKind::Several(given.iter().map(|(name, _)| *name).collect()));
    }
    let Some((name, found)) = given.first().copied() else {
        report(at, FaultKind::Empty);
        return None;
    };
    let place = below(value, at, name);
    let condition = match name {
        "gvk" => api(found, &place, report),
        "package" => package(found, &place, report),
        "cel" => expression(found, &place, report),
        _ => {
            let parts = compound(name, found, &place, report);
            match name {
                "all" => parts.map(Condition::All),
                "any" => parts.map(Condition::Any),
                _ => parts.map(Condition::Not),
            }
        }
    };
    Some(Constraint { failure_message: go_type::text(value, "failureMessage"), condition: condition? })
}

/// The fields of a constraint.
const CONDITIONS_AND_MESSAGE: [&str; 8] =
    ["failureMessage", "gvk", "package", "all", "any", "not", "none", "cel"];

/// Reports fields that Go does not know.
fn unknown_fields(value: Node<'_>, at: &str, known: &[&'static str], report: &mut Report<'_>) {
    for (key, _) in value.members() {
        if !known.iter().any(|name| go_type::equal_fold(name, key)) {
            let mut pointer = at.to_owned();
            push_key(&mut pointer, key);
            let meant = match key {
                "message" if known.contains(&"failureMessage") => Some("failureMessage"),
                _ => closest(key, known.iter().copied()),
            };
            report(&pointer, FaultKind::UnknownField { field: key.to_owned(), meant });
        }
    }
}

/// The place of a field, as its key is written.
fn below(value: Node<'_>, at: &str, name: &str) -> String {
    let mut pointer = at.to_owned();
    push_key(&mut pointer, go_type::member(value, name).map_or(name, |(key, _)| key));
    pointer
}

/// A text that must be there.
fn text(value: Node<'_>, at: &str, name: &'static str, report: &mut Report<'_>) -> Option<String> {
    let found = go_type::text(value, name);
    if found.is_empty() {
        report(&below(value, at, name), FaultKind::NoText(name));
        return None;
    }
    Some(found)
}

fn api(value: Node<'_>, at: &str, report: &mut Report<'_>) -> Option<Condition> {
    unknown_fields(value, at, &["group", "kind", "version"], report);
    let [group, kind, version] = ["group", "kind", "version"].map(|name| text(value, at, name, report));
    Some(Condition::Api { group: group?, version: version?, kind: kind? })
}

fn package(value: Node<'_>, at: &str, report: &mut Report<'_>) -> Option<Condition> {
    unknown_fields(value, at, &["packageName", "versionRange"], report);
    let [name, range] = ["packageName", "versionRange"].map(|name| text(value, at, name, report));
    let (name, range) = (name?, range?);
    match Range::parse(&range) {
        Ok(range) => Some(Condition::Package { name, range }),
        Err(error) => {
            report(&below(value, at, "versionRange"), FaultKind::Range { range, error });
            None
        }
    }
}

fn expression(value: Node<'_>, at: &str, report: &mut Report<'_>) -> Option<Condition> {
    unknown_fields(value, at, &["rule"], report);
    let rule = text(value, at, "rule", report)?;
    match CelCondition::compile(&rule) {
        Ok(condition) => Some(Condition::Cel(condition)),
        Err(error) => {
            let kind = match error {
                CompileError::WrongType => FaultKind::NoCondition,
                error => FaultKind::Expression(error),
            };
            report(&below(value, at, "rule"), kind);
            None
        }
    }
}

fn compound(
    name: &'static str,
    value: Node<'_>,
    at: &str,
    report: &mut Report<'_>,
) -> Option<Vec<Constraint>> {
    unknown_fields(value, at, &["constraints"], report);
    let list = go_type::field(value, "constraints").filter(|list| list.kind() == Kind::Array);
    let items: Vec<Node<'_>> = list.into_iter().flat_map(Node::items).collect();
    if items.is_empty() {
        report(at, FaultKind::NoConstraints(name));
        return None;
    }
    let place = below(value, at, "constraints");
    let parts: Vec<Option<Constraint>> = items
        .into_iter()
        .enumerate()
        .map(|(number, item)| constraint(item, &format!("{place}/{number}"), report))
        .collect();
    parts.into_iter().collect()
}

#[cfg(test)]
mod tests;
