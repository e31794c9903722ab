//! Whether a risk applies to a cluster: its matching rules, and the cache in front of the metrics server.
//!
//! Sources: `openshift/cluster-version-operator:pkg/clusterconditions`, `pkg/cvo/availableupdates.go`.

use std::collections::BTreeMap;

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{HOUR, Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::promql::{QueryError, SyntaxError, shown};

/// The time between two queries.
const BETWEEN_QUERIES: Milliseconds = SECOND;
/// So long an answer is good.
const GOOD_FOR: Milliseconds = HOUR;
/// So long an answer, or a question without one, is kept.
const KEPT_FOR: Milliseconds = 24 * HOUR;

/// Why a query has no answer, as the client of the operator gives it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetricsError {
    /// The cluster has no server to ask.
    #[error("failure determine thanos IP: services \"thanos-querier\" not found")]
    NoServer,
    /// The server cannot be reached.
    #[error("executing PromQL query: {0}")]
    Unreachable(String),
    /// The server refuses.
    #[error("executing PromQL query: {kind}: {error}")]
    Server {
        /// The kind of its error.
        kind: String,
        /// Its words.
        error: String,
    },
    /// The query is not PromQL, or is not read.
    #[error("executing PromQL query: bad_data: {0}")]
    Syntax(SyntaxError),
    /// The query has no value.
    #[error("executing PromQL query: execution: {0}")]
    Query(#[from] QueryError),
    /// The value is of another type.
    #[error("invalid PromQL result type is {0}, not vector")]
    Type(&'static str),
}

/// Why it is not known whether a risk applies.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RiskError {
    /// The query has no answer.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// The answer is neither yes nor no.
    #[error("invalid PromQL result (must be 0 or 1): {}", shown(*.0))]
    Value(f64),
    /// There are other than one answers.
    #[error("invalid PromQL result length must be one, but is {0}")]
    Length(usize),
    /// Other queries come first, until a time of the day.
    #[error("evaluation is throttled until {0}")]
    ThrottledUntil(String),
    /// Other queries come first.
    #[error("evaluation is throttled")]
    Throttled,
    /// No rule can be evaluated, for these reasons.
    #[error("[{}]", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Several(Vec<Self>),
}

/// The metrics of a cluster.
pub trait Metrics {
    /// Answers a PromQL query with the values of an instant vector.
    ///
    /// # Errors
    /// [`MetricsError`]
    fn query(&self, query: &str) -> Result<Vec<f64>, MetricsError>;
}

/// Whether the operator can do something with a matching rule.
pub fn is_valid_rule(rule: &Value) -> bool {
    match rule.text(&["type"]) {
        "Always" => rule.get("promql").is_none_or(Value::is_null),
        "PromQL" => !rule.text(&["promql", "promql"]).is_empty(),
        _ => false,
    }
}

#[derive(Debug, Clone, Default)]
struct Answer {
    when: Option<Moment>,
    asked: Option<Moment>,
    /// Keeps questions of one moment in the order in which they were asked.
    turn: u64,
    result: Option<Result<bool, RiskError>>,
}

/// Answers to PromQL rules, and when they were got. At most one query a second goes to the server.
#[derive(Debug, Clone, Default)]
pub struct RiskCache {
    last: Option<Moment>,
    turn: u64,
    answers: BTreeMap<String, Answer>,
}

impl RiskCache {
    /// Whether a risk applies: its first rule that can be evaluated decides.
    ///
    /// # Errors
    /// [`RiskError`]: no rule could be evaluated.
    pub fn applies(
        &mut self,
        rules: &[Value],
        metrics: &dyn Metrics,
        now: Moment,
    ) -> Result<bool, RiskError> {
        let mut errors: Vec<RiskError> = Vec::new();
        for rule in rules {
            let result = match rule.text(&["type"]) {
                "Always" => Ok(true),
                "PromQL" => self.query(rule.text(&["promql", "promql"]), metrics, now),
                _ => continue,
            };
            match result {
                Ok(applies) => return Ok(applies),
                Err(error) if errors.contains(&error) => {}
                Err(error) => errors.push(error),
            }
        }
        match errors.as_slice() {
            [only] => Err(only.clone()),
            _ => Err(RiskError::Several(errors)),
        }
    }

    fn query(&mut self, query: &str, metrics: &dyn Metrics, now: Moment) -> Result<bool, RiskError> {
        self.answers.retain(|_, answer| now.since(answer.when.or(answer.asked).unwrap_or(now)) <= KEPT_FOR);
        let result = self.answer(query, metrics, now);
        self.turn += 1;
        let turn = self.turn;
        let answer = self.answers.entry(query.to_owned()).or_default();
        answer.asked = Some(now);
        answer.turn = turn;
        result
    }

    fn answer(&mut self, query: &str, metrics: &dyn Metrics, now: Moment) -> Result<bool, RiskError> {
        let known = |answers: &BTreeMap<String, Answer>| {
            answers.get(query).filter(|answer| answer.when.is_some()).and_then(|answer| answer.result.clone())
        };
        if let Some(last) = self.last.filter(|last| now.since(*last) < BETWEEN_QUERIES) {
            let until = (last + BETWEEN_QUERIES).to_string();
            let until = until.split('T').nth(1).unwrap_or_default();
            let throttled = || Err(RiskError::ThrottledUntil(until.to_owned()));
            return known(&self.answers).unwrap_or_else(throttled);
        }
        // The query goes to the question that has waited longest, so that none starves.
        let stalest = self
            .answers
            .iter()
            .filter(|(_, answer)| match (answer.asked, answer.when) {
                (Some(asked), Some(when)) => asked > when,
                (asked, None) => asked.is_some(),
                (None, Some(_)) => false,
            })
            .min_by_key(|(_, answer)| (answer.when, answer.asked, answer.turn))
            .map(|(key, answer)| (key.clone(), answer.when));
        let target = match stalest {
            None => query.to_owned(),
            Some((_, Some(when))) if now.since(when) < GOOD_FOR => {
                if let Some(result) = known(&self.answers) {
                    return result;
                }
                query.to_owned()
            }
            Some((key, _)) => key,
        };
        let result = evaluate(&target, metrics);
        self.last = Some(now);
        let answer = self.answers.entry(target).or_default();
        answer.when = Some(now);
        answer.result = Some(result);
        known(&self.answers).unwrap_or(Err(RiskError::Throttled))
    }
}

fn evaluate(query: &str, metrics: &dyn Metrics) -> Result<bool, RiskError> {
    let values = metrics.query(query)?;
    match values.as_slice() {
        [value] if *value == 0.0 => Ok(false),
        [value] if *value == 1.0 => Ok(true),
        [value] => Err(RiskError::Value(*value)),
        _ => Err(RiskError::Length(values.len())),
    }
}

/// Status, reason and message of `Applies` for a risk.
pub fn applies_condition(risk: &Value, result: &Result<bool, RiskError>) -> Value {
    let (status, reason, message) = match result {
        Ok(true) => ("True", "Match", String::new()),
        Ok(false) => ("False", "NotMatch", String::new()),
        Err(error) => {
            let (name, text, url) = (risk.text(&["name"]), risk.text(&["message"]), risk.text(&["url"]));
            let message = format!(
                "Could not evaluate exposure to update risk {name} ({error})\n  {name} description: {text}\n  {name} URL: {url}"
            );
            ("Unknown", "EvaluationFailed", message)
        }
    };
    json!({"type": "Applies", "status": status, "reason": reason, "message": message})
}

/// Status, reason and message of `Recommended` for an update with these risks, each with its condition `Applies`.
pub fn recommended(
    risks: &[(&Value, &Value)],
    is_accepted: &dyn Fn(&str) -> bool,
) -> (&'static str, String, String) {
    const NOT_EXPOSED: &str = "NotExposedToRisks";
    const ACCEPTED: &str = "AllExposedRisksAccepted";
    const FAILED: &str = "EvaluationFailed";
    const EXPOSED: &str = "ExposedToRisks";
    let mut status = "True";
    let mut reason = NOT_EXPOSED.to_owned();
    let mut message =
        "The update is recommended, because none of the conditional update risks apply to this cluster."
            .to_owned();
    let mut texts: Vec<String> = Vec::new();
    for (risk, applies) in risks {
        let name = risk.text(&["name"]);
        let want = match applies.text(&["status"]) {
            "False" => continue,
            "True" if is_accepted(name) => {
                message =
                    "The update is recommended, because either risk does not apply to this cluster or it is \
                           accepted by cluster admins."
                        .to_owned();
                ACCEPTED
            }
            "True" => {
                status = "False";
                texts.push(format!("{} {}", risk.text(&["message"]), risk.text(&["url"])));
                if is_reason(name) { name } else { EXPOSED }
            }
            _ => {
                status = if status == "False" { status } else { "Unknown" };
                texts.push(applies.text(&["message"]).to_owned());
                FAILED
            }
        };
        let takes_new = reason == NOT_EXPOSED
            || reason == ACCEPTED
            || reason == FAILED && want == EXPOSED
            || reason == want;
        let keeps_old =
            reason == FAILED && want == ACCEPTED || reason == EXPOSED && [ACCEPTED, FAILED].contains(&want);
        if takes_new {
            want.clone_into(&mut reason);
        } else if !keeps_old {
            "MultipleReasons".clone_into(&mut reason);
        }
    }
    if !texts.is_empty() {
        message = texts.join("\n\n");
    }
    (status, reason, message)
}

/// Whether a text may be the reason of a condition.
pub fn is_reason(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let ends = text.bytes().last().is_some_and(is_word);
    starts && ends && text.bytes().all(|byte| is_word(byte) || byte == b',' || byte == b':')
}
