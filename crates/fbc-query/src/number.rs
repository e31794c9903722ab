//! Numbers as jq writes them: the fewest digits that give the number back, and no fraction where there is none.

use std::fmt::Write as _;

use jaq_json::Num;

/// Appends a number. What JSON has no number for becomes what jq makes of it: null and the largest ones.
pub(super) fn append(out: &mut Vec<u8>, number: &Num) {
    let text = match number {
        Num::Int(_) | Num::BigInt(_) => number.to_string(),
        Num::Float(float) => of_float(*float),
        Num::Dec(decimal) => decimal.parse().map_or_else(|_| decimal.to_string(), of_float),
    };
    out.extend_from_slice(text.as_bytes());
}

/// A float as jq 1.6 and later print it.
fn of_float(float: f64) -> String {
    if float.is_nan() {
        return "null".to_owned();
    }
    let float = float.clamp(f64::MIN, f64::MAX);
    let scientific = format!("{:e}", float.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    // The place of the decimal point, counted from before the first digit.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = digits.len() as i32;
    let mut text = if float.is_sign_negative() { "-".to_owned() } else { String::new() };
    let at = usize::try_from(point).unwrap_or_default();
    if point <= -4 || point > count + 15 {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        let sign = if point > 0 { '+' } else { '-' };
        let dot = if rest.is_empty() { "" } else { "." };
        // A text takes whatever is written to it.
        let _ = write!(text, "{first}{dot}{rest}e{sign}{:02}", (point - 1).abs());
    } else if point <= 0 {
        let zeros = usize::try_from(-point).unwrap_or_default();
        text.push_str("0.");
        text.extend(std::iter::repeat_n('0', zeros));
        text.push_str(&digits);
    } else if let Some((whole, fraction)) = digits.split_at_checked(at).filter(|parts| !parts.1.is_empty()) {
        let _ = write!(text, "{whole}.{fraction}");
    } else {
        text.push_str(&digits);
        text.extend(std::iter::repeat_n('0', at.saturating_sub(digits.len())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What jq 1.6 printed.
    #[test]
    fn numbers_as_jq_prints_them() {
        for (float, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (3.0, "3"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1.234e-5, "1.234e-05"),
            (-1e-7, "-1e-07"),
            (1e15, "1000000000000000"),
            (1e16, "1e+16"),
            (1.5e17, "1.5e+17"),
            (123_456_789_012_345_680.0, "123456789012345680"),
            (1.5e300, "1.5e+300"),
            (1234.5, "1234.5"),
            (f64::INFINITY, "1.7976931348623157e+308"),
            (f64::NAN, "null"),
        ] {
            assert_eq!(of_float(float), text, "{float}");
        }
    }
}
