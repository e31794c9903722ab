//! The worked example and refusals of substitutes templates.

use fbc_model::Catalog;
use fbc_model::render::MigrateLevel;

use crate::OpmSemantics;
use crate::TemplateKind::Substitutes;
use crate::testing::{Images, bundle, property, shown, yaml};
use crate::{Renderer, render};

const ENTRIES: &str = r#"schema: olm.template.substitutes
entries:
- {schema: olm.package, name: testop, defaultChannel: stable}
- schema: olm.channel
  package: testop
  name: stable
  entries:
  - {name: testop.v1.0.0}
  - {name: testop.v1.1.0, replaces: testop.v1.0.0, skipRange: <1.1.0}
  - {name: testop.v1.2.0, replaces: testop.v1.1.0}
- {schema: olm.channel, package: testop, name: skips, entries: [{name: testop.v1.2.0, skips: [testop.v1.1.0, x]}]}
- {schema: olm.bundle, package: testop, name: testop.v1.0.0, image: a, properties: [{type: olm.package, value: {packageName: testop, version: 1.0.0}}]}
- {schema: olm.bundle, package: testop, name: testop.v1.1.0, image: b, properties: [{type: olm.package, value: {packageName: testop, version: 1.1.0}}]}
- {schema: olm.bundle, package: testop, name: testop.v1.2.0, image: c}
"#;

fn images() -> Images {
    let mut images = Images::from_rows(&[
        ("v1.1.1", "testop", "1.1.1", ""),
        ("v1.1.0", "testop", "1.1.0", ""),
        ("v1.1.0-1", "testop", "1.1.0", "1"),
        ("build", "testop", "1.1.0+2", ""),
    ]);
    let mut legacy = bundle("legacy", "testop", "1.1.0+2", "");
    legacy.properties = vec![
        property("olm.package", r#"{"packageName":"testop","version":"1.1.0+2"}"#),
        property("olm.csv.metadata", r#"{"annotations":{"olm.substitutesFor":"testop.v1.1.0"}}"#),
    ];
    images.bundles.insert("legacy".to_owned(), legacy);
    images
}

#[test]
fn a_substitute_takes_over_the_edges() {
    let images = images();
    let text = format!("{ENTRIES}substitutions: [{{name: v1.1.1, base: testop.v1.1.0}}]\n");
    let yaml = yaml(Substitutes, &text, &images).unwrap();
    assert!(
        yaml.contains(
            "---\nentries:\n- name: testop.v1.0.0\n- name: testop.v1.1.0\n- name: testop.v1.2.0\n  replaces: \
             testop.v1.1.1\n  skips:\n  - testop.v1.1.0\n- name: testop.v1.1.1\n  replaces: testop.v1.0.0\n  \
             skipRange: <1.1.0\n  skips:\n  - testop.v1.1.0\nname: stable\n"
        ),
        "{yaml}"
    );
    // A channel without the base has its skips changed all the same.
    assert!(
        yaml.contains(
            "---\nentries:\n- name: testop.v1.2.0\n  skips:\n  - x\n  - testop.v1.1.1\nname: skips\n"
        ),
        "{yaml}"
    );
    assert!(yaml.contains("---\nimage: v1.1.1\n"), "{yaml}");
    assert_eq!(*images.asked.borrow(), ["v1.1.1"]);
}

#[test]
fn releases_make_a_substitute_newer() {
    for (name, is_newer) in [("v1.1.0-1", true), ("v1.1.0", false), ("build", false), ("legacy", true)] {
        let text = format!("{ENTRIES}substitutions: [{{name: {name}, base: testop.v1.1.0}}]\n");
        assert_eq!(yaml(Substitutes, &text, &images()).is_ok(), is_newer, "{name}");
    }
}

#[test]
fn refusals() {
    let processing = |base: &str, name: &str, rest: &str| {
        format!("error processing substitution \"{base}\" -> \"{name}\": {rest}")
    };
    for (substitutions, message, place) in [
        (
            "[{name: v1.1.1, base: testop.v1.0.0}, {name: v1.1.0, base: testop.v1.0.0}]",
            "cannot reuse the same substitution base \"testop.v1.0.0\"".to_owned(),
            "testop.v1.0.0",
        ),
        (
            "[{name: v1.1.1, base: testop.v1.0.0}, {name: v1.1.1, base: testop.v1.1.0}]",
            "cannot reuse the same substitution \"v1.1.1\" for different bases (\"testop.v1.0.0\" and \
             \"testop.v1.1.0\")"
                .to_owned(),
            "v1.1.1",
        ),
        ("[{base: a}]", processing("a", "", "substitution name cannot be empty"), "{base: a}"),
        ("[{name: a}]", processing("", "a", "substitution base cannot be empty"), "{name: a}"),
        (
            "[{name: a, base: a}]",
            processing("a", "a", "substitution name and base cannot be the same"),
            "{name: a, base: a}",
        ),
        (
            "[{name: q, base: a}]",
            processing(
                "a",
                "q",
                "failed to render bundle image reference \"q\": render reference \"q\": no such image",
            ),
            "q",
        ),
        (
            "[{name: v1.1.1, base: nope}]",
            processing("nope", "v1.1.1", "base bundle \"nope\" does not exist in catalog"),
            "nope",
        ),
        (
            "[{name: v1.1.1, base: testop.v1.2.0}]",
            processing(
                "testop.v1.2.0",
                "v1.1.1",
                "failed to get VersionRelease for base bundle \"testop.v1.2.0\": no \"olm.package\" property \
                 found for bundle \"testop.v1.2.0\"",
            ),
            "testop.v1.2.0",
        ),
        (
            "[{name: v1.1.0, base: testop.v1.1.0}]",
            processing(
                "testop.v1.1.0",
                "v1.1.0",
                "base bundle \"testop.v1.1.0\" is not less than substitute bundle \"v1.1.0\"",
            ),
            "{name: v1.1.0, base: testop.v1.1.0}",
        ),
        (
            "[5]",
            "unable to parse template: unmarshalling template: json: cannot unmarshal number into Go struct \
             field SubstitutesTemplateData.substitutions of type substitutes.Substitute"
                .to_owned(),
            "5",
        ),
    ] {
        let text = format!("{ENTRIES}substitutions: {substitutions}\n");
        let found = yaml(Substitutes, &text, &images()).unwrap_err();
        assert_eq!(found, (format!("render: {message}"), place.to_owned()), "{substitutions}");
    }
}

#[test]
fn the_catalog_is_judged_before_and_after() {
    let text = format!("{ENTRIES}substitutions: [{{name: v1.1.1, base: testop.v1.1.0}}]\n");
    let images = images();
    for (limit, message) in [
        (0, "render: entries are not valid FBC: too many"),
        (
            3,
            "render: error processing substitution \"testop.v1.1.0\" -> \"v1.1.1\": resulting config is not \
             valid FBC: too many",
        ),
    ] {
        let validate = |catalog: &Catalog| (catalog.bundles.len() > limit).then(|| "too many".to_owned());
        let renderer = Renderer {
            source: &images,
            validate: &validate,
            migrate: MigrateLevel::None,
            semantics: OpmSemantics::default(),
        };
        let error = render(Substitutes, text.as_bytes(), &renderer).unwrap_err();
        assert_eq!(shown(&error, &text).0, message);
    }
}
