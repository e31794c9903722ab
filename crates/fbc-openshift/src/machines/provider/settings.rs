//! How instances fare, as data.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Milliseconds, SECOND};
use serde_json::{Map, Value};

use super::ProviderError;
use crate::DataError;

/// What a call of the provider fails with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Something that may be over later.
    Error,
    /// The same, with a wait.
    Requeue,
    /// The configuration is wrong.
    Invalid,
}

impl Failure {
    pub(super) fn error(self) -> ProviderError {
        match self {
            Self::Error => ProviderError::Other("provider does not answer".to_owned()),
            Self::Requeue => ProviderError::Later(20 * SECOND),
            Self::Invalid => ProviderError::Invalid("invalid instance type \"x9.huge\"".to_owned()),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "error" | "createerror" => Some(Self::Error),
            "requeue" => Some(Self::Requeue),
            "invalid" => Some(Self::Invalid),
            _ => None,
        }
    }
}

/// How the instance of a machine fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What creation fails with, if it does.
    pub create: Option<Failure>,
    /// How often it does.
    pub create_failures: u32,
    /// The instance gets its identifier and addresses only with the second look.
    pub slow_ids: bool,
    /// From creation to the Node; none if there never is one.
    pub join: Option<Milliseconds>,
    /// From there to a node that is ready; none for never.
    pub ready: Option<Milliseconds>,
    /// From deletion to the end.
    pub terminate: Milliseconds,
    /// What deletion fails with.
    pub delete: Option<Failure>,
    /// How often it does.
    pub delete_failures: u32,
    /// How often the question whether the instance exists fails.
    pub exists_failures: u32,
    /// How often looking after it fails.
    pub update_failures: u32,
    /// The role of the node; that of the machine if none is said.
    pub role: Option<String>,
    /// Whether the machine gets the identifier.
    pub has_provider_id: bool,
    /// Whether the machine gets addresses.
    pub has_addresses: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            create: None,
            create_failures: 0,
            slow_ids: false,
            join: Some(40 * SECOND),
            ready: Some(10 * SECOND),
            terminate: 20 * SECOND,
            delete: None,
            delete_failures: 0,
            exists_failures: 0,
            update_failures: 0,
            role: None,
            has_provider_id: true,
            has_addresses: true,
        }
    }
}

/// How instances of some machines fare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// What the names of the machines begin with.
    pub machine: String,
    values: Map<String, Value>,
}

/// What a machine's provider part and a behaviour may say. Times are seconds.
const FIELDS: [&str; 12] = [
    "create",
    "failTimes",
    "join",
    "ready",
    "terminate",
    "deleteErr",
    "deleteFail",
    "existsFail",
    "updateFail",
    "role",
    "noProviderID",
    "noAddresses",
];

impl Behaviour {
    /// Reads a behaviour: `{machine, create, failTimes, join, ready, terminate, deleteErr, deleteFail, existsFail,
    /// updateFail, role, noProviderID, noAddresses}`. Times are seconds, below zero for never.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        let fields =
            value.as_object().ok_or_else(|| DataError::kind("a behavior of machines", "an object"))?;
        for (field, value) in fields {
            let fits = match field.as_str() {
                "machine" | "role" => value.is_string(),
                "create" => value
                    .as_str()
                    .is_some_and(|text| ["ok", "slowids"].contains(&text) || Failure::parse(text).is_some()),
                "deleteErr" => value.as_str().is_some_and(|text| Failure::parse(text).is_some()),
                "noProviderID" | "noAddresses" => value.is_boolean(),
                known if FIELDS.contains(&known) => value.is_i64() || value.is_u64(),
                _ => {
                    let known = [&["machine"], FIELDS.as_slice()].concat();
                    return Err(DataError::unknown(field, &known));
                }
            };
            if !fits {
                let (field, found) = (field.clone(), value.to_string());
                return Err(DataError::Forbidden { field, found, known: Vec::new() });
            }
        }
        Ok(Self { machine: value.text(&["machine"]).to_owned(), values: fields.clone() })
    }
}

impl Settings {
    /// What a machine says itself, then the first behaviour that fits, then the defaults.
    pub(super) fn from_machine(machine: &Object, behaviours: &[Behaviour]) -> Self {
        let mut settings = Self::default();
        let behaviour = behaviours.iter().find(|one| machine.name().starts_with(&one.machine));
        let own = machine.at(&["spec", "providerSpec", "value"]).and_then(Value::as_object);
        for values in behaviour.map(|behaviour| &behaviour.values).into_iter().chain(own) {
            settings.take(values);
        }
        settings
    }

    fn take(&mut self, values: &Map<String, Value>) {
        let text = |field: &str| values.get(field).and_then(Value::as_str);
        let seconds = |field: &str| values.get(field).and_then(Value::as_i64);
        let count = |field: &str| seconds(field).map(|number| u32::try_from(number).unwrap_or_default());
        let span = |seconds: i64| u64::try_from(seconds).ok().map(|seconds| seconds * SECOND);
        if let Some(create) = text("create") {
            self.create = Failure::parse(create);
            self.create_failures = if self.create.is_some() { u32::MAX } else { 0 };
            self.slow_ids = create == "slowids";
        }
        self.create_failures = count("failTimes").unwrap_or(self.create_failures);
        self.join = seconds("join").map_or(self.join, span);
        self.ready = seconds("ready").map_or(self.ready, span);
        self.terminate = seconds("terminate").and_then(span).unwrap_or(self.terminate);
        self.delete = text("deleteErr").and_then(Failure::parse).or(self.delete);
        self.delete_failures = count("deleteFail").unwrap_or(self.delete_failures);
        self.exists_failures = count("existsFail").unwrap_or(self.exists_failures);
        self.update_failures = count("updateFail").unwrap_or(self.update_failures);
        self.role = text("role").map(str::to_owned).or(self.role.take());
        let is_set = |field: &str| values.get(field) == Some(&Value::Bool(true));
        self.has_provider_id &= !is_set("noProviderID");
        self.has_addresses &= !is_set("noAddresses");
    }
}
