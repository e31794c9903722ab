//! Functions on values.

use std::borrow::Cow;
use std::rc::Rc;

use super::budget::{Evaluation, Fault};
use super::evaluate::{Evaluated, NO_SUCH_OVERLOAD, fault};
use super::signatures::SEMVER_COMPARE;
use super::syntax::{Call, Operator};
use super::value::{List, Val};
use super::{libraries, named_format, texts, times};

/// The type of this name as a value.
pub(crate) fn type_named<'a>(name: &str) -> Option<Val<'a>> {
    let names = ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"];
    names.into_iter().find(|known| *known == name).map(Val::Type)
}

/// How large a value is: characters, bytes or elements.
pub(crate) fn size(value: &Val<'_>) -> usize {
    match value {
        Val::Text(text) => text.len(),
        Val::Bytes(bytes) => bytes.len(),
        Val::List(list) => list.len(),
        Val::Map(entries) => entries.len(),
        _ => 1,
    }
}

/// A value in an error or in text.
pub(crate) fn written(value: &Val<'_>) -> String {
    texts::string_of(value).unwrap_or_else(|| value.type_name().to_owned())
}

fn whole<'a>(number: usize) -> Val<'a> {
    Val::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Calls a function; the first value is the target if there is one.
pub(crate) fn call<'a>(evaluation: &Evaluation, call: &'a Call, values: &[Val<'a>]) -> Evaluated<'a> {
    // Most functions go through what they are given, also where the API server counts one step.
    evaluation.work_on_bytes(values.iter().map(size).fold(0, usize::saturating_add))?;
    let function = call.function.as_str();
    match (function, values) {
        (SEMVER_COMPARE, [one, other]) => compare_versions(one, other),
        ("size", [Val::Text(text)]) => Ok(whole(text.chars().count())),
        ("size", [value @ (Val::Bytes(_) | Val::List(_) | Val::Map(_))]) => Ok(whole(size(value))),
        ("type", [value]) => Ok(Val::Type(value.type_name())),
        ("dyn", [value]) => Ok(value.clone()),
        ("int" | "uint" | "double" | "string" | "bytes" | "bool" | "timestamp" | "duration", [value]) => {
            convert(function, value)
        }
        ("hasValue" | "value" | "orValue" | "or", [Val::Optional(inner), rest @ ..]) => {
            optional(function, inner, rest)
        }
        ("optional.none", []) => Ok(Val::Optional(None)),
        ("optional.of", [value]) => Ok(Val::some(value.clone())),
        ("optional.ofNonZeroValue", [value]) => {
            Ok(if is_zero(value) { Val::Optional(None) } else { Val::some(value.clone()) })
        }
        ("validate", [Val::Format(format), Val::Text(text)]) => {
            let faults = (format.faults)(text);
            let list = Val::list(faults.into_iter().map(Val::text).collect());
            Ok(if size(&list) == 0 { Val::Optional(None) } else { Val::some(list) })
        }
        ("format.named", [Val::Text(name)]) => {
            Ok(Val::Optional(named_format::find(name).map(|format| Rc::new(Val::Format(format)))))
        }
        (name, []) if name.starts_with("format.") => {
            named_format::find(&name[7..]).map(Val::Format).ok_or(NO_SUCH_OVERLOAD)
        }
        (_, [Val::Text(_), ..]) | ("join" | "matches", _) => texts::call(evaluation, call, values)
            .unwrap_or_else(|| libraries::call(evaluation, function, values)),
        (_, [Val::Timestamp(..) | Val::Duration(_), ..]) => times::part(function, values),
        (name, [Val::List(list), rest @ ..]) if !name.contains('.') => of_list(evaluation, name, list, rest),
        _ => libraries::call(evaluation, function, values),
    }
}

/// Compares what two values say as versions, tolerantly.
fn compare_versions<'a>(one: &Val<'_>, other: &Val<'_>) -> Evaluated<'a> {
    let parse = |value: &Val<'_>| {
        let text = written(value);
        fbc_version::Version::parse_tolerant(&text)
            .map_err(|_| Fault(format!("unable to parse '{text}' to semver format").into()))
    };
    Ok(Val::Int(parse(one)?.compare_precedence(&parse(other)?) as i64))
}

fn is_zero(value: &Val<'_>) -> bool {
    match value {
        Val::Null
        | Val::Bool(false)
        | Val::Int(0)
        | Val::Uint(0)
        | Val::Optional(None)
        | Val::Duration(0) => true,
        // The zero of Go's times is the start of the year 1.
        Val::Timestamp(seconds, 0) => *seconds == -62_135_596_800,
        Val::Double(number) => *number == 0.0,
        Val::Text(_) | Val::Bytes(_) | Val::List(_) | Val::Map(_) => size(value) == 0,
        _ => false,
    }
}

fn optional<'a>(function: &str, inner: &Option<Rc<Val<'a>>>, rest: &[Val<'a>]) -> Evaluated<'a> {
    match (function, inner, rest) {
        ("hasValue", inner, []) => Ok(Val::Bool(inner.is_some())),
        ("value" | "orValue", Some(value), _) => Ok((**value).clone()),
        ("value", None, []) => fault("optional.none() dereference"),
        ("or", Some(value), _) => Ok(Val::Optional(Some(Rc::clone(value)))),
        ("orValue" | "or", None, [other]) => Ok(other.clone()),
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

/// Sums, differences and the like.
pub(crate) fn arithmetic<'a>(
    evaluation: &Evaluation,
    operator: Operator,
    left: &Val<'a>,
    right: &Val<'a>,
) -> Evaluated<'a> {
    match (left, right) {
        (Val::Int(left), Val::Int(right)) => {
            let zero = *right == 0;
            checked(operator, zero, "integer overflow", || match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                Operator::Divide => left.checked_div(*right),
                _ => left.checked_rem(*right),
            })
            .map(Val::Int)
        }
        (Val::Uint(left), Val::Uint(right)) => {
            let zero = *right == 0;
            checked(operator, zero, "unsigned integer overflow", || match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                Operator::Divide => left.checked_div(*right),
                _ => left.checked_rem(*right),
            })
            .map(Val::Uint)
        }
        (Val::Double(left), Val::Double(right)) => Ok(Val::Double(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            _ => return Err(NO_SUCH_OVERLOAD),
        })),
        (Val::Text(left), Val::Text(right)) if operator == Operator::Add => {
            evaluation.work_on_bytes(left.len().saturating_add(right.len()))?;
            Ok(Val::text([&**left, &**right].concat()))
        }
        (Val::Bytes(left), Val::Bytes(right)) if operator == Operator::Add => {
            evaluation.work_on_bytes(left.len().saturating_add(right.len()))?;
            Ok(Val::bytes([&**left, &**right].concat()))
        }
        (Val::List(left), Val::List(right)) if operator == Operator::Add => {
            left.concatenate(right, evaluation)
        }
        _ => times::arithmetic(operator, left, right),
    }
}

