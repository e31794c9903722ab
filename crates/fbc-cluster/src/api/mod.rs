//! The API server: every read and write of an object goes through here, as it would over HTTP.
//!
//! A write is authorised, mutated, defaulted, validated, stored, in this order, each step in a file of its own.
//! Source of the order: `kubernetes/apiserver:pkg/endpoints/handlers/create.go`, `pkg/registry/generic/registry/store.go`.

mod aggregated;
mod built_in;
mod caller;
mod certificate_requests;
mod create;
mod delete;
mod evict;
mod heartbeats;
mod lifecycle;
mod model;
mod namespace_limits;
mod patch;
mod read;
mod served;
mod service_addresses;
mod spending;
#[cfg(test)]
mod tests;
mod update;
mod warnings;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use model::Model;
use namespace_limits::QuotaUses;
use serde_json::{Value, json};

pub use aggregated::Aggregated;
pub use caller::Caller;
pub use delete::{DeleteOptions, Propagation};
pub(crate) use delete::{FOREGROUND, ORPHAN};
pub use heartbeats::Heartbeats;
pub use patch::Patch;
pub use read::ListOptions;
pub use service_addresses::ServiceAddresses;
use spending::Spending;
use warnings::Warnings;

use crate::access::Authorizer;
use crate::admission::Plugins;
use crate::admission::webhooks::WebhookCaller;
use crate::apply::Shape;
use crate::budget::Budget;
use crate::error::{ApiError, Reason};
use crate::kind::{GroupVersionKind, Kind, KindId, Registry};
use crate::kubernetes_version::KubernetesVersion;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::random::Random;
use crate::schema::Specifications;
use crate::store::Store;
use crate::time::Moment;

/// What a write may ask for besides the object.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// Answer as if, and store nothing.
    pub dry_run: bool,
    /// Refuse fields that the kind does not have, as command lines ask for.
    pub strict: bool,
}

/// The part of an object that a write is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subresource {
    /// The object without its status.
    #[default]
    None,
    /// The status alone.
    Status,
    /// The number of replicas alone.
    Scale,
    /// The node of a pod, and the condition that says so.
    Binding,
    /// The conditions by which a request for a certificate is approved or denied.
    Approval,
}

impl Subresource {
    /// The name in requests and rules; empty for the object itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Binding => "binding",
            Self::Approval => "approval",
        }
    }
}

/// Why an admission webhook denies a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Denial {
    /// The code of the answer.
    pub code: u16,
    /// The reason, empty where the webhook gives none.
    pub reason: &'static str,
    /// What the webhook says.
    pub message: String,
}

impl Denial {
    /// The refusal of the API server that asks the webhook of that name.
    fn into_refusal(self, name: &str) -> ApiError {
        let Self { code, reason, message } = self;
        ApiError::denied(code, reason, format!("admission webhook {name:?} denied the request: {message}"))
    }
}

/// Changes objects on their way in, as mutating admission webhooks do.
pub trait Mutator: Send + Sync {
    /// Changes an object that is created or updated.
    ///
    /// # Errors
    /// [`Denial`]
    fn mutate(&self, kind: &Kind, object: &mut Object) -> Result<(), Denial>;
    /// What refusals name: the webhook.
    fn name(&self) -> &str;
}

/// Refuses changes of objects, as validating admission webhooks do.
pub trait Validator: Send + Sync {
    /// Looks at what an object is to become; a new object has no state before.
    ///
    /// # Errors
    /// [`Denial`]
    fn validate(&self, kind: &Kind, before: Option<&Object>, object: &Object) -> Result<(), Denial>;
    /// What refusals name: the webhook.
    fn name(&self) -> &str;
}

/// The API server with all its objects.
pub struct ApiServer {
    registry: Registry,
    models: BTreeMap<KindId, Model>,
    authorizer: Authorizer,
    store: Store,
    now: Moment,
    random: Random,
    mutators: Vec<Arc<dyn Mutator>>,
    heartbeats: Heartbeats,
    /// When each disruption budget last let a pod go.
    evictions: BTreeMap<ObjectName, Moment>,
    validators: Vec<Arc<dyn Validator>>,
    plugins: Plugins,
    addresses: ServiceAddresses,
    spending: Spending,
    quota_uses: QuotaUses,
    webhooks: Option<Box<dyn WebhookCaller>>,
    warnings: Warnings,
    specifications: Specifications,
    kubernetes: KubernetesVersion,
    /// What other servers keep.
    aggregated: BTreeMap<KindId, Aggregated>,
}

