//! Functions on text. Positions count characters.

use super::budget::{Evaluation, Fault};
use super::evaluate::{Evaluated, NO_SUCH_OVERLOAD, fault};
use super::syntax::Call;
use super::times;
use super::value::{List, Val};

/// A value as the conversion `string(…)` writes it; nothing for lists and the like.
pub(crate) fn string_of(value: &Val<'_>) -> Option<String> {
    Some(match value {
        Val::Text(text) => (**text).to_owned(),
        Val::Bool(flag) => flag.to_string(),
        Val::Int(number) => number.to_string(),
        Val::Uint(number) => number.to_string(),
        Val::Double(number) => {
            let mut text = String::new();
            fbc_go::text::push_general_number(&mut text, *number);
            text
        }
        Val::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok()?,
        Val::Timestamp(seconds, rest) => times::timestamp_text(*seconds, *rest),
        Val::Duration(nanoseconds) => times::duration_text(*nanoseconds),
        Val::Ip(address) => address.to_string(),
        Val::Cidr(address, bits) => format!("{address}/{bits}"),
        Val::Semver(version) => version.to_string(),
        _ => return None,
    })
}

/// Calls a function on text; nothing if it is none of text.
pub(crate) fn call<'a>(evaluation: &Evaluation, call: &'a Call, values: &[Val<'a>]) -> Option<Evaluated<'a>> {
    let number = |value: Option<&Val<'a>>| match value {
        Some(Val::Int(number)) => Some(*number),
        _ => None,
    };
    let whole =
        |found: Option<usize>| Val::Int(found.and_then(|found| i64::try_from(found).ok()).unwrap_or(-1));
    Some(Ok(match (call.function.as_str(), values) {
        ("matches" | "find" | "findAll", [Val::Text(text), Val::Text(pattern), rest @ ..]) => {
            return Some(of_pattern(evaluation, call, (text, pattern), rest));
        }
        ("join", [Val::List(list), rest @ ..]) => return Some(join(evaluation, list, rest)),
        ("contains", [Val::Text(text), Val::Text(part)]) => Val::Bool(text.contains(&**part)),
        ("startsWith", [Val::Text(text), Val::Text(part)]) => Val::Bool(text.starts_with(&**part)),
        ("endsWith", [Val::Text(text), Val::Text(part)]) => Val::Bool(text.ends_with(&**part)),
        ("lowerAscii", [Val::Text(text)]) => Val::text(text.to_ascii_lowercase()),
        ("upperAscii", [Val::Text(text)]) => Val::text(text.to_ascii_uppercase()),
        ("trim", [Val::Text(text)]) => Val::text(text.trim()),
        ("reverse", [Val::Text(text)]) => Val::text(text.chars().rev().collect::<String>()),
        ("strings.quote", [Val::Text(text)]) => Val::text(format!("{:?}", &**text)),
        ("charAt", [Val::Text(text), Val::Int(at)]) => {
            let at = usize::try_from(*at).unwrap_or(usize::MAX);
            match text.chars().nth(at) {
                Some(character) => Val::text(character.to_string()),
                None if at == text.chars().count() => Val::text(""),
                None => return Some(fault(format!("index out of range: {at}"))),
            }
        }
        ("indexOf", [Val::Text(text), Val::Text(part), rest @ ..]) => {
            let from = usize::try_from(number(rest.first()).unwrap_or(0)).unwrap_or(usize::MAX);
            let Some((skipped, rest)) = split_after(text, from) else {
                return Some(fault(format!("index out of range: {from}")));
            };
            whole(rest.find(&**part).map(|at| from + text[skipped..skipped + at].chars().count()))
        }
        ("lastIndexOf", [Val::Text(text), Val::Text(part), rest @ ..]) => {
            let last = number(rest.first()).and_then(|last| usize::try_from(last).ok());
            // What begins at the last place may end behind it.
            let end =
                last.and_then(|last| split_after(text, last)).map_or(text.len(), |(at, _)| at + part.len());
            let end = (0..=end.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
            let within = &text[..end.unwrap_or_default()];
            whole(within.rfind(&**part).map(|at| text[..at].chars().count()))
        }
        ("replace", [Val::Text(text), Val::Text(from), Val::Text(to), rest @ ..]) => {
            let most =
                number(rest.first()).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
            let count = text.matches(&**from).take(most).count();
            let length = text.len().saturating_add(count.saturating_mul(to.len()));
            if let Err(fault) = evaluation.work_on_bytes(length) {
                return Some(Err(fault));
            }
            Val::text(text.replacen(&**from, to, most))
        }
        ("split", [Val::Text(text), Val::Text(separator), rest @ ..]) => {
            // An empty separator makes a text of each character.
            if let Err(fault) = evaluation.work(if separator.is_empty() { text.len() } else { 0 }) {
                return Some(Err(fault));
            }
            split(text, separator, number(rest.first()))
        }
        ("substring", [Val::Text(text), Val::Int(from), rest @ ..]) => {
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            let to = number(rest.first()).unwrap_or(length);
            if *from < 0 || *from > to || to > length {
                return Some(fault(format!("invalid substring range. start: {from}, end: {to}")));
            }
            let place = |number: i64| usize::try_from(number).unwrap_or_default();
            Val::text(text.chars().skip(place(*from)).take(place(to - *from)).collect::<String>())
        }
        ("format", [Val::Text(text), Val::List(list)]) => return Some(formatted(text, list, evaluation)),
        _ => return None,
    }))
}

fn of_pattern<'a>(
    evaluation: &Evaluation,
    call: &Call,
    (text, written): (&str, &str),
    rest: &[Val<'a>],
) -> Evaluated<'a> {
    let pattern = evaluation.compiled(call.pattern.as_ref(), written)?;
    if let Some(fault_of_pattern) = pattern.fault() {
        return fault(fault_of_pattern.to_string());
    }
    Ok(match (call.function.as_str(), rest) {
        ("matches", []) => Val::Bool(evaluation.matching(|steps| pattern.is_match(text, steps))?),
        ("find", []) => {
            Val::text(evaluation.matching(|steps| pattern.find(text, steps))?.unwrap_or_default())
        }
        ("findAll", rest) => {
            let most = match rest {
                [Val::Int(most)] => usize::try_from(*most).unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let found = evaluation.matching(|steps| pattern.find_all(text, most, steps))?;
            evaluation.work(found.len())?;
            Val::list(found.into_iter().map(Val::text).collect())
        }
        _ => return Err(NO_SUCH_OVERLOAD),
    })
}

fn join<'a>(evaluation: &Evaluation, list: &List<'a>, rest: &[Val<'a>]) -> Evaluated<'a> {
    let separator = match rest {
        [] => "",
        [Val::Text(separator)] => separator,
        _ => return Err(NO_SUCH_OVERLOAD),
    };
    let mut out = String::new();
    for (index, item) in list.iter().enumerate() {
        let Val::Text(text) = item else { return Err(NO_SUCH_OVERLOAD) };
        let separator = if index == 0 { "" } else { separator };
        evaluation.work(1)?;
        evaluation.work_on_bytes(text.len().saturating_add(separator.len()))?;
        out.push_str(separator);
        out.push_str(&text);
    }
    Ok(Val::text(out))
}

/// The byte at which the character of a number begins, and the text from there on; none behind the end.
fn split_after(text: &str, characters: usize) -> Option<(usize, &str)> {
    let at = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(characters)?;
    Some((at, &text[at..]))
}

fn split<'a>(text: &str, separator: &str, most: Option<i64>) -> Val<'a> {
    let whole = |parts: Vec<&str>| Val::list(parts.into_iter().map(Val::text).collect());
    let most = match most {
        Some(0) => return Val::list(Vec::new()),
        Some(most) if most > 0 => usize::try_from(most).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    if !separator.is_empty() {
        return whole(text.splitn(most, separator).collect());
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if parts.len() + 1 == most {
            break;
        }
        let (first, after) = rest.split_at(character.len_utf8());
        parts.push(first);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    whole(parts)
}

/// `"%s is %d".format([…])`
///
/// Source: `google/cel-go:ext/formatting.go`.
fn formatted<'a>(text: &str, list: &List<'a>, evaluation: &Evaluation) -> Evaluated<'a> {
    let mut out = String::new();
    let mut arguments = list.iter();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        let mut precision: Option<usize> = None;
        if characters.peek() == Some(&'.') {
            characters.next();
            let mut digits = String::new();
            while let Some(digit) = characters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            precision = digits.parse().ok().filter(|digits: &usize| *digits <= 1000);
        }
        let verb = characters.next();
        if verb == Some('%') {
            out.push('%');
            continue;
        }
        let Some(argument) = arguments.next() else { return fault("index 0 out of range") };
        let precision = precision.unwrap_or(6);
        evaluation.work(1 + precision / 64)?;
        match (verb, &argument) {
            (Some('s'), value) => plain(value, &mut out, evaluation)?,
            (Some('d'), Val::Int(_) | Val::Uint(_)) => plain(&argument, &mut out, evaluation)?,
            (Some('f'), value) if value.as_double().is_some() => {
                out.push_str(&format!("{:.precision$}", value.as_double().unwrap_or_default()));
            }
            (Some('b'), Val::Int(number)) => {
                out.push_str(&format!("{}{:b}", sign(*number), number.unsigned_abs()))
            }
            (Some('o'), Val::Int(number)) => {
                out.push_str(&format!("{}{:o}", sign(*number), number.unsigned_abs()))
            }
            (Some('x'), Val::Int(number)) => {
                out.push_str(&format!("{}{:x}", sign(*number), number.unsigned_abs()))
            }
            (Some('X'), Val::Int(number)) => {
                out.push_str(&format!("{}{:X}", sign(*number), number.unsigned_abs()))
            }
            (Some('b'), Val::Bool(flag)) => out.push(if *flag { '1' } else { '0' }),
            (Some(verb), value) => {
                return fault(format!(
                    "error during formatting: clause %{verb} does not take {}",
                    value.type_name()
                ));
            }
            (None, _) => return fault("could not parse formatting clause: unexpected end of string"),
        }
    }
    Ok(Val::text(out))
}

fn sign(number: i64) -> &'static str {
    if number < 0 { "-" } else { "" }
}

/// Writes a value of any kind as `%s` does. Values that are shared are written as often as they stand there.
fn plain(value: &Val<'_>, out: &mut String, evaluation: &Evaluation) -> Result<(), Fault> {
    evaluation.work(1)?;
    match value {
        Val::Null => out.push_str("null"),
        Val::List(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                plain(&item, out, evaluation)?;
            }
            out.push(']');
        }
        Val::Map(entries) => {
            let mut parts = Vec::new();
            for (key, value) in entries.iter() {
                let mut part = String::new();
                plain(&key, &mut part, evaluation)?;
                part.push_str(": ");
                plain(&value, &mut part, evaluation)?;
                evaluation.work_on_bytes(part.len())?;
                parts.push(part);
            }
            parts.sort();
            out.push('{');
            out.push_str(&parts.join(", "));
            out.push('}');
        }
        Val::Type(name) => out.push_str(name),
        Val::Optional(Some(inner)) => plain(inner, out, evaluation)?,
        Val::Text(text) => {
            evaluation.work_on_bytes(text.len())?;
            out.push_str(text);
        }
        other => out.push_str(&string_of(other).unwrap_or_else(|| other.type_name().to_owned())),
    }
    Ok(())
}
