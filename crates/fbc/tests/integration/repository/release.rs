//! `fbc repository release`.

use super::sample::{Sample, copy};

#[test]
fn a_bundle_is_released_to_templates_and_catalogs() {
    let sample = Sample::new("operators");
    let directory = "operators/beacon-operator/9.0.0";
    copy(&fbc_testing::testdata("beacon-bundle"), &sample.path(directory));
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
