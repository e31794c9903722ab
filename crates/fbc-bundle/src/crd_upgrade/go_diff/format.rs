//! Values as text, the deeper the shorter.
//!
//! Source: `google/go-cmp:cmp/report_reflect.go`.

use fbc_go::text;

use super::gogo;
use super::text::{Record, Text};
use crate::crd_upgrade::schema_type::Type;
use crate::crd_upgrade::value::Value;

/// Whether the name of a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeName {
    /// Always.
    Written,
    /// Never.
    Left,
    /// For structs, lists and maps.
    OfContainers,
}

/// How values are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) type_name: TypeName,
    /// How much may be written: a level less for each level of depth.
    pub(super) verbosity: i32,
    /// Whether types that write themselves may not.
    pub(super) avoid_own_text: bool,
    /// The sign of the record, if it is removed or inserted.
    pub(super) sign: Option<char>,
}

impl Style {
    /// Two to the power of the verbosity, within limits.
    fn power(self) -> usize {
        1 << self.verbosity.clamp(0, 16)
    }

    fn deeper(self) -> Self {
        Self { verbosity: self.verbosity - 1, ..self }
    }

    pub(super) fn named(self, type_name: TypeName) -> Self {
        Self { type_name, ..self }
    }
}

/// A value.
pub(super) fn value(style: Style, kind: Type, value: &Value) -> Text {
    match (kind, value) {
        (_, Value::Bool(value)) => with_type(style, kind, Text::line(value.to_string())),
        (_, Value::Number(number)) => with_type(style, kind, Text::line(number_text(*number))),
        (_, Value::Text(text)) => with_type(style, kind, string(style, "", text)),
        (Type::Bytes, Value::Json(raw)) if raw.is_empty() => with_type(style, kind, Text::nil()),
        (Type::Bytes, Value::Json(raw)) => {
            Text::prefixed("[]uint8", parenthesised(string(style.deeper(), "", raw)))
        }
        (_, Value::Json(raw)) => {
            let limit = (style.power() >> 1) << 2;
            let record = if limit == 0 {
                record("", Text::ellipsis(), false)
            } else {
                let inner = style.deeper().named(TypeName::OfContainers);
                record("Raw", Text::prefixed("[]uint8", parenthesised(string(inner, "", raw))), true)
            };
            with_type(style, kind, Text::braces(if raw.is_empty() { Vec::new() } else { vec![record] }))
        }
        (Type::Struct(of), Value::Struct(fields)) => {
            let limit = (style.power() >> 1) << 2;
            let inner = style.deeper().named(TypeName::OfContainers);
            let present = of.fields.iter().zip(fields).filter(|(_, value)| !value.is_zero());
            let list = limited(limit, present.map(|(field, each)| (field.name, field.kind, each)), inner);
            with_type(style, kind, Text::braces(list))
        }
        (Type::List(list), Value::List(Some(items))) => {
            let limit = (style.power() >> 1) << 2;
            let inner = style.deeper().named(TypeName::Left);
            let items = limited(limit, items.iter().map(|item| ("", list.element, item)), inner);
            with_type(style, kind, Text::braces(items))
        }
        (Type::Map(map), Value::Map(Some(members))) => {
            let limit = (style.power() >> 1) << 2;
            let inner = style.deeper().named(TypeName::Left);
            let keys: Vec<String> = members.keys().map(|key| quoted(key)).collect();
            let members = keys.iter().zip(members.values());
            let list = limited(limit, members.map(|(key, item)| (key.as_str(), map.value, item)), inner);
            with_type(style, kind, Text::braces(list))
        }
        (Type::Pointer(to), Value::Pointer(Some(pointee))) => {
            if !style.avoid_own_text
                && let Some(own) = gogo::pointer(*to, pointee)
            {
                return string(style, "s", &own);
            }
            Text::prefixed("&", self::value(style, *to, pointee))
        }
        _ => with_type(style, kind, Text::nil()),
    }
}

