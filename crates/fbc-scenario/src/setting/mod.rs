//! The cluster of a scenario and what stands around it: registry, files, command line.

mod alerts;
mod build;
mod command;
mod content;
mod olm_v0;
mod output;
mod requests;
mod servers;
mod step_error;
mod updates;

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_model::image_reference;
use fbc_model::tree::Tree;

pub(super) use build::options;
pub(super) use content::Content;
pub use output::Printed;
pub use servers::Servers;
pub(crate) use step_error::StepError;
pub(super) use updates::Updates;

use fbc_cluster::api::{Caller, DeleteOptions};
use fbc_cluster::controllers::behaviour::{Behaviour, Fate, PodSelector};
use fbc_cluster::controllers::kubelet::Kubelet;
use fbc_cluster::engine::Cluster;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{MINUTE, Milliseconds};
use fbc_kubectl::run::Session;
use fbc_olm::content::{Outside, SharedImages};
use fbc_olm::revisions::{Revisions, served_versions};

use super::model::{Action, Component, Disorder, Publication, Trouble};
use super::prepare::Prepared;
use super::read::manifests::Manifest;

/// How long pods of deployments that flap run before they crash.
const FLAPPING: Milliseconds = MINUTE;

/// A cluster with its surroundings.
pub(super) struct Setting<'s> {
    pub(super) cluster: Cluster,
    prepared: &'s Prepared,
    /// Files that command lines may name.
    pub(super) files: Arc<dyn Tree>,
    images: SharedImages,
    /// Who types commands, and in which namespace.
    session: Session,
    seed: u64,
    /// What was wrong with the references of images.
    faults: Vec<String>,
    /// What was taken away by troubles, to be put back.
    taken: BTreeMap<ObjectName, Object>,
    /// What the Cluster Version Operator reaches, if the cluster has one.
    outside: Option<updates::SharedOutside>,
    /// The last revision of the installation, which is not part of the run.
    pub(super) installed_revision: u64,
    /// OLM v0, if the cluster has it.
    olm_v0: Option<olm_v0::OlmV0>,
}

impl<'s> Setting<'s> {
    /// The images that the cluster can pull.
    pub(super) fn images(&self) -> SharedImages {
        SharedImages::clone(&self.images)
    }

    pub(super) fn new(prepared: &'s Prepared, seed: u64) -> Self {
        let images = SharedImages::default();
        let mut faults = build::push(&prepared.scenario, &prepared.content, &images);
        let outside = prepared.updates.as_ref().map(Updates::outside);
        let (cluster, olm_v0, installed) = build::cluster(prepared, &images, outside.as_ref(), seed);
        let installed_revision = if installed.is_some() { cluster.api.store().revision() } else { 0 };
        faults.extend(installed.and_then(Result::err).map(|error| error.to_string()));
        let files = Arc::clone(&prepared.files);
        Self {
            cluster,
            prepared,
            files,
            images,
            session: Session {
                releases: updates::release_images(prepared),
                alerts: alerts::at_first(prepared),
                ..Session::default()
            },
            seed,
            faults,
            taken: BTreeMap::new(),
            outside,
            installed_revision,
            olm_v0,
        }
    }

