//! Where an image is pulled from, by `registries.conf` and mirror sets.

use std::fs;

use super::*;

fn read(configuration: &str, sets: &str) -> Result<Registries> {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("registries.conf");
    fs::write(&main, configuration).unwrap();
    let mut paths = RegistriesPaths { main: vec![main], ..RegistriesPaths::default() };
    if !sets.is_empty() {
        let file = folder.path().join("sets.yaml");
        fs::write(&file, sets).unwrap();
        paths.mirror_sets.push(file);
    }
    Registries::read(&paths)
}

fn places(registries: &Registries, text: &str) -> String {
    match registries.pull_endpoints(&Reference::parse(text).unwrap()) {
        Ok(endpoints) => endpoints
            .iter()
            .map(|endpoint| {
                let mark = if endpoint.security == Security::Unverified { "!" } else { "" };
                format!("{}{mark}", endpoint.reference.name())
            })
            .collect::<Vec<_>>()
            .join(" "),
        Err(error) => match error.problem {
            Problem::Blocked(_) => "blocked".to_owned(),
            other => other.to_string(),
        },
    }
}

fn pinned(name: &str) -> String {
    format!("{name}@sha256:{}", "a".repeat(64))
}

#[test]
fn registries_conf() {
    let registries = read(
        r#"
        [[registry]]
        prefix = "example.com/foo"
        location = "internal.io/bar/"
        insecure = true
        [[registry.mirror]]
        location = "m1.io/foo"
        [[registry.mirror]]
        location = "m2.io"
        insecure = true
        pull-from-mirror = "digest-only"
        [[registry.mirror]]
        location = "m3.io"
        pull-from-mirror = "tag-only"

        [[registry]]
        location = "example.com/foo/deep"
        mirror-by-digest-only = true
        [[registry.mirror]]
        location = "deep.io/x"

        [[registry]]
        prefix = "*.wild.io"
        location = "tame.io"

        [[registry]]
        prefix = "*.keep.io/ns"
        [[registry.mirror]]
        location = "m4.io/kept"

        [[registry]]
        location = "evil.io"
        blocked = true

        [[registry]]
        location = "half.io"
        blocked = true
        [[registry.mirror]]
        location = "good.io"
        [[registry.mirror]]
        location = "evil.io/mirror"
        "#,
        "",
    )
    .unwrap();
    for (reference, expected) in [
        ("other.io/a".to_owned(), "other.io/a"),
        ("example.com/foo/a:v1".to_owned(), "m1.io/foo/a m3.io/a internal.io/bar/a!"),
        (pinned("example.com/foo/a"), "m1.io/foo/a m2.io/a! internal.io/bar/a!"),
        ("example.com/foobar/a".to_owned(), "example.com/foobar/a"),
        ("example.com/foo/deep/a".to_owned(), "example.com/foo/deep/a"),
        (pinned("example.com/foo/deep/a"), "deep.io/x/a example.com/foo/deep/a"),
        ("a.b.wild.io/ns/a".to_owned(), "tame.io/ns/a"),
        ("wild.io/ns/a".to_owned(), "wild.io/ns/a"),
        ("x.keep.io/ns/a".to_owned(), "m4.io/kept/a x.keep.io/ns/a"),
        ("x.keep.io/nsx/a".to_owned(), "x.keep.io/nsx/a"),
        ("evil.io/a".to_owned(), "blocked"),
        ("half.io/a".to_owned(), "good.io/a"),
    ] {
        assert_eq!(places(&registries, &reference), expected, "{reference}");
    }
    let push = |text: &str| registries.push_endpoint(&Reference::parse(text).unwrap());
    assert_eq!(push("example.com/foo/a").unwrap().security, Security::Unverified);
    assert_eq!(push("example.com/foo/a").unwrap().reference.name(), "example.com/foo/a");
    assert!(matches!(push("evil.io/a").unwrap_err().problem, Problem::Blocked(_)));
}

#[test]
fn mirror_sets() {
    let sets = r#"
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: a}
spec:
  imageDigestMirrors:
  - source: registry.redhat.io/rhel
    mirrors: [local.io:5000/rhel, second.io/rhel]
  - source: registry.redhat.io/never
    mirrors: [local.io:5000/never]
    mirrorSourcePolicy: NeverContactSource
---
kind: ImageTagMirrorSet
spec:
  imageTagMirrors:
  - source: registry.redhat.io/rhel
    mirrors: [tags.io/rhel]
