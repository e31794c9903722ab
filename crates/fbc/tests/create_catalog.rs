//! The ways to create a catalog that the documents walk, in a shell, with fbc in opm's place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory to work in, with `fbc` and `opm` on the path and an image map for what would be pulled.
struct Workplace {
    folder: tempfile::TempDir,
}

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").canonicalize().unwrap()
}

impl Workplace {
    fn new(image_map: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("bin");
        fs::create_dir(&programs).unwrap();
        for name in ["fbc", "opm"] {
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fbc"), programs.join(name)).unwrap();
        }
        let testdata = testdata().display().to_string();
        fs::write(folder.path().join("images.yaml"), image_map.replace("TESTDATA", &testdata)).unwrap();
        Self { folder }
    }

    fn shell(&self, script: &str) -> Output {
        let path = format!("{}:{}", self.folder.path().join("bin").display(), std::env::var("PATH").unwrap());
        let work = self.folder.path().join("work");
        fs::create_dir_all(&work).unwrap();
        Command::new("sh")
            .args(["-euc", script])
            .current_dir(work)
            .env("PATH", path)
            .env("NO_COLOR", "1")
            .env("FBC_IMAGE_MAP", self.folder.path().join("images.yaml"))
            .output()
            .unwrap()
    }

    /// What a script prints that must succeed without a word on standard error.
    fn succeed(&self, script: &str) -> String {
        let output = self.shell(script);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.is_empty(), "{}\n{told}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    fn read(&self, path: &str) -> String {
        let path = self.folder.path().join("work").join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn files(&self) -> Vec<String> {
        let listed = self.succeed("find . -type f | LC_ALL=C sort");
        listed.lines().map(str::to_owned).collect()
    }
}

const BUNDLE_IMAGE: &str = "quay.io/example/lighthouse-operator-bundle:v1.2.0: TESTDATA/lighthouse-bundle\n";

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

/// D-FBC-36: one command in place of the script of section 4.1.5.
#[test]
fn d_fbc_36_catalog_from_its_configuration() {
    let workplace = Workplace::new(
        "quay.io/example/lighthouse-catalog:latest: TESTDATA/sample-catalog/lighthouse-operator\n\
         quay.io/example/tide-catalog:latest: TESTDATA/sample-catalog/tide-operator\n",
    );
    let configuration = "name: harbour\\nrepo: quay.io/example/harbour\\ntag: latest\\nreferences:\\n\
        - name: lighthouse\\n  image: quay.io/example/lighthouse-catalog:latest\\n\
        - name: tide\\n  image: quay.io/example/tide-catalog:latest\\n";
    let output = workplace.shell(&format!(
        "printf '{configuration}' > config.yaml; fbc generate catalog config.yaml --dockerfile"
    ));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), told.as_str()),
        (Some(0), "wrote harbour.Dockerfile\nharbour is ready to become quay.io/example/harbour:latest\n")
    );
    assert_eq!(
        workplace.files(),
        [
            "./config.yaml",
            "./harbour.Dockerfile",
            "./harbour/lighthouse/index.yaml",
            "./harbour/tide/index.yaml"
        ]
    );
    // The same as the script makes of it.
    workplace.succeed(
        "for part in lighthouse tide; do
            opm render quay.io/example/$part-catalog:latest -o yaml | cmp - harbour/$part/index.yaml
        done
        opm validate harbour",
    );
    // What is there stays, unless it may go.
    let again = workplace.shell("echo mine > harbour/notes; fbc generate catalog config.yaml");
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(workplace.read("harbour/notes"), "mine\n");
    let forced = workplace.shell("fbc generate catalog config.yaml --force");
    let told = String::from_utf8(forced.stderr).unwrap();
    assert_eq!(forced.status.code(), Some(2));
    assert!(told.contains("harbour/notes is none of the files that this command writes"), "{told}");
    assert_eq!(workplace.read("harbour/notes"), "mine\n");
    let forced =
        workplace.shell("rm harbour/notes; fbc generate catalog config.yaml --force --dockerfile -o json");
    assert_eq!(forced.status.code(), Some(0), "{forced:?}");
    assert_eq!(
        workplace.files(),
        [
            "./config.yaml",
            "./harbour.Dockerfile",
            "./harbour/lighthouse/index.json",
            "./harbour/tide/index.json"
        ]
    );
    workplace.succeed("opm validate harbour");
}

