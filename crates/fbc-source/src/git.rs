//! Repositories, asked through the `git` program: it knows every kind of them (work trees, shallow and
//! partial clones, SHA-256), and whoever has a repository has it.
//!
//! No shell is involved, and nothing that users name is ever taken for an option.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use fbc_lint::comparison::repository::Touch;

use crate::error::{Error, ErrorKind, system_words};

/// No monitor of files, no hooks, no programs that compare.
const SAFE_SETTINGS: [&str; 3] = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "diff.external="];

/// A repository, as seen from a directory in it.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// The repository around a directory.
    pub fn around(folder: &Path) -> Result<Self, Error> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let repository = Self { folder: folder.to_path_buf() };
        let output = repository.run(["rev-parse", "--git-dir"])?;
        if output.status.success() {
            return Ok(repository);
        }
        let said = last_line(&output.stderr);
        let failure = Error::new(format!("{} is not in a git repository: {said}", folder.display()));
        Err(if said.contains("dubious ownership") {
            failure.help(
                "the repository belongs to another user: `git config --global --add safe.directory PATH`",
            )
        } else {
            failure.help("revisions need a clone with its history; give directories instead if there is none")
        })
    }

    /// The tree that a revision names or holds, as an object id.
    pub fn resolve(&self, revision: &str) -> Result<String, Error> {
        self.object(revision, "tree")
    }

    /// The commit that a revision names, as an object id.
    pub fn commit(&self, revision: &str) -> Result<String, Error> {
        self.object(revision, "commit")
    }

    fn object(&self, revision: &str, kind: &str) -> Result<String, Error> {
        let object = format!("{revision}^{{{kind}}}");
        let output = self.run(["rev-parse", "--verify", "--quiet", "--end-of-options", &object])?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(self.unknown(revision))
    }

    fn unknown(&self, revision: &str) -> Error {
        let failure = Error::new(format!("there is no revision {revision:?} in the repository"))
            .of_kind(ErrorKind::Missing);
        let is_shallow = self
            .run(["rev-parse", "--is-shallow-repository"])
            .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "true");
        let failure = match is_shallow {
            true => failure.help("the clone is shallow; fetch more of its history first: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for GitLab"),
            false => failure.help("`git branch --all` and `git tag` list names"),
        };
        match self.fetching(revision) {
            Some(fetch) if is_shallow => failure.help(format!("or fetch just this revision: `{fetch}`")),
            Some(fetch) => failure.help(format!("a branch that is not here yet: `{fetch}`")),
            None => failure,
        }
    }

    /// The command that fetches a branch, `main` or `remote/main`; nothing for what cannot be one, such as
    /// `HEAD~5` or a path.
    fn fetching(&self, revision: &str) -> Option<String> {
        let is_branch = revision != "HEAD"
            && !revision.starts_with("refs/")
            && self
                .run(["check-ref-format", &format!("refs/heads/{revision}")])
                .is_ok_and(|output| output.status.success())
            && revision.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte))
            && !revision.starts_with(['-', '.', '/']);
        let remotes = self.run(["remote"]).ok()?;
        let remotes = String::from_utf8_lossy(&remotes.stdout).into_owned();
        // `origin` is what everybody calls it, even if there is no remote here yet.
        let is_remote = |name: &str| name == "origin" || remotes.lines().any(|known| known == name);
        let of_remote = revision.split_once('/').filter(|(remote, _)| is_remote(remote));
        is_branch.then(|| match of_remote {
            Some((remote, branch)) => {
                format!("git fetch --depth=1 {remote} {branch}:refs/remotes/{revision}")
            }
            None => format!("git fetch --depth=1 origin {revision}"),
        })
    }

    /// Where the history of HEAD left that of a revision; nothing where there is no such commit here.
    pub fn merge_base(&self, revision: &str) -> Result<Option<String>, Error> {
        let commit = format!("{revision}^{{commit}}");
        let output = self.run(["merge-base", "--end-of-options", &commit, "HEAD"])?;
        let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok((output.status.success() && !id.is_empty()).then_some(id))
    }

    /// The directory as a path from the root of the repository; empty at the root itself.
    pub fn prefix(&self) -> Result<PathBuf, Error> {
        self.path_of("--show-prefix")
    }

    /// The way from the directory up to the root of the work tree; empty at the root itself.
    pub fn way_up(&self) -> Result<PathBuf, Error> {
        self.path_of("--show-cdup")
    }

    fn path_of(&self, what: &str) -> Result<PathBuf, Error> {
        let output = self.successful(["rev-parse", what])?;
        let line = output.strip_suffix(b"\n").unwrap_or(&output);
        Ok(PathBuf::from(os_string(line.strip_suffix(b"/").unwrap_or(line))))
    }

    /// What is in a tree, with everything below it: mode, object id and path of each file.
    pub fn files(&self, tree: &str) -> Result<Vec<TreeFile>, Error> {
        let listing = self.successful(["ls-tree", "-r", "-z", "--full-tree", tree])?;
        Ok(listing.split(|&byte| byte == 0).filter_map(TreeFile::of_line).collect())
    }

    /// The files that differ between a tree and the work tree, files that git does not know yet among them.
    /// Paths are relative to the root of the repository.
    pub fn touched_since(&self, tree: &str) -> Result<Vec<(PathBuf, Touch)>, Error> {
        let words =
            ["diff", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "-z", tree, "--"];
        let listing = successful(self.comparing()?, &words)?;
        let mut fields = listing.split(|&byte| byte == 0);
        let mut touched = Vec::new();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let touch = match status {
                b"A" => Touch::Added,
                b"D" => Touch::Deleted,
                _ => Touch::Modified,
            };
            touched.push((PathBuf::from(os_string(path)), touch));
        }
        let words = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];
        let unknown = self.successful(words)?;
        let unknown = unknown.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        touched.extend(unknown.map(|path| (PathBuf::from(os_string(path)), Touch::Added)));
        touched.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(touched)
    }

    /// A git command that runs in the repository, but no program that the repository names: its configuration may
    /// come from elsewhere.
    pub fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("--no-pager");
        for setting in SAFE_SETTINGS {
            command.args(["-c", setting]);
        }
        command.arg("-C").arg(&self.folder).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
        command.env_remove("GIT_EXTERNAL_DIFF");
        command
    }

    /// As [`Self::command`], for commands that compare files of the work tree: filters of the repository's own
    /// configuration do not run. Those of the user's do.
    fn comparing(&self) -> Result<Command, Error> {
        let words = ["config", "--local", "--includes", "--name-only", "-z", "--get-regexp", r"^filter\."];
        let names = self.run(words)?.stdout;
        let mut command = self.command();
        for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let (name, value) =
                (String::from_utf8_lossy(name), if name.ends_with(b".required") { "false" } else { "" });
            command.arg("-c").arg(format!("{name}={value}"));
        }
        Ok(command)
    }

    fn run<const N: usize>(&self, words: [&str; N]) -> Result<Output, Error> {
        output_of(self.command(), &words)
    }

    fn successful<const N: usize>(&self, words: [&str; N]) -> Result<Vec<u8>, Error> {
        successful(self.command(), &words)
    }
}

