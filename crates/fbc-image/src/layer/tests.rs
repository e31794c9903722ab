//! Layers are the same everywhere, and hold what was put in.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::io::Read as _;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;
use crate::unpack;

fn bytes(content: Vec<u8>) -> LayerEntry {
    LayerEntry::File { content: Content::Bytes(content), is_executable: false }
}

/// Text that compresses as catalogs do.
fn sample() -> Entries {
    let mut entries = Entries::default();
    for file in 0..40_u32 {
        let text: String =
            (0..3_000_u32).map(|line| format!("name: operator.v{}.{line}\n", file * 7 % 13)).collect();
        entries.insert(format!("configs/package-{file}/catalog.yaml"), bytes(text.into_bytes()));
    }
    entries
}

fn write_with(threads: usize, compression: Compression) -> (Layer, Vec<u8>) {
    let place = tempfile::tempdir().unwrap();
    let blobs = BlobFolder::new(place.path());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let layer = pool.install(|| write(&sample(), 1_700_000_000, compression, &blobs)).unwrap();
    let blob = std::fs::read(blobs.path(layer.descriptor.digest())).unwrap();
    (layer, blob)
}

#[test]
fn the_number_of_threads_does_not_show() {
    for compression in [Compression::Gzip, Compression::Zstd] {
        let (layer, blob) = write_with(1, compression);
        assert!(layer.uncompressed_bytes > 2 << 20, "several members");
        assert_eq!(layer.descriptor.size(), blob.len() as u64);
        for threads in [2, 3, 8] {
            assert_eq!(write_with(threads, compression), (layer.clone(), blob.clone()));
        }
        let mut archive = Vec::new();
        uncompressed(blob.as_slice(), Some(compression)).unwrap().read_to_end(&mut archive).unwrap();
        assert_eq!(crate::blob::digest_of(&archive), layer.diff_id);
        assert_eq!(archive.len() as u64, layer.uncompressed_bytes);
    }
}

#[test]
fn headers_are_fixed() {
    let (_, blob) = write_with(2, Compression::Gzip);
    let mut archive = tar::Archive::new(uncompressed(blob.as_slice(), Some(Compression::Gzip)).unwrap());
    let mut paths = Vec::new();
    for entry in archive.entries().unwrap() {
        let entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
        assert_eq!(header.mtime().unwrap(), 1_700_000_000);
        assert_eq!(header.mode().unwrap(), if header.entry_type().is_dir() { 0o755 } else { 0o644 });
        paths.push(entry.path().unwrap().into_owned());
    }
    assert_eq!(paths.first().unwrap(), Path::new("configs"));
    assert!(paths.is_sorted());
}

#[test]
fn a_file_that_changes_is_told() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    std::fs::write(&path, "12345").unwrap();
    for size in [4, 6] {
        let mut entries = Entries::default();
        let content = Content::Disk { path: path.clone(), bytes: size };
        entries.insert("file", LayerEntry::File { content, is_executable: false });
        let blobs = BlobFolder::new(place.path().join("blobs"));
        let error = write(&entries, 0, Compression::Gzip, &blobs).unwrap_err();
        assert!(error.to_string().contains("it changed while it was read"), "{error}");
        assert_eq!(blobs.contents().unwrap(), crate::store::Contents::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_packed_is_unpacked(
        files in btree_map("[a-zé]{1,3}(/[a-z. ]{1,60}x){0,4}", vec(any::<u8>(), 0..2_000), 0..12),
        is_zstd in any::<bool>(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let blobs = BlobFolder::new(place.path().join("blobs"));
        let mut entries = Entries::default();
        // A file cannot be a directory too.
        let is_folder = |path: &str| files.keys().any(|other| other.starts_with(&format!("{path}/")));
        let files: Vec<_> = files.iter().filter(|(path, _)| !is_folder(path)).collect();
        for (path, content) in &files {
            entries.insert(path, bytes((*content).clone()));
        }
        let compression = if is_zstd { Compression::Zstd } else { Compression::Gzip };
        let layer = write(&entries, 0, compression, &blobs).unwrap();
        let blob = std::fs::read(blobs.path(layer.descriptor.digest())).unwrap();
        let mut archive = Vec::new();
        uncompressed(blob.as_slice(), Some(compression)).unwrap().read_to_end(&mut archive).unwrap();
        let source = crate::testing::MemoryImage::of_packed(vec![(blob, compression.media_type(), archive)]);
        let image = crate::Image::select(&source, None).unwrap();
        let target = place.path().join("target");
        unpack::unpack(&image, &source, &target, &unpack::Options::default()).unwrap();
        let mut again = Entries::default();
        again.insert_folder(&target, Path::new("")).unwrap();
        let paths = |entries: &Entries| entries.iter().map(|(path, _)| path.to_path_buf()).collect::<Vec<_>>();
        prop_assert_eq!(paths(&entries), paths(&again));
        for (path, content) in files {
            prop_assert_eq!(&std::fs::read(target.join(path)).unwrap(), content);
        }
    }
}
