//! The kinds of templates, and how a template tells its own.

use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_yaml::Kind;

use crate::document::{NOTHING, TemplateDocument};
use crate::error::{DetectionFault, TemplateError, TemplateFault};

/// A kind of template that expands to one catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TemplateKind {
    /// Blobs as they are, but for bundles, of which only the images are named.
    Basic,
    /// Lists of bundles by stability; channels and edges follow from their versions.
    Semver,
    /// A catalog, and bundles that take the places of others in it.
    Substitutes,
    /// A catalog that is only rewritten. opm knows it in composite templates alone.
    Raw,
    /// A basic template as blobs one after another. Newer versions of opm do not take it.
    Stream,
}

impl TemplateKind {
    /// The names that opm takes, in its order.
    pub const NAMES: [&'static str; 3] = ["basic", "semver", "substitutes"];

    /// The kind of a name; `raw` is taken beside [`TemplateKind::NAMES`].
    ///
    /// # Errors
    /// [`TemplateFault::UnknownType`].
    pub fn from_name(name: &str) -> Result<Self, TemplateError> {
        Ok(match name {
            "basic" => Self::Basic,
            "semver" => Self::Semver,
            "substitutes" => Self::Substitutes,
            "raw" => Self::Raw,
            _ => {
                return Err(TemplateFault::UnknownType { name: name.to_owned() }.into());
            }
        })
    }

    /// The kind of a schema.
    ///
    /// # Errors
    /// [`DetectionFault::UnknownSchema`].
    pub fn from_schema(schema: &str) -> Result<Self, TemplateError> {
        [Self::Basic, Self::Semver, Self::Substitutes]
            .into_iter()
            .find(|kind| kind.schema() == Some(schema))
            .ok_or_else(|| detection(DetectionFault::UnknownSchema(schema.to_owned())))
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Semver => "semver",
            Self::Substitutes => "substitutes",
            Self::Raw => "raw",
            Self::Stream => "stream",
        }
    }

    /// The schema of the template document; a raw catalog has none.
    #[must_use]
    pub fn schema(self) -> Option<&'static str> {
        match self {
            Self::Basic => Some(crate::basic::SCHEMA),
            Self::Semver => Some(crate::semver::SCHEMA),
            Self::Substitutes => Some(crate::substitutes::SCHEMA),
            Self::Raw | Self::Stream => None,
        }
    }
}

fn detection(fault: DetectionFault) -> TemplateError {
    TemplateFault::Detection(fault).into()
}

/// The struct without a name that opm decodes the schema into.
static SCHEMA_ONLY: GoStruct =
    GoStruct { name: "", fields: &[GoField { name: "schema", kind: STRING, omit_empty: false }] };

/// Tells the kind of a template by the schema of its first document.
///
/// # Errors
/// [`DetectionFault`].
pub fn detect(text: &[u8]) -> Result<TemplateKind, TemplateError> {
    let template = TemplateDocument::first(text)
        .map_err(|error| detection(DetectionFault::Decoding(error.message)).at(error.place))?;
    let root = template.root();
    if root.is_null() {
        return Err(detection(DetectionFault::Unmarshalling(NOTHING.to_owned())).at(template.place("")));
    }
    if root.kind() != Kind::Object {
        let message = format!(
            "json: cannot unmarshal {} into Go value of type struct {{ Schema string \"json:\\\"schema\\\"\" }}",
            root.kind().go_name()
        );
        return Err(detection(DetectionFault::Unmarshalling(message)).at(template.place("")));
    }
    go_type::check(root, &GoType::Struct(&SCHEMA_ONLY)).map_err(|error| {
        detection(DetectionFault::Unmarshalling(error.message)).at(template.place(&error.pointer))
    })?;
    match go_type::text(root, "schema") {
        schema if schema.is_empty() => Err(detection(DetectionFault::NoSchema).at(template.place(""))),
        schema => TemplateKind::from_schema(&schema).map_err(|error| error.at(template.place("/schema"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in TemplateKind::NAMES {
            assert_eq!(TemplateKind::from_name(name).unwrap().name(), name);
        }
        assert_eq!(TemplateKind::from_name("raw").unwrap(), TemplateKind::Raw);
        assert_eq!(
            TemplateKind::from_name("bogus").unwrap_err().to_string(),
            "invalid template type \"bogus\", must be one of: [basic semver substitutes]"
        );
    }

    #[test]
    fn the_schema_of_the_first_document_tells_the_kind() {
        for (text, expected) in [
            ("schema: olm.template.basic\n---\nschema: x", "basic"),
            (
                "# c\n---\n# d\nSchema: olm.semver",
                "auto-detecting template type: unmarshalling template schema: unexpected end of JSON input",
            ),
            ("---\nSchema: olm.semver", "semver"),
            ("{\"schema\": \"olm.template.substitutes\"}\n{", "substitutes"),
            ("", "auto-detecting template type: decoding template input: EOF"),
            (
                "---\n",
                "auto-detecting template type: unmarshalling template schema: unexpected end of JSON input",
            ),
            ("a: 1", "auto-detecting template type: template input missing required 'schema' field"),
            ("schema: foo.bar", "auto-detecting template type: unknown template schema: foo.bar"),
            (
                "schema: 5",
                "auto-detecting template type: unmarshalling template schema: json: cannot unmarshal number \
                 into Go struct field .schema of type string",
            ),
            (
                "[]",
                "auto-detecting template type: unmarshalling template schema: json: cannot unmarshal array into \
                 Go value of type struct { Schema string \"json:\\\"schema\\\"\" }",
            ),
            (
                "schema: [",
                "auto-detecting template type: decoding template input: error converting YAML to JSON: yaml: \
                 line 1: did not find expected node content",
            ),
            (
                "schema: a\n--- b\nc: d",
                "auto-detecting template type: decoding template input: invalid Yaml document separator: b",
            ),
        ] {
            let found = match detect(text.as_bytes()) {
                Ok(kind) => kind.name().to_owned(),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expected, "{text}");
        }
    }
}