fn output_of(mut command: Command, words: &[&str]) -> Result<Output, Error> {
    command.args(words).stdin(Stdio::null()).output().map_err(|error| not_started(&error))
}

fn successful(command: Command, words: &[&str]) -> Result<Vec<u8>, Error> {
    let output = output_of(command, words)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let command = words.first().copied().unwrap_or_default();
    Err(Error::new(format!("`git {command}` failed: {}", last_line(&output.stderr))))
}

/// The failure of a git that does not start.
pub fn not_started(error: &std::io::Error) -> Error {
    Error::new(format!("cannot start git: {}", system_words(error)))
        .of_kind(ErrorKind::System(error.kind()))
        .help("revisions of a repository are read through the `git` program; install it, or give directories")
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    line.trim_start_matches("fatal: ").to_owned()
}

/// A file of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// What it is.
    pub mode: FileMode,
    /// The id of its content.
    pub id: String,
    /// The path from the root of the listed tree.
    pub path: PathBuf,
}

/// What a path of a revision is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// A file, executable or not.
    File,
    /// A symbolic link: its content is where it leads.
    Link,
    /// Another repository, of which only a commit is named.
    Submodule,
}

impl TreeFile {
    /// Mode, type and id with spaces between them, a tab, and the path.
    fn of_line(line: &[u8]) -> Option<Self> {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        let mut words = line.get(..tab)?.split(|&byte| byte == b' ');
        let mode = match words.next()? {
            b"120000" => FileMode::Link,
            b"160000" => FileMode::Submodule,
            _ => FileMode::File,
        };
        let id = String::from_utf8_lossy(words.nth(1)?).into_owned();
        Some(Self { mode, id, path: PathBuf::from(os_string(line.get(tab + 1..)?)) })
    }
}

/// Names in a repository are bytes. Where the system has no such names, what is not a string is replaced.
pub fn os_string(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        OsString::from_vec(bytes.to_vec())
    }
    #[cfg(not(unix))]
    {
        OsString::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_listings() {
        let file = TreeFile::of_line(b"100755 blob abc\ta b\n.yaml").unwrap();
        assert_eq!(
            (file.mode, file.id.as_str(), file.path.as_path()),
            (FileMode::File, "abc", Path::new("a b\n.yaml"))
        );
        assert_eq!(TreeFile::of_line(b"120000 blob abc\tx").unwrap().mode, FileMode::Link);
        assert_eq!(TreeFile::of_line(b"160000 commit abc\tx").unwrap().mode, FileMode::Submodule);
        assert_eq!(TreeFile::of_line(b""), None);
    }
}
