//! Killed in the middle, a target that cannot be written: no half image, and a second run completes.

use std::fs;
use std::process::Stdio;

use super::support::{Place, done, refused, registry_with_catalog, stalling, terminate, testdata};
use fbc_testing::registry::{Misdeed, Registry};

#[test]
fn a_pull_goes_on_where_it_stopped() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    let digest = done(place.plain(&["build", "catalog", "--no-validate", "--push", "-q", "-t", &image]));
    let layer = registry.state.lock().unwrap().blobs.values().map(Vec::len).max().unwrap();
    let layer_digest = {
        let state = registry.state.lock().unwrap();
        state.blobs.iter().find(|(_, bytes)| bytes.len() == layer).unwrap().0.clone()
    };
    let request = format!("GET /v2/me/large/blobs/{layer_digest}");
    registry.misbehave(&request, Misdeed::CutBody(1_000_000));
    registry.log();
    // The order of requests matters to who misbehaves: one blob at a time.
    let pull = ["pull", &image, "oci:image", "-q", "--parallel", "1"];
    let mut failures = 0;
    loop {
        let output = place.plain(&[&pull[..], &["--retry", "0"]].concat());
        if output.status.success() {
            assert_eq!(done(output), digest);
            break;
        }
        refused(&output, 2);
        assert!(!place.path().join("image").exists());
        failures += 1;
        assert_eq!(failures, 1);
    }
    let log = registry.log();
    assert!(log.iter().any(|line| line.contains(&format!("{request} bytes=1000000-"))), "{log:?}");
}

#[test]
fn a_killed_pull_leaves_nothing_and_the_next_completes() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    let digest = done(place.plain(&["build", "catalog", "--no-validate", "--push", "-q", "-t", &image]));
    let stalled = stalling(&registry);
    for target in ["oci:image", "oci-archive:image.tar"] {
        done(place.fbc(&["cache", "clean"]));
        let before = place.names();
        registry.misbehave("GET /v2/me/large/blobs/", Misdeed::Stall(100));
        let pull = ["pull", &image, target, "-q", "--plain-http"];
        let mut child = place.command(&pull).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        stalled.recv().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(place.names(), before);
        assert_eq!(done(place.plain(&pull[..4])), digest);
        assert!(done(place.fbc(&["render", target])).contains("olm.package"));
    }
}

#[test]
fn a_killed_push_leaves_no_tag_and_the_next_completes() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    let stalled = stalling(&registry);
    for request in ["PUT", "PATCH"] {
        registry.misbehave(request, Misdeed::Stall(1000));
        let push = ["build", "catalog", "--no-validate", "--push", "-q", "-t", &image, "--plain-http"];
        let chunks = ["--chunk-size", "500000"];
        let push = if request == "PATCH" { [&push[..], &chunks].concat() } else { push.to_vec() };
        let mut child = place.command(&push).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        stalled.recv().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(registry.state.lock().unwrap().manifests.is_empty());
        done(place.fbc(&push));
        done(place.plain(&["render", &image]));
        let mut state = registry.state.lock().unwrap();
        state.manifests.clear();
        state.held.clear();
    }
}

#[test]
fn a_damaged_layout_is_not_pushed() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    done(place.fbc(&["build", "catalog", "--no-validate", "-o", "oci:layout", "-q"]));
    let blobs = place.path().join("layout/blobs/sha256");
    let layer = fs::read_dir(&blobs).unwrap().map(|entry| entry.unwrap().path());
    let layer = layer.max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let good = fs::read(&layer).unwrap();
    let mut flipped = good.clone();
    flipped[1_500_000] ^= 1;
    for (bytes, expected) in
        [(flipped, "the digest of a blob is"), (good[..1_000_000].to_vec(), "has 1000000 bytes, not")]
    {
        fs::write(&layer, bytes).unwrap();
        for source in ["layout", "oci:layout"] {
            let told = refused(&place.plain(&["push", source, "-t", &image]), 1);
            assert!(told.contains(expected) && told.contains("help: the image is damaged"), "{told}");
            assert!(told.starts_with("error: oci:layout: "), "{told}");
        }
    }
    fs::remove_file(&layer).unwrap();
    let told = refused(&place.plain(&["push", "layout", "-t", &image]), 1);
    assert!(told.contains("is missing in"), "{told}");
    assert!(registry.state.lock().unwrap().manifests.is_empty());
    fs::write(&layer, good).unwrap();
    done(place.plain(&["push", "layout", "-t", &image]));
}

