//! The queue of CatalogSources: what they ask for, their registries, their connections.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`syncCatalogSources`).

use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Milliseconds;
use fbc_resolve_v0::SourceKey;
use serde_json::{Value, json};

use super::connections::{SharedConnections, State};
use super::registry::{self, Ensured, Registry};
use super::{RESOLUTION, RESYNC};
use crate::Options;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{CATALOG_SOURCE, GROUP, SUBSCRIPTION};
use crate::retries::Retries;

/// The name of the queue.
pub(super) const CATALOGS: &str = "catalog-sources";
/// How long a connection takes to become another one.
const CONNECTING: Milliseconds = 50;

/// Looks after CatalogSources.
pub(super) struct Catalogs {
    options: Options,
    caller: Caller,
    connections: SharedConnections,
    registry: Registry,
    retries: Retries,
    requeues: Vec<Requeue>,
}

/// How a look at a catalog ends.
struct End {
    status: Value,
    /// A failure that is tried again.
    error: Option<String>,
    /// When it is looked at again.
    again: Option<Milliseconds>,
}

impl End {
    fn stop(status: Value) -> Self {
        Self { status, error: None, again: None }
    }

    fn failed(mut status: Value, reason: &str, error: String) -> Self {
        set_reason(&mut status, reason, &error);
        Self { status, error: Some(error), again: None }
    }
}

fn set_reason(status: &mut Value, reason: &str, message: &str) {
    status["reason"] = reason.into();
    status["message"] = message.into();
}

impl Catalogs {
    pub(super) fn new(options: &Options, connections: &SharedConnections) -> Self {
        Self {
            options: options.clone(),
            caller: options.catalog_operator(),
            connections: Rc::clone(connections),
            registry: Registry::new(options),
            retries: Retries::default(),
            requeues: Vec::new(),
        }
    }

    /// The connection that became ready wakes whoever installs from the catalog.
    ///
    /// Shows V0-019.
    fn ready(&mut self, key: &SourceKey, api: &ApiServer) {
        let mut namespaces = vec![key.namespace.clone()];
        if key.namespace == self.options.catalogs_namespace {
            let from_here = api.all(GROUP, SUBSCRIPTION).filter(|one| {
                one.text(&["spec", "source"]) == key.name
                    && one.text(&["spec", "sourceNamespace"]) == key.namespace
            });
            namespaces.extend(from_here.map(|one| one.namespace().to_owned()));
        }
        namespaces.sort_unstable();
        namespaces.dedup();
        let requeues = namespaces.into_iter().map(|name| Requeue::now(RESOLUTION, ObjectName::cluster(name)));
        self.requeues.extend(requeues);
    }

    /// The stages: each may end the look.
    fn sync(&mut self, catalog: &Arc<Object>, key: &SourceKey, api: &mut ApiServer) -> End {
        let mut status =
            catalog.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
        status.remove(&["reason"]);
        status.remove(&["message"]);
        if let Err(error) = supported(catalog) {
            set_reason(&mut status, "SpecInvalidError", &error);
            return End::stop(status);
        }
        if let Some(name) = registry::config_map(catalog) {
            match self.registry.own_config_map(
                catalog,
                name,
                &mut status,
                &mut Client::new(api, &self.caller),
            ) {
                Ok(true) => return End::stop(status),
                Ok(false) => {}
                Err(error) => return End::failed(status, "ConfigMapError", error.into()),
            }
        }
        let polls = registry::polls(catalog);
        let is_healthy = match self.registry.is_healthy(catalog, api) {
            Ok(is_healthy) => is_healthy,
            Err(error) => return End::failed(status, "RegistryServerError", error.into()),
        };
        let goes_on = is_healthy && status.get("registryService").is_some();
        let mut again = None;
        if !goes_on || polls {
            match self.registry.ensure(catalog, &mut status, &mut Client::new(api, &self.caller)) {
                Ok(Ensured::Done) => {}
                Ok(Ensured::NotReady(wait)) => return End { again: Some(wait), ..End::stop(status) },
                Err(error) => {
                    let error = format!("couldn't ensure registry server - {error}");
                    return End::failed(status, "RegistryServerError", error);
                }
            }
            if polls {
                if let Some(error) = registry::interval_error(catalog) {
                    set_reason(&mut status, "InvalidIntervalError", &error);
                }
                again = Some(registry::next_look(catalog, &status, api.now()));
            } else {
                self.connections.borrow_mut().close(key);
            }
        }
        if goes_on {
            self.connection(catalog, key, &mut status, api);
        }
        End { again, ..End::stop(status) }
    }

