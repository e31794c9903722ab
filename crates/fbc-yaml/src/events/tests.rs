//! Tables of texts, their events and their errors.

mod hostile;

use super::{Event, EventError, EventKind, Events, Style};

/// All events of a text, and the error that ended them.
pub(super) fn read(bytes: &[u8]) -> (Vec<Event<'_>>, Option<EventError>) {
    let mut events = Events::new(bytes);
    let mut read = Vec::new();
    loop {
        assert!(read.len() <= 8 * bytes.len() + 8, "there must be an end");
        match events.next() {
            Ok(event) => {
                let is_last = event.kind == EventKind::StreamEnd;
                read.push(event);
                if is_last {
                    assert_eq!(events.next().map(|event| event.kind), Ok(EventKind::StreamEnd));
                    return (read, None);
                }
            }
            Err(error) => {
                assert_eq!(events.next(), Err(error.clone()));
                return (read, Some(error));
            }
        }
    }
}

/// An event in the notation of the YAML test suite; `implicit` stands where a tag, or quotes, leave
/// the type to the text all the same.
pub(super) fn show(kind: &EventKind<'_>) -> String {
    let properties = |anchor: &Option<&str>, tag: Option<&str>| {
        let anchor = anchor.map(|anchor| format!(" &{anchor}")).unwrap_or_default();
        let tag = tag.map(|tag| format!(" <{tag}>")).unwrap_or_default();
        anchor + &tag
    };
    match kind {
        EventKind::DocumentStart { explicit: true } => "+DOC ---".to_owned(),
        EventKind::DocumentStart { explicit: false } => "+DOC".to_owned(),
        EventKind::DocumentEnd => "-DOC".to_owned(),
        EventKind::Alias { anchor } => format!("=ALI *{anchor}"),
        EventKind::Scalar { anchor, tag, value, plain_implicit, style } => {
            let sign = match style {
                Style::Plain => ':',
                Style::SingleQuoted => '\'',
                Style::DoubleQuoted => '"',
                Style::Literal => '|',
                Style::Folded => '>',
            };
            let is_expected = tag.is_none() && *style == Style::Plain;
            let implicit = if *plain_implicit == is_expected { "" } else { " implicit" };
            let value = value.escape_debug();
            format!("=VAL{}{implicit} {sign}{value}", properties(anchor, tag.as_deref()))
        }
        EventKind::SequenceStart { anchor, tag } => format!("+SEQ{}", properties(anchor, tag.as_deref())),
        EventKind::SequenceEnd => "-SEQ".to_owned(),
        EventKind::MappingStart { anchor, tag } => format!("+MAP{}", properties(anchor, tag.as_deref())),
        EventKind::MappingEnd => "-MAP".to_owned(),
        EventKind::StreamEnd => "-STR".to_owned(),
    }
}

