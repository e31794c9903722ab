//! What others wrote leads nowhere: links out of catalogs, paths and bundles of templates; and edits at the same time lose
//! nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn fbc(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fbc"));
    command.args(words).current_dir(folder).env("NO_COLOR", "1").env_remove("FBC_IMAGE_MAP");
    command
}

/// Exit code, standard output and standard error.
fn answer(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = fbc(folder, words).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn package(name: &str) -> String {
    format!(
        "schema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\nname: stable\n\
         entries:\n- name: {name}.v1.0.0\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
         image: quay.io/x/{name}@sha256:{}\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: 1.0.0}}\n",
        "1".repeat(64)
    )
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn links_out_of_a_catalog_are_followed_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(&root.join("catalog/foo/catalog.yaml"), &package("foo"));
    write(&root.join("secret.yaml"), "password: hunter2\n");
    write(&root.join("bar.yaml"), &package("bar"));
    symlink("foo/catalog.yaml", root.join("catalog/.hidden")).unwrap();
    fs::remove_file(root.join("catalog/.hidden")).unwrap();
    symlink("../secret.yaml", root.join("catalog/link.yaml")).unwrap();
    for words in [&["validate", "catalog"][..], &["render", "catalog"], &["list", "packages", "catalog"]] {
        let (code, out, err) = answer(root, words);
        assert_eq!(code, 1, "{words:?}: {out}{err}");
        assert!(!format!("{out}{err}").contains("hunter2"), "{words:?}: {out}{err}");
        let told = if words[0] == "validate" { out } else { err };
        assert!(told.contains("is a symbolic link that leads out of the directory"), "{words:?}: {told}");
    }
    let (_, out, _) = answer(root, &["validate", "catalog"]);
    assert!(out.contains("--follow-links"), "{out}");
    let (code, out, _) = answer(root, &["validate", "catalog", "--follow-links"]);
    assert_eq!(code, 1);
    assert!(out.contains("hunter2"), "{out}");
    // opm follows them.
    let (_, _, err) = answer(root, &["opm", "validate", "catalog"]);
    assert!(err.contains("password"), "{err}");
    // Links within the catalog, and a catalog that is itself behind a link, are as good as files.
    fs::remove_file(root.join("catalog/link.yaml")).unwrap();
    fs::rename(root.join("catalog/foo/catalog.yaml"), root.join("catalog/foo/x")).unwrap();
    symlink("x", root.join("catalog/foo/catalog.yaml")).unwrap();
    write(&root.join("catalog/.indexignore"), "foo/x\n");
    symlink("catalog", root.join("other")).unwrap();
    for catalog in ["catalog", "other"] {
        let (code, out, err) = answer(root, &["list", "packages", catalog]);
        assert_eq!((code, out.contains("foo")), (0, true), "{err}");
    }
}

#[test]
fn links_out_of_a_bundle_are_followed_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let ferry = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scenarios/bundles/ferry-1.0.0");
    for file in ["metadata/annotations.yaml", "manifests/csv.yaml"] {
        write(&root.join("bundles/ferry").join(file), &fs::read_to_string(ferry.join(file)).unwrap());
    }
    let definition = fs::read_to_string(ferry.join("manifests/ferries.crd.yaml")).unwrap();
    write(&root.join("outside/ferries.crd.yaml"), &definition);
    write(&root.join("catalog/catalog.yaml"), &package("ferry-operator"));
    let crew = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: crew}\ndata: {password: hunter2}\n";
    write(&root.join("outside/crew.yaml"), crew);
    let annotations = root.join("bundles/ferry/metadata/annotations.yaml");
    fs::copy(&annotations, root.join("outside/annotations.yaml")).unwrap();
    let rows = [
        (&["simulate", "install", "bundles/ferry"][..], "installs             1\n"),
        (
            &["simulate", "upgrade", "catalog", "catalog", "--bundles", "bundles", "-v"],
            "1.0.0      1.0.0  Succeeded: ",
        ),
        (
            &[
                "catalog",
                "from-bundles",
                "bundles/ferry",
                "--image-ref-template",
                "quay.io/x/ferry:v1",
                "-o",
                "yaml",
            ],
            "kind: Ferry\n",
        ),
    ];
    // A definition that the operator needs, an object that nobody would miss, and the annotations.
    for file in ["manifests/ferries.crd.yaml", "manifests/crew.yaml", "metadata/annotations.yaml"] {
        let link = root.join("bundles/ferry").join(file);
        let target = Path::new("../../../outside").join(link.file_name().unwrap());
        let _ = fs::remove_file(&link);
        symlink(target, &link).unwrap();
        for (words, read) in rows {
            let (code, out, err) = answer(root, words);
            let refused = format!("open {file}: is a symbolic link that leads out of the directory");
            let told = format!("{out}{err}");
            assert!(code == 1 && told.contains(&refused), "{words:?}: {code} {told}");
            assert!(
                told.contains("`--follow-links`") && !told.contains("refused by OLM"),
                "{words:?}: {told}"
            );
            assert!(!out.contains(read), "{words:?}: {out}");
            let followed: Vec<&str> = words.iter().copied().chain(["--follow-links"]).collect();
            let (code, out, err) = answer(root, &followed);
            assert!(code == 0 && out.contains(read), "{followed:?}: {code} {out}{err}");
        }
        // Within the bundle it is as good as a file.
        let inner = root.join("bundles/ferry").join(link.file_name().unwrap());
        fs::copy(&link, &inner).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(Path::new("..").join(link.file_name().unwrap()), &link).unwrap();
        for (words, read) in rows {
            let (code, out, err) = answer(root, words);
            assert!(code == 0 && out.contains(read), "{words:?}: {code} {out}{err}");
        }
    }
}

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