/// `/proc` takes no directories, whoever asks.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_told_before_anything_is_asked() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    let told = refused(&place.plain(&["pull", &image, "oci:/proc/image"]), 2);
    assert!(told.contains("cannot write /proc/image"), "{told}");
    place.write("full/file", "mine");
    let told = refused(&place.plain(&["pull", &image, "oci:full"]), 2);
    assert!(told.contains("not an OCI layout and is not empty"), "{told}");
    assert!(registry.log().is_empty());
    let told = refused(&place.plain(&["render", &image, "--cache-dir", "/proc/cache"]), 2);
    assert!(told.contains("cannot create /proc/cache"), "{told}");
    let target = testdata("sample-catalog");
    let told = refused(&place.plain(&["pull", &image, &format!("oci:{target}")]), 2);
    assert!(told.contains("is not empty"), "{told}");
}

#[test]
fn a_signal_leaves_nothing_beside_the_target() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    let scratch = place.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    let stalled = stalling(&registry);
    let before = place.names();
    for (signal, code, target) in [
        ("-INT", 130, "oci:layout"),
        ("-TERM", 143, "oci:layout"),
        ("-HUP", 129, "oci:layout"),
        ("-INT", 130, "oci-archive:layout.tar"),
        ("-TERM", 143, "oci-archive:layout.tar"),
    ] {
        registry.misbehave("PUT", Misdeed::Stall(1000));
        // The target is staged beside its name until the push is done.
        let push = ["build", "catalog", "--no-validate", "-o", target, "--push", "-q", "-t", &image];
        let mut command = place.command(&[&push[..], &["--plain-http"]].concat());
        let mut child = command.env("TMPDIR", &scratch).stderr(Stdio::piped()).spawn();
        stalled.recv().unwrap();
        let staged: Vec<String> =
            place.names().into_iter().filter(|name| name.starts_with(".fbc-tmp-")).collect();
        assert_eq!(staged.len(), 1, "{:?}", place.names());
        terminate(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_eq!(place.names(), before);
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
        assert_eq!(super::support::text(&child.wait_with_output().stderr), "");
    }
}

#[test]
fn what_a_kill_left_goes_with_the_next_run() {
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    let stalled = stalling(&registry);
    let before = place.names();
    registry.misbehave("PUT", Misdeed::Stall(1000));
    let push = [
        "build",
        "catalog",
        "--no-validate",
        "-o",
        "oci:layout",
        "--push",
        "-q",
        "-t",
        &image,
        "--plain-http",
    ];
    let mut child = place.command(&push).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    stalled.recv().unwrap();
    // While it lives, others leave its names alone.
    done(place.fbc(&["build", "catalog", "--no-validate", "-o", "oci:other", "-q"]));
    let staged = |names: Vec<String>| names.iter().filter(|name| name.starts_with(".fbc-tmp-")).count();
    assert_eq!(staged(place.names()), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(staged(place.names()), 1);
    done(place.fbc(&push));
    let mut expected = [before, vec!["layout".to_owned(), "other".to_owned()]].concat();
    expected.sort();
    assert_eq!(place.names(), expected);
}

#[test]
fn the_cache_is_private_and_not_emptied_under_its_readers() {
    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.write_large_catalog("catalog");
    let registry = Registry::in_thread();
    let image = format!("{}/me/large:v1", registry.host);
    done(place.plain(&["build", "catalog", "--no-validate", "--push", "-q", "-t", &image]));
    let stalled = stalling(&registry);
    registry.misbehave("GET /v2/me/large/blobs/", Misdeed::Stall(100));
    let pull = ["pull", &image, "oci:image", "-q", "--plain-http"];
    let mut reader = place.command(&pull).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    stalled.recv().unwrap();
    let mut cleaner = place.command(&["cache", "clean"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut told = [0; 8];
    cleaner.stderr.as_mut().unwrap().read_exact(&mut told).unwrap();
    assert!(cleaner.try_wait().unwrap().is_none(), "it waits");
    let cache = place.path().join("cache");
    assert!(
        fs::read_dir(cache.join("references")).unwrap().count()
            + fs::read_dir(cache.join("blobs/sha256")).unwrap().count()
            > 0
    );
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(cleaner.wait().unwrap().success());
    assert_eq!(fs::read_dir(cache.join("blobs/sha256")).unwrap().count(), 0);
    done(place.plain(&["render", &image]));
    let mut pending = vec![cache];
    while let Some(path) = pending.pop() {
        let metadata = fs::metadata(&path).unwrap();
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(metadata.permissions().mode() & 0o777, expected, "{}", path.display());
        if metadata.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
}
