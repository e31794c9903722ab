//! Where catalogs go in their images, as the files of their repository say, for every command that asks.

use super::sample::Sample;

const CATALOG: &str = "---\nschema: olm.package\nname: beacon\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: beacon\n\
    name: stable\nentries:\n- name: beacon.v1.0.0\n---\nschema: olm.bundle\nname: beacon.v1.0.0\npackage: beacon\nimage: quay.io/b/b:v1\n\
    properties:\n- {type: olm.package, value: {packageName: beacon, version: 1.0.0}}\n";

/// A repository with these Dockerfiles and catalogs.
fn repository(dockerfiles: &[(&str, &str)], catalogs: &[&str]) -> Sample {
    let sample = Sample::empty();
    for (path, copies) in dockerfiles {
        let base = "FROM registry.example.com/ose-operator-registry-rhel9:v4.18\n";
        let label = "LABEL operators.operatorframework.io.index.configs.v1=/configs\n";
        sample.write(path, &format!("{base}{copies}\n{label}"));
    }
    for path in catalogs {
        let package = path.split(['/', '-']).next().unwrap_or_default();
        sample.write(path, &CATALOG.replace("beacon", package));
    }
    // The root of a repository is where git has its directory.
    sample.write(".git/HEAD", "ref: refs/heads/main\n");
    sample.write(".gitignore", "/img\n/out\n");
    sample
}

/// The files of the image that a command line builds.
fn files(sample: &Sample, words: &[&str]) -> Vec<String> {
    for path in ["img", "out"] {
        let _ = std::fs::remove_dir_all(sample.path(path));
    }
    let (code, _, err) = sample.fbc(&[&["build"], words, &["--to", "oci:img"]].concat());
    assert_eq!(code, 0, "{words:?}: {err}");
    assert_eq!(sample.fbc(&["unpack", "oci:img", "out", "--path", "/configs"]).0, 0);
    let root = sample.path("out");
    let (mut found, mut left) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => left.push(path),
                false => found.push(path.strip_prefix(&root).unwrap().display().to_string()),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_catalog_is_built_where_its_dockerfile_puts_it() {
    let of_directory = repository(
        &[("catalog-4.18.Dockerfile", "ADD catalog-4.18 /configs/beacon")],
        &["catalog-4.18/index.yaml"],
    );
    for words in [&[".", "--ocp", "4.18"][..], &["."], &["catalog-4.18"]] {
        assert_eq!(files(&of_directory, words), ["beacon/index.yaml"], "{words:?}");
    }
    let konflux = ["--profile", "konflux", "--select", "FBC234"];
    for path in [".", "catalog-4.18"] {
        let (code, out, err) = of_directory.fbc(&[&["validate", path], &konflux[..]].concat());
        assert!(code == 0 && !out.contains("FBC234"), "{path}: {out}{err}");
    }
    // What init writes down says the same.
    assert_eq!(of_directory.fbc(&["init", "--repository"]).0, 0);
    assert_eq!(files(&of_directory, &[".", "--ocp", "4.18"]), ["beacon/index.yaml"]);
    let at_root = repository(&[("Dockerfile", "ADD catalog-4.18 /configs")], &["catalog-4.18/index.yaml"]);
    assert_eq!(files(&at_root, &["."]), ["index.yaml"]);
    let (code, out, _) = at_root.fbc(&[&["validate", "."], &konflux[..]].concat());
    assert!(code == 1 && out.contains("FBC234"), "{out}");
}

#[test]
fn a_file_is_a_catalog_where_a_dockerfile_copies_it() {
    for (copy, expected) in [
        ("COPY catalog/v4.18/catalog.yaml /configs/beacon/catalog.yaml", "beacon/catalog.yaml"),
        ("COPY catalog/v4.18/catalog.yaml /configs/beacon/", "beacon/catalog.yaml"),
        ("COPY catalog/v4.18/catalog.yaml /configs/index.yaml", "index.yaml"),
    ] {
        let sample = repository(&[("Containerfile.catalog-v4-18", copy)], &["catalog/v4.18/catalog.yaml"]);
        for words in [&[".", "--ocp", "4.18"][..], &["catalog/v4.18/catalog.yaml"]] {
            assert_eq!(files(&sample, words), [expected], "{copy}");
        }
    }
    let sample = repository(&[], &["catalog/catalog.yaml"]);
    let (code, _, err) = sample.fbc(&["build", "catalog/catalog.yaml", "--to", "oci:img"]);
    assert!(code == 2 && err.contains("let a Dockerfile of the repository say where it goes"), "{err}");
}

#[test]
fn all_that_one_dockerfile_copies_is_one_image() {
    let catalogs = ["one/v4.18/catalog.yaml", "two/v4.18/catalog.yaml"];
    let both = "COPY one/v4.18 /configs/one\nCOPY two/v4.18 /configs/two";
    let sample = repository(&[("Dockerfile", both)], &catalogs);
    assert_eq!(files(&sample, &[".", "--ocp", "4.18"]), ["one/catalog.yaml", "two/catalog.yaml"]);
    // Two images are two answers, and the advice names no flag that was given.
    let sample = repository(
        &[
            ("one.Dockerfile", "COPY one/v4.18 /configs/one"),
            ("two.Dockerfile", "COPY two/v4.18 /configs/two"),
        ],
        &catalogs,
    );
    let (code, _, err) = sample.fbc(&["build", ".", "--ocp", "4.18", "--to", "oci:img"]);
    assert!(code == 2 && err.contains("`fbc build one/v4.18`") && !err.contains("`--ocp`"), "{err}");
    assert_eq!(files(&sample, &["two/v4.18"]), ["two/catalog.yaml"]);
}

#[test]
fn releases_with_packages_are_repositories_too() {
    let dockerfile = |path: &'static str| (path, "ADD catalog /configs");
    let sample = repository(
        &[dockerfile("v4.18/a/catalog.Dockerfile"), dockerfile("v4.18/b/catalog.Dockerfile")],
        &[],
    );
    for package in ["a", "b"] {
        let path = format!("v4.18/{package}/catalog/{package}/catalog.yaml");
        sample.write(&path, &CATALOG.replace("beacon", package));
    }
    for (directory, first) in [("", "v4.18/a/catalog"), ("v4.18", "a/catalog")] {
        let (code, _, err) = sample.fbc_in(directory, &["validate", "."]);
        assert!(code == 0 && err.contains(&format!("holds the catalogs {first} ")), "{directory}: {err}");
    }
}

#[test]
fn a_dockerfile_of_all_releases_is_one_finding() {
    let sample = repository(
        &[("Dockerfile.dev", "ADD catalog /configs")],
        &["catalog/v4.17/catalog.yaml", "catalog/v4.18/catalog.yaml"],
    );
    let (code, out, err) = sample.fbc(&["validate", ".", "-o", "json"]);
    assert_eq!(code, 0, "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let codes: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .filter(|code| *code != "FBC206")
        .collect();
    assert_eq!(codes, ["FBC248"], "{out}");
}

#[test]
fn templates_make_catalogs_that_are_not_committed() {
    let sample = repository(&[("v4.18/Dockerfile", "ADD v4.18/catalog /configs")], &[]);
    sample.write("v4.18/catalog-template.yaml", "schema: olm.template.basic\nentries: []\n");
    let (code, out, _) = sample.fbc(&["repository"]);
    assert!(code == 0 && out.contains("v4.18/catalog (not there yet)"), "{out}");
    let (code, _, err) = sample.fbc(&["validate", "."]);
    assert!(code == 2 && err.contains("`fbc generate` makes them"), "{err}");
}
