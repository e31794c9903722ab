//! Whether the links of an image lead out of it.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{MAX_LINKS, Rootfs};

impl Rootfs<'_> {
    /// A link through which a path would leave the directory, and where it leads. Links to nothing are harmless.
    pub(in crate::unpack) fn escaping_link(&mut self) -> io::Result<Option<(PathBuf, String)>> {
        let mut pending = vec![PathBuf::new()];
        while let Some(below) = pending.pop().filter(|_| self.has_links) {
            for entry in fs::read_dir(self.folder.join(&below))? {
                let entry = entry?;
                let path = below.join(entry.file_name());
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    pending.push(path);
                } else if kind.is_symlink() {
                    let to = fs::read_link(entry.path())?;
                    if self.escapes(&below, &to)? {
                        return Ok(Some((path, to.display().to_string())));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether a link in a real directory leads out, followed step by step as the system would.
    fn escapes(&mut self, folder: &Path, to: &Path) -> io::Result<bool> {
        let mut pending: Vec<PathBuf> =
            to.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
        let mut real = folder.to_path_buf();
        let mut links = 0;
        while let Some(part) = pending.pop() {
            match part.components().next() {
                Some(Component::Normal(_)) => real.push(&part),
                Some(Component::ParentDir) => {
                    if !real.pop() {
                        return Ok(true);
                    }
                    continue;
                }
                Some(Component::CurDir) | None => continue,
                Some(_) => return Ok(true),
            }
            let here = self.folder.join(&real);
            self.walk(real.components().count() as u64)?;
            if !fs::symlink_metadata(&here).is_ok_and(|metadata| metadata.is_symlink()) {
                continue;
            }
            links += 1;
            if links > MAX_LINKS {
                // The system gives up here, too.
                return Ok(false);
            }
            real.pop();
            let to = fs::read_link(&here)?;
            pending.extend(to.components().rev().map(|part| PathBuf::from(part.as_os_str())));
        }
        Ok(false)
    }
}