    /// Puts the objects of the start in their places; answers with what was refused, and of what manifest.
    pub(super) fn set_up<'m>(&mut self, objects: &'m [Manifest]) -> Vec<(Option<&'m Manifest>, String)> {
        let mut faults: Vec<(Option<&Manifest>, String)> =
            std::mem::take(&mut self.faults).into_iter().map(|text| (None, text)).collect();
        for object in build::catalog_objects(&self.prepared.scenario) {
            faults.extend(self.create_one(&object).err().map(|error| (None, error.to_string())));
        }
        for manifest in objects {
            let refused = self.create_one(&manifest.object).err();
            faults.extend(refused.map(|error| (Some(manifest), error.to_string())));
        }
        // What is there at the start was there before operator-controller.
        let versions = served_versions(&self.cluster.api);
        if let Some(revisions) = self.cluster.controller::<Revisions>() {
            revisions.learn(versions);
        }
        faults
    }

    /// Lets the cluster pull from registries outside of the simulation.
    pub(super) fn set_outside(&mut self, outside: Box<dyn Outside>) {
        let rules = options(&self.prepared.scenario).resolution_rules();
        self.images.borrow_mut().set_outside(outside, rules);
    }

    /// Starts a controller anew.
    pub(super) fn restart(&mut self, component: Component) -> Result<(), StepError> {
        let (scenario, v0) = (&self.prepared.scenario, self.olm_v0.as_ref());
        build::restart(&mut self.cluster, component, scenario, v0, &self.images, self.seed)
    }

    /// Moves a tag to other content.
    pub(super) fn publish(&mut self, publication: &Publication) -> Result<(), StepError> {
        let content = &self.prepared.content;
        let images = if publication.is_bundle { &content.bundles } else { &content.catalogs };
        let Some(image) = images.get(&publication.content.text) else {
            return Err(StepError::NoContent(publication.content.text.clone()));
        };
        Ok(self.images.borrow_mut().push(&publication.image, Arc::clone(image))?)
    }

    /// Breaks or fixes something.
    pub(super) fn set_trouble(&mut self, trouble: &Trouble, is_broken: bool) -> Result<(), StepError> {
        match trouble {
            Trouble::ServiceAccount(name) if is_broken => self.take(name)?,
            Trouble::ServiceAccount(name) => self.put_back(name)?,
            Trouble::Catalog(name) => self.switch_catalog(name, !is_broken)?,
            Trouble::Image(image) => self.set_repository(image, is_broken, |repository, tag| {
                format!(
                    "error creating image source: reading manifest {tag} in {repository}: manifest unknown"
                )
            })?,
            Trouble::Registry => {
                let scenario = &self.prepared.scenario;
                let catalogs = scenario.catalogs.iter().map(|catalog| &catalog.image);
                let bundles = scenario.bundles.iter().map(|bundle| &bundle.image);
                let published = scenario.steps.iter().filter_map(|step| match &step.action {
                    Some(Action::Publish(publication)) => Some(&publication.image),
                    _ => None,
                });
                let empty = self.prepared.content.empty.keys();
                let images: Vec<String> =
                    catalogs.chain(bundles).chain(published).chain(empty).cloned().collect();
                for image in images {
                    self.set_repository(&image, is_broken, |repository, _| {
                        let registry = repository.split('/').next().unwrap_or_default();
                        format!(
                            "error creating image source: pinging container registry {registry}: Get \
                             \"https://{registry}/v2/\": dial tcp: connect: connection refused"
                        )
                    })?;
                }
            }
            Trouble::Deployments(disorder) => {
                let mut behaviours = if is_broken { disorder_of_pods(*disorder) } else { Vec::new() };
                behaviours.extend(self.prepared.scenario.behaviours.iter().cloned());
                if let Some(kubelet) = self.cluster.controller::<Kubelet>() {
                    kubelet.set_behaviours(behaviours);
                }
                self.start_pods_anew();
            }
        }
        Ok(())
    }

    /// Lets pulls from the repository of an image fail, or succeed again.
    fn set_repository(
        &mut self,
        image: &str,
        is_broken: bool,
        text: impl Fn(&str, &str) -> String,
    ) -> Result<(), StepError> {
        let reference = image_reference::parse(image)
            .map_err(|error| StepError::Image { image: image.to_owned(), error })?;
        let repository = format!("{}/{}", reference.domain, reference.path);
        let tag = reference.tag.or(reference.digest).unwrap_or_else(|| "latest".to_owned());
        let mut images = self.images.borrow_mut();
        if is_broken {
            images.break_repository(&repository, text(&repository, &tag), false);
        } else {
            images.fix_repository(&repository);
        }
        Ok(())
    }

    /// Deletes all pods of deployments, so that what was changed counts for them as well.
    fn start_pods_anew(&mut self) {
        let Some(id) = self.cluster.api.kind_id("", "Pod") else { return };
        let pods = self.cluster.api.all("", "Pod");
        let of_replica_sets =
            pods.filter(|pod| pod.controller().is_some_and(|owner| owner["kind"] == "ReplicaSet"));
        let names: Vec<ObjectName> = of_replica_sets.map(|pod| pod.object_name()).collect();
        let caller = Caller::administrator("kubectl-delete");
        let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        for name in names {
            // A pod that is gone already needs no deletion.
            let _ = self.cluster.api.delete(&caller, id, &name, &options);
        }
    }
}

/// What becomes of the pods of deployments in disorder.
fn disorder_of_pods(disorder: Disorder) -> Vec<Behaviour> {
    let selector = PodSelector { kind: "ReplicaSet".to_owned(), ..PodSelector::default() };
    let fate = match disorder {
        Disorder::Pending => Fate::NeverReady,
        Disorder::Flapping => Fate::Crash { after: FLAPPING },
    };
    vec![Behaviour { selector, fate, ..Behaviour::default() }]
}
