//! Images of bundles and catalogs in a cluster: pushed to its registry, pulled, or empty.

use fbc_testing::is_installed;

use super::{script, testdata, with_cluster};

/// No registry is asked for the bundle, and a replay knows that of the session.
#[test]
fn bundles_can_be_empty() {
    if !is_installed("kubectl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace").display().to_string();
    let catalog = format!("harbour={}", testdata("scenarios/catalogs/old").display());
    let manifests = testdata("scenarios/manifests").display().to_string();
    let printed = script(
        &["--catalog", &catalog, "--empty-bundles", "--offline", "--trace", &trace],
        &format!(
            "kubectl apply -f {manifests}/installer.yaml -f {manifests}/ferry.yaml; \
             kubectl wait --for=condition=Installed clusterextension/ferry --timeout=20s"
        ),
    );
    assert!(printed.contains("ferry condition met"), "{printed}");
    let replayed = crate::fbc().args(["simulate", "--replay-trace", &trace]).answer();
    assert!(replayed.out.contains("0 answered otherwise"), "{replayed:?}");
}

#[test]
fn an_operator_that_was_pushed_is_installed() {
    if !is_installed("kubectl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (images, session, catalog) = (place("images"), place("session"), place("catalog.yaml"));
    let manifest = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {name: harbour}\n\
                    spec: {source: {type: Image, image: {ref: \"registry.cluster.local/sea/catalog:v1\"}}}\n";
    std::fs::write(&catalog, manifest).unwrap();
    let printed = script(
        &["--registry", "--registry-storage", &images, "--trace", &session],
        &format!(
            "push='--push --plain-http --quiet'\n\
             {fbc} build --bundle {scenarios}/bundles/ferry-1.0.0 -t $FBC_REGISTRY/sea/ferry:v1.0.0 $push\n\
             {fbc} catalog from-bundles $FBC_REGISTRY/sea/ferry:v1.0.0 -t $FBC_REGISTRY/sea/catalog:v1 $push\n\
             {skopeo}\n\
             kubectl apply -f {scenarios}/manifests/installer.yaml\n\
             kubectl apply -f {catalog}\n\
             kubectl apply -f {scenarios}/manifests/ferry.yaml\n\
             kubectl wait --for=condition=Installed clusterextension/ferry --timeout=20s\n\
             kubectl get clustercatalog harbour -o jsonpath='{{.status.resolvedSource.image.ref}}'",
            fbc = crate::FBC,
            scenarios = testdata("scenarios").canonicalize().unwrap().display(),
            skopeo = match is_installed("skopeo") {
                true => "skopeo list-tags --tls-verify=false docker://$FBC_REGISTRY/sea/ferry",
                false => "",
            },
        ),
    );
    for text in ["ferry condition met", "registry.cluster.local/sea/catalog@sha256:"] {
        assert!(printed.contains(text), "{text:?} is missing in\n{printed}");
    }
    let fbc = |arguments: &[&str]| crate::fbc().args(arguments).answer().out;
    // The images stay, and the session needs no registry any more.
    let listed = fbc(&["list", "channels", &format!("oci:{images}:sea/catalog:v1")]);
    assert!(listed.contains("ferry-operator"), "{listed}");
    let replayed = fbc(&["simulate", "--replay-trace", &session]);
    assert!(replayed.contains("0 answered otherwise"), "{replayed}");
}

/// What was built into the layout has a tag and no name by its digest.
#[test]
fn a_layout_is_served_as_a_registry() {
    if !is_installed("kubectl") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let images = directory.path().join("images").display().to_string();
    let built = crate::fbc()
        .args(["build", "-q", "--to", &format!("oci:{images}:sea/catalog:v1")])
        .arg(testdata("sample-catalog"))
        .status();
    assert!(built.success());
    let catalog = directory.path().join("catalog.yaml");
    let manifest = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {name: harbour}\n\
                    spec: {source: {type: Image, image: {ref: \"registry.cluster.local/sea/catalog:v1\"}}}\n";
    std::fs::write(&catalog, manifest).unwrap();
    let printed = script(
        &["--registry", "--registry-storage", &images],
        &format!(
            "kubectl apply -f {}; kubectl wait --for=condition=Serving clustercatalog/harbour --timeout=20s",
            catalog.display()
        ),
    );
    assert!(printed.contains("harbour condition met"), "{printed}");
}

#[test]
fn a_bundle_is_extracted_to_a_config_map() {
    if !is_installed("kubectl") {
        return;
    }
    let fbc = crate::FBC;
    let bundle = testdata("beacon-bundle").canonicalize().unwrap().display().to_string();
    for (flags, expected) in [("", "operators.coreos.com/v1alpha1"), ("--gzip", "gzip+base64")] {
        let printed = script(
            &[],
            &format!(
                "kubectl create configmap unpacked -n default >/dev/null\n\
                 CONTAINER_IMAGE=r.io/beacon:1 {fbc} opm alpha bundle extract -m {bundle}/ -n default -c unpacked {flags}\n\
                 kubectl get configmap unpacked -n default -o yaml"
            ),
        );
        assert!(
            printed.contains(expected) && printed.contains("olm.sourceImage: r.io/beacon:1"),
            "{printed}"
        );
        assert!(printed.contains("bundle.package.v1: beacon-operator"), "{printed}");
    }
    let output = with_cluster(
        &[],
        &[
            fbc,
            "opm",
            "alpha",
            "bundle",
            "extract",
            "-m",
            &format!("{bundle}/"),
            "-n",
            "default",
            "-c",
            "absent",
        ],
    );
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("error loading manifests from directory: configmaps \"absent\" not found"),
        "{error}"
    );
}
