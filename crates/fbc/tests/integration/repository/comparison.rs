//! What is found, declared and compared: `fbc init --repository`, `fbc diff`, `fbc validate --base`, `fbc diff --index`.

use super::sample::{Sample, copy};

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
            fbc_testing::skip("git is not installed");
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

#[test]
fn a_change_that_makes_the_catalog_invalid_is_breaking() {
    let sample = Sample::new("directories");
    let catalog = |range: &str, entries: &str| {
        format!(
            "---\nschema: olm.package\nname: a\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: a\nname: stable\n\
             entries:\n- name: a.v1\n  skipRange: '{range}'\n{entries}---\nschema: olm.bundle\npackage: a\nname: a.v1\n\
             image: quay.io/me/a:v1\nproperties:\n- type: olm.package\n  value: {{packageName: a, version: 1.0.0}}\n"
        )
    };
    let two_heads = "- name: a.v0.1.0\n";
    for (old, new, expected) in [
        // The words of the change alone are harmless, and blang refuses the range.
        (catalog("<1.0.0", ""), catalog("^1.0.0", ""), true),
        (catalog("<1.0.0", ""), catalog("<1.0.0", two_heads), true),
        (catalog("<1.0.0", ""), catalog("<0.9.0", ""), false),
        // What was wrong before is not the fault of the change.
        (catalog("^1.0.0", ""), catalog("^1.0.1", ""), false),
        (catalog("^1.0.0", ""), catalog("<1.0.1", ""), false),
    ] {
        sample.write("old/catalog.yaml", &old);
        sample.write("new/catalog.yaml", &new);
        let (code, out, err) = sample.fbc(&["diff", "old", "new"]);
        assert_eq!(
            (code, out.contains("the new catalog is not valid: ")),
            (i32::from(expected), expected),
            "{out}{err}"
        );
        assert_eq!(out.contains("`fbc validate new` shows where"), expected, "{out}");
        let (code, out, _) = sample.fbc(&["diff", "old", "new", "-o", "json", "--fail-on", "none"]);
        assert_eq!((code, out.contains("\"newErrors\": []")), (0, !expected), "{out}");
        let (_, out, _) = sample.fbc(&["diff", "old", "new", "-o", "sarif"]);
        let rules = out.lines().filter(|line| line.contains("\"ruleId\"") && !line.contains("\"REP"));
        assert_eq!(rules.count() > 0, expected, "{out}");
        let (_, out, _) = sample.fbc(&["diff", "old", "new", "-o", "markdown"]);
        assert_eq!(out.contains("the new catalog is not valid: "), expected, "{out}");
    }
}

/// The legend speaks only of edges that the chart has.
#[test]
fn the_legend_of_a_chart_names_what_is_drawn() {
    let sample = Sample::new("directories");
    let catalog =
        |entries: &str| format!("schema: olm.channel\npackage: a\nname: stable\nentries:\n{entries}");
    let (one, two) = ("- name: a.v1\n", "- name: a.v2\n  replaces: a.v1\n");
    let skips = format!("{one}- name: a.v2\n  skips: [a.v1]\n");
    let both = format!("{one}{two}");
    let ranged = format!("{both}  skipRange: <2.0.0\n");
    for (old, new, legend) in [
        (one, both.as_str(), "Channel `stable`: thick edges are new."),
        (&both, one, "Channel `stable`: dashed edges are gone."),
        (&both, &skips, "Channel `stable`: dashed edges are gone, thick ones are new."),
        (&both, &ranged, "Channel `stable`:"),
    ] {
        sample.write("old/catalog.yaml", &catalog(old));
        sample.write("new/catalog.yaml", &catalog(new));
        let (_, out, err) = sample.fbc(&["diff", "old", "new", "-o", "markdown"]);
        assert!(out.lines().any(|line| line == legend), "{legend}\n{out}{err}");
    }
}