---
kind: ImageContentSourcePolicy
spec:
  repositoryDigestMirrors:
  - source: '*.quay.io'
    mirrors: [local.io/quay]
"#;
    let registries = read("", sets).unwrap();
    for (reference, expected) in [
        (
            pinned("registry.redhat.io/rhel/a"),
            "local.io:5000/rhel/a second.io/rhel/a registry.redhat.io/rhel/a",
        ),
        ("registry.redhat.io/rhel/a:1".to_owned(), "tags.io/rhel/a registry.redhat.io/rhel/a"),
        (pinned("registry.redhat.io/never/a"), "local.io:5000/never/a"),
        ("registry.redhat.io/never/a:1".to_owned(), "blocked"),
        (pinned("cdn.quay.io/a/b"), "local.io/quay/a/b cdn.quay.io/a/b"),
    ] {
        assert_eq!(places(&registries, &reference), expected, "{reference}");
    }
}

#[test]
fn short_names() {
    let resolve = |registries: &Registries, text: &str| match registries.resolve(text) {
        Ok(reference) => reference.to_string(),
        Err(error) => format!("{} | {}", error.problem, error.advice().unwrap_or_default()),
    };
    let none = Registries::default();
    assert_eq!(resolve(&none, "alpine"), "docker.io/library/alpine:latest");
    let one = read("unqualified-search-registries = ['quay.io']\n[aliases]\n'me/cat' = 'ghcr.io/me/cat'", "")
        .unwrap();
    assert_eq!(resolve(&one, "alpine:3"), "quay.io/alpine:3");
    assert_eq!(resolve(&one, "me/cat:v1"), "ghcr.io/me/cat:v1");
    assert_eq!(resolve(&one, "docker.io/me/cat:v1"), "docker.io/me/cat:v1");
    let two = read("unqualified-search-registries = ['quay.io', 'docker.io']", "").unwrap();
    assert_eq!(
        resolve(&two, "alpine"),
        "the short name is ambiguous; it could mean quay.io/alpine, docker.io/alpine | write the registry in front of \
         the name"
    );
}

#[test]
fn later_files_win() {
    let folder = tempfile::tempdir().unwrap();
    let drop_in = folder.path().join("d");
    fs::create_dir(&drop_in).unwrap();
    let main = folder.path().join("registries.conf");
    fs::write(&main, "[[registry]]\nlocation = 'a.io'\nblocked = true").unwrap();
    fs::write(drop_in.join("2.conf"), "[[registry]]\nprefix = 'a.io'\nlocation = 'second.io'").unwrap();
    fs::write(drop_in.join("1.conf"), "[[registry]]\nprefix = 'a.io'\nlocation = 'first.io'").unwrap();
    fs::write(drop_in.join("3.bak"), "not toml").unwrap();
    let missing = folder.path().join("none.conf");
    let paths = RegistriesPaths { main: vec![missing, main], drop_in: vec![drop_in], mirror_sets: vec![] };
    assert_eq!(places(&Registries::read(&paths).unwrap(), "a.io/x"), "second.io/x");
}

#[test]
fn damaged_files() {
    for (configuration, sets, expected) in [
        ("[registries.search]\nregistries = ['a.io']", "", "version 1"),
        ("[[registry]]\ninsecure = true", "", "neither `prefix` nor `location`"),
        ("[[registry]]\nlocation = 'https://a.io'", "", "begins with a scheme"),
        ("[[registry]]\nlocation = '*.a.io'", "", "is not a host"),
        ("[[registry]]\nlocation = 'a.io'\n[[registry.mirror]]\ninsecure = true", "", "has no `location`"),
        (
            "[[registry]]\nlocation = 'a.io'\n[[registry.mirror]]\nlocation = 'b'\npull-from-mirror = 'x'",
            "",
            "it may be all",
        ),
        ("x = [", "", "TOML"),
        ("", "kind: ConfigMap", "the kind is \"ConfigMap\""),
        ("", "kind: ImageTagMirrorSet", "names no source"),
        ("", "a: [", "did not find"),
        (
            "",
            "kind: ImageTagMirrorSet\nspec: {imageTagMirrors: [{source: a.io, mirrorSourcePolicy: No}]}",
            "AllowContactingSource",
        ),
    ] {
        let error = read(configuration, sets).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains(if sets.is_empty() { "registries.conf" } else { "sets.yaml" }), "{error}");
    }
}
