//! A user and password of the command line go to the registry that the command line names, and to no other.

use std::fs;

use super::support::{Place, done, refused, registry_with_catalog, testdata};
use fbc_testing::registry::Registry;

/// `me:secret`
const ME: &str = "Basic bWU6c2VjcmV0";
/// `you:hidden`
const YOU: &str = "Basic eW91OmhpZGRlbg==";

/// A registry that asks everybody who they are, and lets one in.
fn closed(registry: &Registry, wanted: &str) {
    let mut state = registry.state.lock().unwrap();
    state.wanted = Some(wanted.to_owned());
    state.challenge = "Basic realm=\"r\"".to_owned();
}

/// The sample catalog with an image of a stranger's registry among those that bundles need.
pub(crate) fn catalog_naming(place: &Place, image: &str) {
    let bundle = format!(
        "schema: olm.package\nname: a\ndefaultChannel: b\n---\nschema: olm.channel\nname: b\npackage: a\n\
         entries:\n- name: a.v1\n---\nschema: olm.bundle\nname: a.v1\npackage: a\nimage: {image}\n\
         properties:\n- type: olm.package\n  value: {{packageName: a, version: 1.0.0}}\n"
    );
    place.write("catalog/catalog.yaml", bundle);
}

#[test]
fn content_gets_no_credentials_of_the_command_line() {
    let place = Place::new();
    let (mine, evil) = (Registry::in_thread(), Registry::in_thread());
    closed(&evil, ME);
    let image = format!("{}/evil/image:1", evil.host);
    catalog_naming(&place, &image);
    let catalog = format!("{}/me/catalog:v1", mine.host);
    done(place.plain(&["build", "catalog", "--push", "-q", "-t", &catalog]));
    closed(&mine, ME);
    let to = format!("{}/mirror", mine.host);
    let (cache, me) = (place.path().join("cache"), ["--creds", "me:secret", "--retry", "0"]);
    for (arguments, code) in [
        (vec!["images", &catalog, "--digests"], 1),
        (vec!["validate", &catalog, "--check-images", "--deny-warnings"], 1),
        (vec!["mirror", &catalog, "--to", &to], 2),
    ] {
        refused(&place.plain(&[&arguments[..], &me].concat()), code);
        let seen = evil.log();
        assert!(!seen.iter().any(|line| line.contains("Basic")), "{arguments:?}: {seen:?}");
        assert!(!seen.is_empty(), "{arguments:?} asked nobody");
        assert!(mine.log().iter().any(|line| line.contains(ME)), "{arguments:?}");
        fs::remove_dir_all(&cache).unwrap_or_default();
    }
}

#[test]
fn a_login_without_one_registry_is_refused() {
    let place = Place::new();
    let image = "registry.test/a:1";
    let template = format!("schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: {image}\n");
    place.write("template.yaml", template);
    let told = refused(&place.plain(&["template", "render", "template.yaml", "--creds", "a:b"]), 2);
    assert!(told.contains("--creds is for an image on the command line, and none is named there"), "{told}");
    let told = refused(&place.plain(&["push", image, "-t", "other.test/a:1", "--creds", "a:b"]), 2);
    assert!(
        told.contains("several: other.test, registry.test") && told.contains("--src-creds and --dest-creds"),
        "{told}"
    );
    let both = ["push", image, "-t", "other.test/a:1", "--creds", "a:b", "--src-creds", "a:b"];
    assert!(refused(&place.plain(&both), 2).contains("cannot be used with"));
}

#[test]
fn a_copy_has_a_user_at_each_end() {
    let place = Place::new();
    let (from, image, digest) = registry_with_catalog(&place);
    let to = Registry::in_thread();
    closed(&from, ME);
    closed(&to, YOU);
    let tag = format!("{}/a/b:1", to.host);
    let logins = ["--src-creds", "me:secret", "--dest-creds", "you:hidden"];
    assert_eq!(
        done(place.plain(&[&["push", &image, "-t", &tag, "-q"][..], &logins].concat())).trim(),
        digest
    );
    // One registry with two users: each has its repository.
    let sample = testdata("sample-catalog");
    let prefix = format!("{}/c", to.host);
    let mirror = ["mirror", &sample, "--to", &prefix, "--target-catalog", "d:1", "-p", "harbour", "-q"];
    let _ = place.plain(&[&mirror[..], &["--dest-creds", "you:hidden", "--retry", "0"]].concat());
    assert!(!from.log().iter().chain(&to.log()).any(|line| line.contains(ME) && line.contains("/c/")));
}
