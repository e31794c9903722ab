//! `fbc merge-driver` under a real git: branches that change different blobs and entries, and such as break the graph.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use fbc_testing::Fbc;

/// A repository with a catalog and a template, in which fbc is on the path of git.
struct Clone(tempfile::TempDir);

const TEMPLATE: &str = "\
# The beacon.
schema: olm.template.basic
entries:
- schema: olm.channel
  package: beacon
  name: stable
  entries:
  - name: beacon.v1.0.0
  - name: beacon.v1.1.0
    replaces: beacon.v1.0.0
- schema: olm.bundle
  image: quay.io/beacon:1
";

fn catalog(entries: &[(&str, &str)]) -> String {
    let mut text =
        "---\nschema: olm.package\nname: beacon\ndefaultChannel: stable\n---\nschema: olm.channel\n\
        package: beacon\nname: stable\nentries:\n"
            .to_owned();
    for (version, replaces) in entries {
        text.push_str(&format!("- name: beacon.v{version}\n"));
        if !replaces.is_empty() {
            text.push_str(&format!("  replaces: beacon.v{replaces}\n"));
        }
    }
    for (version, _) in entries {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: beacon\nname: beacon.v{version}\nimage: quay.io/beacon:{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: beacon, version: {version}}}\n"
        ));
    }
    text
}

impl Clone {
    /// Nothing where there is no git.
    fn new() -> Option<Self> {
        let clone = Self(tempfile::tempdir().unwrap());
        clone.write("v4.18/catalog/beacon/catalog.yaml", &catalog(&[("1.0.0", ""), ("1.1.0", "1.0.0")]));
        clone.write("v4.18/catalog-template.yaml", TEMPLATE);
        clone.write("v4.18/Dockerfile", "FROM registry.example.com/registry:v4.18\nCOPY catalog /configs\n");
        if !fbc_testing::is_installed("git") {
            return None;
        }
        clone.git("init --quiet -b main");
        let installed = crate::fbc().args(["merge-driver", "--install"]).current_dir(clone.0.path()).output();
        assert!(installed.status.success(), "{installed:?}");
        clone.commit("first");
        Some(clone)
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn try_git(&self, words: &str) -> Output {
        Fbc::at("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"])
            .args(words.split(' '))
            .current_dir(self.0.path())
            .programs_in(Path::new(crate::FBC).parent().unwrap())
            .output()
    }

    fn git(&self, words: &str) {
        let output = self.try_git(words);
        assert!(output.status.success(), "git {words}: {output:?}");
    }

    fn commit(&self, message: &str) {
        self.git("add .");
        self.git(&format!("commit --quiet -m {message}"));
    }

