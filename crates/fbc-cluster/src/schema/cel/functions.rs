//! Functions on values.

use std::borrow::Cow;
use std::net::IpAddr;
use std::rc::Rc;

use super::evaluate::{Evaluated, Evaluation, Fault, NO_SUCH_OVERLOAD, fault};
use super::quantity::Quantity;
use super::syntax::{Call, Operator};
use super::url::Url;
use super::value::{Entries, List, Val};
use super::{named_format, texts, times};
use crate::schema::format::is_cidr;

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
    evaluation.spend(values.iter().map(size).sum::<usize>() / 10)?;
    let function = call.function.as_str();
    match (function, values) {
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
        (_, [Val::Text(_), ..]) | ("join" | "matches", _) => {
            texts::call(call, values).unwrap_or_else(|| of_library(function, values))
        }
        (_, [Val::Timestamp(..) | Val::Duration(_), ..]) => times::part(function, values),
        (name, [Val::List(list), rest @ ..]) if !name.contains('.') => of_list(evaluation, name, list, rest),
        _ => of_library(function, values),
    }
}

fn is_zero(value: &Val<'_>) -> bool {
    match value {
        Val::Null | Val::Bool(false) | Val::Int(0) | Val::Uint(0) | Val::Optional(None) => true,
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
            evaluation.spend((left.len() + right.len()) / 10)?;
            Ok(Val::Text(Cow::Owned(format!("{left}{right}"))))
        }
        (Val::Bytes(left), Val::Bytes(right)) if operator == Operator::Add => {
            Ok(Val::Bytes(Rc::new([left.as_slice(), right.as_slice()].concat())))
        }
        (Val::List(left), Val::List(right)) if operator == Operator::Add => {
            evaluation.spend(left.len() + right.len())?;
            Ok(left.concatenate(right))
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
        ("bytes", Val::Text(text)) => Ok(Val::Bytes(Rc::new(text.as_bytes().to_vec()))),
        ("string", value) => texts::string_of(value).map(Val::text).ok_or(NO_SUCH_OVERLOAD),
        ("timestamp" | "duration", value) => times::convert(to, value),
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn parsed<'a>(found: Option<Val<'a>>, text: &str, kind: &str) -> Evaluated<'a> {
    found.map_or_else(|| fault(format!("strconv.Parse{kind}: parsing {text:?}: invalid syntax")), Ok)
}

