//! The queue of Subscriptions: what they say of their plan, of catalogs and of deprecations; then their namespace is resolved.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/subscription`
//! (`reconciler.go`, `state.go`, `syncer.go`).

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Milliseconds;
use fbc_resolve_v0::SourceKey;
use serde_json::{Value, json};

use super::connections::SharedConnections;
use super::registry::Registry;
use super::{RESOLUTION, RESYNC, condition, health, plan_condition};
use crate::Options;
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::{CATALOG_SOURCE, GROUP, INSTALL_PLAN, SUBSCRIPTION};
use crate::retries::Retries;

/// The name of the queue.
pub(super) const SUBSCRIPTIONS: &str = "subscriptions";

/// Looks after Subscriptions.
pub(super) struct Subscriptions {
    options: Options,
    caller: Caller,
    connections: SharedConnections,
    registry: Registry,
    retries: Retries,
    /// Subscriptions that changed themselves: only then deprecations are looked up.
    own: BTreeSet<ObjectName>,
    requeues: Vec<Requeue>,
}

impl Subscriptions {
    pub(super) fn new(options: &Options, connections: &SharedConnections) -> Self {
        Self {
            options: options.clone(),
            caller: options.catalog_operator(),
            connections: Rc::clone(connections),
            registry: Registry::new(options),
            retries: Retries::default(),
            own: BTreeSet::new(),
            requeues: Vec::new(),
        }
    }

    fn sync(&mut self, request: &ObjectName, api: &mut ApiServer) -> Result<(), LookError> {
        let Some(mut subscription) = api.find(GROUP, SUBSCRIPTION, request).cloned() else {
            // Deleting one wakes nobody.
            return Ok(());
        };
        let message = |error: ApiError| error.message;
        if let Some(status) = plan_condition::status(&subscription, api) {
            subscription = self.write(&subscription, status, api).map_err(message)?;
        }
        let catalogs =
            health::catalogs(&subscription, &self.options.catalogs_namespace, &self.registry, api)?;
        if let Some(status) = health::status(&subscription, &catalogs, api.now()) {
            subscription = self.write(&subscription, status, api).map_err(message)?;
        }
        if self.own.remove(request)
            && let Some(status) = self.deprecations(&subscription, api)
        {
            self.write(&subscription, status, api).map_err(message)?;
        }
        self.requeues.push(Requeue::now(RESOLUTION, ObjectName::cluster(&*request.namespace)));
        Ok(())
    }

    fn write(
        &self,
        subscription: &Object,
        status: Value,
        api: &mut ApiServer,
    ) -> Result<Arc<Object>, ApiError> {
        Client::new(api, &self.caller).update_status(subscription, status)
    }

    /// The status with the conditions that deprecations come to, if they are not there.
    ///
    /// Shows V0-061 and V0-136.
    fn deprecations(&self, subscription: &Object, api: &ApiServer) -> Option<Value> {
        let text = |field: &str| subscription.text(&["spec", field]);
        let key =
            SourceKey { namespace: text("sourceNamespace").to_owned(), name: text("source").to_owned() };
        api.find(GROUP, CATALOG_SOURCE, &ObjectName::namespaced(&*key.namespace, &*key.name))?;
        let snapshot = self.connections.borrow_mut().snapshot(&key, api.now()).ok()?;
        let (package, channel) = (text("name"), text("channel"));
        let installed = subscription.text(&["status", "installedCSV"]);
        let entry = snapshot.entries.entries().iter().find(|entry| {
            entry.bundle.package == package
                && (channel.is_empty() || entry.channel == channel)
                && entry.name() == installed
        })?;
        let deprecations = &entry.deprecations;
        // Who follows every channel is told of none.
        let of_channel = deprecations.channel.as_ref().filter(|_| !channel.is_empty());
        let wanted = [
            ("PackageDeprecated", deprecations.package.as_ref()),
            ("ChannelDeprecated", of_channel),
            ("BundleDeprecated", deprecations.bundle.as_ref()),
        ];
        let mut status = subscription["status"].clone();
        let mut has_changed = false;
        let set = |status: &mut Value, of: &str, message: &str| {
            let now = api.now().to_string();
            let new = json!({"type": of, "status": "True", "message": message, "lastTransitionTime": now});
            condition::set(status, new);
        };
        for (of, message) in wanted {
            let present = subscription.condition(of);
            match message {
                Some(message) if present.is_none_or(|one| one.text(&["message"]) != message) => {
                    set(&mut status, of, message);
                    has_changed = true;
                }
                None if present.is_some() => {
                    condition::remove(&mut status, of);
                    has_changed = true;
                }
                _ => {}
            }
        }
        if !has_changed {
            return None;
        }
        let messages: Vec<&str> =
            wanted.iter().filter_map(|(_, message)| message.map(String::as_str)).collect();
        if messages.is_empty() {
            condition::remove(&mut status, "Deprecated");
        } else {
            set(&mut status, "Deprecated", &messages.join("; "));
        }
        Some(status)
    }
}

impl Controller for Subscriptions {
    fn name(&self) -> &'static str {
        SUBSCRIPTIONS
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, SUBSCRIPTION), (GROUP, CATALOG_SOURCE), (GROUP, INSTALL_PLAN)]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(object) = change.latest() else { return };
        match kind.1 {
            SUBSCRIPTION => {
                self.own.insert(change.key.name.clone());
                requests.push(change.key.name.clone());
            }
            // A catalog that goes is noticed by nobody.
            CATALOG_SOURCE if change.after.is_some() => {
                let is_global = object.namespace() == self.options.catalogs_namespace;
                let all = api.all(GROUP, SUBSCRIPTION).map(|one| one.object_name());
                requests.extend(all.filter(|name| is_global || name.namespace == object.namespace()));
            }
            INSTALL_PLAN => {
                let owners = object.owner_references().iter().filter(|owner| owner.kind() == SUBSCRIPTION);
                let names =
                    owners.map(|owner| ObjectName::namespaced(object.namespace(), owner.text(&["name"])));
                requests.extend(names);
            }
            _ => {}
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let result = self.sync(request, api);
        self.retries.outcome(request, result)
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
