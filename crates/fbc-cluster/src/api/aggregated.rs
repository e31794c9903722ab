//! Objects that another server keeps, and that this one only passes on: what it says is worked out for the namespace that is asked
//! about.

use std::sync::Arc;

use super::{ApiServer, ListOptions};
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};

/// The objects of an aggregated kind. Several may have one name.
#[derive(Debug, Clone, Default)]
pub struct Aggregated {
    /// The objects, each in the namespace that it comes from.
    pub objects: Vec<Arc<Object>>,
    /// The namespace whose objects are seen in every other one, as objects of that one.
    pub everywhere: String,
}

impl Aggregated {
    /// The objects that are asked for: those of the namespace, then those that are seen everywhere.
    pub(super) fn list(&self, options: &ListOptions) -> Vec<Arc<Object>> {
        let fits =
            |object: &Arc<Object>| options.labels.matches_object(object) && options.fields.matches(object);
        let Some(namespace) = options.namespace.as_deref().filter(|namespace| !namespace.is_empty()) else {
            return self.objects.iter().filter(|object| fits(object)).cloned().collect();
        };
        let of = |wanted: &str| {
            self.objects.iter().filter(|object| object.namespace() == wanted).collect::<Vec<_>>()
        };
        let mut objects = of(namespace);
        if namespace != self.everywhere {
            objects.extend(of(&self.everywhere));
        }
        let here = |object: &Arc<Object>| {
            let mut object = Object::clone(object);
            object.set(&["metadata", "namespace"], namespace);
            Arc::new(object)
        };
        objects.into_iter().map(here).filter(fits).collect()
    }

    /// The first object of that name.
    pub(super) fn get(&self, name: &ObjectName) -> Option<Arc<Object>> {
        let options = ListOptions { namespace: Some(name.namespace.clone()), ..ListOptions::default() };
        self.list(&options).into_iter().find(|object| object.name() == name.name)
    }
}

impl ApiServer {
    /// Serves a kind whose objects another server keeps, and says what they are.
    pub fn aggregate(&mut self, kind: Kind, objects: Aggregated) {
        let id = match self.kind_id(&kind.group, &kind.kind) {
            Some(id) => id,
            None => {
                let (group, name) = (kind.group.clone(), kind.kind.clone());
                self.serve_kind(kind);
                let Some(id) = self.kind_id(&group, &name) else { return };
                id
            }
        };
        self.aggregated.insert(id, objects);
    }

    /// The objects of a kind that another server keeps.
    pub(super) fn aggregated(&self, id: KindId) -> Option<&Aggregated> {
        self.aggregated.get(&id)
    }
}
