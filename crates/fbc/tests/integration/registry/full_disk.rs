//! A disk that is full, and a process that is killed in the middle of a write: nothing half is left, and the next run
//! completes. A limit of file sizes plays both: where its signal is ignored, the system refuses to write, and otherwise the
//! signal kills.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Output;

use super::copies::{NAMED, Source};
use super::support::{Place, done, refused, text};
use fbc_testing::registry::Registry;

/// What happens to who writes too much.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beyond {
    Refused,
    Killed,
}

/// The number of the signal.
const SIGXFSZ: i32 = 25;

/// fbc, which can make no file larger than so many KiB.
fn limited(place: &Place, kibibytes: u32, beyond: Beyond, arguments: &[&str]) -> Output {
    let signal = if beyond == Beyond::Refused { "trap '' XFSZ;" } else { "" };
    let script = format!("ulimit -c 0; ulimit -f {kibibytes}; {signal} exec \"$0\" \"$@\"");
    let words = [&["-c", &script, crate::FBC], arguments].concat();
    place.program("bash", &words).output()
}

/// What is left of a target: nothing, but for what the next run removes.
fn left(place: &Place) -> Vec<String> {
    place.names().into_iter().filter(|name| !name.starts_with(".fbc-tmp-")).collect()
}

#[test]
fn what_does_not_fit_leaves_nothing() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    place.write("passphrase", "x");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    done(place.plain(&["build", "catalog", "--no-validate", "--push", "-q", "-t", &image]));
    let build = ["build", "catalog", "--no-validate", "-q"];
    let commands = [
        vec!["pull", &image, "oci:out", "-q"],
        vec!["pull", &image, "oci-archive:out", "-q"],
        vec!["pull", &image, "docker-archive:out", "-q"],
        vec!["unpack", &image, "out"],
        vec!["mirror", &image, "--to-dir", "out", "-q"],
        vec!["render", &image],
        [&build[..], &["-o", "oci:out"]].concat(),
        [&build[..], &["-o", "oci-archive:out"]].concat(),
        [&build[..], &["-o", "docker-archive:out", "-t", "a.test/b:v1"]].concat(),
        [&build[..], &["-o", "oci:out", "--base", &image]].concat(),
    ];
    let before = place.names();
    // With an empty cache, and with one that has the image, so that the target is what does not fit.
    for is_cached in [false, true] {
        for (command, beyond) in
            commands.iter().flat_map(|one| [(one, Beyond::Refused), (one, Beyond::Killed)])
        {
            if is_cached && command[0] == "render" {
                continue;
            }
            done(place.fbc(&["cache", "clean"]));
            if is_cached {
                done(place.plain(&["render", &image]));
            }
            let plain = [&command[..], &["--plain-http"]].concat();
            let output = limited(&place, 100, beyond, &plain);
            let what = format!("{command:?} {beyond:?} {is_cached}");
            match beyond {
                Beyond::Refused => {
                    let told = refused(&output, 2);
                    assert!(told.contains("File too large") && !told.contains("os error"), "{what}: {told}");
                    assert_eq!(place.names(), before, "{what}");
                }
                Beyond::Killed => {
                    assert_eq!(output.status.signal(), Some(SIGXFSZ), "{what}: {}", text(&output.stderr));
                    assert_eq!(left(&place), before, "{what}");
                }
            }
            done(place.fbc(&plain));
            let out = place.path().join("out");
            assert_eq!(out.exists(), command[0] != "render", "{what}");
            let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
            assert_eq!(place.names(), before, "{what}");
        }
    }
}

#[test]
fn an_error_names_the_file_that_does_not_fit() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    done(place.plain(&["build", "catalog", "--no-validate", "--push", "-q", "-t", &image]));
    let told = refused(&limited(&place, 100, Beyond::Refused, &["render", &image, "--plain-http"]), 2);
    let blobs = place.path().join("cache/blobs/sha256").display().to_string();
    assert!(told.contains(&format!("error: cannot write {blobs}/")), "{told}");
}

#[test]
fn half_a_key_is_no_key() {
    let place = Place::new();
    place.write("passphrase", "x");
    let generate = ["sign", "--generate-key", "out", "--passphrase-file", "passphrase"];
    for beyond in [Beyond::Refused, Beyond::Killed] {
        let output = limited(&place, 0, beyond, &generate);
        assert!(!output.status.success(), "{output:?}");
        assert_eq!(left(&place), ["passphrase"], "{beyond:?}");
        if beyond == Beyond::Refused {
            let told = refused(&output, 2);
            assert!(told.contains("cannot write out.key: File too large"), "{told}");
        }
    }
    done(place.fbc(&generate));
    assert_eq!(place.names(), ["out.key", "out.pub", "passphrase"]);
}

/// The images of a directory that is written, by their number; nothing where there is no record.
fn recorded(folder: &Path) -> Option<usize> {
    let bytes = fs::read(folder.join("mirror.json")).ok()?;
    let record: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    Some(record["images"].as_array().unwrap().len())
}

/// A mirror in which one image does not fit, or not even its small files: what fits is there, and the next run adds the
/// rest.
#[test]
fn a_mirror_goes_on_when_there_is_room() {
    let source = Source::new();
    let (index, place) = (Source::index(), &source.place);
    place.write_large_catalog("large");
    let image = format!("{}/team/large:v1", source.registry.host);
    done(place.plain(&["build", "large", "--no-validate", "--push", "-q", "-t", &image]));
    let large = format!("{NAMED}/team/large:v1");
    let wanted = [index.as_str(), "--image", &large, "--to-dir", "carried"];
    let run = Source::arguments(&wanted);
    let folder = place.path().join("carried");
    for beyond in [Beyond::Refused, Beyond::Killed] {
        for kibibytes in [0, 1, 2, 3, 5, 100] {
            done(place.fbc(&["cache", "clean"]));
            let what = format!("{beyond:?} {kibibytes}");
            let output = limited(place, kibibytes, beyond, &run);
            let told = text(&output.stderr);
            match beyond {
                Beyond::Killed => assert_eq!(output.status.signal(), Some(SIGXFSZ), "{what}: {told}"),
                Beyond::Refused => {
                    assert!(matches!(output.status.code(), Some(1 | 2)), "{what}: {output:?}");
                    assert!(told.contains("File too large"), "{what}: {told}");
                }
            }
            if beyond == Beyond::Refused && kibibytes == 100 {
                // All but the large image, which the catalog does not name.
                assert!(told.contains(&format!("error: {large}: cannot write ")), "{told}");
                assert!(!told.contains("catalog not copied"), "{told}");
                assert_eq!(recorded(&folder), Some(6), "{told}");
                let carry = ["mirror", "--from-dir", "carried", "--to", &Registry::in_thread().host];
                let told = refused(&place.plain(&carry), 1);
                assert!(told.contains("carried is incomplete; it lacks "), "{told}");
            }
            done(place.fbc(&run));
            assert_eq!(recorded(&folder), Some(7), "{what}");
            let to = Registry::in_thread().host;
            done(place.plain(&["mirror", "--from-dir", "carried", "--to", &to, "--manifests", "out"]));
            let copy = done(place.plain(&["render", &format!("{to}/team/index:v4.19")]));
            assert_eq!(copy, done(place.fbc(&["render", "catalog"])), "{what}");
            fs::remove_dir_all(&folder).unwrap();
            fs::remove_dir_all(place.path().join("out")).unwrap();
            let _ = fs::remove_dir_all(place.path().join("mirror-manifests"));
        }
    }
}
