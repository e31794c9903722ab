//! Manifests lead clusters to the copies.

use fbc_registry::mirrors::RegistriesPaths;
use fbc_registry::{Reference, Registries};

use super::*;

/// With a policy in place of mirror sets.
const POLICIES: ManifestOptions =
    ManifestOptions { source_policy: true, catalog_reference: CatalogReference::Source };

/// Sources that the written sets do not lead to a copy of theirs: none, if the manifests are right.
///
/// A node asks the mirrors in their order and takes the first that has the image.
fn led_astray(copied: &[Copied], files: &[(String, Value)], prefix: &Prefix) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let sets = files.iter().filter(|(name, _)| name.ends_with("-oc-mirror.yaml"));
    let mirror_sets = sets.map(|(name, manifest)| {
        let path = folder.path().join(name);
        std::fs::write(&path, manifest.to_string()).unwrap();
        path
    });
    let paths = RegistriesPaths { mirror_sets: mirror_sets.collect(), ..RegistriesPaths::default() };
    let registries = Registries::read(&paths).unwrap();
    // What the destination has under a name by tag, or by digest.
    let holder = |asked: &Reference| {
        copied.iter().find(|one| {
            let is_there = asked.name() == prefix.below(&one.repository);
            let source = one.source();
            is_there
                && match asked.digest() {
                    Some(digest) => source.is_some_and(|source| source.digest() == Some(digest)),
                    None => asked.tag() == Some(&one.tag),
                }
        })
    };
    let sources = copied.iter().filter_map(Copied::source).filter(|source| {
        // Sets replace no tags.
        copied.iter().any(|one| one.source().as_ref() == Some(source) && keeps_tag(source, one))
    });
    let is_astray = |source: &Reference| {
        let endpoints = registries.pull_endpoints(source).unwrap();
        let found = endpoints.iter().find_map(|endpoint| holder(&endpoint.reference));
        found.and_then(Copied::source).as_ref() != Some(source)
    };
    sources.filter(is_astray).map(|source| source.to_string()).collect()
}

fn copied(source: &str, place: &str, catalog: Option<CatalogForm>) -> Copied {
    let (repository, tag) = place.rsplit_once(':').unwrap();
    Copied {
        source: (!source.is_empty()).then(|| source.to_owned()),
        repository: repository.to_owned(),
        tag: tag.to_owned(),
        digest: format!("sha256:{}", "b".repeat(64)),
        catalog,
        is_attached: false,
        is_carried: false,
    }
}

#[test]
fn every_copy_is_led_to() {
    let pinned = format!("quay.io/team/operator@sha256:{}", "a".repeat(64));
    let all = [
        copied(&pinned, "team/operator:sha256-aaaa", None),
        copied(
            "registry.redhat.io/redhat/redhat-operator-index:v4.19",
            "redhat/redhat-operator-index:v4.19",
            Some(CatalogForm::Built),
        ),
        copied("quay.io/team/index:v1", "elsewhere/index:v1", Some(CatalogForm::Whole)),
        copied("", "me/catalog:v1", Some(CatalogForm::Built)),
    ];
    let prefix = Prefix::parse("mirror.example:5000/copies").unwrap();
    let files = manifests(&all, &prefix, ManifestOptions::default(), &Written::default());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "idms-oc-mirror.yaml",
            "itms-oc-mirror.yaml",
            "cc-redhat-operator-index-v4-19.yaml",
            "cc-index-v1.yaml",
            "cs-index-v1.yaml",
            "cc-catalog-v1.yaml",
        ]
    );
    assert_eq!(led_astray(&all, &files, &prefix), Vec::<String>::new());
    let reference =
        |index: usize| files[index].1["spec"]["source"]["image"]["ref"].as_str().unwrap().to_owned();
    assert_eq!(reference(2), "registry.redhat.io/redhat/redhat-operator-index:v4.19");
    assert_eq!(reference(5), "mirror.example:5000/copies/me/catalog:v1");
}

