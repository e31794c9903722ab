//! A slow, simple model of go-yaml v2.
//!
//! It sends events to libyaml-safer's emitter, which shares its ancestor with go-yaml's, and
//! chooses styles as `go-yaml/yaml:encode.go` (branch v2) does. Where the two emitters differ,
//! go-yaml counts, and the model or the generated texts make up for it:
//!
//! * go-yaml prints nothing above U+FFFF raw. Texts with such characters have no others outside
//!   ASCII here, and the model then forbids the emitter all characters outside ASCII.
//! * libyaml-safer ends single-quoted text that ends in U+2028 with an indented quote, go-yaml does
//!   not; and it always escapes U+7EFF, which it takes for a byte order mark. Both are left out here,
//!   as is U+FEFF, which go-yaml treats specially at the beginning of a text only. Unit tests have them.
//! * libyaml-safer writes `...` at the end of a stream that ends in a `+` block; the model does not
//!   end the stream.

use fbc_go::text;
use fbc_yaml::{Kind, Node, json_writer};
use libyaml_safer::{Emitter, Encoding, Event, MappingStyle, ScalarStyle, SequenceStyle};

/// The value as go-yaml marshals it, ending in a newline.
pub(crate) fn yaml_of(node: Node<'_>) -> String {
    let mut out = Vec::new();
    let mut emitter = Emitter::new();
    emitter.set_output_string(&mut out);
    emitter.set_unicode(!json_writer::compact(node).chars().any(|c| c > '\u{ffff}'));
    let mut events = vec![Event::stream_start(Encoding::Utf8), Event::document_start(None, &[], true)];
    push_events(&mut events, node);
    events.push(Event::document_end(true));
    for event in events {
        emitter.emit(event).unwrap();
    }
    drop(emitter);
    String::from_utf8(out).unwrap()
}

fn push_events(events: &mut Vec<Event>, node: Node<'_>) {
    match node.kind() {
        Kind::Array => {
            events.push(Event::sequence_start(None, None, true, SequenceStyle::Block));
            node.items().for_each(|item| push_events(events, item));
            events.push(Event::sequence_end());
        }
        Kind::Object => {
            events.push(Event::mapping_start(None, None, true, MappingStyle::Block));
            for (key, value) in sorted(node) {
                push_text(events, key);
                push_events(events, value);
            }
            events.push(Event::mapping_end());
        }
        Kind::String => push_text(events, node.as_str().unwrap()),
        _ => push_scalar(events, &number_or_word(node), ScalarStyle::Plain),
    }
}

fn push_scalar(events: &mut Vec<Event>, text: &str, style: ScalarStyle) {
    events.push(Event::scalar(None, None, text, true, true, style));
}

fn push_text(events: &mut Vec<Event>, text: &str) {
    let style = if text.contains('\n') {
        ScalarStyle::Literal
    } else if is_text_when_plain(text) && !is_base_60(text) {
        ScalarStyle::Plain
    } else {
        ScalarStyle::DoubleQuoted
    };
    push_scalar(events, text, style);
}

fn number_or_word(node: Node<'_>) -> String {
    let json = json_writer::compact(node);
    let Some(number) = node.as_f64() else { return json };
    if let Ok(integer) = json.parse::<i64>() {
        return integer.to_string();
    }
    if let Ok(integer) = json.parse::<u64>() {
        return integer.to_string();
    }
    let mut general = String::new();
    text::push_general_number(&mut general, number);
    general
}

