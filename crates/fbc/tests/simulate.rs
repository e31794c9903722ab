//! Runs of scenarios as other programs see them: JSON against its schema, traces, the page in Chromium, a shell's script.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use fbc_testing::browser;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn simulate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fbc"))
        .arg("simulate")
        .args(arguments)
        .current_dir(root().join("testdata/scenarios"))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn check(schema: &str, document: &Value) {
    let schema = fs::read(root().join("schemas").join(schema)).unwrap();
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
    for entry in fs::read_dir(root().join("testdata/scenarios")).unwrap() {
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
    let mut shell = Command::new(env!("CARGO_BIN_EXE_fbc"))
        .args(["simulate", "--shell", "update-by-poll.yaml"])
        .current_dir(root().join("testdata/scenarios"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let script = "# two ways to say the same\noc get clustercatalog -o name\nget clustercatalog -o name\ntime\nwait 1h\ntime\n\
                  get nothing\nwait soon\nexit\nget clustercatalog\n";
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
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
    let mut child = Command::new(env!("CARGO_BIN_EXE_fbc"))
        .args(["simulate", "-o", "json"])
        .arg(&scenario)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
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
    Command::new(env!("CARGO_BIN_EXE_fbc"))
        .arg("simulate")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// A workload of many pods.
fn workload(kind: &str, spec: &str) -> String {
    let (group, template) = if kind == "Job" {
        ("batch", "spec: {restartPolicy: Never, containers: [{name: c, image: x}]}")
    } else {
        ("apps", "metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: x}]}")
    };
    format!(
        "apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: big, namespace: default}}\nspec:\n  {spec}\n  \
         template:\n    {template}\n"
    )
}

#[test]
fn what_asks_for_too_much_ends_in_a_budget() {
    const SELECTOR: &str = "selector: {matchLabels: {a: b}}";
    let parallel =
        format!("serviceName: x\n  podManagementPolicy: Parallel\n  replicas: 2147483647\n  {SELECTOR}");
    for (kind, spec) in [
        ("Deployment", format!("replicas: 2147483647\n  {SELECTOR}")),
        ("StatefulSet", parallel),
        ("Job", "parallelism: 2147483647\n  completions: 2147483647".to_owned()),
    ] {
        let folder =
            scenario(&[("s.yaml", "title: t\nobjects: [w.yaml]\n"), ("w.yaml", &workload(kind, &spec))]);
        let output = simulate_in(folder.path(), &["s.yaml", "--limit", "cluster-objects=2000"]);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{kind}: {errors}");
        assert!(
            errors.contains("s.yaml: the cluster has more than 2000 objects (budget cluster-objects)")
                && errors.contains("--limit cluster-objects=N"),
            "{kind}: {errors}"
        );
    }
    let crashes = "title: t\nobjects: [w.yaml]\nbehaviours: [{namespace: default, outcome: crash, after: 5s}]\n\
        until: 36500d\nsteps: [{wait: 36500d}]\n";
    let spec = format!("replicas: 3\n  {SELECTOR}");
    let folder = scenario(&[("s.yaml", crashes), ("w.yaml", &workload("Deployment", &spec))]);
    for (limit, words) in [
        ("cluster-writes=3000", "the cluster takes more than 3000 writes (budget cluster-writes)"),
        ("cluster-work=100k", "do more than 100000 units of work (budget cluster-work)"),
    ] {
        let output = simulate_in(folder.path(), &["s.yaml", "--limit", limit]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

#[test]
fn a_thousand_replicas_are_no_fight() {
    let spec = "replicas: 1000\n  selector: {matchLabels: {a: b}}";
    let expect = "title: t\nobjects: [w.yaml]\nexpect:\n- object: Deployment/default/big\n  \
        condition: {type: Available, status: \"True\"}\n";
    let folder = scenario(&[("s.yaml", expect), ("w.yaml", &workload("Deployment", spec))]);
    // What a pod costs does not grow with the number of pods.
    let output = simulate_in(folder.path(), &["s.yaml", "--limit", "cluster-work=900k"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// A catalog with one channel, of these entries.
fn package_of(entries: &[(String, String)]) -> String {
    let mut catalog = "schema: olm.package\nname: p\ndefaultChannel: s\n---\n\
        schema: olm.channel\npackage: p\nname: s\nentries:\n"
        .to_owned();
    for (version, edges) in entries {
        catalog.push_str(&format!("- {{name: p.v{version}{edges}}}\n"));
    }
    for (version, _) in entries {
        catalog.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/p/p:{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n"
        ));
    }
    catalog
}

/// Entries in a chain, each of which replaces the one before.
fn chain(length: usize) -> Vec<(String, String)> {
    let edges = |number: usize| match number.checked_sub(1) {
        Some(before) => format!(", replaces: p.v1.{before}.0"),
        None => String::new(),
    };
    (0..length).map(|number| (format!("1.{number}.0"), edges(number))).collect()
}

#[test]
fn versions_that_go_the_same_way_end_alike() {
    let mut old = chain(12);
    // Branches, gaps, a version that the new catalog lacks, and one that it has with another image.
    old.push(("2.0.0".to_owned(), String::new()));
    let mut new = chain(16);
    new.remove(3);
    new[5].1.push_str(", skips: [p.v1.2.0]");
    new[8].1 = ", skipRange: '>=1.1.0 <1.4.0'".to_owned();
    new.push(("2.0.0".to_owned(), String::new()));
    let new = package_of(&new).replace("q.io/p/p:1.7.0", "q.io/p/other:1.7.0");
    let folder = scenario(&[("old/c.yaml", &package_of(&old)), ("new/c.yaml", &new)]);
    let told = simulate_in(folder.path(), &["upgrade", "old", "new", "-v"]);
    // Where runs are told, each version has a cluster of its own.
    let alone = simulate_in(folder.path(), &["upgrade", "old", "new", "-o", "json", "--runs"]);
    assert_eq!((told.status.code(), alone.status.code()), (Some(1), Some(1)), "{}", text(&told.stderr));
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    assert!(alone["upgrades"][0]["run"].is_object());
    let rows: Vec<Vec<&str>> = alone["upgrades"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["installed", "after", "progressing"].map(|key| row[key].as_str().unwrap()).to_vec())
        .collect();
    let told = text(&told.stdout);
    let table: Vec<Vec<&str>> = told
        .lines()
        .filter(|line| line.contains(": ") && !line.starts_with(' '))
        .map(|line| line.split_whitespace().map(|word| word.trim_end_matches(':')).take(3).collect())
        .collect();
    assert_eq!(rows.len(), 13);
    assert_eq!(table, rows, "{told}");
}

#[test]
fn upgrades_of_many_versions_share_their_way() {
    let mut leap = chain(150);
    leap.iter_mut().for_each(|(_, edges)| edges.clear());
    leap[149].1 = ", skipRange: '<1.149.0'".to_owned();
    let folder = scenario(&[("c/c.yaml", &package_of(&chain(150))), ("leap/c.yaml", &package_of(&leap))]);
    let upgrade = |catalog: &str, more: &[&str]| {
        let arguments = ["upgrade", catalog, catalog, "-v", "--limit", "upgrade-work=200k"];
        simulate_in(folder.path(), &[&arguments, more].concat())
    };
    for catalog in ["c", "leap"] {
        let shared = upgrade(catalog, &[]);
        assert!(shared.status.success(), "{}", text(&shared.stderr));
        assert_eq!(text(&shared.stdout).matches("1.149.0 ").count(), 151, "{}", text(&shared.stdout));
    }
    let alone = upgrade("c", &["-o", "json", "--runs"]);
    assert_eq!(alone.status.code(), Some(2));
    let errors = text(&alone.stderr);
    let words = "the upgrades of package \"p\" take more than 200000 units of work (budget upgrade-work)";
    assert!(errors.contains(words), "{errors}");
}

#[test]
fn an_operator_that_cannot_watch_all_namespaces_is_told_which() {
    let catalog =
        package_of(&[("0.3.0".to_owned(), String::new())]).replace("p.v0.3.0", "dock-operator.v0.3.0");
    let folder = scenario(&[("c/c.yaml", &catalog)]);
    let bundles = root().join("testdata/dock-bundle").display().to_string();
    let upgrade = |target: &str| {
        simulate_in(folder.path(), &["upgrade", "c", "c", "--bundles", &bundles, "--target", target])
    };
    let installs = upgrade("ocp-4.21");
    assert!(installs.status.success(), "{}{}", text(&installs.stdout), text(&installs.stderr));
    let refused = upgrade("ocp-4.20");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stdout).contains("exactly one target namespace"), "{}", text(&refused.stdout));
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
