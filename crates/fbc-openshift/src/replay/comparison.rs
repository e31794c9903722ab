//! Whether two values of a field say the same.

use serde_json::Value;

use super::Time;
use super::case::without_order;
use super::projection::seconds;

/// True if two values are equal but for times that are off by this much, and parts that are random.
pub(super) fn is_equal(ours: &Value, theirs: &Value, slack: Time) -> bool {
    match (ours, theirs) {
        (_, Value::String(text)) if text == "<uid>" => true,
        (Value::String(ours), Value::String(theirs)) => match (seconds(ours), seconds(theirs)) {
            (Some(ours), Some(theirs)) => (ours - theirs).abs() * 1000 <= slack + 1000,
            _ => ours == theirs || without_order(ours) == without_order(theirs),
        },
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(one, other)| is_equal(one, other, slack))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            // Recordings of some kinds show conditions without their times.
            let counts = |name: &&String| *name != "lastTransitionTime" || theirs.contains_key(*name);
            let counted = ours.keys().filter(counts).count();
            counted == theirs.len()
                && theirs
                    .iter()
                    .all(|(name, value)| ours.get(name).is_some_and(|one| is_equal(one, value, slack)))
        }
        _ => ours == theirs,
    }
}
