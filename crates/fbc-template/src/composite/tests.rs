//! Plans and refusals of composite templates.

use super::*;
use crate::testing::shown;

const CATALOGS_FILE: &str = "schema: olm.composite.catalogs\ncatalogs:\n\
    - {name: v4.13, destination: {workingDir: out}, builders: [olm.builder.basic, olm.builder.custom]}\n\
    - {name: v4.12, destination: {workingDir: /abs/../x/}, builders: [olm.builder.semver, olm.builder.raw]}\n\
    - {name: v4.13, destination: {workingDir: second}, builders: []}\n";

fn plan_of(components: &str) -> (Plan, String) {
    let catalogs = Catalogs::parse(CATALOGS_FILE.as_bytes()).unwrap();
    let text = format!("schema: olm.composite\ncomponents:\n{components}");
    (plan(&catalogs, text.as_bytes(), Path::new("dir"), Format::Yaml).unwrap(), text)
}

#[test]
fn components_become_steps() {
    let (plan, _) = plan_of(
        "- name: v4.13\n  destination: {path: my-op}\n  strategy: {name: x, template: {schema: olm.builder.basic, \
         config: {input: b.yaml, output: catalog.yaml}}}\n\
         - name: v4.12\n  destination: {path: ./op}\n  strategy: {template: {schema: olm.builder.raw, config: \
         {INPUT: ../r.yaml, output: 5}}}\n\
         - name: v4.13\n  strategy: {template: {schema: olm.builder.custom, config: {command: c, args: [a, 1], \
         output: o/p.json}}}\n",
    );
    let template =
        |kind, paths: [&str; 2]| Input::Template { kind, paths: paths.map(PathBuf::from).to_vec() };
    let step = |component: &str, input, output: &str, directory: &str| Step {
        component: component.to_owned(),
        input,
        output: output.into(),
        format: Format::Yaml,
        directory: directory.into(),
        root: if component == "v4.13" { "out".into() } else { "/x".into() },
    };
    assert_eq!(plan.errors, []);
    assert_eq!(
        plan.steps,
        [
            step(
                "v4.13",
                template(TemplateKind::Basic, ["b.yaml", "dir/b.yaml"]),
                "out/my-op/catalog.yaml",
                "out/my-op"
            ),
            step("v4.12", template(TemplateKind::Raw, ["../r.yaml", "r.yaml"]), "/x/op/5", "/x/op"),
            step(
                "v4.13",
                Input::Command { program: "c".to_owned(), arguments: vec!["a".to_owned(), "1".to_owned()] },
                "out/o/p.json",
                "out"
            ),
        ]
    );
}

/// What a contributor names stays in the directory of the catalog.
#[test]
fn paths_do_not_lead_out() {
    for (path, output, refused) in [
        ("a/../b", "c.yaml", None),
        ("a", "b/../c.yaml", None),
        ("../../esc", "c.yaml", Some(("destination.path \"../../esc\" leads out of \"out\"", "../../esc"))),
        (
            "../outside",
            "c.yaml",
            Some(("destination.path \"../outside\" leads out of \"out\"", "../outside")),
        ),
        ("a", "../../c.yaml", Some(("output \"../../c.yaml\" leads out of \"out/a\"", "../../c.yaml"))),
        ("a", "../b/c.yaml", Some(("output \"../b/c.yaml\" leads out of \"out/a\"", "../b/c.yaml"))),
        ("a", ".", Some(("output \".\" leads out of \"out/a\"", "."))),
    ] {
        let (plan, text) = plan_of(&format!(
            "- name: v4.13\n  destination: {{path: {path}}}\n  strategy: {{template: {{schema: olm.builder.basic, \
             config: {{input: b.yaml, output: \"{output}\"}}}}}}\n"
        ));
        let Some((message, place)) = refused else {
            assert_eq!((plan.steps.len(), plan.errors.len()), (1, 0), "{path} {output}");
            continue;
        };
        assert_eq!(plan.steps, []);
        assert_eq!(plan.errors[0].to_string(), format!("building component \"v4.13\": {message}"));
        assert!(shown(&plan.errors[0], &text).1.contains(place), "{path} {output}");
    }
}

