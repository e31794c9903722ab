//! What calls and operators cost, as the API server counts while it evaluates.
//!
//! Source: `google/cel-go:interpreter/runtimecost.go`, `google/cel-go:ext`,
//! `kubernetes/apiserver:pkg/cel/library/cost.go` (`CallCost`).

use super::budget::{Evaluation, Fault};
use super::syntax::Operator;
use super::value::Val;

/// To make a list.
pub(crate) const LIST: u64 = 10;
/// To make a map.
pub(crate) const MAP: u64 = 30;
/// The length of the regular expression behind a format, about.
const FORMAT_PATTERN: u64 = 30;

/// A part of a number, rounded up.
pub(crate) fn part(size: u64, of: u64) -> u64 {
    size.div_ceil(of)
}

/// The size of a value: characters, bytes, elements; of everything else 1.
fn size(value: &Val<'_>, evaluation: &Evaluation) -> Result<u64, Fault> {
    Ok(match value {
        Val::Text(text) => {
            evaluation.work_on_bytes(text.len())?;
            text.chars().count() as u64
        }
        Val::Bytes(bytes) => bytes.len() as u64,
        Val::List(list) => list.len() as u64,
        Val::Map(entries) => entries.len() as u64,
        Val::Optional(Some(inner)) => size(inner, evaluation)?,
        Val::Ip(address) => {
            if address.is_ipv4() {
                4
            } else {
                16
            }
        }
        Val::Cidr(_, bits) => part(u64::from(*bits), 8),
        _ => 1,
    })
}

/// To go through a value and everything below it.
fn traversal(value: &Val<'_>, evaluation: &Evaluation) -> Result<u64, Fault> {
    evaluation.work(1)?;
    let mut sum: u64 = 0;
    match value {
        Val::Text(text) => return Ok(text.len() as u64 / 10),
        Val::Bytes(bytes) => return Ok(bytes.len() as u64 / 10),
        Val::List(list) => {
            for item in list.iter() {
                sum += traversal(&item, evaluation)?;
            }
        }
        Val::Map(entries) => {
            for (key, value) in entries.iter() {
                sum += traversal(&key, evaluation)? + traversal(&value, evaluation)?;
            }
        }
        _ => return Ok(1),
    }
    Ok(sum)
}

/// The cost of an operator.
pub(crate) fn of_operator(
    operator: Operator,
    left: &Val<'_>,
    right: &Val<'_>,
    evaluation: &Evaluation,
) -> Result<u64, Fault> {
    let is_long = |value: &Val<'_>| matches!(value, Val::Text(_) | Val::Bytes(_));
    let sizes = || Ok((size(left, evaluation)?, size(right, evaluation)?));
    Ok(match operator {
        Operator::Equal if matches!(left, Val::Cidr(..) | Val::Ip(_)) => 1,
        Operator::Equal | Operator::NotEqual => {
            let (left, right) = sizes()?;
            part(left.min(right), 10)
        }
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual
            if is_long(left) =>
        {
            let (left, right) = sizes()?;
            part(left.min(right), 10)
        }
        Operator::In if matches!(right, Val::List(_)) => size(right, evaluation)?,
        Operator::Add if is_long(left) => {
            let (left, right) = sizes()?;
            part(left + right, 10)
        }
        _ => 1,
    })
}

/// The cost of a call; the first value is the target if there is one.
pub(crate) fn of_call(
    function: &str,
    values: &[Val<'_>],
    result: &Val<'_>,
    evaluation: &Evaluation,
) -> Result<u64, Fault> {
    let size_of = |index: usize| values.get(index).map_or(Ok(0), |value| size(value, evaluation));
    let is_text = |index: usize| matches!(values.get(index), Some(Val::Text(_)));
    let pattern = |text: u64, pattern: u64| part(1 + text, 10).saturating_mul(part(pattern, 4));
    Ok(match function {
        "startsWith"
        | "endsWith"
        | "strings.quote"
        | "format"
        | "url"
        | "lowerAscii"
        | "upperAscii"
        | "substring"
        | "trim"
        | "jsonpatch.escapeKey"
        | "isIP"
        | "cidr"
        | "isCIDR"
        | "quantity"
        | "isQuantity"
        | "semver"
        | "isSemver" => part(size_of(0)?, 10),
        "bytes" if is_text(0) => part(size_of(0)?, 10),
        "string" if matches!(values.first(), Some(Val::Bytes(_))) => part(size_of(0)?, 10),
        "ip" if is_text(0) => part(size_of(0)?, 10),
        "replace" | "split" | "ip.isCanonical" => part(2 * size_of(0)?, 10),
        "join" => part(2 * size(result, evaluation)?, 10),
        "matches" | "find" | "findAll" => pattern(size_of(0)?, size_of(1)?),
        "validate" => pattern(size_of(1)?, FORMAT_PATTERN),
        "contains" => part(size_of(0)?, 10).saturating_mul(part(size_of(1)?, 10)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            values.first().map_or(Ok(0), |value| traversal(value, evaluation))?
        }
        "containsIP" => part(2 * size_of(0)?, 10) + if is_text(1) { part(size_of(1)?, 10) } else { 0 },
        "containsCIDR" => {
            let masked = part(2 * size_of(0)?, 10) + part(size_of(0)?, 10) + 1;
            masked + if is_text(1) { part(size_of(1)?, 10) } else { 0 }
        }
        "sets.contains" | "sets.intersects" => 1 + size_of(0)?.saturating_mul(size_of(1)?),
        "sets.equivalent" => 1 + size_of(0)?.saturating_mul(size_of(1)?).saturating_mul(2),
        "lists.range" | "slice" => 1 + LIST + size(result, evaluation)?,
        "reverse" | "flatten" if matches!(values.first(), Some(Val::List(_))) => 1 + LIST + size_of(0)?,
        "distinct" | "sort" => 1 + LIST + size_of(0)?.saturating_mul(size_of(0)?).saturating_mul(2),
        _ => 1,
    })
}
