//! Quantities as texts: reading them, and the form in which Go writes them.

/// A text that is not a quantity. Texts are the reference's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Not a number with a suffix.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// An unknown suffix.
    #[error("unable to parse quantity's suffix")]
    Suffix,
    /// More digits than can be told apart.
    #[error("unable to parse numeric part of quantity")]
    Number,
}

/// How an amount is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Style {
    /// `100m`, `2k`
    #[default]
    Decimal,
    /// `1e3`
    Exponent,
    /// `64Mi`
    Binary,
}

/// Suffixes of powers of ten.
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

/// Suffixes of powers of two.
const BINARY: [(&str, u32); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

/// The smallest power of ten that is told apart.
pub(super) const NANO: i32 = -9;

/// The digits that an int64 surely holds.
const SAFE_DIGITS: i64 = 18;

/// The parts of a quantity's text.
struct Parts<'t> {
    negative: bool,
    /// Digits before the point, without leading zeros.
    whole: &'t str,
    /// Digits behind the point.
    fraction: &'t str,
    suffix: &'t str,
}

/// The text that Go writes for a quantity.
///
/// # Errors
/// The text is not a quantity.
pub fn canonical_quantity(text: &str) -> Result<String, QuantityError> {
    if text == "0" {
        return Ok("0".to_owned());
    }
    let parts = parts(text)?;
    let (style, exponent) = interpret(parts.suffix)?;
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let value: i128 =
        if digits.is_empty() { 0 } else { digits.parse().map_err(|_| QuantityError::Number)? };
    if keeps_its_text(&parts, &digits, value, style, exponent) {
        return Ok(text.to_owned());
    }
    let (mantissa, scale) = scaled(&parts, value, style, exponent)?;
    written(parts.negative, mantissa, scale, style).ok_or(QuantityError::Number)
}

/// Reads a text: whether it is negative, a whole number, the power of ten that this counts, and how it is written.
pub(super) fn read(text: &str) -> Result<(bool, i128, i32, Style), QuantityError> {
    let parts = parts(text)?;
    let (style, exponent) = interpret(parts.suffix)?;
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let value = digits.parse().map_err(|_| QuantityError::Number)?;
    let (mantissa, scale) = scaled(&parts, value, style, exponent)?;
    Ok((parts.negative, mantissa, scale, style))
}

/// The amount as a whole number and the power of ten that this counts, at least [`NANO`].
fn scaled(parts: &Parts<'_>, value: i128, style: Style, exponent: i32) -> Result<(i128, i32), QuantityError> {
    let mut scale = -i32::try_from(parts.fraction.len()).map_err(|_| QuantityError::Number)?;
    let mut mantissa = value;
    if style == Style::Binary {
        let factor = 1i128.checked_shl(exponent.unsigned_abs()).ok_or(QuantityError::Number)?;
        mantissa = mantissa.checked_mul(factor).ok_or(QuantityError::Number)?;
    } else {
        scale = scale.checked_add(exponent).ok_or(QuantityError::Number)?;
    }
    // Smaller parts than a billionth are rounded away from zero.
    while scale < NANO && mantissa != 0 {
        mantissa = mantissa / 10 + i128::from(mantissa % 10 != 0);
        scale += 1;
    }
    Ok((mantissa, scale))
}

/// The canonical text of an amount; nothing if it has too many digits.
pub(super) fn written(negative: bool, mut mantissa: i128, mut scale: i32, style: Style) -> Option<String> {
    if mantissa == 0 {
        return Some("0".to_owned());
    }
    while mantissa % 10 == 0 {
        mantissa /= 10;
        scale += 1;
    }
    let sign = if negative { "-" } else { "" };
    if style == Style::Binary
        && let Some(text) = binary(mantissa, scale)
    {
        return Some(format!("{sign}{text}"));
    }
    while scale.rem_euclid(3) != 0 {
        mantissa = mantissa.checked_mul(10)?;
        scale -= 1;
    }
    let suffix = match style {
        Style::Exponent if scale == 0 => String::new(),
        Style::Exponent => format!("e{scale}"),
        _ => DECIMAL.iter().find(|(_, exponent)| *exponent == scale).map_or("", |(name, _)| name).to_owned(),
    };
    Some(format!("{sign}{mantissa}{suffix}"))
}

