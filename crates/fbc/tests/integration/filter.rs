//! The directories that `fbc filter` writes, and that its results are valid.

use std::fs;
use std::path::Path;
use std::process::Output;

fn fbc(arguments: &[&str]) -> Output {
    crate::fbc().args(arguments).current_dir(fbc_testing::testdata("")).output()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_for_each_package() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("new/catalog");
    let path = folder.to_str().unwrap();
    let packages = ["-p", "lighthouse-operator", "-p", "tide-operator"];
    let filter = |more: &[&str]| fbc(&[&["filter", "-q", "sample-catalog"], &packages[..], more].concat());
    assert_eq!(code(&filter(&["--output-dir", path])), Some(0));
    assert_eq!(names(&folder), ["lighthouse-operator", "tide-operator"]);
    assert_eq!(names(&folder.join("tide-operator")), ["catalog.yaml"]);
    assert_eq!(names(&place.path().join("new")), ["catalog"], "nothing temporary stays");
    assert_eq!(fbc(&["render", path]).stdout, fbc(&["render", "sample-catalog"]).stdout);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), mode(&folder.join("tide-operator")));
    }
    // Once more is refused, and with --force nothing is deleted.
    assert_eq!(code(&filter(&["--output-dir", path])), Some(2));
    fs::write(folder.join("tide-operator/README.md"), "schema: notes\n").unwrap();
    fs::write(folder.join("tide-operator/catalog.yaml"), "old").unwrap();
    let forced = filter(&["--output-dir", path, "--force"]);
    assert_eq!(code(&forced), Some(0));
    assert!(String::from_utf8_lossy(&forced.stderr).contains("tide-operator/README.md stays"), "{forced:?}");
    assert_eq!(names(&folder.join("tide-operator")), ["README.md", "catalog.yaml"]);
    assert!(fs::read_to_string(folder.join("tide-operator/catalog.yaml")).unwrap().starts_with("---\n"));
    // An empty directory is as good as none, a file is not.
    let empty = place.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(code(&filter(&["--output-dir", empty.to_str().unwrap(), "-o", "json"])), Some(0));
    assert_eq!(names(&empty.join("tide-operator")), ["catalog.json"]);
    let file = folder.join("tide-operator/README.md");
    assert_eq!(code(&filter(&["--output-dir", file.to_str().unwrap()])), Some(2));
}

/// A package has one file, whatever its format was, and the whole directory stays a valid catalog.
#[test]
fn a_folder_that_is_filled_stays_valid() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("catalog");
    let path = folder.to_str().unwrap();
    let filter = |package: &str, format: &str| {
        fbc(&["filter", "-q", "sample-catalog", "-p", package, "-o", format, "--output-dir", path, "--force"])
    };
    assert_eq!(code(&filter("tide-operator", "yaml")), Some(0));
    let again = filter("tide-operator", "json");
    assert_eq!((code(&again), again.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(names(&folder.join("tide-operator")), ["catalog.json"]);
    assert_eq!(code(&filter("lighthouse-operator", "yaml")), Some(0));
    assert_eq!(code(&fbc(&["validate", "--profile", "opm", path])), Some(0));
    // Another file has the same package.
    fs::create_dir(folder.join("copy")).unwrap();
    fs::rename(folder.join("tide-operator/catalog.json"), folder.join("copy/index.json")).unwrap();
    let refused = filter("tide-operator", "yaml");
    assert_eq!(code(&refused), Some(1));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("FBC013") && told.contains("would hold no valid catalog"), "{told}");
    assert_eq!(names(&folder.join("tide-operator")), Vec::<String>::new());
}

#[test]
fn a_refusal_writes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("catalog");
    let path = folder.to_str().unwrap();
    let output =
        fbc(&["filter", "sample-catalog", "-p", "lighthouse-operator:candidate", "--output-dir", path]);
    assert_eq!(code(&output), Some(1));
    assert_eq!(names(place.path()), Vec::<String>::new());
}

#[test]
fn a_package_that_is_no_folder_name_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let input = place.path().join("catalog.yaml");
    let text = "schema: olm.package\nname: ../up\ndefaultChannel: c\n---\nschema: olm.channel\npackage: ../up\nname: c\n\
                entries: [{name: up.v1.0.0}]\n---\nschema: olm.bundle\nname: up.v1.0.0\npackage: ../up\nimage: q/up:1\n\
                properties: [{type: olm.package, value: {packageName: ../up, version: 1.0.0}}]\n";
    fs::write(&input, text).unwrap();
    let folder = place.path().join("out");
    let (input, path) = (input.to_str().unwrap(), folder.to_str().unwrap());
    let output = fbc(&["filter", input, "-p", "../up", "--output-dir", path]);
    assert_eq!(code(&output), Some(1), "{output:?}");
    assert_eq!(names(place.path()), ["catalog.yaml"]);
}

/// What opm would refuse in what is kept is told with its place in the original.
#[test]
fn what_is_not_valid_in_the_original_is_refused() {
    let output = fbc(&["filter", "two-findings", "-p", "Gull_Operator"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(code(&output), Some(1), "{errors}");
    assert!(errors.starts_with("two-findings/catalog.yaml:"), "{errors}");
    assert!(output.stdout.is_empty());
}

/// Heads, halves and wholes of recorded packages: refused, or valid.
#[test]
fn recorded_catalogs_stay_valid() {
    let Some(folder) = fbc_testing::recordings("catalogs") else { return };
    let catalogs = ["kueue-v4.18", "kueue-v4.20"].map(|name| folder.join(name));
    let place = tempfile::tempdir().unwrap();
    let mut valid = 0;
    for catalog in catalogs {
        let catalog = catalog.to_str().unwrap();
        let packages = fbc(&["query", "-r", "select(.schema == \"olm.package\").name", catalog]);
        for package in String::from_utf8(packages.stdout).unwrap().lines() {
            for (number, more) in [vec![], vec!["--heads-only"]].into_iter().enumerate() {
                let out = place.path().join(format!("{number}.json"));
                let out = out.to_str().unwrap();
                let arguments = ["filter", "-q", catalog, "-p", package, "--output-file", out];
                match code(&fbc(&[&arguments[..], &more].concat())) {
                    Some(0) => {
                        assert_eq!(code(&fbc(&["validate", "--profile", "opm", out])), Some(0), "{package}");
                        valid += 1;
                    }
                    other => assert_eq!(other, Some(1), "{package}"),
                }
            }
        }
    }
    assert!(valid > 0);
}

/// D-FBC-50, D-FBC-52: an operator is removed with all its blobs, and what is left is valid and can be built.
#[test]
fn d_fbc_52_a_removed_operator_leaves_no_blob() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog");
    let catalog = catalog.to_str().unwrap();
    let output = fbc(&["filter", "sample-catalog", "-p", "tide-operator", "--output-dir", catalog]);
    assert_eq!(code(&output), Some(0), "{output:?}");
    let rendered = String::from_utf8(fbc(&["render", catalog]).stdout).unwrap();
    assert!(rendered.contains("tide-operator") && !rendered.contains("lighthouse-operator"), "{rendered}");
    let layout = format!("oci:{}", folder.path().join("layout").display());
    for arguments in [
        &["deprecate", catalog, "tide-operator", "--message", "use lighthouse-operator"][..],
        &["validate", catalog],
        &["build", catalog, "-o", &layout],
    ] {
        let output = fbc(arguments);
        assert_eq!(code(&output), Some(0), "{arguments:?}: {output:?}");
    }
}
