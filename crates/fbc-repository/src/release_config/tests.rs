//! Releases into templates, as texts before and after.

use super::*;

const BUNDLE: NewBundle<'_> = NewBundle { package: "a", name: "a.v2", image: "r/a:2" };

fn config(text: &str) -> ReleaseTemplate {
    read(text.as_bytes()).unwrap().remove(0)
}

fn amended(text: &str, schema: &str, template: &str) -> String {
    let config = config(&format!("catalog_templates:\n- {template}\n"));
    String::from_utf8(amend(text.as_bytes(), schema, &config, BUNDLE).unwrap()).unwrap()
}

const BASIC: &str = "---\nschema: olm.template.basic # ours\nentries:\n  - schema: olm.package\n    name: a\n    defaultChannel: stable\n  \
    - schema: olm.channel\n    package: a\n    name: stable\n    entries:\n      - name: a.v1 # the first\n  - schema: olm.bundle\n    image: r/a:1\n";

#[test]
fn a_basic_template_gets_the_bundle() {
    let text = amended(
        BASIC,
        "olm.template.basic",
        "{template_name: t.yaml, channels: [stable], replaces: a.v1, skips: [a.v0], skipRange: <2.0.0}",
    );
    let value = stream::read_one(text.as_bytes()).unwrap().root().to_json();
    assert_eq!(
        value["entries"][1]["entries"][1],
        serde_json::json!({"name": "a.v2", "replaces": "a.v1", "skips": ["a.v0"], "skipRange": "<2.0.0"})
    );
    assert_eq!(value["entries"][3], serde_json::json!({"schema": "olm.bundle", "image": "r/a:2"}));
    // Every line is where it was, with its comment.
    let mut lines = text.lines();
    assert!(BASIC.lines().all(|line| lines.any(|one| one == line)), "{text}");
    // Once more, and nothing changes.
    let again = amended(
        &text,
        "olm.template.basic",
        "{template_name: t.yaml, channels: [stable], replaces: a.v1, skips: [a.v0], skipRange: <2.0.0}",
    );
    assert_eq!(again, text);
}

#[test]
fn comments_before_the_first_mark_stay() {
    for (text, first) in [
        (format!("# Ours\n\n{BASIC}"), "# Ours\n\nschema:"),
        (format!("\n{BASIC}"), "\nschema:"),
        (BASIC.to_owned(), "---\nschema:"),
    ] {
        let text = amended(&text, "olm.template.basic", "{template_name: t.yaml, channels: [stable]}");
        assert!(text.starts_with(first) && text.contains("a.v2"), "{text}");
    }
}

#[test]
fn channels_that_are_absent_are_made() {
    let text = amended(BASIC, "olm.template.basic", "{template_name: t.yaml, channels: [beta]}");
    let value = stream::read_one(text.as_bytes()).unwrap().root().to_json();
    assert_eq!(
        value["entries"][3],
        serde_json::json!({"schema": "olm.channel", "name": "beta", "package": "a", "entries": [{"name": "a.v2"}]})
    );
    assert_eq!(value["entries"][4], serde_json::json!({"schema": "olm.bundle", "image": "r/a:2"}));
    assert!(text.contains("# the first"));
}

#[test]
fn a_semver_template_gets_the_bundle_in_its_own_words() {
    let text = "schema: olm.semver\nStable:\n  Bundles:\n  - Image: r/a:1 # one\n";
    let stable = amended(text, "olm.semver", "{template_name: t.yaml, channels: [Stable]}");
    assert_eq!(stable, format!("{text}  - Image: r/a:2\n"));
    for (old, new) in [
        ("schema: olm.semver\nStable: {}\n", "Stable"),
        ("schema: olm.semver\nStable:\n", "Stable"),
        ("schema: olm.semver\nstable:\n  bundles: []\n", "stable"),
        ("schema: olm.semver\nFast:\n  Bundles:\n  - Image: r/a:1\n", "Stable"),
    ] {
        let text = amended(old, "olm.semver", "{template_name: t.yaml, channels: [Stable]}");
        let value = stream::read_one(text.as_bytes()).unwrap().root().to_json();
        let list = value[new].as_object().unwrap().values().next().unwrap();
        assert_eq!(list, &serde_json::json!([{"Image": "r/a:2"}]), "{text}");
    }
    let lower = "schema: olm.semver\nstable:\n  bundles:\n  - image: r/a:1\n";
    let stable = amended(lower, "olm.semver", "{template_name: t.yaml, channels: [Stable]}");
    assert_eq!(stable, format!("{lower}  - image: r/a:2\n"));
}

#[test]
fn templates_that_do_not_exist() {
    let config =
        config("catalog_templates: [{template_name: t, channels: [Fast, Stable], defaultChannel: Stable}]");
    let basic = create("olm.template.basic", &config, BUNDLE).root().to_json();
    assert_eq!(basic["entries"][0]["defaultChannel"], "Stable");
    assert_eq!(basic["entries"].as_array().unwrap().len(), 4);
    let semver = create("olm.semver", &config, BUNDLE).root().to_json();
    assert_eq!(semver["Fast"], serde_json::json!({"Bundles": [{"Image": "r/a:2"}]}));
}

#[test]
fn mistakes() {
    for (text, part) in [
        ("{}", "`catalog_templates` is not a list"),
        ("catalog_templates: []", "`catalog_templates` is not a list"),
        ("catalog_template: []", "unknown key `catalog_template`"),
        ("catalog_templates: [{channels: [a]}]", "no `template_name`"),
        ("catalog_templates: [{template_name: t}]", "no `channels`"),
        ("catalog_templates: [{template_name: ../t, channels: [a]}]", "not the name of a file"),
        (
            "catalog_templates: [{template_name: t, channels: [a], defaultChannel: b}]",
            "is not among its channels",
        ),
        ("catalog_templates: [{template_name: t, channels: a}]", "`channels` is not a list"),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn channels_that_multiply_what_they_skip_are_refused() {
    let many = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>().join(",");
    let text = |count| {
        let names = many(count);
        format!("catalog_templates: [{{template_name: a.yaml, channels: [{names}], skips: [{names}]}}]")
    };
    assert_eq!(read(text(100).as_bytes()).unwrap()[0].channels.len(), 100);
    let error = read(text(5_000).as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "`catalog_templates` expands to more than 268435456 bytes");
}
