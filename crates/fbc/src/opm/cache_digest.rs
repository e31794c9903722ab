//! The digest by which opm tells whether a cache is that of a catalog: FNV-1a over both as archives of Go's `archive/tar`, owners
//! and times left out.
//!
//! Source: `operator-framework/operator-registry:pkg/cache/json.go` (`computeDigest`), `pkg/cache/tar.go`;
//! `golang/go:src/archive/tar/writer.go`, `src/archive/tar/format.go`.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// The size of a block of an archive.
const BLOCK: usize = 512;
/// The most bytes of a name in a header.
const NAME_BYTES: usize = 100;
/// The most bytes of the directories before a name.
const PREFIX_BYTES: usize = 155;

/// The digest of a catalog and of what lies in the directory `cache` of its cache.
///
/// # Errors
/// What cannot be read.
pub(super) fn digest(catalog: &Path, cache: &Path) -> io::Result<String> {
    let mut hash = Fnv64a::default();
    for root in [catalog, cache] {
        add(&mut hash, root, ".")?;
        hash.write(&[0; 2 * BLOCK]);
    }
    Ok(format!("{:x}", hash.0))
}

/// FNV-1a of 64 bits.
struct Fnv64a(u64);

impl Default for Fnv64a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv64a {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Adds what lies at a path below a root, directories before what they hold, names in the order of their bytes.
fn add(hash: &mut Fnv64a, root: &Path, path: &str) -> io::Result<()> {
    let full = root.join(path);
    let metadata = fs::symlink_metadata(&full)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    header(hash, path, &metadata);
    if metadata.is_dir() {
        let mut names: Vec<String> = fs::read_dir(&full)?
            .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_, _>>()?;
        names.sort();
        return names.iter().try_for_each(|name| {
            let below = if path == "." { name.clone() } else { format!("{path}/{name}") };
            add(hash, root, &below)
        });
    }
    let mut file = File::open(&full)?;
    let mut buffer = vec![0; 32 << 10];
    let mut length = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => {
                hash.write(buffer.get(..count).unwrap_or_default());
                length += count;
            }
        }
    }
    hash.write(&padding(length));
    Ok(())
}

/// What fills the last block.
fn padding(length: usize) -> Vec<u8> {
    vec![0; length.wrapping_neg() % BLOCK]
}

