//! The layers of the workspace: which crate may use which, what a library crate may not do, that its errors have types,
//! that commands do not use commands, that the literal paths into objects exist, that JSON from outside is read with a limit, that
//! programs are started only where that is said, that there is one way to write, and that one build of the dependencies serves all.
//!
//! The rules are pure functions on data, tested with bad examples; only `check` reads the workspace. The same check is
//! a step of `cargo xtask test` and a test of this package.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

mod commands;
mod error_types;
mod features;
mod field_paths;
mod imports;
mod json_input;
mod patterns;
mod processes;
mod rust_text;
mod sources;
mod writing;

/// The crates from the top to the bottom; a crate may use only crates below its own line. Those above `fbc` are beside the product:
/// only tests and `cargo xtask` use them.
const LAYERS: [&str; 38] = [
    "fbc-bench",
    "fbc-replay",
    "fbc",
    "fbc-limits",
    "fbc-report",
    "fbc-simulation",
    "fbc-catalog-server",
    "fbc-app",
    "fbc-lsp",
    "fbc-apiserver",
    "fbc-serve",
    "fbc-scenario",
    "fbc-kubectl",
    "fbc-olm",
    "fbc-olm-v0",
    "fbc-openshift",
    "fbc-cluster",
    "fbc-mirror",
    "fbc-source",
    "fbc-registry",
    "fbc-image",
    "fbc-repository",
    "fbc-rules",
    "fbc-lint",
    "fbc-template",
    "fbc-bundle",
    "fbc-query",
    "fbc-resolve-v0",
    "fbc-resolve",
    "fbc-graph",
    "fbc-signature",
    "fbc-model",
    "fbc-kubernetes",
    "fbc-version",
    "fbc-yaml",
    "fbc-go",
    "fbc-staging",
    "fbc-testing",
];

/// Crates that images do not know, although they lie below them in the list.
const NOT_OF_IMAGES: [&str; 2] = ["fbc-rules", "fbc-lint"];

/// What knows neither clusters nor catalogs, and what every crate of the simulated cluster may use.
const GROUND: [&str; 4] = ["fbc-kubernetes", "fbc-version", "fbc-yaml", "fbc-go"];

/// The crates of the simulated cluster, with what each may use besides the ground. Controllers of OLM and OpenShift get
/// nothing but what any controller gets: the API server and the engine. The cluster itself knows no catalogs and no bundles.
const CLUSTER: [(&str, &[&str]); 6] = [
    ("fbc-cluster", &[]),
    ("fbc-olm", &["fbc-cluster", "fbc-bundle", "fbc-resolve", "fbc-model"]),
    ("fbc-olm-v0", &["fbc-cluster", "fbc-bundle", "fbc-resolve-v0", "fbc-model"]),
    ("fbc-openshift", &["fbc-cluster", "fbc-bundle", "fbc-resolve", "fbc-model"]),
    ("fbc-kubectl", &["fbc-cluster", "fbc-model"]),
    (
        "fbc-scenario",
        &["fbc-cluster", "fbc-olm", "fbc-openshift", "fbc-kubectl", "fbc-bundle", "fbc-resolve", "fbc-model"],
    ),
];

/// What the check found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// What breaks a rule.
    pub(crate) violations: Vec<String>,
    /// What is close to breaking one.
    pub(crate) warnings: Vec<String>,
}

/// A crate of the workspace as the rules see it.
#[derive(Debug, PartialEq, Eq)]
struct Crate {
    /// The name of the package.
    name: String,
    /// True for `crates/*`, false for helpers such as this package.
    in_crates_folder: bool,
    /// The crates of the workspace that it needs to be built; what only its tests need does not count.
    uses: Vec<String>,
}

