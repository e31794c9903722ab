//! The Go types of the catalog format, as tables.
//!
//! Sources: `operator-framework/operator-registry:alpha/declcfg/declcfg.go`,
//! `operator-framework/operator-registry:alpha/property/property.go`,
//! `operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion_types.go`. Of the cluster
//! service version only the fields that a catalog uses are here; the install strategy is not.

use crate::go_type::{GoField, GoStruct, GoType, STRING};

const fn always(name: &'static str, kind: GoType) -> GoField {
    GoField { name, kind, omit_empty: false }
}

const fn omit(name: &'static str, kind: GoType) -> GoField {
    GoField { name, kind, omit_empty: true }
}

const STRINGS: GoType = GoType::List("[]string", &STRING);
const PROPERTIES: GoType = GoType::List("[]property.Property", &GoType::Struct(&PROPERTY));

/// A property of a package, channel or bundle.
pub static PROPERTY: GoStruct =
    GoStruct { name: "property.Property", fields: &[always("type", STRING), always("value", GoType::Raw)] };

/// An icon.
pub static ICON: GoStruct = GoStruct {
    name: "declcfg.Icon",
    fields: &[always("base64data", GoType::Bytes), always("mediatype", STRING)],
};

/// The blob `olm.package`.
pub static PACKAGE: GoStruct = GoStruct {
    name: "declcfg.Package",
    fields: &[
        always("schema", STRING),
        always("name", STRING),
        always("defaultChannel", STRING),
        omit("icon", GoType::Struct(&ICON)),
        omit("description", STRING),
        omit("properties", PROPERTIES),
    ],
};

/// An entry of a channel.
pub static CHANNEL_ENTRY: GoStruct = GoStruct {
    name: "declcfg.ChannelEntry",
    fields: &[
        always("name", STRING),
        omit("replaces", STRING),
        omit("skips", STRINGS),
        omit("skipRange", STRING),
    ],
};

/// The blob `olm.channel`.
pub static CHANNEL: GoStruct = GoStruct {
    name: "declcfg.Channel",
    fields: &[
        always("schema", STRING),
        always("name", STRING),
        always("package", STRING),
        always("entries", GoType::List("[]declcfg.ChannelEntry", &GoType::Struct(&CHANNEL_ENTRY))),
        omit("properties", PROPERTIES),
    ],
};

/// An image that a bundle needs.
pub static RELATED_IMAGE: GoStruct =
    GoStruct { name: "declcfg.RelatedImage", fields: &[always("name", STRING), always("image", STRING)] };

/// The blob `olm.bundle`.
pub static BUNDLE: GoStruct = GoStruct {
    name: "declcfg.Bundle",
    fields: &[
        always("schema", STRING),
        omit("name", STRING),
        omit("package", STRING),
        always("image", STRING),
        omit("properties", PROPERTIES),
        omit("relatedImages", GoType::List("[]declcfg.RelatedImage", &GoType::Struct(&RELATED_IMAGE))),
    ],
};

/// What a deprecation entry refers to.
pub static REFERENCE: GoStruct = GoStruct {
    name: "declcfg.PackageScopedReference",
    fields: &[always("schema", STRING), omit("name", STRING)],
};

/// An entry of a deprecation blob.
pub static DEPRECATION_ENTRY: GoStruct = GoStruct {
    name: "declcfg.DeprecationEntry",
    fields: &[always("reference", GoType::Struct(&REFERENCE)), always("message", STRING)],
};

/// The blob `olm.deprecations`.
pub static DEPRECATION: GoStruct = GoStruct {
    name: "declcfg.Deprecation",
    fields: &[
        always("schema", STRING),
        always("package", STRING),
        always("entries", GoType::List("[]declcfg.DeprecationEntry", &GoType::Struct(&DEPRECATION_ENTRY))),
    ],
};

