//! What a property asks of other bundles, as a predicate over entries with OLM's text.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/{resolver,cache/predicates}.go`,
//! `operator-framework/api:pkg/constraints`.

use std::error::Error;
use std::sync::Arc;

use fbc_cel::CompileError;
use fbc_go::text::quote;
use fbc_model::constraint::CelCondition;
use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_version::blang::Range;
use fbc_yaml::{Node, json_reader, json_writer};
use serde_json::Value;

use crate::catalog::{Bundle, Entry};
use crate::error::Refusal;
use crate::property::{Api, Property, kind};

/// How many bytes an `olm.constraint` may have.
const MOST_BYTES: usize = 131_072;

/// How deep an `olm.constraint` may nest, counted in brackets. OLM reads deeper ones, for as long as they have few enough bytes.
pub const MOST_LEVELS: usize = 300;

/// How many steps an evaluation of an expression counts as.
const EXPRESSION_COST: u64 = 50;

/// Whether a list of properties, each with `type` and `value`, fits an expression; an evaluation that fails does not fit.
pub type Expression = Arc<dyn Fn(&Value) -> bool + Send + Sync>;

/// What compiles a CEL expression over `properties`: the expression, or the compiler's text.
pub type CompileExpression = fn(&str) -> Result<Expression, Box<dyn Error + Send + Sync>>;

/// Compiles an expression in the environment that OLM gives it.
///
/// # Errors
/// The compiler's report, or what OLM says if the result is not a truth value.
pub fn compile_expression(rule: &str) -> Result<Expression, Box<dyn Error + Send + Sync>> {
    let condition = CelCondition::compile(rule).map_err(|error| match error {
        CompileError::WrongType => "cel expressions must have type Bool".to_owned(),
        CompileError::Invalid(report) => report,
    })?;
    Ok(Arc::new(move |properties| {
        let properties = properties.as_array().into_iter().flatten();
        let pairs = properties
            .map(|property| (property["type"].as_str().unwrap_or_default(), property["value"].clone()));
        condition.holds(pairs).unwrap_or_default()
    }))
}

/// A condition that an entry fulfills or not.
#[derive(Clone)]
pub(crate) enum Predicate {
    Provides(Api),
    Package { name: String, range: Range },
    Label(String),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    NoneOf(Vec<Predicate>),
    Fits { expression: Expression, rule: String, message: String },
}

impl Predicate {
    /// What a property asks for; nothing if it asks for nothing.
    ///
    /// # Errors
    /// OLM's text for a value that it refuses. One such value fails the whole resolution.
    pub(crate) fn of(property: &Property, compile: CompileExpression) -> Result<Option<Self>, Refusal> {
        let strings = |of: &'static GoStruct| decoded(&property.value, of);
        let predicate = match property.kind.as_str() {
            kind::REQUIRED_API => Self::Provides(api(strings(&API)?.root())),
            kind::REQUIRED_PACKAGE => package(strings(&PACKAGE)?.root())?,
            kind::REQUIRED_LABEL => Self::Label(go_type::text(strings(&LABEL)?.root(), "label")),
            kind::CONSTRAINT => {
                let document = parsed(&property.value)
                    .map_err(|error| Refusal(format!("parse olm.constraint: {error}")))?;
                converted(document.root(), compile).map_err(|error| {
                    Refusal(format!("convert olm.constraint to resolver predicate: {error}"))
                })?
            }
            _ => return Ok(None),
        };
        Ok(Some(predicate))
    }

    /// How much it takes to look at one entry.
    pub(crate) fn cost(&self) -> u64 {
        match self {
            Self::Provides(_) | Self::Package { .. } | Self::Label(_) => 1,
            Self::All(parts) | Self::Any(parts) | Self::NoneOf(parts) => {
                parts.iter().map(Self::cost).fold(1, u64::saturating_add)
            }
            Self::Fits { .. } => EXPRESSION_COST,
        }
    }

    /// Whether an entry fulfills it.
    pub(crate) fn fits(&self, entry: &Entry) -> bool {
        let facts = &entry.bundle.facts;
        match self {
            Self::Provides(api) => facts.apis.contains(api),
            Self::Package { name, range } => {
                is_of_package(&entry.bundle, name)
                    && (facts.packages.iter().any(|(_, version)| matches(range, version.as_ref()))
                        || matches(range, entry.bundle.version.as_ref()))
            }
            Self::Label(label) => facts.labels.contains(label),
            Self::All(parts) => parts.iter().all(|part| part.fits(entry)),
            Self::Any(parts) => parts.iter().any(|part| part.fits(entry)),
            Self::NoneOf(parts) => !parts.iter().any(|part| part.fits(entry)),
            Self::Fits { expression, .. } => expression(entry.bundle.value()),
        }
    }
}

/// The text behind `bundle NAME requires an operator`.
impl std::fmt::Display for Predicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let joined = |parts: &[Self], with: &str| {
            parts.iter().map(ToString::to_string).collect::<Vec<String>>().join(with)
        };
        match self {
            Self::Provides(Api { group, version, kind }) => {
                write!(f, "providing an API with group: {group}, version: {version}, kind: {kind}")
            }
            Self::Package { name, range } => {
                write!(f, "with package: {name} and with version in range: {}", range.text())
            }
            Self::Label(label) => write!(f, "with label: {label}"),
            Self::All(parts) => f.write_str(&joined(parts, " and ")),
            Self::Any(parts) => f.write_str(&joined(parts, " or ")),
            Self::NoneOf(parts) => f.write_str(&joined(parts, " and not ")),
            Self::Fits { rule, message, .. } => {
                write!(f, "with constraint: {} and message: {}", quote(rule), quote(message))
            }
        }
    }
}

