//! Repositories, asked through the `git` program: it knows every kind of them (work trees, shallow and
//! partial clones, SHA-256), and whoever has a repository has it.
//!
//! No shell is involved, nothing that users name is ever taken for an option, and nothing that the repository names is
//! started (`call`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use call::{Answer, Call, Verb};

mod call;
mod environment;
mod listing;
pub(crate) mod objects;
mod place;
mod work_tree;

pub use call::GitLimits;
pub(crate) use call::TOO_MANY_FILES;
pub use listing::{FileMode, TreeFile};

/// A repository, as seen from a directory in it.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
    limits: GitLimits,
    /// Whether the directory itself is the repository, which has no work tree.
    is_bare: bool,
}

impl Repository {
    /// The repository around a directory.
    ///
    /// # Errors
    /// If there is none that git trusts, or the directory is in one without a work tree.
    pub fn around(folder: &Path, limits: GitLimits) -> Result<Self, Error> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let repository = Self { folder: folder.to_path_buf(), limits, is_bare: false };
        let Answer { status, said, .. } = repository.run(Verb::RevParse, ["--git-dir"])?;
        if status.success() {
            return Ok(repository);
        }
        if said.starts_with("cannot change to") {
            return Err(Error::new(format!("git {said}")).help("check the permissions of the directory"));
        }
        if said.contains("bare repository") {
            return match repository.is_own_bare() {
                true => Ok(Self { is_bare: true, ..repository }),
                false => Err(Error::new(format!("{} looks like a repository without a work tree (a bare one)", folder.display()))
                    .help("it does not answer for what lies in it; if it is meant, name it: `GIT_DIR=PATH`, `GIT_DIR=.` for the directory that the command runs in")),
            };
        }
        let failure = Error::new(format!("{} is not in a git repository: {said}", folder.display()));
        Err(match said.contains("dubious ownership") {
            true => failure.help(
                "the repository belongs to another user: `git config --global --add safe.directory PATH`",
            ),
            false => failure
                .help("revisions need a clone with its history; give directories instead if there is none"),
        })
    }

    /// The tree that a revision names or holds, as an object id.
    pub fn resolve(&self, revision: &str) -> Result<String, Error> {
        self.object(revision, "tree").map_err(|error| match self.commit(revision) {
            Ok(commit) => {
                Error::new(format!("the repository lacks the directories of revision {revision:?}, {commit}"))
                    .help(objects::PARTIAL_CLONE)
            }
            Err(_) => error,
        })
    }

    /// The commit that a revision names, as an object id.
    pub fn commit(&self, revision: &str) -> Result<String, Error> {
        self.object(revision, "commit")
    }

    fn object(&self, revision: &str, kind: &str) -> Result<String, Error> {
        let object = format!("{revision}^{{{kind}}}");
        let answer = self.run(Verb::RevParse, ["--verify", "--quiet", "--end-of-options", &object])?;
        match answer.status.success() {
            true => Ok(String::from_utf8_lossy(&answer.out).trim().to_owned()),
            false => Err(self.unknown(revision)),
        }
    }

    fn unknown(&self, revision: &str) -> Error {
        let failure = Error::new(format!("there is no revision {revision:?} in the repository"))
            .of_kind(ErrorKind::Missing);
        let is_shallow = self
            .run(Verb::RevParse, ["--is-shallow-repository"])
            .is_ok_and(|answer| answer.out.trim_ascii() == b"true");
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
                .run(Verb::CheckRefFormat, [&format!("refs/heads/{revision}")])
                .is_ok_and(|answer| answer.status.success())
            && revision.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte))
            && !revision.starts_with(['-', '.', '/']);
        // `origin` is what everybody calls it, even if there is no remote here yet.
        let is_remote = |name: &str| name == "origin" || self.has_setting(&format!("remote.{name}.url"));
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
        let answer = self.run(Verb::MergeBase, ["--end-of-options", &commit, "HEAD"])?;
        let id = String::from_utf8_lossy(&answer.out).trim().to_owned();
        Ok((answer.status.success() && !id.is_empty()).then_some(id))
    }

    /// The directory as a path from the root of the repository; empty at the root itself, and in a repository without a
    /// work tree.
    ///
    /// # Errors
    /// If the directory is outside of the work tree: it has no place in a revision.
    pub fn prefix(&self) -> Result<PathBuf, Error> {
        let answer =
            self.line(Verb::RevParse, &["--is-inside-work-tree", "--is-bare-repository", "--show-prefix"])?;
        let path = [&b"true\nfalse\n"[..], b"false\ntrue\n"].iter().find_map(|is| answer.strip_prefix(*is));
        let path = path.ok_or_else(|| {
            Error::new(format!("{} is not in the work tree of the repository", self.folder.display()))
                .help("GIT_WORK_TREE names the work tree, or without it the directory that the command runs in where GIT_DIR is set")
        })?;
        Ok(PathBuf::from(os_string(path.strip_suffix(b"/").unwrap_or(path))))
    }

    fn has_setting(&self, name: &str) -> bool {
        self.run(Verb::Config, ["--get", name]).is_ok_and(|answer| answer.status.success())
    }

    /// What its answers may take.
    pub(crate) fn limits(&self) -> GitLimits {
        self.limits
    }

    /// A command of git in the directory.
    fn call(&self, verb: Verb) -> Call {
        Call::new(verb, &self.folder, self.is_bare, self.limits)
    }

    fn run<const N: usize>(&self, verb: Verb, words: [&str; N]) -> Result<Answer, Error> {
        self.call(verb).words(words).answer()
    }

    /// What git answers in one line, which is a path and may have line breaks in it.
    fn line(&self, verb: Verb, words: &[&str]) -> Result<Vec<u8>, Error> {
        let mut line = self.call(verb).words(words).success()?;
        line.pop_if(|last| *last == b'\n');
        Ok(line)
    }
}

/// Which git there is, as it says itself.
///
/// # Errors
/// If there is none.
pub fn version() -> Result<String, Error> {
    let text = Call::anywhere(Verb::Version, GitLimits::USUAL).success()?;
    Ok(String::from_utf8_lossy(&text).trim().trim_start_matches("git version ").to_owned())
}

/// Merges three versions of a file by their lines, into the first one, as git does without a driver; whether conflicts are
/// marked in it.
///
/// # Errors
/// If git does not merge such files.
pub fn merge_file(ours: &Path, base: &Path, theirs: &Path, limits: GitLimits) -> Result<bool, Error> {
    let labels = ["-L", "current", "-L", "ancestor", "-L", "other", "--"];
    let call = Call::anywhere(Verb::MergeFile, limits).words(labels).words([ours, base, theirs]);
    let Answer { status, said, .. } = call.answer()?;
    // The code counts conflicts.
    match status.code() {
        Some(conflicts @ 0..128) => Ok(conflicts != 0),
        _ => Err(Error::new(format!("git merge-file: {said}"))),
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
#[cfg(unix)]
mod tests;
