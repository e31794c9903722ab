//! `fbc generate` and `fbc render --ocp`.

use super::sample::Sample;

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
        code == 0
            && err.contains("wrote catalog-4-17/channels/channel-stable.yaml")
            && !err.contains("bundle-v1.0.0"),
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
    // The later bundle is only there without its manifests, so 4.16 cannot have it from there, and 4.17 can.
    let (code, out, err) = sample.fbc(&["render", "template.yaml", "--ocp", "4.16"]);
    assert!(code > 0 && out.is_empty() && err.contains("sha256:2222"), "{out}{err}");
    let (code, out, err) = sample.fbc(&["render", "template.yaml", "--ocp", "4.17"]);
    assert!(code == 0 && out.contains("olm.csv.metadata"), "{out}{err}");
}

#[test]
fn a_release_has_versions_of_its_own() {
    let sample = Sample::new("matrix");
    let configuration = sample.text("fbc.toml");
    let heads = "heads = { stable = \"beacon-operator.v1.0.0\" }";
    sample.write("fbc.toml", &configuration.replace(heads, "versions = \"<1.1.0\""));
    let (code, _, err) = sample.fbc(&["generate", "--check", "--ocp", "4.16"]);
    assert_eq!(code, 0, "{err}");
    // Without its first bundle the other one leads nowhere, or to what older catalogs have.
    for (keys, replaces) in [("versions = \">=1.1.0\"", true), ("versions = \">=1.1.0\"", false)] {
        let text = configuration.replace(heads, keys);
        let cut = if replaces { "" } else { "cut-replaces = true\n" };
        sample.write("fbc.toml", &text.replacen("[[catalogs]]\n", &format!("[[catalogs]]\n{cut}"), 1));
        let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.16"]);
        assert_eq!(code, 0, "{err}");
        let catalog = sample.text("catalog/v4.16/beacon-operator/catalog.yaml");
        assert_eq!(catalog.contains("replaces: beacon-operator.v1.0.0"), replaces, "{catalog}");
        assert!(!catalog.contains("name: beacon-operator.v1.0.0"), "{catalog}");
    }
    // What is left must be a catalog.
    for (keys, part) in [
        ("versions = \">=2.0.0\"", "the catalog of OpenShift 4.16 would not be valid"),
        ("without-channels = [\"stable\"]", "the catalog of OpenShift 4.16 would not be valid"),
        ("without-bundles = [\"other\"]", "is to do without bundle \"other\""),
        ("versions = \"new\"", "`versions` is not a range of versions"),
    ] {
        sample.write("fbc.toml", &configuration.replace(heads, keys));
        let before = sample.text("catalog/v4.16/beacon-operator/catalog.yaml");
        let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.16"]);
        assert!(code > 0 && err.contains(part), "{keys}: {err}");
        assert_eq!(sample.text("catalog/v4.16/beacon-operator/catalog.yaml"), before);
    }
}

#[test]
fn the_icon_comes_from_a_file() {
    let sample = Sample::new("matrix");
    let configuration = sample.text("fbc.toml");
    let with = |path: &str| configuration.replace("template =", &format!("icon = \"{path}\"\ntemplate ="));
    sample.write("fbc.toml", &with("beacon.svg"));
    let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.17"]);
    assert!(code == 2 && err.contains("beacon.svg"), "{err}");
    sample.write("beacon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.17"]);
    assert_eq!(code, 0, "{err}");
    let catalog = sample.text("catalog/v4.17/beacon-operator/catalog.yaml");
    assert!(catalog.contains("base64data: PHN2Z") && catalog.contains("image/svg+xml"), "{catalog}");
    assert_eq!(sample.fbc(&["generate", "--ocp", "4.17", "--check"]).0, 0);
    sample.write("beacon.svg", "no picture");
    let (code, _, err) = sample.fbc(&["generate", "--ocp", "4.17"]);
    assert!(code == 2 && err.contains("beacon.svg is not an image"), "{err}");
}

#[test]
fn a_check_goes_on_behind_a_bundle_that_cannot_be_pulled() {
    let sample = Sample::new("matrix");
    let template = sample.text("template.yaml");
    sample.write("template.yaml", &template.replace("@sha256:2222", "@sha256:3322"));
    let (code, _, err) = sample.fbc(&["generate", "--check"]);
    assert_eq!(code, 1, "{err}");
    for release in ["4.17", "4.18"] {
        let line = err.lines().find(|line| line.starts_with(&format!("OpenShift {release}: "))).unwrap();
        assert!(line.contains("@sha256:3322") && line.contains("which it does not hold"), "{line}");
    }
    // A tag says nothing of what the catalogs hold.
    let tagged = |text: &str| {
        let image = text.lines().find(|line| line.contains("@sha256:2222")).unwrap();
        let (name, _) = image.split_once("@sha256:").unwrap();
        text.replace(image, &format!("{name}:latest"))
    };
    sample.write("template.yaml", &tagged(&template));
    let (code, _, err) = sample.fbc(&["generate", "--check"]);
    assert!(code == 2 && err.contains("is not known"), "{code}: {err}");
}

#[test]
fn files_beside_a_generated_catalog_are_noticed() {
    let sample = Sample::new("matrix");
    assert_eq!(sample.fbc(&["generate"]).0, 0);
    assert_eq!(sample.fbc(&["generate", "--check"]).0, 0);
    sample.write("catalog/v4.17/beacon-operator/old.yaml", "schema: olm.package\nname: beacon-operator\n");
    let (code, _, err) = sample.fbc(&["generate", "--check"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("catalog/v4.17/beacon-operator/old.yaml lies beside a generated catalog"), "{err}");
}