/// The events without documents and the end, or the message.
fn outline(bytes: &[u8]) -> String {
    let (events, error) = read(bytes);
    if let Some(error) = error {
        return error.go_yaml_message();
    }
    let is_content = |event: &&Event<'_>| {
        !matches!(event.kind, EventKind::DocumentStart { explicit: false } | EventKind::DocumentEnd)
            && event.kind != EventKind::StreamEnd
    };
    events.iter().filter(is_content).map(|event| show(&event.kind)).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(&outline(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn collections() {
    check(&[
        ("", ""),
        ("\n# nothing\n", ""),
        (
            "a: b\nc:\n- d\n- e: f\n",
            "+MAP =VAL :a =VAL :b =VAL :c +SEQ =VAL :d +MAP =VAL :e =VAL :f -MAP -SEQ -MAP",
        ),
        ("- - a\n  -\n-\n", "+SEQ +SEQ =VAL :a =VAL : -SEQ =VAL : -SEQ"),
        ("a:\n-\nb:\n", "+MAP =VAL :a +SEQ =VAL : -SEQ =VAL :b =VAL : -MAP"),
        ("? a\n: b\n? c\n: - d\n", "+MAP =VAL :a =VAL :b =VAL :c +SEQ =VAL :d -SEQ -MAP"),
        ("? - a\n  - b\n:\n", "+MAP +SEQ =VAL :a =VAL :b -SEQ =VAL : -MAP"),
        ("?\n? a\n", "+MAP =VAL : =VAL : =VAL :a =VAL : -MAP"),
        (": a\n", "yaml: did not find expected key"),
        ("- a: 1\n  b: 2\n", "+SEQ +MAP =VAL :a =VAL :1 =VAL :b =VAL :2 -MAP -SEQ"),
        ("[a, [b], {c: d}]", "+SEQ =VAL :a +SEQ =VAL :b -SEQ +MAP =VAL :c =VAL :d -MAP -SEQ"),
        ("{a: , b, ? c, ? d : e,}", "+MAP =VAL :a =VAL : =VAL :b =VAL : =VAL :c =VAL : =VAL :d =VAL :e -MAP"),
        (
            "[a: b, ? c : d, ? e: , \"f\":g]",
            "+SEQ +MAP =VAL :a =VAL :b -MAP +MAP =VAL :c =VAL :d -MAP +MAP =VAL :e =VAL : -MAP \
             +MAP =VAL \"f =VAL :g -MAP -SEQ",
        ),
        ("[\"f\":g]", "+SEQ +MAP =VAL \"f =VAL :g -MAP -SEQ"),
        ("[a: b, ? c : d]", "+SEQ +MAP =VAL :a =VAL :b -MAP +MAP =VAL :c =VAL :d -MAP -SEQ"),
        ("{a:b, 'c':d, e: [f:g]}", "+MAP =VAL :a:b =VAL : =VAL 'c =VAL :d =VAL :e +SEQ =VAL :f:g -SEQ -MAP"),
        ("{a,\n b\n : c}", "yaml: line 2: did not find expected ',' or '}'"),
        ("[a]: b", "+MAP +SEQ =VAL :a -SEQ =VAL :b -MAP"),
        ("[-, -a, a-]", "+SEQ =VAL :- =VAL :-a =VAL :a- -SEQ"),
        ("[- a]", "yaml: did not find expected node content"),
        ("[a\n- b]", "+SEQ =VAL :a - b -SEQ"),
    ]);
}

#[test]
fn documents() {
    check(&[
        ("---\na\n...\n# c\n--- b\n---\n", "+DOC --- =VAL :a +DOC --- =VAL :b +DOC --- =VAL :"),
        ("a\n...\n...\n", "=VAL :a"),
        ("a\n---\nb: ---\n", "=VAL :a +DOC --- +MAP =VAL :b =VAL :--- -MAP"),
        ("%YAML 1.1 # c\n%TAG !e! tag:e,%41\n---\n!e!x a\n", "+DOC --- =VAL <tag:e,Ax> :a"),
        ("%TAG ! tag:x:\n--- !a b\n...\n--- !a b\n", "+DOC --- =VAL <tag:x:a> :b +DOC --- =VAL <!a> :b"),
        ("\u{feff}a", "=VAL :a"),
        ("---a\n", "=VAL :---a"),
        ("a: 1\nb", "yaml: line 3: could not find expected ':'"),
        ("%YAML 1.2\n---\n", "yaml: found incompatible YAML document"),
        ("%YAML 1.1\n%YAML 1.1\n---\n", "yaml: line 1: found duplicate %YAML directive"),
        ("%TAG !a! b\n%TAG !a! c\n---\n", "yaml: line 1: found duplicate %TAG directive"),
        ("%YAML 1.1\na", "yaml: line 1: did not find expected <document start>"),
        ("%YAML 123.1\n", "yaml: found extremely long version number"),
        ("%YAML x\n", "yaml: did not find expected version number"),
        ("%YAML 1,1\n", "yaml: did not find expected digit or '.' character"),
        ("%YAML 1.1x\n", "yaml: did not find expected comment or line break"),
        ("%FOO\n", "yaml: found unknown directive name"),
        ("% a\n", "yaml: could not find expected directive name"),
        ("%a.\n", "yaml: found unexpected non-alphabetical character"),
        ("%TAG a b\n", "yaml: did not find expected '!'"),
        ("%TAG !a b\n", "yaml: did not find expected '!'"),
        ("%TAG !a!\n", "yaml: did not find expected whitespace"),
        ("%TAG !a! \n", "yaml: did not find expected tag URI"),
        ("%TAG !a! b^\n", "yaml: did not find expected whitespace or line break"),
        ("a\n...\nb", "yaml: line 2: did not find expected <document start>"),
    ]);
}

#[test]
fn plain_scalars() {
    check(&[
        ("a b\tc  # d\n", "=VAL :a b\\tc"),
        ("a#b :c -d ?e", "=VAL :a#b :c -d ?e"),
        ("-a", "=VAL :-a"),
        ("?a: :b", "+MAP =VAL :?a =VAL ::b -MAP"),
        ("a: b\n  c\n\n\n  d\ne: f", "+MAP =VAL :a =VAL :b c\\n\\nd =VAL :e =VAL :f -MAP"),
        (
            "a: b\r\n  c\r  d\u{85}  e\u{2028}  f\u{2029}\n  g",
            "+MAP =VAL :a =VAL :b c d e\\u{2028}f\\u{2029}\\ng -MAP",
        ),
        ("a:\n  b\n\tc", "yaml: line 3: found a tab character that violates indentation"),
        ("a: b\n   \tc", "+MAP =VAL :a =VAL :b c -MAP"),
        ("a\n--- b", "=VAL :a +DOC --- =VAL :b"),
        ("é: ü\u{a0}\u{2026}", "+MAP =VAL :é =VAL :ü\\u{a0}… -MAP"),
        ("a: @b", "yaml: found character that cannot start any token"),
        ("a: `b", "yaml: found character that cannot start any token"),
        ("\ta: b", "yaml: found character that cannot start any token"),
        ("a:\n\tb: c", "yaml: line 2: found character that cannot start any token"),
        ("a:\tb", "+MAP =VAL :a =VAL :b -MAP"),
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
        ("x: y\na: b: c", "yaml: line 2: mapping values are not allowed in this context"),
        ("a: - b", "yaml: block sequence entries are not allowed in this context"),
        ("a: ? b", "yaml: mapping keys are not allowed in this context"),
        ("a: 1\n b: 2\n", "yaml: line 2: mapping values are not allowed in this context"),
        ("a:\n  b: 1\n c: 2\n", "yaml: line 2: did not find expected key"),
        ("- a\nb: c\n", "yaml: line 1: did not find expected '-' indicator"),
        ("a: [b\n", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: {b\n", "yaml: line 1: did not find expected ',' or '}'"),
        ("a: ]", "yaml: did not find expected node content"),
        ("a: 1\n'b'\n c: d", "yaml: line 3: could not find expected ':'"),
    ]);
}

#[test]
fn quoted_scalars() {
    check(&[
        (
            r#""a\0\a\b\t\n\v\f\r\e\ \"\'\\\N\_\L\P\x41\u00e9\U0001F600""#,
            r#"=VAL "a\0\u{7}\u{8}\t\n\u{b}\u{c}\r\u{1b} \"\'\\\u{85}\u{a0}\u{2028}\u{2029}Aé😀"#,
        ),
        ("'a''b\\n'", "=VAL 'a\\'b\\\\n"),
        ("\"a \n  b\n\n\n  c\\\n   d \\\n\n  e \"", "=VAL \"a b\\n\\ncd \\ne "),
        ("' a\r\n b\u{2028}c\u{85}\u{85}d'", "=VAL ' a b\\u{2028}c\\nd"),
        ("\"\\\t\\x00\"", "=VAL \"\\t\\0"),
        ("\"a\n---b\"", "=VAL \"a ---b"),
        ("\"a\n---\"", "=VAL \"a ---"),
        ("\"a\n--- \"", "yaml: line 2: found unexpected document indicator"),
        ("'a\n...\n'", "yaml: line 2: found unexpected document indicator"),
        ("'a", "yaml: found unexpected end of stream"),
        ("'a\n\n", "yaml: line 3: found unexpected end of stream"),
        (r#""\/""#, "yaml: found unknown escape character"),
        (r#""\"#, "yaml: found unknown escape character"),
        (r#""\x4""#, "yaml: did not find expected hexdecimal number"),
        (r#""\U1234"#, "yaml: did not find expected hexdecimal number"),
        (r#""\ud800""#, "yaml: found invalid Unicode character escape code"),
        (r#""\UFFFFFFFF""#, "yaml: found invalid Unicode character escape code"),
        ("\"a\" b", "yaml: did not find expected <document start>"),
        ("a: 'b' c\n", "yaml: did not find expected key"),
    ]);
}

#[test]
fn block_scalars() {
    check(&[
        ("|\n a\n", "=VAL |a\\n"),
        ("|-\n a\n\n", "=VAL |a"),
        ("|+\n a\n\n", "=VAL |a\\n\\n"),
        ("|\n a\n  b\n\n c", "=VAL |a\\n b\\n\\nc"),
        ("|\n\n  a\n", "=VAL |\\na\\n"),
        ("a: |2-\n    b\n   c\n", "+MAP =VAL :a =VAL |  b\\n c -MAP"),
        ("- |+1\n  a\n- b", "+SEQ =VAL | a\\n =VAL :b -SEQ"),
        (">\n a\n b\n\n c\n  d\n e\n f\n", "=VAL >a b\\nc\\n d\\ne f\\n"),
        (">\n a\u{2028} b\n", "=VAL >a\\u{2028}b\\n"),
        ("|\r\n a\r\n b\u{85} c\u{2029} d", "=VAL |a\\nb\\nc\\u{2029}d"),
        ("| # c\n a # b\n", "=VAL |a # b\\n"),
        ("a: |\nb: c", "+MAP =VAL :a =VAL | =VAL :b =VAL :c -MAP"),
        ("|", "=VAL |"),
        ("|\n  ", "=VAL |"),
        ("|0\n", "yaml: found an indentation indicator equal to 0"),
        ("|-0\n", "yaml: found an indentation indicator equal to 0"),
        ("| a\n", "yaml: did not find expected comment or line break"),
        ("|12\n", "yaml: did not find expected comment or line break"),
        ("a: |\n \n\tb", "yaml: line 3: found a tab character where an indentation space is expected"),
    ]);
}

#[test]
fn properties() {
    check(&[
        ("&a b", "=VAL &a :b"),
        ("!t &a 'b'", "=VAL &a <!t> 'b"),
        ("&a !!str", "=VAL &a <tag:yaml.org,2002:str> :"),
        ("! a", "=VAL <!> implicit :a"),
        ("! 'a'", "=VAL <!> implicit 'a"),
        ("!", "=VAL <!> :"),
        ("- !<tag:x,%C3%A9> a\n- !a%20b c", "+SEQ =VAL <tag:x,é> :a =VAL <!a b> :c -SEQ"),
        ("!<!> a", "=VAL <!> implicit :a"),
        ("!a,[]b c", "=VAL <!a,[]b> :c"),
        ("&a [&b {&c d: *a}, *b]", "+SEQ &a +MAP &b =VAL &c :d =ALI *a -MAP =ALI *b -SEQ"),
        ("*a : b", "+MAP =ALI *a =VAL :b -MAP"),
        ("a: &b\n- c", "+MAP =VAL :a +SEQ &b =VAL :c -SEQ -MAP"),
        ("a: !t\nb: &c", "+MAP =VAL :a =VAL <!t> : =VAL :b =VAL &c : -MAP"),
        ("&a &b c", "yaml: did not find expected <document start>"),
        ("&", "yaml: did not find expected alphabetic or numeric character"),
        ("*a.b", "yaml: did not find expected alphabetic or numeric character"),
        ("!e!a b", "yaml: found undefined tag handle"),
        ("!<a b", "yaml: did not find the expected '>'"),
        ("!<> b", "yaml: did not find expected tag URI"),
        ("!! b", "yaml: did not find expected tag URI"),
        ("!a^ b", "yaml: did not find expected whitespace or line break"),
        ("!a%4 b", "yaml: did not find URI escaped octet"),
        ("!a%80 b", "yaml: found an incorrect leading UTF-8 octet"),
        ("!a%C3%41 b", "yaml: found an incorrect trailing UTF-8 octet"),
        ("[!a, b]", "+SEQ =VAL <!a,> :b -SEQ"),
    ]);
}

/// Where go-yaml differs from what anyone would expect, and fbc follows it.
#[test]
fn oddities() {
    check(&[
        // An empty collection is not a key: the collection is the document, and nothing may follow.
        ("[]: a", "yaml: did not find expected <document start>"),
        ("{ }: a", "yaml: did not find expected <document start>"),
        ("[[]]: a", "+MAP +SEQ +SEQ -SEQ -SEQ =VAL :a -MAP"),
        // A question mark ends a plain scalar of a flow collection.
        ("[a?]", "yaml: did not find expected ',' or ']'"),
        ("[?a]", "+SEQ +MAP =VAL :a =VAL : -MAP -SEQ"),
        // The token behind a missing key is lost.
        ("[? ]]", "+SEQ +MAP =VAL : =VAL : -MAP -SEQ"),
        ("[? : a]", "yaml: did not find expected ',' or ']'"),
        // A byte order mark is one only where the reader's window begins with it: every line loses
        // its first character then.
        ("\u{feff}\u{feff}a: 1\nb: 2\n", "yaml: line 1: did not find expected key"),
        ("a: 1\n\u{feff}b: 2\n", "+MAP =VAL :a =VAL :1 =VAL :\\u{feff}b =VAL :2 -MAP"),
    ]);
}

#[test]
fn faults() {
    for (bytes, expected) in [
        (&b"a: \xFF"[..], "yaml: invalid leading UTF-8 octet"),
        (b"a: b: c\n\x00", "yaml: control characters are not allowed"),
        (b"\xEF\xBB\xBFa\x7F", "yaml: control characters are not allowed"),
        (b"\xEFa", "yaml: incomplete UTF-8 octet sequence"),
        (b"a\n...\n\xC3", "yaml: incomplete UTF-8 octet sequence"),
        (b"\xFF\xFEa\0", "yaml: incomplete UTF-16 character"),
        (b"\xFE\xFF\0a", "yaml: incomplete UTF-16 character"),
    ] {
        assert_eq!(outline(bytes), expected, "{bytes:?}");
    }
    // The window is filled in pieces of 512 bytes: a fault in a later one comes after an error of
    // the scanner in this one.
    for (length, expected) in [
        (490, "yaml: invalid leading UTF-8 octet"),
        (520, "yaml: mapping values are not allowed in this context"),
    ] {
        let mut bytes = b"a: b: c # ".to_vec();
        bytes.resize(length, b'x');
        bytes.push(0xFF);
        assert_eq!(outline(&bytes), expected, "{length}");
    }
    // The mark of the fault is not known to go-yaml, but to us.
    let (_, error) = read(b"a: b\nc: \xC3(");
    assert_eq!(error.map(|error| (error.problem_mark, error.byte)), Some((None, 8)));
}

#[test]
fn marks() {
    let text = "\u{feff}é: 'ü'\r\nb: |\n  c\n- ]";
    let (events, error) = read(text.as_bytes());
    let shown: Vec<_> = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Scalar { .. }))
        .map(|event| (&text[event.start.byte..event.end.byte], event.start.line, event.start.column))
        .collect();
    assert_eq!(shown, [("é", 0, 0), ("'ü'", 0, 3), ("b", 1, 0), ("|\n  c\n", 1, 3)]);
    let error = error.map(|error| (error.problem, error.problem_mark.map(|mark| (mark.line, mark.column))));
    assert_eq!(error, Some(("did not find expected key", Some((3, 0)))));
}

#[test]
fn borrows_what_stands_in_the_text() {
    let text = "a b: 'c d'\ne: |\n  f g\nh: \"i\"\nj: >-\n  k\n";
    for event in read(text.as_bytes()).0 {
        if let EventKind::Scalar { value, .. } = event.kind {
            assert!(matches!(value, std::borrow::Cow::Borrowed(_)), "{value:?}");
        }
    }
}
