//! Removing a directory with all that is in it, however deep that lies.

use std::fs;
use std::io;
use std::path::Path;

/// Removes a directory with all that is in it. Links are removed, not followed.
///
/// The standard library keeps a file of the system open for each level, of which a process may have fewer than an image
/// has levels; such a directory is removed level by level.
///
/// # Errors
/// Whatever keeps something in it from being removed.
pub fn remove_directory(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if too_many_are_open(&error) => level_by_level(path),
        removed => removed,
    }
}

fn too_many_are_open(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE].iter().any(|one| error.raw_os_error() == Some(one.raw_os_error()))
}

fn level_by_level(path: &Path) -> io::Result<()> {
    let mut directories = Vec::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { left.push(entry.path()) } else { fs::remove_file(entry.path())? }
        }
        directories.push(directory);
    }
    // What lies in a directory was found after it.
    directories.iter().rev().try_for_each(fs::remove_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_removed_and_links_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "text").unwrap();
        for remove in [level_by_level, remove_directory] {
            let gone = folder.path().join("gone");
            let mut deep = gone.clone();
            deep.extend(std::iter::repeat_n("d", 1_500));
            fs::create_dir_all(&deep).unwrap();
            fs::create_dir_all(gone.join("d/other")).unwrap();
            fs::write(deep.join("file"), "text").unwrap();
            std::os::unix::fs::symlink(&kept, deep.join("link")).unwrap();
            remove(&gone).unwrap();
            assert!(!gone.exists());
            assert_eq!(fs::read(kept.join("file")).unwrap(), b"text");
        }
    }
}