/// The first entries of a container, and an ellipsis for the others.
fn limited<'v>(
    limit: usize,
    entries: impl Iterator<Item = (&'v str, Type, &'v Value)>,
    style: Style,
) -> Vec<Record> {
    let mut list = Vec::new();
    for (key, kind, each) in entries {
        if list.len() == limit {
            list.push(record("", Text::ellipsis(), false));
            break;
        }
        list.push(record(key, value(style, kind, each), true));
    }
    list
}

/// An entry without a sign.
pub(super) fn record(key: &str, text: Text, comma: bool) -> Record {
    Record { sign: None, key: key.to_owned(), text, comma }
}

/// The text with its type in front, where that is due.
pub(super) fn with_type(style: Style, kind: Type, text: Text) -> Text {
    let name = match kind {
        Type::Bool => "bool",
        Type::Number => "float64",
        Type::Text => "string",
        Type::Json => "v1.JSON",
        Type::Bytes => "[]uint8",
        Type::Struct(of) => of.name,
        Type::List(list) => list.name,
        Type::Map(map) => map.name,
        Type::Pointer(_) => "",
    };
    let is_container =
        matches!(kind, Type::Json | Type::Bytes | Type::Struct(_) | Type::List(_) | Type::Map(_));
    match style.type_name {
        TypeName::Left => text,
        TypeName::OfContainers if !is_container || text == Text::nil() => text,
        _ => Text::prefixed(name, parenthesised(text)),
    }
}

fn parenthesised(text: Text) -> Text {
    match &text {
        Text::Wrap(prefix, _, suffix)
            if (prefix.starts_with('{') && suffix.ends_with('}'))
                || (prefix.starts_with('(') && suffix.ends_with(')')) =>
        {
            text
        }
        _ => Text::Wrap("(".to_owned(), Box::new(text), ")"),
    }
}

/// A number as Go's `%v` writes it.
pub(crate) fn number_text(number: f64) -> String {
    let mut text = String::new();
    text::push_general_number(&mut text, number);
    text
}

/// A string: quoted, cut where it is long, or as a block where it has several lines.
fn string(style: Style, prefix: &str, text: &str) -> Text {
    let most_bytes = style.power() << 5;
    let most_lines = style.power() << 2;
    let stripped = text.strip_suffix('\n').unwrap_or(text);
    let lines: Vec<&str> = stripped
        .split('\n')
        .map(|line| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            line.strip_prefix('\r').unwrap_or(line)
        })
        .collect();
    let is_block = lines.len() >= 4
        && style.sign.is_some()
        && lines.iter().all(|line| {
            !line.strip_prefix(prefix).unwrap_or(line).starts_with("\"\"\"")
                && !line.starts_with("...")
                && line.chars().all(|c| text::is_print(c) || c == '\t')
                && line.len() <= most_bytes
        });
    if is_block {
        let entry = |text: String| Record {
            sign: style.sign,
            key: String::new(),
            text: Text::line(text),
            comma: false,
        };
        let mut list = vec![entry(format!("{prefix}\"\"\""))];
        for (index, line) in lines.iter().enumerate() {
            if index + 1 == most_lines && lines.len() - index > 1 {
                list.push(entry(format!("... // {} elided lines", lines.len() - index)));
                break;
            }
            list.push(entry((*line).to_owned()));
        }
        list.push(entry(format!("{prefix}\"\"\"")));
        return Text::Wrap("(".to_owned(), Box::new(Text::List(list)), ")");
    }
    if text.len() > most_bytes + "...".len() {
        let mut end = most_bytes;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = text.get(..end).unwrap_or_default();
        return Text::line(format!("{prefix}{}...", quoted(cut)));
    }
    Text::line(format!("{prefix}{}", quoted(text)))
}

/// Text in double quotes, or in backquotes where that saves escapes.
pub(super) fn quoted(text: &str) -> String {
    let quoted = text::quote(text);
    if quoted.len() == text.len() + 2 {
        return quoted;
    }
    if text.chars().all(|c| c != '`' && (text::is_print(c) || c == '\t')) {
        return format!("`{text}`");
    }
    quoted
}
