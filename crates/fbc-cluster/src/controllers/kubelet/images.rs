//! Images that nodes ask somebody for: what the containers of some pods run is content of a registry, which moves on or is missing.
//!
//! Source: `kubernetes/kubernetes:pkg/kubelet/images/image_manager.go` (`EnsureImageExists`).

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use serde_json::Value;

use crate::object::{Object, ObjectFields};
use crate::time::{Milliseconds, Moment, SECOND};

/// So long a kubelet waits before it pulls again what it did not get; every further pull waits twice as long.
const FIRST_PULL: Milliseconds = 10 * SECOND;
/// The longest wait before a kubelet pulls again.
const LONGEST_PULL: Milliseconds = 300 * SECOND;

/// What comes of pulling an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pull {
    /// The image is there, whatever it holds.
    AtHand,
    /// The image with this id, `NAME@sha256:…`, is there now.
    Pulled(String),
    /// Nobody has it.
    Missing,
}

/// Registries, as nodes see them.
pub trait Images {
    /// Pulls the image of a container.
    fn pull(&self, pod: &Object, container: &Value) -> Pull;
}

/// The registries of all nodes, if anybody is to be asked.
#[derive(Clone, Default)]
pub(super) struct Registries(pub(super) Option<Rc<dyn Images>>);

impl fmt::Debug for Registries {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Registries").field(&self.0.is_some()).finish()
    }
}

/// The image of a container.
#[derive(Debug, Clone)]
struct Image {
    id: String,
    /// When it was pulled, if not at once.
    late: Option<Moment>,
}

/// What was pulled for a pod.
#[derive(Debug, Clone, Default)]
pub(super) struct Pulls {
    /// By container; nothing for those whose image is missing.
    images: BTreeMap<String, Option<Image>>,
    tries: u32,
    /// When what is missing is asked for again.
    next: Option<Moment>,
}

impl Pulls {
    /// Pulls what was not pulled yet, if it is time.
    pub(super) fn ask(&mut self, registries: &Registries, pod: &Object, now: Moment) {
        let Some(registries) = &registries.0 else { return };
        if self.tries > 0 && self.next.is_none_or(|next| now < next) {
            return;
        }
        let late = (self.tries > 0).then_some(now);
        for container in ["initContainers", "containers"].iter().flat_map(|list| pod.list(&["spec", list])) {
            let name = container.text(&["name"]);
            if self.images.get(name).is_some_and(Option::is_some) {
                continue;
            }
            match registries.pull(pod, container) {
                Pull::AtHand => self.images.remove(name),
                Pull::Pulled(id) => self.images.insert(name.to_owned(), Some(Image { id, late })),
                Pull::Missing => self.images.insert(name.to_owned(), None),
            };
        }
        let wait = (FIRST_PULL << self.tries.min(5)).min(LONGEST_PULL);
        self.next = self.images.values().any(Option::is_none).then(|| now + wait);
        self.tries += 1;
    }

    /// When something is pulled again.
    pub(super) fn next(&self) -> Option<Moment> {
        self.next
    }

    /// Whether a container waits for its image.
    pub(super) fn is_missing(&self, container: &Value) -> bool {
        self.images.get(container.text(&["name"])).is_some_and(Option::is_none)
    }

    /// When a container can begin that could begin at a moment, if it has its image.
    pub(super) fn begin(&self, container: &Value, free: Moment) -> Moment {
        let image = self.images.get(container.text(&["name"])).and_then(Option::as_ref);
        image.and_then(|image| image.late).map_or(free, |late| late.max(free))
    }

    /// Says in a status which images the containers run.
    pub(super) fn tell(&self, status: &mut Value) {
        for field in ["initContainerStatuses", "containerStatuses"] {
            for container in status.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
                let image = self.images.get(container.text(&["name"])).and_then(Option::as_ref);
                let has_run =
                    container.at(&["state", "waiting"]).is_none() || container.get("lastState").is_some();
                if let Some(image) = image.filter(|_| has_run) {
                    container["imageID"] = image.id.as_str().into();
                }
            }
        }
    }
}
