//! Where a repository is. Its configuration and the files of its directory `.git` may be the work of a stranger, and can
//! name any place as its work tree or as its configuration: nothing is read as one, or written there, that is not
//! seen to belong to it.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_model::tree::read_file;
use fbc_staging::Root;

use super::call::Verb;
use super::{Repository, os_string};
use crate::error::Error;

/// What every repository with a work tree has in it: a directory, or a file that names one.
const MARK: &str = ".git";

impl Repository {
    /// Whether the directory is a repository without a work tree that whoever runs this has gone into.
    pub(super) fn is_own_bare(&self) -> bool {
        self.folder == Path::new(".") && self.is_alone_and_bare()
    }

    /// Whether the directory is a repository without a work tree, and not in a work tree, whose author may have put it
    /// there.
    pub(super) fn is_alone_and_bare(&self) -> bool {
        let is_alone = || fs::canonicalize(&self.folder).is_ok_and(|here| !here.ancestors().any(is_marked));
        let bare = Self { is_bare: true, ..self.clone() };
        let answer = || bare.run(Verb::RevParse, ["--is-bare-repository"]);
        is_alone() && answer().is_ok_and(|answer| answer.out.trim_ascii() == b"true")
    }

    /// The way from the directory up to the root of the work tree; empty at the root itself.
    ///
    /// # Errors
    /// If there is no work tree, or the configuration (`core.worktree`) names one that is not around the directory.
    pub fn way_up(&self) -> Result<PathBuf, Error> {
        let answer = self.line(Verb::RevParse, &["--is-inside-work-tree", "--show-cdup"])?;
        let (is_inside, way) = match answer.strip_prefix(b"true\n") {
            Some(way) => (true, way),
            None => (false, answer.strip_prefix(b"false\n").unwrap_or_default()),
        };
        if !is_inside && way.is_empty() {
            return Err(Error::new(format!("the repository of {} has no work tree", self.folder.display()))
                .help("run the command in a clone that is not bare"));
        }
        let way = PathBuf::from(os_string(way.strip_suffix(b"/").unwrap_or(way)));
        let root = real(&self.folder.join(&way))?;
        let own = real(&self.folder)?.ancestors().find(|above| is_marked(above)).map(Path::to_path_buf);
        // Without the setting it is the directory itself, or whoever runs this names it: `GIT_WORK_TREE`.
        match own.as_ref() == Some(&root) || !self.may_have_setting("core.worktree") {
            true => Ok(way),
            false => Err(Error::refusal(format!(
                "the configuration of the repository names another directory as its work tree: {} (core.worktree)",
                root.display()
            ))
            .help("`git config --unset core.worktree` makes it the directory around `.git` again")),
        }
    }

    /// Gives settings of the clone values.
    ///
    /// # Errors
    /// If its configuration is not seen to belong to the work tree around the directory, or cannot be written.
    pub fn set(&self, settings: &[(&str, &str)]) -> Result<(), Error> {
        self.require_own_configuration()?;
        settings.iter().try_for_each(|(name, value)| {
            self.call(Verb::Config).words(["--local", name, value]).success().map(drop)
        })
    }

    /// The configuration lies in the work tree, or in a directory of git that names the work tree itself: that of a
    /// repository with several work trees, or that of a repository around this one.
    fn require_own_configuration(&self) -> Result<(), Error> {
        let folder = real(&self.folder)?;
        let path =
            |words: &[&str]| Ok::<_, Error>(folder.join(os_string(&self.line(Verb::RevParse, words)?)));
        let root = folder.join(self.way_up()?);
        let writable = Root::open(&root).map_err(|error| Error::io("read", &root, &error))?;
        let configuration = path(&["--git-path", "config"])?;
        match writable.place(&configuration) {
            Ok(_) => return Ok(()),
            Err(error) if !fbc_staging::leads_out(&error) => {
                return Err(Error::io("write", &configuration, &error));
            }
            Err(_) => {}
        }
        let of_git = real(&path(&["--absolute-git-dir"])?)?;
        let configuration = real(&configuration)?;
        let is_own = match configuration.parent() {
            Some(place) if place == of_git => self.is_submodule(&of_git, writable.path())?,
            Some(place) => is_linked(place, &of_git, writable.path()),
            None => false,
        };
        match is_own {
            true => Ok(()),
            false => Err(Error::refusal(format!(
                "cannot write {}: the repository names it as its configuration, and it does not name {} in return",
                configuration.display(),
                writable.path().display()
            ))
            .help("if it is yours, call `git config` yourself")),
        }
    }

    /// Whether the configuration of a directory of git names a work tree: git writes this for a submodule.
    fn is_submodule(&self, of_git: &Path, root: &Path) -> Result<bool, Error> {
        let answer = self.run(Verb::Config, ["--no-includes", "--get", "core.worktree"])?;
        let named = answer.out.strip_suffix(b"\n").unwrap_or(&answer.out);
        Ok(answer.status.success() && leads_to(&of_git.join(os_string(named)), root))
    }

    /// Whether a setting has a value, or git does not tell.
    fn may_have_setting(&self, name: &str) -> bool {
        !self.run(Verb::Config, ["--get", name]).is_ok_and(|answer| answer.status.code() == Some(1))
    }
}

/// Whether a directory of git is one that `git worktree add` made within another, for a work tree.
fn is_linked(around: &Path, of_git: &Path, root: &Path) -> bool {
    let list = around.join("worktrees");
    of_git.parent() == Some(list.as_path())
        && read_file(&of_git.join("gitdir")).is_ok_and(|named| {
            let named = of_git.join(os_string(named.strip_suffix(b"\n").unwrap_or(&named)));
            // What is named is a directory with a file `.git`: a link of that name may lead to one of another work tree.
            named.ends_with(MARK) && named.parent().is_some_and(|named| leads_to(named, root))
        })
}

/// Whether a path is that of a directory, whose own has no links.
fn leads_to(path: &Path, directory: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path == directory)
}

/// Whether a directory says that it is the root of a work tree, wherever its link leads.
fn is_marked(folder: &Path) -> bool {
    folder.join(MARK).symlink_metadata().is_ok()
}

/// A path without links.
fn real(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(|error| Error::io("read", path, &error))
}
