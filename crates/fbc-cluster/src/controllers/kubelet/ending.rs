//! Pods that are deleted report their end, and go.

use std::sync::Arc;

use super::course::KILLED;
use super::pod::ended;
use super::{caller, is_finished, update_status_as};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::Outcome;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::time::{Milliseconds, Moment, SECOND};

/// So long the end of a pod takes beyond its grace period.
const END: Milliseconds = 80;

/// Tells the end of a pod and takes it away once it has ended, at the latest when its grace period is over.
pub(super) fn stop(
    api: &mut ApiServer,
    pod: &Arc<Object>,
    since: Moment,
    stops: Option<Milliseconds>,
    reports_end: bool,
) -> Result<Outcome, ApiError> {
    let now = api.now();
    let seconds = pod.number(&["metadata", "deletionGracePeriodSeconds"]).unwrap_or_default();
    let grace = u64::try_from(seconds).unwrap_or_default() * SECOND;
    let grace = stops.map_or(grace, |stops| stops.min(grace));
    let end = if seconds > 0 { since + grace + END } else { since };
    if now < end && !is_finished(pod) {
        return Ok(Outcome::After(end.since(now)));
    }
    if reports_end && seconds > 0 && !is_finished(pod) {
        // Who does not end by itself is killed.
        let code = if stops.is_some() { 0 } else { KILLED };
        update_status_as(&caller(), api, pod, ended(pod, code, now))?;
    }
    let Some(kind) = api.kind_id("", "Pod") else { return Ok(Outcome::Done) };
    let uid = Some(pod.uid().to_owned());
    let options = DeleteOptions { grace_period: Some(0), uid, ..DeleteOptions::default() };
    api.delete(&caller(), kind, &pod.object_name(), &options)?;
    Ok(Outcome::Done)
}
