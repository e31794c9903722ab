//! A buffer after edits is the buffer of the edited text.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;

fn texts(buffer: &Buffer) -> Vec<&str> {
    buffer.pieces.iter().map(|piece| piece.text.as_str()).collect()
}

fn change(buffer: &mut Buffer, range: Option<Range>, text: &str) -> Vec<String> {
    buffer.edit([(range, text.to_owned())], Encoding::Utf16)
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
    let changed = change(&mut buffer, Some(Range::new(at(5, 6), at(5, 7))), "[");
    assert_eq!(changed, ["foo"]);
    let piece = buffer.pieces.get(1).unwrap();
    assert!(piece.fault.is_some());
    assert_eq!(piece.meaning(), "---\nschema: olm.channel\npackage: foo\nname: a\n");
    change(&mut buffer, Some(Range::new(at(5, 6), at(5, 7))), "b");
    let piece = buffer.pieces.get(1).unwrap();
    assert_eq!((piece.about.name.as_str(), &piece.good), ("b", &None));
}

#[test]
fn a_whole_text_changes_only_documents_that_differ() {
    let document = |name: &str| format!("---\nschema: olm.channel\npackage: foo\nname: {name}\n");
    let text = ["a", "b", "c"].map(document).concat();
    let mut buffer = Buffer::new(&text);
    let before = buffer.pieces.clone();
    for (text, good) in [
        (text.replace("name: b", "name: ["), Some(document("b"))),
        (text.replace("name: b", "name: x"), None),
        (text.clone(), None),
    ] {
        change(&mut buffer, None, &text);
        assert_eq!(buffer.text(), text);
        let [first, second, third] = buffer.pieces.as_slice() else { panic!("{:?}", texts(&buffer)) };
        assert_eq!(second.good.as_deref(), good.as_deref());
        for (piece, same) in [(first, &before[0]), (third, &before[2])] {
            assert!(Arc::ptr_eq(piece, same), "{text}");
        }
    }
}

#[test]
fn separators_come_and_go() {
    let mut buffer = Buffer::new("a: 1\n---\nb: 2\n");
    change(&mut buffer, Some(Range::new(at(1, 0), at(2, 0))), "");
    assert_eq!(texts(&buffer), ["a: 1\nb: 2\n"]);
    change(&mut buffer, Some(Range::new(at(1, 0), at(1, 0))), "---\n");
    assert_eq!(texts(&buffer), ["a: 1\n", "---\nb: 2\n"]);
    change(&mut buffer, Some(Range::new(at(0, 4), at(1, 0))), "");
    assert_eq!(texts(&buffer), ["a: 1---\nb: 2\n"]);
    change(&mut buffer, None, "x\n");
    assert_eq!(texts(&buffer), ["x\n"]);
}

#[test]
fn json_values_split_and_join() {
    let mut buffer = Buffer::new("{\"name\": \"a\"}\n{\"name\": \"b\"}\n");
    change(&mut buffer, Some(Range::new(at(0, 12), at(0, 13))), "");
    assert!(buffer.pieces.first().unwrap().fault.is_some());
    change(&mut buffer, Some(Range::new(at(0, 12), at(0, 12))), "}");
    assert_eq!(texts(&buffer), ["{\"name\": \"a\"}", "\n{\"name\": \"b\"}\n"]);
    assert_eq!(buffer.locate(at(1, 10), Encoding::Utf16), Some((1, 11)));
    assert_eq!(buffer.position(1, 11, Encoding::Utf16), at(1, 10));
}

/// JSON of many documents, one for each line.
fn values(count: usize) -> String {
    (0..count).map(|number| format!("{{\"name\": \"n{number}\"}}\n")).collect()
}

/// How many documents are not those that were there before.
fn read_again(before: &Buffer, after: &Buffer) -> usize {
    let is_old = |piece: &&Arc<Piece>| before.pieces.iter().any(|old| Arc::ptr_eq(old, piece));
    after.pieces.iter().filter(|piece| !is_old(piece)).count()
}

#[test]
fn an_edit_reads_its_document_again_and_no_other() {
    let yaml: String = (0..100).map(|number| format!("---\nname: n{number}\n")).collect();
    let yaml_edits = [(3, "["), (161, "["), (161, "]"), (1, "{"), (199, ": :")];
    // The second document is broken while others are, in JSON too.
    let json_edits = [(7, "\""), (80, "\""), (80, "x"), (99, "{"), (0, "}"), (0, "["), (50, "]")];
    for (text, edits) in [(yaml, yaml_edits.as_slice()), (values(100), json_edits.as_slice())] {
        let mut buffer = Buffer::new(&text);
        for (line, new) in edits {
            let before = buffer.clone();
            change(&mut buffer, Some(Range::new(at(*line, 3), at(*line, 3))), new);
            assert_eq!(read_again(&before, &buffer), 1, "{new} in line {line} of {text}");
        }
        assert!(buffer.pieces.iter().all(|piece| piece.fault.is_none() || piece.good.is_some()));
    }
}

#[test]
fn broken_json_is_cut_as_the_loader_goes_on() {
    let text = values(4).replace("\"n1\"", "n1\"");
    let mut buffer = Buffer::new(&text);
    let faults: Vec<bool> = buffer.pieces.iter().map(|piece| piece.fault.is_some()).collect();
    assert_eq!(faults, [false, true, false, false]);
    change(&mut buffer, Some(Range::new(at(1, 9), at(1, 9))), "\"");
    assert!(buffer.pieces.iter().all(|piece| piece.fault.is_none()));
    assert_eq!(buffer.text(), values(4));
}

