//! The events against those of libyaml, on random texts that are put together from pieces of YAML.
//!
//! go-yaml v2 is a port of an early libyaml, so most texts have the same events, and the same errors,
//! in both. [`is_known_difference`] lists where they went apart. More cases than usual:
//! `PROPTEST_CASES=5000000 cargo test --release -p fbc-yaml events::differential`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use libyaml_safer::{EventData, Parser, ScalarStyle};
use proptest::prelude::*;

use super::tests::{read, show};
use super::{EventKind, Style};

const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "\n ",
    " ",
    "  ",
    "- ",
    "-",
    "a: ",
    "b:",
    "key: ",
    "\"k\": ",
    "'k': ",
    ": ",
    ":",
    "'",
    "''",
    "\"",
    "\\",
    "\\\"",
    "\\n",
    "\\\n",
    "\\x41",
    "\\u00e9",
    "|",
    "|-",
    "|+",
    "|2",
    "|1-",
    ">",
    ">-",
    "#",
    " #",
    "# c",
    "x",
    "word",
    "two words",
    "null",
    "1",
    "<<",
    "[]",
    "{}",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&",
    "*",
    "!",
    "%",
    "@",
    "`",
    "?",
    "? ",
    "...",
    "---",
    "\t",
    "é",
    "😀",
    "\u{2028}",
    "\u{85}",
    "\r",
    "\r\n",
    "\n- ",
    "\n  - ",
    "\na: ",
    "\n  b: ",
    "\n    c: ",
    "\n\n",
    "\n \n",
    "  \n",
    "&a ",
    "*a ",
    "!!str ",
    "!t ",
    "!<x> ",
    "!e!x ",
    "%TAG !e! e%41\n",
    "%YAML 1.1\n",
    "\n---\n",
    "\n...\n",
    "[a, ",
    "{a: ",
    "]: ",
    "}: ",
    "\" \"",
    "[[",
    "]]",
    "{? ",
    "? - ",
    "- - ",
    "- ? ",
    "- a: ",
    "\n? ",
    "\n: ",
    "\n  : ",
];

/// A text of so many pieces. The first few bytes choose the alphabet for most of the others, because
/// few pieces in many combinations find more than many pieces in few.
pub(super) fn text_of_pieces(choices: &[u8]) -> String {
    let (alphabet, rest) = choices.split_at(choices.len().min(12));
    let piece = |byte: u8| PIECES[usize::from(byte) % PIECES.len()];
    let is_free = |byte: u8| byte.is_multiple_of(6) || alphabet.is_empty();
    rest.iter()
        .map(|&byte| {
            if is_free(byte) {
                piece(byte / 6 * 5)
            } else {
                piece(alphabet[usize::from(byte) % alphabet.len()])
            }
        })
        .collect()
}

/// What libyaml has changed since, and what its port does otherwise.
fn is_known_difference(text: &str) -> bool {
    let has_flow = text.contains(['[', '{']);
    let before_colon = || text.match_indices(':').map(|(at, _)| text[..at].trim_end());
    // In flow collections, `?` inside of plain scalars belongs to them, and `:` before an indicator
    // is an error.
    let flow_indicators = has_flow
        && (text.contains('?') || [":,", ":[", ":]", ":{", ":}"].iter().any(|pair| text.contains(pair)));
    // An empty flow collection may be a key.
    let collection_key = before_colon().any(|before| before.ends_with([']', '}']));
    // Tags end before `,`, and have neither that nor brackets outside of `!<>`. The port panics.
    let tag_in_flow = text.contains('!') && text.contains([',', '[', ']', '{']);
    // The port has its own idea of `%` and of bytes that are not ASCII.
    let tag_escape = text.contains('!') && text.contains('%');
    // `\/` was added, `\'` removed; a text that ends in a backslash makes the port panic.
    let escapes = text.contains("\\/") || text.contains("\\'");
    flow_indicators || collection_key || tag_in_flow || tag_escape || escapes || text.contains("%YAML 1.2")
}

/// Errors that come at another time. libyaml looks for overdue simple keys before every token, and
/// go-yaml for the one that it waits for; and go-yaml reads the token behind an anchor and a tag
/// before it looks up the tag. What waits for what differs in flow collections, see
/// `Scanner::leave_flow`.
fn is_other_precedence(text: &str, ours: &str, theirs: &str) -> bool {
    text.contains(['[', '{'])
        || [ours, theirs].contains(&"could not find expected ':'")
        || theirs == "found undefined tag handle"
}

fn libyaml(text: &str) -> (Vec<String>, Option<String>) {
    let mut input = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input(&mut input);
    let mut shown = Vec::new();
    loop {
        let event = match parser.parse() {
            Ok(event) => event,
            Err(error) => return (shown, Some(error.problem().to_owned())),
        };
        let kind = match &event.data {
            EventData::StreamStart { .. } => continue,
            EventData::StreamEnd => EventKind::StreamEnd,
            EventData::DocumentStart { implicit, .. } => EventKind::DocumentStart { explicit: !implicit },
            EventData::DocumentEnd { .. } => EventKind::DocumentEnd,
            EventData::Alias { anchor } => EventKind::Alias { anchor },
            EventData::Scalar { anchor, tag, value, plain_implicit, style, .. } => EventKind::Scalar {
                anchor: anchor.as_deref(),
                tag: tag.as_deref().map(Into::into),
                value: value.into(),
                plain_implicit: *plain_implicit,
                style: match style {
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                    _ => Style::Plain,
                },
            },
            EventData::SequenceStart { anchor, tag, .. } => {
                EventKind::SequenceStart { anchor: anchor.as_deref(), tag: tag.as_deref().map(Into::into) }
            }
            EventData::MappingStart { anchor, tag, .. } => {
                EventKind::MappingStart { anchor: anchor.as_deref(), tag: tag.as_deref().map(Into::into) }
            }
            EventData::SequenceEnd => EventKind::SequenceEnd,
            EventData::MappingEnd => EventKind::MappingEnd,
        };
        shown.push(show(&kind));
        if kind == EventKind::StreamEnd {
            return (shown, None);
        }
    }
}

proptest! {
    #[test]
    fn same_events_as_libyaml(choices in prop::collection::vec(any::<u8>(), 12..50)) {
        let text = text_of_pieces(&choices);
        let (events, error) = read(text.as_bytes());
        if is_known_difference(&text) {
            return Ok(());
        }
        let Ok((their_events, their_error)) = catch_unwind(AssertUnwindSafe(|| libyaml(&text))) else {
            return Ok(());
        };
        match (error, their_error) {
            (None, None) => {
                let shown: Vec<_> = events.iter().map(|event| show(&event.kind)).collect();
                prop_assert_eq!(shown, their_events, "{:?}", text);
            }
            (Some(ours), Some(theirs)) => {
                prop_assert!(ours.problem == theirs || is_other_precedence(&text, ours.problem, &theirs),
                    "{text:?}: {ours:?}, {theirs:?}");
            }
            (ours, theirs) => prop_assert!(false, "{text:?}: {ours:?}, {theirs:?}"),
        }
    }
}
