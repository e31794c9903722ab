//! Limits, and what must hold for any text.

use proptest::prelude::*;

use super::super::Event;
use super::super::differential::text_of_pieces;
use super::{outline, read, show};

#[test]
fn limits() {
    let deepest = |open: &str, close: &str, depth: usize| open.repeat(depth) + &close.repeat(depth);
    assert!(outline(deepest("[", "]", 10_000).as_bytes()).ends_with("-SEQ"));
    assert_eq!(outline(deepest("[", "]", 10_001).as_bytes()), "yaml: exceeded max depth of 10000");
    assert!(outline("- ".repeat(10_000).as_bytes()).ends_with("-SEQ"));
    assert_eq!(outline("- ".repeat(10_001).as_bytes()), "yaml: exceeded max depth of 10000");
    // A simple key must end within 1024 characters, whatever their bytes.
    assert!(outline(("é".repeat(1024) + ": a").as_bytes()).starts_with("+MAP"));
    assert_eq!(
        outline(("é".repeat(1025) + ": a").as_bytes()),
        "yaml: mapping values are not allowed in this context"
    );
    assert_eq!(
        outline(format!("a: b\n{}: a", "c".repeat(1025)).as_bytes()),
        "yaml: line 2: could not find expected ':'"
    );
}

/// Anything that cost more than linear time would take minutes here.
#[test]
fn hostile_texts_take_linear_time() {
    for piece in
        ["[", "{a: ", "- ", "? ", "a: ", "&a ", "!a ", "'a' ", "\"\\x", "[]: ", "a\u{85}", "#\n", "{", "\t"]
    {
        read(piece.repeat(100_000).as_bytes());
    }
    for (start, piece) in [
        ("[", "a, "),
        ("[", "[], "),
        ("[", "? a : b, "),
        ("{", "a: {b: c}, "),
        ("{", "[a, b]: [c, d], "),
        ("'", "a\u{85}"),
        ("|\n", " a\u{2028}"),
        ("a", "\n\n\u{85}"),
        ("", "- [a, b]\n"),
        ("\u{feff}\u{feff}", "a: b\n"),
    ] {
        read((start.to_owned() + &piece.repeat(100_000)).as_bytes());
    }
    let mut handles: String = (0..50_000).map(|number| format!("%TAG !{number}! x\n")).collect();
    handles.push_str("---\n");
    assert_eq!(read(handles.as_bytes()).1, None);
    let prefix = format!("%TAG ! {}\n---\n[{}]", "x".repeat(100_000), "!a ,".repeat(100_000));
    assert_eq!(read(prefix.as_bytes()).1, None);
}

proptest! {
    #[test]
    fn any_bytes_come_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        read(&bytes);
    }

    #[test]
    fn any_text_comes_to_an_end(pieces in prop::collection::vec(any::<u8>(), 0..60), cut in any::<usize>()) {
        let text = text_of_pieces(&pieces);
        read(&text.as_bytes()[..cut % (text.len() + 1)]);
    }

    /// A byte order mark in a comment at the end makes the reader go through the text in pieces,
    /// which must not change what comes before.
    #[test]
    fn pieces_do_not_matter(pieces in prop::collection::vec(any::<u8>(), 100..400)) {
        let text = text_of_pieces(&pieces) + "\n# ";
        let (plain, marked) = (text.clone() + "c", text + "\u{feff}");
        let (plain, marked) = (read(plain.as_bytes()), read(marked.as_bytes()));
        let kinds = |events: &[Event<'_>]| events.iter().map(|event| show(&event.kind)).collect::<Vec<_>>();
        prop_assert_eq!(kinds(&plain.0), kinds(&marked.0));
        prop_assert_eq!(plain.1.map(|error| error.problem), marked.1.map(|error| error.problem));
    }
}
