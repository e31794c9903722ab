//! What rules look at: the catalog, its blobs by package, and the text of its files.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fbc_model::tree::Tree;
use fbc_model::{Bundle, Catalog, Channel, Deprecation, Origin, Package};

use crate::finding::{Place, Spot};
use crate::graph::PackageGraph;
use crate::image_facts::ImageFacts;
use crate::lost::LostBlobs;
use crate::manifests::ManifestFacts;
use crate::policy::Parameters;

/// A catalog with the views on it that rules share.
pub struct Context<'c> {
    /// The catalog.
    pub catalog: &'c Catalog,
    /// The blobs by package name; only names that an `olm.package` blob declares.
    pub packages: BTreeMap<&'c str, PackageView<'c>>,
    /// The files, for rules that look at the text itself.
    pub tree: &'c dyn Tree,
    /// What the documents that opm refuses to load may have held.
    pub lost: LostBlobs,
    /// What rules need to know that is not in the catalog.
    pub parameters: Parameters,
    /// What is known of images.
    pub images: ImageFacts,
    /// What the manifests of each bundle say, by its number, read by the first rule that asks.
    manifests: Vec<OnceLock<ManifestFacts>>,
}

/// The blobs of one package, in load order.
#[derive(Clone, Debug)]
pub struct PackageView<'c> {
    /// The first package blob of that name, which is the one that counts.
    pub package: &'c Package,
    /// The number of the package among all, by name.
    pub number: usize,
    /// The channels: of equal names all, in load order.
    pub channels: Vec<&'c Channel>,
    /// The bundles: of equal names all, in load order.
    pub bundles: Vec<&'c Bundle>,
    /// The first bundle of each name.
    pub bundle_by_name: BTreeMap<&'c str, &'c Bundle>,
    /// The deprecations.
    pub deprecations: Vec<&'c Deprecation>,
    graph: OnceLock<PackageGraph>,
}

impl PackageView<'_> {
    /// The upgrade graph, worked out by the first rule that asks.
    #[must_use]
    pub fn graph(&self) -> &PackageGraph {
        self.graph.get_or_init(|| PackageGraph::from_view(self))
    }
}

impl<'c> Context<'c> {
    /// Looks over a catalog, for rules that need to know nothing else.
    #[must_use]
    pub fn new(catalog: &'c Catalog, tree: &'c dyn Tree) -> Self {
        Self::with(catalog, tree, Parameters::default())
    }

    /// Looks over a catalog.
    #[must_use]
    pub fn with(catalog: &'c Catalog, tree: &'c dyn Tree, parameters: Parameters) -> Self {
        let mut packages: BTreeMap<&str, PackageView<'_>> = BTreeMap::new();
        for package in &catalog.packages {
            packages.entry(&package.name).or_insert_with(|| PackageView {
                package,
                number: 0,
                channels: Vec::new(),
                bundles: Vec::new(),
                bundle_by_name: BTreeMap::new(),
                deprecations: Vec::new(),
                graph: OnceLock::new(),
            });
        }
        for channel in &catalog.channels {
            if let Some(view) = packages.get_mut(channel.package.as_str()) {
                view.channels.push(channel);
            }
        }
        for bundle in &catalog.bundles {
            if let Some(view) = packages.get_mut(bundle.package.as_str()) {
                view.bundles.push(bundle);
                view.bundle_by_name.entry(&bundle.name).or_insert(bundle);
            }
        }
        for deprecation in &catalog.deprecations {
            if let Some(view) = packages.get_mut(deprecation.package.as_str()) {
                view.deprecations.push(deprecation);
            }
        }
        packages.values_mut().enumerate().for_each(|(number, view)| view.number = number);
        let manifests = catalog.bundles.iter().map(|_| OnceLock::new()).collect();
        let (lost, images) = (LostBlobs::find(catalog, tree), ImageFacts::default());
        Self { catalog, packages, tree, lost, parameters, images, manifests }
    }

    /// What the manifests of a bundle say; the number is that of the bundle in load order.
    #[must_use]
    pub fn manifests(&self, number: usize) -> Option<&ManifestFacts> {
        let bundle = self.catalog.bundles.get(number)?;
        Some(self.manifests.get(number)?.get_or_init(|| ManifestFacts::from_bundle(bundle)))
    }

    /// The place of a value in a blob, as a JSON pointer.
    #[must_use]
    pub fn value(&self, origin: Origin, pointer: impl Into<String>) -> Place {
        self.place(origin, Spot::Value(pointer.into()))
    }

    /// The place of a key in a blob, as a JSON pointer.
    #[must_use]
    pub fn key(&self, origin: Origin, pointer: impl Into<String>) -> Place {
        self.place(origin, Spot::Key(pointer.into()))
    }

    /// A place in a blob.
    #[must_use]
    pub fn place(&self, origin: Origin, spot: Spot) -> Place {
        let path = self.catalog.file(origin).map(|file| file.path.clone()).unwrap_or_default();
        Place { path, origin: Some(origin), spot }
    }
}
