//! Go's `fmt` for the values of templates.
//!
//! Sources of the behaviour: `golang/go:src/fmt/print.go` and `src/fmt/format.go`.

use std::collections::BTreeMap;

use crate::allowance::{Allowance, Exceeded};
use crate::text::quote;

use super::number_format::{float, integer};
use super::value::{Struct, Value};

/// Wider fields and longer fractions are refused, as in Go.
const MAX_NUMBER: i64 = 1_000_000;

/// `fmt.Sprint`: blanks stand between values of which neither is a text.
pub(super) fn print(values: &[Value]) -> Vec<u8> {
    let is_text = |value: &Value| matches!(value, Value::Text(_));
    let mut out = Vec::new();
    let mut before: Option<&Value> = None;
    for value in values {
        if before.is_some_and(|before| !is_text(before) && !is_text(value)) {
            out.push(b' ');
        }
        out.extend(value.plain());
        before = Some(value);
    }
    out
}

/// `fmt.Sprintln`: blanks stand between all values.
pub(super) fn print_line(values: &[Value]) -> Vec<u8> {
    let texts: Vec<Vec<u8>> = values.iter().map(|value| value.plain()).collect();
    let mut out = texts.join(&b' ');
    out.push(b'\n');
    out
}

/// How a value is laid out.
#[derive(Clone, Default)]
pub(super) struct Flags {
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`, which names fields.
    pub(super) plus_value: bool,
    /// `%#v`, which is Go's own syntax.
    pub(super) sharp_value: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

/// What `%s` prints of a value.
pub(super) fn shown(value: &Value) -> Vec<u8> {
    value_text(value, 's', &Flags::default())
}

/// `fmt.Sprintf`.
///
/// # Errors
/// The text would be longer than it may be: widths and precisions count for each value that is printed with them.
pub(super) fn printf(layout: &[u8], values: &[Value], allowance: &Allowance) -> Result<Vec<u8>, Exceeded> {
    allowance.bytes(layout.len())?;
    let layout = String::from_utf8_lossy(layout).into_owned();
    let mut printer =
        Printer { values, allowance, next: 0, reordered: false, is_good_index: true, out: Vec::new() };
    let mut rest = layout.as_str();
    while let Some((text, tail)) = rest.split_once('%') {
        printer.out.extend(text.bytes());
        rest = printer.verb(tail)?;
    }
    printer.out.extend(rest.bytes());
    if !printer.reordered && printer.next < values.len() {
        let extra = values.get(printer.next..).unwrap_or_default();
        printer.charge(extra, &Flags::default())?;
        let extra = extra.iter().map(|value| match value {
            Value::Nothing | Value::Null => b"<nil>".to_vec(),
            value => [value.type_name().as_bytes(), b"=", &value.plain()].concat(),
        });
        let extra = extra.collect::<Vec<_>>().join(b", ".as_slice());
        printer.out.extend([b"%!(EXTRA ".as_slice(), &extra, b")"].concat());
    }
    Ok(printer.out)
}

struct Printer<'v> {
    values: &'v [Value],
    allowance: &'v Allowance,
    next: usize,
    reordered: bool,
    is_good_index: bool,
    out: Vec<u8>,
}

