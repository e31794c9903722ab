//! Catalogs that are generated: from configurations, bundles and contributions.

use super::workplace::{BUNDLE_IMAGE, Workplace, testdata};

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
    assert!(told.contains("harbour/notes was not written by this command"), "{told}");
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
        ("fbc generate catalog c.yaml --force --output-dir .", "c.yaml was not written by this command"),
        (
            "fbc generate catalog c.yaml --force --output-dir repository",
            "repository/.git/HEAD was not written by this command",
        ),
    ] {
        let output = workplace.shell(script);
        let found = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{script}: {found}");
        assert!(found.contains(told), "{script}: {found}");
        assert_eq!(workplace.files(), files, "{script}");
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