/// The type of the values of a property that opm decodes when it converts a catalog; nothing for any
/// other. `olm.bundle.object` is not among them: its values are decoded, and refused, when a catalog is
/// loaded, and decoding them again would double the time of a run.
#[must_use]
pub fn of_property(kind: &str) -> Option<&'static GoStruct> {
    match kind {
        "olm.package" => Some(&PACKAGE_PROPERTY),
        "olm.package.required" => Some(&PACKAGE_REQUIRED_PROPERTY),
        "olm.gvk" => Some(&GVK_PROPERTY),
        "olm.gvk.required" => Some(&GVK_REQUIRED_PROPERTY),
        "olm.channel" => Some(&CHANNEL_PROPERTY),
        "olm.csv.metadata" => Some(&CSV_METADATA_PROPERTY),
        _ => None,
    }
}

/// The value of the property `olm.package`.
pub static PACKAGE_PROPERTY: GoStruct = GoStruct {
    name: "property.Package",
    fields: &[always("packageName", STRING), always("version", STRING), omit("release", STRING)],
};

/// The value of the property `olm.package.required`.
pub static PACKAGE_REQUIRED_PROPERTY: GoStruct = GoStruct {
    name: "property.PackageRequired",
    fields: &[always("packageName", STRING), always("versionRange", STRING)],
};

/// The value of the property `olm.gvk`.
pub static GVK_PROPERTY: GoStruct = GoStruct {
    name: "property.GVK",
    fields: &[always("group", STRING), always("kind", STRING), always("version", STRING)],
};

/// The value of the property `olm.gvk.required`.
pub static GVK_REQUIRED_PROPERTY: GoStruct = GoStruct {
    name: "property.GVKRequired",
    fields: &[always("group", STRING), always("kind", STRING), always("version", STRING)],
};

/// The value of the property `olm.bundle.object`.
pub static BUNDLE_OBJECT_PROPERTY: GoStruct =
    GoStruct { name: "property.BundleObject", fields: &[always("data", GoType::Bytes)] };

/// The value of the property `olm.channel`.
pub static CHANNEL_PROPERTY: GoStruct =
    GoStruct { name: "property.Channel", fields: &[always("channelName", STRING)] };

/// The value of the property `olm.csv.metadata`.
pub static CSV_METADATA_PROPERTY: GoStruct = GoStruct {
    name: "property.CSVMetadata",
    fields: &[
        omit("annotations", GoType::StringMap),
        omit("apiServiceDefinitions", GoType::Struct(&API_SERVICE_DEFINITIONS)),
        omit("crdDescriptions", GoType::Struct(&CUSTOM_RESOURCE_DEFINITIONS)),
        omit("description", STRING),
        omit("displayName", STRING),
        omit("installModes", INSTALL_MODES),
        omit("keywords", STRINGS),
        omit("labels", GoType::StringMap),
        omit("links", LINKS),
        omit("maintainers", MAINTAINERS),
        omit("maturity", STRING),
        omit("minKubeVersion", STRING),
        omit("nativeAPIs", NATIVE_APIS),
        omit("provider", GoType::Struct(&APP_LINK)),
    ],
};

const INSTALL_MODES: GoType = GoType::List("[]v1alpha1.InstallMode", &GoType::Struct(&INSTALL_MODE));
const LINKS: GoType = GoType::List("[]v1alpha1.AppLink", &GoType::Struct(&APP_LINK));
const MAINTAINERS: GoType = GoType::List("[]v1alpha1.Maintainer", &GoType::Struct(&MAINTAINER));
const NATIVE_APIS: GoType = GoType::List("[]v1.GroupVersionKind", &GoType::Struct(&GROUP_VERSION_KIND));

static INSTALL_MODE: GoStruct = GoStruct {
    name: "v1alpha1.InstallMode",
    fields: &[always("type", GoType::String("v1alpha1.InstallModeType")), always("supported", GoType::Bool)],
};