    /// Makes two branches with their own texts of a file, and merges one into the other.
    fn merged(&self, path: &str, ours: &str, theirs: &str) -> (bool, String) {
        self.git("switch --quiet -c theirs main");
        self.write(path, theirs);
        self.commit("theirs");
        self.git("switch --quiet -c ours main");
        self.write(path, ours);
        self.commit("ours");
        let output = self.try_git("merge --no-edit theirs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

const CATALOG: &str = "v4.18/catalog/beacon/catalog.yaml";

#[test]
fn different_entries_of_one_place_go_together() {
    let Some(clone) = Clone::new() else { return };
    assert!(clone.text(".gitattributes").contains("v4.18/catalog/** merge=fbc\n"));
    // Both change the same lines of the channel, as git sees it: one adds a version, the other a range.
    let ours = catalog(&[("1.0.0", ""), ("1.1.0", "1.0.0"), ("1.2.0", "1.1.0")]);
    let theirs = catalog(&[("1.0.0", ""), ("1.1.0", "1.0.0")])
        .replace("  replaces: beacon.v1.0.0\n", "  replaces: beacon.v1.0.0\n  skipRange: <1.0.0\n");
    let (clean, err) = clone.merged(CATALOG, &ours, &theirs);
    assert!(clean, "{err}");
    let merged = clone.text(CATALOG);
    assert!(merged.contains("skipRange: <1.0.0") && merged.contains("name: beacon.v1.2.0"), "{merged}");
    let valid = crate::fbc().args(["validate", "--profile", "opm"]).arg(clone.path("v4.18/catalog")).status();
    assert!(valid.success(), "{merged}");
}

#[test]
fn templates_merge_too() {
    let Some(clone) = Clone::new() else { return };
    let bundle = "- schema: olm.bundle\n  image: quay.io/beacon:1\n";
    let ours =
        TEMPLATE.replace(bundle, &format!("{bundle}- schema: olm.bundle\n  image: quay.io/beacon:2\n"));
    let theirs =
        TEMPLATE.replace(bundle, &format!("{bundle}- schema: olm.bundle\n  image: quay.io/beacon:3\n"));
    let (clean, err) = clone.merged("v4.18/catalog-template.yaml", &ours, &theirs);
    assert!(clean, "{err}");
    let merged = clone.text("v4.18/catalog-template.yaml");
    assert!(
        merged.starts_with("# The beacon.") && merged.contains("beacon:2") && merged.contains("beacon:3"),
        "{merged}"
    );
}

#[test]
fn a_broken_graph_is_refused() {
    let Some(clone) = Clone::new() else { return };
    let ours = catalog(&[("1.0.0", ""), ("1.1.0", "1.0.0"), ("1.2.0", "1.1.0")]);
    let theirs = catalog(&[("1.0.0", ""), ("1.1.0", "1.0.0"), ("1.3.0", "1.1.0")]);
    let (clean, err) = clone.merged(CATALOG, &ours, &theirs);
    assert!(!clean && err.contains("several heads: \"beacon.v1.2.0\", \"beacon.v1.3.0\""), "{err}");
    let unmerged = clone.try_git("ls-files --unmerged");
    assert!(String::from_utf8_lossy(&unmerged.stdout).contains(CATALOG));
    // Both bundles are there as a whole, and one edge makes the catalog valid.
    assert!(err.contains("set `replaces` of \"beacon.v1.3.0\" to \"beacon.v1.2.0\""), "{err}");
    let text = clone.text(CATALOG);
    assert!(!text.contains("<<<<<<<") && !text.contains(">>>>>>>"), "{text}");
    let edited = "- name: beacon.v1.3.0\n  replaces: ";
    let wrong = format!("{edited}beacon.v1.1.0");
    assert!(text.contains(&wrong), "{text}");
    clone.write(CATALOG, &text.replace(&wrong, &format!("{edited}beacon.v1.2.0")));
    let valid = crate::fbc().args(["validate", "--profile", "opm"]).arg(clone.path("v4.18/catalog")).output();
    assert!(valid.status.success(), "{valid:?}");
    clone.git("add .");
    clone.git("commit --quiet -m merged");
}

#[test]
fn what_both_change_is_a_conflict() {
    let Some(clone) = Clone::new() else { return };
    let of = |range: &str| {
        let text = catalog(&[("1.0.0", ""), ("1.1.0", "1.0.0")]);
        text.replace(
            "  replaces: beacon.v1.0.0\n",
            &format!("  replaces: beacon.v1.0.0\n  skipRange: {range}\n"),
        )
    };
    let (clean, err) = clone.merged(CATALOG, &of("<1.0.0"), &of("<1.1.0"));
    assert!(!clean && err.contains("entry \"beacon.v1.1.0\", `skipRange`: both branches change it"), "{err}");
}

#[test]
fn files_without_blobs_are_merged_by_lines() {
    let Some(clone) = Clone::new() else { return };
    let path = "v4.18/catalog/README.md";
    let text = |first: &str, last: &str| format!("# {first}\n\nOne.\n\nTwo.\n\nThree.\n\n{last}: [\n");
    clone.write(path, &text("Beacon", "Last"));
    clone.commit("readme");
    let (clean, err) = clone.merged(path, &text("Ours", "Last"), &text("Beacon", "Theirs"));
    assert!(clean && clone.text(path) == text("Ours", "Theirs"), "{err}{}", clone.text(path));
}

#[test]
fn a_broken_graph_without_markers_is_told() {
    let Some(clone) = Clone::new() else { return };
    let path = "v4.18/catalog/beacon/channels.yaml";
    let channel = |name: &str, more: &str| {
        format!(
            "---\nschema: olm.channel\npackage: beacon\nname: {name}\nentries:\n- name: beacon.v1.0.0\n{more}"
        )
    };
    let package =
        |default: &str| format!("---\nschema: olm.package\nname: beacon\ndefaultChannel: {default}\n");
    let of = |default: &str, last: &str| {
        format!(
            "{}{}{last}",
            package(default),
            channel("stable", "- name: beacon.v1.1.0\n  replaces: beacon.v1.0.0\n")
        )
    };
    clone.write(path, &of("stable", &channel("fast", "")));
    clone.commit("channels");
    let (clean, err) = clone.merged(path, &of("fast", &channel("fast", "")), &of("stable", ""));
    assert!(!clean && err.contains("its default channel \"fast\" would not exist"), "{err}");
    assert!(err.contains("merge without conflict markers"), "{err}");
}

#[test]
fn a_catalog_at_the_root_names_its_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("beacon")).unwrap();
    fs::write(folder.path().join("beacon/catalog.yaml"), catalog(&[("1.0.0", "")])).unwrap();
    let dockerfile = "FROM registry.example.com/registry:v4.18\nCOPY . /configs\n";
    fs::write(folder.path().join("Dockerfile"), dockerfile).unwrap();
    if !fbc_testing::is_installed("git") {
        return;
    }
    let made = Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()).status();
    assert!(made.unwrap().success());
    let output = crate::fbc().args(["merge-driver", "--install"]).current_dir(folder.path()).output();
    assert!(output.status.success(), "{output:?}");
    let attributes = fs::read_to_string(folder.path().join(".gitattributes")).unwrap();
    assert_eq!(attributes, "**/*.json merge=fbc\n**/*.yaml merge=fbc\n**/*.yml merge=fbc\n");
}

