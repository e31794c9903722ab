//! `fbc lifecycle inject`, and Dockerfiles that lose what it writes.

use super::sample::{Sample, copy};

pub(crate) const LIFECYCLE: &str = "\
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
