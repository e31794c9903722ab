//! What others wrote leads nowhere: links out of catalogs, paths and bundles of templates; and edits at the same time lose
//! nothing.

mod templates;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Output, Stdio};

use fbc_testing::Fbc;

fn fbc(folder: &Path, words: &[&str]) -> Fbc {
    let mut fbc = crate::fbc();
    fbc.args(words).current_dir(folder);
    fbc
}

/// Exit code, standard output and standard error.
fn answer(folder: &Path, words: &[&str]) -> (i32, String, String) {
    fbc(folder, words).answer().parts()
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
    let ferry = fbc_testing::testdata("scenarios/bundles/ferry-1.0.0");
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
            })
            .collect();
        let answers: Vec<Output> = edits.into_iter().map(|edit| edit.wait_with_output()).collect();
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
    let script = format!("cd '{}' && rmdir '{0}' && exec '{}' validate .", gone.display(), crate::FBC);
    let output = Fbc::at("sh").args(["-c", &script]).output();
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
        let output = fbc(Path::new("."), &words.split(' ').collect::<Vec<_>>()).stdout(full).output();
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
