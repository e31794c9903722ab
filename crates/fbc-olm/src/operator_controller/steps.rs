//! The steps of a reconciliation: finalizers, validation, state, resolution, unpacking, application.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/clusterextension_reconcile_steps.go`,
//! for 4.19 the controller of that release.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};

use super::applier::{RevisionMetadata, RevisionStates};
use super::deprecation::{self, CatalogData};
use super::resolution::{self, ResolutionError};
use super::status::{Failure, Status};
use super::{EngineState, OperatorController};
use crate::Target;
use crate::content::Image;

/// What an extension is to have.
struct Wanted {
    bundle: RevisionMetadata,
    /// None if nothing was asked of catalogs because something is on its way.
    deprecations: Option<CatalogData>,
}

impl OperatorController {
    fn status<'e>(&self, extension: &'e mut Object, api: &ApiServer) -> Status<'e> {
        Status { extension, target: self.options.target, now: api.now() }
    }

    /// Everything up to the writes of the extension itself; changes its status and finalizers.
    pub(super) fn steps(&mut self, extension: &mut Object, api: &mut ApiServer) -> Result<(), Failure> {
        if self.finalize(extension)? {
            return Ok(());
        }
        self.validate(extension, api)?;
        let states = self.revision_states(extension, api)?;
        let wanted = self.wanted(extension, &states, api)?;
        let image = self.unpack(extension, &wanted.bundle, &states, api)?;
        self.apply(extension, &wanted, image.as_deref(), states, api)
    }

    /// The service account must exist.
    fn validate(&mut self, extension: &mut Object, api: &ApiServer) -> Result<(), Failure> {
        if !self.options.uses_service_accounts {
            return Ok(());
        }
        let account = ObjectName::namespaced(
            extension.text(&["spec", "namespace"]),
            extension.text(&["spec", "serviceAccount", "name"]),
        );
        let error = if account.name.is_empty() {
            "error getting service account: resource name may not be empty".to_owned()
        } else if api.find("", "ServiceAccount", &account).is_none() {
            format!("service account {:?} not found in namespace {:?}", account.name, account.namespace)
        } else {
            return Ok(());
        };
        let mut status = self.status(extension, api);
        let failure = match status.target {
            Target::Ocp50 | Target::Latest => {
                let failure = Failure::retry(format!(
                    "operation cannot proceed due to the following validation error(s): {error}"
                ));
                status.installed_unknown(&failure.message);
                failure
            }
            _ => {
                status.extension.remove(&["status", "install"]);
                status.installed_unknown(&format!(
                    "{error}: unable to authenticate with the Kubernetes cluster."
                ));
                Failure::retry("installation cannot proceed due to missing ServiceAccount")
            }
        };
        status.failed(&failure);
        Err(failure)
    }

    fn revision_states(
        &mut self,
        extension: &mut Object,
        api: &mut ApiServer,
    ) -> Result<RevisionStates, Failure> {
        let states = match &mut self.engine {
            EngineState::Helm(helm) => helm.revision_states(extension, api),
            EngineState::Revisions(boxcutter) => match boxcutter.migrate(extension, api) {
                Ok(()) => Ok(boxcutter.revision_states(extension, api)),
                Err(error) => {
                    let failure = Failure::retry(format!("migrating storage: {error}"));
                    self.status(extension, api).failed(&failure);
                    return Err(failure);
                }
            },
        };
        states.map_err(|error| {
            extension.remove(&["status", "install"]);
            let mut status = self.status(extension, api);
            status.installed_unknown(&error.to_string());
            status.failed(&Failure::retry("retrying to get installed bundle"));
            Failure::retry(error.to_string())
        })
    }

    /// What the extension is to have: what is on its way, or what is resolved, or what is there already.
    fn wanted(
        &mut self,
        extension: &mut Object,
        states: &RevisionStates,
        api: &ApiServer,
    ) -> Result<Wanted, Failure> {
        let installed = states.installed.as_ref();
        let installed_name = installed.map(|installed| installed.name.as_str()).unwrap_or_default();
        if let Some(oldest) = states.rolling_out.first() {
            deprecation::set(&mut self.status(extension, api), installed_name, &CatalogData::Unavailable);
            return Ok(Wanted { bundle: oldest.clone(), deprecations: None });
        }
        let resolved = self.catalogs.resolve(extension, installed, api, &self.images.borrow(), &self.options);
        let target = self.options.target;
        match (resolved, target) {
            (Ok(resolved), _) => {
                let named = if target >= Target::Ocp50 { installed_name } else { &resolved.bundle.name };
                deprecation::set(&mut self.status(extension, api), named, &resolved.deprecations);
                Ok(Wanted { bundle: resolved.bundle, deprecations: Some(resolved.deprecations) })
            }
            (Err(error), Target::Ocp50 | Target::Latest) => {
                deprecation::set(&mut self.status(extension, api), installed_name, &CatalogData::Unavailable);
                let version = extension.text(&["spec", "source", "catalog", "version"]);
                let keeps =
                    |installed: &&RevisionMetadata| version.is_empty() || version == installed.version;
                if let Some(installed) = installed.filter(keeps)
                    && !resolution::has_catalogs(extension, api)
                {
                    self.status(extension, api).installed(states);
                    return Ok(Wanted {
                        bundle: installed.clone(),
                        deprecations: Some(CatalogData::Unavailable),
                    });
                }
                Err(self.not_resolved(extension, states, error, api))
            }
            (Err(error), _) => {
                let failure = self.not_resolved(extension, states, error, api);
                let mut status = self.status(extension, api);
                for condition in ["Deprecated", "PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"]
                {
                    if status.extension.condition(condition).is_none() {
                        status.set(condition, "False", "Failed", &failure.message);
                    }
                }
                Err(failure)
            }
        }
    }

    fn not_resolved(
        &self,
        extension: &mut Object,
        states: &RevisionStates,
        error: ResolutionError,
        api: &ApiServer,
    ) -> Failure {
        let failure = Failure::retry(error.to_string());
        let mut status = self.status(extension, api);
        status.failed(&failure);
        status.installed(states);
        failure
    }

    /// The image of the bundle; none if it cannot be pulled and nothing new is wanted.
    fn unpack(
        &mut self,
        extension: &mut Object,
        bundle: &RevisionMetadata,
        states: &RevisionStates,
        api: &ApiServer,
    ) -> Result<Option<Arc<Image>>, Failure> {
        let pulled = self.images.borrow().pull(&bundle.image);
        let error = match pulled {
            Ok(pulled) => return Ok(Some(pulled.image)),
            Err(error) => error,
        };
        let is_installed = states
            .installed
            .as_ref()
            .is_some_and(|installed| installed.name == bundle.name && installed.version == bundle.version);
        if is_installed && self.options.target >= Target::Ocp50 {
            return Ok(None);
        }
        let failure =
            if error.is_terminal { Failure::blocked(error.message) } else { Failure::retry(error.message) };
        let failure = failure.of_bundle(bundle, self.options.target);
        let mut status = self.status(extension, api);
        status.failed(&failure);
        status.installed(states);
        Err(failure)
    }

    fn apply(
        &mut self,
        extension: &mut Object,
        wanted: &Wanted,
        image: Option<&Image>,
        states: RevisionStates,
        api: &mut ApiServer,
    ) -> Result<(), Failure> {
        let rendered = image.map(|image| self.renderings.render(image, extension, &self.options)).transpose();
        let target = self.options.target;
        let is_revisions = matches!(self.engine, EngineState::Revisions(_));
        let applied = match (rendered, &mut self.engine) {
            (Err(failure), _) => Err(failure),
            (Ok(rendered), EngineState::Helm(helm)) => helm
                .apply(extension, &wanted.bundle, rendered.as_ref(), api)
                .map(|kinds| self.watches.set(extension.name(), kinds)),
            (Ok(rendered), EngineState::Revisions(boxcutter)) => {
                let applied = boxcutter.apply(extension, &wanted.bundle, rendered.as_ref(), &states, api);
                applied.map_err(|error| Failure::retry(error.to_string()))
            }
        };
        let mut status = Status { extension, target, now: api.now() };
        if let Err(failure) = applied {
            let failure = failure.of_bundle(&wanted.bundle, target);
            // Revisions report what is installed themselves, so a failure that stays leaves it alone.
            if !(is_revisions && failure.is_terminal()) {
                status.installed(&states);
            }
            status.failed(&failure);
            return Err(failure);
        }
        if is_revisions {
            // An engine of revisions said the rest itself.
            status.installed(&states);
            return Ok(());
        }
        status.installed(&RevisionStates { installed: Some(wanted.bundle.clone()), ..states });
        if let (Target::Ocp50 | Target::Latest, Some(deprecations)) = (target, &wanted.deprecations) {
            deprecation::set(&mut status, &wanted.bundle.name, deprecations);
        }
        status.succeeded();
        Ok(())
    }
}