fn of_list<'a>(evaluation: &Evaluation, function: &str, list: &List<'a>, rest: &[Val<'a>]) -> Evaluated<'a> {
    evaluation.spend(list.len())?;
    let sorted = || {
        list.iter()
            .zip(list.iter().skip(1))
            .all(|(left, right)| left.compare(&right).is_none_or(|o| o.is_le()))
    };
    let best = |wanted: std::cmp::Ordering| {
        list.iter().reduce(|best, item| if item.compare(&best) == Some(wanted) { item } else { best })
    };
    let contains = |item: &Val<'a>| list.iter().any(|known| known.equals(item));
    match (function, rest) {
        ("isSorted", []) => Ok(Val::Bool(sorted())),
        ("sum", []) => {
            let mut items = list.iter();
            let first = items.next().unwrap_or(Val::Int(0));
            items.try_fold(first, |sum, item| arithmetic(evaluation, Operator::Add, &sum, &item))
        }
        ("min", []) => best(std::cmp::Ordering::Less).map_or_else(|| fault("min called on empty list"), Ok),
        ("max", []) => {
            best(std::cmp::Ordering::Greater).map_or_else(|| fault("max called on empty list"), Ok)
        }
        ("indexOf", [item]) => {
            Ok(list.iter().position(|known| known.equals(item)).map_or(Val::Int(-1), whole))
        }
        ("lastIndexOf", [item]) => {
            let items: Vec<Val<'a>> = list.iter().collect();
            Ok(items.iter().rposition(|known| known.equals(item)).map_or(Val::Int(-1), whole))
        }
        ("includes", [item]) => Ok(Val::Bool(contains(item))),
        ("first", []) => Ok(Val::Optional(list.get(0).map(Rc::new))),
        ("last", []) => {
            Ok(Val::Optional(list.len().checked_sub(1).and_then(|last| list.get(last)).map(Rc::new)))
        }
        ("reverse", []) => Ok(Val::list(list.iter().collect::<Vec<_>>().into_iter().rev().collect())),
        ("distinct", []) => {
            evaluation.spend(list.len() * list.len() / 2)?;
            let mut items: Vec<Val<'a>> = Vec::new();
            for item in list.iter() {
                if !items.iter().any(|known| known.equals(&item)) {
                    items.push(item);
                }
            }
            Ok(Val::list(items))
        }
        ("sort", []) => {
            let mut items: Vec<Val<'a>> = list.iter().collect();
            items.sort_by(|left, right| left.compare(right).unwrap_or(std::cmp::Ordering::Equal));
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
            flatten(list, depth, &mut items);
            Ok(Val::list(items))
        }
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn flatten<'a>(list: &List<'a>, depth: i64, items: &mut Vec<Val<'a>>) {
    for item in list.iter() {
        match item {
            Val::List(inner) if depth > 0 => flatten(&inner, depth - 1, items),
            item => items.push(item),
        }
    }
}

fn of_library<'a>(function: &str, values: &[Val<'a>]) -> Evaluated<'a> {
    match (function, values) {
        ("isURL", [Val::Text(text)]) => Ok(Val::Bool(Url::parse(text).is_some())),
        ("url", [Val::Text(text)]) => match Url::parse(text) {
            Some(url) => Ok(Val::Url(Rc::new(url))),
            None => fault(format!(
                "URL parse error during conversion from string: parse {text:?}: invalid URI for request"
            )),
        },
        (_, [Val::Url(url)]) => of_url(function, url),
        ("isQuantity", [Val::Text(text)]) => Ok(Val::Bool(Quantity::parse(text).is_some())),
        ("quantity", [Val::Text(text)]) => match Quantity::parse(text) {
            Some(quantity) => Ok(Val::Quantity(Rc::new(quantity))),
            None => fault(
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
        },
        (_, [Val::Quantity(quantity), rest @ ..]) => of_quantity(function, quantity, rest),
        ("isIP", [Val::Text(text)]) => Ok(Val::Bool(text.parse::<IpAddr>().is_ok())),
        ("ip", [Val::Text(text)]) => match text.parse() {
            Ok(address) => Ok(Val::Ip(address)),
            Err(_) => fault(format!("IP Address {text:?} parse error during conversion from string")),
        },
        ("ip.isCanonical", [Val::Text(text)]) => match text.parse::<IpAddr>() {
            Ok(address) => Ok(Val::Bool(address.to_string() == **text)),
            Err(_) => fault(format!("IP Address {text:?} parse error during conversion from string")),
        },
        (_, [Val::Ip(address)]) => of_address(function, *address),
        ("isCIDR", [Val::Text(text)]) => Ok(Val::Bool(is_cidr(text))),
        ("cidr", [Val::Text(text)]) => cidr(text),
        (_, [Val::Cidr(address, bits), rest @ ..]) => of_cidr(function, *address, *bits, rest),
        ("isSemver", [Val::Text(text), ..]) => Ok(Val::Bool(fbc_version::Version::parse(text).is_ok())),
        ("semver", [Val::Text(text), ..]) => match fbc_version::Version::parse(text) {
            Ok(version) => Ok(Val::Semver(Rc::new(version))),
            Err(error) => fault(error.to_string()),
        },
        (_, [Val::Semver(version), rest @ ..]) => of_version(function, version, rest),
        ("sets.contains", [Val::List(all), Val::List(some)]) => Ok(Val::Bool(includes(all, some))),
        ("sets.equivalent", [Val::List(left), Val::List(right)]) => {
            Ok(Val::Bool(includes(left, right) && includes(right, left)))
        }
        ("sets.intersects", [Val::List(left), Val::List(right)]) => {
            Ok(Val::Bool(left.iter().any(|item| right.iter().any(|other| other.equals(&item)))))
        }
        ("base64.encode", [Val::Bytes(bytes)]) => Ok(Val::text(fbc_yaml::base64::encode(bytes))),
        ("base64.decode", [Val::Text(text)]) => match fbc_yaml::base64::decode(text) {
            Ok(bytes) => Ok(Val::Bytes(Rc::new(bytes))),
            Err(_) => fault("illegal base64 data"),
        },
        (name, values) => match name.strip_prefix("math.") {
            Some(name) => of_numbers(name, values),
            None => Err(NO_SUCH_OVERLOAD),
        },
    }
}

