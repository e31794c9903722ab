//! The kinds that a scenario can speak of: those of the cluster, and those that definitions in its files bring.

use fbc_cluster::kind::{Kind, Registry};
use fbc_cluster::object::{Object, ObjectFields};

use super::model::ObjectReference;

/// A kind under all its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownKind {
    pub(super) group: String,
    pub(super) kind: String,
    /// All names in small letters.
    names: Vec<String>,
    pub(super) namespaced: bool,
}

impl KnownKind {
    fn from_kind(kind: &Kind) -> Self {
        let names = [&kind.kind, &kind.plural, &kind.singular].into_iter().chain(&kind.short_names);
        Self {
            group: kind.group.clone(),
            kind: kind.kind.clone(),
            names: names.map(|name| name.to_lowercase()).collect(),
            namespaced: kind.namespaced,
        }
    }

    /// The kind that a CustomResourceDefinition brings.
    pub(super) fn of_definition(object: &Object) -> Option<Self> {
        if object.kind() != "CustomResourceDefinition" {
            return None;
        }
        let name = |field: &str| object.text(&["spec", "names", field]);
        let mut names: Vec<String> =
            ["kind", "plural", "singular"].map(name).iter().map(|name| name.to_lowercase()).collect();
        let short = object.list(&["spec", "names", "shortNames"]).iter().filter_map(|name| name.as_str());
        names.extend(short.map(str::to_lowercase));
        names.retain(|name| !name.is_empty());
        Some(Self {
            group: object.text(&["spec", "group"]).to_owned(),
            kind: name("kind").to_owned(),
            names,
            namespaced: object.text(&["spec", "scope"]) == "Namespaced",
        })
    }

    fn is_meant_by(&self, reference: &ObjectReference) -> bool {
        let wanted = reference.kind.to_lowercase();
        reference.group.as_ref().is_none_or(|group| *group == self.group) && self.names.contains(&wanted)
    }
}

/// True if the reference means objects of this kind.
pub(super) fn means(reference: &ObjectReference, kind: &Kind) -> bool {
    let same = |name: &String| name.eq_ignore_ascii_case(&reference.kind);
    reference.group.as_ref().is_none_or(|group| *group == kind.group)
        && (same(&kind.kind)
            || same(&kind.plural)
            || same(&kind.singular)
            || kind.short_names.iter().any(same))
}

/// All kinds that there are or may be.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownKinds {
    kinds: Vec<KnownKind>,
}

impl KnownKinds {
    pub(super) fn from_registry(registry: &Registry) -> Self {
        Self { kinds: registry.iter().map(|(_, kind)| KnownKind::from_kind(kind)).collect() }
    }

    /// Adds the kind of a definition.
    pub(super) fn learn(&mut self, object: &Object) {
        self.kinds.extend(KnownKind::of_definition(object));
    }

    pub(super) fn find(&self, reference: &ObjectReference) -> Option<&KnownKind> {
        self.kinds.iter().find(|kind| kind.is_meant_by(reference))
    }

    /// The kinds by name, for a question whether one of them was meant.
    pub(super) fn names(&self) -> Vec<&str> {
        self.kinds.iter().map(|kind| kind.kind.as_str()).collect()
    }
}