#[test]
fn a_value_that_was_torn_apart_letter_by_letter_becomes_one_again() {
    let mut buffer = Buffer::new("{\"name\": \"a\"}\n{\"name\": \"b\",\n\"x\": 1}\n{\"name\": \"c\"}\n");
    for (line, column, new) in [(1, 13, "}"), (2, 0, "{")] {
        change(&mut buffer, Some(Range::new(at(line, column), at(line, column))), new);
    }
    for (line, column) in [(2, 0), (1, 13)] {
        change(&mut buffer, Some(Range::new(at(line, column), at(line, column + 1))), "");
    }
    assert_eq!(buffer.pieces.len(), 3, "{:?}", texts(&buffer));
    assert!(buffer.pieces.iter().all(|piece| piece.fault.is_none()));
}

#[test]
fn white_space_that_a_value_leaves_belongs_to_its_neighbor() {
    for line in 0..3 {
        let mut buffer = Buffer::new(&values(3));
        change(&mut buffer, Some(Range::new(at(line, 0), at(line, 14))), "");
        assert_eq!(buffer.pieces.len(), 2, "{:?}", texts(&buffer));
        assert!(buffer.pieces.iter().all(|piece| piece.has_document));
    }
}

#[test]
fn json_becomes_yaml_with_its_separators() {
    let mut buffer = Buffer::new(&values(3));
    change(&mut buffer, Some(Range::new(at(1, 0), at(1, 0))), "---\n");
    assert_eq!(buffer.pieces.len(), 2, "{:?}", texts(&buffer));
    change(&mut buffer, Some(Range::new(at(3, 0), at(3, 0))), "---\n");
    assert_eq!(buffer.pieces.len(), 3, "{:?}", texts(&buffer));
    assert!(buffer.pieces.iter().all(|piece| piece.fault.is_none()));
}

#[test]
fn changes_of_one_message_count_from_each_other() {
    for text in ["---\nname: a\n---\nname: b\n---\nname: c\n", &values(3)] {
        let mut buffer = Buffer::new(text);
        let mut whole = text.to_owned();
        let places =
            [(3, 0, 0, "xy"), (1, 2, 3, ""), (1, 2, 2, "\""), (1, 2, 3, ""), (0, 1, 1, "z"), (3, 0, 1, "")];
        let changes = places.map(|(line, from, to, new)| {
            let range = Range::new(at(line, from), at(line, to));
            let bytes = [range.start, range.end].map(|place| byte_at(&whole, place, Encoding::Utf16));
            whole.replace_range(bytes[0]..bytes[1], new);
            (Some(range), new.to_owned())
        });
        buffer.edit(changes, Encoding::Utf16);
        assert_eq!(buffer.text(), whole);
        assert_eq!(buffer.pieces.len(), 3);
    }
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
            change(&mut buffer, Some(range), new);
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

/// A document of many lines, one long line and line breaks of both kinds.
fn large_document() -> String {
    let entries: String = (0..9_000).map(|number| format!("- name: ü{number}\n")).collect();
    let long = "x𝒳".repeat(30_000);
    format!("a: 1\n---\nlong: {long}\r\nentries:\n{entries}---\nb: 2\r\n---\nc: 3\n")
}

#[test]
fn a_draft_with_many_changes_is_the_text() {
    let mut seed = 11_u64;
    let mut random = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most.max(1)
    };
    let parts = ["x", "ü𝒳", "\n", "---\n", "\r\n", "- name: y\n", ""];
    for start in [large_document(), values(3_000)] {
        for encoding in [Encoding::Utf16, Encoding::Utf8] {
            let (mut text, mut buffer) = (start.clone(), Buffer::new(&start));
            for _ in 0..4 {
                let mut draft = Draft::new(buffer, 1, encoding);
                for _ in 0..60 {
                    let place = random(text.len() + 1);
                    let length = [0, 1, 9, 40_000][random(4)];
                    let boundary = |mut at: usize| {
                        at = at.min(text.len());
                        // A position never lies within a line break of two letters.
                        while !text.is_char_boundary(at)
                            || text
                                .get(at - at.min(1)..)
                                .is_some_and(|rest| at > 0 && rest.starts_with("\r\n"))
                        {
                            at -= 1;
                        }
                        at
                    };
                    let (from, to) = (boundary(place), boundary(place + length));
                    let range =
                        Range::new(position_of(&text, from, encoding), position_of(&text, to, encoding));
                    let new = parts[random(parts.len())];
                    draft.apply(Some(range), new);
                    text.replace_range(from..to, new);
                }
                (buffer, _) = draft.settle();
                assert!(buffer.text() == text);
                let fresh = Buffer::new(&text);
                assert!(buffer.is_json || texts(&buffer) == texts(&fresh));
                text.push_str(&start);
                buffer.edit([(None, text.clone())], encoding);
            }
        }
    }
}

#[test]
fn what_a_change_costs_does_not_depend_on_its_document() {
    let entries: String = (0..120_000).map(|number| format!("- name: n{number}\n  replaces: n\n")).collect();
    let text = format!("---\nschema: olm.channel\npackage: foo\nname: a\nentries:\n{entries}---\nname: b\n");
    let mut draft = Draft::new(Buffer::new(&text), 1, Encoding::Utf16);
    draft.apply(Some(Range::new(at(120_000, 8), at(120_000, 8))), "x");
    let first = draft.copied;
    assert!(first <= text.len() + 1);
    for number in 0..300 {
        let line = 5 + number * 797;
        draft.apply(Some(Range::new(at(line, 3), at(line, 3))), "x");
    }
    assert!(draft.copied - first <= 300 * 2 * CHUNK_BYTES, "{}", draft.copied - first);
    let (buffer, changed) = draft.settle();
    assert_eq!((buffer.pieces.len(), changed), (2, vec!["foo".to_owned()]));
}
