//! Archives that are equal for equal files: fixed owners, times and compression.

use std::collections::BTreeSet;
use std::io::Write as _;

use flate2::{Compression, GzBuilder};

use super::contents::PackedFile;
use crate::error::{Context, TaskResult};

/// A compressed archive of files below a path that ends with `/` or is empty.
pub(super) fn tar_gz(below: &str, files: &[PackedFile], moment: u64) -> TaskResult<Vec<u8>> {
    let making = || "making an archive".to_owned();
    let mut archive = tar::Builder::new(Vec::new());
    let directories: BTreeSet<String> =
        files.iter().flat_map(|file| directories_of(&format!("{below}{}", file.path))).collect();
    for directory in directories {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Directory);
        header.set_mode(0o755);
        header.set_size(0);
        header.set_mtime(moment);
        archive.append_data(&mut header, directory, std::io::empty()).context(making)?;
    }
    for file in files {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(if file.is_program { 0o755 } else { 0o644 });
        header.set_size(file.bytes.len() as u64);
        header.set_mtime(moment);
        let path = format!("{below}{}", file.path);
        archive.append_data(&mut header, path, file.bytes.as_slice()).context(making)?;
    }
    gzip(&archive.into_inner().context(making)?)
}

/// The directories above a path, each with a slash at its end.
fn directories_of(path: &str) -> Vec<String> {
    let ends = path.match_indices('/').filter_map(|(end, _)| path.get(..=end));
    ends.filter(|directory| *directory != "./").map(str::to_owned).collect()
}

/// Compressed, without a time or name.
pub(super) fn gzip(bytes: &[u8]) -> TaskResult<Vec<u8>> {
    let making = || "compressing an archive".to_owned();
    let mut compressed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    compressed.write_all(bytes).context(making)?;
    compressed.finish().context(making)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_make_equal_archives() {
        let file =
            |path: &str, is_program| PackedFile { path: path.to_owned(), bytes: vec![1, 2], is_program };
        let files = [file("a", true), file("b/c", false)];
        let archive = tar_gz("x/", &files, 7).unwrap();
        assert_eq!(archive, tar_gz("x/", &files, 7).unwrap());
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(archive.as_slice()));
        let entries: Vec<(String, u32, u64)> = read
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let header = entry.header();
                let path = entry.path().unwrap().display().to_string();
                (path, header.mode().unwrap(), header.mtime().unwrap())
            })
            .collect();
        let expected = [("x/", 0o755), ("x/b/", 0o755), ("x/a", 0o755), ("x/b/c", 0o644)];
        assert_eq!(entries, expected.map(|(path, mode)| (path.to_owned(), mode, 7)));
    }
}
