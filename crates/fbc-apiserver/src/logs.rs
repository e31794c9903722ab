//! The logs of simulated pods: nothing runs in them, so that their logs tell what became of their containers.

use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};

use crate::actor::Actor;
use crate::request::Query;

impl Actor<'_> {
    /// The log of a container of a pod: a line for each event of the pod, and one for the state of the container.
    pub(crate) fn pod_log(&self, pod: &Object, query: &Query) -> Result<String, ApiError> {
        let container = container_of(pod, query.text("container"))?;
        let is_of_pod = |event: &&Object| event.text(&["involvedObject", "uid"]) == pod.uid();
        let events = self.cluster.api.all("", "Event").map(|event| &**event).filter(is_of_pod);
        let mut lines: Vec<(String, String)> = events
            .filter(|event| {
                let path = event.text(&["involvedObject", "fieldPath"]);
                path.is_empty() || path.contains(&format!("{{{container}}}"))
            })
            .map(|event| {
                let at = match event.text(&["lastTimestamp"]) {
                    "" => event.text(&["metadata", "creationTimestamp"]),
                    at => at,
                };
                (at.to_owned(), format!("{}: {}", event.text(&["reason"]), event.text(&["message"])))
            })
            .collect();
        let statuses = pod.list(&["status", "containerStatuses"]).iter();
        let statuses = statuses.chain(pod.list(&["status", "initContainerStatuses"]));
        for status in statuses.filter(|status| status.text(&["name"]) == container) {
            let states = status.at(&["state"]).and_then(|state| state.as_object()).into_iter().flatten();
            for (state, detail) in states {
                let at = match state.as_str() {
                    "terminated" => detail.text(&["finishedAt"]).to_owned(),
                    "running" => detail.text(&["startedAt"]).to_owned(),
                    // It says nothing of when it began, and holds now.
                    _ => self.cluster.now().to_string(),
                };
                let reason = detail.text(&["reason"]);
                let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                lines.push((at, format!("container {container} is {state}{reason}")));
            }
        }
        lines.sort_by(|one, other| one.0.cmp(&other.0));
        let has_times = query.flag("timestamps");
        let mut lines: Vec<String> = lines
            .into_iter()
            .map(|(at, text)| if has_times { format!("{at} {text}\n") } else { format!("{text}\n") })
            .collect();
        if let Some(last) = query.number("tailLines")?.and_then(|last| usize::try_from(last).ok()) {
            lines.drain(..lines.len().saturating_sub(last));
        }
        Ok(lines.concat())
    }
}

/// The container that is meant: the one that is named, or the only one.
///
/// Source: `kubernetes/kubernetes:pkg/registry/core/pod/strategy.go` (`LogLocation`).
fn container_of<'p>(pod: &'p Object, wanted: &'p str) -> Result<&'p str, ApiError> {
    let names =
        |field: &str| pod.list(&["spec", field]).iter().map(|one| one.text(&["name"])).collect::<Vec<_>>();
    let (containers, init) = (names("containers"), names("initContainers"));
    let name = pod.name();
    if wanted.is_empty() {
        return match containers.as_slice() {
            [only] if init.is_empty() => Ok(only),
            [_, ..] => {
                let mut text = format!(
                    "a container name must be specified for pod {name}, choose one of: [{}]",
                    containers.join(" ")
                );
                if !init.is_empty() {
                    text.push_str(&format!(" or one of the init containers: [{}]", init.join(" ")));
                }
                Err(ApiError::bad_request(text))
            }
            [] => Err(ApiError::bad_request(format!("pod {name} has no containers"))),
        };
    }
    if containers.contains(&wanted) || init.contains(&wanted) {
        return Ok(wanted);
    }
    Err(ApiError::bad_request(format!("container {wanted} is not valid for pod {name}")))
}
