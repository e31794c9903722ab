//! What an unpacked image may take.

use super::*;

#[test]
fn bombs_are_refused() {
    let zeros = archive(&[raw(b'0', "zeros", "", &vec![0; 80 << 20])]);
    for (blob, media_type) in [
        (gzip(&zeros), MediaType::ImageLayerGzip),
        (zstd::bulk::compress(&zeros, 1).unwrap(), MediaType::ImageLayerZstd),
    ] {
        let source = MemoryImage::of_packed(vec![(blob, media_type, zeros.clone())]);
        let (_place, outcome) = unpack_image(&source, &Options::default());
        assert!(outcome.unwrap_err().to_string().contains("200 times its size"));
        let trusted = Limits { ratio: u64::MAX, ..Limits::default() };
        let (_place, outcome) = unpack_image(&source, &Options { limits: trusted, ..Options::default() });
        outcome.unwrap();
        let small = Limits { bytes: 1 << 20, ..Limits::default() };
        let (_place, outcome) = unpack_image(&source, &Options { limits: small, ..Options::default() });
        assert!(outcome.unwrap_err().to_string().contains("more than the permitted 1048576 bytes"));
    }
    let many = archive(&(0..20).map(|index| file(&index.to_string(), "")).collect::<Vec<_>>());
    let few = Limits { entries: 19, ..Limits::default() };
    let (_place, outcome) =
        unpack_image(&MemoryImage::of_layers(&[many]), &Options { limits: few, ..Options::default() });
    assert!(outcome.unwrap_err().to_string().contains("more than the permitted 19 entries"));
    // 10 GB that are not there.
    let sparse = archive(&[raw_sized(b'0', "giant", "", b"", 8_000_000_000)]);
    let (_place, outcome) = unpack_image(&MemoryImage::of_layers(&[sparse]), &Options::default());
    assert!(outcome.unwrap_err().to_string().contains("ends in the middle"));
}

fn with_entries(entries: u64) -> Options {
    Options { limits: Limits { entries, ..Limits::default() }, ..Options::default() }
}

fn refusal_of(entries: &[Vec<u8>], options: &Options) -> String {
    let (_place, outcome) = unpack_image(&MemoryImage::of_layers(&[archive(entries)]), options);
    outcome.unwrap_err().to_string()
}

/// An entry whose path is given by an extended header.
fn file_at(path: &str) -> Vec<u8> {
    let record = |length: usize| format!("{length} path={path}\n");
    let mut length = record(0).len();
    while record(length).len() != length {
        length = record(length).len();
    }
    [raw(b'x', "pax", "", record(length).as_bytes()), file("short", "")].concat()
}

#[test]
fn long_paths_are_refused() {
    let deep = "a/".repeat(10_000) + "b";
    let told = refusal_of(&[file_at(&deep)], &Options::default());
    assert!(told.contains("its path has more than 4096 bytes") && told.len() < 500, "{told}");
}

#[test]
fn directories_that_only_paths_name_count() {
    let deep = "a/".repeat(60) + "b";
    assert!(refusal_of(&[file_at(&deep)], &with_entries(50)).contains("more than the permitted 50 entries"));
}

#[test]
fn paths_and_links_have_a_budget() {
    // Each path goes through all links, and the system walks from the root for each of them.
    let mut entries = vec![raw(b'5', "p/p/p/d0", "", b"")];
    entries.extend(
        (1..40).map(|number| raw(b'2', &format!("p/p/p/d{number}"), &format!("d{}", number - 1), b"")),
    );
    let through = |number: usize| file(&format!("p/p/p/d{}/f{number}", 39 - number % 2), "");
    entries.extend((0..100).map(through));
    assert!(refusal_of(&entries, &with_entries(160)).contains("take more than the permitted 8000 steps"));
    let (_place, outcome) = unpack_image(&MemoryImage::of_layers(&[archive(&entries)]), &Options::default());
    outcome.unwrap();
}

#[test]
fn opaque_whiteouts_look_once() {
    let mut entries: Vec<Vec<u8>> = (0..300).map(|number| file(&format!("d/{number}"), "")).collect();
    entries.extend((0..300).map(|_| file("d/.wh..wh..opq", "")));
    // A look at each file for each whiteout would take 24 times as many steps.
    let (place, outcome) = unpack_image(&MemoryImage::of_layers(&[archive(&entries)]), &with_entries(601));
    outcome.unwrap();
    assert_eq!(listing(&place.path().join("target/d")).len(), 300);
    let mut named: Vec<Vec<u8>> = (0..300).map(|number| file(&format!("d/{number}"), "")).collect();
    named.extend((0..300).map(|_| file(".wh.d", "")));
    assert!(refusal_of(&named, &with_entries(601)).contains("more than the permitted 30050 steps"));
}

#[test]
fn empty_directories_are_made_last() {
    let many: Vec<Vec<u8>> = (0..30).map(|number| folder(&format!("a/d{number}"))).collect();
    let source = MemoryImage::of_layers(&[archive(&many)]);
    let image = Image::select(&source, None).unwrap();
    for (entries, made) in [(20, 0), (40, 30)] {
        let place = tempfile::tempdir().unwrap();
        let outcome = unpack_into(&image, &source, place.path(), &with_entries(entries));
        let found = fs::read_dir(place.path().join("a")).map_or(0, Iterator::count);
        assert_eq!((outcome.is_ok(), found), (made > 0, made), "{outcome:?}");
    }
}
