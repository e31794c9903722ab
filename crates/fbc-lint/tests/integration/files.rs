//! Rules about files and directories themselves, which need more than one file.

use std::io;
use std::path::Path;

use fbc_lint::Profile;
use fbc_lint::load;
use fbc_model::tree::{MemoryTree, Tree, TreeEntry};
use fbc_rules::lint;

const PACKAGE: &str = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";

/// The findings of a code, with their files and help.
fn findings(tree: &dyn Tree, code: &str) -> Vec<String> {
    let report = lint(&load(tree), tree, Profile::Default);
    let of_code = report.findings.iter().filter(|located| located.finding.rule.code == code);
    of_code
        .map(|located| {
            let place = located.finding.place.as_ref().map(|place| place.path.display().to_string());
            format!("{}: {} ({})", place.unwrap_or_default(), located.finding.message, located.finding.help)
        })
        .collect()
}

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    files.iter().map(|(path, text)| (*path, *text)).collect()
}

/// A tree with a file that cannot be read.
struct Locked(MemoryTree, &'static str);

impl Tree for Locked {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.0.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        if file == Path::new(self.1) {
            Err(io::ErrorKind::PermissionDenied.into())
        } else {
            self.0.read(file)
        }
    }
}

#[test]
fn files_that_cannot_be_read() {
    let files = tree(&[("a/x.yaml", PACKAGE), (".indexignore", "*.md\n")]);
    assert_eq!(
        findings(&Locked(files.clone(), "a/x.yaml"), "FBC001"),
        ["a/x.yaml: \"a/x.yaml\" cannot be read: permission denied (give yourself permission to read it)"]
    );
    assert_eq!(
        findings(&Locked(files, ".indexignore"), "FBC002"),
        [".indexignore: this file cannot be read: permission denied (fix it or remove it)"]
    );
}

#[test]
fn lines_of_ignore_files_are_bounded() {
    let files = tree(&[("x.yaml", PACKAGE), (".indexignore", &"x".repeat(70_000))]);
    assert_eq!(
        findings(&files, "FBC002"),
        [".indexignore: a line of this file is longer than 64 KiB (put each pattern on a line of its own)"]
    );
}

#[test]
fn files_that_are_no_part_of_a_catalog() {
    let help = |pattern: &str| {
        format!(
            "opm reads every file whatever its name; if this one is not part of the catalog, add the line `{pattern}` \
             to an `.indexignore` file at the root of the catalog"
        )
    };
    let files = tree(&[("x.yaml", PACKAGE), ("README.md", "Hello\n"), ("OWNERS", "approvers: [me]\n")]);
    assert_eq!(
        findings(&files, "FBC005"),
        [format!("README.md: the document is text, not an object with a schema ({})", help("*.md"))]
    );
    assert_eq!(
        findings(&files, "FBC008"),
        [format!("OWNERS: the document has no `schema` ({})", help("OWNERS"))]
    );
    let files =
        tree(&[("x.yaml", PACKAGE), (".git/config", "[core]\n"), (".git/hooks/a", "#!/bin/sh\nexit 0\n")]);
    assert_eq!(findings(&files, "FBC005"), [""; 0]);
    assert_eq!(
        findings(&files, "FBC033"),
        [
            ".git: hidden directory \".git\" is read as part of the catalog and holds documents that cannot be \
          loaded (add the line `.git/` to an `.indexignore` file at the root of the catalog)"
        ]
    );
}

#[test]
fn files_that_load_by_accident() {
    let files = tree(&[("x.yaml", PACKAGE), ("x.yaml.orig", "schema: com.example.a\n"), (".gitkeep", "")]);
    assert_eq!(
        findings(&files, "FBC216"),
        [
            "x.yaml.orig: \"x.yaml.orig\" is read as part of the catalog, though its name does not look like it \
          (rename it to `*.yaml`, or add the line `*.orig` to `.indexignore`)"
        ]
    );
}

#[test]
fn folders_without_a_blob() {
    let files = tree(&[
        ("a/x.yaml", PACKAGE),
        ("b/.gitkeep", ""),
        ("docs/x.md", "text"),
        (".indexignore", "*.md\n"),
        (".hidden/y", ""),
    ]);
    assert_eq!(
        findings(&files, "FBC217"),
        ["b: directory \"b\" holds no blob (remove it, or put the catalog of its package there)"]
    );
}

#[test]
fn what_a_refused_document_may_hold_is_not_missing() {
    let files = tree(&[
        ("package.yaml", "schema: olm.package\nname: foo\ndefaultChannel: 1\n"),
        ("channel.yaml", "schema: olm.channel\npackage: foo\nname: stable\nentries: [{name: foo.v1}]\n"),
        ("other.yaml", "schema: olm.channel\npackage: bar\nname: stable\n"),
    ]);
    let report = lint(&load(&files), &files, Profile::Opm);
    let messages: Vec<_> = report.findings.iter().map(|located| located.finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "channel \"stable\" is of package \"bar\", which the catalog does not have",
            "`defaultChannel` must be text, found a number"
        ]
    );
    assert_eq!(
        report.opm_error.as_deref(),
        Some(
            "parse package: json: cannot unmarshal number into Go struct field Package.defaultChannel of type string"
        )
    );
}

#[test]
fn only_the_last_channel_is_searched_for_missing_bundles() {
    let channel = |name: &str, entry: &str| {
        format!("---\nschema: olm.channel\npackage: foo\nname: {name}\nentries: [{{name: {entry}}}]\n")
    };
    let texts = |catalog: String| {
        let files = tree(&[("catalog.yaml", &catalog)]);
        let report = lint(&load(&files), &files, Profile::Opm);
        let codes: Vec<_> = report.findings.iter().map(|located| located.finding.rule.code).collect();
        (
            codes.into_iter().filter(|code| code.starts_with("FBC")).count(),
            report.opm_error.unwrap_or_default(),
        )
    };
    let bundle = "---\nschema: olm.bundle\nname: foo.v1\npackage: foo\nimage: quay.io/a/b:v1\n\
                  properties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]\n";
    let (count, text) =
        texts(format!("{PACKAGE}{}{}{bundle}", channel("fast", "foo.v1"), channel("stable", "foo.v2")));
    assert_eq!(count, 1);
    assert_eq!(text, "no olm.bundle blobs found in package \"foo\" for olm.channel entries [foo.v2]");
    let (count, text) =
        texts(format!("{PACKAGE}{}{}{bundle}", channel("fast", "foo.v2"), channel("stable", "foo.v1")));
    assert_eq!(count, 1);
    assert_eq!(
        text,
        "invalid index:\n└── invalid package \"foo\":\n    └── invalid channel \"fast\":\n        \
         └── invalid bundle \"foo.v2\":\n            ├── must be exactly one property with type \"olm.package\"\n            \
         └── bundle image must be set"
    );
}
