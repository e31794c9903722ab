//! `fbc mirror` with what is there already: its own source, files of others, earlier directories, blobs of other
//! repositories.

use std::fs;

use super::copies::{NAMED, SETS, Source};
use super::support::{done, refused, text};
use fbc_testing::registry::Registry;

#[test]
fn a_part_does_not_take_the_place_of_its_source() {
    let source = Source::new();
    let (index, host) = (format!("{}/team/index:v4.19", source.registry.host), source.registry.host.clone());
    let before = source.registry.state.lock().unwrap().manifests["team/index:v4.19"].clone();
    for more in [&["-p", "a"][..], &["--platform", "linux/amd64"]] {
        let told = refused(&source.mirror(&[&[index.as_str(), "--to", &host], more].concat()), 2);
        assert!(
            told.contains(&format!("a part of {index} would take the place of {index} itself")),
            "{told}"
        );
    }
    assert_eq!(source.registry.state.lock().unwrap().manifests["team/index:v4.19"], before);
    done(source.mirror(&[&index, "-p", "a", "--to", &format!("{host}/copies")]));
}

#[test]
fn places_that_cannot_be_written_show_before_the_copies() {
    let source = Source::new();
    let (index, destination) = (Source::index(), Registry::in_thread());
    source.place.write("file", "");
    let told = refused(&source.mirror(&[&index, "--to", &destination.host, "--manifests", "file/x"]), 2);
    assert!(told.contains("file"), "{told}");
    source.place.write("mirror-manifests/idms-oc-mirror.yaml", "kind: ConfigMap\n");
    let told = refused(&source.mirror(&[&index, "--to", &destination.host]), 2);
    assert!(told.contains("idms-oc-mirror.yaml is not what `fbc mirror` writes"), "{told}");
    source.place.write("full/x", "");
    let told = refused(&source.mirror(&[&index, "--to-dir", "full"]), 2);
    assert_eq!(told.matches("is a directory that is not an OCI layout").count(), 1, "{told}");
    assert!(destination.log().is_empty());
}

#[test]
fn images_of_one_tag_and_several_digests_have_places_of_their_own() {
    let source = Source::new();
    let destination = Registry::in_thread();
    let named = |name: &str, of: &str| {
        let digest = source.pinned(of).rsplit_once('@').unwrap().1.to_owned();
        format!("{NAMED}/team/{name}:v1@{digest}")
    };
    let (one, two) = (named("a-bundle-v1", "a-bundle-v1"), named("a-bundle-v1", "a-bundle-v2"));
    let from = format!("{}/team/a-bundle-v2:v1", source.registry.host);
    let to = format!("{}/team/a-bundle-v1:v2", source.registry.host);
    done(source.place.plain(&["push", &from, "-t", &to, "-q"]));
    done(source.mirror(&[&Source::index(), "--image", &one, "--image", &two, "--to", &destination.host]));
    let state = destination.state.lock().unwrap();
    for image in [&one, &two] {
        let (_, digest) = image.rsplit_once('@').unwrap();
        assert!(state.manifests.contains_key(&format!("team/a-bundle-v1@{digest}")), "{image}");
    }
}

