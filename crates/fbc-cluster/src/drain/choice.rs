//! Which pods of a node a drain removes, which it leaves, and which it refuses to decide about.
//!
//! Source: `kubernetes/kubectl:pkg/drain/filters.go`.

use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::time::{Milliseconds, Moment};

/// What a drain may remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filters {
    /// Pods that nothing makes anew.
    pub force: bool,
    /// Pods of daemon sets stay where they are, instead of stopping the drain.
    pub ignore_daemon_sets: bool,
    /// Pods with data that goes with them.
    pub delete_empty_dir_data: bool,
    /// Pods whose deletion was due so many milliseconds ago are passed over.
    pub skip_wait_for_delete: Option<Milliseconds>,
}

/// What a drain makes of the pods of a node.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The pods that go.
    pub pods: Vec<Object>,
    /// `TEXT: namespace/name, …`, one for each text, in the order of the pods.
    pub warnings: Vec<String>,
    /// The same for what stops the drain; `cannot delete ` stands in front.
    pub errors: Vec<String>,
}

/// What one filter says of a pod.
enum Verdict {
    Goes,
    GoesWith(&'static str),
    Stays,
    StaysWith(&'static str),
    Stops(String),
}

/// Sorts the pods of a node. `has_daemon_set` reports whether a daemon set still exists, or why it cannot be read.
pub fn choose(
    pods: impl IntoIterator<Item = Object>,
    filters: &Filters,
    now: Moment,
    has_daemon_set: &dyn Fn(&ObjectName) -> Result<(), ApiError>,
) -> Choice {
    let mut choice = Choice::default();
    let (mut warnings, mut errors) = (Vec::new(), Vec::new());
    for pod in pods {
        let name = pod.object_name().to_string();
        match judge(&pod, filters, now, has_daemon_set) {
            Verdict::Goes => choice.pods.push(pod),
            Verdict::GoesWith(text) => {
                note(&mut warnings, text.to_owned(), name);
                choice.pods.push(pod);
            }
            Verdict::Stays => {}
            Verdict::StaysWith(text) => note(&mut warnings, text.to_owned(), name),
            Verdict::Stops(text) => note(&mut errors, text, name),
        }
    }
    let listed = |(text, names): (String, Vec<String>)| format!("{text}: {}", names.join(", "));
    choice.warnings = warnings.into_iter().map(listed).collect();
    choice.errors = errors.into_iter().map(|entry| format!("cannot delete {}", listed(entry))).collect();
    choice
}

fn note(texts: &mut Vec<(String, Vec<String>)>, text: String, name: String) {
    match texts.iter_mut().find(|(present, _)| *present == text) {
        Some((_, names)) => names.push(name),
        None => texts.push((text, vec![name])),
    }
}

/// The filters one after another. The last one that lets a pod go has the last word, so that only the warning about
/// pods without a controller is ever heard of pods that go.
fn judge(
    pod: &Object,
    filters: &Filters,
    now: Moment,
    has_daemon_set: &dyn Fn(&ObjectName) -> Result<(), ApiError>,
) -> Verdict {
    let is_finished = ["Succeeded", "Failed"].contains(&pod.text(&["status", "phase"]));
    let due = Moment::parse(pod.text(&["metadata", "deletionTimestamp"]));
    if let (Some(limit), Some(due)) = (filters.skip_wait_for_delete.filter(|limit| *limit > 0), due)
        && now.since(due) > limit
    {
        return Verdict::Stays;
    }
    let owner = pod.controller();
    if let Some(owner) = owner.filter(|owner| owner["kind"] == "DaemonSet" && !is_finished) {
        let name = ObjectName::namespaced(pod.namespace(), owner.text(&["name"]));
        match has_daemon_set(&name) {
            Err(_) if filters.force => {}
            Err(error) => return Verdict::Stops(error.message),
            Ok(()) if filters.ignore_daemon_sets => {
                return Verdict::StaysWith("ignoring DaemonSet-managed Pods");
            }
            Ok(()) => {
                let text = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
                return Verdict::Stops(text.to_owned());
            }
        }
    }
    if pod.annotation("kubernetes.io/config.mirror").is_some() {
        return Verdict::Stays;
    }
    let mut volumes = pod.list(&["spec", "volumes"]).iter();
    if volumes.any(|volume| volume.get("emptyDir").is_some())
        && !is_finished
        && !filters.delete_empty_dir_data
    {
        let text = "Pods with local storage (use --delete-emptydir-data to override)";
        return Verdict::Stops(text.to_owned());
    }
    match (is_finished || owner.is_some(), filters.force) {
        (true, _) => Verdict::Goes,
        (false, true) => Verdict::GoesWith("deleting Pods that declare no controller"),
        (false, false) => {
            Verdict::Stops("Pods that declare no controller (use --force to override)".to_owned())
        }
    }
}
