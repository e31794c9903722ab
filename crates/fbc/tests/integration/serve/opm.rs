//! `opm serve`: what Dockerfiles of catalogs say must start, whatever lies in their cache.

use super::server::{Server, sample};

#[test]
fn no_cache_keeps_a_catalog_from_being_served() {
    let place = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str| {
        let path = place.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    // Caches of other programs and other catalogs, and what is none.
    file("pogreb/pogreb.v1/digest", "0123456789abcdef");
    file("json/digest", "0123456789abcdef");
    file("json/cache/packages.json", "{\"other\":{\"name\":\"other\"}}");
    file("file", "");
    let sample = sample().to_string_lossy().into_owned();
    let under = |path: &str| place.path().join(path).to_string_lossy().into_owned();
    for (cache, flags) in [
        (under("new/cache"), &[][..]),
        (under("pogreb"), &[]),
        (under("json"), &["--cache-enforce-integrity=true"]),
        (under("json"), &["--cache-enforce-integrity=false", "--debug"]),
        (under("file"), &["--pprof-addr", "localhost:6060", "--pprof-capture-profiles"]),
        ("/proc/none".to_owned(), &["--pprof-addr="]),
    ] {
        let options = ["opm", "serve", &sample, "--port", "0", "--cache-dir", &cache];
        let server = Server::start(&[&options[..], flags].concat(), 1);
        assert_eq!(server.end(), Some(0), "{cache}");
    }
    let kept = std::fs::read_to_string(place.path().join("json/cache/packages.json")).unwrap();
    assert_eq!(kept, "{\"other\":{\"name\":\"other\"}}");
    let check = ["opm", "serve", &sample, "--cache-only", "--cache-dir"];
    assert_eq!(fbc(&[&check[..], &[&under("built")]].concat()), (Some(0), String::new()));
    // What a real opm serves from: a digest, an index, and each bundle of each channel; again, the same.
    let digest = || std::fs::read_to_string(place.path().join("built/digest")).unwrap();
    let first = digest();
    assert!(
        !first.is_empty() && first.len() <= 16 && first.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{first}"
    );
    let index = std::fs::read_to_string(place.path().join("built/cache/packages.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    let (package, channel) = ("lighthouse-operator", &index["lighthouse-operator"]["Channels"]["stable"]);
    let head = channel["Head"].as_str().unwrap();
    let bundle = place.path().join(format!("built/cache/{package}_stable_{head}.json"));
    let bundle: serde_json::Value = serde_json::from_slice(&std::fs::read(bundle).unwrap()).unwrap();
    assert_eq!(bundle["csvName"], head);
    assert_eq!(fbc(&[&check[..], &[&under("built")]].concat()), (Some(0), String::new()));
    assert_eq!(digest(), first);
    // What is something else stays as it is.
    let (code, text) = fbc(&[&check[..], &[&under("pogreb")]].concat());
    assert!(code == Some(1) && text.contains("unexpected contents: pogreb.v1"), "{text}");
    let (code, text) = fbc(&[&check[..], &[&under("file/cache")]].concat());
    assert_eq!(code, Some(1));
    assert!(text.contains("mkdir"), "{text}");
}

#[test]
fn flags_of_profiles_say_that_they_have_no_effect() {
    let sample = sample().to_string_lossy().into_owned();
    for (flags, told) in [
        (&["--pprof-addr", "localhost:6060"][..], &["--pprof-addr has no effect"][..]),
        (&["--pprof-addr=:1", "--pprof-capture-profiles"], &["--pprof-addr", "--pprof-capture-profiles"]),
        (&["--pprof-addr=", "--pprof-capture-profiles=false"], &[]),
        (&[], &[]),
    ] {
        let server = Server::start(&[&["opm", "serve", &sample, "--port", "0"], flags].concat(), 1);
        let warnings: Vec<&str> = server.log().lines().filter(|line| line.contains("no effect")).collect();
        assert_eq!(warnings.len(), told.len(), "{warnings:?}");
        assert!(warnings.iter().zip(told).all(|(warning, told)| warning.contains(told)), "{warnings:?}");
    }
}

#[test]
fn the_end_is_told_where_kubernetes_looks_for_it() {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("termination-log").to_string_lossy().into_owned();
    let broken = fbc_testing::testdata("broken-catalog");
    let (code, text) = fbc(&["opm", "serve", &broken.to_string_lossy(), "--termination-log", &log]);
    assert_eq!(code, Some(1), "{text}");
    let told = std::fs::read_to_string(&log).unwrap();
    assert!(!told.trim().is_empty() && text.contains(told.trim()), "{told}: {text}");
    let (code, text) = fbc(&["opm", "serve", place.path().to_str().unwrap(), "--cache-enforce-integrity"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("--cache-dir must be specified with --cache-enforce-integrity"), "{text}");
}

fn fbc(arguments: &[&str]) -> (Option<i32>, String) {
    let output = crate::fbc().args(arguments).output();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}
