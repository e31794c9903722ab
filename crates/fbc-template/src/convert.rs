//! From a catalog to the template that expands to it.
//!
//! Sources of the behaviour:
//! `operator-framework/operator-registry:alpha/template/converter/converter.go` and the `FromReader`
//! functions of the templates.

use fbc_go::json;
use fbc_model::go_type::{self, GoType};
use fbc_model::writer::Format;
use fbc_model::{blob, go_types, meta};
use fbc_yaml::stream::{self, Decoded};
use fbc_yaml::{Document, json_reader, json_writer, yaml_writer};

use crate::document::{misfit, place_of};
use crate::error::{TemplateError, TemplateFault};
use crate::{basic, substitutes};

/// What a catalog can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionTarget {
    /// A basic template: bundles are left with their images.
    Basic,
    /// A substitutes template without substitutions.
    Substitutes,
}

impl ConversionTarget {
    /// The names of the targets.
    pub const NAMES: [&'static str; 2] = ["basic", "substitutes"];

    /// The target of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "basic" => Some(Self::Basic),
            "substitutes" => Some(Self::Substitutes),
            _ => None,
        }
    }
}

/// Makes a template of the stream of blobs in a catalog file: its text, byte for byte as opm prints it.
/// The blobs need no schema.
///
/// # Errors
/// The first document that is not a blob, with opm's text behind `converting: `.
pub fn convert(target: ConversionTarget, text: &[u8], format: Format) -> Result<String, TemplateError> {
    let json = template_json(target, text)?;
    match format {
        Format::Json => {
            let mut out = String::new();
            json::write_indented(&mut out, &json::escape_html(&json), 4, 0);
            out.push('\n');
            Ok(out)
        }
        Format::Yaml => {
            let refuse = |message: String| TemplateError::new(TemplateFault::Conversion { message });
            let (document, _) =
                json_reader::read_value(json.as_bytes(), 0).map_err(|error| refuse(error.message))?;
            let mut out = "---\n".to_owned();
            yaml_writer::write(&mut out, document.root()).map_err(|error| refuse(error.to_string()))?;
            out.push('\n');
            Ok(out)
        }
    }
}

/// The template on one line of JSON.
fn template_json(target: ConversionTarget, text: &[u8]) -> Result<String, TemplateError> {
    let mut entries: Vec<String> = Vec::new();
    // Go writes the entries when it has all of them, and stumbles over null then.
    let mut null = None;
    for Decoded { range, syntax, outcome } in stream::read(text, &decode) {
        let refuse = |message| TemplateError::new(TemplateFault::Conversion { message });
        let (document, schema) = outcome.map_err(|fault| {
            let error = misfit(text, &range, syntax, fault, |error| (error.message, error.pointer));
            refuse(error.message).at(error.place)
        })?;
        let root = document.root();
        if root.is_null() {
            let message =
                "json: error calling MarshalJSON for type *declcfg.Meta: unexpected end of JSON input";
            null.get_or_insert_with(|| refuse(message.to_owned()).at(place_of(text, &range, syntax, "")));
        } else if target == ConversionTarget::Basic && schema == blob::schema::BUNDLE {
            go_type::check(root, &GoType::Struct(&go_types::BUNDLE)).map_err(|error| {
                let place = place_of(text, &range, syntax, &error.pointer);
                refuse(format!("parse bundle: {}", error.message)).at(place)
            })?;
            let mut entry = String::from("{\"schema\":");
            json_writer::write_string(&mut entry, &schema);
            entry.push_str(",\"image\":");
            json_writer::write_string(&mut entry, &go_type::text(root, "image"));
            entry.push('}');
            entries.push(entry);
        } else {
            entries.push(json_writer::compact(root));
        }
    }
    if let Some(error) = null {
        return Err(error);
    }
    // Go writes a list that was never touched as null.
    let entries = if entries.is_empty() { "null".to_owned() } else { format!("[{}]", entries.join(",")) };
    Ok(match target {
        ConversionTarget::Basic => {
            format!("{{\"schema\":\"{}\",\"entries\":{entries}}}", basic::SCHEMA)
        }
        ConversionTarget::Substitutes => {
            format!("{{\"schema\":\"{}\",\"entries\":{entries},\"substitutions\":[]}}", substitutes::SCHEMA)
        }
    })
}

fn decode(document: Document) -> Result<(Document, String), meta::MetaError> {
    let schema = meta::read(document.root())?.schema;
    Ok((document, schema))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shown;

    const CATALOG: &str = "schema: olm.package\nname: testop\ndescription: a <b> & c\n---\nname: no schema\n---\n\
        schema: olm.bundle\nname: testop.v1.0.0\npackage: testop\nimage: quay.io/x\nproperties: []\n";

    #[test]
    fn templates_as_opm_prints_them() {
        assert_eq!(
            convert(ConversionTarget::Basic, CATALOG.as_bytes(), Format::Json).unwrap(),
            r#"{
    "schema": "olm.template.basic",
    "entries": [
        {
            "description": "a \u003cb\u003e \u0026 c",
            "name": "testop",
            "schema": "olm.package"
        },
        {
            "name": "no schema"
        },
        {
            "schema": "olm.bundle",
            "image": "quay.io/x"
        }
    ]
}
"#
        );
        assert_eq!(
            convert(ConversionTarget::Substitutes, CATALOG.as_bytes(), Format::Yaml).unwrap(),
            "---\nentries:\n- description: a <b> & c\n  name: testop\n  schema: olm.package\n- name: no schema\n\
             - image: quay.io/x\n  name: testop.v1.0.0\n  package: testop\n  properties: []\n  schema: \
             olm.bundle\nschema: olm.template.substitutes\nsubstitutions: []\n\n"
        );
        assert_eq!(
            convert(ConversionTarget::Substitutes, b"", Format::Json).unwrap(),
            "{\n    \"schema\": \"olm.template.substitutes\",\n    \"entries\": null,\n    \"substitutions\": []\n}\n"
        );
    }

    #[test]
    fn refusals() {
        for (text, message, place) in [
            (
                "schema: olm.bundle\nimage: 5",
                "parse bundle: json: cannot unmarshal number into Go struct field Bundle.image of type string",
                "5",
            ),
            (
                "a: b\n---\n- c",
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of \
                 type map[string]interface {} at offset 1 (indicated by <==)\n[ <== \n    \"c\"\n]",
                "- c",
            ),
            // A later fault comes before null, which only the writer objects to.
            (
                "null\n---\na: [",
                "error converting YAML to JSON: yaml: line 1: did not find expected node content",
                "",
            ),
            ("a: [", "error converting YAML to JSON: yaml: line 1: did not find expected node content", ""),
        ] {
            let error = convert(ConversionTarget::Basic, text.as_bytes(), Format::Json).unwrap_err();
            assert_eq!(shown(&error, text), (message.to_owned(), place.to_owned()));
        }
        assert!(
            convert(ConversionTarget::Substitutes, b"schema: olm.bundle\nimage: 5", Format::Json).is_ok()
        );
    }
}