fn checked<T>(
    operator: Operator,
    zero: bool,
    overflow: &'static str,
    compute: impl Fn() -> Option<T>,
) -> Result<T, Fault> {
    match operator {
        Operator::Divide if zero => fault("division by zero"),
        Operator::Remainder if zero => fault("modulus by zero"),
        _ => compute().ok_or(Fault(Cow::Borrowed(overflow))),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the ranges are checked first, and the language rounds in the same way"
)]
fn convert<'a>(to: &str, value: &Val<'a>) -> Evaluated<'a> {
    let out_of_range = || fault("range error");
    match (to, value) {
        ("int", Val::Int(_)) | ("uint", Val::Uint(_)) | ("double", Val::Double(_)) => Ok(value.clone()),
        ("string", Val::Text(_)) | ("bytes", Val::Bytes(_)) | ("bool", Val::Bool(_)) => Ok(value.clone()),
        ("timestamp", Val::Timestamp(..)) | ("duration", Val::Duration(_)) => Ok(value.clone()),
        ("int", Val::Uint(number)) => {
            i64::try_from(*number).map_or_else(|_| out_of_range(), |n| Ok(Val::Int(n)))
        }
        ("int", Val::Double(number)) if number.abs() < 9.2e18 => Ok(Val::Int(*number as i64)),
        ("int", Val::Timestamp(seconds, _)) => Ok(Val::Int(*seconds)),
        ("int", Val::Duration(nanoseconds)) => Ok(Val::Int(*nanoseconds)),
        ("uint", Val::Int(number)) => {
            u64::try_from(*number).map_or_else(|_| out_of_range(), |n| Ok(Val::Uint(n)))
        }
        ("uint", Val::Double(number)) if (0.0..1.8e19).contains(number) => Ok(Val::Uint(*number as u64)),
        ("int" | "uint", Val::Double(_)) => out_of_range(),
        ("double", Val::Int(number)) => Ok(Val::Double(*number as f64)),
        ("double", Val::Uint(number)) => Ok(Val::Double(*number as f64)),
        ("int", Val::Text(text)) => parsed(text.parse().ok().map(Val::Int), text, "int"),
        ("uint", Val::Text(text)) => parsed(text.parse().ok().map(Val::Uint), text, "uint"),
        ("double", Val::Text(text)) => parsed(text.parse().ok().map(Val::Double), text, "double"),
        ("bool", Val::Text(text)) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Val::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Val::Bool(false)),
            _ => fault("type conversion error from 'string' to 'bool'"),
        },
        ("bytes", Val::Text(text)) => Ok(Val::bytes(text.as_bytes())),
        ("string", value) => texts::string_of(value).map(Val::text).ok_or(NO_SUCH_OVERLOAD),
        ("timestamp" | "duration", value) => times::convert(to, value),
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn parsed<'a>(found: Option<Val<'a>>, text: &str, kind: &str) -> Evaluated<'a> {
    found.map_or_else(|| fault(format!("strconv.Parse{kind}: parsing {text:?}: invalid syntax")), Ok)
}

