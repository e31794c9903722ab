//! Which kinds the controller of revisions watches, and for whom.
//!
//! Source: `package-operator/boxcutter:managedcache/trackingcache.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::api::{ApiServer, no_match};
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::ObjectFields;

use super::content::Phase;

/// Kinds by the revisions that have objects of them.
#[derive(Debug, Default)]
pub(super) struct Watches {
    of_revision: BTreeMap<String, BTreeSet<(String, String)>>,
    /// How many revisions watch a kind, by group and kind.
    watchers: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Watches {
    /// True if changes of objects of a kind are noticed.
    pub(super) fn covers(&self, (group, kind): (&str, &str)) -> bool {
        self.watchers.get(group).is_some_and(|kinds| kinds.contains_key(kind))
    }

    /// Watches the kinds of all objects of a revision, provided that they are all served. Of several that are not, the
    /// reference names any; here it is the last.
    pub(super) fn establish(
        &mut self,
        revision: &str,
        phases: &[Phase],
        api: &ApiServer,
    ) -> Result<(), ApiError> {
        let objects = phases.iter().flat_map(|phase| &phase.objects).map(|wanted| &wanted.object);
        let kinds: BTreeSet<GroupVersionKind> =
            objects.map(|object| GroupVersionKind::of(object.api_version(), object.kind())).collect();
        if let Some(missing) = kinds.iter().rev().find(|kind| api.registry().served(kind).is_none()) {
            return Err(no_match(missing));
        }
        let kinds: BTreeSet<(String, String)> =
            kinds.into_iter().map(|kind| (kind.group, kind.kind)).collect();
        if self.of_revision.get(revision) == Some(&kinds) {
            return Ok(());
        }
        self.free(revision);
        for (group, kind) in kinds.iter().cloned() {
            *self.watchers.entry(group).or_default().entry(kind).or_default() += 1;
        }
        self.of_revision.insert(revision.to_owned(), kinds);
        Ok(())
    }

    /// Stops watching for a revision.
    pub(super) fn free(&mut self, revision: &str) {
        for (group, kind) in self.of_revision.remove(revision).unwrap_or_default() {
            let Some(kinds) = self.watchers.get_mut(&group) else { continue };
            let Some(count) = kinds.get_mut(&kind) else { continue };
            *count -= 1;
            if *count == 0 {
                kinds.remove(&kind);
            }
        }
    }
}
