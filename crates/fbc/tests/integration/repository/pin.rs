//! `fbc pin` without a registry.

use super::sample::Sample;

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
    let (code, _, err) = sample.fbc(&["pin", "--map", "pins.yaml", "--tags"]);
    assert!(code == 2 && err.contains("cannot read pins.yaml"), "{err}");
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

#[test]
fn directories_are_searched_without_what_git_keeps() {
    let sample = Sample::new("directories");
    let template =
        "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: quay.io/me/beacon:v1\n";
    sample.write("clones/one/template.yaml", template);
    sample.write("clones/one/.git/config", "[core]\n\tbare = false\n");
    let (code, _, err) = sample.fbc(&["pin", "clones", "--check"]);
    assert!(
        code == 1 && err.contains("clones/one/template.yaml: quay.io/me/beacon:v1 is not pinned"),
        "{err}"
    );
    // Nothing to look at is not the same as nothing to do.
    sample.write("empty/.git/config", "[core]\n");
    for words in [&["pin", "empty", "--check"][..], &["pin", "empty"], &["pin", "clones", "empty", "--check"]]
    {
        let (code, _, err) = sample.fbc(words);
        assert!(code == 1 && err.contains("empty holds no catalog"), "{err}");
    }
}

#[test]
fn what_is_not_a_catalog_is_refused() {
    let sample = Sample::new("directories");
    for (name, text, expected) in [
        ("notes.md", "# Notes\n", "notes.md is neither a catalog nor a template"),
        ("broken.yaml", "schema: olm.semver\nstable:\n  bundles: x: 1\n", "broken.yaml:3: "),
    ] {
        sample.write(name, text);
        let (code, _, err) = sample.fbc(&["pin", name]);
        assert!(code == 2 && err.contains(expected), "{err}");
    }
}
