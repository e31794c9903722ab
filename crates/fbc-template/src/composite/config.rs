//! The types of the two files and of the configurations of builders.
//!
//! They have no names for JSON in the reference, so messages show them as Go spells them.

use fbc_model::go_type::{GoField, GoStruct, GoType, STRING};

use super::Builder;

const fn field(name: &'static str, kind: GoType) -> GoField {
    GoField { name, kind, omit_empty: false }
}

pub(super) static CATALOGS: GoStruct = GoStruct {
    name: "composite.CatalogConfig",
    fields: &[
        field("Schema", STRING),
        field("Catalogs", GoType::List("[]composite.Catalog", &GoType::Struct(&CATALOG))),
    ],
};

static CATALOG: GoStruct = GoStruct {
    name: "composite.Catalog",
    fields: &[
        field("Name", STRING),
        field("Destination", GoType::Struct(&CATALOG_DESTINATION)),
        field("Builders", GoType::List("[]string", &STRING)),
    ],
};

static CATALOG_DESTINATION: GoStruct =
    GoStruct { name: "composite.CatalogDestination", fields: &[field("WorkingDir", STRING)] };

pub(super) static CONTRIBUTION: GoStruct = GoStruct {
    name: "composite.CompositeConfig",
    fields: &[
        field("Schema", STRING),
        field("Components", GoType::List("[]composite.Component", &GoType::Struct(&COMPONENT))),
    ],
};

static COMPONENT: GoStruct = GoStruct {
    name: "composite.Component",
    fields: &[
        field("Name", STRING),
        field("Destination", GoType::Struct(&COMPONENT_DESTINATION)),
        field("Strategy", GoType::Struct(&STRATEGY)),
    ],
};

static COMPONENT_DESTINATION: GoStruct =
    GoStruct { name: "composite.ComponentDestination", fields: &[field("Path", STRING)] };

static STRATEGY: GoStruct = GoStruct {
    name: "composite.BuildStrategy",
    fields: &[field("Name", STRING), field("Template", GoType::Struct(&DEFINITION))],
};

static DEFINITION: GoStruct = GoStruct {
    name: "composite.TemplateDefinition",
    fields: &[field("Schema", STRING), field("Config", GoType::Raw)],
};

static BASIC_CONFIG: GoType = GoType::Struct(&GoStruct {
    name: "composite.BasicConfig",
    fields: &[field("Input", STRING), field("Output", STRING)],
});

static SEMVER_CONFIG: GoType = GoType::Struct(&GoStruct {
    name: "composite.SemverConfig",
    fields: &[field("Input", STRING), field("Output", STRING)],
});

static RAW_CONFIG: GoType = GoType::Struct(&GoStruct {
    name: "composite.RawConfig",
    fields: &[field("Input", STRING), field("Output", STRING)],
});

static CUSTOM_CONFIG: GoType = GoType::Struct(&GoStruct {
    name: "composite.CustomConfig",
    fields: &[
        field("Command", STRING),
        field("Args", GoType::List("[]string", &STRING)),
        field("Output", STRING),
    ],
});

impl Builder {
    /// The type of the builder's configuration.
    pub(super) fn config(self) -> &'static GoType {
        match self {
            Self::Basic => &BASIC_CONFIG,
            Self::Semver => &SEMVER_CONFIG,
            Self::Raw => &RAW_CONFIG,
            Self::Custom => &CUSTOM_CONFIG,
        }
    }
}