fn includes(all: &List<'_>, some: &List<'_>) -> bool {
    some.iter().all(|item| all.iter().any(|known| known.equals(&item)))
}

fn of_url<'a>(function: &str, url: &Url) -> Evaluated<'a> {
    Ok(match function {
        "getScheme" => Val::text(url.scheme.as_str()),
        "getHost" => Val::text(url.host.as_str()),
        "getHostname" => Val::text(url.hostname()),
        "getPort" => Val::text(url.port()),
        "getEscapedPath" => Val::text(url.escaped_path()),
        "getQuery" => {
            let mut found: Vec<(Val<'a>, Vec<Val<'a>>)> = Vec::new();
            for (name, value) in url.parameters() {
                let name = Val::text(name);
                match found.iter_mut().find(|(known, _)| known.equals(&name)) {
                    Some((_, values)) => values.push(Val::text(value)),
                    None => found.push((name, vec![Val::text(value)])),
                }
            }
            let entries = found.into_iter().map(|(name, values)| (name, Val::list(values))).collect();
            Val::Map(Entries::Built(Rc::new(entries)))
        }
        _ => return Err(NO_SUCH_OVERLOAD),
    })
}

fn of_quantity<'a>(function: &str, quantity: &Quantity, rest: &[Val<'a>]) -> Evaluated<'a> {
    let other = match rest {
        [Val::Quantity(other)] => Some((**other).clone()),
        [Val::Int(number)] => Some(Quantity::whole(*number)),
        _ => None,
    };
    let made = |found: Option<Quantity>| {
        found.map(|found| Val::Quantity(Rc::new(found))).ok_or(Fault(Cow::Borrowed("quantity overflow")))
    };
    match (function, other) {
        ("isInteger", None) => Ok(Val::Bool(quantity.as_whole().is_some())),
        ("asInteger", None) => match quantity.as_whole() {
            Some(number) => Ok(Val::Int(number)),
            None => fault("cannot convert value to integer"),
        },
        ("asApproximateFloat", None) => Ok(Val::Double(quantity.as_double())),
        ("sign", None) => Ok(Val::Int(quantity.sign())),
        ("add", Some(other)) => made(quantity.add(&other)),
        ("sub", Some(other)) => made(quantity.subtract(&other)),
        ("isLessThan", Some(other)) => Ok(Val::Bool(quantity.cmp(&other).is_lt())),
        ("isGreaterThan", Some(other)) => Ok(Val::Bool(quantity.cmp(&other).is_gt())),
        ("compareTo", Some(other)) => Ok(Val::Int(quantity.cmp(&other) as i64)),
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn of_version<'a>(function: &str, version: &fbc_version::Version, rest: &[Val<'a>]) -> Evaluated<'a> {
    let number = |number: u64| Ok(Val::Int(i64::try_from(number).unwrap_or(i64::MAX)));
    match (function, rest) {
        ("major", []) => number(version.major()),
        ("minor", []) => number(version.minor()),
        ("patch", []) => number(version.patch()),
        ("isLessThan", [Val::Semver(other)]) => Ok(Val::Bool(version.compare_precedence(other).is_lt())),
        ("isGreaterThan", [Val::Semver(other)]) => Ok(Val::Bool(version.compare_precedence(other).is_gt())),
        ("compareTo", [Val::Semver(other)]) => Ok(Val::Int(version.compare_precedence(other) as i64)),
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn of_address<'a>(function: &str, address: IpAddr) -> Evaluated<'a> {
    let link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let local_multicast = match address {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    };
    Ok(match function {
        "family" => Val::Int(if address.is_ipv4() { 4 } else { 6 }),
        "isUnspecified" => Val::Bool(address.is_unspecified()),
        "isLoopback" => Val::Bool(address.is_loopback()),
        "isLinkLocalUnicast" => Val::Bool(link_local),
        "isLinkLocalMulticast" => Val::Bool(local_multicast),
        "isGlobalUnicast" => {
            let broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
            let special =
                address.is_unspecified() || address.is_loopback() || address.is_multicast() || link_local;
            Val::Bool(!broadcast && !special)
        }
        _ => return Err(NO_SUCH_OVERLOAD),
    })
}

fn cidr<'a>(text: &str) -> Evaluated<'a> {
    let parts = is_cidr(text).then(|| text.split_once('/')).flatten();
    let found = parts.and_then(|(address, bits)| Some(Val::Cidr(address.parse().ok()?, bits.parse().ok()?)));
    found.map_or_else(|| fault("network address parse error during conversion from string"), Ok)
}

fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            IpAddr::V4((address.to_bits() & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0)).into())
        }
        IpAddr::V6(address) => {
            IpAddr::V6((address.to_bits() & u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0)).into())
        }
    }
}