/// Checks the whole workspace.
pub(crate) fn check(root: &Path) -> TaskResult<Report> {
    let crates = crates_of(&workspace::metadata(root)?)?;
    let mut report = Report { violations: check_arrows(&crates), warnings: Vec::new() };
    let fields = field_paths::Fields::of_workspace(root)?;
    let page = root.join("docs/architecture.md");
    let text = fs::read_to_string(&page).context(|| format!("reading {}", page.display()))?;
    report.violations.extend(check_table(&text));
    report.violations.extend(features::check(root)?);
    let mut sources = Vec::new();
    for folder in workspace::folders_in(&root.join("crates"))? {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for file in workspace::files_below(&folder.join("src"))? {
            if file.extension().is_some_and(|extension| extension == "rs") {
                let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
                let text = fs::read_to_string(&file).context(|| format!("reading {path}"))?;
                sources.push((name.clone(), path, text));
            }
        }
    }
    let commands = commands::names(sources.iter().map(|(_, path, _)| path.as_str()));
    for (name, path, text) in &sources {
        sources::check_source(name, path, text, &mut report);
        report.violations.extend(fields.check(name, path, text));
        report.violations.extend(error_types::check(name, path, text));
        report.violations.extend(json_input::check(name, path, text));
        report.violations.extend(writing::check(name, path, text));
        report.violations.extend(commands::check(path, text, &commands));
        report.violations.extend(patterns::check(path, text));
    }
    let texts = sources.iter().map(|(_, path, text)| (path.as_str(), text.as_str()));
    report.violations.extend(processes::check(texts));
    Ok(report)
}

/// Reads the answer of `cargo metadata --no-deps`.
fn crates_of(metadata: &Value) -> TaskResult<Vec<Crate>> {
    let unexpected = || TaskError::new("cargo metadata has an unexpected form");
    let crates_folder = Path::new(metadata["workspace_root"].as_str().ok_or_else(unexpected)?).join("crates");
    let packages = metadata["packages"].as_array().ok_or_else(unexpected)?;
    let members: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut crates = Vec::new();
    for package in packages {
        let name = package["name"].as_str().ok_or_else(unexpected)?;
        let manifest = package["manifest_path"].as_str().ok_or_else(unexpected)?;
        let dependencies = package["dependencies"].as_array().ok_or_else(unexpected)?;
        let uses = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|name| members.contains(name))
            .map(str::to_owned)
            .collect();
        crates.push(Crate {
            name: name.to_owned(),
            in_crates_folder: Path::new(manifest).starts_with(&crates_folder),
            uses,
        });
    }
    Ok(crates)
}

/// Every arrow that does not point down the list, and every crate that is missing from it.
fn check_arrows(crates: &[Crate]) -> Vec<String> {
    let mut violations = Vec::new();
    for Crate { name, uses, .. } in crates.iter().filter(|member| member.in_crates_folder) {
        if position(name).is_none() {
            violations.push(format!("{name} is missing from the list of layers in xtask/src/layering.rs"));
            continue;
        }
        for used in uses {
            if let Some(reason) = objection(name, used) {
                violations.push(format!("{name} uses {used}: {reason}"));
            }
        }
    }
    violations
}

/// What the table of crates in the architecture page says otherwise than the list of layers.
fn check_table(page: &str) -> Option<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let documented: Vec<&str> =
        rows.map(|(name, _)| name).filter(|name| *name == "fbc" || name.starts_with("fbc-")).collect();
    let expected: Vec<&str> = LAYERS.into_iter().filter(|name| *name != "fbc-testing").collect();
    (documented != expected).then(|| {
        format!(
            "docs/architecture.md: the table of crates is not the list of layers, {}",
            expected.join(", ")
        )
    })
}

fn position(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == name)
}