#[test]
fn components_that_cannot_be_built() {
    for (component, message, place) in [
        (
            "- {name: nope}",
            "building component \"nope\": component does not exist in the catalog configuration. Available \
             components are: [v4.12 v4.13]",
            "nope",
        ),
        (
            "- {name: v4.12, strategy: {template: {schema: olm.builder.basic}}}",
            "building component \"v4.12\": no builder found for template schema \"olm.builder.basic\"",
            "olm.builder.basic",
        ),
        (
            "- {name: v4.12, strategy: {template: {schema: olm.builder.semver}}}",
            "building component \"v4.12\": semver template configuration is invalid: semver template config \
             must have a non-empty input (templateDefinition.config.input),semver template config must have a \
             non-empty output (templateDefinition.config.output)",
            "{schema: olm.builder.semver}",
        ),
        (
            "- {name: v4.12, strategy: {template: {schema: olm.builder.raw, config: {in: a}}}}",
            "building component \"v4.12\": unmarshalling raw template config: error unmarshaling JSON: while \
             decoding JSON: json: unknown field \"in\"",
            "a",
        ),
        (
            "- {name: v4.13, strategy: {template: {schema: olm.builder.custom, config: {args: a, output: b}}}}",
            "building component \"v4.13\": unmarshalling custom template config: error unmarshaling JSON: while \
             decoding JSON: json: cannot unmarshal string into Go struct field CustomConfig.Args of type []string",
            "a",
        ),
    ] {
        let (plan, text) = plan_of(component);
        assert_eq!(plan.steps, []);
        let found: Vec<_> = plan.errors.iter().map(|error| shown(error, &text)).collect();
        assert_eq!(found, [(message.to_owned(), place.to_owned())]);
    }
}

#[test]
fn files_that_are_refused() {
    for (text, message, place) in [
        ("", "decoding catalog config: EOF", "nowhere"),
        (
            "schema: x",
            "catalog configuration file has unknown schema, should be \"olm.composite.catalogs\"",
            "x",
        ),
        (
            "catalogs: 5",
            "unmarshalling catalog config: json: cannot unmarshal number into Go struct field \
             CatalogConfig.Catalogs of type []composite.Catalog",
            "5",
        ),
        (
            "schema: olm.composite.catalogs\ncatalogs: [{name: a}, {name: b}]",
            "catalog configuration file field validation failed: \nCatalog a:\n  - destination.workingDir must \
             not be an empty string\n\nCatalog b:\n  - destination.workingDir must not be an empty string\n",
            "{name: a}",
        ),
        (
            "schema: olm.composite.catalogs\ncatalogs: [{name: a, destination: {workingDir: x}, builders: [b]}]",
            "getting builder \"b\" for catalog \"a\": unknown schema \"b\"",
            "b",
        ),
    ] {
        let error = Catalogs::parse(text.as_bytes()).unwrap_err();
        assert_eq!(shown(&error, text), (message.to_owned(), place.to_owned()));
    }
    let error = plan(&Catalogs::default(), b"schema: olm.composit", Path::new(""), Format::Json).unwrap_err();
    assert_eq!(
        error.to_string(),
        "composite configuration file has unknown schema, should be \"olm.composite\""
    );
}

#[test]
fn paths_are_joined_as_go_joins_them() {
    for (parts, expected) in [
        (["", "", ""], ""),
        (["a", "", "b"], "a/b"),
        (["a/", "../..", "b"], "../b"),
        (["/", "..", "b"], "/b"),
        (["a", "..", ""], "."),
        (["./a//", "./b/.", "c"], "a/b/c"),
    ] {
        assert_eq!(join(parts), PathBuf::from(expected), "{parts:?}");
    }
}
