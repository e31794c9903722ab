//! Kubernetes Events, as the controllers write them: repeated ones are counted, similar ones combined.
//!
//! Source: `kubernetes/client-go:tools/record/{event,events_cache}.go`. Events of the scheduler come from the newer
//! interface (`tools/events/event_recorder.go`), which has no counts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::write::manager;
use crate::api::{ApiServer, Patch, Subresource, WriteOptions};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::time::{MINUTE, Milliseconds, Moment};

/// So many events that differ only in their message are told apart; further ones are combined.
const DISTINCT_MESSAGES: usize = 10;
/// Events further apart than this are not similar any more.
const SIMILAR_FOR: Milliseconds = 10 * MINUTE;
/// So many events about one object are written at once (`defaultSpamBurst`).
const BURST: f64 = 25.0;
/// Then one after this while each (`defaultSpamQPS`).
const ONE_EACH: Milliseconds = 5 * MINUTE;
/// Objects whose events are remembered; older ones begin anew.
const REMEMBERED: usize = 4096;

/// Source, kind, uid, type and reason.
type Similar = (&'static str, String, String, &'static str, String);

/// Writes the events of one component.
#[derive(Debug)]
pub struct Recorder {
    component: &'static str,
    written: u64,
    similar: BTreeMap<Similar, Recent>,
    counted: BTreeMap<(Similar, String), Counted>,
    /// What may still be written, by the kind and the uid of the object and the type of the event.
    allowances: BTreeMap<(String, String, &'static str), Allowance>,
}

/// How many events may be written, as a bucket that fills up again.
#[derive(Debug)]
struct Allowance {
    left: f64,
    at: Moment,
}

#[derive(Debug)]
struct Recent {
    last: Moment,
    messages: BTreeSet<String>,
}

#[derive(Debug)]
struct Counted {
    event: ObjectName,
    count: u64,
}

impl Recorder {
    /// A recorder of a component, such as `replicaset-controller`.
    pub fn new(component: &'static str) -> Self {
        Self {
            component,
            written: 0,
            similar: BTreeMap::new(),
            counted: BTreeMap::new(),
            allowances: BTreeMap::new(),
        }
    }

    /// Something that is as it should be.
    pub fn normal(&mut self, api: &mut ApiServer, about: &Object, reason: &str, message: &str) {
        self.record(api, about, "Normal", reason, message);
    }

    /// Something that may be wrong.
    pub fn warning(&mut self, api: &mut ApiServer, about: &Object, reason: &str, message: &str) {
        self.record(api, about, "Warning", reason, message);
    }

    /// An event of the newer interface, which knows an action and no count.
    pub fn action(
        &mut self,
        api: &mut ApiServer,
        about: &Object,
        event_type: &'static str,
        reason: &str,
        action: &str,
        message: &str,
    ) {
        let Some(mut event) = self.event(api, about, event_type, reason, message) else { return };
        event.set(&["eventTime"], micro_time(api.now()));
        event.set(&["action"], action);
        event.set(&["reportingComponent"], self.component);
        event.set(&["reportingInstance"], format!("{}-0", self.component));
        self.write(api, event);
    }

    fn record(
        &mut self,
        api: &mut ApiServer,
        about: &Object,
        event_type: &'static str,
        reason: &str,
        message: &str,
    ) {
        let now = api.now();
        let similar =
            (self.component, about.kind().to_owned(), about.uid().to_owned(), event_type, reason.to_owned());
        let (message, is_combined) = self.combined(&similar, message, now);
        let key = (similar, if is_combined { String::new() } else { message.clone() });
        let is_spam = !self.allows(about, event_type, now);
        let mut count = 1;
        if let Some(counted) = self.counted.get_mut(&key) {
            counted.count += 1;
            count = counted.count;
            if is_spam {
                return;
            }
            let changes = json!({"count": count, "message": message, "lastTimestamp": now.to_string()});
            let Some(kind) = api.kind_id("", "Event") else { return };
            let (name, patch) = (counted.event.clone(), Patch::Merge(changes));
            let options = WriteOptions::default();
            if api.patch(&manager(), kind, &name, &patch, Subresource::None, options).is_ok() {
                return;
            }
        }
        let Some(mut event) = self.event(api, about, event_type, reason, &message) else { return };
        event.set(&["count"], count);
        event.set(&["firstTimestamp"], now.to_string());
        event.set(&["lastTimestamp"], now.to_string());
        event.set(&["source"], json!({"component": self.component}));
        event.set(&["reportingComponent"], self.component);
        if self.counted.len() >= REMEMBERED {
            self.counted.clear();
            self.similar.clear();
        }
        self.counted.insert(key, Counted { event: event.object_name(), count });
        if !is_spam {
            self.write(api, event);
        }
    }

