//! Quantities: decimal numbers with a suffix such as `Mi`, as exact fractions of a nano unit.

use std::cmp::Ordering;

/// A quantity as a whole number of nano units, as far as 128 bits carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quantity {
    nanos: i128,
}

const NANOS: i128 = 1_000_000_000;

impl Quantity {
    /// Reads `500m`, `1.5Gi`, `1e3`.
    ///
    /// Source: `kubernetes/apimachinery:pkg/api/resource/quantity.go`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let digits = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, suffix) = unsigned.split_at_checked(digits)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty()
            || fraction.contains('.')
            || fraction.len() > 30
            || whole.len() > 25
        {
            return None;
        }
        let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = i32::try_from(fraction.len()).ok()?;
        let (numerator, exponent) = match suffix {
            "n" => (1, -9),
            "u" => (1, -6),
            "m" => (1, -3),
            "" => (1, 0),
            "k" => (1, 3),
            "M" => (1, 6),
            "G" => (1, 9),
            "T" => (1, 12),
            "P" => (1, 15),
            "E" => (1, 18),
            "Ki" => (1i128 << 10, 0),
            "Mi" => (1 << 20, 0),
            "Gi" => (1 << 30, 0),
            "Ti" => (1 << 40, 0),
            "Pi" => (1 << 50, 0),
            "Ei" => (1 << 60, 0),
            _ => (1, suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?),
        };
        let power = exponent.checked_sub(scale)?.checked_add(9)?;
        let mantissa = mantissa.checked_mul(numerator)?;
        let factor = 10i128.checked_pow(power.unsigned_abs())?;
        // What is smaller than a nano unit is rounded up, as in the reference.
        let nanos = if power >= 0 { mantissa.checked_mul(factor)? } else { (mantissa + factor - 1) / factor };
        Some(Self { nanos: if text.starts_with('-') { -nanos } else { nanos } })
    }

    pub(crate) fn whole(number: i64) -> Self {
        Self { nanos: i128::from(number) * NANOS }
    }

    pub(crate) fn as_whole(&self) -> Option<i64> {
        (self.nanos % NANOS == 0).then(|| i64::try_from(self.nanos / NANOS).ok()).flatten()
    }

    /// In thousandths, rounded up, as processors are counted.
    pub(crate) fn thousandths(&self) -> i64 {
        self.rounded_up(NANOS / 1000)
    }

    /// In whole units, rounded up.
    pub(crate) fn units(&self) -> i64 {
        self.rounded_up(NANOS)
    }

    fn rounded_up(&self, unit: i128) -> i64 {
        let rest = self.nanos.rem_euclid(unit);
        let whole = self.nanos.div_euclid(unit) + i128::from(rest > 0);
        i64::try_from(whole).unwrap_or(i64::MAX)
    }

    pub(crate) fn as_double(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the result is an approximation by name")]
        let nanos = self.nanos as f64;
        nanos / 1e9
    }

    pub(crate) fn sign(&self) -> i64 {
        i64::try_from(self.nanos.signum()).unwrap_or_default()
    }

    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        self.nanos.checked_add(other.nanos).map(|nanos| Self { nanos })
    }

    pub(crate) fn subtract(&self, other: &Self) -> Option<Self> {
        self.nanos.checked_sub(other.nanos).map(|nanos| Self { nanos })
    }

    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        for (left, right) in
            [("1", "1000m"), ("1Gi", "1024Mi"), ("1e3", "1k"), ("-0.5", "-500m"), ("1.5Ki", "1536")]
        {
            assert_eq!(Quantity::parse(left), Quantity::parse(right), "{left}");
            assert!(Quantity::parse(left).is_some());
        }
        for text in ["", "x", "1x", "1.2.3", ".", "1e", "99999999999999999999999999Ei"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
        assert_eq!(Quantity::parse("3k").and_then(|quantity| quantity.as_whole()), Some(3000));
    }
}
