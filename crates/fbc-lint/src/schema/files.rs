//! The files of `schemas/`, as they are compiled into the binary.
//!
//! The files have no `$id`: the place a file is loaded from is its base, so that the same relative
//! references lead from file to file in a checkout, on a web server and in here.

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use super::node::ArenaJson;
use super::validators;

/// A JSON Schema file.
pub struct Schema {
    /// The name: the path without the ending, such as `property/olm.gvk`.
    pub name: &'static str,
    /// The path below `schemas/`, such as `property/olm.gvk.json`.
    pub path: &'static str,
    /// The content of the file.
    pub text: &'static str,
    parsed: OnceLock<Value>,
    validator: OnceLock<Validator<ArenaJson>>,
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Schema {
    /// The schema as a value, parsed when it is first asked for.
    ///
    /// # Panics
    /// Never: that every file is JSON is tested.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the text is part of the binary, and a test parses every one")]
    pub fn value(&self) -> &Value {
        self.parsed.get_or_init(|| serde_json::from_str(self.text).expect("schema files are JSON"))
    }

    /// What checks values against the schema, built when it is first asked for.
    pub(super) fn validator(&self) -> &Validator<ArenaJson> {
        self.validator.get_or_init(|| validators::build(self))
    }

    /// A part of the schema by the fragment of a keyword's location; the parents of it as well,
    /// for keywords that explain their neighbours.
    pub(super) fn part(&self, fragment: &str) -> Option<&Value> {
        self.value().pointer(fragment)
    }
}

macro_rules! schemas {
    ($($constant:ident = $name:literal;)*) => {
        $(
            pub(super) static $constant: Schema = Schema {
                name: $name,
                path: concat!($name, ".json"),
                text: include_str!(concat!("../../../../schemas/", $name, ".json")),
                parsed: OnceLock::new(),
                validator: OnceLock::new(),
            };
        )*

        /// Every schema file, sorted by name.
        static ALL: &[&Schema] = &[$(&$constant),*];
    };
}

schemas! {
    LIFECYCLE = "blob/io.openshift.operators.lifecycles.v1alpha1";
    META = "blob/meta";
    BUNDLE = "blob/olm.bundle";
    CHANNEL = "blob/olm.channel";
    DEPRECATIONS = "blob/olm.deprecations";
    PACKAGE = "blob/olm.package";
    RESERVED = "blob/reserved";
    CATALOG = "catalog";
    CONFIG = "config";
    IMAGE_SET = "image-set";
    GRAPH_OUTPUT = "output/graph";
    PATHS_OUTPUT = "output/paths";
    SIMULATE_OUTPUT = "output/simulate";
    BUNDLE_PROPERTY = "part/bundle-property";
    CHANNEL_ENTRY = "part/channel-entry";
    DEPRECATION_ENTRY = "part/deprecation-entry";
    PROPERTY = "part/property";
    PROPERTY_BUNDLE_OBJECT = "property/olm.bundle.object";
    PROPERTY_CHANNEL = "property/olm.channel";
    PROPERTY_CONSTRAINT = "property/olm.constraint";
    PROPERTY_CSV_METADATA = "property/olm.csv.metadata";
    PROPERTY_DEPRECATED = "property/olm.deprecated";
    PROPERTY_GVK = "property/olm.gvk";
    PROPERTY_GVK_REQUIRED = "property/olm.gvk.required";
    PROPERTY_LABEL = "property/olm.label";
    PROPERTY_MAX_OPENSHIFT_VERSION = "property/olm.maxOpenShiftVersion";
    PROPERTY_PACKAGE = "property/olm.package";
    PROPERTY_PACKAGE_REQUIRED = "property/olm.package.required";
    SCENARIO = "scenario";
    TEMPLATE_COMPOSITE = "template/olm.composite";
    TEMPLATE_SEMVER = "template/olm.semver";
    TEMPLATE_BASIC = "template/olm.template.basic";
    TEMPLATE_SUBSTITUTES = "template/olm.template.substitutes";
}

/// Every schema file, sorted by name.
#[must_use]
pub fn all() -> &'static [&'static Schema] {
    ALL
}

/// The schema of that name, such as `catalog` or `property/olm.gvk`.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Schema> {
    ALL.iter().copied().find(|schema| schema.name == name)
}

/// The schema for the value of a bundle's property; nothing for types that OLM does not define.
#[must_use]
pub fn for_property(property_type: &str) -> Option<&'static Schema> {
    // A match is quicker than a table, and this runs for every property of every bundle.
    Some(match property_type {
        "olm.gvk" => &PROPERTY_GVK,
        "olm.package" => &PROPERTY_PACKAGE,
        "olm.csv.metadata" => &PROPERTY_CSV_METADATA,
        "olm.bundle.object" => &PROPERTY_BUNDLE_OBJECT,
        "olm.gvk.required" => &PROPERTY_GVK_REQUIRED,
        "olm.package.required" => &PROPERTY_PACKAGE_REQUIRED,
        "olm.constraint" => &PROPERTY_CONSTRAINT,
        "olm.maxOpenShiftVersion" => &PROPERTY_MAX_OPENSHIFT_VERSION,
        "olm.label" => &PROPERTY_LABEL,
        "olm.deprecated" => &PROPERTY_DEPRECATED,
        "olm.channel" => &PROPERTY_CHANNEL,
        _ => return None,
    })
}
