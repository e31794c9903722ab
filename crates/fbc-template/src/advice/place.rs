//! Where in a template the cause of an advice lies.

use fbc_model::Catalog;
use fbc_yaml::Node;

use super::Advice;
use crate::document::{TemplateDocument, place_of};
use crate::error::TemplatePlace;
use crate::kind::TemplateKind;

impl Advice {
    /// The place in the text of the template that expanded to the catalog: the preference, the list of
    /// bundles or the channel that brings it about, else the template as a whole; nothing if the text does
    /// not parse.
    #[must_use]
    pub fn place(&self, kind: TemplateKind, text: &[u8], catalog: &Catalog) -> Option<TemplatePlace> {
        let document = TemplateDocument::first(text).ok()?;
        if kind == TemplateKind::Raw {
            let info = catalog.document(self.origin(catalog)?)?;
            return Some(place_of(text, &info.range, info.syntax, ""));
        }
        let pointer = self.pointer(kind, catalog, document.root());
        Some(document.place(&pointer.unwrap_or_default()))
    }

    fn pointer(&self, kind: TemplateKind, catalog: &Catalog, root: Node<'_>) -> Option<String> {
        match self {
            Self::DefaultChannel { .. } => Some("/defaultChannelTypePreference".to_owned()),
            Self::DroppedEdges { channel, .. } if kind == TemplateKind::Semver => {
                // Channels are called after the list that they are made of, then the version.
                channel.rsplit_once("-v").map(|(archetype, _)| format!("/{archetype}"))
            }
            Self::DroppedEdges { .. } => {
                self.origin(catalog).map(|origin| format!("/entries/{}", origin.document))
            }
            Self::SameVersion { bundles, package, .. } => {
                let last = bundles.last()?;
                let mut blobs = catalog.bundles.iter();
                let blob = blobs.find(|blob| blob.package == *package && blob.name == *last)?;
                pointer_to(root, &blob.image)
            }
        }
    }

    /// The blob that it is about.
    fn origin(&self, catalog: &Catalog) -> Option<fbc_model::Origin> {
        match self {
            Self::DefaultChannel { package, .. } => {
                catalog.packages.iter().find(|blob| blob.name == *package).map(|blob| blob.origin)
            }
            Self::DroppedEdges { package, channel, .. } => {
                let mut channels = catalog.channels.iter();
                channels
                    .find(|blob| blob.package == *package && blob.name == *channel)
                    .map(|blob| blob.origin)
            }
            Self::SameVersion { package, bundles, .. } => {
                let mut blobs = catalog.bundles.iter().rev();
                blobs
                    .find(|blob| blob.package == *package && bundles.contains(&blob.name))
                    .map(|blob| blob.origin)
            }
        }
    }
}

/// The first text in a template that is the given one. Templates name images at most four levels deep.
fn pointer_to(root: Node<'_>, wanted: &str) -> Option<String> {
    fn search(node: Node<'_>, wanted: &str, depth: u8) -> Option<String> {
        if node.as_str() == Some(wanted) {
            return Some(String::new());
        }
        if depth == 0 {
            return None;
        }
        let in_items = || {
            node.items().enumerate().find_map(|(index, item)| {
                search(item, wanted, depth - 1).map(|below| format!("/{index}{below}"))
            })
        };
        let mut members = node.members();
        members
            .find_map(|(key, value)| search(value, wanted, depth - 1).map(|below| format!("/{key}{below}")))
            .or_else(in_items)
    }
    search(root, wanted, 4).filter(|_| !wanted.is_empty())
}
