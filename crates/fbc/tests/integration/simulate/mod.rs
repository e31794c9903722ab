//! Runs of scenarios as other programs see them: JSON against its schema, traces, the page in Chromium, a shell's script.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use fbc_testing::{browser, repository, testdata};
use serde_json::Value;

mod budgets;
mod upgrades;

fn simulate(arguments: &[&str]) -> Output {
    crate::fbc().arg("simulate").args(arguments).current_dir(testdata("scenarios")).output()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn check(schema: &str, document: &Value) {
    let schema = fs::read(repository("schemas").join(schema)).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .take(5)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn runs_and_samples_fit_their_schemas() {
    let output = simulate(&[".", "-o", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    check("output/simulate.json", &serde_json::from_slice(&output.stdout).unwrap());
    for entry in fs::read_dir(testdata("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "yaml") {
            let document = fbc_yaml::stream::read_one(&fs::read(&path).unwrap()).unwrap();
            let value = serde_json::from_str(&fbc_yaml::json_writer::compact(document.root())).unwrap();
            check("scenario.json", &value);
        }
    }
}

#[test]
fn traces_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let trace = |threads: &str| {
        let path = folder.path().join(threads);
        let shown = path.display().to_string();
        let output = simulate(&[".", "--threads", threads, "--trace", &shown]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read_to_string(path).unwrap()
    };
    let one = trace("1");
    assert_eq!(one, trace("4"));
    assert!(one.lines().count() > 100);
    assert!(one.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let seed = |seed: &str| text(&simulate(&["install.yaml", "--seed", seed]).stdout);
    assert_ne!(seed("1"), seed("2"));
}

#[test]
fn the_page_works_in_chromium() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    simulate(&["install.yaml", "--report", &page.display().to_string()]);
    let written = fs::read_to_string(&page).unwrap();
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        let own = written.replace("http://www.w3.org/2000/svg", "").replace("https://catalogd-service", "");
        let script = own.split("<script type=\"application/json\"").next().unwrap_or_default();
        assert!(!script.contains(outside), "{outside}");
    }
    let Some(shown) = browser::elements(&page, "") else { return };
    for part in ["data-ready=\"true\"", "ClusterExtension/ferry", ">passed<", "the extension is deleted"] {
        assert!(shown.contains(part), "{part}");
    }
    // What is good and what is bad about a condition depends on its type, and for some on the reason.
    for (bar, tone) in [
        ("Serving: Available", "good"),
        ("Progressing: Succeeded", "good"),
        ("Deprecated: NotDeprecated", "good"),
        ("Available: MinimumReplicasUnavailable", "bad"),
        ("Progressing: ReplicaSetUpdated", "field"),
    ] {
        let title = shown.find(&format!(" {bar}</title>")).unwrap_or_else(|| panic!("no bar {bar}"));
        let group = &shown[..title].rsplit("<g class=\"entry\">").next().unwrap();
        assert!(group.contains(&format!("class=\"bar {tone}\"")), "{bar}: {group}");
    }
}

#[test]
fn a_shell_takes_a_script() {
    let mut shell = crate::fbc()
        .args(["simulate", "--shell", "update-by-poll.yaml"])
        .current_dir(testdata("scenarios"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let script = "# two ways to say the same\noc get clustercatalog -o name\nget clustercatalog -o name\ntime\nwait 1h\ntime\n\
                  get nothing\nwait soon\nexit\nget clustercatalog\n";
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = shell.wait_with_output();
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    let [first, second, before, after] = lines.as_slice() else { panic!("{printed}") };
    assert_eq!((*first, first), ("clustercatalog.olm.operatorframework.io/harbour", second));
    assert!(before.starts_with("2026-01-01T00:10:") && after.starts_with("2026-01-01T01:10:"), "{printed}");
    let errors = text(&output.stderr);
    assert!(
        errors.contains("resource type \"nothing\"") && errors.contains("\"soon\" is not a duration"),
        "{errors}"
    );
}

const UNMET: &str = "title: t\nobjects:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}\n\
                     expect:\n- {object: ConfigMap/default/a, absent: true}\n";

#[test]
fn a_shell_tells_what_was_not_met_before() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("unmet.yaml");
    fs::write(&scenario, UNMET).unwrap();
    let output = simulate(&["--shell", &scenario.display().to_string()]);
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(errors.contains("unmet.yaml:5: not met: ConfigMap/default/a does not exist"), "{errors}");
}

#[test]
fn the_command_that_repeats_a_run_has_its_flags() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("not met.yaml");
    fs::write(&scenario, UNMET).unwrap();
    let shown = scenario.display().to_string();
    let output = simulate(&[&shown, "--seeds", "2", "--until", "1h"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stdout);
    assert!(printed.ends_with(&format!("  fbc simulate '{shown}' --seed 1 --until 1h\n")), "{printed}");
}

#[test]
fn a_run_that_failed_fails_though_nobody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("unmet.yaml");
    fs::write(&scenario, UNMET).unwrap();
    let mut child =
        crate::fbc().args(["simulate", "-o", "json"]).arg(&scenario).stdout(Stdio::piped()).spawn();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_scenario_that_expects_nothing_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("idle.yaml");
    fs::write(&scenario, "title: t\nsteps:\n- wait: 1m\n").unwrap();
    let output = simulate(&[&scenario.display().to_string()]);
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("the scenario expects nothing"), "{}", text(&output.stderr));
}

#[test]
fn no_file_is_written_over_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("unmet.yaml");
    fs::write(&scenario, UNMET).unwrap();
    let shown = scenario.display().to_string();
    let output = simulate(&[&shown, "--report", &shown]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&scenario).unwrap(), UNMET);
}

/// A directory with a scenario and its files.
fn scenario(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn simulate_in(folder: &Path, arguments: &[&str]) -> Output {
    crate::fbc().arg("simulate").args(arguments).current_dir(folder).output()
}

#[test]
fn scenarios_read_below_their_folder_and_what_the_command_line_allows() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, namespace: default}\n";
    let inside =
        "title: t\nsteps:\n- run: oc apply -f ../elsewhere/map.yaml\n  prints: configmap/map created\n";
    let files = [
        ("own/run.yaml", inside),
        (
            "own/objects.yaml",
            "title: t\nobjects: [../elsewhere]\nexpect: [{object: ConfigMap/default/map}]\n",
        ),
        ("own/catalog.yaml", "title: t\ncatalogs: [{name: c, content: ../elsewhere/catalog}]\n"),
        ("elsewhere/map.yaml", map),
        ("elsewhere/catalog/c.yaml", "schema: olm.package\nname: a\ndefaultChannel: b\n"),
    ];
    let folder = scenario(&files);
    for (name, exit, words) in [
        ("own/run.yaml", 1, "../elsewhere/map.yaml was not read, because it leads out of own"),
        ("own/objects.yaml", 2, "cannot read ../elsewhere: it leads out of own"),
        ("own/catalog.yaml", 2, "../elsewhere/catalog leads out of the directory of the scenario"),
    ] {
        let output = simulate_in(folder.path(), &[name]);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{name}: {errors}");
        assert!(errors.contains(words) && errors.contains("--allow-read DIR"), "{name}: {errors}");
        if name != "own/objects.yaml" {
            let output = simulate_in(folder.path(), &[name, "--allow-read", "elsewhere"]);
            assert!(output.status.success(), "{name}: {}{}", text(&output.stdout), text(&output.stderr));
        }
    }
    fs::remove_dir_all(folder.path().join("elsewhere/catalog")).unwrap();
    let output = simulate_in(folder.path(), &["own/objects.yaml", "--allow-read", "elsewhere"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
