//! Blob folders: what goes in is whole, whoever else writes.

#![allow(clippy::unwrap_used)]

use oci_spec::image::MediaType;

use super::*;

fn blob(bytes: &[u8]) -> Descriptor {
    descriptor_of(bytes, MediaType::ImageLayer)
}

fn names(folder: &Path) -> usize {
    fs::read_dir(folder.join("sha256")).unwrap().count()
}

#[test]
fn only_whole_blobs_get_in() {
    let place = tempfile::tempdir().unwrap();
    let folder = BlobFolder::new(place.path());
    assert_eq!(folder.contents().unwrap(), Contents::default());
    let good = blob(b"good");
    assert!(!folder.holds(&good).unwrap());
    for bytes in [&b"evil"[..], b"goo", b"goods"] {
        assert!(folder.insert_bytes(&good, bytes).unwrap_err().is_refusal());
        assert_eq!(names(place.path()), 0, "nothing temporary stays");
    }
    folder.insert_bytes(&good, b"good").unwrap();
    assert!(folder.holds(&good).unwrap());
    // It is there: the source is not even opened.
    folder.insert(&good, || panic!("opened")).unwrap();
    assert_eq!(folder.contents().unwrap(), Contents { blobs: 1, bytes: 4, ..Contents::default() });
}

#[test]
fn a_broken_blob_is_replaced() {
    let place = tempfile::tempdir().unwrap();
    let folder = BlobFolder::new(place.path());
    let good = blob(b"good");
    folder.insert_bytes(&good, b"good").unwrap();
    fs::write(folder.path(good.digest()), b"rust").unwrap();
    assert!(!folder.holds(&good).unwrap());
    let mut text = String::new();
    assert!(folder.open(&good).unwrap().read_to_string(&mut text).is_err());
    folder.insert_bytes(&good, b"good").unwrap();
    assert!(folder.holds(&good).unwrap());
}

#[test]
fn several_write_the_same() {
    let place = tempfile::tempdir().unwrap();
    let bytes = vec![7; 1 << 20];
    let descriptor = blob(&bytes);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| BlobFolder::new(place.path()).insert_bytes(&descriptor, &bytes).unwrap());
        }
    });
    assert!(BlobFolder::new(place.path()).holds(&descriptor).unwrap());
    assert_eq!(names(place.path()), 1);
}

#[test]
fn clean_touches_nothing_but_blobs() {
    let place = tempfile::tempdir().unwrap();
    let folder = BlobFolder::new(place.path());
    folder.insert_bytes(&blob(b"a"), b"a").unwrap();
    fs::write(place.path().join("sha256/.fbc-killed"), b"half").unwrap();
    fs::write(place.path().join("sha256/notes.txt"), b"mine").unwrap();
    let removed = folder.clean().unwrap();
    assert_eq!(removed, Contents { blobs: 1, bytes: 1, unfinished: 1, unfinished_bytes: 4 });
    assert_eq!(fs::read(place.path().join("sha256/notes.txt")).unwrap(), b"mine");
    assert_eq!(folder.contents().unwrap(), Contents::default());
}

#[test]
fn a_download_goes_on_and_nobody_disturbs_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = BlobFolder::new(place.path());
    let good = blob(b"good");
    let mut first = folder.download(&good).unwrap();
    first.file.write_all(b"go").unwrap();
    // Somebody else has a file of their own, which goes with them; where the system can, it never has a name.
    let mut second = folder.download(&good).unwrap();
    second.file.write_all(b"xx").unwrap();
    assert!(names(place.path()) <= 2);
    drop(second);
    assert_eq!(names(place.path()), 1);
    drop(first);
    assert_eq!(folder.contents().unwrap().unfinished_bytes, 2);
    assert!(!folder.holds(&good).unwrap());
    let mut third = folder.download(&good).unwrap();
    let mut begin = String::new();
    third.file.read_to_string(&mut begin).unwrap();
    assert_eq!(begin, "go");
    third.file.write_all(b"od").unwrap();
    let mut fourth = folder.download(&good).unwrap();
    fourth.file.write_all(b"good").unwrap();
    third.finish().unwrap();
    fourth.finish().unwrap();
    assert!(folder.holds(&good).unwrap());
    assert_eq!(names(place.path()), 1);
}