/// The members by insertion, one after the other.
fn sorted<'d>(node: Node<'d>) -> Vec<(&'d str, Node<'d>)> {
    let mut sorted: Vec<(&str, Node<'_>)> = Vec::new();
    for member in node.members() {
        let place = sorted.iter().position(|other| is_less(member.0, other.0));
        sorted.insert(place.unwrap_or(sorted.len()), member);
    }
    sorted
}

/// Whether the model covers all texts and keys of a value.
pub(crate) fn can_write(node: Node<'_>) -> bool {
    let json = json_writer::compact(node);
    let has = |wanted: fn(char) -> bool| json.chars().any(wanted);
    !(has(|c| c > '\u{ffff}') && has(|c| ('\u{80}'..='\u{ffff}').contains(&c))) && has_key_order(node)
}

/// Whether the keys of all mappings have one order that fits every pair of them.
pub(crate) fn has_key_order(node: Node<'_>) -> bool {
    let members = sorted(node);
    let fits = members
        .iter()
        .enumerate()
        .all(|(index, (key, _))| members.iter().skip(index + 1).all(|(later, _)| is_less(key, later)));
    fits && members.iter().all(|(_, value)| has_key_order(*value)) && node.items().all(has_key_order)
}

/// Whether a key comes before another (`sorter.go`).
pub(crate) fn is_less(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = (0..a.len().min(b.len())).find(|&at| a[at] != b[at]) else {
        return a.len() < b.len();
    };
    let (x, y) = (a[at], b[at]);
    if x.is_alphabetic() || y.is_alphabetic() {
        return y.is_alphabetic() && (!x.is_alphabetic() || x < y);
    }
    let run = |key: &[char]| key[at..].iter().take_while(|c| c.is_ascii_digit()).copied().collect::<String>();
    let (run_a, run_b) = (run(&a), run(&b));
    let mut lead = "";
    if x == '0' || y == '0' {
        let mut index = at;
        while index > 0 && a[index - 1].is_ascii_digit() {
            index -= 1;
            if a[index] != '0' {
                lead = "1";
            }
        }
    }
    // Texts here have few digits in a row.
    let value = |run: &str| format!("0{lead}{run}").parse::<u128>().unwrap();
    (value(&run_a), run_a.len(), x) < (value(&run_b), run_b.len(), y)
}

/// Whether `resolve.go` takes a plain scalar for text.
fn is_text_when_plain(text: &str) -> bool {
    const WORDS: &str = " y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF \
         ~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF ";
    if text.is_empty() || !text.contains(' ') && WORDS.contains(&format!(" {text} ")) {
        return false;
    }
    match text.chars().next() {
        Some('.') => !is_float(text, true),
        Some('+' | '-' | '0'..='9') => {
            let plain: String = text.chars().filter(|c| *c != '_').collect();
            !(is_integer(&plain) || is_float(&plain, false) || is_timestamp(text))
        }
        _ => true,
    }
}

/// Go's integers of any base, as far as they fit 64 bits.
fn is_integer(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['+', '-']);
    let sign = &text[..text.len() - unsigned.len()];
    let lower = unsigned.to_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        // A sign may follow the prefix where none comes before it.
        Some("0b") if sign.is_empty() && unsigned.starts_with("0b") => {
            (2, lower[2..].strip_prefix(['+', '-']).unwrap_or(&lower[2..]))
        }
        Some("0b") => (2, &lower[2..]),
        Some(two) if two.starts_with('0') => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    if sign.len() > 1 || digits.starts_with(['+', '-']) {
        return false;
    }
    let Ok(magnitude) = i128::from_str_radix(digits, radix) else {
        return false;
    };
    match sign {
        "-" => magnitude <= 1 << 63,
        "+" => magnitude < 1 << 63,
        _ => magnitude < 1 << 64,
    }
}

/// A decimal float that is not too large, with underscores between digits if they are allowed.
fn is_float(text: &str, with_underscores: bool) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let digit_at = |index: usize| chars.get(index).is_some_and(char::is_ascii_digit);
    for (index, c) in chars.iter().enumerate() {
        if *c == '_' && !(with_underscores && index > 0 && digit_at(index - 1) && digit_at(index + 1)) {
            return false;
        }
    }
    let plain = text.replace('_', "");
    // Rust reads words, too.
    plain.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c))
        && plain.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A date, a date and a time behind spaces, or a date and a time with a zone behind a `T`.
fn is_timestamp(text: &str) -> bool {
    let number = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        let is_number = lengths.contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().unwrap())
    };
    let (date, time) = text.split_at(text.find(['T', 't', ' ']).unwrap_or(text.len()));
    let date: Vec<&str> = date.split('-').collect();
    let [year, month, day] = date[..] else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) =
        (number(year, 4..=4), number(month, 1..=2), number(day, 1..=2))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = [0, 31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    if !(1..=12).contains(&month) || !(1..=days[month as usize]).contains(&day) {
        return false;
    }
    let mut time = time;
    if time.is_empty() {
        return true;
    } else if time.starts_with(' ') {
        time = time.trim_start_matches(' ');
    } else if let Some(utc) = time.strip_suffix('Z') {
        time = &utc[1..];
    } else {
        let Some(at) = time.rfind(['+', '-']) else {
            return false;
        };
        let zone: Vec<&str> = time[at + 1..].split(':').collect();
        let [hours, minutes] = zone[..] else { return false };
        if number(hours, 2..=2).is_none_or(|n| n > 24) || number(minutes, 2..=2).is_none_or(|n| n > 60) {
            return false;
        }
        time = &time[1..at];
    }
    if let Some((whole, fraction)) = time.split_once(['.', ',']) {
        if fraction.is_empty() || !fraction.chars().all(|c| c.is_ascii_digit()) {
            return false;
        }
        time = whole;
    }
    let parts: Vec<Option<u32>> = time.split(':').map(|part| number(part, 1..=2)).collect();
    matches!(parts[..], [Some(hour), Some(minute), Some(second)] if hour < 24 && minute < 60 && second < 60)
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
fn is_base_60(text: &str) -> bool {
    let mut rest = text.strip_prefix('+').or(text.strip_prefix('-')).unwrap_or(text);
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let mut parts = 0;
    while let Some(part) = rest.strip_prefix(':') {
        rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &part[..part.len() - rest.len()];
        if digits.is_empty() || digits.len() > 2 || digits.len() == 2 && digits >= "60" {
            return false;
        }
        parts += 1;
    }
    let fraction = rest.strip_prefix('.').unwrap_or(rest);
    parts > 0
        && (rest.is_empty() || rest.starts_with('.'))
        && fraction.chars().all(|c| c.is_ascii_digit() || c == '_')
}