/// Adds the header of an entry; a name that is too long for it comes before it in one of its own.
fn header(hash: &mut Fnv64a, path: &str, metadata: &Metadata) {
    let size = if metadata.is_dir() { 0 } else { metadata.len() };
    let (name, prefix) = match split(path) {
        Some((prefix, name)) => (name.to_owned(), prefix.to_owned()),
        None => {
            let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
            let extended = [directory, "PaxHeaders.0", file].join("/");
            let record = record("path", path);
            let mut block = Block::new(extended.trim_start_matches('/'), b'x');
            block.octal(100..108, 0).octal(108..116, 0).octal(116..124, 0);
            block.octal(124..136, record.len() as u64).octal(136..148, 0);
            hash.write(&block.finish());
            hash.write(record.as_bytes());
            hash.write(&padding(record.len()));
            (path.to_owned(), String::new())
        }
    };
    let mut block = Block::new(&name, if metadata.is_dir() { b'5' } else { b'0' });
    block.octal(100..108, mode(metadata)).octal(108..116, 0).octal(116..124, 0);
    block.octal(124..136, size).octal(136..148, 0).octal(329..337, 0).octal(337..345, 0);
    block.text(345..500, &prefix);
    hash.write(&block.finish());
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::PermissionsExt as _;
    u64::from(metadata.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(metadata: &Metadata) -> u64 {
    if metadata.is_dir() { 0o777 } else { 0o666 }
}

/// A path as the header of the older format has it: directories and name; nothing if it has no place there.
fn split(path: &str) -> Option<(&str, &str)> {
    if !path.is_ascii() {
        return None;
    }
    if path.len() <= NAME_BYTES {
        return Some(("", path));
    }
    let (prefix, _) = path.split_at_checked((PREFIX_BYTES + 1).min(path.len()))?;
    let at = prefix.rfind('/').filter(|at| *at > 0)?;
    let (prefix, name) = (path.get(..at)?, path.get(at + 1..)?);
    (!name.is_empty() && name.len() <= NAME_BYTES).then_some((prefix, name))
}

/// A record of an extended header: its own length, a key and a value.
fn record(key: &str, value: &str) -> String {
    let without = key.len() + value.len() + 3;
    let first = without + without.to_string().len();
    let made = format!("{first} {key}={value}\n");
    // The length may have one digit more with its own digits.
    if made.len() == first { made } else { format!("{} {key}={value}\n", made.len()) }
}

/// A block of an archive.
struct Block([u8; BLOCK]);

impl Block {
    fn new(name: &str, kind: u8) -> Self {
        let mut block = Self([0; BLOCK]);
        // What is beyond ASCII stands in the extended header alone.
        let ascii: String = name.chars().filter(char::is_ascii).collect();
        block.text(0..NAME_BYTES, &ascii);
        block.text(156..157, &char::from(kind).to_string());
        block.text(257..262, "ustar");
        block.text(263..265, "00");
        block
    }

    fn text(&mut self, field: std::ops::Range<usize>, text: &str) -> &mut Self {
        if let Some(field) = self.0.get_mut(field) {
            field.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
        }
        self
    }

    /// A number in octal digits that fill the field but for a zero byte at its end.
    fn octal(&mut self, field: std::ops::Range<usize>, number: u64) -> &mut Self {
        let digits = format!("{number:o}");
        let zeros = "0".repeat((field.len() - 1).saturating_sub(digits.len()));
        self.text(field, &format!("{zeros}{digits}"))
    }

    /// The block with its checksum, for which the field of the checksum counts as spaces.
    fn finish(mut self) -> [u8; BLOCK] {
        self.text(148..156, "        ");
        let sum: u64 = self.0.iter().map(|byte| u64::from(*byte)).sum();
        self.text(148..155, &format!("{sum:06o}\0"));
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_archives() {
        let mut block = Block::new("a/b.yaml", b'0');
        block.octal(100..108, 0o644).octal(108..116, 0).octal(116..124, 0);
        block.octal(124..136, 12).octal(136..148, 0).octal(329..337, 0).octal(337..345, 0);
        let block = block.finish();
        let field = |range: std::ops::Range<usize>| String::from_utf8_lossy(&block[range]).into_owned();
        assert_eq!(field(100..108), "0000644\0");
        assert_eq!(field(124..136), "00000000014\0");
        assert_eq!(field(257..265), "ustar\x0000");
        let sum: u64 =
            block[..148].iter().chain(&block[156..]).map(|byte| u64::from(*byte)).sum::<u64>() + 8 * 32;
        assert_eq!(field(148..156), format!("{sum:06o}\0 "));
    }

    #[test]
    fn long_names() {
        let long = "x".repeat(120);
        assert_eq!(split(&long), None);
        assert_eq!(split("short"), Some(("", "short")));
        assert_eq!(split(&format!("{}/name", "d".repeat(110))), Some(("d".repeat(110).as_str(), "name")));
        assert_eq!(record("path", &long), format!("130 path={long}\n"));
        // 99 bytes without the digits of the length.
        let value = "y".repeat(99 - 7);
        assert_eq!(record("path", &value), format!("102 path={value}\n"));
        assert_eq!(padding(1), vec![0; 511]);
        assert_eq!(padding(1024), Vec::<u8>::new());
    }

    #[test]
    fn digests_know_contents_and_names() {
        let mut hash = Fnv64a::default();
        hash.write(b"foobar");
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
        let folder = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yaml"), "a").unwrap();
        let first = digest(folder.path(), cache.path()).unwrap();
        assert_eq!(digest(folder.path(), cache.path()).unwrap(), first);
        std::fs::write(folder.path().join("a.yaml"), "b").unwrap();
        assert_ne!(digest(folder.path(), cache.path()).unwrap(), first);
    }
}
