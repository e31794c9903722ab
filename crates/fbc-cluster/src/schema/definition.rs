//! Definitions of kinds (`CustomResourceDefinition`) as data: names, versions and compiled schemas.

use std::sync::Arc;

use serde_json::Value;

use super::structural::Schema;
use super::work::Work;
use super::{defaults, embedded, lists, prune, rules, validate};
use crate::budget::{MOST_OBJECT_BYTES, TooLarge};
use crate::error::{FieldError, FieldReason};
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};
use crate::schema::path::Path;

/// A definition. Read it once per change of its object; everything in it is compiled.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The API group.
    pub group: String,
    /// The kind, such as `ClusterExtension`.
    pub kind: String,
    /// The kind of a list of such objects.
    pub list_kind: String,
    /// The resource, such as `clusterextensions`.
    pub plural: String,
    /// The resource for one object.
    pub singular: String,
    /// Further names for command lines.
    pub short_names: Vec<String>,
    /// Names of sets of kinds.
    pub categories: Vec<String>,
    /// True if objects live in namespaces.
    pub namespaced: bool,
    /// All versions, as they are written.
    pub versions: Arc<[Version]>,
}

/// One version of a kind.
#[derive(Debug, Clone)]
pub struct Version {
    /// The name, such as `v1`.
    pub name: String,
    /// True if the API server offers it.
    pub served: bool,
    /// True if objects are stored in it.
    pub storage: bool,
    /// The warning that clients get who use a deprecated version.
    pub deprecation_warning: Option<String>,
    /// True if `status` is written apart from the rest.
    pub has_status: bool,
    /// `scale`, if it is offered.
    pub scale: Option<Scale>,
    /// Columns of tables besides the name.
    pub columns: Vec<PrinterColumn>,
    /// Paths of the fields that selectors may ask for, such as `spec.color`.
    pub selectable_fields: Vec<String>,
    schema: Schema,
}

/// Where the subresource `scale` finds its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// The path of the number wanted, such as `.spec.replicas`.
    pub spec_replicas_path: String,
    /// The path of the number there is.
    pub status_replicas_path: String,
    /// The path of the selector, or an empty one.
    pub label_selector_path: String,
}

/// A column of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrinterColumn {
    /// The title.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub column_type: String,
    /// The format, or an empty one.
    pub format: String,
    /// What the column says.
    pub description: String,
    /// Columns above 0 are shown in wide tables only.
    pub priority: i64,
    /// Where the value is.
    pub json_path: String,
}

impl Definition {
    /// Reads a definition that the API server accepted (see [`super::check`]); what is absent reads as empty. Once its
    /// names were accepted, those count.
    pub fn read(object: &Object) -> Self {
        let versions = object.list(&["spec", "versions"]).iter().map(Version::read).collect();
        Self::with_versions(object, versions)
    }

    /// The same with versions that were read already.
    pub(crate) fn with_versions(object: &Object, versions: Arc<[Version]>) -> Self {
        let spec = object.get("spec").unwrap_or(&Value::Null);
        let accepted =
            object.at(&["status", "acceptedNames"]).filter(|names| !names.text(&["kind"]).is_empty());
        let names = accepted.or_else(|| spec.get("names")).unwrap_or(&Value::Null);
        let text = |value: &Value, field: &str| value.text(&[field]).to_owned();
        let or = |text: String, other: String| if text.is_empty() { other } else { text };
        let kind = text(names, "kind");
        Self {
            group: text(spec, "group"),
            list_kind: or(text(names, "listKind"), format!("{kind}List")),
            plural: text(names, "plural"),
            singular: or(text(names, "singular"), kind.to_lowercase()),
            short_names: texts(names, &["shortNames"]),
            categories: texts(names, &["categories"]),
            namespaced: spec.text(&["scope"]) == "Namespaced",
            versions,
            kind,
        }
    }

    /// The kind for the registry of the API server: its served versions in the order of preference.
    pub fn to_kind(&self) -> Kind {
        let mut versions: Vec<String> = self
            .versions
            .iter()
            .filter(|version| version.served)
            .map(|version| version.name.clone())
            .collect();
        versions.sort_by(|left, right| compare_versions(left, right));
        Kind {
            group: self.group.clone(),
            versions,
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            singular: self.singular.clone(),
            short_names: self.short_names.clone(),
            categories: self.categories.clone(),
            namespaced: self.namespaced,
            has_status: self.versions.iter().any(|version| version.has_status),
            has_generation: true,
        }
    }

    /// The version of this name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }
}

/// The order of versions in which clients prefer them.
pub fn compare_versions(left: &str, right: &str) -> std::cmp::Ordering {
    preference(right).cmp(&preference(left)).then_with(|| left.cmp(right))
}

/// `v2` before `v1` before `v2beta1` before `v1alpha1` before all other names.
///
/// Source: `kubernetes/apimachinery:pkg/version/helpers.go`.
fn preference(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let major: u64 = rest.get(..digits)?.parse().ok()?;
    match rest.get(digits..)? {
        "" => Some((3, major, 0)),
        rest => {
            let (stage, minor) = rest
                .strip_prefix("beta")
                .map(|minor| (2, minor))
                .or_else(|| rest.strip_prefix("alpha").map(|minor| (1, minor)))?;
            Some((stage, major, minor.parse().ok()?))
        }
    }
}