/// A directory that builds upon an earlier one holds what is new, and its destination must have the rest.
#[test]
fn a_directory_leaves_out_what_an_earlier_one_brought() {
    let source = Source::new();
    let place = &source.place;
    let index = Source::index();
    done(source.mirror(&[&index, "-p", "a", "--to-dir", "first"]));
    // Nothing is new.
    let since = ["--since", "first", "--to-dir", "second"];
    let output = source.mirror(&[&[index.as_str(), "-p", "a"], &since[..]].concat());
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("left out 5 images that first brought"), "{told}");
    assert!(told.contains("wrote nothing to second, since nothing is new"), "{told}");
    assert!(!place.path().join("second").exists());
    // Another package, with the record of the first directory alone.
    fs::copy(place.path().join("first/mirror.json"), place.path().join("first.json")).unwrap();
    let since = ["--since", "first.json", "--to-dir", "second"];
    let output = source.mirror(&[&[index.as_str()], &since[..]].concat());
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("copied 2 images: ") && told.contains("left out 4 images"), "{told}");
    let names = fs::read_to_string(place.path().join("second/index.json")).unwrap();
    assert!(names.contains("team/b-bundle-v1:") && !names.contains("team/a-bundle-v1:"), "{names}");
    let told = refused(&source.mirror(&[&index, "--since", "second", "--to-dir", "second"]), 2);
    assert!(told.contains("--since names second, to which this run writes"), "{told}");
    // The destination must have what was left out.
    let destination = Registry::in_thread();
    let carry = |folder: &str| {
        place.plain(&["mirror", "--from-dir", folder, "--to", &destination.host, "--manifests", "out"])
    };
    let told = refused(&carry("second"), 1);
    let lacks = format!("{} lacks 4 of 4 images that earlier directories brought", destination.host);
    assert!(told.contains(&lacks) && told.contains("carry over the directory first"), "{told}");
    let rehearse = |more: &[&str]| {
        let to = ["mirror", "--from-dir", "second", "--to", &destination.host, "--dry-run"];
        place.plain(&[&to, more].concat())
    };
    assert!(refused(&rehearse(&[]), 1).contains(&lacks));
    done(rehearse(&["--offline"]));
    assert!(!destination.log().iter().any(|line| line.starts_with("PUT")));
    done(carry("first"));
    done(carry("second"));
    done(place.fbc(&["cache", "clean"]));
    let sets: Vec<String> = SETS.iter().map(|word| word.replace("mirror-manifests", "out")).collect();
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    fs::remove_file(place.path().join("registries.conf")).unwrap();
    let whole = done(place.plain(&[&["render", &index], &sets[..]].concat()));
    assert_eq!(whole, done(place.fbc(&["render", "catalog"])));
    done(place.plain(&[&["images", &index, "--digests"], &sets[..]].concat()));
}

/// A layer that one repository has is mounted in the others.
#[test]
fn a_blob_is_sent_once() {
    let source = Source::new();
    let destination = Registry::in_thread();
    let [operand, twin] = ["operand", "twin"].map(|name| format!("{}/team/{name}:v1", source.registry.host));
    done(source.place.plain(&["push", &operand, "-t", &twin, "-q"]));
    let twin = format!("{NAMED}/team/twin:v1");
    let run = [Source::index(), "--image".to_owned(), twin, "--to".to_owned(), destination.host.clone()];
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let told = text(&source.mirror(&[&run[..], &["--parallel-images", "1"]].concat()).stderr);
    assert!(told.contains("copied 7 images: "), "{told}");
    let log = destination.log();
    let mounted = log.iter().filter(|line| line.contains("/team/twin/blobs/uploads/?mount=sha256:"));
    assert_eq!(mounted.count(), 2, "{log:?}");
}

/// Clusters that look for what the destination has in another form are told of, unless nothing is to be told.
#[test]
fn what_clusters_find_changed_is_told() {
    let source = Source::new();
    let index = Source::index();
    let part = format!(
        "warning: team/index:v4.19 becomes a part of {index} under the same tag: who looks for the whole catalog finds the part"
    );
    let one_platform = "warning: images for several platforms are copied for linux/amd64 alone: their digests change, and \
                        neither references by digest nor signatures of the index find the copies";
    let by_tag = "warning: an ImageContentSourcePolicy redirects digests alone: 1 image named by tag will not be redirected";
    for (more, expected) in [
        (&["-p", "a"][..], &[part.as_str()][..]),
        (&["-p", "a", "--target-catalog", "small/index:v4.19"], &[]),
        (&["-p", "a", "--target-catalog", "team/index:part"], &[]),
        (&[], &[]),
        (&["--platform", "linux/amd64"], &[one_platform]),
        (&["-p", "a", "--platform", "linux/amd64", "--icsp"], &[&part, one_platform, by_tag]),
        (&["-p", "a", "--platform", "linux/amd64", "-q"], &[]),
    ] {
        let to = Registry::in_thread().host;
        let output = source.mirror(&[&[index.as_str(), "--to", &to, "--manifests", "out"], more].concat());
        let told = text(&output.stderr);
        done(output);
        fs::remove_dir_all(source.place.path().join("out")).unwrap();
        let warnings: Vec<&str> = told.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(warnings, expected, "{more:?}: {told}");
        let names_it = told.contains("--target-catalog REPOSITORY:TAG gives the part a name of its own");
        assert_eq!(names_it, expected.contains(&part.as_str()), "{more:?}: {told}");
    }
}
