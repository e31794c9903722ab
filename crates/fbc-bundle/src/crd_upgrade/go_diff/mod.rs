//! What go-cmp prints about two schemas, as far as somebody reads it.
//!
//! The reference reports changes that no check understands by letting `google/go-cmp` print the difference and
//! picking lines from it (`operator-framework/operator-controller:internal/operator-controller/rukpak/preflights/
//! crdupgradesafety`). Its messages therefore follow go-cmp's layout: what is cut, what shares a line.
//! Records that are equal carry no sign and are left out here.

mod compared;
mod edit_script;
mod format;
pub(super) mod gogo;
mod strings;
mod text;

pub(super) use format::number_text;

use super::schema_type::Type;
use super::value::Value;
use compared::Compared;
use format::{Style, TypeName, value, with_type};
use text::{INSERTED, REMOVED, Record, Text};

/// The verbosity at which every record begins.
const RECORD_VERBOSITY: i32 = 3;
/// How often a longer form is tried before two values that look alike are printed.
const LONGER_FORMS: i32 = 6;
/// How many differing records of one container are printed.
const MOST_RECORDS: usize = 16;

/// The lines of the difference of two values of a type; lines of removed and inserted parts begin with a sign.
pub(super) fn lines(kind: Type, old: &Value, new: &Value) -> Vec<String> {
    difference(&Compared::new(kind, old, new), TypeName::Written).lines()
}

fn style(type_name: TypeName, sign: Option<char>) -> Style {
    Style { type_name, verbosity: RECORD_VERBOSITY, avoid_own_text: false, sign }
}

/// A node of which something differs.
fn difference(node: &Compared<'_>, type_name: TypeName) -> Text {
    if let Some(text) = strings::difference(node) {
        return text;
    }
    let style = style(type_name, None);
    match node.kind {
        _ if node.depth == 0 => {
            let (old, new) = both_sides(node, |style| style.named(TypeName::Left));
            let mut list = Vec::new();
            list.extend(old.map(|text| signed(REMOVED, "", text)));
            list.extend(new.map(|text| signed(INSERTED, "", text)));
            with_type(style.named(TypeName::Written), node.kind, Text::List(list))
        }
        Type::Pointer(_) => {
            let pointee = node.records.first().map(|(_, pointee)| difference(pointee, type_name));
            Text::prefixed("&", pointee.unwrap_or_else(Text::nil))
        }
        _ => with_type(style, node.kind, Text::braces(differing_records(node))),
    }
}

fn signed(sign: char, key: &str, text: Text) -> Record {
    Record { sign: Some(sign), key: key.to_owned(), text, comma: true }
}

/// How types of the parts of a container are written.
fn names_inside(kind: Type) -> TypeName {
    if matches!(kind, Type::Struct(_)) { TypeName::OfContainers } else { TypeName::Left }
}

/// The records of a container that differ, up to a limit that counts whole runs of them.
fn differing_records(node: &Compared<'_>) -> Vec<Record> {
    let names = names_inside(node.kind);
    let mut list = Vec::new();
    let mut count = 0;
    let mut was_different = false;
    for (key, record) in &node.records {
        if record.likeness.different == 0 {
            was_different = false;
            continue;
        }
        if !was_different && count >= MOST_RECORDS {
            list.push(format::record("", Text::ellipsis(), false));
            break;
        }
        was_different = true;
        count += 1;
        if let Some(text) = strings::difference(record) {
            list.push(format::record(key, text, true));
        } else if record.children == record.depth {
            let (old, new) = both_sides(record, |style| style.named(names));
            list.extend(old.map(|text| signed(REMOVED, key, text)));
            list.extend(new.map(|text| signed(INSERTED, key, text)));
        } else {
            list.push(format::record(key, difference(record, names), true));
        }
    }
    list
}

/// The old and the new side, longer and longer until they can be told apart.
fn both_sides(node: &Compared<'_>, adapt: impl Fn(Style) -> Style) -> (Option<Text>, Option<Text>) {
    let side = |which: Option<&Value>, sign: char, longer: i32| {
        let mut style = adapt(style(TypeName::Left, Some(sign)));
        style.verbosity += 2 * longer;
        style.avoid_own_text = longer > 0;
        which.map(|each| one_byte(style, node, each).unwrap_or_else(|| value(style, node.kind, each)))
    };
    let mut longer = 0;
    loop {
        let (old, new) = (side(node.old, REMOVED, longer), side(node.new, INSERTED, longer));
        if old.is_none() || new.is_none() || old != new || longer + 1 >= LONGER_FORMS {
            return (old, new);
        }
        longer += 1;
    }
}

/// A `v1.JSON` of one byte that has become another: go-cmp goes down to that byte.
fn one_byte(style: Style, node: &Compared<'_>, value: &Value) -> Option<Text> {
    let (prefix, raw) = match (node.kind, value) {
        (Type::Pointer(Type::Json), Value::Pointer(Some(to))) => match to.as_ref() {
            Value::Json(raw) => ("&", raw),
            _ => return None,
        },
        (Type::Json, Value::Json(raw)) => ("", raw),
        _ => return None,
    };
    let (true, [byte]) = (node.depth > 0, raw.as_bytes()) else { return None };
    let name = if style.type_name == TypeName::Left { "" } else { "v1.JSON" };
    Some(Text::line(format!("{prefix}{name}{{Raw: []uint8{{0x{byte:02x}}}}}")))
}
