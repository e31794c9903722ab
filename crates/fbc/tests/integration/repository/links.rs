//! Symbolic links that lead out of a repository or a directory that is written: nothing is written through them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use fbc_testing::is_installed;

use super::sample::{Sample, copy};

/// A repository `repo` in a directory of its own, and `out` beside it with a few files.
struct Case {
    sample: Sample,
}

impl Case {
    fn new(repository: &str) -> Self {
        let testdata = fbc_testing::testdata("");
        let sample = Sample::empty();
        for (from, to) in [
            (format!("repositories/{repository}"), "repo"),
            ("sample-catalog".to_owned(), "repo/sample"),
            ("beacon-bundle".to_owned(), "repo/bundle"),
        ] {
            copy(&testdata.join(from), &sample.path(to));
        }
        sample.write("out/victim", "old\n");
        sample.write("out/Dockerfile", "FROM x:v4.16\n");
        Self { sample }
    }

    /// Puts a link in the place of whatever is there.
    fn link(&self, target: &str, link: &str) {
        let link = self.sample.path("repo").join(link);
        match fs::symlink_metadata(&link) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&link).unwrap(),
            Ok(_) => fs::remove_file(&link).unwrap(),
            Err(_) => fs::create_dir_all(link.parent().unwrap()).unwrap(),
        }
        symlink(target, link).unwrap();
    }

    fn outside(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let (mut found, mut left) = (BTreeMap::new(), vec![self.sample.path("out")]);
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                found.insert(path.clone(), fs::read(&path).ok());
                left.extend(path.is_dir().then_some(path));
            }
        }
        found
    }

    #[track_caller]
    fn refuses(&self, words: &str) -> String {
        let before = self.outside();
        let words: Vec<&str> = words.split(' ').collect();
        let (code, out, err) = self.sample.fbc_in("repo", &words);
        assert!(matches!(code, 1 | 2), "{words:?}: {code} {out}{err}");
        let is_told =
            err.contains("leads out of") || err.contains("the repository names it as its configuration");
        assert!(is_told, "{words:?}: {out}{err}");
        assert_eq!(self.outside(), before, "{words:?}");
        err
    }

    #[track_caller]
    fn allows(&self, words: &str) {
        let before = self.outside();
        let words: Vec<&str> = words.split(' ').collect();
        let (code, out, err) = self.sample.fbc_in("repo", &words);
        assert_eq!(code, 0, "{words:?}: {out}{err}");
        assert_ne!(self.outside(), before, "{words:?}");
    }
}

#[test]
fn commands_write_in_their_repository_only() {
    if !is_installed("git") {
        return;
    }
    // The repository, what is linked where, and the command.
    for (repository, target, link, words) in [
        ("directories", "../out/victim", ".gitattributes", "merge-driver --install"),
        ("directories", "../out/new", ".gitattributes", "merge-driver --install"),
        ("directories", "../../out/config", ".git/config", "merge-driver --install"),
        ("directories", "../out/victim", "fbc.toml", "init --repository"),
        ("directories", "../out", "v4.18", "generate --new-ocp 4.18"),
        ("matrix", "../../../out", "catalog/v4.18/beacon-operator", "generate"),
        ("matrix", "../../../../out/new", "catalog/v4.18/beacon-operator/catalog.yaml", "generate"),
        ("matrix", "../../out/Dockerfile", "catalog/v4.18.Dockerfile", "generate"),
        (
            "matrix",
            "../../../../out/victim",
            "catalog/v5.0/beacon-operator/lifecycle.json",
            "lifecycle inject ../lifecycles.yaml .",
        ),
        (
            "operators",
            "../../out",
            "catalogs/v4.17",
            "repository release operators/beacon-operator/9.0.0 --image quay.io/x/b:v9",
        ),
        ("matrix", "../../out/victim", "pages/fbc.1", "man --output-dir pages"),
        ("matrix", "../../out", "schemas/blob", "schema --output-dir schemas"),
        (
            "matrix",
            "../../out",
            "generated/metadata",
            "opm alpha bundle generate -d bundle/manifests -p b -c a -u generated",
        ),
        (
            "matrix",
            "../../out",
            "generated/manifests",
            "opm alpha bundle generate -d bundle/manifests -p b -c a -u generated",
        ),
    ] {
        let case = Case::new(repository);
        case.sample.write("lifecycles.yaml", super::lifecycle::LIFECYCLE);
        if repository == "operators" {
            let release = "repo/operators/beacon-operator/9.0.0";
            copy(&case.sample.path("repo/bundle"), &case.sample.path(release));
            let config = "catalog_templates:\n- {template_name: basic.yaml, channels: [stable], replaces: beacon-operator.v1.1.0}\n";
            case.sample.write(&format!("{release}/release-config.yaml"), config);
            let manifest = format!("{release}/manifests/csv.yaml");
            case.sample.write(&manifest, &case.sample.text(&manifest).replace("1.0.0", "9.0.0"));
        }
        assert!(case.sample.init("repo"));
        if link == ".git/config" {
            fs::copy(case.sample.path("repo/.git/config"), case.sample.path("out/config")).unwrap();
        }
        case.link(target, link);
        case.refuses(words);
        // Nothing is half done: git knows no driver whose files it does not know.
        if words.contains("--output-dir") {
            let folder = case.sample.path("repo").join(link);
            assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "{words}");
        }
        let configuration = fs::read_to_string(case.sample.path("repo/.git/config")).unwrap();
        assert!(!configuration.contains("merge"), "{configuration}");
    }
}