/// A repository whose configuration names the directory of somebody else as its work tree.
#[test]
fn the_driver_is_installed_in_the_work_tree_around() {
    let Some(clone) = Clone::new() else { return };
    let other = tempfile::tempdir().unwrap();
    fs::create_dir_all(other.path().join("v4.18/catalog/beacon")).unwrap();
    fs::write(other.path().join("v4.18/catalog/beacon/catalog.yaml"), catalog(&[("1.0.0", "")])).unwrap();
    clone.git(&format!("config core.worktree {}", other.path().display()));
    let before = clone.text(".git/config");
    for folder in [".", "v4.18/catalog"] {
        let answer = crate::fbc()
            .args(["merge-driver", "--install", "--pattern=x"])
            .current_dir(clone.path(folder))
            .output();
        assert!(!answer.status.success() && answer.stdout.is_empty(), "{answer:?}");
        assert!(String::from_utf8_lossy(&answer.stderr).contains("core.worktree"), "{answer:?}");
    }
    assert!(!other.path().join(".gitattributes").exists());
    assert_eq!(clone.text(".git/config"), before);
}

#[test]
fn the_driver_is_installed_in_linked_work_trees_and_submodules() {
    let (Some(clone), Some(other)) = (Clone::new(), Clone::new()) else { return };
    clone.git("worktree add --quiet linked");
    clone.git(&format!(
        "-c protocol.file.allow=always submodule --quiet add {} sub",
        other.0.path().display()
    ));
    clone.git("config --unset merge.fbc.driver");
    for (work_tree, config) in [("linked", ".git/config"), ("sub", ".git/modules/sub/config")] {
        let answer = crate::fbc()
            .args(["merge-driver", "--install", "--pattern=x"])
            .current_dir(clone.path(work_tree).join("v4.18"))
            .output();
        assert!(answer.status.success(), "{work_tree}: {answer:?}");
        assert!(clone.text(config).contains("driver = fbc merge-driver"), "{work_tree}");
        assert!(clone.text(&format!("{work_tree}/.gitattributes")).contains("x merge=fbc"), "{work_tree}");
    }
}
