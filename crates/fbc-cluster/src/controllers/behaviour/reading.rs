//! Behaviours as they are written down.

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::{Behaviour, Fate, PACKS, PodSelector, START, pack};
use crate::controllers::kubelet::Usage;
use crate::selector::LabelSelector;

const FIELDS: [&str; 16] = [
    "kind",
    "namespace",
    "name",
    "labels",
    "annotations",
    "image",
    "container",
    "weight",
    "delay",
    "jitter",
    "stops",
    "cpu",
    "memory",
    "disk",
    "outcome",
    "exitCode",
];
const OUTCOMES: [&str; 7] = ["ready", "neverReady", "hang", "crash", "imagePullError", "complete", "fail"];

/// Why a value is not a behavior.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BehaviourError {
    /// It is not an object.
    #[error("a behavior must be an object")]
    NoObject,
    /// It has a field that behaviours do not have.
    #[error("unknown field {0:?}; known are after, {known}", known = FIELDS.join(", "))]
    UnknownField(String),
    /// A field has a value that does not fit.
    #[error("{field} must be {wanted}, not {found}")]
    Misfit {
        /// The field.
        field: &'static str,
        /// What it takes.
        wanted: String,
        /// The value.
        found: String,
    },
    /// The exit code is beyond all numbers.
    #[error("exitCode is too large")]
    LargeExitCode,
    /// It is a name, and that of no pack.
    #[error("unknown pack {0:?}; known are {known}", known = PACKS.join(", "))]
    UnknownPack(String),
}

/// Which entry of a list is not a behavior, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("behaviours[{index}]: {error}")]
pub struct EntryError {
    /// Its number, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub error: BehaviourError,
}

impl Behaviour {
    /// Reads a behaviour: `{kind, namespace, name, labels, annotations, image, container, weight, delay, jitter, stops,
    /// cpu, memory, disk, outcome, after}`. Times are milliseconds; cpu, memory and disk quantities; labels and annotations are
    /// maps; the outcome is one of `ready`, `neverReady`, `hang`, `crash`, `imagePullError`, `complete`, `fail` (with
    /// `exitCode`).
    ///
    /// # Errors
    /// [`BehaviourError`]
    pub fn read(value: &Value) -> Result<Self, BehaviourError> {
        let fields = value.as_object().ok_or(BehaviourError::NoObject)?;
        if let Some(unknown) =
            fields.keys().find(|field| *field != "after" && !FIELDS.contains(&field.as_str()))
        {
            return Err(BehaviourError::UnknownField(unknown.clone()));
        }
        let misfit = |field: &'static str, wanted: &str, found: &dyn std::fmt::Display| {
            BehaviourError::Misfit { field, wanted: wanted.to_owned(), found: found.to_string() }
        };
        let text = |field: &'static str| match fields.get(field) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(misfit(field, "a text", other)),
        };
        let number = |field: &'static str, default: u64| match fields.get(field) {
            None => Ok(default),
            Some(value) => value.as_u64().ok_or_else(|| misfit(field, "a whole number", value)),
        };
        let labels = |field: &'static str| match fields.get(field) {
            Some(value) if !value.is_object() => Err(misfit(field, "a map", value)),
            value => Ok(LabelSelector::of_map(value)),
        };
        let quantity = |field: &'static str, example: &str| match text(field)? {
            text if text.is_empty() => Ok(Quantity::default()),
            text => match Quantity::parse(&text) {
                Ok(quantity) if quantity.sign() >= 0 => Ok(quantity),
                _ => Err(misfit(field, &format!("a quantity such as {example}"), &format!("{text:?}"))),
            },
        };
        let weight = number("weight", 100)?;
        if weight > 100 {
            return Err(misfit("weight", "at most 100", &weight));
        }
        let after = number("after", 0)?;
        let fate = match text("outcome")?.as_str() {
            "" | "ready" => Fate::Ready { after },
            "neverReady" => Fate::NeverReady,
            "hang" => Fate::Hang { after },
            "crash" => Fate::Crash { after },
            "imagePullError" => Fate::ImagePullError,
            "complete" => Fate::Complete { after },
            "fail" => {
                let exit_code = i64::try_from(number("exitCode", 1)?);
                let exit_code = exit_code.map_err(|_| BehaviourError::LargeExitCode)?;
                Fate::Fail { after, exit_code }
            }
            other => {
                let wanted = format!("one of {}", OUTCOMES.join(", "));
                return Err(misfit("outcome", &wanted, &format!("{other:?}")));
            }
        };
        Ok(Self {
            selector: PodSelector {
                kind: text("kind")?,
                namespace: text("namespace")?,
                name: text("name")?,
                labels: labels("labels")?,
                annotations: labels("annotations")?,
                image: text("image")?,
                container: text("container")?,
            },
            weight,
            delay: number("delay", START)?,
            jitter: number("jitter", 0)?,
            stops: fields.get("stops").map(|_| number("stops", 0)).transpose()?,
            usage: Usage {
                cpu: quantity("cpu", "500m")?.thousandths(),
                memory: quantity("memory", "300Mi")?.units(),
                storage: quantity("disk", "1Gi")?.units(),
            },
            fate,
        })
    }
}

/// Reads a list of behaviours; a text among them stands for the pack of that name.
///
/// # Errors
/// [`EntryError`]
pub fn read_all(values: &[Value]) -> Result<Vec<Behaviour>, EntryError> {
    let entry = |value: &Value| match value.as_str() {
        Some(name) => pack(name).ok_or_else(|| BehaviourError::UnknownPack(name.to_owned())),
        None => Behaviour::read(value).map(|behaviour| vec![behaviour]),
    };
    let mut behaviours = Vec::new();
    for (index, value) in values.iter().enumerate() {
        behaviours.extend(entry(value).map_err(|error| EntryError { index, error })?);
    }
    Ok(behaviours)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (value, part) in [
            (json!([]), "must be an object"),
            (json!({"wait": 1}), "\"wait\""),
            (json!({"delay": "1s"}), "delay"),
            (json!({"weight": 101}), "at most 100"),
            (json!({"outcome": "explode"}), "neverReady"),
            (json!({"memory": "much"}), "such as 300Mi"),
        ] {
            let error = Behaviour::read(&value).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(read_all(&[json!("stuck"), json!({})]).unwrap().len(), 2);
        assert!(read_all(&[json!("sick")]).unwrap_err().to_string().contains("broken image"));
        assert!(PACKS.iter().all(|name| pack(name).is_some()));
    }
}
