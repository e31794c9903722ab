//! SARIF logs of one run each, which become one run.

use serde_json::{Value, json};

use super::{MergeError, Merged, Part};

/// The shard that a log names.
pub(super) fn shard_of(log: &Value) -> Option<&str> {
    log["runs"][0]["properties"]["shard"].as_str()
}

pub(super) fn merge(parts: Vec<Part<Value>>) -> Result<Merged, MergeError> {
    let mut results = Vec::new();
    let (mut has_errors, mut has_warnings) = (false, false);
    let mut whole: Option<Value> = None;
    let mut limit = usize::MAX;
    for Part { shown, content: mut log, .. } in parts {
        let run = match log["runs"].as_array_mut().map(Vec::as_mut_slice) {
            Some([run]) if run["results"].is_array() => run,
            _ => return Err(MergeError::NoRun(shown)),
        };
        if run["results"].as_array().into_iter().flatten().any(|result| !result.is_object()) {
            return Err(MergeError::NoObject(shown));
        }
        // Shards count findings that they do not show.
        let counts = |field: &str| run["properties"][field].as_u64().is_some_and(|count| count > 0);
        has_errors |= counts("errors");
        has_warnings |= counts("warnings");
        let most = run["properties"]["maxFindings"].as_u64().and_then(|most| usize::try_from(most).ok());
        limit = limit.min(most.unwrap_or(usize::MAX));
        if let Value::Array(more) = run["results"].take() {
            results.extend(more);
        }
        if let Some(run) = run.as_object_mut() {
            run.remove("properties");
        }
        match &whole {
            None => whole = Some(log),
            Some(first) if *first != log => {
                return Err(MergeError::OtherVersion(shown));
            }
            Some(_) => {}
        }
    }
    let is_suppressed = |result: &Value| result["suppressions"].as_array().is_some_and(|all| !all.is_empty());
    let (suppressed, mut counted): (Vec<Value>, Vec<Value>) = results.into_iter().partition(is_suppressed);
    if !suppressed.is_empty() {
        // Either every result of a run says whether it is suppressed, or none does.
        counted.iter_mut().for_each(|result| result["suppressions"] = json!([]));
    }
    let has = |level: &str| counted.iter().any(|result| result["level"] == level);
    has_errors |= has("error");
    has_warnings |= has("warning");
    counted.truncate(limit);
    counted.extend(suppressed);
    let mut whole = whole.unwrap_or_default();
    whole["runs"][0]["results"] = Value::Array(counted);
    let text = serde_json::to_string_pretty(&whole)?;
    Ok(Merged { text: text + "\n", has_errors, has_warnings })
}
