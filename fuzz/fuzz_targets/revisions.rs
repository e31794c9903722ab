//! Any text as `REV:PATH` in a repository: it names something in a revision or nothing, whatever it says to git, and nothing
//! is written or read beside the repository.
#![no_main]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use fbc_fuzz::scratch;
use fbc_model::tree::Tree;
use fbc_source::git::{GitLimits, Repository};
use fbc_source::git_tree::{GitPath, GitTree};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// What no revision holds.
const SECRET: &[u8] = b"beside the repository";
/// Directories and files, and where links lead.
const FILES: [(&str, &str); 5] = [
    ("catalog/a.yaml", "schema: olm.package\n"),
    ("catalog/deep/b.yaml", "schema: olm.channel\n"),
    ("-o", "a name like a flag\n"),
    ("with: colon", "a name with a colon\n"),
    ("[a]*?", "a name like a pattern\n"),
];
const LINKS: [(&str, &str); 7] = [
    ("in", "catalog/deep"),
    ("file", "catalog/a.yaml"),
    ("up", "catalog/../catalog"),
    ("out", "../secret"),
    ("root", "/etc/passwd"),
    ("loop", "loop"),
    ("catalog/back", ".."),
];

struct Place {
    directory: TempDir,
    /// Everything there before the first run.
    before: BTreeMap<PathBuf, u64>,
}

impl Place {
    fn repository(&self) -> PathBuf {
        self.directory.path().join("repository")
    }
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let directory = scratch();
    fs::write(directory.path().join("secret"), SECRET).expect("a file");
    let repository = directory.path().join("repository");
    for (path, text) in FILES {
        let path = repository.join(path);
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    for (path, target) in LINKS {
        std::os::unix::fs::symlink(target, repository.join(path)).expect("a link");
    }
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
        let status = command.current_dir(&repository).stdout(Stdio::null()).status().expect("git");
        assert!(status.success(), "git {words:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    git(&["tag", "v1"]);
    git(&["branch", "feature/x"]);
    git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    let before = files(directory.path());
    Place { directory, before }
});

/// All files below a directory, with their lengths; links are not followed.
fn files(directory: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry")) {
        let metadata = entry.metadata().expect("what is there");
        match metadata.is_dir() {
            true => found.extend(files(&entry.path())),
            false => drop(found.insert(entry.path(), metadata.len())),
        }
    }
    found
}

/// Reads everything that a tree lists, as far as it is there.
fn read_all(tree: &GitTree, directory: &Path, depth: usize) {
    // A link back to the root of the repository would not end.
    if depth > 4 {
        return;
    }
    for entry in tree.list(directory).unwrap_or_default() {
        let path = directory.join(&entry.name);
        if entry.is_directory {
            read_all(tree, &path, depth + 1);
        } else if let Ok(bytes) = tree.read(&path) {
            assert!(is_known(&bytes), "{}", path.display());
        }
    }
}

/// Whether bytes are those of a file of the repository.
fn is_known(bytes: &[u8]) -> bool {
    FILES.iter().any(|(_, text)| text.as_bytes() == bytes)
}

fuzz_target!(|text: &str| {
    let Some((revision, path)) = text.split_once(':') else { return };
    let place = &*PLACE;
    let repository = Repository::around(&place.repository(), GitLimits::default()).expect("a repository");
    match GitTree::open(repository, revision, Path::new(path)) {
        Ok(GitPath::Folder(tree)) => read_all(&tree, Path::new(""), 0),
        Ok(GitPath::File(bytes)) => assert!(is_known(&bytes), "{text}"),
        Ok(GitPath::Nothing) | Err(_) => {}
    }
    assert_eq!(files(place.directory.path()), place.before, "{text}");
});
