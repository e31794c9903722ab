//! Templates where catalogs are taken: what looks at catalogs expands them, what edits catalogs edits them in place.

use std::fs;

const BASIC: &str = "\
# The beacon.
schema: olm.template.basic
entries:
- schema: olm.package
  name: beacon-operator
  defaultChannel: stable # the default
- schema: olm.channel
  package: beacon-operator
  name: stable
  entries:
  # the first one
  - name: beacon-operator.v1.0.0
- image: r.io/beacon:1
  schema: olm.bundle
";

/// The same with channels before the template, as some repositories write `graph.yaml`.
const STREAM: &str = "\
---
schema: olm.channel
package: beacon-operator
name: stable
entries:
  # the first one
  - name: beacon-operator.v1.0.0
---
schema: olm.template.basic
entries:
  - image: r.io/beacon:1
    name: beacon-operator.v1.0.0
    schema: olm.bundle
  - schema: olm.package
    name: beacon-operator
    defaultChannel: stable
";

const SEMVER: &str = "\
schema: olm.semver
generateMajorChannels: true
stable:
  bundles:
  - image: r.io/beacon:1 # the first one
";

/// A directory with a template and an image map.
struct Sample(tempfile::TempDir);

impl Sample {
    fn new(template: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let testdata = fbc_testing::testdata("");
        let map = ["beacon-bundle", "beacon-bundle-next"].iter().zip(1..).map(|(name, number)| {
            format!("r.io/beacon:{number}: {}\n", testdata.join(name).canonicalize().unwrap().display())
        });
        fs::write(folder.path().join("map.yaml"), map.collect::<String>()).unwrap();
        fs::write(folder.path().join("t.yaml"), template).unwrap();
        Self(folder)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.path().join("t.yaml")).unwrap()
    }

    /// Exit code, standard output and standard error.
    fn fbc(&self, words: &str) -> (i32, String, String) {
        crate::fbc()
            .args(words.split(' '))
            .current_dir(self.0.path())
            .env("FBC_OFFLINE", "1")
            .env("FBC_IMAGE_MAP", "map.yaml")
            .answer()
            .parts()
    }
}

#[test]
fn what_looks_at_catalogs_expands_templates() {
    for (template, channel) in [(BASIC, "stable"), (STREAM, "stable"), (SEMVER, "stable-v1")] {
        let sample = Sample::new(template);
        for (words, expected) in [
            ("validate t.yaml --profile opm", ""),
            ("list bundles t.yaml", "beacon-operator.v1.0.0"),
            ("graph t.yaml -o json", "beacon-operator.v1.0.0"),
            ("paths t.yaml beacon-operator", channel),
            ("filter t.yaml --package beacon-operator", "\"schema\": \"olm.bundle\""),
            ("resolve --catalog c=t.yaml beacon-operator", "1.0.0"),
            ("render t.yaml --ocp 4.18", "olm.csv.metadata"),
            ("template render t.yaml --ocp 4.16", "olm.bundle.object"),
            ("images t.yaml", "r.io/beacon:1"),
            ("diff t.yaml t.yaml", "no changes in 1 package"),
        ] {
            let (code, out, err) = sample.fbc(words);
            assert_eq!(code, 0, "{words}: {out}{err}\n{template}");
            assert!(out.contains(expected), "{words}: {out}{err}\n{template}");
        }
    }
    let sample = Sample::new(BASIC);
    fs::write(sample.0.path().join("u.yaml"), BASIC.replace("stable", "fast")).unwrap();
    let (code, out, err) = sample.fbc("diff t.yaml u.yaml");
    assert!(code == 1 && out.contains("channel"), "{out}{err}");
    fs::write(sample.0.path().join("u.yaml"), "schema: my.own\n").unwrap();
    fs::create_dir(sample.0.path().join("empty")).unwrap();
    for words in
        ["diff empty empty", "diff t.yaml map.yaml", "diff t.yaml t.yaml/x", "list packages map.yaml"]
    {
        let (code, out, err) = sample.fbc(words);
        assert!(code > 0 && !out.contains("no changes"), "{words}: {out}{err}");
    }
}

