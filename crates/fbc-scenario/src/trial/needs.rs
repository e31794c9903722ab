//! What a bundle needs and a cluster does not have: kinds that neither the cluster serves nor the bundle defines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fbc_bundle::manifests;
use fbc_cluster::add_ons::AddOn;
use fbc_cluster::kind::{GroupVersionKind, Registry};

/// Kinds of one group that are not there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// The group.
    pub group: String,
    /// Versions and kinds, such as `v1 Certificate`, sorted.
    pub kinds: Vec<String>,
    /// The add-on that has the group.
    pub add_on: Option<AddOn>,
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "needs {} ({}): not in the cluster", self.group, self.kinds.join(", "))?;
        match self.add_on {
            Some(add_on) => write!(formatter, "; `--with {add_on}` adds a stand-in"),
            None => Ok(()),
        }
    }
}

/// What the objects of a bundle need.
pub(super) fn needs(objects: &[manifests::Object], registry: &Registry) -> Vec<Need> {
    let defined: BTreeSet<(String, String)> = objects.iter().filter_map(defined).collect();
    let mut missing: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for object in objects {
        let name = GroupVersionKind::of(&object.api_version, &object.kind);
        let is_defined = defined.contains(&(name.group.clone(), name.kind.clone()));
        // An object that names no version is at fault itself.
        if name.version.is_empty() {
            continue;
        }
        if registry.served(&name).is_none() && !is_defined {
            missing.entry(name.group).or_default().insert(format!("{} {}", name.version, name.kind));
        }
    }
    missing
        .into_iter()
        .map(|(group, kinds)| Need {
            add_on: AddOn::of_group(&group),
            kinds: kinds.into_iter().collect(),
            group,
        })
        .collect()
}

/// Group and kind of a definition.
fn defined(object: &manifests::Object) -> Option<(String, String)> {
    if object.kind != "CustomResourceDefinition" {
        return None;
    }
    let spec = object.value.root().get("spec")?;
    let kind = spec.get("names")?.get_str("kind")?;
    Some((spec.get_str("group")?.to_owned(), kind.to_owned()))
}
