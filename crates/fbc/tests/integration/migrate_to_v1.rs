//! `fbc migrate-to-v1`: manifests from objects of OLM v0, and the first hour on a simulated cluster.

use std::fs;
use std::path::Path;

const OBJECTS: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: ferry-sub, namespace: sea}
  spec: {name: ferry-operator, channel: stable, source: community-operators, sourceNamespace: openshift-marketplace}
  status: {installedCSV: ferry-operator.v1.0.0}
- apiVersion: operators.coreos.com/v1
  kind: OperatorGroup
  metadata: {name: all, namespace: sea}
";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn a_subscription_becomes_an_extension_that_installs() {
    let folder = tempfile::tempdir().unwrap();
    let testdata = fbc_testing::testdata("");
    let bundle = folder.path().join("bundle");
    copy(&testdata.join("scenarios/bundles/ferry-1.0.0"), &bundle);
    let csv = bundle.join("manifests/csv.yaml");
    let modes = fs::read_to_string(&csv).unwrap();
    fs::write(
        &csv,
        modes.replace("{type: OwnNamespace, supported: false}", "{type: OwnNamespace, supported: true}"),
    )
    .unwrap();
    fs::write(folder.path().join("sub.yaml"), OBJECTS).unwrap();
    fs::write(
        folder.path().join("template.yaml"),
        "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: ferry-operator, defaultChannel: stable}\n\
         - {schema: olm.channel, package: ferry-operator, name: stable, entries: [{name: ferry-operator.v1.0.0}]}\n\
         - {schema: olm.bundle, image: \"r.io/ferry:1\"}\n",
    )
    .unwrap();
    fs::write(folder.path().join("map.yaml"), format!("r.io/ferry:1: {}\n", bundle.display())).unwrap();
    let fbc = |words: &[&str]| {
        crate::fbc()
            .args(words)
            .current_dir(folder.path())
            .env("FBC_OFFLINE", "1")
            .env("FBC_IMAGE_MAP", "map.yaml")
            .answer()
            .parts()
    };
    let (code, out, err) = fbc(&["migrate-to-v1", "sub.yaml"]);
    assert!(
        code == 0 && out.contains("kind: ClusterExtension") && out.contains("cluster-admin"),
        "{out}{err}"
    );
    assert!(err.contains("the installer gets cluster-admin"), "{err}");
    assert!(err.contains("do: `kubectl delete subscription ferry-sub -n sea`"), "{err}");
    assert!(
        out.contains("version: 1.0.0") && err.contains("stays at 1.0.0, the installed version"),
        "{out}{err}"
    );
    let (code, _, err) = fbc(&["render", "template.yaml", "--output-file", "catalog.json"]);
    assert_eq!(code, 0, "{err}");
    let bundle = bundle.display().to_string();
    let (code, out, err) = fbc(&[
        "migrate-to-v1",
        "sub.yaml",
        "--bundle",
        &bundle,
        "--catalog",
        "catalog.json",
        "--scenario",
        "hour.yaml",
    ]);
    assert!(code == 0 && out.contains("kind: ClusterRole\n") && !out.contains("cluster-admin"), "{out}{err}");
    for (words, expected) in [
        (&["other=zzz"][..], "names package \"other\", of which there is no Subscription"),
        (&["ferry-operator=a", "ferry-operator=b"], "names package \"ferry-operator\" twice"),
        (&["a", "b"], "several bundles of one package"),
    ] {
        let named = words.iter().flat_map(|word| ["--bundle", *word]);
        let (code, out, err) =
            fbc(&["migrate-to-v1", "sub.yaml"].into_iter().chain(named).collect::<Vec<_>>());
        assert!(code == 2 && out.is_empty() && err.contains(expected), "{out}{err}");
    }
    let (code, out, err) = fbc(&["simulate", "hour.yaml"]);
    assert_eq!(code, 0, "{out}{err}\n{}", fs::read_to_string(folder.path().join("hour.yaml")).unwrap());
    // A namespace that every OpenShift has, and a release without `spec.config`.
    let global = OBJECTS.replace("namespace: sea", "namespace: openshift-operators");
    fs::write(folder.path().join("global.yaml"), &global).unwrap();
    let own = format!("{global}  spec: {{targetNamespaces: [openshift-operators]}}\n");
    fs::write(folder.path().join("own.yaml"), own).unwrap();
    for (file, target, expected) in [
        ("global.yaml", "ocp-5.0", "version: 1.0.0"),
        ("global.yaml", "ocp-4.20", "version: 1.0.0"),
        ("own.yaml", "ocp-4.19", "olm.operatorframework.io/watch-namespace: openshift-operators"),
        ("own.yaml", "ocp-5.0", "watchNamespace: openshift-operators"),
    ] {
        let words =
            ["migrate-to-v1", file, "--target", target, "--bundle", &bundle, "--catalog", "catalog.json"];
        let (code, out, err) = fbc(&[&words[..], &["--scenario", "hour.yaml"]].concat());
        assert!(code == 0 && out.contains(expected), "{file} on {target}: {out}{err}");
        assert_eq!(out.contains("  config:"), file == "own.yaml" && target == "ocp-5.0", "{out}");
        let (code, out, err) = fbc(&["simulate", "hour.yaml"]);
        assert_eq!(code, 0, "{file} on {target}: {out}{err}");
    }
    let (code, _, err) = fbc(&["migrate-to-v1", "template.yaml"]);
    assert!(code == 1 && err.contains("hold no Subscription"), "{err}");
}

#[test]
fn a_bundle_says_what_the_cluster_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let objects = OBJECTS.replace("ferry", "lighthouse").replace("v1.0.0", "v1.2.0");
    fs::write(folder.path().join("sub.yaml"), objects).unwrap();
    let bundle = folder.path().join("bundle");
    copy(&fbc_testing::testdata("lighthouse-bundle"), &bundle);
    let csv = bundle.join("manifests/csv.yaml");
    let needs = "    required:\n    - {name: tides.sea.io, version: v1, kind: Tide}\n    owned:\n";
    fs::write(&csv, fs::read_to_string(&csv).unwrap().replace("    owned:\n", needs)).unwrap();
    let output = crate::fbc()
        .args(["migrate-to-v1", "sub.yaml", "--bundle"])
        .arg(&bundle)
        .current_dir(folder.path())
        .output();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for expected in
        ["dependency declared via property \"olm.package.required\"", "the operator depends on tides.sea.io"]
    {
        assert!(text.contains(expected), "{text}");
    }
}
