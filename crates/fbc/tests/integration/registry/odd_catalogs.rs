//! Mirrors of catalogs that are not as they should be, to registries that are not like others.

use std::fs;

use fbc_testing::registry::{Habits, Registry};

use super::support::{Place, done, refused, text};

/// A package with two channels; its bundle needs a related image.
fn package(registry: &Registry, name: &str, related: &str) -> String {
    let host = &registry.host;
    format!(
        "schema: olm.package\nname: {name}\ndefaultChannel: stable\n---\n\
         schema: olm.channel\npackage: {name}\nname: stable\nentries: [{{name: {name}.v1.0.0}}]\n---\n\
         schema: olm.channel\npackage: {name}\nname: fast\nentries: [{{name: {name}.v1.0.0}}]\n---\n\
         schema: olm.bundle\nname: {name}.v1.0.0\npackage: {name}\nimage: {host}/team/bundle:v1\n\
         properties: [{{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}]\n\
         relatedImages: [{{name: x, image: '{related}'}}]\n"
    )
}

/// A registry with a bundle, and a catalog for each related image.
fn registry_with(place: &Place, related: &[&str]) -> (Registry, Vec<String>) {
    let registry = Registry::in_thread();
    let bundle = format!("{}/team/bundle:v1", registry.host);
    place.write("bundle/catalog.yaml", package(&registry, "any", &bundle));
    done(place.plain(&["build", "bundle", "--push", "-q", "-t", &bundle]));
    let catalogs = related.iter().enumerate().map(|(number, related)| {
        let (folder, image) = (format!("c{number}"), format!("{}/team/index:v{number}", registry.host));
        let related = related.replace("HOST", &registry.host);
        place.write(&format!("{folder}/catalog.yaml"), package(&registry, "operator", &related));
        done(place.plain(&["build", &folder, "--no-validate", "--push", "-q", "-t", &image]));
        image
    });
    let catalogs = catalogs.collect();
    (registry, catalogs)
}

#[test]
fn what_nobody_can_pull_concerns_its_bundle_alone() {
    let place = Place::new();
    let (_registry, catalogs) = registry_with(&place, &["oci://quay.io/a/b:v1"]);
    let destination = Registry::in_thread();
    let has_index = |prefix: &str| {
        let name = format!("{prefix}/team/index:v0");
        destination.state.lock().unwrap().manifests.contains_key(&name)
    };
    let run = |prefix: &str, more: &[&str]| {
        let to = format!("{}/{prefix}", destination.host);
        place.plain(&[&["mirror", "--to", &to, "--manifests", prefix, "--retry", "0"], more].concat())
    };
    let told = refused(&run("plain", &[&catalogs[0]]), 1);
    let needs = format!("bundle \"operator.v1.0.0\" of package \"operator\" in {} needs it", catalogs[0]);
    assert!(told.contains("error: oci://quay.io/a/b:v1: ") && told.contains(&needs), "{told}");
    let log = fs::read_to_string(place.path().join("plain/mirror-errors.txt")).unwrap();
    assert!(log.starts_with("oci://quay.io/a/b:v1: ") && log.contains(&needs), "{log}");
    assert!(has_index("plain"));
    let output = run("skipped", &[&catalogs[0], "--skip-missing"]);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("warning: oci://quay.io/a/b:v1 is left out: ") && told.contains(&needs), "{told}");
    assert!(has_index("skipped"));
    let set = format!(
        "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators: [{{catalog: '{}', \
         full: true}}]\n  blockedImages: [{{name: '^oci:'}}]\n",
        catalogs[0]
    );
    place.write("set.yaml", set);
    done(run("blocked", &["--config", "set.yaml"]));
    assert!(has_index("blocked") && !place.path().join("blocked/mirror-errors.txt").exists());
}

#[test]
fn catalogs_are_withheld_one_by_one() {
    let place = Place::new();
    let (_registry, catalogs) = registry_with(&place, &["HOST/team/gone:v1", "HOST/team/bundle:v1"]);
    let destination = Registry::in_thread();
    let to = format!("{}/m", destination.host);
    let run = ["mirror", &catalogs[0], &catalogs[1], "--to", &to, "--retry", "0"];
    let told = refused(&place.plain(&run), 1);
    assert!(told.contains(&format!("of package \"operator\" in {} needs it", catalogs[0])), "{told}");
    assert!(told.contains("1 catalog not copied, because images are missing"), "{told}");
    let manifests = |name: &str| destination.state.lock().unwrap().manifests.contains_key(name);
    assert!(!manifests("m/team/index:v0") && manifests("m/team/index:v1"));
    let log = fs::read_to_string(place.path().join("mirror-manifests/mirror-errors.txt")).unwrap();
    assert_eq!(log.matches("not copied, because images are missing").count(), 1, "{log}");
}

