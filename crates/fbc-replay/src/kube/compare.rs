//! How what was seen is compared with what was recorded.

use std::fmt::Debug;

use serde_json::Value;

use crate::{Difference, Verdict};

/// The two are equal.
pub(super) fn same<T: PartialEq + Debug>(what: &str, seen: &T, recorded: &T) -> Verdict {
    if seen == recorded {
        return Ok(());
    }
    Err(difference(what, seen, recorded))
}

fn difference<T: Debug + ?Sized>(what: &str, seen: &T, recorded: &T) -> Difference {
    Difference::Seen { what: what.to_owned(), seen: format!("{seen:?}"), recorded: format!("{recorded:?}") }
}

/// Something that happened at a moment, in milliseconds since the start of the case.
pub(super) type Timed<T> = (i64, T);

/// Both lists tell the same in the same order, with times that differ no more than this.
pub(super) fn same_course<T: PartialEq + Debug>(
    what: &str,
    seen: &[Timed<T>],
    recorded: &[Timed<T>],
    tolerance: i64,
) -> Verdict {
    let fits =
        |((at, one), (then, other)): (&Timed<T>, &Timed<T>)| one == other && (at - then).abs() <= tolerance;
    if seen.len() == recorded.len() && seen.iter().zip(recorded).all(fits) {
        return Ok(());
    }
    Err(difference(what, seen, recorded))
}

/// As [`same_course`], of things that may come in any order.
pub(super) fn same_course_in_any_order<T: PartialEq + Ord + Clone + Debug>(
    what: &str,
    seen: &[Timed<T>],
    recorded: &[Timed<T>],
    tolerance: i64,
) -> Verdict {
    let sorted = |list: &[Timed<T>]| {
        let mut list: Vec<(T, i64)> = list.iter().map(|(at, text)| (text.clone(), *at)).collect();
        list.sort();
        list.into_iter().map(|(text, at)| (at, text)).collect::<Vec<Timed<T>>>()
    };
    same_course(what, &sorted(seen), &sorted(recorded), tolerance)
}

/// Texts in which names of generated objects have lost their random end.
pub(super) fn without_placeholders(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("<r") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = from.find('>').map_or(from.len(), |end| end + 1);
        let is_suffix =
            from.get(2..end.saturating_sub(1)).is_some_and(|number| number.parse::<u32>().is_ok());
        out.push_str(if is_suffix { "<r>" } else { from.get(..end).unwrap_or(from) });
        rest = from.get(end..).unwrap_or_default();
    }
    out + rest
}

/// A list of taints as short texts: `key=value:effect`.
pub(super) fn taint_texts(taints: Option<&Value>) -> Vec<String> {
    let entries = taints.and_then(Value::as_array).into_iter().flatten();
    entries
        .map(|taint| {
            let text = |field: &str| taint[field].as_str().unwrap_or_default();
            let value = text("value");
            let value = if value.is_empty() { String::new() } else { format!("={value}") };
            format!("{}{value}:{}", text("key"), text("effect"))
        })
        .collect()
}

/// Reads such a text.
pub(super) fn taint_value(text: &str) -> Value {
    let (pair, effect) = text.split_once(':').unwrap_or((text, ""));
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let mut taint = serde_json::json!({"key": key, "effect": effect});
    if !value.is_empty() {
        taint["value"] = value.into();
    }
    taint
}