/// Sorts by a key, stable; what cannot be compared counts as equal.
pub(crate) fn sort<'a, T>(
    items: &mut [T],
    key: impl Fn(&T) -> &Val<'a>,
    evaluation: &Evaluation,
) -> Result<(), Fault> {
    let mut failed = Ok(());
    items.sort_by(|left, right| {
        let (left, right) = (key(left), key(right));
        if failed.is_ok() {
            failed = evaluation.work(1 + size(left).min(size(right)) / 64);
        }
        match &failed {
            Ok(()) => left.compare(right).unwrap_or(std::cmp::Ordering::Equal),
            Err(_) => std::cmp::Ordering::Equal,
        }
    });
    failed
}

fn of_list<'a>(evaluation: &Evaluation, function: &str, list: &List<'a>, rest: &[Val<'a>]) -> Evaluated<'a> {
    evaluation.work(list.len())?;
    let compared = |left: &Val<'a>, right: &Val<'a>| {
        evaluation.work_on_bytes(size(left).min(size(right)))?;
        Ok(left.compare(right))
    };
    let sorted = || {
        for (left, right) in list.iter().zip(list.iter().skip(1)) {
            if compared(&left, &right)?.is_some_and(std::cmp::Ordering::is_gt) {
                return Ok(Val::Bool(false));
            }
        }
        Ok(Val::Bool(true))
    };
    let best = |wanted: std::cmp::Ordering| {
        let mut best: Option<Val<'a>> = None;
        for item in list.iter() {
            let is_better = match &best {
                Some(best) => compared(&item, best)? == Some(wanted),
                None => true,
            };
            if is_better {
                best = Some(item);
            }
        }
        best.map_or_else(|| fault(format!("{function} called on empty list")), Ok)
    };
    match (function, rest) {
        ("isSorted", []) => sorted(),
        ("sum", []) => {
            let mut items = list.iter();
            let first = items.next().unwrap_or(Val::Int(0));
            items.try_fold(first, |sum, item| arithmetic(evaluation, Operator::Add, &sum, &item))
        }
        ("min", []) => best(std::cmp::Ordering::Less),
        ("max", []) => best(std::cmp::Ordering::Greater),
        ("indexOf", [item]) => Ok(list.position(item, evaluation)?.map_or(Val::Int(-1), whole)),
        ("lastIndexOf", [item]) => {
            for index in (0..list.len()).rev() {
                if list.get(index).map_or(Ok(false), |known| known.equals(item, evaluation))? {
                    return Ok(whole(index));
                }
            }
            Ok(Val::Int(-1))
        }
        ("includes", [item]) => Ok(Val::Bool(list.position(item, evaluation)?.is_some())),
        ("first", []) => Ok(Val::Optional(list.get(0).map(Rc::new))),
        ("last", []) => {
            Ok(Val::Optional(list.len().checked_sub(1).and_then(|last| list.get(last)).map(Rc::new)))
        }
        ("reverse", []) => Ok(Val::list(list.iter().collect::<Vec<_>>().into_iter().rev().collect())),
        ("distinct", []) => {
            let mut items: Vec<Val<'a>> = Vec::new();
            'next: for item in list.iter() {
                for known in &items {
                    if known.equals(&item, evaluation)? {
                        continue 'next;
                    }
                }
                items.push(item);
            }
            Ok(Val::list(items))
        }
        ("sort", []) => {
            let mut items: Vec<Val<'a>> = list.iter().collect();
            sort(&mut items, |item| item, evaluation)?;
            Ok(Val::list(items))
        }
        ("slice", [Val::Int(from), Val::Int(to)]) => {
            let bounds = (usize::try_from(*from), usize::try_from(*to));
            match bounds {
                (Ok(from), Ok(to)) if from <= to && to <= list.len() => {
                    Ok(Val::list(list.iter().skip(from).take(to - from).collect()))
                }
                _ => fault(format!("cannot slice({from}, {to}), list is length {}", list.len())),
            }
        }
        ("flatten", rest) => {
            let depth = match rest {
                [Val::Int(depth)] => *depth,
                _ => 1,
            };
            let mut items = Vec::new();
            flatten(list, depth, &mut items, evaluation)?;
            Ok(Val::list(items))
        }
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn flatten<'a>(
    list: &List<'a>,
    depth: i64,
    items: &mut Vec<Val<'a>>,
    evaluation: &Evaluation,
) -> Result<(), Fault> {
    for item in list.iter() {
        evaluation.work(1)?;
        match item {
            Val::List(inner) if depth > 0 => flatten(&inner, depth - 1, items, evaluation)?,
            item => items.push(item),
        }
    }
    Ok(())
}
