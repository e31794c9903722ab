//! What operator-controller asks of an installer before it installs objects.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/authorization/rbac.go` and
//! `…/applier/helm.go`, before service accounts were deprecated.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::rbac::Request;

use crate::manifests::Object;

/// The API group of extensions.
pub(super) const EXTENSION_GROUP: &str = "olm.operatorframework.io";

/// What is done with each object.
const OBJECT_VERBS: [&str; 4] = ["delete", "get", "patch", "update"];

/// What of operator-controller applies objects, which decides whose finalizers it sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applier {
    /// Helm releases; watches all that it applied.
    #[default]
    Helm,
    /// Revisions (the feature gate `BoxcutterRuntime`).
    Boxcutter {
        /// The number of the revision that is applied; the first one has 1.
        revision: i64,
    },
}

/// Something that an installer must be allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// The namespace; empty for the whole cluster.
    pub namespace: String,
    /// The API group.
    pub group: String,
    /// The resource. That of finalizers holds the subresource too, as the reference asks for it.
    pub resource: String,
    /// The name of the object; empty where the request names none.
    pub name: String,
    /// The verb.
    pub verb: &'static str,
}

impl Need {
    /// The request that is made.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        Request::Resource {
            verb: self.verb,
            group: &self.group,
            resource: &self.resource,
            subresource: "",
            name: &self.name,
        }
    }
}

/// The resource of a kind, as Kubernetes guesses it; right for everything that a bundle can hold.
/// Source: `kubernetes/apimachinery:pkg/api/meta/restmapper.go`.
#[must_use]
pub fn resource_of_kind(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.as_bytes().last() {
        Some(b's') => format!("{singular}es"),
        Some(b'y') => format!("{}ies", singular.strip_suffix('y').unwrap_or_default()),
        _ => format!("{singular}s"),
    }
}

/// All needs of an installation, sorted, each once. The extension is the name of the `ClusterExtension`.
#[must_use]
pub fn needs(objects: &[Object], extension: &str, engine: Applier) -> Vec<Need> {
    let mut kinds: BTreeMap<(&str, String), BTreeSet<&str>> = BTreeMap::new();
    let mut needs = Vec::new();
    for object in objects {
        let (group, resource) = (object.group(), resource_of_kind(&object.kind));
        needs.extend(OBJECT_VERBS.map(|verb| Need {
            namespace: object.namespace.clone(),
            group: group.to_owned(),
            resource: resource.clone(),
            name: object.name.clone(),
            verb,
        }));
        kinds.entry((group, resource)).or_default().insert(&object.namespace);
    }
    let without_name = |group: &str, resource: &str, namespace: &str, verb| Need {
        namespace: namespace.to_owned(),
        group: group.to_owned(),
        resource: resource.to_owned(),
        name: String::new(),
        verb,
    };
    for ((group, resource), namespaces) in &kinds {
        needs.extend(namespaces.iter().map(|namespace| without_name(group, resource, namespace, "create")));
        if engine == Applier::Helm {
            needs.extend(["list", "watch"].map(|verb| without_name(group, resource, "", verb)));
        }
    }
    let (resource, name) = match engine {
        Applier::Helm => ("clusterextensions/finalizers", extension.to_owned()),
        Applier::Boxcutter { revision } => {
            ("clusterobjectsets/finalizers", format!("{extension}-{revision}"))
        }
    };
    needs.push(Need { name, ..without_name(EXTENSION_GROUP, resource, "", "update") });
    needs.sort_unstable();
    needs.dedup();
    needs
}
