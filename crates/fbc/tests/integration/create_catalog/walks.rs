//! The walks of the documents.

use super::workplace::{BUNDLE_IMAGE, Workplace, testdata};

/// Section 4.5.1: D-FBC-42 to D-FBC-47, word for word but for the placeholders.
#[test]
fn walk_of_section_4_5_1() {
    let workplace = Workplace::new(BUNDLE_IMAGE);
    let printed = workplace.succeed(
        r#"
        echo '# Lighthouse' > README.md
        echo '<svg xmlns="http://www.w3.org/2000/svg"></svg>' > operator-icon.svg
        mkdir catalog
        opm generate dockerfile catalog -i registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.19
        opm init lighthouse-operator \
            --default-channel=preview \
            --description=./README.md \
            --icon=./operator-icon.svg \
            --output yaml \
            > catalog/index.yaml
        opm render quay.io/example/lighthouse-operator-bundle:v1.2.0 \
            --output=yaml \
            >> catalog/index.yaml
        cat <<'BLOB' >> catalog/index.yaml
---
schema: olm.channel
package: lighthouse-operator
name: preview
entries:
  - name: lighthouse-operator.v1.2.0
BLOB
        opm validate catalog
        echo $?
        "#,
    );
    assert_eq!(printed, "0\n");
    assert_eq!(
        workplace.files(),
        ["./README.md", "./catalog.Dockerfile", "./catalog/index.yaml", "./operator-icon.svg"]
    );
    let dockerfile = workplace.read("catalog.Dockerfile");
    assert!(dockerfile.starts_with("# The builder image is expected to contain\n"), "{dockerfile}");
    for line in [
        "FROM quay.io/operator-framework/opm:latest as builder",
        "ADD catalog /configs",
        "FROM registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.19",
        "ENTRYPOINT [\"/bin/opm\"]",
        "LABEL operators.operatorframework.io.index.configs.v1=/configs",
    ] {
        assert!(dockerfile.lines().any(|found| found == line), "{line:?} is not in\n{dockerfile}");
    }
    let catalog = workplace.read("catalog/index.yaml");
    for text in [
        "defaultChannel: preview\ndescription: |\n  # Lighthouse\n",
        "mediatype: image/svg+xml\n",
        "\nimage: quay.io/example/lighthouse-operator-bundle:v1.2.0\n",
    ] {
        assert!(catalog.contains(text), "{text:?} is not in\n{catalog}");
    }
}

/// D-FBC-46: the entry must be the name of the bundle, with the dot before the version.
#[test]
fn d_fbc_46_entry_without_the_dot() {
    let workplace = Workplace::new(BUNDLE_IMAGE);
    let output = workplace.shell(
        r#"
        mkdir catalog
        opm init lighthouse-operator --default-channel=preview -o yaml > catalog/index.yaml
        opm render quay.io/example/lighthouse-operator-bundle:v1.2.0 -o yaml >> catalog/index.yaml
        printf -- '---\nschema: olm.channel\npackage: lighthouse-operator\nname: preview\nentries:\n- name: lighthouse-operatorv1.2.0\n' >> catalog/index.yaml
        opm validate catalog
        "#,
    );
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("not found in any channel entries"), "{told}");
}

/// The Dockerfile for an image without a server, with labels; a second one is refused.
#[test]
fn dockerfile_of_a_binary_less_image() {
    let workplace = Workplace::new(BUNDLE_IMAGE);
    workplace.succeed("mkdir cat; fbc generate dockerfile ./cat/ -q -i scratch -b b:1 -l z=1 -l 'a=x y,z=2'");
    assert_eq!(
        workplace.read("cat.Dockerfile"),
        "# The builder image is expected to contain
# /bin/opm (with serve subcommand)
FROM b:1 as builder

# Copy FBC root into image at /configs and pre-populate serve cache
ADD cat /configs
RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]

FROM scratch
# OLMv0 CatalogSources that use binary-less images must set:
# spec:
#   grpcPodConfig:
#     extractContent:
#       catalogDir: /configs
#       cacheDir: /tmp/cache

COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache

# Set FBC-specific label for the location of the FBC root directory
# in the image
LABEL operators.operatorframework.io.index.configs.v1=/configs

# Set other custom labels
LABEL \"a\"=\"x y\"
LABEL \"z\"=\"2\"
"
    );
    let again = workplace.shell("opm generate dockerfile cat");
    assert_eq!(again.status.code(), Some(1));
    let told = String::from_utf8(again.stderr).unwrap();
    assert!(told.contains(r#"msg="path \"cat.Dockerfile\": file already exists""#), "{told}");
    assert!(workplace.read("cat.Dockerfile").contains("FROM scratch"), "the file is as it was");
}

/// The writer leaves out blobs without a package, so there would be nothing on standard output.
#[test]
fn bundle_without_a_package_is_not_rendered() {
    let workplace = Workplace::new(BUNDLE_IMAGE);
    workplace.succeed(&format!(
        "cp -r {}/lighthouse-bundle bundle; sed -i /bundle.package.v1/d bundle/metadata/annotations.yaml",
        testdata().display()
    ));
    for command in ["render", "bundle render"] {
        let output = workplace.shell(&format!("fbc {command} bundle"));
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("operators.operatorframework.io.bundle.package.v1"), "{told}");
        assert!(told.contains("`fbc bundle validate bundle`"), "{told}");
    }
}

/// `opm migrate` writes one directory a package.
#[test]
fn migrated_catalog_is_split_by_package() {
    let workplace = Workplace::new(BUNDLE_IMAGE);
    let sample = testdata().join("sample-catalog").display().to_string();
    let output = workplace.shell(&format!("opm migrate {sample} out -o yaml --migrate-level all"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains(r#"level=info msg="wrote rendered file-based catalog to \"out\"\n""#), "{told}");
    assert_eq!(
        workplace.files(),
        ["./out/lighthouse-operator/catalog.yaml", "./out/tide-operator/catalog.yaml"]
    );
    workplace.succeed(&format!(
        "opm validate out; opm render {sample} --migrate -o yaml > all.yaml; opm render out -o yaml | cmp - all.yaml"
    ));
}
