//! The images that bundles name: their own, their related ones, and those that they use without listing them.

use std::collections::{BTreeMap, BTreeSet};

use fbc_lint::manifests::ManifestFacts;
use fbc_model::{Bundle, Catalog};

/// What an image is to a bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It is the bundle.
    Bundle,
    /// It is a related image with this name, which may be empty.
    Related(String),
}

/// A bundle that needs an image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The package of the bundle.
    pub package: String,
    /// The name of the bundle.
    pub bundle: String,
    /// What the image is to it.
    pub role: Role,
}

/// An image that a bundle uses and does not list among its related images.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnlistedImage {
    /// The reference.
    pub image: String,
    /// The package of the bundle.
    pub package: String,
    /// The name of the bundle.
    pub bundle: String,
    /// Where the manifest names it.
    pub at: String,
}

/// The images of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// By reference, with all uses.
    pub images: BTreeMap<String, BTreeSet<Use>>,
    /// Images that tools which go by the lists would forget.
    pub unlisted: BTreeSet<UnlistedImage>,
    /// Bundles whose manifests are not in the catalog, so that nobody can tell what they use.
    pub unknown: usize,
}

impl Needs {
    /// The needs of all bundles.
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let mut needs = Self::default();
        for bundle in &catalog.bundles {
            needs.add(bundle);
        }
        needs
    }

    fn add(&mut self, bundle: &Bundle) {
        let mut add = |image: &str, role: Role| {
            if !image.is_empty() {
                let (package, bundle) = (bundle.package.clone(), bundle.name.clone());
                self.images.entry(image.to_owned()).or_default().insert(Use { package, bundle, role });
            }
        };
        add(&bundle.image, Role::Bundle);
        for related in bundle.related_images.iter().filter(|related| related.image != bundle.image) {
            add(&related.image, Role::Related(related.name.clone()));
        }
        match ManifestFacts::from_bundle(bundle).description {
            Some(description) if description.whole.is_some() => {
                let listed: BTreeSet<&str> =
                    bundle.related_images.iter().map(|related| related.image.as_str()).collect();
                for used in description.images.iter().filter(|used| used.runs()) {
                    if !listed.contains(used.image.as_str()) {
                        self.unlisted.insert(UnlistedImage {
                            image: used.image.clone(),
                            package: bundle.package.clone(),
                            bundle: bundle.name.clone(),
                            at: used.at.clone(),
                        });
                    }
                }
            }
            _ => self.unknown += 1,
        }
    }

    /// Every image, listed or not, once, in the order of references.
    pub fn references(&self) -> BTreeSet<&str> {
        let unlisted = self.unlisted.iter().map(|unlisted| unlisted.image.as_str());
        self.images.keys().map(String::as_str).chain(unlisted).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fbc_model::load::load_bytes;

    use super::*;

    #[test]
    fn images_are_listed_once_and_forgotten_ones_found() {
        let csv = r#"{"kind": "ClusterServiceVersion", "spec": {"install": {"spec": {"deployments": [{"name": "d", "spec":
            {"template": {"spec": {"containers": [{"name": "c", "image": "quay.io/a/listed:v1",
            "env": [{"name": "RELATED_IMAGE_X", "value": "quay.io/a/forgotten:v1"}]}]}}}}]}}}}"#;
        let data = base64_of(csv);
        let text = format!(
            r#"{{"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "quay.io/a/bundle:v1",
            "relatedImages": [{{"name": "", "image": "quay.io/a/bundle:v1"}}, {{"name": "m", "image": "quay.io/a/listed:v1"}}],
            "properties": [{{"type": "olm.bundle.object", "value": {{"data": "{data}"}}}}]}}"#
        );
        let needs = Needs::from_catalog(&load_bytes(Path::new("a.json"), text.as_bytes()));
        let images: Vec<&str> = needs.images.keys().map(String::as_str).collect();
        assert_eq!(images, ["quay.io/a/bundle:v1", "quay.io/a/listed:v1"]);
        let roles: Vec<&Role> = needs.images.values().flatten().map(|one| &one.role).collect();
        assert_eq!(roles, [&Role::Bundle, &Role::Related("m".to_owned())]);
        let forgotten: Vec<&str> = needs.unlisted.iter().map(|one| one.image.as_str()).collect();
        assert_eq!(forgotten, ["quay.io/a/forgotten:v1"]);
        assert_eq!((needs.references().len(), needs.unknown), (3, 0));
    }

    /// Base64 without a dependency of the tests alone.
    fn base64_of(text: &str) -> String {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut encoded = String::new();
        for chunk in text.as_bytes().chunks(3) {
            let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - chunk.len()));
            for index in 0..4 {
                let letter = ALPHABET[(bits >> (18 - 6 * index) & 63) as usize];
                encoded.push(if index <= chunk.len() { char::from(letter) } else { '=' });
            }
        }
        encoded
    }
}
