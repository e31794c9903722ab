//! Entries of `fbc.toml`, and what is wrong with some.

use std::path::Path;

use toml::de::DeTable;

use super::*;

const V18: Option<OpenShiftRelease> = Some(OpenShiftRelease::new(4, 18));

fn faults(text: &str) -> Vec<String> {
    let table = DeTable::parse(text).unwrap();
    entries(table.get_ref()).1.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn an_entry_for_many_releases() {
    let all = entries_of(
        "[[catalogs]]\npath = \"./v{ocp}/catalog/\"\nocp = [\"4.14..4.16\", \"5.0\"]\ntemplate = \"template.yaml\"\n\
         file = \"a/catalog.json\"\ndockerfile = \"v{ocp}/Dockerfile\"\nbase-image = \"r/o{major}/x:v{ocp}\"\n\
         mirrors = {\"quay.io/a\" = \"r/a\"}\n[[catalogs.releases]]\nocp = [\"4.14\"]\nbase-image = \"r/old:v{ocp}\"\n\
         heads = {stable = \"a.v1\"}\nwithout-channels = [\"x\"]\n",
    );
    let [entry] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(entry.cells().len(), 4);
    let old = entry.place(Some(OpenShiftRelease::new(4, 14)));
    assert_eq!(old.path, Path::new("v4.14/catalog"));
    assert_eq!(old.images[0].base.as_deref(), Some("r/old:v4.14"));
    assert_eq!(old.templates[0].output.as_deref(), Some(Path::new("v4.14/catalog/a/catalog.json")));
    let new = entry.place(Some(OpenShiftRelease::new(5, 0)));
    assert_eq!(new.images[0].base.as_deref(), Some("r/o5/x:v5.0"));
}

#[test]
fn levels_of_releases() {
    assert_eq!(migrate_level(None), MigrateLevel::None);
    assert_eq!(migrate_level(Some(OpenShiftRelease::new(4, 16))), MigrateLevel::None);
    assert_eq!(migrate_level(V18), MigrateLevel::BundleObjectToCsvMetadata);
    assert_eq!(migrate_level(Some(OpenShiftRelease::new(5, 0))), MigrateLevel::BundleObjectToCsvMetadata);
}

#[test]
fn ranges() {
    let minors = |text| range(text).map(|all| all.iter().map(|one| one.minor).collect::<Vec<_>>());
    assert_eq!(minors("4.14..4.16"), Some(vec![14, 15, 16]));
    assert_eq!(minors("v4.18"), Some(vec![18]));
    for text in ["4.16..4.14", "4.16..5.0", "4", "10.16", "4.1..4.4000000"] {
        assert_eq!(minors(text), None, "{text}");
    }
}

#[test]
fn names_that_are_longer_than_any() {
    let text =
        |length| format!("[[catalogs]]\npath = \"x\"\nmirrors = {{\"a\" = \"{}\"}}", "b".repeat(length));
    assert_eq!(faults(&text(4096)), [""; 0]);
    assert_eq!(faults(&text(4097)).len(), 1);
}

#[test]
fn mistakes() {
    for (text, expected) in [
        ("catalogs = 1", "`catalogs` is not a list of tables"),
        ("[[catalogs]]\nocp = [\"4.18\"]", "an entry of `catalogs` has no `path`"),
        ("[[catalogs]]\npath = \"../x\"", "`path` is not a path in the repository"),
        ("[[catalogs]]\npath = \"/x\"", "`path` is not a path in the repository"),
        ("[[catalogs]]\npath = \"{ocp\"", "`path` is not a path in the repository"),
        ("[[catalogs]]\npath = \"{ocp}\"", "`path` depends on the release, and the entry names none"),
        ("[[catalogs]]\npath = \"x\"\nocp = [\"10.16\"]", "`ocp` is not a list of releases"),
        ("[[catalogs]]\npath = \"x\"\nlayout = \"other\"", "`layout` is not \"file\" or \"split\""),
        ("[[catalogs]]\npath = \"x\"\npats = 1", "unknown key `pats` in an entry of `catalogs`"),
        (
            "[[catalogs]]\npath = \"x\"\n[[catalogs.releases]]\nocp = [\"4.14\"]\nversions = \"0.8-0.9\"",
            "`versions` is not a range of versions",
        ),
        ("[[catalogs]]\npath = \"x\"\nicon = \"/etc/passwd\"", "`icon` is not a path in the repository"),
        ("[[catalogs]]\npath = \"x\"\ncut-replaces = 1", "`cut-replaces` is not true or false"),
        (
            "[[catalogs]]\npath = \"x\"\n[[catalogs.releases]]\nheads = {}",
            "an entry of `catalogs.releases` has no `ocp`",
        ),
    ] {
        let found = faults(text);
        assert!(found.first().is_some_and(|fault| fault.starts_with(expected)), "{text}: {found:?}");
    }
}
