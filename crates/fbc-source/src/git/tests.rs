//! Repositories made by a real git, and what its own porcelain says of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};
use std::time::Duration;

use fbc_model::tree::Tree as _;
use fbc_rules::rep::repository::Touch;

use super::*;
use crate::git_tree::{GitPath, GitTree};

mod places;

struct Clone(tempfile::TempDir);

impl Clone {
    /// Nothing where there is no git.
    fn new() -> Option<Self> {
        if !fbc_testing::is_installed("git") {
            return None;
        }
        let clone = Self(tempfile::tempdir().unwrap());
        clone.git(&["init", "--quiet", "--initial-branch=main"]);
        Some(clone)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn git(&self, words: &[&str]) -> Vec<u8> {
        self.git_with(words, b"")
    }

    fn git_with(&self, words: &[&str], input: &[u8]) -> Vec<u8> {
        let mut command = Command::new("git");
        command.current_dir(self.0.path()).args(words).envs([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@example.com"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@example.com"),
        ]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=change"]);
    }

    fn touched(&self, folders: &[&str]) -> BTreeMap<String, Touch> {
        let folders: Vec<&Path> = folders.iter().map(Path::new).collect();
        let repository = Repository::around(self.0.path(), GitLimits::USUAL).unwrap();
        let touched = repository.touched_since(&repository.resolve("HEAD").unwrap(), &folders).unwrap();
        touched.into_iter().map(|(path, touch)| (path.to_string_lossy().into_owned(), touch)).collect()
    }

    /// As `git diff` and `git ls-files` say it.
    fn touched_as_git_says(&self) -> BTreeMap<String, Touch> {
        let diff = self.git(&["diff", "--name-status", "--no-renames", "-z", "HEAD", "--"]);
        let text = String::from_utf8(diff).unwrap();
        let mut touched = BTreeMap::new();
        let mut fields = text.split('\0');
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let touch = match status {
                "A" => Touch::Added,
                "D" => Touch::Deleted,
                _ => Touch::Modified,
            };
            touched.insert(path.to_owned(), touch);
        }
        let unknown = self.git(&["ls-files", "--others", "--exclude-standard", "-z"]);
        let unknown = String::from_utf8(unknown).unwrap();
        let unknown = unknown.split('\0').filter(|path| !path.is_empty());
        touched.extend(unknown.map(|path| (path.to_owned(), Touch::Added)));
        touched
    }
}

