//! Changes of one file, as hands and tools make them by mistake.

use crate::random::Random;

/// Values that stand where another was.
const VALUES: [&str; 60] = [
    "3",
    "true",
    "null",
    "~",
    "1.5",
    "1e7",
    "-0.0",
    "0x1F",
    "1_000",
    "\"\"",
    "''",
    "[]",
    "{}",
    "[1]",
    "[a, [b, null]]",
    "{a: b}",
    "{a: {b: [null, 1.5]}}",
    "!!binary aGk=",
    "!!str 3",
    "!!int abc",
    "!foo bar",
    "y",
    "NO",
    ".inf",
    ".nan",
    "2001-01-01",
    "190:20:30",
    "1.2.3",
    "v1.2.3",
    "1.0",
    "01.2.3",
    "1.2.3-rc.1+b",
    "\"1.2.3 || || 1.2.4\"",
    "'>=1.0.0 <2.0.0'",
    "'^1.0.0'",
    "'1.2.x || >3'",
    "quay.io/a/b:c",
    "'[::1]:5000/a'",
    "QUAY.io/A/b",
    "a@sha256:12",
    "'a b'",
    "\"\\u00e9\\U0001F600\"",
    "\"a\\tb\\nc\"",
    "stable",
    "foo.v1.2.3",
    "aGk",
    "'aG\nk='",
    "!!!!",
    "*alias",
    "&anchor x",
    "|\n  text\n  more",
    "18446744073709551616",
    "9007199254740993",
    "1e400",
    "\"<a href='x'>&\"",
    "500m",
    "1Gx",
    "\"yes\"",
    "'null'",
    "ClusterServiceVersion",
];

/// Lines that stand between others.
const LINES: [&str; 30] = [
    "---",
    "--- ",
    "--- # note",
    "---x",
    "---\n---",
    "---\n---\n---",
    "...",
    "# note",
    "",
    "\t",
    "x",
    "x: y",
    "- x",
    "schema: olm.package",
    "schema: foo.bar",
    "Schema: olm.bundle",
    "name: other",
    "NAME: other",
    "package: other",
    "<<: {a: b}",
    "!!merge <<: {a: b}",
    "? [a]\n: b",
    "~: b",
    "1: b",
    "1.5: b",
    "true: b",
    "%YAML 1.1",
    "kind: ConfigMap",
    "properties: []",
    "{\"schema\":\"x\"}",
];

/// Bytes that stand between others.
const BYTES: [&[u8]; 14] = [
    b"\xff",
    b"\xc3",
    b"\0",
    b"\x1b[31m",
    b"\xef\xbb\xbf",
    b"\r",
    b"\t",
    b"\"",
    b"'",
    b": ",
    b" #",
    b"}",
    b",",
    b"\xe2\x80\xa8",
];

/// Changes a text in one way; says which.
pub(super) fn mutate(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    match random.below(16) {
        0..=5 => replace_value(random, bytes),
        6 => insert_line(random, bytes),
        7 => remove_lines(random, bytes),
        8 => copy_line(random, bytes),
        9 => swap_lines(random, bytes),
        10 => indent_line(random, bytes),
        11 => key_case(random, bytes),
        12 => insert_bytes(random, bytes),
        13 => cut(random, bytes),
        14 => change_character(random, bytes),
        _ => encode(random, bytes),
    }
}

/// A text as lines with their line ends, and a number among them.
fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn replace_value(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    let with_value: Vec<usize> =
        (0..lines.len()).filter(|&index| value_of(&lines[index]).is_some()).collect();
    let Some(&index) = random.choose(&with_value) else { return "nothing".to_owned() };
    let value = *random.choose(&VALUES).unwrap_or(&"3");
    let line = &mut lines[index];
    let Some((start, end)) = value_of(line) else { return "nothing".to_owned() };
    let is_json = line.get(..start).is_some_and(|before| before.trim_ascii_start().starts_with(b"\""));
    let value = if is_json && value.starts_with('\'') { value.replace('\'', "\"") } else { value.to_owned() };
    let said = format!("line {}: value {value:?} for {:?}", index + 1, String::from_utf8_lossy(line).trim());
    line.splice(start..end, value.bytes());
    *bytes = lines.concat();
    said
}

/// Where the value of a line `key: value` stands.
fn value_of(line: &[u8]) -> Option<(usize, usize)> {
    let at = line.windows(2).position(|pair| pair == b": " || pair == b":\n")?;
    let start = (at + 2).min(line.len() - 1);
    let mut end = line.len();
    while end > start && matches!(line[end - 1], b'\n' | b',') {
        end -= 1;
    }
    (end > start || line[at + 1] == b' ').then_some((start, end.max(start)))
}

