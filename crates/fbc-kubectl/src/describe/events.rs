//! The events at the end of a description.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Look, Page};
use crate::age::age;
use crate::print::NONE;

/// When an event was seen: its age, or `5m (x3 over 9m)` if it was seen several times.
pub fn event_age(event: &Value, now: Moment) -> String {
    let since = |path: &[&str]| age(event.text(path), now);
    let count = event.number(&["count"]).unwrap_or_default();
    if let Some(series) = event.at(&["series"]).filter(|series| series.is_object()) {
        let count = series.number(&["count"]).unwrap_or_default();
        let last = age(series.text(&["lastObservedTime"]), now);
        return format!("{last} (x{count} over {})", since(&["eventTime"]));
    }
    if count > 1 {
        return format!("{} (x{count} over {})", since(&["lastTimestamp"]), since(&["firstTimestamp"]));
    }
    if event.text(&["firstTimestamp"]).is_empty() {
        since(&["eventTime"])
    } else {
        since(&["firstTimestamp"])
    }
}

/// Adds the events about an object, oldest first.
pub(super) fn events(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    if !look.shows_events() {
        return;
    }
    let namespace = object.namespace();
    let mut events = look.list("", "Event", (!namespace.is_empty()).then_some(namespace));
    events.retain(|event| {
        let involved = &event["involvedObject"];
        let uid = involved.text(&["uid"]);
        involved.text(&["kind"]) == object.kind()
            && involved.text(&["name"]) == object.name()
            && involved.text(&["namespace"]) == namespace
            // Events of nodes carry their name for a uid.
            && (uid.is_empty() || uid == object.uid() || uid == object.name())
    });
    if events.is_empty() {
        page.entry(0, "Events", NONE);
        return;
    }
    let last = |event: &Value| {
        let times = [event.text(&["lastTimestamp"]), event.text(&["eventTime"])];
        times.into_iter().find_map(Moment::parse)
    };
    events.sort_by_key(last);
    page.line(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage");
    page.line(1, "----\t------\t----\t----\t-------");
    for event in &events {
        let text = |path: &[&str]| event.text(path).trim().to_owned();
        let component = Some(text(&["source", "component"])).filter(|component| !component.is_empty());
        let component = component.unwrap_or_else(|| text(&["reportingComponent"]));
        let (kind, reason, seen) = (text(&["type"]), text(&["reason"]), event_age(event, now));
        page.line(1, format!("{kind}\t{reason}\t{seen}\t{component}\t{}", text(&["message"])));
    }
}