/// `--force` never takes away what the command works with, even if it looks like its output.
#[test]
fn forced_catalog_leaves_its_sources_alone() {
    let workplace = Workplace::new("a: parts/tide\n");
    let sample = testdata().join("sample-catalog/tide-operator");
    workplace.succeed(&format!(
        "mkdir -p parts/tide map/x conf/x here repository/.git
        cp $FBC_IMAGE_MAP map.yaml; cp map.yaml map/x/index.yaml
        fbc render {} -o yaml > parts/tide/index.yaml
        printf 'name: harbour\nrepo: r\ntag: t\nreferences:\n- {{name: tide, image: a}}\n' > c.yaml
        cp c.yaml conf/x/index.yaml; echo x > repository/.git/HEAD",
        sample.display()
    ));
    let files = workplace.files();
    for (script, told) in [
        ("fbc generate catalog c.yaml --force --output-dir parts", "a reference (parts/tide) is in it"),
        (
            "fbc generate catalog c.yaml --force --output-dir map --image-map map/x/index.yaml",
            "the image map (map/x/index.yaml) is in it",
        ),
        (
            "fbc generate catalog conf/x/index.yaml --force --output-dir conf",
            "the configuration (conf/x/index.yaml) is in it",
        ),
        (
            "cd here; FBC_IMAGE_MAP=../map.yaml fbc generate catalog ../c.yaml --force --output-dir .",
            "the working directory (.) is in it",
        ),
        ("fbc generate catalog c.yaml --force --output-dir .", "c.yaml is none of the files"),
        (
            "fbc generate catalog c.yaml --force --output-dir repository",
            "repository/.git/HEAD is none of the files",
        ),
    ] {
        let output = workplace.shell(script);
        let found = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{script}: {found}");
        assert!(found.contains(told), "{script}: {found}");
        assert_eq!(workplace.files(), files, "{script}");
    }
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

/// Two references with the same package: opm would refuse the whole, so nothing is written.
#[test]
fn composed_catalog_must_be_valid() {
    let workplace = Workplace::new("a: TESTDATA/sample-catalog/tide-operator\n");
    let configuration =
        "name: twice\\nrepo: r\\ntag: t\\nreferences:\\n- {name: one, image: a}\\n- {name: two, image: a}\\n";
    let output = workplace.shell(&format!("printf '{configuration}' > c.yaml; fbc generate catalog c.yaml"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("twice/two/index.yaml:3:7: error[FBC013]"), "{told}");
    assert!(told.contains("nothing is written"), "{told}");
    assert_eq!(workplace.files(), ["./c.yaml"]);
    let output = workplace.shell("fbc generate catalog c.yaml --no-validate");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(workplace.files(), ["./c.yaml", "./twice/one/index.yaml", "./twice/two/index.yaml"]);
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

/// One contribution for two catalogs; a component that cannot be built keeps all of them from being written.
#[test]
fn composite_contribution() {
    let workplace = Workplace::new(BUNDLE_IMAGE);
    let builder = |schema: &str, input: &str| {
        format!(
            "strategy: {{template: {{schema: {schema}, config: {{input: {input}, output: catalog.yaml}}}}}}"
        )
    };
    workplace.succeed(&format!(
        "cat > catalogs.yaml <<'END'
schema: olm.composite.catalogs
catalogs:
- {{name: v4.18, destination: {{workingDir: out/v4.18}}, builders: [olm.builder.semver, olm.builder.custom]}}
- {{name: v4.19, destination: {{workingDir: out/v4.19}}, builders: [olm.builder.semver, olm.builder.raw]}}
END
        cat > semver.yaml <<'END'
schema: olm.semver
stable:
  bundles:
  - image: quay.io/example/lighthouse-operator-bundle:v1.2.0
END
        cat > good.yaml <<'END'
schema: olm.composite
components:
- name: v4.18
  destination: {{path: lighthouse}}
  {semver}
- name: v4.19
  destination: {{path: lighthouse}}
  {semver}
END
        cat > bad.yaml <<'END'
schema: olm.composite
components:
- name: v4.18
  destination: {{path: other}}
  {semver}
- name: v4.19
  destination: {{path: other}}
  {raw}
- name: v4.20
END
        cat > command.yaml <<'END'
schema: olm.composite
components:
- name: v4.18
  destination: {{path: made}}
  strategy: {{template: {{schema: olm.builder.custom, config: {{command: cat, args: [out/v4.18/lighthouse/catalog.yaml], output: c.yaml}}}}}}
END",
        semver = builder("olm.builder.semver", "semver.yaml"),
        raw = builder("olm.builder.raw", "nowhere.yaml"),
    ));
    workplace.succeed(
        "fbc template composite -c good.yaml -o yaml; opm validate out/v4.18; opm validate out/v4.19",
    );
    workplace.succeed("cmp out/v4.18/lighthouse/catalog.yaml out/v4.19/lighthouse/catalog.yaml");
    let output = workplace.shell("fbc template composite -c bad.yaml -o yaml");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("bad.yaml:9:9: building component \"v4.20\""), "{told}");
    assert!(told.contains("component \"v4.19\": cannot read nowhere.yaml"), "{told}");
    let output = workplace.shell("fbc template composite -c command.yaml -o yaml");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--allow-commands"));
    assert_eq!(workplace.files().iter().filter(|file| file.starts_with("./out/")).count(), 2);
    workplace.succeed(
        "fbc template composite -c command.yaml -o yaml --allow-commands
        cmp out/v4.18/made/c.yaml out/v4.18/lighthouse/catalog.yaml",
    );
}