impl ApiServer {
    /// An API server without objects that serves the kinds of the registry.
    pub fn new(registry: Registry, seed: u64) -> Self {
        let models = registry.iter().map(|(id, kind)| (id, Model::built_in(kind))).collect();
        Self {
            registry,
            models,
            authorizer: Authorizer::default(),
            store: Store::default(),
            now: Moment::START,
            random: Random::of(seed, "api server"),
            mutators: Vec::new(),
            heartbeats: Heartbeats::default(),
            evictions: BTreeMap::new(),
            validators: Vec::new(),
            plugins: Plugins::default(),
            addresses: ServiceAddresses::default(),
            spending: Spending::new(Budget::UNLIMITED),
            quota_uses: QuotaUses::default(),
            webhooks: None,
            warnings: Warnings::default(),
            specifications: Specifications::default(),
            kubernetes: KubernetesVersion::default(),
            aggregated: BTreeMap::new(),
        }
    }

    /// Another server with the same kinds and objects, which goes its own way: with a budget and warnings of its own, and
    /// nobody who reaches the webhooks of configurations.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self {
            registry: self.registry.clone(),
            models: self.models.clone(),
            authorizer: self.authorizer.clone(),
            store: self.store.clone(),
            now: self.now,
            random: self.random.clone(),
            mutators: self.mutators.clone(),
            heartbeats: self.heartbeats.clone(),
            evictions: self.evictions.clone(),
            validators: self.validators.clone(),
            plugins: self.plugins,
            addresses: self.addresses.clone(),
            spending: Spending::new(Budget::UNLIMITED),
            quota_uses: QuotaUses::default(),
            webhooks: None,
            warnings: Warnings::default(),
            specifications: self.specifications.clone(),
            kubernetes: self.kubernetes,
            aggregated: self.aggregated.clone(),
        }
    }

    /// What clients are warned of since somebody asked last.
    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// The same server with another moment to begin at.
    #[must_use]
    pub fn starting_at(self, now: Moment) -> Self {
        Self { now, ..self }
    }

    /// The same server with these admission plugins.
    #[must_use]
    pub fn with_plugins(self, plugins: Plugins) -> Self {
        Self { plugins, ..self }
    }

    /// The same server, which shares with others what it works out of definitions.
    #[must_use]
    pub fn with_specifications(self, specifications: Specifications) -> Self {
        Self { specifications, ..self }
    }

    /// The same server with these addresses for services.
    #[must_use]
    pub(crate) fn with_service_addresses(self, addresses: ServiceAddresses) -> Self {
        Self { addresses, ..self }
    }

    /// The same server, which reports another version.
    #[must_use]
    pub fn with_kubernetes(self, kubernetes: KubernetesVersion) -> Self {
        Self { kubernetes, ..self }
    }

    /// The version that the server reports, and the kubelets with it.
    pub fn kubernetes(&self) -> KubernetesVersion {
        self.kubernetes
    }

    /// The present moment.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Moves time on; never back.
    pub fn advance_to(&mut self, moment: Moment) {
        self.now = self.now.max(moment);
    }

    /// The kinds that are served.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The objects, without questions about rights: for controllers that may read everything.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Adds a definition that is served at once, as if it had been there for a while.
    ///
    /// # Errors
    /// What the API server has against the definition.
    pub fn install_definition(&mut self, definition: Object) -> Result<(), ApiError> {
        let caller = Caller::administrator("kube-apiserver");
        let created = self.create(&caller, definition, WriteOptions::default())?;
        let mut object = Object::clone(&created);
        let now = self.now.to_string();
        let condition = |name: &str, reason: &str, message: &str| json!({"type": name, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now});
        let versions = object.list(&["spec", "versions"]).iter();
        let stored: Vec<&Value> =
            versions.filter(|version| version["storage"] == true).map(|version| &version["name"]).collect();
        let status = json!({
            "acceptedNames": object.at(&["spec", "names"]),
            "conditions": [
                condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
            ],
            "storedVersions": stored,
        });
        object.set(&["status"], status);
        self.update(&caller, object, Subresource::Status, WriteOptions::default())?;
        Ok(())
    }

    /// Serves a kind of which nothing is known but metadata, as another API server behind this one would.
    pub fn serve_kind(&mut self, kind: Kind) {
        let id = self.registry.register(kind);
        self.models.insert(id, Model::untyped());
    }

    /// Who may do what.
    pub fn authorizer(&self) -> &Authorizer {
        &self.authorizer
    }

    /// Adds a mutating webhook.
    pub fn add_mutator(&mut self, mutator: Arc<dyn Mutator>) {
        self.mutators.push(mutator);
    }

    /// Adds a validating webhook.
    pub fn add_validator(&mut self, validator: Arc<dyn Validator>) {
        self.validators.push(validator);
    }

    /// Says who reaches the webhooks that configurations name; without anybody none is asked.
    pub fn set_webhook_caller(&mut self, caller: Box<dyn WebhookCaller>) {
        self.webhooks = Some(caller);
    }

    /// The kind of a group and a name.
    pub fn kind_id(&self, group: &str, kind: &str) -> Option<KindId> {
        self.registry.find(group, kind).map(|(id, _)| id)
    }

    /// An object, without questions about rights.
    pub fn find(&self, group: &str, kind: &str, name: &ObjectName) -> Option<&Arc<Object>> {
        self.store.get(self.kind_id(group, kind)?, name)
    }

    /// All objects of a kind, without questions about rights.
    pub fn all<'s>(&'s self, group: &str, kind: &str) -> impl Iterator<Item = &'s Arc<Object>> + use<'s> {
        self.kind_id(group, kind).into_iter().flat_map(|id| self.store.of_kind(id))
    }

    /// The object that an owner reference means, if it still exists.
    pub fn owner(&self, reference: &Object) -> Option<&Arc<Object>> {
        self.store.by_uid(reference.text(&["uid"])).map(|(_, object)| object)
    }

    /// The kind of an object that was sent, or the refusal of a client that looks the kind up before it sends.
    pub fn kind_of(&self, object: &Object) -> Result<(KindId, Arc<Kind>), ApiError> {
        self.registry
            .of_object(object.api_version(), object.kind())
            .and_then(|(id, _)| Some((id, self.registry.shared(id)?)))
            .ok_or_else(|| no_match(&GroupVersionKind::of(object.api_version(), object.kind())))
    }

    /// How fields of a kind merge, as written in a version (`apiVersion`).
    pub fn shape(&self, id: KindId, api_version: &str) -> &Shape {
        self.model(id).shape(api_version)
    }

    /// What is known of a kind.
    fn model(&self, id: KindId) -> &Model {
        static UNKNOWN: LazyLock<Model> = LazyLock::new(Model::untyped);
        self.models.get(&id).unwrap_or(&UNKNOWN)
    }

    /// A kind that is served, by id.
    fn kind(&self, id: KindId) -> Result<Arc<Kind>, ApiError> {
        self.registry.shared(id).ok_or_else(|| {
            ApiError::other(Reason::NotFound, "the server could not find the requested resource")
        })
    }

    /// An object for a write or a read by name.
    fn existing(&self, id: KindId, kind: &Kind, name: &ObjectName) -> Result<Arc<Object>, ApiError> {
        self.store
            .get(id, name)
            .cloned()
            .ok_or_else(|| ApiError::not_found(&kind.group, &kind.plural, &name.name))
    }
}

/// `no matches for kind "Issuer" in version "cert-manager.io/v1"`
///
/// Source: `kubernetes/apimachinery:pkg/api/meta/errors.go`.
pub fn no_match(name: &GroupVersionKind) -> ApiError {
    ApiError::other(
        Reason::NotFound,
        format!("no matches for kind {:?} in version {:?}", name.kind, name.api_version()),
    )
}
