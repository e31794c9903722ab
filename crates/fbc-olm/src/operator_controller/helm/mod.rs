//! The engine of the default feature gates: a Helm release for each extension.
//!
//! | module | what it holds |
//! |---|---|
//! | [`release`] | releases and their records in Secrets |
//! | `manifest` | the objects of a release: order, labels, owner |
//! | `client` | requests with the rights of the extension's service account |
//! | `actions` | what Helm does: dry run, install, upgrade, and putting drift right |
//! | `difference` | patches between two versions of an object and the one on the cluster |
//!
//! Sources: `operator-framework/operator-controller:internal/operator-controller/applier/helm.go`,
//! `operator-framework/helm-operator-plugins:pkg/client/actionclient.go`, `helm/helm:pkg/action`, `pkg/kube/client.go`.

mod actions;
mod client;
mod difference;
mod error;
mod manifest;
pub mod release;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_bundle::permissions;
use serde_json::Value;

use self::actions::State;
use self::client::Client;
use self::error::HelmError;
pub use self::release::HistoryError;
use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::kind::{GroupVersionKind, KindId};
use fbc_cluster::object::{Object, ObjectFields};

use self::release::{Release, Releases};
use super::applier::{RevisionMetadata, RevisionStates};
use super::boxcutter::{self, ReleaseSource};
use super::rendering::Rendered;
use super::status::Failure;
use crate::Options;
use crate::names::{BUNDLE_NAME, BUNDLE_REFERENCE, BUNDLE_RELEASE, BUNDLE_VERSION, PACKAGE_NAME};
use crate::operator_controller::preflight::{self, DefinitionUpgrades};

/// The manager of what Helm writes.
const MANAGER: &str = "operator-controller";
/// The manager of what puts drift right: a client that names none.
const DRIFT_MANAGER: &str = "Go-http-client";

/// The engine.
#[derive(Debug)]
pub struct Helm {
    options: Options,
    releases: Releases,
    known: BTreeMap<String, Known>,
    upgrades: DefinitionUpgrades,
}

/// What was worked out for an extension already.
#[derive(Debug)]
struct Known {
    rendered: Arc<Rendered>,
    uid: String,
    manifest: Arc<Vec<Value>>,
    /// The objects on the cluster that were found to be as the manifest says, in its order.
    verified: Vec<Option<Arc<Object>>>,
}

/// The rights of an extension, under both names that its writes have.
struct Callers {
    helm: Caller,
    drift: Caller,
}

impl Helm {
    /// The engine of an operator-controller.
    pub fn new(options: Options) -> Self {
        let releases = Releases::new(&options.system_namespace, options.operator_controller());
        Self { options, releases, known: BTreeMap::new(), upgrades: DefinitionUpgrades::default() }
    }

    /// What is installed: the newest release that was deployed.
    pub(super) fn revision_states(
        &mut self,
        extension: &Object,
        api: &ApiServer,
    ) -> Result<RevisionStates, HistoryError> {
        let history = self.releases.history(extension.name(), api)?;
        let deployed = history.iter().find(|release| release.status == release::Status::Deployed);
        Ok(RevisionStates { installed: deployed.map(|release| bundle_of(release)), rolling_out: Vec::new() })
    }

    /// Installs or upgrades to a bundle, or puts right what differs from it. Answers with the kinds of the objects.
    pub(super) fn apply(
        &mut self,
        extension: &Object,
        bundle: &RevisionMetadata,
        rendered: Option<&Arc<Rendered>>,
        api: &mut ApiServer,
    ) -> Result<BTreeSet<KindId>, Failure> {
        let namespace = extension.text(&["spec", "namespace"]).to_owned();
        let account = extension.text(&["spec", "serviceAccount", "name"]);
        let caller = |manager: &str| self.options.installer(&namespace, account, manager);
        let callers = Callers { helm: caller(MANAGER), drift: caller(DRIFT_MANAGER) };
        let release = match rendered {
            Some(rendered) => self.release(extension, bundle, rendered, &callers, api),
            None => self.maintain(extension, &callers, api),
        };
        let release = release.map_err(|error| Failure::retry(error.to_string()))?;
        let kind = |object: &Value| {
            let name = GroupVersionKind::of(object.api_version(), object.kind());
            api.registry().served(&name).map(|(id, _)| id)
        };
        Ok(release.manifest.iter().filter_map(kind).collect())
    }

