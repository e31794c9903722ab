//! Reports of several runs as the one that a single run would have written.
//!
//! Parts of a run name their shard, are put in its order, and must be complete; reports without shards stay in the
//! order in which they are given.

use serde_json::Value;

use fbc_app::shard::Shard;

mod error;
mod json;
mod junit;
mod object;
mod sarif;

pub use error::MergeError;
use json::Kind;
use object::Object;

/// A report to be merged.
pub struct Part<T> {
    /// How it is called in errors.
    pub shown: String,
    /// Which part of a run it is.
    shard: Option<Shard>,
    /// What it says.
    pub content: T,
}

/// One report.
#[derive(Debug)]
pub struct Merged {
    /// Its text.
    pub text: String,
    /// Whether there are errors in it, or what simulations take for a failure.
    pub has_errors: bool,
    /// Whether there are warnings in it.
    pub has_warnings: bool,
}

/// What a text is.
enum Report {
    Sarif(Value),
    Json(&'static Kind, Object),
    JUnit(junit::Suites),
}

impl Report {
    fn kind(&self) -> &'static str {
        match self {
            Self::Sarif(_) => "SARIF",
            Self::Json(kind, _) => kind.name,
            Self::JUnit(_) => "JUnit",
        }
    }
}

/// Merges reports, each with the name of its file.
///
/// # Errors
/// What is wrong with one of them, or with all together.
pub fn merge(texts: Vec<(String, String)>) -> Result<Merged, MergeError> {
    let mut parts =
        texts.into_iter().map(|(shown, text)| read(shown, &text)).collect::<Result<Vec<_>, _>>()?;
    put_in_order(&mut parts)?;
    let Some(first) = parts.first() else { return Err(MergeError::Nothing) };
    let kind = first.content.kind();
    if let Some(other) = parts.iter().find(|part| part.content.kind() != kind) {
        let (first, other_kind) = (first.shown.clone(), other.content.kind());
        return Err(MergeError::Kinds { first, kind, other: other.shown.clone(), other_kind });
    }
    let (mut sarif, mut json, mut junit) = (Vec::new(), Vec::new(), Vec::new());
    let mut json_kind = None;
    for Part { shown, shard, content } in parts {
        match content {
            Report::Sarif(content) => sarif.push(Part { shown, shard, content }),
            Report::JUnit(content) => junit.push(Part { shown, shard, content }),
            Report::Json(kind, content) => {
                json_kind = Some(kind);
                json.push(Part { shown, shard, content });
            }
        }
    }
    match json_kind {
        Some(kind) => kind.merge(&json),
        None if junit.is_empty() => sarif::merge(sarif),
        None => Ok(junit::merge(&junit)),
    }
}

fn read(shown: String, text: &str) -> Result<Part<Report>, MergeError> {
    let unknown = || MergeError::Unknown(shown.clone());
    let (content, shard) = if text.trim_start().starts_with('<') {
        let (suites, shard) = junit::read(text).ok_or_else(unknown)?;
        (Report::JUnit(suites), shard)
    } else {
        let object: Object = serde_json::from_str(text).map_err(|_| unknown())?;
        if object.get("version").is_some() && object.get("runs").is_some() {
            let log: Value = serde_json::from_str(text).map_err(|_| unknown())?;
            let shard = sarif::shard_of(&log).map(str::to_owned);
            (Report::Sarif(log), shard)
        } else {
            let kind = Kind::from_object(&object).ok_or_else(unknown)?;
            let shard = object.get("shard").and_then(|shard| serde_json::from_str(shard.get()).ok());
            (Report::Json(kind, object), shard)
        }
    };
    let shard = shard.map(|text: String| text.parse()).transpose();
    let shard = shard.map_err(|error| MergeError::Shard { shown: shown.clone(), error })?;
    Ok(Part { shown, shard, content })
}

/// Puts the parts of a run in order, and notices what is missing.
fn put_in_order(parts: &mut [Part<Report>]) -> Result<(), MergeError> {
    let Some(count) = parts.iter().find_map(|part| part.shard).map(|shard| shard.count) else {
        return Ok(());
    };
    if let Some(other) = parts.iter().find(|part| part.shard.is_none_or(|shard| shard.count != count)) {
        let is = other.shard.map_or("not a shard".to_owned(), |shard| format!("shard {shard}"));
        return Err(MergeError::OtherShards { shown: other.shown.clone(), is, count });
    }
    parts.sort_by_key(|part| part.shard);
    if let Some([one, other]) = parts.windows(2).find_map(|pair| match pair {
        [one, other] if one.shard == other.shard => Some([one, other]),
        _ => None,
    }) {
        let shard = one.shard.map(|shard| shard.to_string()).unwrap_or_default();
        return Err(MergeError::Twice { one: one.shown.clone(), other: other.shown.clone(), shard });
    }
    let missing: Vec<String> = (1..=count)
        .map(|number| Shard { number, count })
        .filter(|shard| !parts.iter().any(|part| part.shard == Some(*shard)))
        .take(NAMED)
        .map(|shard| shard.to_string())
        .collect();
    let lacking = count - parts.len();
    match lacking {
        0 => Ok(()),
        1 => Err(MergeError::MissingOne(missing.join(", "))),
        _ => {
            let more = if lacking > NAMED { ", …" } else { "" };
            Err(MergeError::Missing { count: lacking, named: format!("{}{more}", missing.join(", ")) })
        }
    }
}

/// How many missing shards are named.
const NAMED: usize = 8;

#[cfg(test)]
mod tests;
