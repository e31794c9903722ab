//! What templates name: files to write, and bundles to read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{answer, package, write};

#[test]
fn composite_templates_write_only_into_their_directories() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("a/b");
    write(&root.join("raw.yaml"), &package("foo"));
    write(&folder.path().join("outside.yaml"), &package("secret"));
    fs::create_dir_all(root.join("out")).unwrap();
    symlink("../..", root.join("out/link")).unwrap();
    let composite = |working: &str, path: &str, input: &str| {
        let catalogs = format!(
            "schema: olm.composite.catalogs\ncatalogs:\n- {{name: c, destination: {{workingDir: {working:?}}}, builders: [olm.builder.raw]}}\n"
        );
        write(&root.join("catalogs.yaml"), &catalogs);
        let contribution = format!(
            "schema: olm.composite\ncomponents:\n- name: c\n  destination: {{path: {path:?}}}\n  strategy: {{template: {{schema: \
             olm.builder.raw, config: {{input: {input:?}, output: c.yaml}}}}}}\n"
        );
        write(&root.join("contributions.yaml"), &contribution);
        answer(&root, &["template", "composite", "-o", "yaml"])
    };
    for (working, path, input) in [
        ("out", "../../esc", "raw.yaml"),
        ("out", "../esc", "raw.yaml"),
        ("out", "../../../..", "raw.yaml"),
        ("out", "link/esc", "raw.yaml"),
        ("../out", "esc", "raw.yaml"),
        ("/tmp/fbc-esc", "esc", "raw.yaml"),
        ("out", "esc", "../../outside.yaml"),
    ] {
        let (code, _, err) = composite(working, path, input);
        assert_eq!(code, 1, "{working} {path} {input}: {err}");
        assert!(err.contains("leads out of"), "{err}");
        for escaped in ["esc", "a/esc", "a/b/esc", "a/out", "a/b/out/esc"] {
            assert!(!folder.path().join(escaped).exists(), "{working} {path} {input}: {escaped}");
        }
    }
    let (code, _, err) = composite("out", "in/../foo", "raw.yaml");
    assert_eq!(code, 0, "{err}");
    assert!(root.join("out/foo/c.yaml").exists());
}

/// A bundle that OLM takes.
fn write_bundle(folder: &Path) {
    write(
        &folder.join("metadata/annotations.yaml"),
        "annotations: {operators.operatorframework.io.bundle.package.v1: solo}\n",
    );
    write(
        &folder.join("manifests/csv.yaml"),
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: solo.v1.0.0}\n\
         spec: {version: 1.0.0, displayName: hunter2, installModes: [{type: AllNamespaces, supported: true}]}\n",
    );
}