#[test]
fn bundles_are_added_to_templates_in_place() {
    let add = "add r.io/beacon:2 t.yaml --channel stable --replaces beacon-operator.v1.0.0";
    let (entry, edge) = ("- name: beacon-operator.v1.1.0", "replaces: beacon-operator.v1.0.0");
    for (template, bundle) in [
        (BASIC, "- image: r.io/beacon:2\n  schema: olm.bundle\n"),
        (STREAM, "  - schema: olm.bundle\n    name: beacon-operator.v1.1.0\n    image: r.io/beacon:2\n"),
    ] {
        let sample = Sample::new(template);
        let (code, out, err) = sample.fbc(&format!("{add} --dry-run"));
        assert!(code == 0 && out.contains("image: r.io/beacon:2"), "{out}{err}");
        assert_eq!(sample.text(), template);
        let (code, out, err) = sample.fbc(add);
        assert_eq!(code, 0, "{out}{err}");
        let text = sample.text();
        assert!(text.contains(bundle) && text.contains(entry) && text.contains(edge), "{text}");
        // Nothing else changes.
        let kept: Vec<&str> = template.lines().collect();
        let left: Vec<&str> = text.lines().filter(|line| kept.contains(line)).collect();
        assert!(kept.iter().all(|line| left.contains(line)), "{text}");
        assert_eq!(sample.fbc("validate t.yaml --profile opm").0, 0);
        let (code, _, err) = sample.fbc(add);
        assert!(code == 1 && err.contains("already"), "{err}");
    }
    // A second head is an error that was not there before.
    let sample = Sample::new(BASIC);
    let (code, _, err) = sample.fbc("add r.io/beacon:2 t.yaml --channel stable --no-edges");
    assert!(
        code == 1 && err.contains("multiple channel heads") && err.contains("nothing was written"),
        "{err}"
    );
    assert_eq!(sample.text(), BASIC);
    let (code, _, err) = sample.fbc("add r.io/beacon:2 t.yaml --channel fast --create-channel --no-edges");
    assert_eq!(code, 0, "{err}");
    assert!(sample.fbc("list channels t.yaml").1.contains("fast"), "{}", sample.text());
}

#[test]
fn semver_templates_get_images_in_their_lists() {
    let sample = Sample::new(SEMVER);
    let (code, _, err) = sample.fbc("add r.io/beacon:2 t.yaml --channel candidate --channel stable");
    assert_eq!(code, 0, "{err}");
    let text = sample.text();
    assert!(text.contains("  - image: r.io/beacon:1 # the first one\n  - image: r.io/beacon:2\n"), "{text}");
    assert!(sample.fbc("list channels t.yaml").1.contains("candidate-v1"), "{text}");
    for (words, expected) in [
        ("add r.io/beacon:2 t.yaml --channel alpha", "has no list \"alpha\""),
        ("add r.io/beacon:2 t.yaml --channel fast --replaces x", "follow from versions"),
        ("add r.io/beacon:2 t.yaml --channel stable", "already"),
        ("deprecate t.yaml beacon-operator --message no", "cannot hold deprecations"),
    ] {
        let (code, _, err) = sample.fbc(words);
        assert!(code > 0 && err.contains(expected), "{words}: {err}");
    }
    assert_eq!(sample.text(), text);
}

#[test]
fn deprecations_go_into_templates() {
    for template in [BASIC, STREAM] {
        let sample = Sample::new(template);
        let deprecate = "deprecate t.yaml beacon-operator --channel stable";
        let (code, _, err) = sample.fbc(&format!("{deprecate} --message old;use-fast"));
        assert_eq!(code, 0, "{err}");
        assert!(sample.text().contains("message: old;use-fast"), "{}", sample.text());
        assert!(sample.fbc("render t.yaml").1.contains("olm.deprecations"));
        let (code, _, err) = sample.fbc(&format!("{deprecate} --remove"));
        assert_eq!(code, 0, "{err}");
        assert_eq!(sample.text(), template);
    }
}
