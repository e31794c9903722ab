//! What the README says beside its blocks: how to stand in for opm, and what takes the place of its commands.

use std::fmt::Write as _;
use std::fs;

use fbc_testing::{Fbc, repository};

use super::clone::Clone;

pub(crate) fn text() -> String {
    fs::read_to_string(repository("README.md")).unwrap()
}

/// The commands of the table for users of opm, each with one that does it here, and its exit code.
const COMMANDS: [(&str, &str, i32); 27] = [
    ("opm validate DIR", "opm validate testdata/sample-catalog", 0),
    ("fbc validate DIR", "fbc validate testdata/sample-catalog", 0),
    ("opm render REF -o yaml", "opm render testdata/sample-catalog -o yaml", 0),
    ("fbc render REF -o yaml", "fbc render testdata/sample-catalog -o yaml", 0),
    ("opm alpha list packages REF", "opm alpha list packages testdata/sample-catalog", 0),
    ("opm alpha list channels REF", "opm alpha list channels testdata/sample-catalog", 0),
    ("opm alpha list bundles REF", "opm alpha list bundles testdata/sample-catalog", 0),
    ("fbc list packages REF", "fbc list packages testdata/sample-catalog", 0),
    ("fbc list channels REF", "fbc list channels testdata/sample-catalog", 0),
    ("fbc list bundles REF", "fbc list bundles testdata/sample-catalog", 0),
    ("opm alpha render-graph DIR", "opm alpha render-graph testdata/sample-catalog", 0),
    ("fbc graph DIR", "fbc graph testdata/sample-catalog", 0),
    (
        "opm alpha render-template basic FILE",
        "opm alpha render-template basic testdata/templates/dropped-edge.yaml",
        0,
    ),
    (
        "opm alpha render-template semver FILE",
        "opm alpha render-template semver testdata/templates/lighthouse.yaml",
        0,
    ),
    ("fbc template render FILE", "fbc template render testdata/templates/lighthouse.yaml", 0),
    (
        "opm alpha convert-template basic FILE",
        "opm alpha convert-template basic testdata/changed-catalog/lighthouse-operator/catalog.yaml",
        0,
    ),
    (
        "fbc template convert basic FILE",
        "fbc template convert basic testdata/changed-catalog/lighthouse-operator/catalog.yaml",
        0,
    ),
    ("opm init", "opm init my-operator", 0),
    ("opm generate dockerfile", "opm generate dockerfile testdata/sample-catalog", 0),
    ("fbc init", "fbc init my-operator", 0),
    ("fbc generate dockerfile", "fbc generate dockerfile testdata/changed-catalog", 0),
    (
        "opm alpha bundle validate",
        "opm alpha bundle validate -t quay.io/example/lighthouse-operator-bundle:v1.2.0",
        0,
    ),
    ("fbc bundle validate DIR", "fbc bundle validate testdata/lighthouse-bundle", 0),
    // It is gone, and what opm's name says then names what takes its place.
    ("opm index add", "opm index add", 2),
    (
        "fbc catalog from-bundles BUNDLE...",
        "fbc catalog from-bundles quay.io/example/lighthouse-operator-bundle:v1.2.0",
        0,
    ),
    ("fbc build", "fbc build testdata/sample-catalog --to oci:image:v1", 0),
    ("fbc query EXPR REF...", "fbc query .name testdata/sample-catalog", 0),
];

/// Commands that do not end, or that need a registry: other tests run them.
const RUN_ELSEWHERE: [&str; 4] = ["opm serve DIR", "fbc serve DIR", "fbc push", "fbc mirror"];

/// The commands of the table, with each of their alternatives.
fn commands_of_the_table(readme: &str) -> Vec<String> {
    let (_, behind) = readme.split_once("\n| opm | fbc |\n").unwrap();
    let rows = behind.lines().take_while(|line| line.starts_with('|'));
    let code = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let mut commands = Vec::new();
    for command in code.filter(|code| code.starts_with("opm ") || code.starts_with("fbc ")) {
        match command.split(' ').find(|word| word.contains("\\|")) {
            Some(word) => {
                commands.extend(word.split("\\|").map(|alternative| command.replace(word, alternative)));
            }
            None => commands.push(command.to_owned()),
        }
    }
    commands
}

#[test]
fn every_command_for_users_of_opm_runs() {
    if !fbc_testing::is_installed("git") || !fbc_testing::is_installed("sh") {
        return;
    }
    let clone = Clone::new();
    std::os::unix::fs::symlink(clone.programs().join("fbc"), clone.programs().join("opm")).unwrap();
    let readme = text();
    let shown = commands_of_the_table(&readme);
    let mut wrong = String::new();
    for command in &shown {
        if RUN_ELSEWHERE.contains(&command.as_str()) {
            continue;
        }
        let Some((_, line, code)) = COMMANDS.iter().find(|(shown, ..)| shown == command) else {
            panic!("{command} is not run; say in this test how it is");
        };
        let map = "echo 'quay.io/example/lighthouse-operator-bundle:v1.2.0: testdata/lighthouse-bundle' >map.yaml; \
                   FBC_IMAGE_MAP=map.yaml";
        let (exit, text) = clone.shell(&format!("{map} {line}"));
        if exit != Some(*code) {
            writeln!(wrong, "{line}: exit {exit:?}\n{text}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    for (command, ..) in COMMANDS {
        assert!(shown.iter().any(|shown| shown == command), "{command} is not in the table");
    }
    // `render` says that it is the same.
    let render = |program: &str| clone.shell(&format!("{program} render testdata/sample-catalog -o yaml"));
    assert_eq!(render("opm"), render("fbc"));
    let (_, gone) = clone.shell("opm index add");
    assert!(gone.contains("fbc catalog from-bundles"), "{gone}");
}

/// The cell behind a name in a table.
fn cell<'t>(readme: &'t str, name: &str) -> &'t str {
    let row = readme.lines().find_map(|line| line.strip_prefix(&format!("| {name} | "))).unwrap();
    row.split('`').nth(1).unwrap()
}

#[test]
fn a_link_makes_opm_of_fbc() {
    if !fbc_testing::is_installed("git") || !fbc_testing::is_installed("sh") {
        return;
    }
    let clone = Clone::new();
    let readme = text();
    let link = cell(&readme, "in place of opm");
    let (code, text) = clone.shell(&format!("cd \"$HOME\" && {link}"));
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = clone.shell("opm version");
    assert!(code == Some(0) && text.starts_with("Version: version.Version{"), "{text}");
    let (code, text) = clone.shell("opm validate testdata/broken-catalog/graph");
    assert!(code == Some(1) && text.contains("level=fatal msg=\"invalid index:"), "{text}");
}

#[test]
fn completions_are_read_as_the_readme_says() {
    if !["bash", "git"].into_iter().all(fbc_testing::is_installed) {
        return;
    }
    let clone = Clone::new();
    let readme = text();
    let read = cell(&readme, "completions");
    let output = Fbc::at("bash")
        .args(["--norc", "--noprofile", "-c", &format!("{read} && complete -p fbc")])
        .programs_in(clone.programs())
        .output();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    assert!(output.status.success() && text.ends_with(" fbc\n"), "{text}");
}