#[test]
fn tags_that_stay_take_the_same_image_twice() {
    let place = Place::new();
    let (_registry, catalogs) = registry_with(&place, &["HOST/team/bundle:v1"]);
    let destination = Registry::in_thread();
    destination.state.lock().unwrap().habits = Habits { keeps_tags: true, ..Habits::default() };
    let to = format!("{}/m", destination.host);
    for (manifests, expected) in
        [("first", "copied 2 images: "), ("second", "copied 0 images, 2 there already: 0 blobs sent")]
    {
        let output = place.plain(&["mirror", &catalogs[0], "--to", &to, "--manifests", manifests]);
        let told = text(&output.stderr);
        done(output);
        assert!(told.contains(expected), "{told}");
        // The image runs no program, so there is no CatalogSource.
        let mut names: Vec<String> = fs::read_dir(place.path().join(manifests))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["cc-index-v0.yaml", "itms-oc-mirror.yaml"]);
    }
}

#[test]
fn destinations_and_images_as_others_write_them() {
    let place = Place::new();
    let (registry, catalogs) = registry_with(&place, &["HOST/team/bundle:v1"]);
    let carried = format!("file://{}", place.path().join("carried").display());
    done(place.plain(&["mirror", &catalogs[0], "--to-dir", &carried]));
    assert!(place.path().join("carried/mirror.json").exists());
    let destination = Registry::in_thread();
    let to = format!("docker://{}/m", destination.host);
    done(place.plain(&["mirror", "--from-dir", &carried, "--to", &to]));
    let told = refused(&place.plain(&["mirror", &catalogs[0], "--to", &carried]), 2);
    assert!(told.contains("is a directory, not a registry; write `--to-dir "), "{told}");
    let told = refused(&place.plain(&["mirror", &catalogs[0], "--to-dir", &to]), 2);
    assert!(told.contains("is not a directory; --to takes a registry"), "{told}");
    let bundle = format!("{}/team/bundle", registry.host);
    let digest = done(place.plain(&["pull", &format!("{bundle}:v1"), "oci:pulled", "-q"]));
    let image = format!("{bundle}:mine@{}", digest.trim());
    done(place.plain(&["mirror", "--image", &image, "--to", &to]));
    assert!(destination.state.lock().unwrap().manifests.contains_key("m/team/bundle:mine"));
    done(place.plain(&["build", "bundle", "--to", "oci:Layout:v1", "-q"]));
    let planned = done(place.plain(&["mirror", "oci://Layout:v1", "--to", &to, "--dry-run"]));
    assert!(planned.contains(&format!("oci:Layout:v1 -> {}/m/layout:latest", destination.host)), "{planned}");
}

#[test]
fn paths_are_shortened_where_a_registry_wants_it() {
    let place = Place::new();
    let (registry, catalogs) = registry_with(&place, &["HOST/team/bundle:v1"]);
    let destination = Registry::in_thread();
    let to = format!("{}/m", destination.host);
    let run = ["mirror", &catalogs[0], "--to", &to, "--max-nested-paths", "2"];
    done(place.plain(&run));
    for name in ["m/team-bundle:v1", "m/team-index:v0"] {
        assert!(destination.state.lock().unwrap().manifests.contains_key(name), "{name}");
    }
    let sets = fs::read_to_string(place.path().join("mirror-manifests/itms-oc-mirror.yaml")).unwrap();
    for name in ["bundle", "index"] {
        assert!(sets.contains(&format!("source: {}/team/{name}", registry.host)), "{sets}");
        assert!(sets.contains(&format!("{to}/team-{name}")), "{sets}");
    }
    let image = format!("{}/team-bundle:v1", registry.host);
    let single =
        ["mirror", &catalogs[0], "--image", &image, "--to", &to, "--max-nested-paths", "2", "--dry-run"];
    let told = refused(&place.plain(&single), 2);
    assert!(told.contains("would both become"), "{told}");
}

