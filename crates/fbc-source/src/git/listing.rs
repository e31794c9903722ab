//! Files as git lists them: those of a tree, and those of the index with what it remembers of each.

use std::path::{Path, PathBuf};

use super::Repository;
use super::call::Verb;
use super::objects::PARTIAL_CLONE;
use super::os_string;
use crate::error::Error;

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
    /// A file.
    File,
    /// A file that can be executed.
    Executable,
    /// A symbolic link: its content is where it leads.
    Link,
    /// Another repository, of which only a commit is named.
    Submodule,
}

impl FileMode {
    fn of_digits(digits: &[u8]) -> Self {
        match digits {
            b"100755" => Self::Executable,
            b"120000" => Self::Link,
            b"160000" => Self::Submodule,
            _ => Self::File,
        }
    }
}

impl TreeFile {
    /// Mode, type and id with spaces between them, a tab, and the path.
    fn of_line(line: &[u8]) -> Option<Self> {
        let (words, path) = split(line, b'\t')?;
        let mut words = words.split(|&byte| byte == b' ');
        let mode = FileMode::of_digits(words.next()?);
        let id = String::from_utf8_lossy(words.nth(1)?).into_owned();
        Some(Self { mode, id, path: PathBuf::from(os_string(path)) })
    }
}

/// A name that git lists for the work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListedFile {
    pub(super) path: PathBuf,
    /// What the index has under the name; nothing for files that it does not know, and within a merge.
    pub(super) staged: Option<(FileMode, String)>,
    /// Left out of the work tree on purpose, in a sparse checkout.
    pub(super) is_left_out: bool,
    /// What the file was like when its content was that of the index.
    pub(super) stamp: Option<Stamp>,
}

/// What tells whether a file was written since. The index has the lower 32 bits of each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Seconds and nanoseconds.
    pub(super) changed: (u32, u32),
    /// Seconds and nanoseconds.
    pub(super) written: (u32, u32),
    pub(super) inode: u32,
    pub(super) size: u32,
}

impl Stamp {
    /// From the lines that `--debug` writes.
    fn of_lines(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let after = |name: &str| words.iter().skip_while(|word| **word != name).nth(1);
        let time = |name: &str| {
            let (seconds, nanoseconds) = after(name)?.split_once(':')?;
            Some((seconds.parse().ok()?, nanoseconds.parse().ok()?))
        };
        Some(Self {
            changed: time("ctime:")?,
            written: time("mtime:")?,
            inode: after("ino:")?.parse().ok()?,
            size: after("size:")?.parse().ok()?,
        })
    }
}

impl ListedFile {
    /// A tag, and for files of the index mode, id and stage with spaces between them and a tab; then the path.
    fn of_line(line: &[u8]) -> Option<Self> {
        let (tag, rest) = split(line, b' ')?;
        let path = |bytes| PathBuf::from(os_string(bytes));
        if tag == b"?" {
            return Some(Self { path: path(rest), ..Self::default() });
        }
        let (words, name) = split(rest, b'\t')?;
        let mut words = words.split(|&byte| byte == b' ');
        let (mode, id, stage) = (words.next()?, words.next()?, words.next()?);
        let staged = || (FileMode::of_digits(mode), String::from_utf8_lossy(id).into_owned());
        Some(Self {
            path: path(name),
            staged: (stage == b"0").then(staged),
            is_left_out: tag == b"S",
            stamp: None,
        })
    }
}

/// What stands before and after the first of a byte.
fn split(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let index = bytes.iter().position(|&byte| byte == at)?;
    Some((bytes.get(..index)?, bytes.get(index + 1..)?))
}

/// The lines of a stamp, which are indented, and what stands behind them.
fn behind_stamp(mut bytes: &[u8]) -> (&[u8], &[u8]) {
    let whole = bytes;
    while bytes.starts_with(b"  ") {
        bytes = split(bytes, b'\n').map_or(&[], |(_, rest)| rest);
    }
    whole.split_at(whole.len() - bytes.len())
}

/// Files with their stamps: each stands behind the zero that ends the name of its file.
fn listed(listing: &[u8]) -> Vec<ListedFile> {
    let mut files: Vec<ListedFile> = Vec::new();
    for part in listing.split(|&byte| byte == 0) {
        let (stamp, line) = behind_stamp(part);
        if let Some(before) = files.last_mut().filter(|_| !stamp.is_empty()) {
            before.stamp = Stamp::of_lines(stamp);
        }
        files.extend(ListedFile::of_line(line));
    }
    files
}

impl Repository {
    /// What is in a tree, with everything below it: mode, object id and path of each file.
    pub fn files(&self, tree: &str) -> Result<Vec<TreeFile>, Error> {
        self.files_below(tree, &[])
    }

    /// What is in a tree below some directories; everything if none is named. Paths begin at the root of the repository.
    pub(super) fn files_below(&self, tree: &str, folders: &[&Path]) -> Result<Vec<TreeFile>, Error> {
        let call = self.call(Verb::LsTree).words(["-r", "-z", "--full-tree", tree, "--"]).words(folders);
        let listing = call.success().map_err(|error| error.help(PARTIAL_CLONE))?;
        Ok(listing.split(|&byte| byte == 0).filter_map(TreeFile::of_line).collect())
    }

    /// The names of the index and of files that it does not know and that are not ignored, below some directories. This
    /// looks at names only, never at what is in the files.
    pub(super) fn names_below(&self, folders: &[&Path]) -> Result<Vec<ListedFile>, Error> {
        let root = Self { folder: self.folder.join(self.way_up()?), ..self.clone() };
        let words = ["-z", "-t", "--stage", "--debug", "--cached", "--others", "--exclude-standard", "--"];
        let listing = root.call(Verb::LsFiles).words(words).words(folders).success()?;
        Ok(listed(&listing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_trees() {
        let file = TreeFile::of_line(b"100755 blob abc\ta b\n.yaml").unwrap();
        assert_eq!(
            (file.mode, file.id.as_str(), file.path.as_path()),
            (FileMode::Executable, "abc", Path::new("a b\n.yaml"))
        );
        assert_eq!(TreeFile::of_line(b"120000 blob abc\tx").unwrap().mode, FileMode::Link);
        assert_eq!(TreeFile::of_line(b"160000 commit abc\tx").unwrap().mode, FileMode::Submodule);
        assert_eq!(TreeFile::of_line(b""), None);
    }

    #[test]
    fn files_of_the_index() {
        let stamp = "  ctime: 10:1\n  mtime: 20:2\n  dev: 65024\tino: 30\n  uid: 0\tgid: 0\n  size: 40\tflags: 100000\n";
        let listing = format!(
            "? new\nline\0H 100644 abc 0\ta\t  b\0{stamp}S 120000 def 0\tl\0{stamp}M 100644 one 2\tm\0  other: form\n"
        );
        let files = listed(listing.as_bytes());
        let stamp = Stamp { changed: (10, 1), written: (20, 2), inode: 30, size: 40 };
        let named = |path: &str| ListedFile { path: PathBuf::from(path), ..ListedFile::default() };
        assert_eq!(
            files,
            [
                named("new\nline"),
                ListedFile {
                    staged: Some((FileMode::File, "abc".to_owned())),
                    stamp: Some(stamp),
                    ..named("a\t  b")
                },
                ListedFile {
                    staged: Some((FileMode::Link, "def".to_owned())),
                    is_left_out: true,
                    stamp: Some(stamp),
                    ..named("l")
                },
                // Several versions in a merge, and a form of `--debug` that is not known.
                named("m"),
            ]
        );
        assert_eq!(listed(b""), []);
    }
}
