//! A buffer after edits is the buffer of the edited text.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;

fn texts(buffer: &Buffer) -> Vec<&str> {
    buffer.pieces.iter().map(|piece| piece.text.as_str()).collect()
}

fn at(line: u32, column: u32) -> Position {
    Position::new(line, column)
}

#[test]
fn texts_are_cut_at_documents() {
    for (text, pieces) in [
        ("a: 1\n---\nb: 2\n", vec!["a: 1\n", "---\nb: 2\n"]),
        ("---\na: 1\n--- # x\nb\n---", vec!["---\na: 1\n", "--- # x\nb\n", "---"]),
        ("{\"a\": 1}\n{\"b\": 2}\n", vec!["{\"a\": 1}", "\n{\"b\": 2}\n"]),
        ("{a: 1}\n---\n{b: 2}\n", vec!["{a: 1}\n", "---\n{b: 2}\n"]),
        ("", vec![]),
    ] {
        assert_eq!(texts(&Buffer::new(text)), pieces);
        assert_eq!(Buffer::new(text).text(), text);
    }
}

#[test]
fn a_broken_document_keeps_what_it_meant() {
    let text = "schema: olm.package\nname: foo\n---\nschema: olm.channel\npackage: foo\nname: a\n";
    let mut buffer = Buffer::new(text);
    let changed = buffer.edit(Some(Range::new(at(5, 6), at(5, 7))), "[", Encoding::Utf16);
    assert_eq!(changed, ["foo"]);
    let piece = buffer.pieces.get(1).unwrap();
    assert!(piece.fault.is_some());
    assert_eq!(piece.meaning(), "---\nschema: olm.channel\npackage: foo\nname: a\n");
    buffer.edit(Some(Range::new(at(5, 6), at(5, 7))), "b", Encoding::Utf16);
    let piece = buffer.pieces.get(1).unwrap();
    assert_eq!((piece.about.name.as_str(), &piece.good), ("b", &None));
}

#[test]
fn separators_come_and_go() {
    let mut buffer = Buffer::new("a: 1\n---\nb: 2\n");
    buffer.edit(Some(Range::new(at(1, 0), at(2, 0))), "", Encoding::Utf16);
    assert_eq!(texts(&buffer), ["a: 1\nb: 2\n"]);
    buffer.edit(Some(Range::new(at(1, 0), at(1, 0))), "---\n", Encoding::Utf16);
    assert_eq!(texts(&buffer), ["a: 1\n", "---\nb: 2\n"]);
    buffer.edit(Some(Range::new(at(0, 4), at(1, 0))), "", Encoding::Utf16);
    assert_eq!(texts(&buffer), ["a: 1---\nb: 2\n"]);
    buffer.edit(None, "x\n", Encoding::Utf16);
    assert_eq!(texts(&buffer), ["x\n"]);
}

#[test]
fn json_values_split_and_join() {
    let mut buffer = Buffer::new("{\"name\": \"a\"}\n{\"name\": \"b\"}\n");
    buffer.edit(Some(Range::new(at(0, 12), at(0, 13))), "", Encoding::Utf16);
    assert!(buffer.pieces.first().unwrap().fault.is_some());
    buffer.edit(Some(Range::new(at(0, 12), at(0, 12))), "}", Encoding::Utf16);
    assert_eq!(texts(&buffer), ["{\"name\": \"a\"}", "\n{\"name\": \"b\"}\n"]);
    assert_eq!(buffer.locate(at(1, 10), Encoding::Utf16), Some((1, 11)));
    assert_eq!(buffer.position(1, 11, Encoding::Utf16), at(1, 10));
}

/// Random edits, without a generator of any library: every state must be that of the text itself.
#[test]
fn edits_equal_the_text() {
    let parts = ["---\n", "\n", "a: 1\n", "name: ü𝒳\n", "{", "}", "--", "- x\n", ""];
    for start in ["a: 1\n---\nb: 2\n---\nname: x\n", "{\"a\": 1}\n{\"b\": [2]}\n"] {
        let mut seed = 7_u64;
        let mut random = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % most.max(1)
        };
        let (mut buffer, mut text) = (Buffer::new(start), start.to_owned());
        for _ in 0..2_000 {
            let mut places = [random(text.len() + 1), random(text.len() + 1)];
            places.sort_unstable();
            let boundary = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let [from, to] = places.map(boundary);
            let to = if text.len() > 200 { to } else { to.min(from + 3) };
            let to = boundary(to);
            let range = Range::new(
                position_of(&text, from, Encoding::Utf16),
                position_of(&text, to, Encoding::Utf16),
            );
            let new = parts.get(random(parts.len())).copied().unwrap_or_default();
            buffer.edit(Some(range), new, Encoding::Utf16);
            text.replace_range(from..to, new);
            assert_eq!(buffer.text(), text);
            if !buffer.is_json {
                let fresh = Buffer::new(&text);
                if !fresh.is_json {
                    assert_eq!(texts(&buffer), texts(&fresh));
                }
            }
        }
    }
}