    /// Takes one of the events of a type that may be written about an object; false if there is none left.
    ///
    /// Source: `kubernetes/client-go:tools/record/events_cache.go` (`EventSourceObjectSpamFilter`).
    fn allows(&mut self, about: &Object, event_type: &'static str, now: Moment) -> bool {
        if self.allowances.len() >= REMEMBERED {
            self.allowances.clear();
        }
        let key = (about.kind().to_owned(), about.uid().to_owned(), event_type);
        let allowance = self.allowances.entry(key).or_insert(Allowance { left: BURST, at: now });
        let regained = now.since(allowance.at) as f64 / ONE_EACH as f64;
        *allowance = Allowance { left: (allowance.left + regained).min(BURST), at: now };
        let is_allowed = allowance.left >= 1.0;
        if is_allowed {
            allowance.left -= 1.0;
        }
        is_allowed
    }

    /// The message to write, and whether it stands for several.
    fn combined(&mut self, similar: &Similar, message: &str, now: Moment) -> (String, bool) {
        let recent = self
            .similar
            .entry(similar.clone())
            .or_insert_with(|| Recent { last: now, messages: BTreeSet::new() });
        if now.since(recent.last) > SIMILAR_FOR {
            recent.messages.clear();
        }
        recent.last = now;
        recent.messages.insert(message.to_owned());
        if recent.messages.len() < DISTINCT_MESSAGES {
            return (message.to_owned(), false);
        }
        recent.messages.remove(message);
        (format!("(combined from similar events): {message}"), true)
    }

    /// An event without its times; none where the cluster has no events.
    fn event(
        &mut self,
        api: &ApiServer,
        about: &Object,
        event_type: &str,
        reason: &str,
        message: &str,
    ) -> Option<Value> {
        api.kind_id("", "Event")?;
        let namespace = if about.namespace().is_empty() { "default" } else { about.namespace() };
        // Names hold the time in nanoseconds; a number keeps those of one moment apart, whoever writes them.
        let name = loop {
            self.written += 1;
            let nanoseconds = api.now().0.wrapping_mul(1_000_000).wrapping_add(self.written % 1_000_000);
            let name = format!("{}.{nanoseconds:x}", about.name());
            if api.find("", "Event", &ObjectName::namespaced(namespace, &*name)).is_none() {
                break name;
            }
        };
        Some(json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {
                "apiVersion": about.api_version(), "kind": about.kind(), "name": about.name(),
                "namespace": about.namespace(), "uid": about.uid(),
                "resourceVersion": about.text(&["metadata", "resourceVersion"]),
            },
            "type": event_type, "reason": reason, "message": message,
            "eventTime": null, "firstTimestamp": null, "lastTimestamp": null,
            "source": {}, "reportingComponent": "", "reportingInstance": "",
        }))
    }

    /// Nobody waits for events: one that is refused, as in a namespace on its way out, is dropped.
    fn write(&self, api: &mut ApiServer, event: Value) {
        let _ = api.create(&manager(), event, WriteOptions::default());
    }
}

/// `2026-01-01T00:00:00.250000Z`, as `metav1.MicroTime` is written.
pub fn micro_time(moment: Moment) -> String {
    let text = moment.to_string();
    format!("{}.{:06}Z", text.trim_end_matches('Z'), moment.0 % 1000 * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: `kubernetes/client-go:tools/record/events_cache.go` (`getSpamKey`).
    #[test]
    fn each_type_of_event_has_a_budget_of_its_own() {
        let mut recorder = Recorder::new("test");
        let about = json!({"kind": "Pod", "metadata": {"uid": "1"}});
        let now = Moment::START;
        let normal = (0..26).filter(|_| recorder.allows(&about, "Normal", now)).count();
        assert_eq!(normal, 25, "the burst is spent");
        assert!(recorder.allows(&about, "Warning", now));
        assert!(recorder.allows(&about, "Normal", now + ONE_EACH), "one comes back after a while");
    }
}
