//! The reports of shards, merged, are the report of the whole: byte for byte, whatever the number of shards.

use std::path::PathBuf;
use std::process::Output;

fn fbc(arguments: &[&str]) -> Output {
    crate::fbc().args(arguments).current_dir(fbc_testing::testdata("")).output()
}

/// Runs a command in shards and merges their reports. The second answer is the worst exit code of a shard.
fn merged(name: &str, arguments: &[&str], count: usize) -> (Output, i32) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shards").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let mut exit = 0;
    let mut files = Vec::new();
    for number in 1..=count {
        let shard = format!("{number}/{count}");
        let part = fbc(&[arguments, &["--shard", &shard]].concat());
        assert!(part.status.code().unwrap() < 2, "{shard}: {}", String::from_utf8_lossy(&part.stderr));
        exit = exit.max(part.status.code().unwrap());
        let file = folder.join(format!("{number}"));
        std::fs::write(&file, part.stdout).unwrap();
        files.push(file.display().to_string());
    }
    // The order of the files says nothing.
    files.reverse();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let denies = if arguments.contains(&"--deny-warnings") { &["--deny-warnings"][..] } else { &[] };
    let merged = fbc(&[&["merge-reports"], denies, files.as_slice()].concat());
    assert_eq!(String::from_utf8_lossy(&merged.stderr), "", "{arguments:?} in {count} shards");
    (merged, exit)
}

/// Runs a command whole and in shards, and compares what comes of both; standard output and exit code.
fn compare(name: &str, arguments: &[&str], counts: &[usize]) {
    let whole = fbc(arguments);
    assert!(whole.status.code().unwrap() < 2, "{arguments:?}: {}", String::from_utf8_lossy(&whole.stderr));
    for count in counts {
        let (merged, exit) = merged(name, arguments, *count);
        assert_eq!(
            String::from_utf8_lossy(&merged.stdout),
            String::from_utf8_lossy(&whole.stdout),
            "{arguments:?} in {count} shards"
        );
        assert_eq!(merged.status.code(), whole.status.code(), "{arguments:?} in {count} shards");
        assert_eq!(Some(exit), whole.status.code(), "{arguments:?} in {count} shards");
    }
}

const CATALOGS: [&str; 5] =
    ["sample-catalog", "broken-catalog", "two-findings", "changed-catalog", "composition"];

#[test]
fn findings() {
    for format in ["json", "sarif", "junit"] {
        let flags = ["validate", "-o", format];
        compare(&format!("validate-{format}"), &[&flags[..], &CATALOGS].concat(), &[1, 2, 4, 9]);
        compare(&format!("clean-{format}"), &[&flags[..], &["sample-catalog"]].concat(), &[2]);
    }
}

#[test]
fn waived_findings_and_those_of_the_configuration() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shards-waived");
    std::fs::create_dir_all(&folder).unwrap();
    let configuration = folder.join("fbc.toml");
    let waiver = "[[waivers]]\ncode = \"FBC206\"\nreason = \"old bundles\"\n\n[rules]\nXYZ999 = \"off\"\n";
    std::fs::write(&configuration, waiver).unwrap();
    let configuration = configuration.display().to_string();
    for format in ["json", "sarif", "junit"] {
        let flags = ["validate", "-o", format, "--config", &configuration];
        compare(&format!("waived-{format}"), &[&flags[..], &CATALOGS].concat(), &[2, 3]);
    }
}

#[test]
fn findings_that_are_not_shown_count() {
    for format in ["json", "sarif", "junit"] {
        let flags = ["validate", "-o", format, "--max-findings", "0"];
        compare(&format!("hidden-{format}"), &[&flags[..], &CATALOGS].concat(), &[1, 3]);
        let flags = ["validate", "-o", format, "-q", "--deny-warnings", "two-findings", "sample-catalog"];
        compare(&format!("quiet-{format}"), &flags, &[1, 2]);
    }
}

#[test]
fn repositories_and_bundles() {
    let bundles = ["bundle", "validate", "-o", "sarif", "beacon-bundle", "broken-bundle", "dock-bundle"];
    compare("bundles", &bundles, &[2, 3]);
    compare("repository", &["validate", "-o", "json", "repositories/directories"], &[2, 3]);
}

#[test]
fn simulations() {
    let upgrade = ["simulate", "upgrade", "sample-catalog", "changed-catalog", "-o", "json"];
    compare("upgrade", &upgrade, &[1, 2, 5, 20]);
    let install = ["simulate", "install", "scenarios/bundles", "-o", "json"];
    compare("install", &install, &[2, 3]);
    let scenarios = ["simulate", "scenarios/install.yaml", "scenarios/update-by-poll.yaml", "-o", "json"];
    compare("scenarios", &scenarios, &[2, 3]);
    // Each shard has seeds of its own, so the merged report is not that of the whole.
    let seeds = ["simulate", "scenarios/install.yaml", "--seeds", "4", "-o", "json"];
    let (merged, _) = merged("seeds", &seeds, 3);
    let searches: serde_json::Value = serde_json::from_slice(&merged.stdout).unwrap();
    let ends =
        |search: &serde_json::Value| [&search["first"], &search["last"]].map(|end| end.as_u64().unwrap());
    let seen: Vec<[u64; 2]> = searches["searches"].as_array().unwrap().iter().map(ends).collect();
    assert_eq!(seen, [[1, 1], [2, 2], [3, 4]]);
    let payload = payload();
    let flags = ["--payload", &payload, "--fleet", "updates/fleet.yaml", "--catalog", "updates/catalog"];
    let fleet = ["simulate", "cluster-update", "--to", "4.19.0", "-o", "json"];
    compare("fleet", &[&fleet[..], &flags].concat(), &[2, 3]);
}

/// A whole payload: the manifests of the release in testdata, and those of the Cluster Version Operator.
fn payload() -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shards-payload");
    let release = fbc_testing::testdata("scenarios/updates/payload-4.19.0/release-manifests");
    for part in ["manifests", "release-manifests"] {
        std::fs::create_dir_all(folder.join(part)).unwrap();
    }
    for entry in std::fs::read_dir(release).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.join("release-manifests").join(path.file_name().unwrap())).unwrap();
    }
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: openshift-config\n";
    std::fs::write(folder.join("manifests/0000_00_namespace.yaml"), namespace).unwrap();
    folder.display().to_string()
}