#[test]
fn a_built_catalog_is_not_what_a_digest_means() {
    let source = format!("quay.io/team/index@sha256:{}", "a".repeat(64));
    let one = copied(&source, "team/index:sha256-0123456789abcdef", Some(CatalogForm::Built));
    let prefix = Prefix::parse("mirror.example").unwrap();
    let files = manifests(&[one], &prefix, POLICIES, &Written::default());
    assert_eq!(files[0].1["kind"], "ImageContentSourcePolicy");
    assert_eq!(files[1].1["metadata"]["name"], "cc-index-0123456789ab");
    assert_eq!(
        files[1].1["spec"]["source"]["image"]["ref"],
        "mirror.example/team/index:sha256-0123456789abcdef"
    );
}

#[test]
fn catalogs_of_one_name_are_told_apart() {
    let of = |place: &str| copied("", place, Some(CatalogForm::Built));
    let all = [of("a/b/index:v1"), of("a-b/index:v1"), of("a/other:v1"), of("c/index:v1")];
    let prefix = Prefix::parse("mirror.example").unwrap();
    let names = names(&all.iter().collect::<Vec<_>>(), &prefix, &Written::default());
    assert_eq!(names, ["a-b-index-v1", "a-b-index-v1-2", "other-v1", "c-index-v1"]);
}

#[test]
fn names_are_labels() {
    let of = |place: &str| copied("", place, Some(CatalogForm::Whole));
    let long = "a-team-with-a-name/that-nobody-would-want-to-write-twice/my-operator-fbc-v4-18-catalog-of-everything";
    let all = [
        of("tenant/my-operator-fbc-v4-18-catalog:af3c1b2d4e5f60718293a4b5c6d7e8f901234567"),
        of("tenant/my-operator-fbc-v4-18-catalog:bf3c1b2d4e5f60718293a4b5c6d7e8f901234567"),
        of("x/index:on-pr-af3c1b2d4e5f60718293a4b5c6d7e8f901234567-and-something-more-behind-it"),
        of(&format!("{long}:v1")),
        of(&format!("{long}:v2")),
        of(&format!("x/{long}:v1")),
        of("x/_y_:_v1_"),
    ];
    let prefix = Prefix::parse("mirror.example").unwrap();
    let names = names(&all.iter().collect::<Vec<_>>(), &prefix, &Written::default());
    assert_eq!(names[0], "my-operator-fbc-v4-18-catalog-af3c1b2d4e5f");
    assert_eq!(names[1], "my-operator-fbc-v4-18-catalog-bf3c1b2d4e5f");
    let different: BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), all.len(), "{names:?}");
    for name in &names {
        for name in [format!("cc-{name}"), format!("cs-{name}")] {
            let is_label = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(name.len() <= 63 && name.bytes().all(is_label) && !name.ends_with('-'), "{name}");
        }
    }
}

#[test]
fn what_runs_no_program_has_no_catalog_source() {
    let one = copied("quay.io/team/index:v1", "team/index:v1", Some(CatalogForm::Bare));
    let prefix = Prefix::parse("mirror.example").unwrap();
    let files = manifests(&[one], &prefix, ManifestOptions::default(), &Written::default());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["itms-oc-mirror.yaml", "cc-index-v1.yaml"]);
}