fn insert_line(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    let at = random.below(lines.len() as u64 + 1) as usize;
    let line = *random.choose(&LINES).unwrap_or(&"---");
    let indent = if random.below(3) == 0 { indentation(lines.get(at)) } else { 0 };
    lines.insert(at, format!("{}{line}\n", " ".repeat(indent)).into_bytes());
    *bytes = lines.concat();
    format!("line {}: {line:?} inserted", at + 1)
}

fn indentation(line: Option<&Vec<u8>>) -> usize {
    line.map_or(0, |line| line.iter().take_while(|&&byte| byte == b' ').count())
}

fn remove_lines(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    let at = random.below(lines.len() as u64 + 1) as usize;
    let count = 1 + random.below(3) as usize;
    let end = (at + count).min(lines.len());
    lines.drain(at.min(end)..end);
    *bytes = lines.concat();
    format!("lines {} to {end} removed", at + 1)
}

fn copy_line(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    let Some(line) = random.choose(&lines).cloned() else { return "nothing".to_owned() };
    let at = random.below(lines.len() as u64 + 1) as usize;
    let said = format!("line {}: {:?} copied here", at + 1, String::from_utf8_lossy(&line).trim());
    lines.insert(at, line);
    *bytes = lines.concat();
    said
}

fn swap_lines(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    if lines.is_empty() {
        return "nothing".to_owned();
    }
    let [a, b] = [(); 2].map(|()| random.below(lines.len() as u64) as usize);
    lines.swap(a, b);
    *bytes = lines.concat();
    format!("lines {} and {} swapped", a + 1, b + 1)
}

fn indent_line(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    let at = random.below(lines.len().max(1) as u64) as usize;
    let Some(line) = lines.get_mut(at) else { return "nothing".to_owned() };
    let said = match random.below(3) {
        0 => {
            line.insert(0, b'\t');
            "a tab"
        }
        1 if line.starts_with(b" ") => {
            line.remove(0);
            "one blank less"
        }
        _ => {
            line.insert(0, b' ');
            "one blank more"
        }
    };
    *bytes = lines.concat();
    format!("line {}: {said}", at + 1)
}

fn key_case(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let mut lines = lines(bytes);
    let with_key: Vec<usize> = (0..lines.len()).filter(|&index| lines[index].contains(&b':')).collect();
    let Some(&index) = random.choose(&with_key) else { return "nothing".to_owned() };
    let line = &mut lines[index];
    let end = line.iter().position(|&byte| byte == b':').unwrap_or_default();
    let letters: Vec<usize> = (0..end).filter(|&at| line[at].is_ascii_alphabetic()).collect();
    if let Some(&at) = random.choose(&letters) {
        line[at] ^= 0x20;
    }
    let said = format!("line {}: key {:?}", index + 1, String::from_utf8_lossy(line).trim());
    *bytes = lines.concat();
    said
}

fn insert_bytes(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    let inserted = *random.choose(&BYTES).unwrap_or(&BYTES[0]);
    bytes.splice(at..at, inserted.iter().copied());
    format!("byte {at}: {:?} inserted", String::from_utf8_lossy(inserted))
}

fn cut(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    bytes.truncate(at);
    format!("cut off at byte {at}")
}

fn change_character(random: &mut Random, bytes: &mut [u8]) -> String {
    let at = random.below(bytes.len().max(1) as u64) as usize;
    let Some(byte) = bytes.get_mut(at) else { return "nothing".to_owned() };
    let before = *byte;
    *byte = b' ' + random.below(95) as u8;
    format!("byte {at}: {:?} for {:?}", char::from(*byte), char::from(before))
}

fn encode(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    match random.below(6) {
        0 => {
            bytes.splice(0..0, *b"\xef\xbb\xbf");
            "byte order mark".to_owned()
        }
        1 => {
            *bytes = text.replace('\n', "\r\n").into_bytes();
            "CRLF".to_owned()
        }
        2 => {
            *bytes = [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
            "UTF-16BE".to_owned()
        }
        3 => {
            *bytes = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
            "UTF-16LE".to_owned()
        }
        4 => {
            bytes.splice(0..0, b" \n\t  ".iter().copied().cycle().take(35));
            "white space before".to_owned()
        }
        _ => {
            *bytes = text.trim_end().as_bytes().to_vec();
            "no line end at the end".to_owned()
        }
    }
}
