//! `fbc mirror` that ends in the middle, from a registry and from a directory: the destination has no catalog whose images
//! are missing, nothing is said to clusters, and the next run goes on.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use super::copies::{SETS, Source};
use super::support::{done, stalling, terminate, text};
use fbc_testing::registry::{Misdeed, Registry};

#[test]
fn what_ends_in_the_middle_leaves_no_catalog_and_goes_on() {
    let source = Source::new();
    let (index, place) = (Source::index(), &source.place);
    done(source.mirror(&[&index, "--to-dir", "carried"]));
    let expected = done(place.fbc(&["render", "catalog"]));
    let before = place.names();
    let catalog = "team/index:v4.19";
    for from_directory in [false, true] {
        for (signal, number) in [("-KILL", 9), ("-TERM", 15), ("-INT", 2)] {
            let destination = Registry::in_thread();
            let stalled = stalling(&destination);
            let run = match from_directory {
                true => vec!["mirror", "--from-dir", "carried", "--to", &destination.host, "--plain-http"],
                false => Source::arguments(&[&index, "--to", &destination.host]),
            };
            // In the middle of a blob, at the name of an image, and at that of the catalog.
            for request in
                ["PUT /v2/team/", "PUT /v2/team/operand/manifests/", "PUT /v2/team/index/manifests/v4.19"]
            {
                let what = format!("{from_directory} {signal} {request}");
                // A manifest that got through beside the blob is not put again.
                destination.state.lock().unwrap().manifests.clear();
                destination.misbehave(request, Misdeed::Stall(10));
                let mut child = place.command(&run).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
                let has_stalled = stalled.recv_timeout(std::time::Duration::from_secs(20));
                assert!(has_stalled.is_ok(), "{what}: {:?}", destination.log());
                terminate(&child, signal);
                // What has nothing to remove leaves its end to the system, which shells show alike.
                let status = child.wait().unwrap();
                let ended = status.code().or_else(|| Some(128 + status.signal()?));
                assert_eq!(ended, Some(128 + number), "{what}");
                let told = text(&child.wait_with_output().stderr);
                assert!(!told.contains("error"), "{what}: {told}");
                assert_eq!(place.names(), before, "{what}");
                assert!(!destination.state.lock().unwrap().manifests.contains_key(catalog), "{what}");
            }
            destination.log();
            done(place.fbc(&run));
            // What was there already is not sent again.
            let log = destination.log();
            assert!(!log.iter().any(|line| line.starts_with("PUT") && line.contains("/blobs/")), "{log:?}");
            done(place.fbc(&["cache", "clean"]));
            let sets = ["--plain-http", "--retry", "0"];
            assert_eq!(done(place.fbc(&[&["render", &index], &SETS[..], &sets].concat())), expected);
            std::fs::remove_dir_all(place.path().join("mirror-manifests")).unwrap();
        }
    }
}
