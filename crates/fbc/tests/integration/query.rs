//! `fbc query` beside jq itself, and what the product documents do with jq.
//!
//! Where jq is installed and recorded catalogs are at hand, both must give the same bytes for them too.

use std::process::{Output, Stdio};

use fbc_testing::{Fbc, testdata};

/// Runs a program with some input.
fn run(program: &str, arguments: &[&str], input: &[u8]) -> Output {
    Fbc::at(program).args(arguments).current_dir(testdata("")).output_of(input)
}

fn fbc(arguments: &[&str], input: &[u8]) -> Output {
    run(crate::FBC, arguments, input)
}

fn text(output: &Output) -> &str {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::str::from_utf8(&output.stdout).unwrap()
}

fn has_jq() -> bool {
    fbc_testing::is_installed("jq")
}

/// Recorded catalogs, of a size that a test can bear.
fn recorded() -> Vec<String> {
    let Some(folder) = fbc_testing::recordings("catalogs") else { return Vec::new() };
    ["kueue-v4.18", "kueue-v4.20"].map(|name| folder.join(name).to_str().unwrap().to_owned()).to_vec()
}

#[test]
fn a_program_is_parsed_whatever_it_takes() {
    let minuses = format!("{}1", "-".repeat(40_000));
    assert_eq!(text(&fbc(&["query", "-n", "--", &minuses], b"")), "1\n");
}

/// Our answer for the sample catalog is this one; for recorded catalogs it is jq's.
#[track_caller]
fn check(flags: &[&str], program: &str, expected: &str) {
    let query = |catalog: &str| fbc(&[&["query"], flags, &[program, catalog]].concat(), b"");
    assert_eq!(text(&query("sample-catalog")), expected, "{program}");
    if !has_jq() {
        return;
    }
    let mut catalogs = recorded();
    catalogs.push("sample-catalog".to_owned());
    for catalog in catalogs {
        let rendered = fbc(&["render", &catalog], b"");
        let theirs = run("jq", &[flags, &[program]].concat(), text(&rendered).as_bytes());
        assert!(query(&catalog).stdout == theirs.stdout, "{program} of {catalog} differs from jq");
    }
}

const TIDE: &str = r#"{
  "schema": "olm.package",
  "name": "tide-operator",
  "defaultChannel": "alpha"
}
"#;

/// Q1, D-EXT-9: available packages.
#[test]
fn q1_d_ext_9_packages() {
    check(
        &["-sc"],
        r#".[] | select( .schema == "olm.package") | .name"#,
        "\"lighthouse-operator\"\n\"tide-operator\"\n",
    );
    check(
        &["-sc"],
        r#".[] | select( .schema == "olm.package") | keys"#,
        "[\"defaultChannel\",\"description\",\"icon\",\"name\",\"schema\"]\n[\"defaultChannel\",\"name\",\"schema\"]\n",
    );
    let program = r#".[] | select( .schema == "olm.package")"#;
    assert!(text(&fbc(&["query", "-s", program, "sample-catalog"], b"")).ends_with(TIDE));
}

/// Q2, D-EXT-6, X-9: the test for webhooks looks where no bundle has anything; it holds always.
#[test]
fn q2_d_ext_6_x_9_packages_for_all_namespaces() {
    let program = r#"[.[] | select(.schema == "olm.bundle" and (.properties[] | select(.type == "olm.csv.metadata").value.installModes[] | select(.type == "AllNamespaces" and .supported == true)) and .spec.webhookdefinitions == null) | .package] | unique[]"#;
    let modes = r#"if .schema == "olm.bundle" then (.properties[] | select(.type == "olm.csv.metadata").value) += {installModes: [{type: "AllNamespaces", supported: true}]} else . end"#;
    let catalog = fbc(&["query", modes, "sample-catalog"], b"");
    let answer = fbc(&["query", "-cs", program, "-"], text(&catalog).as_bytes());
    assert_eq!(text(&answer), "\"lighthouse-operator\"\n");
    if has_jq() {
        for catalog in recorded() {
            let rendered = fbc(&["render", &catalog], b"");
            let theirs = run("jq", &["-cs", program], text(&rendered).as_bytes());
            assert!(fbc(&["query", "-cs", program, &catalog], b"").stdout == theirs.stdout, "{catalog}");
        }
    }
}

