//! What the rules of opm's conversion share: its order, its view of bundles, the nodes of its tree.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{ConversionOrder, OpmText, Phase, Subject};
use fbc_lint::names;
use fbc_model::go_type::{self, GoType};
use fbc_model::go_types::PACKAGE_PROPERTY;
use fbc_model::{Bundle, Value};
use fbc_version::{Release, Version};
use fbc_yaml::Node;

/// Where the checks of a bundle stand among the children of its node in opm's tree.
pub(crate) mod leaf_order {
    /// `name must be set`
    pub(crate) const NAME: u8 = 1;
    /// `name … does not match normalized name …`
    pub(crate) const NORMALIZED_NAME: u8 = 2;
    /// `must be exactly one property with type "olm.package"`
    pub(crate) const PACKAGE_PROPERTY: u8 = 6;
    /// `bundle image must be set`
    pub(crate) const IMAGE: u8 = 7;
    /// `cannot use build metadata in version with a release version`
    pub(crate) const BUILD_METADATA: u8 = 9;
}

/// A text of opm's conversion.
pub(crate) fn conversion(phase: Phase, blob: usize, check: u8, item: usize, text: String) -> OpmText {
    OpmText::Conversion {
        order: ConversionOrder { phase, blob: blob as u32, check, item: item as u32 },
        text,
    }
}

/// A text of opm's check of a bundle, once for every channel that lists it.
pub(crate) fn bundle_leaf(view: &PackageView<'_>, bundle: &str, order: u8, text: String) -> OpmText {
    let lists = |channel: &&&fbc_model::Channel| channel.entries().iter().any(|entry| entry.name == bundle);
    let channels: BTreeSet<&str> =
        view.channels.iter().filter(lists).map(|channel| channel.name.as_str()).collect();
    let paths =
        channels.into_iter().map(|channel| bundle_path(&view.package.name, channel, bundle)).collect();
    OpmText::Model { paths, order, text }
}

/// The nodes from a package down to a bundle.
pub(crate) fn bundle_path(package: &str, channel: &str, bundle: &str) -> Vec<String> {
    vec![
        format!("invalid package {}", quote(package)),
        format!("invalid channel {}", quote(channel)),
        format!("invalid bundle {}", quote(bundle)),
    ]
}

/// A bundle, with what the checks of bundles need beside it.
#[derive(Clone, Copy)]
pub(crate) struct BundleInCatalog<'a, 'c> {
    /// Its number in load order.
    pub(crate) number: usize,
    /// The bundle.
    pub(crate) bundle: &'c Bundle,
    /// Its package, if that exists.
    pub(crate) view: Option<&'a PackageView<'c>>,
}

impl BundleInCatalog<'_, '_> {
    /// What a finding about the bundle is about.
    pub(crate) fn subject(&self) -> Subject {
        Subject::bundle(&self.bundle.package, &self.bundle.name)
    }

    /// A text of opm's conversion of the bundle.
    pub(crate) fn conversion(&self, check: u8, item: usize, text: String) -> OpmText {
        conversion(Phase::Bundles, self.number, check, item, text)
    }
}

/// All bundles but those that repeat another of their package, which have a finding of their own.
pub(crate) fn bundles<'a, 'c>(context: &'a Context<'c>) -> impl Iterator<Item = BundleInCatalog<'a, 'c>> {
    context.catalog.bundles.iter().enumerate().filter_map(|(number, bundle)| {
        let view = context.packages.get(bundle.package.as_str());
        let first = view.and_then(|view| view.bundle_by_name.get(bundle.name.as_str()));
        first.is_none_or(|first| std::ptr::eq(*first, bundle)).then_some(BundleInCatalog {
            number,
            bundle,
            view,
        })
    })
}

/// The value of the property `olm.package`.
pub(crate) struct PackageProperty<'d> {
    /// Its number among the properties.
    pub(crate) index: usize,
    /// The package name.
    pub(crate) package_name: &'d str,
    /// The version as written.
    pub(crate) version: &'d str,
    /// The release as written; empty where there is none.
    pub(crate) release: &'d str,
}

/// The type of the property that names package and version of a bundle.
pub(crate) const PACKAGE_PROPERTY_TYPE: &str = "olm.package";

/// The property `olm.package` of a bundle; nothing unless there is exactly one and it can be read.
pub(crate) fn package_property(bundle: &Bundle) -> Option<PackageProperty<'_>> {
    let mut found =
        bundle.properties.iter().enumerate().filter(|(_, property)| property.kind == PACKAGE_PROPERTY_TYPE);
    let ((index, property), None) = (found.next()?, found.next()) else { return None };
    let value = property.value.as_ref().map(Value::node)?;
    go_type::check(value, &GoType::Struct(&PACKAGE_PROPERTY)).ok()?;
    let text = |name| go_type::field(value, name).and_then(Node::as_str).unwrap_or_default();
    Some(PackageProperty {
        index,
        package_name: text("packageName"),
        version: text("version"),
        release: text("release"),
    })
}

impl PackageProperty<'_> {
    /// Version and release; nothing unless both can be read and there is a release.
    pub(crate) fn with_release(&self) -> Option<(Version, Release)> {
        if self.release.is_empty() {
            return None;
        }
        Some((Version::parse(self.version).ok()?, Release::parse(self.release).ok()?))
    }

    /// The place of a field of the property in its blob.
    pub(crate) fn pointer(&self, field: &str) -> String {
        format!("/properties/{}/value/{field}", self.index)
    }
}

/// What to do about the name of a package that does not exist.
pub(crate) fn unknown_package_help(context: &Context<'_>, name: &str) -> String {
    let question = names::did_you_mean(name, context.packages.keys().copied());
    format!("{question}name a package that an `olm.package` blob of the catalog declares")
}

/// The values of the properties of a type, with their numbers; those without a value are left out.
pub(crate) fn values<'b>(bundle: &'b Bundle, kind: &'static str) -> impl Iterator<Item = (usize, Node<'b>)> {
    bundle
        .properties
        .iter()
        .enumerate()
        .filter(move |(_, property)| property.kind == kind)
        .filter_map(|(index, property)| Some((index, property.value.as_ref()?.node())))
}
