//! What the recordings had in place of kubelets, controllers of workloads and servers.

mod deployments;
mod jobs;
mod pods;
mod servers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fbc_cluster::api::Caller;
use fbc_cluster::engine::Controller;
use fbc_cluster::time::Milliseconds;
use fbc_olm_v0::content::SharedContent;
use serde_json::Value;

use self::deployments::Deployments;
use self::jobs::Jobs;
use self::pods::Pods;
use self::servers::Servers;
pub(super) use self::servers::Webhooks;

/// How long the stand-ins take.
const DELAY: Milliseconds = 500;

/// What the stand-ins do, by name or for all (`*`).
#[derive(Default)]
pub(super) struct Modes {
    deployments: BTreeMap<String, String>,
    /// A new mode does not count for these.
    spared: BTreeMap<String, String>,
    jobs: BTreeMap<String, String>,
    pods: BTreeMap<String, String>,
    /// Whether servers of webhooks and APIs answer.
    pub(super) serves: bool,
}

/// Modes that steps change and stand-ins read.
pub(super) type SharedModes = Rc<RefCell<Modes>>;

impl Modes {
    /// A step `deployments`.
    pub(super) fn deployments(&mut self, step: &Value, is_for_existing: bool) {
        if !is_for_existing {
            self.spared = self.deployments.clone();
        }
        change(&mut self.deployments, step);
    }

    /// A step `jobs`.
    pub(super) fn jobs(&mut self, step: &Value) {
        change(&mut self.jobs, step);
    }

    /// A step `pods`.
    pub(super) fn pods(&mut self, step: &Value) {
        change(&mut self.pods, step);
    }
}

/// A mode for all takes the place of all others.
fn change(present: &mut BTreeMap<String, String>, step: &Value) {
    let modes = modes(step);
    if modes.contains_key("*") {
        present.clear();
    }
    present.extend(modes);
}

fn modes(step: &Value) -> BTreeMap<String, String> {
    let modes = step.get("mode").and_then(Value::as_object).into_iter().flatten();
    modes.filter_map(|(name, mode)| Some((name.clone(), mode.as_str()?.to_owned()))).collect()
}

/// The mode of a name, or of all.
fn mode<'m>(modes: &'m BTreeMap<String, String>, name: &str, usual: &'m str) -> &'m str {
    modes.get(name).or_else(|| modes.get("*")).map_or(usual, String::as_str)
}

/// The stand-ins.
pub(super) fn controllers(modes: &SharedModes, content: &SharedContent) -> Vec<Box<dyn Controller>> {
    vec![
        Box::new(Deployments::new(modes)),
        Box::new(Jobs::new(modes, content)),
        Box::new(Pods::new(modes, content)),
        Box::new(Servers::new(modes)),
    ]
}

fn caller() -> Caller {
    Caller::administrator("stand-in")
}