    /// The last stage: a connection to the address, and what is known of it.
    fn connection(&mut self, catalog: &Object, key: &SourceKey, status: &mut Value, api: &ApiServer) {
        let address = registry::address(catalog, status);
        let mut connections = self.connections.borrow_mut();
        if connections.get(key).is_none_or(|connection| connection.address != address) {
            connections.connect(key, &address, api.now());
        }
        let Some(connection) = connections.get(key) else { return };
        let known = &status["connectionState"];
        let is_known = known.text(&["address"]) == address
            && known.text(&["lastObservedState"]) == connection.state.text()
            && known.text(&["lastConnect"]) >= connection.since.to_string().as_str();
        if !is_known {
            status["connectionState"] = json!({
                "address": address, "lastObservedState": connection.state.text(), "lastConnect": api.now().to_string(),
            });
        }
    }
}

/// Shows V0-008 and V0-009.
fn supported(catalog: &Object) -> Result<(), LookError> {
    match catalog.text(&["spec", "sourceType"]) {
        "grpc" => {
            let names = [["spec", "image"], ["spec", "address"]];
            if names.iter().all(|path| catalog.text(path).is_empty()) {
                return Err("image and address unset: at least one must be set for sourcetype: grpc".into());
            }
            Ok(())
        }
        kind @ ("internal" | "configmap") if catalog.text(&["spec", "configMap"]).is_empty() => {
            fail(format!("configmap name unset: must be set for sourcetype: {kind}"))
        }
        "internal" | "configmap" => Ok(()),
        other => fail(format!("unknown sourcetype: {other}")),
    }
}

impl Controller for Catalogs {
    fn name(&self) -> &'static str {
        CATALOGS
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, CATALOG_SOURCE),
            ("", "Pod"),
            ("", "Service"),
            ("", "ServiceAccount"),
            ("", "ConfigMap"),
            ("rbac.authorization.k8s.io", "Role"),
            ("rbac.authorization.k8s.io", "RoleBinding"),
            ("networking.k8s.io", "NetworkPolicy"),
            ("batch", "Job"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind == (GROUP, CATALOG_SOURCE) {
            requests.push(change.key.name.clone());
            return;
        }
        let Some(object) = change.latest() else { return };
        let owners = object.owner_references().iter().filter(|owner| owner.kind() == CATALOG_SOURCE);
        requests
            .extend(owners.map(|owner| ObjectName::namespaced(object.namespace(), owner.text(&["name"]))));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let key = SourceKey { namespace: request.namespace.clone(), name: request.name.clone() };
        let Some(catalog) = api.find(GROUP, CATALOG_SOURCE, request).cloned() else {
            self.connections.borrow_mut().forget(&key);
            return Outcome::Done;
        };
        let has_changed = self.connections.borrow_mut().advance(&key, api.now());
        let is_ready =
            self.connections.borrow().get(&key).is_some_and(|one| matches!(one.state, State::Ready(_)));
        if has_changed && is_ready {
            self.ready(&key, api);
        }
        let end = self.sync(&catalog, &key, api);
        let mut error = end.error;
        let before = catalog.get("status").cloned().unwrap_or(json!({}));
        if before != end.status {
            let written = Client::new(api, &self.caller).update_status(&catalog, end.status);
            error = error.or(written.err().map(|error| error.message));
        }
        let again = end.again.or(self.connections.borrow().is_moving(&key).then_some(CONNECTING));
        match self.retries.outcome(request, error.map_or(Ok(()), |error| Err(error.into()))) {
            Outcome::Done => again.map_or(Outcome::Done, Outcome::Routinely),
            outcome => outcome,
        }
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
