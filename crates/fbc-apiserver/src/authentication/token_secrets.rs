//! Secrets with tokens of service accounts that never end: filled when they are made, and gone with their account.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/serviceaccount/tokens_controller.go`.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_go::base64;

use super::TokenAuthority;

/// The type of such secrets.
pub(super) const TYPE: &str = "kubernetes.io/service-account-token";
const ACCOUNT: &str = "kubernetes.io/service-account.name";
const UID: &str = "kubernetes.io/service-account.uid";

/// Fills secrets.
pub(crate) struct TokenSecrets {
    tokens: Arc<TokenAuthority>,
}

impl TokenSecrets {
    pub(crate) fn new(tokens: Arc<TokenAuthority>) -> Self {
        Self { tokens }
    }

    /// The secret as it should be; nothing if it is so.
    fn filled(&self, secret: &Object, account: &Object, api: &ApiServer) -> Option<Object> {
        let mut filled = secret.clone();
        let account_uid = account.uid();
        let token = match secret.text(&["data", "token"]) {
            "" => base64::encode(self.tokens.issue_for_secret(account, secret.name()).as_bytes()),
            token => token.to_owned(),
        };
        filled.set(&["data", "token"], token);
        filled.set(&["data", "namespace"], base64::encode(secret.namespace().as_bytes()));
        filled.set(&["data", "ca.crt"], base64::encode(api.root_certificate().as_bytes()));
        filled.set(&["metadata", "annotations", UID], account_uid);
        (filled != *secret).then_some(filled)
    }
}

fn is_meant(secret: &Object) -> bool {
    secret.text(&["type"]) == TYPE
}

impl Controller for TokenSecrets {
    fn name(&self) -> &'static str {
        "token-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Secret"), ("", "ServiceAccount")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Secret" {
            requests.extend(change.after.iter().filter(|secret| is_meant(secret)).map(|_| name.clone()));
            return;
        }
        // An account that is there already needs nothing more.
        if change.before.is_some() && change.after.is_some() {
            return;
        }
        let of_account = |secret: &&Arc<Object>| {
            is_meant(secret)
                && secret.namespace() == name.namespace
                && secret.annotation(ACCOUNT) == Some(name.name.as_str())
        };
        requests.extend(api.all("", "Secret").filter(of_account).map(|secret| secret.object_name()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(secret) = api.find("", "Secret", request).filter(|secret| is_meant(secret)).cloned() else {
            return Outcome::Done;
        };
        let caller = Caller::administrator("kube-controller-manager");
        let name = secret.annotation(ACCOUNT).unwrap_or_default().to_owned();
        let account =
            api.find("", "ServiceAccount", &ObjectName::namespaced(&request.namespace, name)).cloned();
        let uid = secret.annotation(UID).unwrap_or_default();
        let account = account.filter(|account| uid.is_empty() || uid == account.uid());
        let Some(account) = account else {
            let options = DeleteOptions { uid: Some(secret.uid().to_owned()), ..DeleteOptions::default() };
            if let Some(id) = api.kind_id("", "Secret") {
                // It may be gone already.
                let _ = api.delete(&caller, id, request, &options);
            }
            return Outcome::Done;
        };
        if let Some(filled) = self.filled(&secret, &account, api) {
            // Who refuses it, such as a webhook, sees it again when the secret changes.
            let _ = api.update(&caller, filled, Subresource::None, WriteOptions::default());
        }
        Outcome::Done
    }
}
