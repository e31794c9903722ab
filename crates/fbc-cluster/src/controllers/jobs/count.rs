//! How the end of pods is written down: announced, the pods let go, then counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::finish::End;
use super::indexes;
use super::sync::{Numbers, Sync, is_indexed, number, remove_finalizer};
use crate::controllers::write::update_status;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// So many pods are counted at a time.
///
/// Source: `MaxUncountedPods` in `kubernetes/kubernetes:pkg/controller/job/job_controller.go`.
const MOST_COUNTED: usize = 500;

impl Sync<'_> {
    /// Writes down which pods ended, lets them go, and counts them.
    pub(super) fn write(
        &mut self,
        numbers: Numbers,
        end: Option<&End>,
        done: &BTreeSet<u64>,
        lost: &BTreeSet<u64>,
    ) -> Result<(), ApiError> {
        set_or_drop(&mut self.status, "active", numbers.active);
        self.status.set(&["ready"], numbers.ready);
        self.status.set(&["terminating"], numbers.terminating);
        if let Some(end) = end {
            self.put_condition(end.announcement(), "True", &end.reason, &end.message);
        }
        let mut uncounted = self.uncounted(end.is_some());
        let are_all = uncounted.keep(MOST_COUNTED);
        let uids = |pods: &[Arc<Object>]| pods.iter().map(|pod| pod.uid().to_owned()).collect::<Vec<_>>();
        let mut waiting = BTreeMap::from([("failed", uids(&uncounted.failed))]);
        if is_indexed(&self.job) {
            set_or_drop(&mut self.status, "succeeded", done.len());
            if !done.is_empty() {
                self.status.set(&["completedIndexes"], indexes::write(done));
            }
            if self.job.at(&["spec", "backoffLimitPerIndex"]).is_some() {
                self.status.set(&["failedIndexes"], indexes::write(lost));
            }
        } else {
            waiting.insert("succeeded", uids(&uncounted.succeeded));
        }
        waiting.retain(|_, uids| !uids.is_empty());
        self.status.set(&["uncountedTerminatedPods"], json!(waiting));
        self.put()?;
        for pod in uncounted.succeeded.iter().chain(&uncounted.failed) {
            remove_finalizer(self.api, self.kind, pod)?;
        }
        for (field, uids) in &waiting {
            let sum = number(&self.status, &[field]) + i64::try_from(uids.len()).unwrap_or_default();
            self.status.set(&[field], sum);
        }
        self.status.set(&["uncountedTerminatedPods"], json!({}));
        if !are_all {
            self.look_again(Some(self.api.now()));
        }
        let end = end.filter(|_| are_all && numbers.active == 0 && numbers.terminating == 0);
        if let Some(end) = end {
            self.put_condition(end.condition(), "True", &end.reason, &end.message);
            if end.succeeded {
                self.status.set(&["completionTime"], self.api.now().to_string());
            }
        }
        self.put()?;
        if let Some(end) = end {
            if end.succeeded {
                self.events.normal(self.api, &self.job, "Completed", "Job completed");
            } else {
                self.events.warning(self.api, &self.job, &end.reason, &end.message);
            }
        }
        Ok(())
    }

    fn put(&mut self) -> Result<(), ApiError> {
        let name = self.job.object_name();
        let Some(present) = self.api.find("batch", "Job", &name).cloned() else { return Ok(()) };
        self.job = update_status(self.api, &present, self.status.clone())?;
        Ok(())
    }
}

fn set_or_drop(status: &mut Value, field: &str, number: usize) {
    if number > 0 {
        status.set(&[field], number);
    } else {
        status.remove(&[field]);
    }
}
