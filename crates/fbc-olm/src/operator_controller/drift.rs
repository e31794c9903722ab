//! Which changes wake an extension: other content of catalogs, and objects that are not as it left them.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/contentmanager`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::Value;

use crate::names::{CLUSTER_EXTENSION, GROUP};

/// The kinds that are watched for each extension. Watches begin when the objects are applied.
#[derive(Debug, Default)]
pub(super) struct Watches {
    kinds: BTreeMap<String, BTreeSet<KindId>>,
}

impl Watches {
    /// Watches these kinds for an extension, and no others.
    pub(super) fn set(&mut self, extension: &str, kinds: BTreeSet<KindId>) {
        if self.kinds.get(extension) != Some(&kinds) {
            self.kinds.insert(extension.to_owned(), kinds);
        }
    }

    /// Ends the watches of an extension.
    pub(super) fn forget(&mut self, extension: &str) {
        self.kinds.remove(extension);
    }

    /// The extensions that a change or removal of an object wakes. Creations are their own work.
    pub(super) fn requests(&self, change: &Change, requests: &mut Vec<ObjectName>) {
        let Some(before) = &change.before else { return };
        let first = requests.len();
        for object in [Some(before), change.after.as_ref()].into_iter().flatten() {
            if let Some(owner) = owner(object)
                && self.kinds.get(owner).is_some_and(|kinds| kinds.contains(&change.key.kind))
                && !requests.iter().skip(first).any(|request| request.name == owner)
            {
                requests.push(ObjectName::cluster(owner));
            }
        }
    }
}

/// The extension that controls an object.
fn owner(object: &Object) -> Option<&str> {
    let owner = object.controller()?;
    let (group, _) = owner["apiVersion"].as_str()?.split_once('/')?;
    (group == GROUP && owner["kind"] == CLUSTER_EXTENSION).then(|| owner.text(&["name"]))
}

/// The extensions that control an object before or after a change.
pub(super) fn owners(change: &Change, requests: &mut Vec<ObjectName>) {
    for object in [&change.before, &change.after].into_iter().flatten() {
        requests.extend(owner(object).map(ObjectName::cluster));
    }
}

/// True if a catalog came or went, or serves, or may serve, other content than before.
pub(super) fn is_other_content(change: &Change) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
    let image = |catalog: &Object| -> Option<Value> {
        catalog.at(&["status", "resolvedSource", "image", "ref"]).cloned()
    };
    let (before, after) = (image(before), image(after));
    before.is_none() || after.is_none() || before != after
}
