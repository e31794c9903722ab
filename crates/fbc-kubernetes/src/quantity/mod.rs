//! Quantities: amounts of resources, exact to a billionth.
//!
//! Source of the behaviour: `kubernetes/apimachinery:pkg/api/resource/quantity.go` and `suffix.go`.

mod text;

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

use self::text::{NANO, Style, read, written};
pub use self::text::{QuantityError, canonical_quantity};

/// An amount: a whole number of billionths, as far as 128 bits carry it, and how it is written.
///
/// Amounts are equal however they are written. A sum is written as its first part, unless that is zero.
///
/// ```
/// use fbc_kubernetes::quantity::Quantity;
///
/// let amount = |text| Quantity::parse(text);
/// assert_eq!(amount("1Gi"), amount("1024Mi"));
/// let sum = amount("64Mi")?.checked_add(&amount("64Mi")?);
/// assert_eq!(sum.map(|sum| sum.to_string()), Some("128Mi".to_owned()));
/// # Ok::<(), fbc_kubernetes::quantity::QuantityError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Quantity {
    nanos: i128,
    style: Style,
}

const NANOS: i128 = 1_000_000_000;

impl Quantity {
    /// Reads `500m`, `1.5Gi`, `1e3`. What is smaller than a billionth is rounded away from zero.
    ///
    /// # Errors
    /// The text is not a quantity, or more than 128 bits carry.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let (is_negative, mantissa, scale, style) = read(text)?;
        let factor = match mantissa {
            0 => Some(0),
            _ => u32::try_from(scale - NANO).ok().and_then(|power| 10i128.checked_pow(power)),
        };
        let nanos = factor.and_then(|factor| mantissa.checked_mul(factor)).ok_or(QuantityError::Number)?;
        Ok(Self { nanos: if is_negative { -nanos } else { nanos }, style })
    }

    /// Reads the text or the number of an object; nothing if it is neither, or not a quantity.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::parse(text).ok(),
            Value::Number(number) => Self::parse(&number.to_string()).ok(),
            _ => None,
        }
    }

    /// A number of units.
    #[must_use]
    pub fn whole(number: i64) -> Self {
        Self { nanos: i128::from(number) * NANOS, style: Style::Decimal }
    }

    /// The number of units, if it is a whole one.
    #[must_use]
    pub fn as_whole(&self) -> Option<i64> {
        (self.nanos % NANOS == 0).then(|| i64::try_from(self.nanos / NANOS).ok()).flatten()
    }

    /// In thousandths, rounded up, as processors are counted.
    #[must_use]
    pub fn thousandths(&self) -> i64 {
        self.rounded_up(NANOS / 1000)
    }

    /// In whole units, rounded up.
    #[must_use]
    pub fn units(&self) -> i64 {
        self.rounded_up(NANOS)
    }

    fn rounded_up(&self, unit: i128) -> i64 {
        let rest = self.nanos.rem_euclid(unit);
        let whole = self.nanos.div_euclid(unit) + i128::from(rest > 0);
        i64::try_from(whole).unwrap_or(i64::MAX)
    }

    /// The nearest floating number.
    #[must_use]
    pub fn as_double(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the result is an approximation by name")]
        let nanos = self.nanos as f64;
        nanos / 1e9
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn sign(&self) -> i64 {
        i64::try_from(self.nanos.signum()).unwrap_or_default()
    }

    /// The sum; nothing if it is too large.
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let style = if self.nanos == 0 { other.style } else { self.style };
        self.nanos.checked_add(other.nanos).map(|nanos| Self { nanos, style })
    }

    /// The difference; nothing if it is too large.
    #[must_use]
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        let style = if self.nanos == 0 { other.style } else { self.style };
        self.nanos.checked_sub(other.nanos).map(|nanos| Self { nanos, style })
    }

    /// The sum, or the first amount if the sum is too large.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.checked_add(&other).unwrap_or(self)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl fmt::Display for Quantity {
    /// The canonical form, as `String()` of the reference.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_negative = self.nanos < 0;
        match written(is_negative, self.nanos.abs(), NANO, self.style) {
            Some(text) => formatter.write_str(&text),
            None => write!(formatter, "{}n", self.nanos),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn quantities_are_exact() {
        for (left, right) in
            [("1", "1000m"), ("1Gi", "1024Mi"), ("1e3", "1k"), ("-0.5", "-500m"), ("1.5Ki", "1536")]
        {
            assert_eq!(Quantity::parse(left), Quantity::parse(right), "{left}");
            assert!(Quantity::parse(left).is_ok());
        }
        for text in ["", "x", "1x", "1.2.3", ".", "1e", "99999999999999999999999999Ei"] {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
        assert_eq!(Quantity::parse("3k").map(|quantity| quantity.as_whole()), Ok(Some(3000)));
        assert_eq!(Quantity::parse("0e9").map(|quantity| quantity.units()), Ok(0));
    }

    #[test]
    fn amounts_are_read_added_and_written() {
        for (amounts, expected) in [
            (vec![json!("100m")], "100m"),
            (vec![json!("100m"), json!("0.9")], "1"),
            (vec![json!("64Mi"), json!("64Mi")], "128Mi"),
            (vec![json!("1Gi"), json!("1Mi")], "1025Mi"),
            (vec![json!(2), json!("1")], "3"),
            (vec![json!("2000")], "2k"),
            (vec![json!("0")], "0"),
            (vec![json!("0"), json!("1024Ki")], "1Mi"),
            (vec![json!("1e0"), json!("1")], "2"),
            (vec![json!("1u"), json!("1n")], "1001n"),
            (vec![json!("words")], "0"),
        ] {
            let sum =
                amounts.iter().filter_map(Quantity::from_json).fold(Quantity::default(), Quantity::plus);
            assert_eq!(sum.to_string(), expected, "{amounts:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same(text in "[+-]?[0-9]{1,5}(\\.[0-9]{1,4})?(n|u|m|k|M|G|Ki|Mi|Gi|e[0-9])?") {
            let amount = Quantity::parse(&text).unwrap();
            prop_assert_eq!(Quantity::parse(&amount.to_string()).unwrap(), amount);
            let canonical = canonical_quantity(&text).unwrap();
            prop_assert_eq!(Quantity::parse(&canonical).unwrap(), amount);
        }
    }
}