    /// Keeps what is installed when its bundle cannot be pulled.
    fn maintain(
        &mut self,
        extension: &Object,
        callers: &Callers,
        api: &mut ApiServer,
    ) -> Result<Arc<Release>, HelmError> {
        let history = self.releases.history(extension.name(), api)?;
        let deployed = history.into_iter().find(|release| release.status == release::Status::Deployed);
        let release = deployed.ok_or(HelmError::NothingToKeep)?;
        let mut client = Client { api, caller: &callers.drift, namespace: &release.namespace };
        actions::put_right(&release.manifest, &mut Vec::new(), &mut client)?;
        Ok(release)
    }

    fn release(
        &mut self,
        extension: &Object,
        bundle: &RevisionMetadata,
        rendered: &Arc<Rendered>,
        callers: &Callers,
        api: &mut ApiServer,
    ) -> Result<Arc<Release>, HelmError> {
        if self.options.gates.preflight_permissions && self.options.uses_service_accounts {
            let engine = permissions::Applier::Helm;
            preflight::preauthorize(extension, &rendered.objects, engine, api)?;
        }
        let manifest = self.manifest(rendered, extension);
        let history = self.releases.history(extension.name(), api)?;
        let namespace = extension.text(&["spec", "namespace"]).to_owned();
        let state = actions::dry_run(
            &manifest,
            &history,
            extension.name(),
            &Client { api, caller: &callers.helm, namespace: &namespace },
        )
        .map_err(|error| HelmError::DryRun(Box::new(error.translated())))?;
        if state == State::Unchanged
            && let Some(current) = history.first()
        {
            let mut client = Client { api, caller: &callers.drift, namespace: &namespace };
            let mut nothing = Vec::new();
            let verified =
                self.known.get_mut(extension.name()).map_or(&mut nothing, |known| &mut known.verified);
            actions::put_right(&current.manifest, verified, &mut client)?;
            return Ok(Arc::clone(current));
        }
        if extension.text(&["spec", "install", "preflight", "crdUpgradeSafety", "enforcement"]) != "None" {
            self.upgrades.check(manifest.iter(), api, self.options.target)?;
        }
        let wanted = Release {
            name: extension.name().to_owned(),
            namespace: namespace.clone(),
            version: history.first().map_or(1, |last| last.version + 1),
            status: release::Status::PendingInstall,
            description: String::new(),
            labels: labels_of(bundle),
            annotations: rendered.annotations.clone(),
            manifest,
        };
        match state {
            State::NeedsInstall => self.install(wanted, extension, callers, api),
            State::NeedsUpgrade | State::Unchanged => self.upgrade(wanted, &history, extension, callers, api),
        }
    }

    /// The manifest of an extension, put together only if its bundle or the extension itself is another.
    fn manifest(&mut self, rendered: &Arc<Rendered>, extension: &Object) -> Arc<Vec<Value>> {
        if let Some(known) = self.known.get(extension.name())
            && Arc::ptr_eq(&known.rendered, rendered)
            && known.uid == extension.uid()
        {
            return Arc::clone(&known.manifest);
        }
        let known = Known {
            rendered: Arc::clone(rendered),
            uid: extension.uid().to_owned(),
            manifest: Arc::new(manifest::of(&rendered.objects, extension)),
            verified: Vec::new(),
        };
        let manifest = Arc::clone(&known.manifest);
        self.known.insert(extension.name().to_owned(), known);
        manifest
    }

