//! The cluster of a scenario and what stands around it: registry, files, command line.

mod build;
mod command;
mod content;
mod output;
mod requests;

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_model::image_reference;

pub(super) use build::{api_server, check};
pub(super) use content::Content;
pub use output::Printed;

use super::model::{Action, Disorder, Publication, Trouble};
use super::prepare::Prepared;
use super::read::manifests::Manifest;
use crate::engine::Cluster;
use crate::kubectl::run::Session;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::olm::content::SharedImages;
use crate::replay::deployments::Deployments;
use crate::time::{MINUTE, Milliseconds};

/// How long deployments that flap stay as they are.
const FLAPPING: Milliseconds = MINUTE;

/// A cluster with its surroundings.
pub(super) struct Setting<'s> {
    pub(super) cluster: Cluster,
    prepared: &'s Prepared,
    images: SharedImages,
    /// Who types commands, and in which namespace.
    session: Session,
    /// What was wrong with the references of images.
    faults: Vec<String>,
    /// What was taken away by troubles, to be put back.
    taken: BTreeMap<ObjectName, Object>,
}

impl<'s> Setting<'s> {
    pub(super) fn new(prepared: &'s Prepared, seed: u64) -> Self {
        let images = SharedImages::default();
        let faults = build::push(&prepared.scenario, &prepared.content, &images);
        let cluster = build::cluster(&prepared.scenario, &images, seed);
        Self { cluster, prepared, images, session: Session::default(), faults, taken: BTreeMap::new() }
    }

    /// Puts the objects of the start in their places; answers with what was refused.
    pub(super) fn set_up(&mut self, objects: &[Manifest]) -> Vec<String> {
        let mut faults = std::mem::take(&mut self.faults);
        for object in build::catalog_objects(&self.prepared.scenario) {
            faults.extend(self.create_one(&object).err());
        }
        for manifest in objects {
            let place = format!("{}:{}", manifest.file, manifest.place.line);
            faults.extend(self.create_one(&manifest.object).err().map(|error| format!("{place}: {error}")));
        }
        faults
    }

    /// Moves a tag to other content.
    pub(super) fn publish(&mut self, publication: &Publication) -> Result<(), String> {
        let content = &self.prepared.content;
        let images = if publication.is_bundle { &content.bundles } else { &content.catalogs };
        let Some(image) = images.get(&publication.content.text) else {
            return Err(format!("there is no content {}", publication.content.text));
        };
        self.images
            .borrow_mut()
            .push(&publication.image, Arc::clone(image))
            .map_err(|error| error.to_string())
    }

    /// Breaks or mends something.
    pub(super) fn set_trouble(&mut self, trouble: &Trouble, is_broken: bool) -> Result<(), String> {
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
                if let Some(deployments) = self.cluster.controller::<Deployments>() {
                    deployments.are_available = !is_broken || *disorder != Disorder::Pending;
                    deployments.flapping = (is_broken && *disorder == Disorder::Flapping).then_some(FLAPPING);
                }
                self.poke_deployments();
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
    ) -> Result<(), String> {
        let reference = image_reference::parse(image).map_err(|error| format!("{image}: {error}"))?;
        let repository = format!("{}/{}", reference.domain, reference.path);
        let tag = reference.tag.or(reference.digest).unwrap_or_else(|| "latest".to_owned());
        let mut images = self.images.borrow_mut();
        if is_broken {
            images.break_repository(&repository, text(&repository, &tag), false);
        } else {
            images.mend_repository(&repository);
        }
        Ok(())
    }

    /// Lets the controller of Deployments look at all of them.
    fn poke_deployments(&mut self) {
        let names: Vec<ObjectName> =
            self.cluster.api.all("apps", "Deployment").map(|object| object.object_name()).collect();
        for name in names {
            self.cluster.poke("deployments", name);
        }
    }
}
