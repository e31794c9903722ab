//! Numbers that may be written as a share: `3`, or `"40%"` of a total.
//!
//! Source: `kubernetes/apimachinery:pkg/util/intstr/intstr.go` (`GetScaledValueFromIntOrPercent`).

use serde_json::Value;

/// What a text without a percent sign means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlainText {
    /// A number (`openshift/machine-api-operator:pkg/controller/machinehealthcheck`).
    Number,
    /// A mistake.
    Mistake,
}

/// A value that is neither a number nor a share, in the words of Go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// The percent sign is missing.
    #[error("invalid value for IntOrString: invalid type: string is not a percentage")]
    NoShare,
    /// There is no number, or one that is too large.
    #[error(
        "invalid value for IntOrString: invalid value {text:?}: strconv.Atoi: parsing {digits:?}: {cause}"
    )]
    Number {
        /// The value.
        text: String,
        /// What should be a number.
        digits: String,
        /// Why it is not.
        cause: &'static str,
    },
}

/// The number that a value means; shares are rounded down.
///
/// # Errors
/// [`ShareError`]: it is neither a number nor a share.
pub(crate) fn scaled(value: &Value, total: usize, plain: PlainText) -> Result<i64, ShareError> {
    if let Some(number) = value.as_i64() {
        return Ok(number);
    }
    let text = value.as_str().unwrap_or_default();
    let (digits, is_share) = match text.strip_suffix('%') {
        Some(digits) => (digits, true),
        None if plain == PlainText::Number => (text, false),
        None => return Err(ShareError::NoShare),
    };
    let number: i64 = digits.parse().map_err(|_| {
        let unsigned = digits.trim_start_matches(['+', '-']);
        let is_number = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
        let cause = if is_number { "value out of range" } else { "invalid syntax" };
        ShareError::Number { text: text.to_owned(), digits: digits.to_owned(), cause }
    })?;
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    Ok(if is_share { number.saturating_mul(total).div_euclid(100) } else { number })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shares_are_rounded_down() {
        let number = |value: Value, total| scaled(&value, total, PlainText::Mistake);
        assert_eq!(number(json!(3), 10), Ok(3));
        assert_eq!(number(json!("50%"), 5), Ok(2));
        assert_eq!(number(json!("-5%"), 5), Ok(-1));
        assert!(number(json!("3"), 5).unwrap_err().to_string().ends_with("not a percentage"));
        assert!(
            number(json!("99999999999999999999%"), 5)
                .unwrap_err()
                .to_string()
                .ends_with("value out of range")
        );
        assert_eq!(scaled(&json!("3"), 5, PlainText::Number), Ok(3));
    }
}