#[test]
fn edits_at_the_same_time_wait_for_each_other() {
    for round in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(&root.join("catalog/foo/catalog.yaml"), &package("foo"));
        let channels: Vec<String> = (0..6).map(|number| format!("c{number}")).collect();
        let edits: Vec<_> = channels
            .iter()
            .enumerate()
            .map(|(number, channel)| {
                // By its directory or its file: it is the same catalog.
                let catalog = if number % 2 == 0 { "catalog" } else { "catalog/foo/catalog.yaml" };
                fbc(
                    root,
                    &["add", "foo.v1.0.0", catalog, "--channel", channel, "--create-channel", "--no-edges"],
                )
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
            })
            .collect();
        let answers: Vec<Output> = edits.into_iter().map(|edit| edit.wait_with_output().unwrap()).collect();
        let text = fs::read_to_string(root.join("catalog/foo/catalog.yaml")).unwrap();
        for (channel, answer) in channels.iter().zip(&answers) {
            let told = String::from_utf8_lossy(&answer.stderr);
            let is_there = text.contains(&format!("name: {channel}\n"));
            match answer.status.code() {
                Some(0) => assert!(is_there, "round {round}: the edit of {channel} is lost\n{text}"),
                code => {
                    assert_eq!(code, Some(1), "round {round}: {told}");
                    assert!(
                        told.contains("was changed by another program") && !is_there,
                        "round {round}: {told}"
                    );
                }
            }
        }
        assert!(answers.iter().any(|answer| answer.status.success()));
    }
}

#[test]
fn a_directory_that_is_gone_is_not_an_empty_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let script =
        format!("cd '{}' && rmdir '{0}' && exec '{}' validate .", gone.display(), env!("CARGO_BIN_EXE_fbc"));
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("no longer exists"), "{told}");
}

#[test]
fn help_that_cannot_be_written_is_a_failure() {
    if !Path::new("/dev/full").exists() {
        return fbc_testing::skip("there is no /dev/full");
    }
    for words in ["--help", "--version", "validate --help", "help validate"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output =
            fbc(Path::new("."), &words.split(' ').collect::<Vec<_>>()).stdout(full).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}: {told}");
        assert!(told.contains("cannot write the output"), "{words}: {told}");
    }
}

#[test]
fn other_inputs_are_named_with_the_command_that_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("repository/.git")).unwrap();
    write(&root.join("repository/.git/HEAD"), "ref: refs/heads/main\n");
    for version in ["v4.17", "v4.18"] {
        write(&root.join(format!("repository/catalogs/{version}/foo/catalog.yaml")), &package("foo"));
    }
    write(&root.join("template.yaml"), "schema: olm.template.basic\nentries: []\n");
    write(&root.join("composite.yaml"), "schema: olm.composite\ncomponents: []\n");
    write(&root.join("set.yaml"), "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n");
    write(&root.join("layout/oci-layout"), "{}");
    write(&root.join("layout/index.json"), "{}");
    for bundle in ["manifests/csv.yaml", "metadata/annotations.yaml"] {
        write(&root.join("bundle").join(bundle), "kind: ClusterServiceVersion\n");
    }
    let commands = [
        &["diff", "IT", "IT"][..],
        &["graph", "IT"],
        &["list", "packages", "IT"],
        &["paths", "IT", "foo"],
        &["images", "IT"],
    ];
    for (input, look, help) in [
        ("layout", "an image layout", "`oci:layout`"),
        ("composite.yaml", "a composite template", "fbc template composite"),
        ("set.yaml", "ImageSetConfiguration", "fbc mirror"),
    ] {
        for command in commands {
            let words: Vec<&str> =
                command.iter().map(|word| if *word == "IT" { input } else { word }).collect();
            let (code, out, err) = answer(root, &words);
            assert_eq!((code, out.as_str()), (2, ""), "{words:?}: {err}");
            assert!(err.contains(look) && err.contains(help), "{words:?}: {err}");
        }
    }
    for words in [
        &["graph", "repository"][..],
        &["validate", "layout"],
        &["validate", "bundle"],
        &["diff", "bundle", "bundle"],
    ] {
        let (code, _, err) = answer(root, words);
        assert_eq!(code, 2, "{words:?}: {err}");
        assert!(err.contains("not a catalog"), "{words:?}: {err}");
    }
    let (_, _, err) = answer(root, &["graph", "repository"]);
    assert!(err.contains("root of a git repository, not a catalog"), "{err}");
    assert!(err.contains("repository/catalogs/v4.17, repository/catalogs/v4.18"), "{err}");
    let (_, _, err) = answer(root, &["validate", "repository"]);
    assert!(err.contains("repository holds the catalogs catalogs/v4.17, catalogs/v4.18"), "{err}");
    // Where the catalog is the root of the repository, and says so.
    write(&root.join("repository/.indexignore"), ".git\n");
    assert_eq!(answer(root, &["list", "packages", "repository/catalogs/v4.17"]).0, 0);
    let (_, _, err) = answer(root, &["validate", "repository"]);
    assert!(!err.contains("root of a git repository"), "{err}");
}