fn of_cidr<'a>(function: &str, address: IpAddr, bits: u8, rest: &[Val<'a>]) -> Evaluated<'a> {
    let inner = match rest {
        [Val::Text(text)] if function == "containsIP" => match text.parse() {
            Ok(address) => Some((address, u8::MAX)),
            Err(_) => return fault("IP Address parse error during conversion from string"),
        },
        [Val::Text(text)] => match cidr(text)? {
            Val::Cidr(address, bits) => Some((address, bits)),
            _ => None,
        },
        [Val::Ip(address)] => Some((*address, u8::MAX)),
        [Val::Cidr(address, bits)] => Some((*address, *bits)),
        _ => None,
    };
    match (function, inner) {
        ("ip", None) => Ok(Val::Ip(address)),
        ("masked", None) => Ok(Val::Cidr(masked(address, bits), bits)),
        ("prefixLength", None) => Ok(Val::Int(i64::from(bits))),
        ("containsIP" | "containsCIDR", Some((other, other_bits))) => {
            let same_family = address.is_ipv4() == other.is_ipv4();
            Ok(Val::Bool(same_family && other_bits >= bits && masked(other, bits) == masked(address, bits)))
        }
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

fn of_numbers<'a>(function: &str, values: &[Val<'a>]) -> Evaluated<'a> {
    let wanted = match function {
        "greatest" => Some(std::cmp::Ordering::Greater),
        "least" => Some(std::cmp::Ordering::Less),
        _ => None,
    };
    if let Some(wanted) = wanted {
        let all = match values {
            [Val::List(list)] => list.iter().collect(),
            values => values.to_vec(),
        };
        let best = all
            .into_iter()
            .reduce(|best, item| if item.compare(&best) == Some(wanted) { item } else { best });
        return best.ok_or(NO_SUCH_OVERLOAD);
    }
    Ok(match (function, values) {
        ("abs", [Val::Int(number)]) => {
            return number.checked_abs().map(Val::Int).ok_or(Fault(Cow::Borrowed("integer overflow")));
        }
        ("abs", [Val::Double(number)]) => Val::Double(number.abs()),
        ("abs", [Val::Uint(number)]) => Val::Uint(*number),
        ("ceil", [Val::Double(number)]) => Val::Double(number.ceil()),
        ("floor", [Val::Double(number)]) => Val::Double(number.floor()),
        ("round", [Val::Double(number)]) => Val::Double(number.round()),
        ("trunc", [Val::Double(number)]) => Val::Double(number.trunc()),
        ("sign", [Val::Int(number)]) => Val::Int(number.signum()),
        ("sign", [Val::Uint(number)]) => Val::Uint((*number).min(1)),
        ("sign", [Val::Double(number)]) => Val::Double(if *number == 0.0 { 0.0 } else { number.signum() }),
        _ => return Err(NO_SUCH_OVERLOAD),
    })
}