#[test]
fn templates_that_lie_elsewhere_are_neither_read_nor_edited() {
    let case = Case::new("directories");
    fs::copy(case.sample.path("repo/v4.17/catalog-template.yaml"), case.sample.path("out/t.yaml")).unwrap();
    case.link("../../out/t.yaml", "v4.17/catalog-template.yaml");
    fs::create_dir(case.sample.path("repo/.git")).unwrap();
    case.refuses("generate");
    let deprecate = "deprecate v4.17/catalog-template.yaml beacon-operator --message Use-another";
    let err = case.refuses(deprecate);
    assert!(err.contains("cannot write v4.17/catalog-template.yaml"), "{err}");
    // Outside of a work tree the link is the user's, and its target is what is edited.
    fs::copy(
        case.sample.path("repo/v4.17/catalog/beacon-operator/catalog.yaml"),
        case.sample.path("out/c.yaml"),
    )
    .unwrap();
    symlink("out/c.yaml", case.sample.path("own.yaml")).unwrap();
    let (code, _, err) =
        case.sample.fbc(&["deprecate", "own.yaml", "beacon-operator", "--message", "Use-another"]);
    assert!(code == 0 && case.sample.text("out/c.yaml").contains("Use-another"), "{err}");
    assert!(case.sample.path("own.yaml").is_symlink());
}

#[test]
fn blobs_leave_a_layout_where_the_user_says_so() {
    let case = Case::new("matrix");
    let build = ["build", "sample", "--to", "oci:layout"];
    assert_eq!(case.sample.fbc_in("repo", &build).0, 0);
    fs::create_dir(case.sample.path("repo/.git")).unwrap();
    case.link("../../out", "layout/blobs");
    let err = case.refuses("build sample --to oci:layout");
    assert!(err.contains("`--follow-links`"), "{err}");
    case.allows("build sample --to oci:layout --follow-links");
    // Outside of a work tree nobody else has made the link.
    fs::remove_dir(case.sample.path("repo/.git")).unwrap();
    fs::remove_dir_all(case.sample.path("out/sha256")).unwrap();
    case.allows("build sample --to oci:layout");
}

#[test]
fn links_that_the_user_trusts_are_followed() {
    for (repository, target, link, words) in [
        ("directories", "../out/victim", ".gitattributes", "merge-driver --install"),
        ("directories", "../out/new", "fbc.toml", "init --repository"),
        ("directories", "../out", "v4.18", "generate --new-ocp 4.18"),
        ("matrix", "../../out/Dockerfile", "catalog/v4.18.Dockerfile", "generate"),
    ] {
        let case = Case::new(repository);
        if !is_installed("git") || !case.sample.init("repo") {
            return;
        }
        case.link(target, link);
        case.allows(&format!("{words} --follow-links"));
    }
}

#[test]
fn a_link_to_a_repository_is_another_repository() {
    let case = Case::new("directories");
    for repository in ["home", "repo"] {
        fs::create_dir_all(case.sample.path(repository).join(".git")).unwrap();
    }
    symlink("../repo", case.sample.path("home/project")).unwrap();
    let file = "v4.17/catalog/beacon-operator/deprecations.yaml";
    let words = ["deprecate", "project/v4.17/catalog", "beacon-operator", "--message", "Use-another"];
    let (code, _, err) = case.sample.fbc_in("home", &words);
    assert!(code == 0 && case.sample.text(&format!("repo/{file}")).contains("Use-another"), "{err}");
}