impl Printer<'_> {
    /// Counts values that are about to be printed with a width and a precision: names of types stand around them, and what is
    /// escaped is up to five bytes long.
    fn charge(&self, values: &[Value], flags: &Flags) -> Result<(), Exceeded> {
        const AROUND: usize = 40;
        let around = AROUND + flags.width.unwrap_or_default() + flags.precision.unwrap_or_default();
        let bytes = values.iter().map(Value::extent).fold(0_usize, |sum, extent| {
            let own = extent.leaves.saturating_mul(around).saturating_add(extent.bytes.saturating_mul(5));
            sum.saturating_add(own)
        });
        self.allowance.bytes(bytes)
    }

    /// Prints what a verb asks for; the text behind it.
    fn verb<'l>(&mut self, text: &'l str) -> Result<&'l str, Exceeded> {
        let mut flags = Flags::default();
        let mut rest = text;
        self.is_good_index = true;
        let mut after_index = false;
        while let Some(flag) = rest.chars().next() {
            match flag {
                '#' => flags.sharp = true,
                '0' => flags.zero = true,
                '+' => flags.plus = true,
                '-' => flags.minus = true,
                ' ' => flags.space = true,
                _ => break,
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        rest = self.argument_number(rest, &mut after_index);
        if let Some(tail) = rest.strip_prefix('*') {
            rest = tail;
            match self.int_argument() {
                Some(width) => {
                    flags.minus |= width < 0;
                    flags.zero &= width >= 0;
                    flags.width = Some(width.unsigned_abs() as usize);
                }
                None => self.out.extend(b"%!(BADWIDTH)"),
            }
            after_index = false;
        } else {
            (flags.width, rest) = leading_number(rest);
            if after_index && flags.width.is_some() {
                self.is_good_index = false;
            }
        }
        if let Some(tail) = rest.strip_prefix('.') {
            if after_index {
                self.is_good_index = false;
            }
            rest = self.argument_number(tail, &mut after_index);
            if let Some(tail) = rest.strip_prefix('*') {
                rest = tail;
                match self.int_argument() {
                    Some(precision) if precision >= 0 => flags.precision = Some(precision as usize),
                    Some(_) => {}
                    None => self.out.extend(b"%!(BADPREC)"),
                }
                after_index = false;
            } else {
                let (precision, tail) = leading_number(rest);
                flags.precision = Some(precision.unwrap_or_default());
                rest = tail;
            }
        }
        if !after_index {
            rest = self.argument_number(rest, &mut after_index);
        }
        let Some(verb) = rest.chars().next() else {
            self.out.extend(b"%!(NOVERB)");
            return Ok(rest);
        };
        rest = rest.get(verb.len_utf8()..).unwrap_or_default();
        if verb == 'v' {
            flags.plus_value = std::mem::take(&mut flags.plus);
            flags.sharp_value = std::mem::take(&mut flags.sharp);
        }
        if verb == '%' {
            self.out.push(b'%');
        } else if !self.is_good_index {
            self.out.extend(format!("%!{verb}(BADINDEX)").bytes());
        } else if let Some(value) = self.values.get(self.next) {
            self.charge(std::slice::from_ref(value), &flags)?;
            self.next += 1;
            let text = value_text(value, verb, &flags);
            self.out.extend(text);
        } else {
            self.out.extend(format!("%!{verb}(MISSING)").bytes());
        }
        Ok(rest)
    }

    /// `[2]` before a verb, a width or a precision.
    fn argument_number<'l>(&mut self, text: &'l str, after_index: &mut bool) -> &'l str {
        let Some(inner) = text.strip_prefix('[') else { return text };
        self.reordered = true;
        *after_index = true;
        let Some((number, tail)) = inner.split_once(']') else {
            self.is_good_index = false;
            return inner;
        };
        match number.parse::<usize>() {
            Ok(number) if number >= 1 && number <= self.values.len() => self.next = number - 1,
            _ => self.is_good_index = false,
        }
        tail
    }

    fn int_argument(&mut self) -> Option<i64> {
        let value = self.values.get(self.next)?;
        self.next += 1;
        let number = match value {
            Value::Int(number) => *number,
            Value::Byte(byte) => i64::from(*byte),
            _ => return None,
        };
        (-MAX_NUMBER..=MAX_NUMBER).contains(&number).then_some(number)
    }
}

fn leading_number(text: &str) -> (Option<usize>, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text
        .get(..end)
        .and_then(|digits| digits.parse().ok())
        .filter(|number| *number <= MAX_NUMBER as usize);
    (number, text.get(end..).unwrap_or_default())
}

fn value_text(value: &Value, verb: char, flags: &Flags) -> Vec<u8> {
    if verb == 'T' {
        return text(value.type_name().as_bytes(), 's', flags).unwrap_or_default();
    }
    let printed = match value {
        Value::Nothing | Value::Null if verb == 'v' => Some(pad(b"<nil>".to_vec(), flags, false)),
        Value::Nothing | Value::Null => None,
        Value::Text(bytes) => text(bytes, verb, flags),
        Value::Bool(value) if matches!(verb, 't' | 'v') => {
            Some(pad(value.to_string().into_bytes(), flags, false))
        }
        Value::Bool(_) => None,
        Value::Int(number) => integer(i128::from(*number), verb, flags, false),
        Value::Byte(byte) => integer(i128::from(*byte), verb, flags, true),
        Value::Float(number) => float(*number, verb, flags),
        Value::Struct(_) if verb == 'p' => None,
        Value::Struct(of) => return struct_text(of, verb, flags),
        Value::List(_) | Value::Map(_) if verb == 'p' => return b"0x0".to_vec(),
        Value::List(items) => return list_text(items, verb, flags),
        Value::Map(members) => return map_text(members, verb, flags),
        Value::Element(value) => return value_text(value, verb, flags),
    };
    printed.unwrap_or_else(|| match value {
        Value::Nothing | Value::Null => format!("%!{verb}(<nil>)").into_bytes(),
        value => {
            let shown = value_text(value, 'v', flags);
            [format!("%!{verb}({}=", value.type_name()).as_bytes(), &shown, b")"].concat()
        }
    })
}

