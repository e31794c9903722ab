//! Where a path leads that whoever runs the program names.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::parent_of;
use crate::root::{LeadsOut, Root, is_absent, or_here};

/// As many links as Linux follows on the way to a file.
const MOST_LINKS: usize = 40;

/// Where a path leads, without links; what does not exist is where it would come to be.
///
/// A link in a git work tree may be the work of whoever wrote the repository: it may lead within that work tree, or to the
/// top of another one, which is then the repository that is meant. All other links belong to the user and lead wherever
/// they lead; with `follows_links` the user trusts every link.
///
/// # Errors
/// If a link leads out of its work tree ([`crate::leads_out`]), or the system does not say where it leads.
pub fn destination(named: &Path, follows_links: bool) -> io::Result<PathBuf> {
    let mut rest = std::path::absolute(or_here(named))?;
    let mut real = PathBuf::new();
    let mut links = 0;
    while let Some(step) = rest.components().next() {
        let mut after = rest.components();
        after.next();
        let after = after.as_path();
        let next = real.join(step);
        rest = match (step, fs::read_link(&next)) {
            (Component::CurDir, _) => after.to_path_buf(),
            (Component::ParentDir, _) => {
                real.pop();
                after.to_path_buf()
            }
            (_, Ok(target)) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(rustix::io::Errno::LOOP.into());
                }
                if !follows_links {
                    check_link(&next)?;
                }
                target.join(after)
            }
            // It is no link, or nothing.
            (_, Err(error)) if error.kind() == io::ErrorKind::InvalidInput || is_absent(&error) => {
                let after = after.to_path_buf();
                real = next;
                after
            }
            (_, Err(error)) => return Err(error),
        };
    }
    Ok(real)
}

/// Refuses a link that leads out of the work tree that it lies in; git's own files are none of a work tree's.
fn check_link(link: &Path) -> io::Result<()> {
    let Some(tree) = work_tree_around(parent_of(link)) else { return Ok(()) };
    let leads = destination(link, true)?;
    match leads.strip_prefix(tree) {
        Ok(below) if !is_of_git(below) => Ok(()),
        Err(_) if is_work_tree(&leads) => Ok(()),
        _ => Err(LeadsOut::of(tree)),
    }
}

fn is_work_tree(directory: &Path) -> bool {
    directory.join(".git").exists()
}

/// The innermost work tree that a path without links lies in.
fn work_tree_around(real: &Path) -> Option<&Path> {
    real.ancestors().find(|above| is_work_tree(above))
}

/// Whether a path in a work tree leads to what git keeps there.
pub(crate) fn is_of_git(path: &Path) -> bool {
    path.components().any(|step| step.as_os_str() == ".git")
}

impl Root {
    /// The directory in which what is named may be edited in place: the work tree around the place where the name leads.
    /// Without a work tree it is the directory itself, or that of the file.
    ///
    /// # Errors
    /// As [`destination`].
    pub fn around(named: &Path, follows_links: bool) -> io::Result<Self> {
        let real = destination(named, follows_links)?;
        let place = || real.ancestors().find(|above| above.is_dir());
        let directory = work_tree_around(&real).or_else(place).unwrap_or(Path::new("/"));
        Ok(Self::open(directory)?.following(follows_links))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::leads_out;

    /// A work tree `root` with links, a work tree `other` with links, and a directory `out` that is none.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(place.path()).unwrap();
        for directory in ["root/.git/hooks", "root/in/deep", "other/.git", "other/in", "out/in"] {
            fs::create_dir_all(real.join(directory)).unwrap();
        }
        for file in ["root/in/file", "other/in/file", "out/in/file"] {
            fs::write(real.join(file), "old").unwrap();
        }
        for (target, link) in [
            ("../out", "root/up"),
            ("../out/in/file", "root/victim"),
            ("../out/new", "root/dangling"),
            ("../other/in", "root/foreign"),
            ("../other", "root/repository"),
            ("in", "root/down"),
            ("in/new", "root/new"),
            ("../root/in", "root/round"),
            (".git/hooks/x", "root/hook"),
            ("loop", "root/loop"),
            ("root/in/file", "own"),
            ("root/victim", "chained"),
            ("root", "link"),
            ("out/new", "fresh"),
        ] {
            symlink(target, real.join(link)).unwrap();
        }
        (place, real)
    }

    #[test]
    fn links_of_a_work_tree_stay_in_it_or_lead_to_another_one() {
        let (_place, real) = place();
        for (named, leads) in [
            ("root/in/file", "root/in/file"),
            ("root/down/file", "root/in/file"),
            ("root/down/../victim", "!"),
            ("root/round/file", "root/in/file"),
            ("root/new", "root/in/new"),
            ("root/none/none", "root/none/none"),
            ("root/repository", "other"),
            ("root/repository/in/file", "other/in/file"),
            ("own", "root/in/file"),
            ("link/in/deep/..", "root/in"),
            ("fresh", "out/new"),
            ("chained", "!"),
            ("link/up/in/file", "!"),
            ("root/up", "!"),
            ("root/victim", "!"),
            ("root/dangling", "!"),
            ("root/foreign/file", "!"),
            ("root/hook", "!"),
        ] {
            let found = destination(&real.join(named), false);
            match leads {
                "!" => assert!(leads_out(&found.unwrap_err()), "{named}"),
                _ => assert_eq!(found.unwrap(), real.join(leads), "{named}"),
            }
        }
        assert!(destination(&real.join("root/loop"), false).is_err());
        assert_eq!(destination(&real.join("chained"), true).unwrap(), real.join("out/in/file"));
        assert_eq!(destination(Path::new(""), false).unwrap(), fs::canonicalize(".").unwrap());
    }

    #[test]
    fn edits_stay_in_the_work_tree_around_what_is_named() {
        let (_place, real) = place();
        for (named, root) in [
            ("root/in/file", "root"),
            ("root/in/deep", "root"),
            ("own", "root"),
            ("root/repository/in/file", "other"),
            ("out/in/file", "out/in"),
            ("out", "out"),
            ("out/none/none", "out"),
        ] {
            let found = Root::around(&real.join(named), false).unwrap();
            assert_eq!(found.path(), real.join(root), "{named}");
        }
        let named = real.join("root/repository/in/file");
        Root::around(&named, false).unwrap().write(&named, b"new").unwrap();
        assert_eq!(fs::read_to_string(real.join("other/in/file")).unwrap(), "new");
        let named = real.join("root/victim");
        assert!(leads_out(&Root::around(&named, false).unwrap_err()));
        Root::around(&named, true).unwrap().write(&named, b"new").unwrap();
        assert_eq!(fs::read_to_string(real.join("out/in/file")).unwrap(), "new");
    }
}
