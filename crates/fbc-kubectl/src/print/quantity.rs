//! Amounts of resources: `100m`, `64Mi`, `4`.

use serde_json::Value;

/// An amount in thousandths, and how it is written.
///
/// Amounts below a thousandth are rounded up, as Kubernetes does for `m`; sums keep the form of the first amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quantity {
    /// The amount in thousandths.
    pub(crate) thousandths: i128,
    binary: bool,
}

const BINARY: [(&str, u32); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];
const DECIMAL: [(&str, u32); 6] = [("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

impl Quantity {
    /// Reads a number or text of an object; what is not an amount reads as 0.
    pub(crate) fn of(value: Option<&Value>) -> Self {
        match value {
            Some(Value::String(text)) => Self::parse(text).unwrap_or_default(),
            Some(Value::Number(number)) => Self::parse(&number.to_string()).unwrap_or_default(),
            _ => Self::default(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let binary = BINARY.iter().find(|(name, _)| *name == suffix);
        let factor = match (suffix, binary) {
            ("", _) => 1000,
            ("m", _) => 1,
            (_, Some((_, power))) => 1000 << power,
            _ => 1000 * 10i128.pow(DECIMAL.iter().find(|(name, _)| *name == suffix)?.1),
        };
        let product = digits.checked_mul(factor)?;
        let rounded = product.div_euclid(scale) + i128::from(product.rem_euclid(scale) != 0);
        Some(Self { thousandths: rounded, binary: binary.is_some() })
    }

    /// The sum of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        let binary = if self.thousandths == 0 { other.binary } else { self.binary };
        Self { thousandths: self.thousandths.saturating_add(other.thousandths), binary }
    }

    /// The larger of both.
    pub(crate) fn max(self, other: Self) -> Self {
        if other.thousandths > self.thousandths { other } else { self }
    }

    /// Whole hundredths of another amount, 0 if that is 0.
    pub(crate) fn percent_of(self, whole: Self) -> i128 {
        if whole.thousandths == 0 { 0 } else { self.thousandths.saturating_mul(100) / whole.thousandths }
    }

    /// The amount in its canonical form.
    ///
    /// Source: `kubernetes/apimachinery:pkg/api/resource/quantity.go`.
    pub(crate) fn text(self) -> String {
        if self.thousandths % 1000 != 0 {
            return format!("{}m", self.thousandths);
        }
        let whole = self.thousandths / 1000;
        if whole == 0 {
            return "0".to_owned();
        }
        let (suffix, number) = if self.binary {
            let fitting = BINARY.iter().rev().find(|(_, power)| whole % (1 << power) == 0);
            fitting.map_or(("", whole), |(suffix, power)| (*suffix, whole / (1 << power)))
        } else {
            let fitting = DECIMAL.iter().rev().find(|(_, power)| whole % 10i128.pow(*power) == 0);
            fitting.map_or(("", whole), |(suffix, power)| (*suffix, whole / 10i128.pow(*power)))
        };
        format!("{number}{suffix}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            (vec![json!("words")], "0"),
        ] {
            let sum = amounts
                .iter()
                .map(|value| Quantity::of(Some(value)))
                .fold(Quantity::default(), Quantity::plus);
            assert_eq!(sum.text(), expected);
        }
        assert_eq!(Quantity::of(Some(&json!("100m"))).percent_of(Quantity::of(Some(&json!("4")))), 2);
    }
}
