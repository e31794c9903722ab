//! `fbc generate`, `fbc init --repository` and `fbc validate --base` in copies of the repositories in `testdata`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of a repository.
struct Sample(tempfile::TempDir);

impl Sample {
    fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/repositories").join(name);
        copy(&source, folder.path());
        Self(folder)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    /// Exit code, standard output and standard error.
    fn fbc(&self, words: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_fbc"))
            .args(words)
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .env("FBC_OFFLINE", "1")
            .env_remove("FBC_IMAGE_MAP")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Makes a git repository of it; whether there is git.
    fn commit(&self) -> bool {
        let git = |words: &[&str]| {
            let mut command = Command::new("git");
            command.args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
                "-c",
                "commit.gpgsign=false",
            ]);
            command
                .args(words)
                .current_dir(self.0.path())
                .output()
                .is_ok_and(|output| output.status.success())
        };
        git(&["init", "--quiet", "-b", "main"])
            && git(&["add", "."])
            && git(&["commit", "--quiet", "-m", "first"])
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn stale_catalogs_are_written_anew() {
    let sample = Sample::new("matrix");
    let (code, _, err) = sample.fbc(&["generate", "--check"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("OpenShift 4.18: catalog/v4.18/beacon-operator/catalog.yaml is stale"), "{err}");
    assert!(err.contains("OpenShift 4.16: catalog/v4.16 is up to date"), "{err}");
    // The newer bundle is in the catalogs of other releases, and is not pulled.
    let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.18"]);
    assert_eq!(code, 0, "{err}");
    let catalog = |release: &str| sample.text(&format!("catalog/{release}/beacon-operator/catalog.yaml"));
    assert_eq!(catalog("v4.18"), catalog("v4.17"));
    assert_eq!(sample.fbc(&["generate", "--check"]).0, 0);
    // A bundle that no catalog has cannot be pulled here: nothing is written.
    let template = sample.text("template.yaml");
    sample.write("template.yaml", &template.replace("@sha256:2222", "@sha256:3322"));
    let (code, _, err) = sample.fbc(&["generate"]);
    assert!(code != 0 && err.contains("sha256:3322"), "{err}");
    assert_eq!(catalog("v4.18"), catalog("v4.17"));
}

#[test]
fn what_a_template_takes_away_goes_from_every_catalog() {
    for (name, template, gone) in [
        ("split", "catalog-template.yaml", "catalog-4-16/bundles/bundle-v1.0.0.yaml"),
        ("operators", "operators/beacon-operator/catalog-templates/basic.yaml", ""),
    ] {
        let sample = Sample::new(name);
        assert_eq!(sample.fbc(&["generate", "--check"]).0, 0, "{name}");
        let text = sample.text(template);
        let first = "  - name: beacon-operator.v1.0.0\n";
        let edge = "    replaces: beacon-operator.v1.0.0\n";
        let image = text.lines().find(|line| line.contains("@sha256:1111")).unwrap();
        let bundle = format!("- schema: olm.bundle\n{image}\n");
        sample.write(template, &text.replace(first, "").replace(edge, "").replace(&bundle, ""));
        let (code, _, err) = sample.fbc(&["generate"]);
        assert_eq!(code, 0, "{name}: {err}");
        assert_eq!(sample.fbc(&["generate", "--check"]).0, 0, "{name}");
        assert_eq!(sample.fbc(&["validate", ".", "--profile", "opm"]).0, 0, "{name}");
        let (_, out, _) = sample.fbc(&["list", "bundles", ".", "--ocp", "4.16"]);
        assert!(out.contains("v1.1.0") && !out.contains("v1.0.0"), "{name}: {out}");
        assert!(gone.is_empty() || !sample.path(gone).exists(), "{gone} is left");
    }
}

#[test]
fn files_that_say_the_same_keep_their_bytes() {
    let sample = Sample::new("split");
    let (bundle, channel) =
        ("catalog-4-17/bundles/bundle-v1.0.0.yaml", "catalog-4-17/channels/channel-stable.yaml");
    let commented = format!("# mine\n{}", sample.text(bundle).trim_start_matches("---\n"));
    sample.write(bundle, &commented);
    sample.write(channel, &sample.text(channel).replace("  replaces: beacon-operator.v1.0.0\n", ""));
    let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.17"]);
    assert!(
        code == 0 && err.contains("channel-stable.yaml is stale") && !err.contains("bundle-v1.0.0"),
        "{err}"
    );
    assert_eq!(sample.text(bundle), commented);
}

#[test]
fn a_new_release_gets_what_the_last_one_has() {
    let sample = Sample::new("directories");
    let (code, _, err) = sample.fbc(&["generate", "--new-ocp", "4.18"]);
    assert_eq!(code, 0, "{err}");
    assert!(sample.text("v4.18/catalog.Dockerfile").contains("ADD v4.18/catalog /configs"));
    assert_eq!(sample.fbc(&["validate", ".", "--profile", "opm"]).0, 0);
    assert_eq!(sample.fbc(&["generate", "--check"]).0, 0);
    let (code, _, err) = sample.fbc(&["generate", "--new-ocp", "4.18"]);
    assert!(code == 1 && err.contains("has a catalog for OpenShift 4.18 already"), "{err}");

    let sample = Sample::new("matrix");
    let (code, _, err) = sample.fbc(&["generate", "--new-ocp", "5.1"]);
    assert_eq!(code, 0, "{err}");
    assert!(sample.text("fbc.toml").contains("ocp = [\"4.16..4.18\", \"5.0\", \"5.1\"]"));
    assert!(
        sample
            .text("catalog/v5.1.Dockerfile")
            .starts_with("FROM registry.example.com/openshift5/registry-rhel9:v5.1\n")
    );
}

#[test]
fn what_is_found_can_be_declared() {
    for name in ["directories", "dockerfiles", "split", "operators", "other-versions"] {
        let sample = Sample::new(name);
        let table = |sample: &Sample| {
            let (_, out, _) = sample.fbc(&["repository", "-o", "json"]);
            let document: serde_json::Value = serde_json::from_str(&out).unwrap();
            let catalogs = document["catalogs"].as_array().unwrap().iter();
            catalogs.map(|catalog| (catalog["path"].clone(), catalog["releases"].clone())).collect::<Vec<_>>()
        };
        let found = table(&sample);
        let (code, _, err) = sample.fbc(&["init", "--repository"]);
        assert_eq!(code, 0, "{name}: {err}");
        assert_eq!(table(&sample), found, "{name}: {}", sample.text("fbc.toml"));
        assert_eq!(sample.fbc(&["validate", ".", "--profile", "opm"]).0, 0, "{name}");
        let (code, _, err) = sample.fbc(&["init", "--repository"]);
        assert!(code == 1 && err.contains("names its catalogs already"), "{name}: {err}");
    }
}

#[test]
fn a_repository_is_compared_with_its_last_commit() {
    for name in ["directories", "split"] {
        let sample = Sample::new(name);
        if !sample.commit() {
            eprintln!("skipped: there is no git");
            return;
        }
        let (code, out, err) = sample.fbc(&["diff"]);
        assert_eq!(code, 0, "{name}: {out}{err}");
        let path = match name {
            "split" => "catalog-4-17/channels/channel-stable.yaml",
            _ => "v4.17/catalog/beacon-operator/catalog.yaml",
        };
        sample.write(path, &sample.text(path).replace("  replaces: beacon-operator.v1.0.0\n", ""));
        let (code, out, err) = sample.fbc(&["diff"]);
        assert_eq!(code, 1, "{name}: {out}{err}");
        let (code, out, err) = sample.fbc(&["validate", ".", "--base", "HEAD"]);
        assert_eq!(code, 1, "{name}: {out}{err}");
        assert!(
            err.contains("16: nothing changed") || err.contains("v4.16/catalog: nothing changed"),
            "{name}: {err}"
        );
    }
}

#[test]
fn a_bundle_is_released_to_templates_and_catalogs() {
    let sample = Sample::new("operators");
    let directory = "operators/beacon-operator/9.0.0";
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/beacon-bundle"),
        &sample.path(directory),
    );
    let version = format!("{directory}/manifests/csv.yaml");
    sample.write(&version, &sample.text(&version).replace("1.0.0", "9.0.0"));
    let config = format!("{directory}/release-config.yaml");
    sample.write(&config, "catalog_templates:\n- {template_name: absent.yaml, channels: [stable]}\n");
    let image = "quay.io/example/beacon-operator-bundle:v9";
    let release = ["repository", "release", directory, "--image", image];
    let (code, _, err) = sample.fbc(&release);
    assert!(code == 1 && err.contains("maps no template \"absent.yaml\""), "{err}");

    let text = "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: beacon-operator.v1.1.0\n";
    sample.write(&config, text);
    let template = "operators/beacon-operator/catalog-templates/basic.yaml";
    let before = sample.text(template);
    let (code, out, err) = sample.fbc(&[&release[..], &["--dry-run"]].concat());
    assert!(code == 0 && out.contains("+    replaces: beacon-operator.v1.1.0"), "{out}{err}");
    assert_eq!(sample.text(template), before);

    let (code, _, err) = sample.fbc(&release);
    assert_eq!(code, 0, "{err}");
    let after = sample.text(template);
    assert!(after.starts_with("# The bundles of the beacon") && after.contains(image), "{after}");
    for version in ["v4.16", "v4.17"] {
        let catalog = sample.text(&format!("catalogs/{version}/beacon-operator/catalog.yaml"));
        assert_eq!(catalog.contains("olm.csv.metadata"), version == "v4.17", "{version}");
    }
    assert_eq!(sample.fbc(&["validate", ".", "--profile", "opm"]).0, 0);
    let (code, _, err) = sample.fbc(&release);
    assert!(code == 0 && err.contains("is released already"), "{err}");
    // A second head breaks the graph: nothing is written.
    let text = "catalog_templates:\n- {template_name: basic.yaml, channels: [stable], replaces: beacon-operator.v1.0.0}\n";
    sample.write(&config, text);
    sample.write(template, &before);
    let (code, _, err) = sample.fbc(&release);
    assert!(code == 1 && err.contains("would not be valid"), "{err}");
    assert_eq!(sample.text(template), before);
}

#[test]
fn dockerfiles_follow_the_configuration_without_a_template() {
    let sample = Sample::new("directories");
    sample.write(
        "fbc.toml",
        "[[catalogs]]\npath = \"v{ocp}/catalog\"\nocp = [\"4.16..4.17\"]\ndockerfile = \"v{ocp}/catalog.Dockerfile\"\n\
         base-image = \"registry.example.com/new:v{ocp}\"\n\n\
         [[catalogs]]\npath = \"v4.17/catalog\"\nocp = [\"4.18\"]\ndockerfile = \"later/v{ocp}.Dockerfile\"\n\
         base-image = \"registry.example.com/new:v{ocp}\"\nimage-path = \"beacon\"\n",
    );
    let (code, _, err) = sample.fbc(&["generate", "--check"]);
    assert!(code == 1 && err.contains("v4.16/catalog.Dockerfile is stale"), "{err}");
    let (code, _, err) = sample.fbc(&["generate"]);
    assert_eq!(code, 0, "{err}");
    assert!(sample.text("v4.16/catalog.Dockerfile").contains("FROM registry.example.com/new:v4.16"));
    let new = sample.text("later/v4.18.Dockerfile");
    assert!(new.contains("ADD v4.17/catalog /configs/beacon\n"), "{new}");
    assert_eq!(sample.fbc(&["generate", "--check"]).0, 0);
    let (code, out, err) = sample.fbc(&["repository", "-o", "json"]);
    assert!(code == 0 && out.contains("later/v4.18.Dockerfile"), "{out}{err}");
}

#[test]
fn one_release_is_rendered() {
    let sample = Sample::new("directories");
    let (code, out, err) = sample.fbc(&["render", "--ocp", "4.17"]);
    let (_, catalog, _) = sample.fbc(&["render", "v4.17/catalog", "--migrate"]);
    assert!(code == 0 && out.contains("olm.bundle") && out == catalog, "{out}{err}");
    let (code, _, err) = sample.fbc(&["render", "--ocp", "4.19"]);
    assert!(code > 0 && err.contains("no catalog for OpenShift 4.19"), "{err}");
}

#[test]
fn what_is_released_is_told_from_the_index() {
    let sample = Sample::new("directories");
    let (code, out, err) = sample.fbc(&["diff", "--index", "v4.17/catalog", "."]);
    assert!(code == 0 && out.contains("beacon-operator.v1.0.0  released"), "{out}{err}");
    // No index of a release to come, and a bundle of another image.
    copy(&sample.path("v4.17/catalog"), &sample.path("index/4.17"));
    let path = "index/4.17/beacon-operator/catalog.yaml";
    let text = sample.text(path);
    let image = text.lines().find(|line| line.starts_with("image:")).unwrap();
    sample.write(path, &text.replacen(image, "image: quay.io/other/image@sha256:0000", 1));
    let (code, out, err) = sample.fbc(&["diff", "--index", "index/{ocp}"]);
    assert!(code == 1 && out.contains("which does not exist yet"), "{out}{err}");
    assert!(
        out.contains("not released") && out.contains("released with another image: quay.io/other"),
        "{out}"
    );
    let (code, out, err) = sample.fbc(&["diff", "--index", "index/{ocp}", "--ocp", "4.16", "-o", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(code == 0 && document["catalogs"][0]["indexExists"] == false, "{out}{err}");
    assert!(document["schemaVersion"] == 1 && document["schema_version"].is_null(), "{out}");
    let (code, _, err) = sample.fbc(&["diff", "--index", "nowhere", "."]);
    assert!(code == 2 && err.contains("nowhere does not exist"), "{err}");
}

const LIFECYCLE: &str = "\
schema: io.openshift.operators.lifecycles.v1alpha1
package: beacon-operator
versions:
- name: \"1.0\"
  phases:
  - {name: Full support, startDate: \"2026-01-01\", endDate: \"2026-06-30\"}
";

#[test]
fn lifecycles_go_into_catalogs_of_releases_that_show_them() {
    let sample = Sample::new("matrix");
    sample.write("lifecycles/beacon.yaml", LIFECYCLE);
    let inject = ["lifecycle", "inject", "lifecycles", "."];
    assert_eq!(sample.fbc(&[&inject[..], &["--check"]].concat()).0, 1);
    let (code, _, err) = sample.fbc(&inject);
    assert_eq!(code, 0, "{err}");
    let path = |release: &str| sample.path(&format!("catalog/{release}/beacon-operator/lifecycle.json"));
    assert!(path("v5.0").exists() && !path("v4.18").exists(), "{err}");
    let (code, _, err) = sample.fbc(&inject);
    assert!(code == 0 && err.contains("up to date"), "{err}");
    let (code, out, err) = sample.fbc(&["validate", ".", "--deny-warnings", "--profile", "opm"]);
    assert_eq!(code, 0, "{out}{err}");
    sample.write("lifecycles/beacon.yaml", &LIFECYCLE.replace("06-30", "09-30"));
    let (code, _, err) = sample.fbc(&inject);
    assert!(code == 1 && err.contains("another lifecycle"), "{err}");
    sample.write("lifecycles/beacon.yaml", &LIFECYCLE.replace("2026-06-30", "2025-06-30"));
    let (code, _, err) = sample.fbc(&[&inject[..], &["--replace"]].concat());
    assert!(code == 1 && err.contains("LFC005") && err.contains("nothing is written"), "{err}");
}

#[test]
fn packages_of_one_directory_have_lifecycles_of_their_own() {
    let sample = Sample::new("matrix");
    let package = |name: &str| format!("---\nschema: olm.package\nname: {name}\n");
    sample.write("both/catalog.yaml", &format!("{}{}", package("beacon-operator"), package("ferry")));
    sample.write("lifecycles/beacon.yaml", LIFECYCLE);
    sample.write("lifecycles/ferry.yaml", &LIFECYCLE.replace("beacon-operator", "ferry"));
    let (code, _, err) = sample.fbc(&["lifecycle", "inject", "lifecycles", "both"]);
    assert_eq!(code, 0, "{err}");
    for name in ["beacon-operator", "ferry"] {
        let text = sample.text(&format!("both/lifecycle-{name}.json"));
        assert!(text.contains(&format!("\"package\": \"{name}\"")), "{text}");
    }
    let (code, _, err) = sample.fbc(&["lifecycle", "inject", "lifecycles", "both"]);
    assert!(code == 0 && err.contains("up to date"), "{err}");
    let (code, _, err) = sample.fbc(&["lifecycle", "inject", "lifecycles", "both", "--ocp", "5.0"]);
    assert!(code == 2 && err.contains("does not hold several catalogs"), "{err}");
    // What is there is no lifecycle.
    sample.write("one/catalog.yaml", &package("beacon-operator"));
    let channel =
        "{\"schema\":\"olm.channel\",\"package\":\"beacon-operator\",\"name\":\"stable\",\"entries\":[]}";
    sample.write("one/lifecycle.json", channel);
    for replace in [&[][..], &["--replace"]] {
        let (code, _, err) = sample.fbc(&[&["lifecycle", "inject", "lifecycles", "one"], replace].concat());
        assert!(code == 1 && err.contains("one/lifecycle.json holds other blobs"), "{err}");
        assert_eq!(sample.text("one/lifecycle.json"), channel);
    }
}

#[test]
fn a_template_is_rendered_with_bundles_that_fit_the_release() {
    let sample = Sample::new("matrix");
    // Later releases have the bundle without its manifests.
    for release in ["v4.17", "v4.18", "v5.0"] {
        let path = format!("catalog/{release}/beacon-operator/catalog.yaml");
        let metadata = "properties:\n- type: olm.csv.metadata\n  value: {}\n";
        sample.write(&path, &sample.text(&path).replace("properties:\n", metadata));
    }
    let template = sample.text("template.yaml");
    let first = template.lines().filter(|line| !line.contains("1.1.0") && !line.contains("replaces"));
    let first = first.collect::<Vec<_>>().join("\n");
    let (first, _) = first.rsplit_once("- schema: olm.bundle").unwrap();
    sample.write("first.yaml", first);
    let (code, out, err) = sample.fbc(&["render", "first.yaml", "--ocp", "4.16"]);
    assert!(code == 0 && out.contains("olm.bundle\"") && !out.contains("olm.csv.metadata"), "{out}{err}");
}

#[test]
fn a_dockerfile_that_copies_one_file_loses_the_lifecycle() {
    let sample = Sample::new("directories");
    copy(&sample.path("v4.17"), &sample.path("v5.0"));
    let dockerfile = |copied: &str| {
        format!("FROM registry.example.com/registry:v5.0\nCOPY {copied} /configs/beacon-operator/\n")
    };
    sample.write("v5.0/catalog.Dockerfile", &dockerfile("v5.0/catalog/beacon-operator/catalog.yaml"));
    let (code, out, err) = sample.fbc(&["validate", ".", "-o", "concise"]);
    assert!(out.contains("v5.0/catalog.Dockerfile") && out.contains("LFC007"), "{code} {out}{err}");
    sample.write("v5.0/catalog.Dockerfile", &dockerfile("v5.0/catalog/beacon-operator"));
    let (_, out, err) = sample.fbc(&["validate", ".", "-o", "concise"]);
    assert!(!out.contains("LFC007"), "{out}{err}");
}

#[test]
fn tags_are_pinned_and_come_back() {
    let sample = Sample::new("directories");
    let path = "v4.16/catalog-template.yaml";
    let template = sample.text(path);
    let image = template.lines().find_map(|line| line.trim().strip_prefix("image: ")).unwrap().to_owned();
    let (repository, digest) = image.split_once('@').unwrap();
    let tagged = template.replace(&image, &format!("{repository}:v1.0.0 # the first"));
    sample.write(path, &tagged);
    let (code, _, err) = sample.fbc(&["pin", "--check"]);
    assert!(code == 1 && err.contains(&format!("{path}: {repository}:v1.0.0 is not pinned")), "{err}");
    let (code, _, err) = sample.fbc(&["pin", "--map", "pins.yaml"]);
    assert!(code == 2 && err.contains("the map does not know"), "{err}");
    sample.write("pins.yaml", &format!("{repository}:v1.0.0: {digest}\n"));
    let (code, out, err) = sample.fbc(&["pin", "--map", "pins.yaml", "--dry-run"]);
    assert!(code == 0 && out.contains(&format!("+  image: {image} # the first")), "{out}{err}");
    let (code, _, err) = sample.fbc(&["pin", "--map", "pins.yaml"]);
    assert!(code == 0 && err.contains("wrote v4.16/catalog-template.yaml"), "{err}");
    assert_eq!(sample.text(path), template.replace(&image, &format!("{image} # the first")));
    assert_eq!(sample.fbc(&["pin", "--check"]).0, 0);
    let (code, _, err) = sample.fbc(&["pin", "--map", "pins.yaml", "--drift"]);
    assert!(code == 2 && err.contains("--drift asks registries"), "{err}");
    // A map that is complete stays as it is, and what is not a map does too.
    for (text, expected) in
        [(format!("# Pins\n{repository}:v1.0.0: {digest} # the first\n"), 0), ("- a\n- b\n".to_owned(), 2)]
    {
        sample.write("other.yaml", &text);
        assert_eq!(sample.fbc(&["pin", "--map", "other.yaml"]).0, expected);
        assert_eq!(sample.text("other.yaml"), text);
    }
    assert_eq!(sample.fbc(&["pin", "--map", "pins.yaml", "--tags", path]).0, 0);
    assert_eq!(sample.text(path), tagged);
}
