//! Sparse files, in the four forms that archives have.

use super::*;

/// Records of an extended header.
fn records(records: &[(&str, &str)]) -> Vec<u8> {
    let record = |(key, value): &(&str, &str)| {
        let line = |length: usize| format!("{length} GNU.sparse.{key}={value}\n");
        let length = (1..).find(|length| line(*length).len() == *length).unwrap();
        line(length)
    };
    let text: String = records.iter().map(record).collect();
    raw(b'x', "pax", "", text.as_bytes())
}

/// An old header with up to four parts, the size of the file, and whether more parts follow.
fn old(path: &str, parts: &[(u64, u64)], size: u64, goes_on: bool, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_path(path).unwrap();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    let gnu = header.as_gnu_mut().unwrap();
    for (field, (offset, length)) in gnu.sparse.iter_mut().zip(parts) {
        fill(&mut field.offset, *offset);
        fill(&mut field.numbytes, *length);
    }
    fill(&mut gnu.realsize, size);
    gnu.isextended = [u8::from(goes_on)];
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    if goes_on {
        let mut more = tar::GnuExtSparseHeader::new();
        let rest = parts.get(4..).unwrap_or_default();
        for (field, (offset, length)) in more.sparse.iter_mut().zip(rest) {
            fill(&mut field.offset, *offset);
            fill(&mut field.numbytes, *length);
        }
        bytes.extend_from_slice(more.as_bytes());
    }
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn fill(field: &mut [u8; 12], number: u64) {
    field.copy_from_slice(format!("{number:011o}\0").as_bytes());
}

#[test]
fn sparse_files_are_read() {
    let plain = |content: &str| file("GNUSparseFile.1/a", content);
    let with_map = |map: &str, content: &str| {
        let mut bytes = map.as_bytes().to_vec();
        bytes.resize(512, 0);
        bytes.extend_from_slice(content.as_bytes());
        raw(b'0', "GNUSparseFile.1/a", "", &bytes)
    };
    let zero = [("major", "0"), ("minor", "0"), ("name", "/d/a"), ("size", "9"), ("numblocks", "2")];
    let parts = [("offset", "1"), ("numbytes", "2"), ("offset", "7"), ("numbytes", "1")];
    let one = [("major", "1"), ("minor", "0"), ("name", "d/a"), ("realsize", "9")];
    for entries in [
        [records(&[&zero[..], &parts[..]].concat()), plain("xyz")],
        [records(&[("name", "d/a"), ("size", "9"), ("map", "1,2,7,1")]), plain("xyz")],
        [records(&one), with_map("2\n1\n2\n7\n1\n", "xyz")],
        [folder("d"), old("d/a", &[(1, 2), (7, 1)], 9, false, b"xyz")],
        [folder("d"), old("d/a", &[(1, 1), (2, 1), (3, 0), (7, 1), (8, 0)], 9, true, b"xyz")],
    ] {
        let entries = [&entries[..], &[file("b", "1")]].concat();
        assert_eq!(unpacked(&[&entries]).unwrap(), ["b=1", "d/", "d/a=\0xy\0\0\0\0z\0"]);
    }
    let many: String =
        "60\n".to_owned() + &(0..60).map(|at| format!("{}\n1\n", 200_000 + at)).collect::<String>();
    let mut bytes = many.into_bytes();
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes.extend_from_slice(&[b'x'; 60]);
    let size = [("major", "1"), ("minor", "0"), ("name", "a"), ("realsize", "200060")];
    let entries = [records(&size), raw(b'0', "GNUSparseFile.1/a", "", &bytes)];
    let wanted = format!("a={}{}", "\0".repeat(200_000), "x".repeat(60));
    assert_eq!(unpacked(&[&entries]).unwrap(), [wanted]);
}

#[test]
fn broken_maps_are_refused() {
    let one = [("major", "1"), ("minor", "0"), ("name", "a"), ("realsize", "9")];
    let content = |content: &[u8]| raw(b'0', "a", "", content);
    for (entries, message) in [
        (vec![records(&[("map", "0,3,1,1"), ("size", "9")]), content(b"wxyz")], "sparse file"),
        (vec![records(&[("map", "0,3,1"), ("size", "9")]), content(b"wxyz")], "sparse file"),
        (vec![records(&[("map", "0,3")]), content(b"xyz")], "sparse file"),
        (vec![records(&[("map", "0,3"), ("size", "2")]), content(b"xyz")], "sparse file"),
        (vec![records(&[("map", "0,x"), ("size", "2")]), content(b"xyz")], "broken map"),
        (vec![records(&[("numbytes", "1")]), content(b"xyz")], "broken map"),
        (vec![records(&[("major", "2"), ("minor", "0"), ("size", "3")]), content(b"xyz")], "sparse file"),
        (vec![records(&[("name", "../x"), ("map", "0,3"), ("size", "3")]), content(b"xyz")], "leads out"),
        (vec![records(&[("name", "a"), ("map", "0,4"), ("size", "4")]), content(b"xyz")], "cannot unpack"),
        (vec![records(&one), content(b"1\n0\n")], "ends in the middle"),
        (vec![records(&one), content(&[b'1'; 1024])], "ends in the middle"),
        (vec![records(&one), content(&[b"1\n0\nx\n", &[0; 600][..]].concat())], "sparse file"),
        (vec![old("a", &[(0, 3), (1, 1)], 9, false, b"wxyz")], "sparse file"),
        (vec![raw(b'S', "sparse", "", b"")], "sparse file"),
    ] {
        let error = unpacked(&[&entries]).expect_err(message);
        assert!(error.contains(message), "{error}\nwanted: {message}");
    }
}

#[test]
fn zeros_count() {
    let entries =
        [records(&[("map", "0,0"), ("size", "1000000000000"), ("name", "a")]), raw(b'0', "a", "", b"")];
    let (_place, outcome) = unpack_image(&MemoryImage::of_layers(&[archive(&entries)]), &Options::default());
    assert!(outcome.unwrap_err().to_string().contains("more than the permitted"));
}
