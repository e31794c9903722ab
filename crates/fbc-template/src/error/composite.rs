//! Why a composite template cannot be built.

use fbc_go::text::quote;

/// Why a composite template cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompositeFault {
    /// The catalogs file or the contribution file does not parse.
    #[error("decoding {file} config: {message}")]
    Decoding {
        /// `catalog` or `composite`.
        file: &'static str,
        /// opm's text.
        message: String,
    },
    /// A value in one of them has the wrong type.
    #[error("unmarshalling {file} config: {message}")]
    Unmarshalling {
        /// `catalog` or `composite`.
        file: &'static str,
        /// opm's text.
        message: String,
    },
    /// The schema of one of them is wrong.
    #[error("{file} configuration file has unknown schema, should be {}", quote(.expected))]
    Schema {
        /// `catalog` or `composite`.
        file: &'static str,
        /// The schema that it should have.
        expected: &'static str,
    },
    /// A catalog allows a builder that does not exist.
    #[error(
        "getting builder {} for catalog {}: unknown schema {}",
        quote(.builder), quote(.catalog), quote(.builder)
    )]
    UnknownBuilder {
        /// The builder.
        builder: String,
        /// The catalog.
        catalog: String,
    },
    /// Catalogs without a working directory.
    #[error("catalog configuration file field validation failed: {}", field_list(.catalogs))]
    NoWorkingDirectory {
        /// Their names.
        catalogs: Vec<String>,
    },
    /// A component cannot be built.
    #[error("building component {}: {fault}", quote(.component))]
    Component {
        /// Its name.
        component: String,
        /// What is wrong.
        fault: ComponentFault,
    },
}

fn field_list(catalogs: &[String]) -> String {
    let lines = catalogs
        .iter()
        .map(|name| format!("\nCatalog {name}:\n  - destination.workingDir must not be an empty string\n"));
    lines.collect()
}

/// Why a component of a composite template cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComponentFault {
    /// There is no catalog of that name.
    #[error(
        "component does not exist in the catalog configuration. Available components are: [{}]",
        .available.join(" ")
    )]
    NoCatalog {
        /// The catalogs that there are.
        available: Vec<String>,
    },
    /// The catalog does not allow the builder.
    #[error("no builder found for template schema {}", quote(.schema))]
    NoBuilder {
        /// The builder.
        schema: String,
    },
    /// The configuration of the builder cannot be read.
    #[error("unmarshalling {builder} template config: {message}")]
    Config {
        /// The builder's short name.
        builder: &'static str,
        /// opm's text.
        message: String,
    },
    /// A path of the contribution leaves the directory that it belongs to. opm follows it.
    #[error("{field} {} leads out of {}", quote(.path), quote(.root))]
    Outside {
        /// The field.
        field: &'static str,
        /// The path.
        path: String,
        /// The directory.
        root: String,
    },
    /// The configuration of the builder lacks fields.
    #[error("{builder} template configuration is invalid: {}", missing_list(.builder, .fields))]
    MissingFields {
        /// The builder's short name.
        builder: &'static str,
        /// The fields.
        fields: Vec<&'static str>,
    },
}

fn missing_list(builder: &str, fields: &[&str]) -> String {
    let texts: Vec<String> = fields
        .iter()
        .map(|field| {
            format!(
                "{builder} template config must have a non-empty {field} (templateDefinition.config.{field})"
            )
        })
        .collect();
    texts.join(",")
}