/// Whether Go keeps the text because it looks canonical; it looks at the digits only.
fn keeps_its_text(parts: &Parts<'_>, digits: &str, value: i128, style: Style, exponent: i32) -> bool {
    let length = digits.len() as i64;
    if style == Style::Binary {
        let room = 15 - parts.whole.len() as i64 - i64::from(exponent) * 3 / 10 - 1;
        return parts.fraction.is_empty() && room >= 0 && value & 7 != 0;
    }
    let scale = i64::from(exponent) - parts.fraction.len() as i64;
    length <= SAFE_DIGITS
        && scale >= i64::from(NANO)
        && scale % 3 == 0
        && !digits.ends_with("000")
        && !digits.starts_with('0')
}

/// A whole number of at least 1024 with the largest suffix that leaves it whole.
fn binary(mantissa: i128, scale: i32) -> Option<String> {
    let mut value =
        mantissa.checked_mul(10i128.checked_pow(u32::try_from(scale).ok()?)?)?.min(i128::from(i64::MAX));
    if value < 1024 {
        return None;
    }
    let mut power = 0;
    while value % 1024 == 0 {
        value /= 1024;
        power += 10;
    }
    let suffix = BINARY.iter().find(|(_, exponent)| *exponent == power).map_or("", |(name, _)| name);
    Some(format!("{value}{suffix}"))
}

fn parts(text: &str) -> Result<Parts<'_>, QuantityError> {
    let (negative, rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let is_digit = |c: char| c.is_ascii_digit();
    let (before, rest) = split_while(rest, is_digit);
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => split_while(rest, is_digit),
        None => ("", rest),
    };
    if before.is_empty() && fraction.is_empty() {
        return Err(QuantityError::Format);
    }
    let (_, exponent) = split_while(suffix, |c| "eEinumkKMGTP".contains(c));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if !exponent.chars().all(is_digit) {
        return Err(QuantityError::Format);
    }
    let stripped = before.trim_start_matches('0');
    let whole = if stripped.is_empty() { "0" } else { stripped };
    Ok(Parts { negative, whole, fraction, suffix })
}

fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !keep(c)).unwrap_or(text.len()))
}

fn interpret(suffix: &str) -> Result<(Style, i32), QuantityError> {
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Ok((Style::Decimal, *exponent));
    }
    if let Some((_, exponent)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Ok((Style::Binary, *exponent as i32));
    }
    let exponent =
        suffix.strip_prefix(['e', 'E']).filter(|rest| !rest.is_empty()).ok_or(QuantityError::Suffix)?;
    let exponent: i32 = exponent.parse().map_err(|_| QuantityError::Suffix)?;
    Ok((Style::Exponent, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_take_the_form_that_go_writes() {
        for (text, expected) in [
            ("0", "0"),
            ("0m", "0"),
            ("000", "0"),
            ("1", "1"),
            ("+1", "+1"),
            ("-1", "-1"),
            ("-1000m", "-1"),
            ("100m", "100m"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("0.5", "500m"),
            ("1.5", "1500m"),
            (".5", "500m"),
            ("1.", "1."),
            ("0.0000000001", "1n"),
            ("1000", "1k"),
            ("10000", "10k"),
            ("1e3", "1e3"),
            ("12e2", "1200"),
            ("1E", "1E"),
            ("512Mi", "512Mi"),
            ("1024Mi", "1Gi"),
            ("1500Mi", "1500Mi"),
            ("1000Mi", "1000Mi"),
            ("1.5Gi", "1536Mi"),
            ("1.2Gi", "1288490188800m"),
            ("0.5Ki", "512"),
            ("1024Ki", "1Mi"),
            ("128974848", "128974848"),
            ("129M", "129M"),
        ] {
            assert_eq!(canonical_quantity(text).as_deref(), Ok(expected), "{text}");
        }
        for (text, error) in [
            ("", QuantityError::Format),
            ("Mi", QuantityError::Format),
            ("1 Gi", QuantityError::Format),
            ("1GB", QuantityError::Format),
            ("1mi", QuantityError::Suffix),
            ("1e", QuantityError::Suffix),
        ] {
            assert_eq!(canonical_quantity(text), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn canonical_forms_stay(text in "[+-]?[0-9]{1,5}(\\.[0-9]{1,4})?(n|u|m|k|M|G|Ki|Mi|Gi|e[0-9])?") {
            let once = canonical_quantity(&text).unwrap();
            prop_assert_eq!(canonical_quantity(&once).unwrap(), once);
        }

        #[test]
        fn any_text_has_an_answer(text in "\\PC{0,12}") {
            let _ = canonical_quantity(&text);
        }
    }
}
