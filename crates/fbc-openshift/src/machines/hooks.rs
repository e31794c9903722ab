//! Lifecycle hooks of machines: points of a deletion that wait until somebody has done something.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machine/controller.go` (MA-5),
//! `pkg/webhooks/machine_webhook.go` (MA-9).

use fbc_cluster::api::{Denial, Validator};
use fbc_cluster::error::{FieldError, aggregate};
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

/// A point of the deletion that hooks hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before pods leave the node.
    PreDrain,
    /// Before the instance goes.
    PreTerminate,
}

impl Point {
    /// Both, in the order in which they come.
    pub const ALL: [Self; 2] = [Self::PreDrain, Self::PreTerminate];

    /// The field of `spec.lifecycleHooks`.
    pub fn field(self) -> &'static str {
        match self {
            Self::PreDrain => "preDrain",
            Self::PreTerminate => "preTerminate",
        }
    }

    /// The condition that says whether hooks hold a machine there.
    pub fn condition(self) -> &'static str {
        match self {
            Self::PreDrain => "Drainable",
            Self::PreTerminate => "Terminable",
        }
    }

    /// What the hooks hold, in messages.
    fn operation(self) -> &'static str {
        match self {
            Self::PreDrain => "Drain",
            Self::PreTerminate => "Terminate",
        }
    }

    /// How refusals name the hooks.
    fn words(self) -> &'static str {
        match self {
            Self::PreDrain => "pre-drain",
            Self::PreTerminate => "pre-terminate",
        }
    }
}

/// The hooks of a machine at a point.
pub fn hooks(machine: &Object, point: Point) -> &[Value] {
    machine.list(&["spec", "lifecycleHooks", point.field()])
}

/// What the condition of a point says while hooks are there.
pub fn blocked_message(machine: &Object, point: Point) -> Option<String> {
    let hooks = hooks(machine, point);
    let text = || format!("{} operation currently blocked by: {}", point.operation(), go_list(hooks));
    (!hooks.is_empty()).then(text)
}

/// What stands against an update of a machine: once it is being deleted, hooks may only go.
pub fn refusals(before: &Object, after: &Object) -> Vec<FieldError> {
    if !before.is_terminating() {
        return Vec::new();
    }
    let of_point = |point: Point| {
        let known = hooks(before, point);
        let new: Vec<Value> =
            hooks(after, point).iter().filter(|hook| !known.contains(hook)).cloned().collect();
        let detail = format!(
            "{} hooks are immutable when machine is marked for deletion: the following hooks are new or changed: {}",
            point.words(),
            go_list(&new)
        );
        (!new.is_empty())
            .then(|| FieldError::forbidden(format!("spec.lifecycleHooks.{}", point.field()), detail))
    };
    Point::ALL.into_iter().filter_map(of_point).collect()
}

/// The webhook that refuses new hooks of machines that are being deleted.
pub struct HookWebhook;

impl Validator for HookWebhook {
    fn validate(&self, kind: &Kind, before: Option<&Object>, object: &Object) -> Result<(), Denial> {
        let is_machine = kind.group == super::GROUP && kind.kind == "Machine";
        let refusals =
            before.filter(|_| is_machine).map(|before| refusals(before, object)).unwrap_or_default();
        match refusals.is_empty() {
            true => Ok(()),
            false => Err(Denial { code: 403, reason: "Forbidden", message: aggregate(&refusals) }),
        }
    }

    fn name(&self) -> &str {
        "validation.machine.machine.openshift.io"
    }
}

/// Hooks as Go prints a list of structures with names: `[{Name:A Owner:B} {Name:C Owner:D}]`.
fn go_list(hooks: &[Value]) -> String {
    let one = |hook: &Value| format!("{{Name:{} Owner:{}}}", hook.text(&["name"]), hook.text(&["owner"]));
    format!("[{}]", hooks.iter().map(one).collect::<Vec<_>>().join(" "))
}