fn texts(value: &Value, path: &[&str]) -> Vec<String> {
    value.list(path).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Version {
    pub(super) fn read(json: &Value) -> Self {
        let schema = json.at(&["schema", "openAPIV3Schema"]).unwrap_or(&Value::Null);
        let scale = json.at(&["subresources", "scale"]);
        let flag = |name: &str| json.get(name) == Some(&Value::Bool(true));
        let text = |json: &Value, name: &str| json.text(&[name]).to_owned();
        Self {
            name: text(json, "name"),
            served: flag("served"),
            storage: flag("storage"),
            deprecation_warning: flag("deprecated").then(|| text(json, "deprecationWarning")),
            has_status: json.at(&["subresources", "status"]).is_some(),
            scale: scale.map(|scale| Scale {
                spec_replicas_path: text(scale, "specReplicasPath"),
                status_replicas_path: text(scale, "statusReplicasPath"),
                label_selector_path: text(scale, "labelSelectorPath"),
            }),
            columns: json.list(&["additionalPrinterColumns"]).iter().map(PrinterColumn::read).collect(),
            selectable_fields: json
                .list(&["selectableFields"])
                .iter()
                .map(|field| field.text(&["jsonPath"]).trim_start_matches('.').to_owned())
                .collect(),
            schema: Schema::of_resource(schema),
        }
    }

    /// The schema, with list types, keys of lists and map types of every place: what server-side apply asks for.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The paths of fields that the schema does not know, sorted: `spec.x`, `spec.list[0].y`.
    pub fn unknown_fields(&self, object: &Object) -> Vec<String> {
        let mut unknown = Vec::new();
        prune::prune(&mut object.clone(), &self.schema, true, Some(&mut unknown));
        unknown
    }

    /// Removes unknown fields, drops nulls that may not be, and sets defaults: what the API server does to every object
    /// that it reads from a request, and to the result of every patch.
    ///
    /// # Errors
    /// The defaults alone are more than an object may have.
    pub fn admit(&self, object: &mut Object) -> Result<(), TooLarge> {
        self.admit_within(object, &mut MOST_OBJECT_BYTES.clone())
    }

    /// As [`Version::admit`], with room for so many bytes of defaults, of which it takes what it needs.
    pub(crate) fn admit_within(&self, object: &mut Object, room: &mut u64) -> Result<(), TooLarge> {
        prune::prune(object, &self.schema, true, None);
        defaults::drop_nulls(object, &self.schema);
        defaults::set_defaults(object, &self.schema, room)
    }

    /// Validates an object that was admitted. `old` is the object before an update: what is wrong in it already and
    /// has not changed is tolerated, and rules about changes run.
    ///
    /// The metadata of the object is not looked at; errors about it come first in the API server's answer.
    ///
    /// What takes more than [`super::VALIDATION_WORK`] has one error, that says so.
    pub fn validate(&self, object: &Object, old: Option<&Object>) -> Vec<FieldError> {
        let work = Work::of_request();
        let errors = self.errors(object, old, &work);
        work.excess("<nil>").map_or(errors, |excess| vec![excess])
    }

    fn errors(&self, object: &Object, old: Option<&Object>, work: &Work) -> Vec<FieldError> {
        let mut errors = Vec::new();
        validate::validate(object, old, &self.schema, &Path::Root, work, &mut errors);
        errors.extend(work.excess_of_steps("<nil>"));
        embedded::validate(object, &self.schema, &Path::Root, work, &mut errors);
        errors.extend(self.new_duplicates(object, old, work));
        if self.schema.below.rules {
            if errors.iter().any(|error| hides_rules(error.reason)) {
                errors.push(FieldError::new("<nil>", FieldReason::Invalid, "null", RULES_NOT_CHECKED));
            } else {
                errors.extend(rules::run_all(object, old, &self.schema, &Path::Root, work));
            }
        }
        errors
    }

    /// Elements that are there twice; none if the old object had such, wherever they were.
    fn new_duplicates(&self, object: &Object, old: Option<&Object>, work: &Work) -> Vec<FieldError> {
        let of = |object: &Object| {
            let mut errors = Vec::new();
            lists::duplicates(object, &self.schema, &Path::Root, work, &mut errors);
            errors
        };
        let errors = of(object);
        if !errors.is_empty() && old.is_some_and(|old| !of(old).is_empty()) { Vec::new() } else { errors }
    }
}

const RULES_NOT_CHECKED: &str = "some validation rules were not checked because the object was invalid; \
    correct the existing errors to complete validation";

/// True for errors after which rules might read what is not there.
fn hides_rules(reason: FieldReason) -> bool {
    use FieldReason::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
    matches!(reason, NotSupported | Required | TooLong | TooMany | TypeInvalid)
}

impl PrinterColumn {
    fn read(json: &Value) -> Self {
        let text = |name: &str| json.text(&[name]).to_owned();
        Self {
            name: text("name"),
            column_type: text("type"),
            format: text("format"),
            description: text("description"),
            priority: json.number(&["priority"]).unwrap_or_default(),
            json_path: text("jsonPath"),
        }
    }
}