static APP_LINK: GoStruct =
    GoStruct { name: "v1alpha1.AppLink", fields: &[omit("name", STRING), omit("url", STRING)] };

static MAINTAINER: GoStruct =
    GoStruct { name: "v1alpha1.Maintainer", fields: &[omit("name", STRING), omit("email", STRING)] };

static GROUP_VERSION_KIND: GoStruct = GoStruct {
    name: "v1.GroupVersionKind",
    fields: &[always("group", STRING), always("version", STRING), always("kind", STRING)],
};

static API_RESOURCE_REFERENCE: GoStruct = GoStruct {
    name: "v1alpha1.APIResourceReference",
    fields: &[always("name", STRING), always("kind", STRING), always("version", STRING)],
};

macro_rules! descriptor {
    ($identifier:ident, $name:literal) => {
        static $identifier: GoStruct = GoStruct {
            name: $name,
            fields: &[
                always("path", STRING),
                omit("displayName", STRING),
                omit("description", STRING),
                omit("x-descriptors", STRINGS),
                omit("value", GoType::Raw),
            ],
        };
    };
}
descriptor!(SPEC_DESCRIPTOR, "v1alpha1.SpecDescriptor");
descriptor!(STATUS_DESCRIPTOR, "v1alpha1.StatusDescriptor");
descriptor!(ACTION_DESCRIPTOR, "v1alpha1.ActionDescriptor");

const RESOURCES: GoType =
    GoType::List("[]v1alpha1.APIResourceReference", &GoType::Struct(&API_RESOURCE_REFERENCE));
const STATUS_DESCRIPTORS: GoType =
    GoType::List("[]v1alpha1.StatusDescriptor", &GoType::Struct(&STATUS_DESCRIPTOR));
const SPEC_DESCRIPTORS: GoType = GoType::List("[]v1alpha1.SpecDescriptor", &GoType::Struct(&SPEC_DESCRIPTOR));
const ACTION_DESCRIPTORS: GoType =
    GoType::List("[]v1alpha1.ActionDescriptor", &GoType::Struct(&ACTION_DESCRIPTOR));

static CRD_DESCRIPTION: GoStruct = GoStruct {
    name: "v1alpha1.CRDDescription",
    fields: &[
        always("name", STRING),
        always("version", STRING),
        always("kind", STRING),
        omit("displayName", STRING),
        omit("description", STRING),
        omit("resources", RESOURCES),
        omit("statusDescriptors", STATUS_DESCRIPTORS),
        omit("specDescriptors", SPEC_DESCRIPTORS),
        omit("actionDescriptors", ACTION_DESCRIPTORS),
    ],
};

static API_SERVICE_DESCRIPTION: GoStruct = GoStruct {
    name: "v1alpha1.APIServiceDescription",
    fields: &[
        always("name", STRING),
        always("group", STRING),
        always("version", STRING),
        always("kind", STRING),
        omit("deploymentName", STRING),
        omit("containerPort", GoType::Int32),
        omit("displayName", STRING),
        omit("description", STRING),
        omit("resources", RESOURCES),
        omit("statusDescriptors", STATUS_DESCRIPTORS),
        omit("specDescriptors", SPEC_DESCRIPTORS),
        omit("actionDescriptors", ACTION_DESCRIPTORS),
    ],
};

const CRD_DESCRIPTIONS: GoType = GoType::List("[]v1alpha1.CRDDescription", &GoType::Struct(&CRD_DESCRIPTION));
const API_SERVICE_DESCRIPTIONS: GoType =
    GoType::List("[]v1alpha1.APIServiceDescription", &GoType::Struct(&API_SERVICE_DESCRIPTION));

static CUSTOM_RESOURCE_DEFINITIONS: GoStruct = GoStruct {
    name: "v1alpha1.CustomResourceDefinitions",
    fields: &[omit("owned", CRD_DESCRIPTIONS), omit("required", CRD_DESCRIPTIONS)],
};