/// Q3, D-EXT-7, D-EXT-9: the metadata of a package.
#[test]
fn q3_d_ext_7_package_metadata() {
    check(&["-s"], r#".[] | select( .schema == "olm.package") | select( .name == "tide-operator")"#, TIDE);
    check(
        &["-s"],
        r#".[] | select( .schema == "olm.package") | select( .name == "lighthouse-operator").icon.mediatype"#,
        "\"image/svg+xml\"\n",
    );
}

/// Q4, D-EXT-9, X-11: "all blobs of a package" misses the package itself, which has no `package`.
#[test]
fn q4_x_11_blobs_of_a_package() {
    check(
        &["-sc"],
        r#".[] | select( .package == "tide-operator") | .schema"#,
        "\"olm.channel\"\n\"olm.bundle\"\n",
    );
}

/// Q5, D-EXT-49: the channels of a package.
#[test]
fn q5_d_ext_49_channels() {
    check(
        &["-s"],
        r#".[] | select( .schema == "olm.channel" ) | select( .package == "lighthouse-operator") | .name"#,
        "\"candidate\"\n\"stable\"\n",
    );
}

/// Q6 and Q6b, D-EXT-50: the versions in a channel, in both spellings.
#[test]
fn q6_d_ext_50_versions_in_a_channel() {
    let versions = "\"lighthouse-operator.v2.0.0-rc.1\"\n\"lighthouse-operator.v1.2.0\"\n";
    let select = r#".[] | select( .package == "lighthouse-operator" ) | select( .schema == "olm.channel" ) | select( .name == "candidate" )"#;
    check(&["-s"], &format!("{select} .entries | .[] | .name"), versions);
    check(&["-s"], &format!("{select} | .entries | .[] | .name"), versions);
}

/// Q7, D-EXT-9: the newest version of a channel, and its upgrade paths.
#[test]
fn q7_d_ext_9_channel() {
    let select = r#".[] | select( .schema == "olm.channel" ) | select ( .name == "alpha") | select( .package == "tide-operator")"#;
    let channel = "{\"schema\":\"olm.channel\",\"name\":\"alpha\",\"package\":\"tide-operator\",\"entries\":[{\"name\":\"tide-operator.v0.1.0\"}]}\n";
    check(&["-sc"], select, channel);
}

/// Q8, D-EXT-9: the bundles of a package.
#[test]
fn q8_d_ext_9_bundles() {
    check(
        &["-s"],
        r#".[] | select( .schema == "olm.bundle" ) | select( .package == "tide-operator") | .name"#,
        "\"tide-operator.v0.1.0\"\n",
    );
}

/// Q9, D-EXT-9: the dependencies and APIs of a bundle.
#[test]
fn q9_d_ext_9_bundle() {
    let select = r#".[] | select( .schema == "olm.bundle" ) | select ( .name == "tide-operator.v0.1.0") | select( .package == "tide-operator")"#;
    check(
        &["-sc"],
        &format!("{select} | .properties[0]"),
        "{\"type\":\"olm.package\",\"value\":{\"packageName\":\"tide-operator\",\"version\":\"0.1.0\"}}\n",
    );
}

/// Q10, D-EXT-10: names and images of bundles, compact.
#[test]
fn q10_d_ext_10_images() {
    check(
        &["-cs"],
        r#".[] | select( .schema == "olm.bundle" ) | select( .package == "tide-operator") | {"name":.name, "image":.image}"#,
        "{\"name\":\"tide-operator.v0.1.0\",\"image\":\"quay.io/example/tide-operator-bundle:v0.1.0\"}\n",
    );
}

/// X-10: as the documents print programs, with backslashes at the ends of lines.
#[test]
fn x_10_programs_broken_over_lines() {
    let program = ".[] | select( .schema == \"olm.bundle\" ) \\\n  | select( .package == \"tide-operator\") \\\n  | {\"name\":.name, \"image\":.image}";
    let answer = fbc(&["query", "-cs", program, "sample-catalog"], b"");
    let straight = fbc(&["query", "-cs", &program.replace("\\\n", ""), "sample-catalog"], b"");
    assert_eq!(text(&answer), text(&straight));
    assert!(!text(&answer).is_empty());
}

#[test]
fn programs_that_jq_answers_alike() {
    if !has_jq() {
        return;
    }
    let programs = [
        ".",
        "keys",
        "to_entries[0]",
        "tojson",
        ".properties[]?.type",
        "paths | tostring",
        "[paths]",
        "leaf_paths",
        "tostream",
        "del(.name)",
        "del(.entries[]? | select(.name // \"\" | test(\"v1\")))",
        "del(.entries[0, 2]?)",
        "del(.entries[1:]?)",
        "delpaths([[\"name\"]])",
        "[.entries[]? | .name, null, 1.5, true] | @csv",
        "[.entries[]? | .name, null, 1.5, \"a\\tb\\\\\"] | @tsv",
        "[.entries[]? | .name, null, 1.5, true] | join(\"-\")",
        "10 / 4, 10 / 2, 1e1000, nan, -1e-7, 1e17, 3.0",
        "10 / 2 | tostring, tojson",
        "\"\\u0000\\u007f\\u00e9\"",
        "map_values(select(type == \"string\"))?",
        ". + {a: 1} | .name = \"x\"",
        "[limit(3; .entries[]?)]",
        "reduce .entries[]? as $e ({}; .[$e.name // \"none\"] = $e.replaces)",
        "INDEX(.entries[]?; .name) | keys",
        "[.. | numbers]",
        "@base64 \"x\\(.name)\"",
        ".relatedImages[]?.image | split(\"@\")[1]",
        "input.name",
        "first(inputs)",
        "error",
    ];
    let mut catalogs = recorded();
    catalogs.truncate(1);
    catalogs.push("sample-catalog".to_owned());
    for catalog in catalogs {
        let rendered = fbc(&["render", &catalog], b"");
        for program in programs {
            let flags: &[&str] =
                if program == "." { &["-c", "-r", "-j", "-S", "--tab", "-a"] } else { &["-c", "-r"] };
            for &flag in flags {
                let ours = fbc(&["query", flag, program, &catalog], b"");
                let theirs = run("jq", &[flag, program], text(&rendered).as_bytes());
                assert_eq!(
                    String::from_utf8_lossy(&ours.stdout),
                    String::from_utf8_lossy(&theirs.stdout),
                    "{flag} {program} of {catalog}"
                );
                assert_eq!(ours.status.success(), theirs.status.success(), "{flag} {program} of {catalog}");
            }
        }
    }
}

#[test]
fn output_does_not_depend_on_threads() {
    let once = |threads: &str, program: &str| {
        let output = fbc(&["query", "--threads", threads, program, "sample-catalog"], b"");
        (output.stdout, output.stderr, output.status.code())
    };
    for program in [".", ".entries[0]", "input", "range(40) | \"x\" * 40000"] {
        assert_eq!(once("1", program), once("4", program), "{program}");
    }
}

/// Output without end is written as it comes.
#[test]
fn a_reader_may_stop_a_program_that_never_ends() {
    let mut child = crate::fbc()
        .args(["query", "repeat(\"x\" * 65536)", "sample-catalog"])
        .current_dir(testdata(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut some = vec![0; 4 << 20];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut some).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

/// The edited sample catalog, which must be valid.
fn edited(program: &str) -> String {
    let edited = fbc(&["query", program, "sample-catalog"], b"");
    let validated = fbc(&["validate", "--profile", "opm", "-"], text(&edited).as_bytes());
    assert!(validated.status.success(), "{program}: {}", String::from_utf8_lossy(&validated.stdout));
    text(&edited).to_owned()
}

/// D-FBC-6: promote a bundle, change the default channel, fix upgrade paths, each with jq alone.
#[test]
fn d_fbc_6_edits() {
    let promoted = edited(
        r#"if .schema == "olm.channel" and .name == "stable" then .entries |= [{name: "lighthouse-operator.v2.0.0-rc.1", replaces: "lighthouse-operator.v1.2.0"}] + . else . end"#,
    );
    assert_eq!(promoted.matches("lighthouse-operator.v2.0.0-rc.1\"").count(), 3);
    let other_default = edited(
        r#"if .schema == "olm.package" and .name == "lighthouse-operator" then .defaultChannel = "candidate" else . end"#,
    );
    assert!(other_default.contains("\"defaultChannel\": \"candidate\""));
    let other_edges = edited(
        r#"if .schema == "olm.channel" then (.entries[] | select(.name == "lighthouse-operator.v1.2.0")) += {skipRange: "<1.2.0"} else . end"#,
    );
    assert_eq!(other_edges.matches("\"skipRange\": \"<1.2.0\"").count(), 2);
    // What does not hold is found.
    let broken = fbc(&["query", r#"del(.entries[0]?)"#, "sample-catalog"], b"");
    assert_eq!(fbc(&["validate", "-"], &broken.stdout).status.code(), Some(1));
}

/// D-FBC-7: a subset of a catalog is one, and several together are one.
#[test]
fn d_fbc_7_subset_and_merge() {
    let subset =
        |package: &str| edited(&format!(r#"select(.package == "{package}" or .name == "{package}")"#));
    let filtered =
        |package: &str| text(&fbc(&["filter", "-q", "-p", package, "sample-catalog"], b"")).to_owned();
    let merged = subset("lighthouse-operator") + &subset("tide-operator");
    let whole = fbc(&["render", "sample-catalog"], b"");
    assert_eq!(text(&fbc(&["render", "-"], merged.as_bytes())), text(&whole));
    let merged = filtered("lighthouse-operator") + &filtered("tide-operator");
    assert_eq!(text(&fbc(&["render", "-"], merged.as_bytes())), text(&whole));
}

/// D-FBC-9: a property for every bundle that meets a criterion.
#[test]
fn d_fbc_9_a_property_for_some_bundles() {
    let text = edited(
        r#"if .schema == "olm.bundle" and any(.properties[]; .type == "olm.gvk") then .properties += [{type: "olm.maxOpenShiftVersion", value: "4.19"}] else . end"#,
    );
    let with_api = fbc(
        &["query", "-n", r#"[inputs.properties[]? | select(.type == "olm.gvk")] | length"#, "sample-catalog"],
        b"",
    );
    let count: usize = String::from_utf8_lossy(&with_api.stdout).trim().parse().unwrap();
    assert!(count > 0);
    assert_eq!(text.matches("olm.maxOpenShiftVersion").count(), count);
}
