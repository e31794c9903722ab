//! What a namespace says while its bundles are unpacked, and when they cannot be.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`unpackBundles`, `syncResolvingNamespace`).

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{MINUTE, Milliseconds, SECOND};
use serde_json::json;

use super::changes::Changes;
use super::resolution::{End, Resolution};
use super::steps::StepsError;
use super::unpack::{Progress, Unpacker};
use super::{condition, unpack};
use crate::client::Client;
use crate::look_error::fail;

/// When a namespace is looked at again whose bundles are being unpacked.
const UNPACKING: Milliseconds = 5 * SECOND;
/// When it is looked at again after a bundle could not be unpacked.
const UNPACK_AGAIN: Milliseconds = 5 * MINUTE;

impl Resolution {
    /// Unpacks bundles. Ends the look while one of them is not unpacked.
    ///
    /// Shows V0-054 and V0-134.
    pub(super) fn unpack(
        &mut self,
        namespace: &str,
        subscriptions: &[Arc<Object>],
        changes: &mut Changes,
        unpacker: &Unpacker<'_>,
        api: &mut ApiServer,
    ) -> Option<End> {
        let (mut pending, mut failed, mut errors) = (None, None, Vec::new());
        for lookup in &changes.lookups {
            match unpacker.unpack(lookup, namespace, &mut Client::new(api, &self.caller)) {
                Ok(Progress::Done(steps)) => changes.steps.extend(steps),
                Ok(Progress::Pending(message)) => {
                    let present: &mut String = pending.get_or_insert_default();
                    if present.is_empty() {
                        *present = message;
                    }
                }
                Ok(Progress::Failed(reason, message)) => {
                    failed.get_or_insert((reason, message));
                }
                Err(StepsError::Fatal(text)) => {
                    let new = json!({
                        "type": "BundleUnpackFailed", "status": "True", "reason": "ErrorPreventedUnpacking",
                        "message": text,
                    });
                    return Some(self.set_on_all(subscriptions, &new, api).map(|()| None));
                }
                Err(StepsError::Retried(text)) => errors.push(text),
            }
        }
        if !errors.is_empty() {
            return Some(fail(format!("bundle unpacking failed with an error: {}", errors.join(", "))));
        }
        if let Some((reason, message)) = failed {
            let text = unpacker.failure_message(&reason, &message);
            return Some(self.note_unpack_failure(subscriptions, &text, api));
        }
        let message = pending?;
        let mut new = json!({"type": "BundleUnpacking", "status": "True", "reason": "UnpackingInProgress"});
        if !message.is_empty() {
            new["message"] = message.into();
        }
        Some(self.set_on_all(subscriptions, &new, api).map(|()| Some(UNPACKING)))
    }

    /// Says that a bundle cannot be unpacked, in newer releases by an event, too.
    fn note_unpack_failure(&mut self, subscriptions: &[Arc<Object>], text: &str, api: &mut ApiServer) -> End {
        let of = "BundleUnpackFailed";
        let is_main = unpack::is_main(&self.options);
        let is_new = subscriptions.iter().any(|one| one.condition_status(of) != "True");
        let new = json!({"type": of, "status": "True", "reason": of, "message": text});
        let mut errors = Vec::new();
        for subscription in subscriptions {
            let mut status =
                subscription.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
            let mut has_changed = is_main && condition::remove(&mut status, "BundleUnpacking");
            if subscription.condition(of).is_none_or(|present| !condition::says(present, &new)) {
                condition::set(&mut status, new.clone());
                status.set(&["lastUpdated"], api.now().to_string());
                has_changed = true;
            }
            if is_main {
                self.recorder.warning(api, subscription, of, text);
            }
            if has_changed {
                let written = Client::new(api, &self.caller).update_status(subscription, status);
                errors.extend(written.err().map(|error| error.message));
            }
        }
        if !errors.is_empty() {
            return Err(errors.join(", ").into());
        }
        Ok((is_main && is_new).then_some(UNPACK_AGAIN))
    }
}