    fn install(
        &mut self,
        mut release: Release,
        extension: &Object,
        callers: &Callers,
        api: &mut ApiServer,
    ) -> Result<Arc<Release>, HelmError> {
        "Initial install underway".clone_into(&mut release.description);
        self.releases.create(&release, extension, api)?;
        let mut client = Client { api, caller: &callers.helm, namespace: &release.namespace };
        let result = actions::install(&release.manifest, &release.name, &mut client);
        match &result {
            Ok(()) => release.set(release::Status::Deployed, "Install complete"),
            Err(error) => {
                let text = format!("Release {:?} failed: {error}", release.name);
                release.set(release::Status::Failed, &text);
            }
        }
        self.releases.update(&release, api)?;
        result.map(|()| Arc::new(release))
    }

    fn upgrade(
        &mut self,
        mut release: Release,
        history: &[Arc<Release>],
        extension: &Object,
        callers: &Callers,
        api: &mut ApiServer,
    ) -> Result<Arc<Release>, HelmError> {
        let current =
            actions::current(history).ok_or_else(|| HelmError::NotDeployed(release.name.clone()))?;
        let client = Client { api, caller: &callers.helm, namespace: &release.namespace };
        let old = actions::upgraded_from(&current.manifest, &release.manifest, &release.name, &client)?;
        release.set(release::Status::PendingUpgrade, "Preparing upgrade");
        self.releases.create(&release, extension, api)?;
        let mut client = Client { api, caller: &callers.helm, namespace: &release.namespace };
        let result = actions::upgrade(&old, &release.manifest, &mut client);
        match &result {
            Ok(()) => {
                release.set(release::Status::Deployed, "Upgrade complete");
                if current.status == release::Status::Deployed {
                    let mut old = Release::clone(current);
                    old.status = release::Status::Superseded;
                    self.releases.update(&old, api)?;
                }
            }
            Err(error) => {
                let text = format!("Upgrade {:?} failed: {error}", release.name);
                release.set(release::Status::Failed, &text);
            }
        }
        self.releases.update(&release, api)?;
        result.map(|()| Arc::new(release))
    }

    /// Forgets an extension that is gone. Its records go with it as objects that it owns.
    pub(super) fn forget(&mut self, extension: &str) {
        self.releases.forget(extension);
        self.known.remove(extension);
    }
}

/// What the engine of revisions asks when it takes over: the newest release that was deployed.
pub fn release_source(options: &Options) -> ReleaseSource {
    let releases = RefCell::new(Releases::new(&options.system_namespace, options.operator_controller()));
    Box::new(move |api, extension| {
        let history = releases.borrow_mut().history(extension.name(), api)?;
        let deployed = history.iter().find(|release| release.status == release::Status::Deployed);
        Ok(deployed.map(|release| boxcutter::Release {
            bundle: bundle_of(release),
            objects: release.manifest.to_vec(),
        }))
    })
}

/// The labels of a release: the bundle that it holds.
fn labels_of(bundle: &RevisionMetadata) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::from([
        (PACKAGE_NAME.to_owned(), bundle.package.clone()),
        (BUNDLE_NAME.to_owned(), bundle.name.clone()),
        (BUNDLE_VERSION.to_owned(), bundle.version.clone()),
        (BUNDLE_REFERENCE.to_owned(), bundle.image.clone()),
    ]);
    labels.extend(bundle.release.clone().map(|release| (BUNDLE_RELEASE.to_owned(), release)));
    labels
}

/// The bundle that a release holds.
pub fn bundle_of(release: &Release) -> RevisionMetadata {
    let label = |name: &str| release.labels.get(name).cloned().unwrap_or_default();
    RevisionMetadata {
        package: label(PACKAGE_NAME),
        image: label(BUNDLE_REFERENCE),
        name: label(BUNDLE_NAME),
        version: label(BUNDLE_VERSION),
        release: release.labels.get(BUNDLE_RELEASE).cloned(),
        ..RevisionMetadata::default()
    }
}
