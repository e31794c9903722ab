//! A provider of instances, as data: how long an instance takes, and what fails.
//!
//! Instances are not objects of the cluster. A machine says in its provider's part how its instance fares; what it does
//! not say comes from behaviours, and then from the defaults of the recordings.

mod instances;
mod settings;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Milliseconds, Moment, SECOND};

pub use instances::Instances;
pub use settings::{Behaviour, Failure, Settings};

/// A provider that several controllers share.
pub type SharedProvider = Rc<RefCell<Provider>>;

/// What a call of the provider is refused with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderError {
    /// It may work later.
    Other(String),
    /// It asks to be called again after a while.
    Later(Milliseconds),
    /// The configuration of the machine makes no sense to it.
    Invalid(String),
}

impl ProviderError {
    /// The text of the error.
    pub fn text(&self) -> String {
        match self {
            Self::Other(text) | Self::Invalid(text) => text.clone(),
            Self::Later(wait) => format!("requeue in: {}s", wait / SECOND),
        }
    }
}

/// An instance.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    number: u32,
    /// When it was made; none for those that were there before anybody looked.
    created: Option<Moment>,
    /// When it ends, once that was asked for.
    end: Option<Moment>,
    updates: u32,
    /// What its kubelet has done.
    node: NodeStep,
}

/// How far the kubelet of an instance has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeStep {
    Starting,
    Joined(Moment),
    Done,
}

/// All instances.
#[derive(Debug, Clone, Default)]
pub struct Provider {
    behaviours: Vec<Behaviour>,
    instances: BTreeMap<ObjectName, Instance>,
    seen: BTreeSet<ObjectName>,
    calls: BTreeMap<(ObjectName, &'static str), u32>,
    last_number: u32,
    stopped: BTreeSet<String>,
}

impl Provider {
    /// A provider with behaviours of machines.
    pub fn shared(behaviours: Vec<Behaviour>) -> SharedProvider {
        Rc::new(RefCell::new(Self { behaviours, ..Self::default() }))
    }

    /// Takes an instance away behind everybody's back.
    pub fn lose(&mut self, machine: &ObjectName) {
        self.instances.remove(machine);
    }

    /// Stops the kubelet of a node: pods there do not end any more.
    pub fn stop_kubelet(&mut self, node: &str) {
        self.stopped.insert(node.to_owned());
    }

    /// True if the kubelet of a node was stopped.
    pub fn is_stopped(&self, node: &str) -> bool {
        self.stopped.contains(node)
    }

    /// How the instance of a machine fares.
    pub(super) fn settings(&self, machine: &Object) -> Settings {
        Settings::from_machine(machine, &self.behaviours)
    }

    /// Whether the instance of a machine exists.
    ///
    /// # Errors
    /// What the provider says if it does not know.
    pub fn exists(&mut self, machine: &Object, now: Moment) -> Result<bool, ProviderError> {
        self.look(machine, now);
        let settings = self.settings(machine);
        if self.count(machine, "Exists") <= settings.exists_failures {
            return Err(ProviderError::Other("provider does not answer".to_owned()));
        }
        Ok(self.instances.contains_key(&machine.object_name()))
    }

    /// Makes the instance of a machine.
    ///
    /// # Errors
    /// What the provider says if it does not.
    pub fn create(&mut self, machine: &Object, now: Moment) -> Result<(), ProviderError> {
        let settings = self.settings(machine);
        if self.count(machine, "Create") <= settings.create_failures
            && let Some(failure) = settings.create
        {
            return Err(failure.error());
        }
        self.last_number += 1;
        let instance = Instance {
            number: self.last_number,
            created: Some(now),
            end: None,
            updates: 0,
            node: NodeStep::Starting,
        };
        self.instances.insert(machine.object_name(), instance);
        Ok(())
    }

    /// Looks after the instance of a machine.
    ///
    /// # Errors
    /// What the provider says if it cannot.
    pub fn update(&mut self, machine: &Object) -> Result<(), ProviderError> {
        let settings = self.settings(machine);
        let is_slow = settings.slow_ids;
        if self.count(machine, "Update") <= settings.update_failures {
            return Err(ProviderError::Other("provider does not answer".to_owned()));
        }
        if let Some(instance) = self.instances.get_mut(&machine.object_name()).filter(|_| is_slow) {
            instance.updates += 1;
        }
        Ok(())
    }

    /// Ends the instance of a machine, which takes a while.
    ///
    /// # Errors
    /// What the provider says if it does not.
    pub fn delete(&mut self, machine: &Object, now: Moment) -> Result<(), ProviderError> {
        self.look(machine, now);
        let settings = self.settings(machine);
        if self.count(machine, "Delete") <= settings.delete_failures {
            return Err(settings.delete.unwrap_or(Failure::Error).error());
        }
        if let Some(instance) = self.instances.get_mut(&machine.object_name()) {
            instance.end.get_or_insert(now + settings.terminate);
        }
        self.look(machine, now);
        Ok(())
    }

    /// What the provider writes into a machine: identifier, state, addresses.
    pub fn describe(&self, machine: &mut Object) {
        let Some(instance) = self.instances.get(&machine.object_name()) else { return };
        let settings = self.settings(machine);
        let id = instance.id();
        machine.set(&["metadata", "annotations", INSTANCE_STATE], "running");
        if settings.slow_ids && instance.updates < 2 {
            return;
        }
        if settings.has_provider_id {
            machine.set(&["spec", "providerID"], id.as_str());
        }
        if settings.has_addresses {
            let address = serde_json::json!([{"address": instance.address(), "type": "InternalIP"}]);
            machine.set(&["status", "addresses"], address);
        }
        let status = serde_json::json!({"instanceId": id, "instanceState": "running"});
        machine.set(&["status", "providerStatus"], status);
    }

    /// Ends what is to end, and knows instances that were there before.
    fn look(&mut self, machine: &Object, now: Moment) {
        let name = machine.object_name();
        if self.seen.insert(name.clone())
            && let Some(number) = number_of(machine.text(&["spec", "providerID"]))
        {
            self.last_number = self.last_number.max(number);
            let instance = Instance { number, created: None, end: None, updates: 2, node: NodeStep::Done };
            self.instances.insert(name.clone(), instance);
        }
        if self.instances.get(&name).is_some_and(|instance| instance.end.is_some_and(|end| end <= now)) {
            self.instances.remove(&name);
        }
    }

    /// Counts a call; the first one is 1.
    fn count(&mut self, machine: &Object, call: &'static str) -> u32 {
        let calls = self.calls.entry((machine.object_name(), call)).or_default();
        *calls += 1;
        *calls
    }
}

/// The annotation with the state of the instance.
pub(super) const INSTANCE_STATE: &str = "machine.openshift.io/instance-state";

impl Instance {
    fn id(&self) -> String {
        format!("fake:///zone-a/i-{:04}", self.number)
    }

    fn address(&self) -> String {
        format!("10.{}.{}.{}", self.number >> 16 & 0xff, self.number >> 8 & 0xff, self.number & 0xff)
    }
}

fn number_of(id: &str) -> Option<u32> {
    id.rsplit_once("i-")?.1.parse().ok()
}