/// Why one crate may not use another; `None` when it may.
fn objection(name: &str, used: &str) -> Option<&'static str> {
    let Some(below) = position(used) else {
        return Some("that crate is not a layer");
    };
    if position(name).is_none_or(|above| above >= below) {
        return Some("the arrow does not point down");
    }
    if used == "fbc-testing" {
        return Some("only tests use that crate");
    }
    if name == "fbc-image" && NOT_OF_IMAGES.contains(&used) {
        return Some("images do not judge catalogs");
    }
    let allowed = CLUSTER.iter().find(|(member, _)| *member == name).map(|(_, allowed)| *allowed);
    if allowed.is_some_and(|allowed| !allowed.contains(&used) && !GROUND.contains(&used)) {
        return Some("a crate of the simulated cluster may not use that crate");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn member(name: &str, uses: &[&str]) -> Crate {
        Crate {
            name: name.to_owned(),
            in_crates_folder: true,
            uses: uses.iter().map(|used| (*used).to_owned()).collect(),
        }
    }

    #[test]
    fn the_workspace_keeps_its_layers() {
        let report = check(&workspace::root().unwrap()).unwrap();
        assert_eq!(report.violations, [] as [String; 0]);
    }

    #[test]
    fn the_table_of_crates_follows_the_list_of_layers() {
        let rows: Vec<String> =
            LAYERS[..LAYERS.len() - 1].iter().map(|name| format!("| `{name}` | what it is for |")).collect();
        assert_eq!(check_table(&format!("| crate | what |\n{}\n", rows.join("\n"))), None);
        assert!(check_table(&rows[1..].join("\n")).is_some_and(|message| message.contains("list of layers")));
    }

    #[test]
    fn arrows_down_the_list_are_allowed() {
        let crates = [
            member("fbc", &["fbc-cluster", "fbc-serve", "fbc-image", "fbc-lint", "fbc-yaml"]),
            member("fbc-cluster", &GROUND),
            member("fbc-scenario", &["fbc-olm", "fbc-kubectl", "fbc-cluster", "fbc-model"]),
            member("fbc-rules", &["fbc-lint", "fbc-template"]),
            member("fbc-lint", &["fbc-bundle", "fbc-graph", "fbc-yaml"]),
            member("fbc-yaml", &[]),
        ];
        assert_eq!(check_arrows(&crates), [] as [String; 0]);
    }

    #[test]
    fn every_bad_arrow_is_found() {
        let cases = [
            ("fbc-yaml", "fbc-version", "the arrow does not point down"),
            ("fbc-graph", "fbc-lint", "the arrow does not point down"),
            ("fbc", "fbc-replay", "the arrow does not point down"),
            ("fbc-lint", "fbc", "the arrow does not point down"),
            ("fbc-graph", "fbc-graph", "the arrow does not point down"),
            ("fbc-image", "fbc-lint", "images do not judge catalogs"),
            ("fbc-image", "fbc-rules", "images do not judge catalogs"),
            ("fbc-cluster", "fbc-lint", "a crate of the simulated cluster may not use that crate"),
            ("fbc-cluster", "fbc-bundle", "a crate of the simulated cluster may not use that crate"),
            ("fbc-cluster", "fbc-template", "a crate of the simulated cluster may not use that crate"),
            ("fbc-openshift", "fbc-olm", "the arrow does not point down"),
            ("fbc-olm", "fbc-openshift", "a crate of the simulated cluster may not use that crate"),
            ("fbc-lint", "xtask", "that crate is not a layer"),
        ];
        for (name, used, reason) in cases {
            let expected = format!("{name} uses {used}: {reason}");
            assert_eq!(check_arrows(&[member(name, &["fbc-yaml", used])]).last(), Some(&expected));
        }
    }

    #[test]
    fn a_crate_without_a_layer_is_found_and_helpers_are_free() {
        let violations = check_arrows(&[member("fbc-extra", &["fbc-yaml"])]);
        assert_eq!(violations, ["fbc-extra is missing from the list of layers in xtask/src/layering.rs"]);
        let helper = Crate { in_crates_folder: false, ..member("xtask", &["fbc", "fbc-lint"]) };
        assert_eq!(check_arrows(&[helper]), [] as [String; 0]);
    }

    #[test]
    fn metadata_gives_normal_and_build_arrows_between_members() {
        let metadata = json!({
            "workspace_root": "/w",
            "packages": [
                {"name": "fbc-yaml", "manifest_path": "/w/crates/fbc-yaml/Cargo.toml", "dependencies": [
                    {"name": "fbc-model", "kind": "build"},
                    {"name": "fbc-lint", "kind": "dev"},
                    {"name": "memchr", "kind": null},
                ]},
                {"name": "fbc-model", "manifest_path": "/w/crates/fbc-model/Cargo.toml", "dependencies": [
                    {"name": "fbc-yaml", "kind": null},
                ]},
                {"name": "fbc-lint", "manifest_path": "/w/crates/fbc-lint/Cargo.toml", "dependencies": []},
                {"name": "xtask", "manifest_path": "/w/xtask/Cargo.toml", "dependencies": []},
            ],
        });
        let crates = crates_of(&metadata).unwrap();
        assert_eq!(crates[0], member("fbc-yaml", &["fbc-model"]));
        assert_eq!(crates[1], member("fbc-model", &["fbc-yaml"]));
        assert!(!crates[3].in_crates_folder);
        assert_eq!(check_arrows(&crates), ["fbc-yaml uses fbc-model: the arrow does not point down"]);
        assert!(crates_of(&json!({"packages": 1})).is_err());
    }
}