static API_SERVICE_DEFINITIONS: GoStruct = GoStruct {
    name: "v1alpha1.APIServiceDefinitions",
    fields: &[omit("owned", API_SERVICE_DESCRIPTIONS), omit("required", API_SERVICE_DESCRIPTIONS)],
};

static CSV_ICON: GoStruct =
    GoStruct { name: "v1alpha1.Icon", fields: &[always("base64data", STRING), always("mediatype", STRING)] };

static OBJECT_META: GoStruct = GoStruct {
    name: "v1.ObjectMeta",
    fields: &[
        omit("name", STRING),
        omit("namespace", STRING),
        omit("labels", GoType::StringMap),
        omit("annotations", GoType::StringMap),
    ],
};

static CSV_SPEC: GoStruct = GoStruct {
    name: "v1alpha1.ClusterServiceVersionSpec",
    fields: &[
        omit("version", STRING),
        omit("release", STRING),
        omit("maturity", STRING),
        omit("customresourcedefinitions", GoType::Struct(&CUSTOM_RESOURCE_DEFINITIONS)),
        omit("apiservicedefinitions", GoType::Struct(&API_SERVICE_DEFINITIONS)),
        omit("nativeAPIs", NATIVE_APIS),
        omit("minKubeVersion", STRING),
        always("displayName", STRING),
        omit("description", STRING),
        omit("keywords", STRINGS),
        omit("maintainers", MAINTAINERS),
        omit("provider", GoType::Struct(&APP_LINK)),
        omit("links", LINKS),
        omit("icon", GoType::List("[]v1alpha1.Icon", &GoType::Struct(&CSV_ICON))),
        omit("installModes", INSTALL_MODES),
        omit("replaces", STRING),
        omit("labels", GoType::StringMap),
        omit("annotations", GoType::StringMap),
        omit("skips", STRINGS),
    ],
};

/// A cluster service version, as far as a catalog needs it.
pub static CLUSTER_SERVICE_VERSION: GoStruct = GoStruct {
    name: "v1alpha1.ClusterServiceVersion",
    fields: &[
        omit("kind", STRING),
        omit("apiVersion", STRING),
        always("metadata", GoType::Struct(&OBJECT_META)),
        always("spec", GoType::Struct(&CSV_SPEC)),
    ],
};

/// The value of a property `olm.constraint`.
///
/// Source: `operator-framework/api:pkg/constraints/constraint.go`.
pub static CONSTRAINT: GoStruct = GoStruct {
    name: "constraints.Constraint",
    fields: &[
        omit("failureMessage", STRING),
        omit("cel", GoType::Struct(&CEL)),
        omit("package", GoType::Struct(&PACKAGE_CONSTRAINT)),
        omit("gvk", GoType::Struct(&GVK_CONSTRAINT)),
        omit("all", GoType::Struct(&COMPOUND_CONSTRAINT)),
        omit("any", GoType::Struct(&COMPOUND_CONSTRAINT)),
        omit("not", GoType::Struct(&COMPOUND_CONSTRAINT)),
        omit("none", GoType::Struct(&COMPOUND_CONSTRAINT)),
    ],
};

static CEL: GoStruct = GoStruct { name: "constraints.Cel", fields: &[always("rule", STRING)] };

static PACKAGE_CONSTRAINT: GoStruct = GoStruct {
    name: "constraints.PackageConstraint",
    fields: &[always("packageName", STRING), always("versionRange", STRING)],
};

static GVK_CONSTRAINT: GoStruct = GoStruct {
    name: "constraints.GVKConstraint",
    fields: &[always("group", STRING), always("kind", STRING), always("version", STRING)],
};

static COMPOUND_CONSTRAINT: GoStruct = GoStruct {
    name: "constraints.CompoundConstraint",
    fields: &[always("constraints", GoType::List("[]constraints.Constraint", &GoType::Struct(&CONSTRAINT)))],
};
