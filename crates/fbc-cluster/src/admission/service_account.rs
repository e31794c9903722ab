//! The service account of a pod: named in every pod, and there when the pod is made.
//!
//! Source: `kubernetes/kubernetes:plugin/pkg/admission/serviceaccount/admission.go`. The volume with the token is left
//! out: nothing here reads tokens.

use super::shown_name;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// The annotation of pods that a kubelet reads from files; they have no account.
const MIRROR: &str = "kubernetes.io/config.mirror";
/// The account of pods that name none. The API server waits a second for it, until the controller of accounts has made
/// it in a new namespace.
const DEFAULT: &str = "default";

/// Names the account in a new pod and gives the pod the account's secrets for pulling images.
///
/// # Errors
/// The API server's refusal, if `account` does not find the account.
pub fn admit<'a>(pod: &mut Object, account: impl Fn(&str) -> Option<&'a Object>) -> Result<(), ApiError> {
    if pod.annotation(MIRROR).is_some() {
        return Ok(());
    }
    let wanted = match pod.text(&["spec", "serviceAccountName"]) {
        "" => DEFAULT.to_owned(),
        name => name.to_owned(),
    };
    let found = account(&wanted);
    if found.is_none() && wanted != DEFAULT {
        let namespace = pod.namespace();
        let cause = format!(
            "error looking up service account {namespace}/{wanted}: serviceaccount {wanted:?} not found"
        );
        return Err(ApiError::forbidden("", "pods", shown_name(pod), &cause));
    }
    let secrets = found.map(|account| account.list(&["imagePullSecrets"])).unwrap_or_default();
    if pod.list(&["spec", "imagePullSecrets"]).is_empty() && !secrets.is_empty() {
        pod.set(&["spec", "imagePullSecrets"], secrets.to_vec());
    }
    pod.set(&["spec", "serviceAccount"], wanted.as_str());
    pod.set(&["spec", "serviceAccountName"], wanted);
    Ok(())
}