#[test]
fn the_work_tree_is_compared_as_git_does() {
    let Some(clone) = Clone::new() else { return };
    for path in
        ["same", "edited", "same size", "staged", "deleted", "removed", "a/b/moved", "tool", "to\nlink"]
    {
        clone.write(path, &format!("content of {path}\n"));
    }
    clone.write("folder/below", "x");
    clone.write("behind/file", "content\n");
    clone.write(".gitignore", "*.log\n/forced\n");
    clone.write("windows", "one\r\ntwo\r\n");
    clone.write("touched", "the same later\n");
    symlink("same", clone.path("link")).unwrap();
    symlink("same", clone.path("same link")).unwrap();
    clone.commit();
    assert_eq!(clone.touched(&[]), BTreeMap::new());

    clone.write("edited", "other content\n");
    clone.write("same size", "Content of same size\n");
    clone.write("staged", "new\n");
    clone.git(&["add", "staged"]);
    // The stamp of the index is that of another file.
    clone.write("touched", "the same later\n");
    fs::remove_file(clone.path("deleted")).unwrap();
    clone.git(&["rm", "--quiet", "removed"]);
    clone.git(&["mv", "a/b/moved", "a/moved"]);
    fs::set_permissions(clone.path("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    clone.git(&["add", "tool"]);
    fs::remove_file(clone.path("to\nlink")).unwrap();
    symlink("same", clone.path("to\nlink")).unwrap();
    fs::remove_file(clone.path("link")).unwrap();
    symlink("edited", clone.path("link")).unwrap();
    // A file in the place of a directory, and a link: what lies behind it is not in the repository.
    fs::remove_dir_all(clone.path("folder")).unwrap();
    clone.write("folder", "a file now");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("file"), "content\n").unwrap();
    fs::remove_dir_all(clone.path("behind")).unwrap();
    symlink(outside.path(), clone.path("behind")).unwrap();
    clone.write("new/file", "x");
    clone.write("new/file.log", "ignored");
    clone.write("forced", "tracked all the same");
    clone.git(&["add", "--force", "forced"]);
    clone.write("intended", "x");
    clone.git(&["add", "--intent-to-add", "intended"]);
    let touched = clone.touched(&[]);
    assert_eq!(touched, clone.touched_as_git_says());
    assert_eq!((touched.get("touched"), touched.get("behind/file")), (None, Some(&Touch::Deleted)));
    assert_eq!(
        clone.touched(&["a", "new"]),
        touched
            .iter()
            .filter(|(path, _)| path.starts_with("a/") || path.starts_with("new/"))
            .map(|(path, touch)| (path.clone(), *touch))
            .collect()
    );
    assert_eq!(clone.touched(&["n*"]), BTreeMap::new());
}

/// Ends of lines are the business of settings, which are not applied here.
#[test]
fn ends_of_lines_are_no_change() {
    let Some(clone) = Clone::new() else { return };
    clone.write("a", "one\ntwo\n");
    clone.write("b", "one\r\ntwo\r\n");
    clone.write("c", "one\ntwo\n");
    clone.commit();
    clone.write("a", "one\r\ntwo\r\n");
    clone.write("b", "one\ntwo\n");
    clone.write("c", "one\rtwo\n");
    assert_eq!(clone.touched(&[]), BTreeMap::from([("c".to_owned(), Touch::Modified)]));
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_as_it_was() {
    let Some(clone) = Clone::new() else { return };
    for path in ["in/a", "out/a", "out/deep/b", "out/c"] {
        clone.write(path, path);
    }
    clone.commit();
    clone.git(&["sparse-checkout", "set", "--no-cone", "/in/"]);
    assert!(!clone.path("out/a").exists());
    assert_eq!(clone.touched(&[]), BTreeMap::new());
    clone.write("in/a", "other");
    assert_eq!(clone.touched(&[]), BTreeMap::from([("in/a".to_owned(), Touch::Modified)]));
}

#[test]
fn submodules_count_by_their_staged_commit() {
    let (Some(clone), Some(other)) = (Clone::new(), Clone::new()) else { return };
    other.write("a", "a");
    other.commit();
    let url = other.0.path().to_str().unwrap();
    clone.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    clone.commit();
    clone.write("sub/a", "changed");
    assert_eq!(clone.touched(&[]), BTreeMap::new());
    clone.git(&["-C", "sub", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-am", "2"]);
    clone.git(&["add", "sub"]);
    assert_eq!(clone.touched(&[]), BTreeMap::from([("sub".to_owned(), Touch::Modified)]));
}

/// A pipe in place of a file of settings: git waits for somebody to write into it.
#[test]
fn a_git_that_does_not_answer_is_given_up() {
    let Some(clone) = Clone::new() else { return };
    clone.write("a", "a");
    clone.commit();
    let pipe = clone.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let config = format!("[include]\n\tpath = {}\n", pipe.display());
    fs::write(clone.path(".git/config"), config).unwrap();
    let limits = GitLimits { patience: Duration::from_millis(50), ..GitLimits::USUAL };
    let error = Repository::around(clone.0.path(), limits).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget("git-seconds"));
    let told = "`git rev-parse` gave no answer within 0.05 seconds (limit git-seconds)";
    assert!(error.message().starts_with(told), "{error}");
    // Readers of objects, which are asked often.
    let repository = Repository { folder: clone.0.path().to_path_buf(), limits, is_bare: false };
    let mut reader = objects::ObjectReader::start(&repository).unwrap();
    let error = reader.read_into("0", &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("gave no answer"), "{error}");
}

/// Directories that hold the same directory many times: 10^8 files of a few objects.
#[test]
fn files_without_end_use_up_a_budget() {
    let Some(clone) = Clone::new() else { return };
    let mut id = clone.git_with(&["hash-object", "-w", "--stdin"], b"x");
    let mut line = "100644 blob";
    for _ in 0..8 {
        let id_text = String::from_utf8(id.clone()).unwrap().trim().to_owned();
        let tree: String = (0..10).map(|name| format!("{line} {id_text}\t{name}\n")).collect();
        id = clone.git_with(&["mktree"], tree.as_bytes());
        line = "040000 tree";
    }
    let tree = String::from_utf8(id).unwrap().trim().to_owned();
    let limits = GitLimits { bytes: 1 << 20, ..GitLimits::USUAL };
    let repository = Repository::around(clone.0.path(), limits).unwrap();
    let error = GitTree::open(repository, &tree, Path::new("")).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Budget("git-bytes"), "{error}");
}

/// Long names of directories, each in many directories.
#[test]
fn directories_without_end_use_up_a_budget() {
    let Some(clone) = Clone::new() else { return };
    let mut id = clone.git_with(&["hash-object", "-w", "--stdin"], b"x");
    let mut line = "100644 blob";
    for level in 0..100 {
        let id_text = String::from_utf8(id.clone()).unwrap().trim().to_owned();
        let names = if level == 99 { 0..500 } else { 0..1 };
        let tree: String = names.map(|name| format!("{line} {id_text}\t{name:0>250}\n")).collect();
        id = clone.git_with(&["mktree"], tree.as_bytes());
        line = "040000 tree";
    }
    let tree = String::from_utf8(id).unwrap().trim().to_owned();
    let limits = GitLimits { bytes: 16 << 20, ..GitLimits::USUAL };
    let repository = Repository::around(clone.0.path(), limits).unwrap();
    let error = GitTree::open(repository, &tree, Path::new("")).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Budget("git-bytes"), "{error}");
    assert!(error.message().starts_with("the directories of"), "{error}");
}

#[test]
fn objects_that_are_missing_are_told() {
    let Some(clone) = Clone::new() else { return };
    clone.write("catalog/a.yaml", "a");
    clone.write("catalog/b.yaml", "b");
    clone.write("elsewhere/c.yaml", "c");
    clone.commit();
    let id = String::from_utf8(clone.git(&["rev-parse", "HEAD:catalog/a.yaml"])).unwrap();
    let (folder, name) = id.trim().split_at(2);
    fs::remove_file(clone.path(&format!(".git/objects/{folder}/{name}"))).unwrap();
    let open = |path: &str| {
        let repository = Repository::around(clone.0.path(), GitLimits::USUAL).unwrap();
        GitTree::open(repository, "HEAD", Path::new(path))
    };
    for (path, told) in [
        ("catalog", "the repository lacks the content of 1 of 2 files of HEAD:catalog"),
        ("catalog/a.yaml", "the repository lacks the content of 1 of 1 files of HEAD:catalog/a.yaml"),
    ] {
        let error = open(path).err().unwrap();
        assert_eq!(error.message(), told);
        assert!(error.line().contains("`git fetch --refetch --no-filter`"), "{}", error.line());
    }
    // What is there can be read.
    assert!(matches!(open("elsewhere"), Ok(GitPath::Folder(_))));
    let Ok(GitPath::Folder(tree)) = open("") else { panic!("the root is a directory") };
    assert_eq!(tree.read(Path::new("catalog/b.yaml")).unwrap(), b"b");
    let error = tree.read(Path::new("catalog/a.yaml")).unwrap_err();
    assert!(error.to_string().contains("lacks its content"), "{error}");
}

/// A catalog may hold what looks like a repository without a work tree: it does not answer for the one around it.
#[test]
fn repositories_within_catalogs_do_not_answer() {
    let Some(clone) = Clone::new() else { return };
    clone.write("catalog/a.yaml", "a");
    clone.commit();
    let error =
        || Repository::around(&clone.path("catalog"), GitLimits::USUAL).err().map(|error| error.line());
    assert_eq!(error(), None);
    clone.git(&["init", "--quiet", "--bare", "inner"]);
    for part in ["HEAD", "objects", "refs"] {
        fs::rename(clone.path("inner").join(part), clone.path("catalog").join(part)).unwrap();
    }
    fs::write(clone.path("catalog/config"), "[core]\n\tbare = false\n\tworktree = .\n").unwrap();
    let told = error().unwrap();
    assert!(told.contains("a repository without a work tree") && told.contains("`GIT_DIR=PATH`"), "{told}");
}
