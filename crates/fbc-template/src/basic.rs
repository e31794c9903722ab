//! Basic templates: a catalog whose bundles are only named by their images.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/template/basic/basic.go`.

use fbc_model::Catalog;
use fbc_model::go_type::GoStruct;

use crate::document::{ENTRIES, SCHEMA as SCHEMA_FIELD, TemplateDocument};
use crate::error::{DocumentFault, TemplateError, TemplateFault};
use crate::render::{Named, Renderer};

/// The schema of the template.
pub(crate) const SCHEMA: &str = "olm.template.basic";

static TEMPLATE: GoStruct = GoStruct { name: "basic.BasicTemplateData", fields: &[SCHEMA_FIELD, ENTRIES] };

/// Expands a basic template.
pub(crate) fn render(text: &[u8], renderer: &Renderer<'_>) -> Result<Catalog, TemplateError> {
    let template = TemplateDocument::first(text).map_err(|error| {
        let fault = TemplateFault::Document(DocumentFault::Decoding(error.message));
        TemplateError::new(fault).at(error.place)
    })?;
    template
        .decode(&TEMPLATE, SCHEMA)
        .map_err(|error| TemplateError::new(TemplateFault::Document(error.message)).at(error.place))?;
    let mut catalog = template.catalog().map_err(|error| {
        TemplateError::new(TemplateFault::Entry { message: error.message }).at(error.place)
    })?;
    let mut named = Named::default();
    for bundle in &mut catalog.bundles {
        let pointer = format!("/entries/{}", bundle.origin.document);
        let only_named = !bundle.image.is_empty()
            && bundle.package.is_empty()
            && bundle.properties.is_empty()
            && bundle.related_images.is_empty();
        if !only_named {
            return Err(TemplateError::new(TemplateFault::BundleFields).at(template.place(&pointer)));
        }
        let rendered = renderer.bundle(&bundle.image).map_err(|fault| {
            TemplateError::new(TemplateFault::Bundle(fault)).at(template.place(&format!("{pointer}/image")))
        })?;
        named
            .charge(&bundle.image, &rendered.bundle)
            .map_err(|error| error.at(template.place(&format!("{pointer}/image"))))?;
        *bundle = fbc_model::Bundle { origin: bundle.origin, ..rendered.bundle };
    }
    Ok(catalog)
}

#[cfg(test)]
mod tests {
    use crate::TemplateKind::{Basic, Raw};
    use crate::testing::{Images, expand, property, yaml};

    #[test]
    fn bundles_take_the_places_of_their_images() {
        let text = "schema: olm.template.basic\nentries:\n\
            - {schema: olm.package, name: testop, defaultChannel: stable}\n\
            - {schema: olm.channel, package: testop, name: stable, entries: [{name: testop.v0.1.0}]}\n\
            - {schema: olm.bundle, image: localhost:5055/testop/bundle:v0.1.0}\nother: ignored\n---\n[";
        let expected = "---\ndefaultChannel: stable\nname: testop\nschema: olm.package\n\
            ---\nentries:\n- name: testop.v0.1.0\nname: stable\npackage: testop\nschema: olm.channel\n\
            ---\nimage: localhost:5055/testop/bundle:v0.1.0\nname: testop.v0.1.0\npackage: testop\nproperties:\n\
            - type: olm.package\n  value:\n    packageName: testop\n    version: 0.1.0\n\
            - type: olm.csv.metadata\n  value:\n    apiServiceDefinitions: {}\n    crdDescriptions: {}\n    \
            description: desc 0.1.0\n    provider: {}\n\
            relatedImages:\n- image: localhost:5055/testop/bundle:v0.1.0\n  name: \"\"\nschema: olm.bundle\n";
        let images = Images::from_rows(&[("localhost:5055/testop/bundle:v0.1.0", "testop", "0.1.0", "")]);
        assert_eq!(yaml(Basic, text, &images).unwrap(), expected);
        // The expansion is a catalog that is already in its canonical form.
        assert_eq!(yaml(Raw, expected, &images).unwrap(), expected);
    }

    #[test]
    fn bundles_that_are_named_again_and_again() {
        let mut images = Images::from_rows(&[("a", "testop", "0.1.0", "")]);
        let large = format!("\"{}\"", "x".repeat(8 << 20));
        images.bundles.get_mut("a").unwrap().properties.push(property("large", &large));
        let text = |count: usize| {
            format!(
                "schema: olm.template.basic\nentries:\n{}",
                "- {schema: olm.bundle, image: a}\n".repeat(count)
            )
        };
        assert_eq!(expand(Basic, text(3).as_bytes(), &images).unwrap().bundles.len(), 3);
        let error = expand(Basic, text(50).as_bytes(), &images).unwrap_err();
        assert_eq!(error.to_string(), "the template expands to more than 268435456 bytes");
        assert!(error.place.is_some());
    }

    #[test]
    fn refusals() {
        let images = Images::from_rows(&[("a", "testop", "0.1.0", "")]);
        for (text, message, place) in [
            ("", "decoding template schema: EOF", "nowhere"),
            (
                "schema: foo.bar",
                "template has unknown schema (\"foo.bar\"), should be \"olm.template.basic\"",
                "foo.bar",
            ),
            (
                "[a]",
                "unmarshalling template: json: cannot unmarshal array into Go value of type basic.BasicTemplateData",
                "[a]",
            ),
            (
                "schema: olm.template.basic\nentries: {a: b}",
                "unmarshalling template: json: cannot unmarshal object into Go struct field \
                 BasicTemplateData.entries of type []*declcfg.Meta",
                "{a: b}",
            ),
            (
                "schema: olm.template.basic\nentries: [a]",
                "unmarshalling template: json: cannot unmarshal string into Go value of type \
                 map[string]interface {} at offset 3 (indicated by <==)\n\"a\" <==",
                "a",
            ),
            ("null\n", "unmarshalling template: unexpected end of JSON input", "null"),
            (
                "schema: olm.template.basic\nentries: [null]",
                "unmarshalling template: entry 0 is null",
                "null",
            ),
            (
                "schema: olm.template.basic\nentries:\n- {schema: olm.package}\n- {schema: olm.channel, entries: 5}",
                "parse channel: json: cannot unmarshal number into Go struct field Channel.entries of type \
                 []declcfg.ChannelEntry",
                "5",
            ),
            (
                "schema: olm.template.basic\nentries: [{name: a}]",
                "object '{\"name\":\"a\"}\n' is missing root schema field",
                "{name: a}",
            ),
            (
                "schema: olm.template.basic\nentries: [{schema: olm.bundle, image: a, package: b}]",
                "unexpected fields present in basic template bundle",
                "{schema: olm.bundle, image: a, package: b}",
            ),
            (
                "schema: olm.template.basic\nentries: [{schema: olm.bundle, name: x, image: b}]",
                "render reference \"b\": no such image",
                "b",
            ),
        ] {
            let found = yaml(Basic, text, &images).unwrap_err();
            assert_eq!(found, (message.to_owned(), place.to_owned()), "{text}");
        }
        assert_eq!(
            yaml(Raw, "schema: a\n---\nschema: 5", &images).unwrap_err(),
            (
                "error unmarshaling JSON: while decoding JSON: expected value for key \"schema\" to be a \
                 string, got %!t(float64=5): 5"
                    .to_owned(),
                "5".to_owned()
            )
        );
    }
}