/// Whether a bundle belongs to a package, by its name or by what its properties say.
pub(crate) fn is_of_package(bundle: &Bundle, package: &str) -> bool {
    bundle.package == package || bundle.facts.packages.iter().any(|(name, _)| name == package)
}

fn matches(range: &Range, version: Option<&fbc_version::Version>) -> bool {
    version.is_some_and(|version| range.matches(version))
}

const fn field(name: &'static str, kind: GoType) -> GoField {
    GoField { name, kind, omit_empty: false }
}

static API: GoStruct = GoStruct {
    name: "constraints.GVKConstraint",
    fields: &[field("group", STRING), field("kind", STRING), field("version", STRING)],
};
static PACKAGE: GoStruct = GoStruct {
    name: "constraints.PackageConstraint",
    fields: &[field("packageName", STRING), field("versionRange", STRING)],
};
static LABEL: GoStruct = GoStruct { name: "registry.LabelProperty", fields: &[field("label", STRING)] };
static CEL: GoStruct = GoStruct { name: "constraints.Cel", fields: &[field("rule", STRING)] };
static COMPOUND: GoStruct = GoStruct {
    name: "constraints.CompoundConstraint",
    fields: &[field("constraints", GoType::List("[]constraints.Constraint", &CONSTRAINT_TYPE))],
};
static CONSTRAINT_TYPE: GoType = GoType::Struct(&CONSTRAINT);
static CONSTRAINT: GoStruct = GoStruct {
    name: "constraints.Constraint",
    fields: &[
        field("failureMessage", STRING),
        field("cel", GoType::Struct(&CEL)),
        field("package", GoType::Struct(&PACKAGE)),
        field("gvk", GoType::Struct(&API)),
        field("all", GoType::Struct(&COMPOUND)),
        field("any", GoType::Struct(&COMPOUND)),
        field("not", GoType::Struct(&COMPOUND)),
    ],
};

fn read(json: &str) -> Result<fbc_yaml::Document, Refusal> {
    json_reader::read_value(json.as_bytes(), 0)
        .map(|(document, _)| document)
        .map_err(|error| Refusal(error.message))
}

/// A value that Go decodes into the struct.
fn decoded(json: &str, of: &'static GoStruct) -> Result<fbc_yaml::Document, Refusal> {
    let document = read(json)?;
    go_type::check(document.root(), &GoType::Struct(of)).map_err(|error| Refusal(error.message))?;
    Ok(document)
}

/// The value of an `olm.constraint`.
fn parsed(json: &str) -> Result<fbc_yaml::Document, Refusal> {
    if json.len() > MOST_BYTES {
        return Err(Refusal(format!(
            "olm.constraint value is greater than max constraint size {MOST_BYTES} bytes"
        )));
    }
    if levels(json) > MOST_LEVELS {
        return Err(Refusal(format!(
            "olm.constraint value nests deeper than {MOST_LEVELS} levels, which OLM does not count"
        )));
    }
    let document = read(json)?;
    if let Some(name) = unknown_field(document.root(), &CONSTRAINT_TYPE) {
        return Err(Refusal(format!("json: unknown field {}", quote(name))));
    }
    go_type::check(document.root(), &CONSTRAINT_TYPE).map_err(|error| Refusal(error.message))?;
    Ok(document)
}

/// How deep JSON text nests.
fn levels(json: &str) -> usize {
    let (mut depth, mut most, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The first field, in the order of the text, that the struct does not have.
fn unknown_field<'n>(node: Node<'n>, of: &'static GoType) -> Option<&'n str> {
    match of {
        GoType::Struct(of) => node.members().find_map(|(key, value)| match of.field(key) {
            Some(field) => unknown_field(value, &field.kind),
            None => Some(key),
        }),
        GoType::List(_, of) => node.items().find_map(|item| unknown_field(item, of)),
        _ => None,
    }
}

fn converted(node: Node<'_>, compile: CompileExpression) -> Result<Predicate, Refusal> {
    let given = |name: &str| {
        go_type::field(node, name).filter(|value| value.members().next().is_some() || !is_null(*value))
    };
    let parts = |of: Node<'_>| -> Result<Vec<Predicate>, Refusal> {
        let list = go_type::field(of, "constraints");
        list.into_iter().flat_map(|list| list.items()).map(|part| converted(part, compile)).collect()
    };
    if let Some(value) = given("gvk") {
        Ok(Predicate::Provides(api(value)))
    } else if let Some(value) = given("package") {
        package(value)
    } else if let Some(value) = given("all") {
        Ok(Predicate::All(parts(value)?))
    } else if let Some(value) = given("any") {
        Ok(Predicate::Any(parts(value)?))
    } else if let Some(value) = given("not") {
        Ok(Predicate::NoneOf(parts(value)?))
    } else if let Some(value) = given("cel") {
        let rule = go_type::text(value, "rule");
        let expression = compile(&rule).map_err(|error| Refusal(error.to_string()))?;
        Ok(Predicate::Fits { expression, rule, message: go_type::text(node, "failureMessage") })
    } else {
        Err(Refusal("constraint is empty".to_owned()))
    }
}

fn is_null(node: Node<'_>) -> bool {
    json_writer::compact(node) == "null"
}

fn api(value: Node<'_>) -> Api {
    let text = |name: &str| go_type::text(value, name);
    Api { group: text("group"), version: text("version"), kind: text("kind") }
}

fn package(value: Node<'_>) -> Result<Predicate, Refusal> {
    let range =
        Range::parse(&go_type::text(value, "versionRange")).map_err(|error| Refusal(error.to_string()))?;
    Ok(Predicate::Package { name: go_type::text(value, "packageName"), range })
}

#[cfg(test)]
#[path = "constraint_tests.rs"]
mod tests;
