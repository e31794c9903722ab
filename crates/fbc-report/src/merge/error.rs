//! Why reports cannot be merged.

use fbc_app::invalid_value::InvalidValue;

/// Why reports cannot be merged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says in its text what it is")]
pub enum MergeError {
    #[error("there is no report to merge")]
    Nothing,
    #[error(
        "{0} is not a report that can be merged; fbc merges SARIF, JUnit and JSON as `fbc validate` writes them, and \
         JSON of `fbc simulate`"
    )]
    Unknown(String),
    #[error("{first} is a report of the kind {kind}, and {other} of the kind {other_kind}")]
    Kinds { first: String, kind: &'static str, other: String, other_kind: &'static str },
    #[error("{shown} names a shard that is not one: {error}")]
    Shard { shown: String, error: InvalidValue },
    #[error("{shown} is {is}, and others are of {count} shards")]
    OtherShards { shown: String, is: String, count: usize },
    #[error("{one} and {other} are both shard {shard}")]
    Twice { one: String, other: String, shard: String },
    #[error("the report of shard {0} is missing")]
    MissingOne(String),
    #[error("the reports of {count} shards are missing: {named}")]
    Missing { count: usize, named: String },
    #[error("`{field}` {problem}")]
    Field { field: String, problem: FieldProblem },
    #[error("{0} does not have one run with results, as logs that fbc writes")]
    NoRun(String),
    #[error("{0} has a result that is not an object")]
    NoObject(String),
    #[error("{0} was written by another version of fbc than the first report")]
    OtherVersion(String),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// What is wrong with a field of reports.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says in its text what it is")]
pub enum FieldProblem {
    #[error("is not a list")]
    NotAList,
    #[error("is not an object")]
    NotAnObject,
    #[error("has a `{0}` that is not a number")]
    NotANumber(String),
    #[error("is missing")]
    Missing,
    #[error("differs between the reports; they are not of one run")]
    Differs,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}
