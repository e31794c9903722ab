//! How cluster operators behave, as data.

use fbc_cluster::time::{MINUTE, Milliseconds, SECOND};
use serde_json::Value;

use crate::DataError;

/// How an operator behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// The name of the ClusterOperator; empty for all that have no behaviour of their own.
    pub operator: String,
    /// How long it takes from its new Deployments to the new version.
    pub takes: Milliseconds,
    /// Operators that must have the version first.
    pub after: Vec<String>,
    /// What goes wrong on the way.
    pub trouble: Option<Trouble>,
    /// Reason and message of `Upgradeable=False`.
    pub not_upgradeable: Option<(String, String)>,
}

/// What goes wrong with an operator that updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The condition that is not as it should be: `Degraded` or `Available`.
    pub condition: &'static str,
    /// Why.
    pub message: String,
    /// How long it lasts; for ever without a time.
    pub lasts: Option<Milliseconds>,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            operator: String::new(),
            takes: 2 * MINUTE,
            after: Vec::new(),
            trouble: None,
            not_upgradeable: None,
        }
    }
}

impl Behaviour {
    /// Reads `{operator, takes, after, degraded, unavailable, lasts, upgradeable}`: times are seconds, `degraded` and
    /// `unavailable` are messages, `upgradeable` is the message of `Upgradeable=False`.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        let mut behaviour = Self::default();
        let (mut trouble, mut lasts) = (None, None);
        for (field, value) in
            value.as_object().ok_or_else(|| DataError::kind("a behavior of operators", "an object"))?
        {
            let text = || value.as_str().map(str::to_owned).ok_or_else(|| DataError::kind(field, "a text"));
            let seconds = || {
                let seconds = value.as_u64().ok_or_else(|| DataError::kind(field, "seconds"));
                seconds.map(|seconds| seconds.saturating_mul(SECOND))
            };
            match field.as_str() {
                "operator" => behaviour.operator = text()?,
                "takes" => behaviour.takes = seconds()?,
                "after" => {
                    let names = value.as_array();
                    let names = names.ok_or_else(|| DataError::kind(field, "a list of operators"))?;
                    let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                    behaviour.after = names
                        .collect::<Option<_>>()
                        .ok_or_else(|| DataError::kind(field, "a list of the names of operators"))?;
                }
                "degraded" | "unavailable" if trouble.is_some() => {
                    return Err(DataError::Together("only one of degraded and unavailable can be given"));
                }
                "degraded" => trouble = Some(("Degraded", text()?)),
                "unavailable" => trouble = Some(("Available", text()?)),
                "lasts" => lasts = Some(seconds()?),
                "upgradeable" => behaviour.not_upgradeable = Some(("NotUpgradeable".to_owned(), text()?)),
                other => return Err(DataError::unknown(other, &[])),
            }
        }
        if lasts.is_some() && trouble.is_none() {
            return Err(DataError::Together("lasts needs degraded or unavailable"));
        }
        behaviour.trouble = trouble.map(|(condition, message)| Trouble { condition, message, lasts });
        Ok(behaviour)
    }
}
