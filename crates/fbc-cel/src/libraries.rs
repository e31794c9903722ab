//! Kubernetes' libraries and those of sets and numbers.
//!
//! Source: `kubernetes/apiserver:pkg/cel/library`, `google/cel-go:ext`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use fbc_kubernetes::quantity::Quantity;

use super::budget::{Evaluation, Fault};
use super::evaluate::{Evaluated, NO_SUCH_OVERLOAD, fault};
use super::url::{Url, is_cidr};
use super::value::{Entries, Val};

/// Calls a function of a library.
pub(crate) fn call<'a>(evaluation: &Evaluation, function: &str, values: &[Val<'a>]) -> Evaluated<'a> {
    match (function, values) {
        ("isURL", [Val::Text(text)]) => Ok(Val::Bool(Url::parse(text).is_some())),
        ("url", [Val::Text(text)]) => match Url::parse(text) {
            Some(url) => Ok(Val::Url(Rc::new(url))),
            None => fault(format!(
                "URL parse error during conversion from string: parse {text:?}: invalid URI for request"
            )),
        },
        (_, [Val::Url(url)]) => of_url(function, url),
        ("isQuantity", [Val::Text(text)]) => Ok(Val::Bool(Quantity::parse(text).is_ok())),
        ("quantity", [Val::Text(text)]) => match Quantity::parse(text) {
            Ok(quantity) => Ok(Val::Quantity(quantity)),
            Err(_) => fault(
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
        ("lists.range", [Val::Int(count)]) => {
            evaluation.work(usize::try_from(*count).unwrap_or_default())?;
            Ok(Val::list((0..*count).map(Val::Int).collect()))
        }
        ("sets.contains" | "sets.equivalent" | "sets.intersects", [Val::List(left), Val::List(right)]) => {
            Ok(Val::Bool(match function {
                "sets.contains" => right.is_within(left, evaluation)?,
                "sets.equivalent" => {
                    right.is_within(left, evaluation)? && left.is_within(right, evaluation)?
                }
                _ => left.meets(right, evaluation)?,
            }))
        }
        ("base64.encode", [Val::Bytes(bytes)]) => Ok(Val::text(fbc_go::base64::encode(bytes))),
        ("base64.decode", [Val::Text(text)]) => match fbc_go::base64::decode(text) {
            Ok(bytes) => Ok(Val::bytes(bytes)),
            Err(_) => fault("illegal base64 data"),
        },
        ("jsonpatch.escapeKey", [Val::Text(text)]) => {
            Ok(Val::text(text.replace('~', "~0").replace('/', "~1")))
        }
        (name, values) => match name.strip_prefix("math.") {
            Some(name) => of_numbers(name, values),
            None => Err(NO_SUCH_OVERLOAD),
        },
    }
}

fn of_url<'a>(function: &str, url: &Url) -> Evaluated<'a> {
    Ok(match function {
        "getScheme" => Val::text(url.scheme.as_str()),
        "getHost" => Val::text(url.host.as_str()),
        "getHostname" => Val::text(url.hostname()),
        "getPort" => Val::text(url.port()),
        "getEscapedPath" => Val::text(url.escaped_path()),
        "getQuery" => {
            let mut found: BTreeMap<String, Vec<Val<'a>>> = BTreeMap::new();
            for (name, value) in url.parameters() {
                found.entry(name).or_default().push(Val::text(value));
            }
            let entries =
                found.into_iter().map(|(name, values)| (Val::text(name), Val::list(values))).collect();
            Val::Map(Entries::Built(Rc::new(entries)))
        }
        _ => return Err(NO_SUCH_OVERLOAD),
    })
}

fn of_quantity<'a>(function: &str, quantity: &Quantity, rest: &[Val<'a>]) -> Evaluated<'a> {
    let other = match rest {
        [Val::Quantity(other)] => Some(*other),
        [Val::Int(number)] => Some(Quantity::whole(*number)),
        _ => None,
    };
    let made =
        |found: Option<Quantity>| found.map(Val::Quantity).ok_or(Fault(Cow::Borrowed("quantity overflow")));
    match (function, other) {
        ("isInteger", None) => Ok(Val::Bool(quantity.as_whole().is_some())),
        ("asInteger", None) => match quantity.as_whole() {
            Some(number) => Ok(Val::Int(number)),
            None => fault("cannot convert value to integer"),
        },
        ("asApproximateFloat", None) => Ok(Val::Double(quantity.as_double())),
        ("sign", None) => Ok(Val::Int(quantity.sign())),
        ("add", Some(other)) => made(quantity.checked_add(&other)),
        ("sub", Some(other)) => made(quantity.checked_sub(&other)),
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
