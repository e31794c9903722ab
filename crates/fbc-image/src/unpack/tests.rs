//! Layers from strangers: what is unpacked, and what is refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::io::Write as _;

use oci_spec::image::MediaType;

use super::*;
use crate::testing::{MemoryImage, archive, raw, raw_sized};

mod limits;
mod sparse;

/// Unpacks into `place/target`.
fn unpack_image(
    source: &MemoryImage,
    options: &Options,
) -> (tempfile::TempDir, Result<Vec<Mislabeled>, ImageError>) {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("target");
    let outcome = Image::select(source, None).and_then(|image| unpack(&image, source, &target, options));
    if outcome.is_err() {
        let left: Vec<_> = fs::read_dir(place.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
    (place, outcome)
}

/// What is in a folder: paths, and what files and links hold; directories end in a slash.
fn listing(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(below) = pending.pop() {
        for entry in fs::read_dir(folder.join(&below)).unwrap() {
            let entry = entry.unwrap();
            let path = below.join(entry.file_name());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                lines.push(format!("{}/", path.display()));
                pending.push(path);
            } else if kind.is_symlink() {
                lines.push(format!(
                    "{} -> {}",
                    path.display(),
                    fs::read_link(entry.path()).unwrap().display()
                ));
            } else {
                lines.push(format!("{}={}", path.display(), fs::read_to_string(entry.path()).unwrap()));
            }
        }
    }
    lines.sort();
    lines
}

fn unpacked(layers: &[&[Vec<u8>]]) -> Result<Vec<String>, String> {
    let layers: Vec<Vec<u8>> = layers.iter().map(|entries| archive(entries)).collect();
    let (place, outcome) = unpack_image(&MemoryImage::of_layers(&layers), &Options::default());
    outcome.map(|_| listing(&place.path().join("target"))).map_err(|error| error.to_string())
}

fn file(path: &str, content: &str) -> Vec<u8> {
    raw(b'0', path, "", content.as_bytes())
}

fn folder(path: &str) -> Vec<u8> {
    raw(b'5', path, "", b"")
}

fn link(path: &str, to: &str) -> Vec<u8> {
    raw(b'2', path, to, b"")
}

fn hard_link(path: &str, to: &str) -> Vec<u8> {
    raw(b'1', path, to, b"")
}

#[test]
fn hostile_entries_are_refused() {
    for (entries, message) in [
        (vec![file("../x", "")], "leads out of the image"),
        (vec![file("a/../../x", "")], "leads out of the image"),
        (vec![file("a/../x", "")], "leads out of the image"),
        (vec![file("/../x", "")], "leads out of the image"),
        (vec![file("/etc/../../x", "")], "leads out of the image"),
        (vec![link("/a", "/../x")], "leads out"),
        (vec![folder("/d"), link("/d/s", "/"), link("/d/a", "/d/s/../x")], "leads out"),
        (vec![file("/.wh...", "")], "leads out of the image"),
        (vec![folder("..")], "leads out of the image"),
        (vec![file(".wh...", "")], "leads out of the image"),
        (vec![link("a", "../x")], "the symbolic link to \"../x\" leads out"),
        (vec![link("d/a", "../../x")], "leads out"),
        (vec![folder("d"), link("d/s", "."), link("d/a", "s/../../x")], "leads out"),
        (vec![link("a", "../x"), file("a/y", "")], "leads out of the image"),
        (vec![link("s", "."), link("e", "s/s/../x")], "leads out"),
        (vec![link("a", "b"), link("b", "a"), file("a/x", "")], "leads nowhere"),
        (vec![file("f", ""), file("f/x", "")], "its directory \"f\" is not a directory"),
        (vec![hard_link("a", "/etc/passwd")], "the hard link to \"etc/passwd\" names no file"),
        (vec![hard_link("/a", "/../../etc/passwd")], "the hard link to \"/../../etc/passwd\" names no file"),
        (vec![link("e", "/"), hard_link("/a", "/e/../etc/passwd")], "the hard link"),
        (vec![hard_link("a", "../x")], "the hard link"),
        (vec![hard_link("a", "missing")], "the hard link to \"missing\" names no file"),
        (vec![folder("d"), hard_link("a", "d")], "the hard link"),
        (vec![link("l", "x"), hard_link("a", "l")], "the hard link"),
        (vec![raw(b'3', "null", "", b"")], "character device"),
        (vec![raw(b'4', "sda", "", b"")], "block device"),
        (vec![raw(b'6', "pipe", "", b"")], "named pipe"),
        (vec![raw(b'x', "p", "", b"22 GNU.sparse.major=1\n"), file("sparse", "")], "sparse file"),
        (vec![raw(b'7', "continuous", "", b""), raw(b'Q', "odd", "", b"")], "its type 'Q' is not known"),
        (vec![raw_sized(b'L', "n", "", b"", 2 << 20)], "more than 1 MiB"),
        (vec![raw(b'x', "p", "", b"99 nonsense\n"), file("a", "")], "broken extended header"),
        (vec![raw(b'x', "p", "", b"18 size=123456789x\n"), file("a", "")], "broken"),
        (vec![raw_sized(b'0', "endless", "", b"", u64::MAX)], "broken size"),
        (vec![vec![7; 512]], "checksum"),
        (vec![raw_sized(b'0', "short", "", b"abc", 10_000)], "ends in the middle of an entry"),
    ] {
        let error = unpacked(&[&entries]).expect_err(message);
        assert!(error.contains(message), "{error}\nwanted: {message}");
    }
}

#[test]
fn an_archive_may_end_without_padding() {
    let mut last = file("b", "2");
    last.truncate(513);
    let layer = [file("a", "1"), last].concat();
    let (place, outcome) =
        unpack_image(&MemoryImage::of_layers(std::slice::from_ref(&layer)), &Options::default());
    outcome.unwrap();
    assert_eq!(listing(&place.path().join("target")), ["a=1", "b=2"]);
    let cut = layer[..layer.len() - 1].to_vec();
    let (_, outcome) = unpack_image(&MemoryImage::of_layers(&[cut]), &Options::default());
    assert!(outcome.unwrap_err().to_string().contains("ends in the middle of an entry"));
}

#[test]
fn harmless_entries_are_unpacked() {
    let pax = raw(b'x', "p", "", b"16 path=pax/name\n");
    let pax = if pax.len() > 512 { raw(b'x', "p", "", b"17 path=pax/name\n") } else { pax };
    let entries = [
        folder("./"),
        file("./a/b", "1"),
        hard_link("c", "a/b"),
        link("absolute", "/a/b"),
        link("a/absolute", "/a/b"),
        link("a/up", "../c"),
        link("dangling", "nowhere/at/all"),
        raw(b'L', "././@LongLink", "", b"long/name\0"),
        file("ignored", "2"),
        pax,
        file("ignored", "3"),
        raw(b'g', "pax_global_header", "", b"11 comment=\n"),
        raw(b'0', "folder-of-old/", "", b""),
    ];
    assert_eq!(
        unpacked(&[&entries]).unwrap(),
        [
            "a/",
            "a/absolute -> ../a/b",
            "a/b=1",
            "a/up -> ../c",
            "absolute -> a/b",
            "c=1",
            "dangling -> nowhere/at/all",
            "folder-of-old/",
            "long/",
            "long/name=2",
            "pax/",
            "pax/name=3",
        ]
    );
}

#[test]
fn names_from_the_root_lie_below_it() {
    let lower: &[Vec<u8>] = &[
        folder("/"),
        folder("/bin/"),
        file("/bin/a", "1"),
        hard_link("/bin/b", "/bin/a"),
        hard_link("bin/c", "//bin/./b"),
        link("/bin/d", "/bin/a"),
        file("//configs//x", "1"),
        file("/gone", ""),
    ];
    assert_eq!(
        unpacked(&[lower, &[folder("/"), file("/.wh.gone", ""), file("/bin/a", "2")]]).unwrap(),
        ["bin/", "bin/a=2", "bin/b=1", "bin/c=1", "bin/d -> ../bin/a", "configs/", "configs/x=1"]
    );
    let layers = [archive(lower), archive(&[file("/configs/.wh.x", ""), file("/configs/y", "2")])];
    let below = Options { below: "configs".into(), ..Options::default() };
    let (place, outcome) = unpack_image(&MemoryImage::of_layers(&layers), &below);
    outcome.unwrap();
    assert_eq!(listing(&place.path().join("target")), ["y=2"]);
}

#[test]
fn the_bytes_of_a_layer_tell_its_compression() {
    let plain = archive(&[file("a", "1")]);
    let zstd = zstd::bulk::compress(&plain, 1).unwrap();
    let docker = |end: &str| MediaType::Other(format!("application/vnd.docker.image.rootfs.diff.{end}"));
    let labels = [
        (MediaType::ImageLayer, "not compressed"),
        (MediaType::ImageLayerGzip, "gzip"),
        (MediaType::ImageLayerZstd, "zstd"),
        (docker("tar"), "not compressed"),
        (docker("tar.gzip"), "gzip"),
        (docker("tar.zstd"), "zstd"),
    ];
    for (blob, found) in [(plain.clone(), "not compressed"), (gzip(&plain), "gzip"), (zstd, "zstd")] {
        for (label, labeled) in &labels {
            let source = MemoryImage::of_packed(vec![(blob.clone(), label.clone(), plain.clone())]);
            let (place, outcome) = unpack_image(&source, &Options::default());
            let told: Vec<String> = outcome.unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(listing(&place.path().join("target")), ["a=1"]);
            match *labeled == found {
                true => assert_eq!(told, Vec::<String>::new()),
                false => {
                    let digest = crate::blob::digest_of(&blob);
                    let wanted = format!(
                        "layer {digest} is labeled {label}, and its bytes are {found}; the bytes count"
                    );
                    assert_eq!(told, [wanted]);
                }
            }
        }
    }
}

#[test]
fn permissions_that_harm_are_dropped() {
    use std::os::unix::fs::PermissionsExt as _;
    let source = MemoryImage::of_layers(&[archive(&[file("a", "")])]);
    let (place, outcome) = unpack_image(&source, &Options::default());
    outcome.unwrap();
    let mode = fs::metadata(place.path().join("target/a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o777);
}

#[test]
fn whiteouts() {
    let lower: &[Vec<u8>] =
        &[file("a/x", "1"), file("a/y", "1"), file("b/z", "1"), file("c", "1"), link("l", "a")];
    for (upper, expected) in [
        (vec![file("a/.wh.x", "")], vec!["a/", "a/y=1", "b/", "b/z=1", "c=1", "l -> a"]),
        (vec![file(".wh.a", ""), file(".wh.missing", "")], vec!["b/", "b/z=1", "c=1", "l -> a"]),
        // What the same layer brings stays, whichever comes first.
        (
            vec![file("a/n", "2"), file("a/.wh..wh..opq", "")],
            vec!["a/", "a/n=2", "b/", "b/z=1", "c=1", "l -> a"],
        ),
        (
            vec![file("a/.wh..wh..opq", ""), file("a/x", "2")],
            vec!["a/", "a/x=2", "b/", "b/z=1", "c=1", "l -> a"],
        ),
        (vec![file("a/x", "2"), file(".wh.a", "")], vec!["a/", "a/x=2", "b/", "b/z=1", "c=1", "l -> a"]),
        (vec![file(".wh..wh.aufs", "")], vec!["a/", "a/x=1", "a/y=1", "b/", "b/z=1", "c=1", "l -> a"]),
        // Through a link of a lower layer, within the image.
        (vec![file("l/n", "2")], vec!["a/", "a/n=2", "a/x=1", "a/y=1", "b/", "b/z=1", "c=1", "l -> a"]),
        // Another kind takes the place.
        (vec![file("a", "2"), folder("c"), folder("l")], vec!["a=2", "b/", "b/z=1", "c/", "l/"]),
    ] {
        assert_eq!(unpacked(&[lower, &upper]).unwrap(), expected);
    }
}

#[test]
fn only_what_is_below() {
    let below = |path: &str| Options { below: path.into(), ..Options::default() };
    let catalog: &[Vec<u8>] =
        &[raw(b'3', "dev/null", "", b""), folder("configs"), file("configs/a", "1"), file("x", "")];
    let run = |layers: &[&[Vec<u8>]], path: &str| {
        let layers: Vec<Vec<u8>> = layers.iter().map(|entries| archive(entries)).collect();
        let (place, outcome) = unpack_image(&MemoryImage::of_layers(&layers), &below(path));
        outcome.map(|_| listing(&place.path().join("target"))).map_err(|error| error.to_string())
    };
    assert_eq!(run(&[catalog], "/configs").unwrap(), ["a=1"]);
    assert_eq!(
        run(&[catalog, &[file(".wh.configs", ""), file("configs/b", "2")]], "configs").unwrap(),
        ["b=2"]
    );
    assert!(
        run(&[&[link("configs", "x")]], "configs").unwrap_err().contains("\"configs\" is not a directory")
    );
    assert!(
        run(&[&[link("configs/a", "../x")]], "configs")
            .unwrap_err()
            .contains("configs/a\": the symbolic link")
    );
    assert!(run(&[&[link("configs/a", "/x")]], "configs").unwrap_err().contains("leads out"));
    assert!(
        run(&[&[file("x", ""), hard_link("configs/a", "x")]], "configs").unwrap_err().contains("hard link")
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn wrong_digests_are_refused() {
    let good = archive(&[file("a", "1")]);
    let wrong_diff =
        MemoryImage::of_packed(vec![(gzip(&good), MediaType::ImageLayerGzip, b"other".to_vec())]);
    let wrong_blob = |at: usize| {
        let mut source = MemoryImage::of_layers(std::slice::from_ref(&good));
        let digest = crate::blob::digest_of(&good).to_string();
        source.blobs.get_mut(&digest).unwrap()[at] = b'2';
        source
    };
    let short_blob = || {
        let mut source = MemoryImage::of_layers(std::slice::from_ref(&good));
        source.blobs.get_mut(&crate::blob::digest_of(&good).to_string()).unwrap().truncate(1600);
        source
    };
    let broken = MemoryImage::of_packed(vec![(
        b"this is not gzip, whatever the manifest says".to_vec(),
        MediaType::ImageLayerGzip,
        good.clone(),
    )]);
    let packed = gzip(&good);
    let cut = MemoryImage::of_packed(vec![(
        packed[..packed.len() / 2].to_vec(),
        MediaType::ImageLayerGzip,
        good.clone(),
    )]);
    let wrong_kind =
        MemoryImage::of_packed(vec![(good.clone(), MediaType::Other("text/plain".into()), good.clone())]);
    for (source, message) in [
        (wrong_diff, "the digest of an uncompressed layer is"),
        (wrong_blob(512), "the digest of a blob is"),
        (wrong_blob(0), "the digest of a blob is"),
        (short_blob(), "has 1600 bytes, not 2048"),
        (broken, "ends in the middle of a header"),
        (cut, "ends in the middle of an entry"),
        (wrong_kind, "which is not a layer"),
    ] {
        let (_place, outcome) = unpack_image(&source, &Options::default());
        let error = outcome.unwrap_err();
        assert!(error.is_refusal() && error.to_string().contains(message), "{error}\nwanted: {message}");
    }
}

#[test]
fn targets() {
    let source = MemoryImage::of_layers(&[archive(&[file("a", "1")])]);
    let image = Image::select(&source, None).unwrap();
    let place = tempfile::tempdir().unwrap();
    let run = |name: &str| unpack(&image, &source, &place.path().join(name), &Options::default());
    run("new/below").unwrap();
    assert!(run("new").unwrap_err().to_string().contains("is not empty"));
    fs::create_dir(place.path().join("empty")).unwrap();
    run("empty").unwrap();
    assert!(run("empty/a").unwrap_err().to_string().contains("is not a directory"));
}

#[test]
fn empty_directories_stand_where_they_are_needed() {
    for (entries, expected) in [
        (vec![folder("a"), folder("a/b"), file("a/b/x", "1")], vec!["a/", "a/b/", "a/b/x=1"]),
        (vec![folder("a"), folder("a/b"), folder("a")], vec!["a/", "a/b/"]),
        (vec![folder("a"), link("l", "a"), file("l/x", "1")], vec!["a/", "a/x=1", "l -> a"]),
        (vec![folder("a"), file("a", "1")], vec!["a=1"]),
        (vec![folder("a"), folder("a/b"), file("a", "1")], vec!["a=1"]),
        (vec![folder("a"), folder("a/b"), link("a", "c"), folder("c")], vec!["a -> c", "c/"]),
        (vec![file("a", "1"), folder("a")], vec!["a/"]),
        (vec![folder("a"), file(".wh.a", "")], vec!["a/"]),
        (vec![file("x", "1"), folder("a"), hard_link("a", "x")], vec!["a=1", "x=1"]),
    ] {
        assert_eq!(unpacked(&[&entries]).unwrap(), expected);
    }
    // Over what a lower layer has.
    let lower = [folder("a"), file("a/x", "1"), file("b", "2")];
    let upper = [folder("b"), file("a/.wh..wh..opq", ""), folder("a/y")];
    assert_eq!(unpacked(&[&lower, &upper]).unwrap(), ["a/", "a/y/", "b/"]);
}