#[test]
fn templates_name_bundles_only_within_their_repository() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repository");
    let outside = folder.path().join("outside");
    write_bundle(&outside);
    write_bundle(&root.join("bundle"));
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::create_dir_all(root.join("below")).unwrap();
    symlink("../outside", root.join("link")).unwrap();
    symlink("..", root.join("up")).unwrap();
    let built = answer(&outside, &["build", "--bundle", ".", "--to", "oci:../layout:v1", "-q"]);
    assert_eq!(built.0, 0, "{}", built.2);
    let built = answer(&outside, &["build", "--bundle", ".", "--to", "oci-archive:../image.tar", "-q"]);
    assert_eq!(built.0, 0, "{}", built.2);
    let basic = |image: &str| {
        format!(
            "schema: olm.template.basic\nentries:\n- {{schema: olm.package, name: solo, defaultChannel: stable}}\n\
             - schema: olm.channel\n  package: solo\n  name: stable\n  entries: [{{name: solo.v1.0.0}}]\n\
             - {{schema: olm.bundle, image: {image:?}}}\n"
        )
    };
    let semver = |image: &str| {
        format!(
            "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: {image:?}\n"
        )
    };
    let substitutes = |image: &str| {
        let entries = package("solo").replace("---\n", "").replace("schema:", "- schema:");
        let entries = entries.replace('\n', "\n  ").replace("  - schema", "- schema");
        format!(
            "schema: olm.template.substitutes\nentries:\n{}\nsubstitutions:\n- {{name: {image:?}, base: solo.v1.0.0}}\n",
            entries.trim_end()
        )
    };
    let references = [
        outside.display().to_string(),
        "../outside".to_owned(),
        "below/../../outside".to_owned(),
        "link".to_owned(),
        "up/outside".to_owned(),
        format!("oci:{}:v1", folder.path().join("layout").display()),
        "oci:../layout:v1".to_owned(),
        "oci:up/layout:v1".to_owned(),
        "oci-archive:../image.tar".to_owned(),
        "docker-archive:../image.tar".to_owned(),
        // It need not be a bundle to be none of a template's business.
        "/etc".to_owned(),
        "../image.tar".to_owned(),
    ];
    let composite = |template: &str| {
        write(
            &root.join("catalogs.yaml"),
            "schema: olm.composite.catalogs\ncatalogs:\n\
             - {name: c, destination: {workingDir: out}, builders: [olm.builder.basic]}\n",
        );
        write(
            &root.join("contributions.yaml"),
            &format!(
                "schema: olm.composite\ncomponents:\n- name: c\n  destination: {{path: x}}\n  strategy: {{template: \
                 {{schema: olm.builder.basic, config: {{input: {template}, output: c.yaml}}}}}}\n"
            ),
        );
    };
    for reference in &references {
        write(&root.join("templates/t.yaml"), &basic(reference));
        write(&root.join("templates/semver.yaml"), &semver(reference));
        write(&root.join("templates/substitutes.yaml"), &substitutes(reference));
        write(&root.join("fbc.toml"), "[[catalogs]]\npath = \"made\"\ntemplate = \"templates/t.yaml\"\n");
        let config =
            format!("name: whole\nrepo: r\ntag: t\nreferences: [{{name: one, image: {reference:?}}}]\n");
        write(&root.join("config.yaml"), &config);
        composite("templates/t.yaml");
        for words in [
            &["template", "render", "templates/t.yaml"][..],
            &["template", "render", "templates/semver.yaml"],
            &["template", "render", "templates/substitutes.yaml"],
            &["template", "composite", "-o", "yaml"],
            &["render", "templates/t.yaml"],
            &["validate", "templates/t.yaml"],
            &["diff", "templates/t.yaml", "templates/semver.yaml"],
            &["list", "bundles", "templates/t.yaml"],
            &["add", "bundle", "templates/t.yaml", "--channel", "stable", "--image-ref-template", "q.io/x:2"],
            &["generate"],
            &["generate", "catalog", "config.yaml"],
        ] {
            let (code, out, err) = answer(&root, &[words, &["--offline"]].concat());
            let told = format!("{reference}, {words:?}: {code} {out}{err}");
            assert!(code == 1 || code == 2, "{told}");
            assert!(err.contains(&format!("leads out of {}", root.display())), "{told}");
            assert!(err.contains("--follow-links") && !told.contains("hunter2"), "{told}");
        }
    }
    for path in ["made", "out", "whole"] {
        assert!(!root.join(path).exists(), "{path}");
    }
    // What the user allows, or names.
    for reference in ["../outside", "link", "oci:../layout:v1"] {
        write(&root.join("templates/t.yaml"), &basic(reference));
        let (code, out, err) = answer(
            &root,
            &[
                "template",
                "render",
                "templates/t.yaml",
                "--offline",
                "--follow-links",
                "--migrate-level=none",
            ],
        );
        assert!(code == 0 && out.contains("solo.v1.0.0"), "{reference}: {out}{err}");
    }
    write(&root.join("templates/t.yaml"), &basic("quay.io/x/solo:1"));
    write(&folder.path().join("map.yaml"), "quay.io/x/solo:1: outside\n");
    let mapped =
        answer(&root, &["template", "render", "templates/t.yaml", "--offline", "--image-map", "../map.yaml"]);
    assert!(mapped.0 == 0 && mapped.1.contains("solo.v1.0.0"), "{}", mapped.2);
    let (code, _, err) = answer(folder.path(), &["render", "outside"]);
    assert!(!err.contains("leads out"), "{code} {err}");
    // Within the repository, from wherever the command runs.
    write(&root.join("templates/t.yaml"), &basic("bundle"));
    assert_eq!(answer(&root, &["template", "render", "templates/t.yaml", "--offline"]).0, 0);
    write(&root.join("below/t.yaml"), &basic("../bundle"));
    assert_eq!(answer(&root.join("below"), &["template", "render", "t.yaml", "--offline"]).0, 0);
    write(&root.join("templates/t.yaml"), &basic("outside"));
    let (_, _, err) =
        answer(folder.path(), &["template", "render", "repository/templates/t.yaml", "--offline"]);
    assert!(err.contains("leads out of"), "{err}");
    // Without a repository: where the command runs, if the template lies there, or else where the template lies.
    fs::remove_dir(root.join(".git")).unwrap();
    fs::remove_file(root.join("fbc.toml")).unwrap();
    write(&root.join("templates/t.yaml"), &basic("bundle"));
    assert_eq!(answer(&root, &["template", "render", "templates/t.yaml", "--offline"]).0, 0);
    write(&folder.path().join("t.yaml"), &basic("bundle"));
    assert_eq!(answer(&root, &["template", "render", "../t.yaml", "--offline"]).0, 0);
    write(&folder.path().join("elsewhere/t.yaml"), &basic("bundle"));
    let (_, _, err) = answer(&root, &["template", "render", "../elsewhere/t.yaml", "--offline"]);
    assert!(err.contains(&format!("leads out of {}", folder.path().join("elsewhere").display())), "{err}");
}