#[test]
fn default_channels_are_chosen_where_the_selection_is() {
    let place = Place::new();
    let (registry, catalogs) = registry_with(&place, &["HOST/team/bundle:v1"]);
    let run = |more: &[&str]| place.plain(&[&["mirror", "--to", &registry.host, "--dry-run"], more].concat());
    let flags = [catalogs[0].as_str(), "-p", "operator:fast", "--target-catalog", "small:v1"];
    let told = refused(&run(&flags), 1);
    assert!(told.contains("as with `--default-channel operator=fast`"), "{told}");
    done(run(&[&flags[..], &["--default-channel", "operator=fast"]].concat()));
    let set = format!(
        "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: '{}'\n    \
         targetCatalog: small\n    packages: [{{name: operator, channels: [{{name: fast}}]}}, {{name: gone}}]\n",
        catalogs[0]
    );
    place.write("set.yaml", &set);
    let told = refused(&run(&["--config", "set.yaml"]), 1);
    assert!(told.contains("as with `defaultChannel: fast` beside `name: operator`"), "{told}");
    place.write("set.yaml", set.replace("name: operator,", "name: operator, defaultChannel: fast,"));
    let output = run(&["--config", "set.yaml"]);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("there is no package \"gone\"; the rest is copied"), "{told}");
}

#[test]
fn a_registry_of_dockers_gets_what_is_built_for_it() {
    let place = Place::new();
    let (registry, _) = registry_with(&place, &["HOST/team/bundle:v1"]);
    let destination = Registry::in_thread();
    destination.state.lock().unwrap().habits = Habits { is_dockers: true, ..Habits::default() };
    let image = format!("{}/team/bundle:v1", destination.host);
    let told = refused(&place.plain(&["build", "bundle", "--push", "-t", &image]), 2);
    assert!(told.contains("MANIFEST_INVALID") && told.contains("--format docker"), "{told}");
    done(place.plain(&["build", "bundle", "--format", "docker", "--push", "-q", "-t", &image]));
    // A catalog whose images are there already.
    let catalog = package(&registry, "operator", &image).replace(&registry.host, &destination.host);
    place.write("built/catalog.yaml", catalog);
    done(place.plain(&["mirror", "built", "--target-catalog", "me/index:v1", "--to", &destination.host]));
    let state = destination.state.lock().unwrap();
    assert_eq!(state.manifests["me/index:v1"].0, "application/vnd.docker.distribution.manifest.v2+json");
    drop(state);
    let packages = done(place.plain(&["list", "packages", &format!("{}/me/index:v1", destination.host)]));
    assert!(packages.contains("operator"), "{packages}");
}

#[test]
fn a_catalog_takes_the_place_of_that_of_its_base() {
    let place = Place::new();
    let (registry, catalogs) = registry_with(&place, &["HOST/team/bundle:v1"]);
    let build = |folder: &str, tag: &str, more: &[&str]| {
        let image = format!("{}/team/new:{tag}", registry.host);
        let arguments = ["build", folder, "--base", &catalogs[0], "--push", "-t", &image];
        (place.plain(&[&arguments[..], more].concat()), image)
    };
    let packages = |image: &str| {
        let listed = done(place.plain(&["list", "packages", image]));
        let names = listed.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let (output, image) = build("bundle", "replaced", &[]);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("warning: the base runs nothing, which is not `serve`"), "{told}");
    assert_eq!(packages(&image), ["any"]);
    let judged = place.plain(&["validate", &image, "--profile", "konflux"]);
    assert!(!text(&judged.stdout).contains("IMG302"), "{}", text(&judged.stdout));
    let (output, image) = build("bundle", "kept", &["--keep-base-catalog"]);
    done(output);
    assert_eq!(packages(&image), ["any"]);
    place.write("more/any/catalog.yaml", package(&registry, "any", ""));
    let (output, image) = build("more", "more", &["--keep-base-catalog", "--no-validate"]);
    done(output);
    assert_eq!(packages(&image), ["any", "operator"]);
    // Under another name the same package is there twice.
    place.write("twice/again/catalog.yaml", package(&registry, "operator", ""));
    let (output, _) = build("twice", "twice", &["--keep-base-catalog"]);
    let told = refused(&output, 1);
    assert!(told.contains("declared a second time") && told.contains("/configs"), "{told}");
}