#[test]
fn a_policy_redirects_digests_alone() {
    let pinned = format!("quay.io/team/operator@sha256:{}", "a".repeat(64));
    let all = [
        copied(&pinned, "team/operator:sha256-aaaa", None),
        copied("quay.io/other/thing:v1", "other/thing:v1", None),
        copied("quay.io/team/index:v1", "team/index:v1", Some(CatalogForm::Whole)),
    ];
    let prefix = Prefix::parse("mirror.example").unwrap();
    let files = manifests(&all, &prefix, POLICIES, &Written::default());
    let entries = files[0].1["spec"]["repositoryDigestMirrors"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(files[1].1["spec"]["source"]["image"]["ref"], "mirror.example/team/index:v1");
}

#[test]
fn of_copies_of_one_source_the_one_with_its_name_is_found() {
    let index = "quay.io/team/index:v1";
    let all = [
        copied(index, "a/small:v1", Some(CatalogForm::Built)),
        copied(index, "team/index:v1", Some(CatalogForm::Whole)),
        copied("quay.io/team/tool:v1", "tools/tool:v2", None),
    ];
    let prefix = Prefix::parse("mirror.example").unwrap();
    let files = manifests(&all, &prefix, ManifestOptions::default(), &Written::default());
    let expected = json!([
        {"source": "quay.io/team/index", "mirrors": ["mirror.example/team/index", "mirror.example/a/small"]},
    ]);
    assert_eq!(
        files[0].1["spec"]["imageTagMirrors"], expected,
        "tags are not replaced, so there is no rule for the tool"
    );
    let reference = |file: usize| files[file].1["spec"]["source"]["image"]["ref"].clone();
    assert_eq!(reference(1), "mirror.example/a/small:v1");
    assert_eq!(reference(2), index);
}

#[test]
fn no_rule_hides_another() {
    let pinned = format!("quay.io/team/index@sha256:{}", "a".repeat(64));
    let all = [
        copied(&pinned, "team/index:sha256-aaaa", None),
        copied("quay.io/team/index:v1", "a/small:v1", Some(CatalogForm::Built)),
        copied("quay.io/team/index/deep:v1", "team/index/deep:v1", None),
    ];
    let prefix = Prefix::parse("mirror.example").unwrap();
    let files = manifests(&all, &prefix, ManifestOptions::default(), &Written::default());
    let digests = json!([
        {"source": "quay.io/team", "mirrors": ["mirror.example/team"]},
        {"source": "quay.io/team/index", "mirrors": ["mirror.example/team/index", "mirror.example/a/small"]},
    ]);
    assert_eq!(files[0].1["spec"]["imageDigestMirrors"], digests);
    assert_eq!(led_astray(&all, &files, &prefix), Vec::<String>::new());
}

#[test]
fn a_second_run_keeps_what_the_first_one_leads_to() {
    let pinned = |name: &str, digit: &str| format!("quay.io/{name}@sha256:{}", digit.repeat(64));
    let first = [
        copied(&pinned("team/op", "a"), "team/op:sha256-aaaa", None),
        copied(&pinned("team/index", "b"), "team/index:sha256-bbbb", None),
        copied("quay.io/team/index:v1", "team/index:v1", Some(CatalogForm::Whole)),
    ];
    let second = [
        copied(&pinned("other/op", "c"), "other/op:sha256-cccc", None),
        // A rule for this repository hides that for its namespace.
        copied(&pinned("team/index", "d"), "a/small:sha256-dddd", None),
        copied("quay.io/other/index:v1", "other/index:v1", Some(CatalogForm::Built)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let run = |copied: &[Copied], prefix: &Prefix, options: ManifestOptions| {
        let written = Written::read(folder.path()).unwrap();
        let files = manifests(copied, prefix, options, &written);
        for (name, manifest) in &files {
            std::fs::write(folder.path().join(name), manifest.to_string()).unwrap();
        }
        files
    };
    let prefix = Prefix::parse("mirror.example/x").unwrap();
    let names = |files: &[(String, Value)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).filter(|name| name.starts_with("cc-")).collect()
    };
    let before = run(&first, &prefix, ManifestOptions::default());
    let files = run(&second, &prefix, ManifestOptions::default());
    let all: Vec<Copied> = first.iter().chain(&second).cloned().collect();
    assert_eq!(led_astray(&all, &files, &prefix), Vec::<String>::new());
    // Catalogs of one name are told apart, and each run finds its own again.
    assert_eq!(names(&before), ["cc-index-v1.yaml"]);
    assert_eq!(names(&files), ["cc-other-index-v1.yaml"]);
    let mirror =
        ManifestOptions { catalog_reference: CatalogReference::Mirror, ..ManifestOptions::default() };
    assert_eq!(names(&run(&first, &prefix, mirror)), ["cc-index-v1.yaml"]);
    assert_eq!(names(&run(&second, &prefix, mirror)), ["cc-other-index-v1.yaml"]);
    // Somebody else's file is not replaced.
    std::fs::write(folder.path().join("itms-oc-mirror.yaml"), "kind: ConfigMap\n").unwrap();
    let told = Written::read(folder.path()).err().unwrap();
    assert!(told.message().ends_with("is not what `fbc mirror` writes: its kind is not ImageTagMirrorSet"));
}
