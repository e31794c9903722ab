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

/// The number that a value means; shares are rounded down.
///
/// # Errors
/// Go's text about a value that is neither a number nor a share.
pub(crate) fn scaled(value: &Value, total: usize, plain: PlainText) -> Result<i64, String> {
    if let Some(number) = value.as_i64() {
        return Ok(number);
    }
    let text = value.as_str().unwrap_or_default();
    let (digits, is_share) = match text.strip_suffix('%') {
        Some(digits) => (digits, true),
        None if plain == PlainText::Number => (text, false),
        None => return Err("invalid value for IntOrString: invalid type: string is not a percentage".into()),
    };
    let number: i64 = digits.parse().map_err(|_| {
        let unsigned = digits.trim_start_matches(['+', '-']);
        let is_number = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
        let cause = if is_number { "value out of range" } else { "invalid syntax" };
        format!(
            "invalid value for IntOrString: invalid value {text:?}: strconv.Atoi: parsing {digits:?}: {cause}"
        )
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
        assert!(number(json!("3"), 5).unwrap_err().ends_with("not a percentage"));
        assert!(number(json!("99999999999999999999%"), 5).unwrap_err().ends_with("value out of range"));
        assert_eq!(scaled(&json!("3"), 5, PlainText::Number), Ok(3));
    }
}