fn struct_text(of: &Struct, verb: char, flags: &Flags) -> Vec<u8> {
    let is_source = flags.sharp_value;
    let fields: Vec<Vec<u8>> = of
        .fields
        .iter()
        .map(|(name, field)| {
            let shown = value_text(field, verb, flags);
            let named = is_source || flags.plus_value;
            if named { [name.as_bytes(), b":", &shown].concat() } else { shown }
        })
        .collect();
    let separator: &[u8] = if is_source { b", " } else { b" " };
    let name = if is_source { of.type_name } else { "" };
    [name.as_bytes(), b"{", &fields.join(separator), b"}"].concat()
}

/// An element of a list or a map; a nil has its type where Go's syntax is asked for.
fn element_text(value: &Value, verb: char, flags: &Flags) -> Vec<u8> {
    match value {
        Value::Null if flags.sharp_value => b"interface {}(nil)".to_vec(),
        Value::Null => b"<nil>".to_vec(),
        value => value_text(value, verb, flags),
    }
}

fn list_text(items: &[Value], verb: char, flags: &Flags) -> Vec<u8> {
    let items: Vec<Vec<u8>> = items.iter().map(|item| element_text(item, verb, flags)).collect();
    if flags.sharp_value {
        return [b"[]interface {}{".as_slice(), &items.join(b", ".as_slice()), b"}"].concat();
    }
    [b"[".as_slice(), &items.join(&b' '), b"]"].concat()
}

fn map_text(members: &BTreeMap<String, Value>, verb: char, flags: &Flags) -> Vec<u8> {
    let member = |(name, value): (&String, &Value)| {
        let name = value_text(&Value::from(name.as_str()), verb, flags);
        [name, b":".to_vec(), element_text(value, verb, flags)].concat()
    };
    let members: Vec<Vec<u8>> = members.iter().map(member).collect();
    if flags.sharp_value {
        return [b"map[string]interface {}{".as_slice(), &members.join(b", ".as_slice()), b"}"].concat();
    }
    [b"map[".as_slice(), &members.join(&b' '), b"]"].concat()
}

/// Fills up to the width. Zeros go behind the sign of a number.
pub(super) fn pad(text: Vec<u8>, flags: &Flags, is_number: bool) -> Vec<u8> {
    let length = String::from_utf8_lossy(&text).chars().count();
    let missing = flags.width.unwrap_or_default().saturating_sub(length);
    if missing == 0 {
        return text;
    }
    if flags.minus {
        return [text, vec![b' '; missing]].concat();
    }
    if flags.zero && is_number {
        let sign = usize::from(matches!(text.first(), Some(b'-' | b'+' | b' ')));
        let (sign, digits) = text.split_at(sign);
        return [sign, &vec![b'0'; missing], digits].concat();
    }
    let filler = if flags.zero { b'0' } else { b' ' };
    [vec![filler; missing], text].concat()
}

fn text(bytes: &[u8], verb: char, flags: &Flags) -> Option<Vec<u8>> {
    let cut = |bytes: &[u8]| -> Vec<u8> {
        let Some(precision) = flags.precision else { return bytes.to_vec() };
        match std::str::from_utf8(bytes) {
            Ok(text) => text.chars().take(precision).collect::<String>().into_bytes(),
            Err(_) => bytes.get(..precision).unwrap_or(bytes).to_vec(),
        }
    };
    let quoted = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(&cut(bytes)).into_owned();
        let is_plain =
            !text.contains(['`', '\u{feff}']) && text.chars().all(|c| c == '\t' || !c.is_control());
        let shown = if flags.sharp && is_plain { format!("`{text}`") } else { quote(&text) };
        if flags.plus { in_ascii(&shown) } else { shown }.into_bytes()
    };
    match verb {
        'v' if flags.sharp_value => Some(pad(quoted(bytes), flags, false)),
        'v' | 's' => Some(pad(cut(bytes), flags, false)),
        'q' => Some(pad(quoted(bytes), flags, false)),
        'x' | 'X' => {
            let length = flags.precision.map_or(bytes.len(), |precision| precision.min(bytes.len()));
            let prefix = match (flags.sharp, verb) {
                (false, _) => "",
                (true, 'x') => "0x",
                (true, _) => "0X",
            };
            let shown = bytes
                .iter()
                .take(length)
                .map(|byte| if verb == 'x' { format!("{byte:02x}") } else { format!("{byte:02X}") });
            let shown: Vec<String> = shown.collect();
            let joined = if flags.space { shown.join(&format!(" {prefix}")) } else { shown.concat() };
            let prefix = if shown.is_empty() { "" } else { prefix };
            Some(pad(format!("{prefix}{joined}").into_bytes(), flags, false))
        }
        _ => None,
    }
}

/// A quoted text with escapes for what is not ASCII.
pub(super) fn in_ascii(quoted: &str) -> String {
    let escaped = quoted.chars().map(|c| match c as u32 {
        0..0x80 => c.to_string(),
        code @ 0x80..0x1_0000 => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    });
    escaped.collect()
}
