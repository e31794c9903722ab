//! Catalogs as text, byte for byte as opm writes them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/write.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use fbc_yaml::{Built, Document, DocumentBuilder, base64, json_writer, yaml_writer};
use rayon::prelude::*;

use crate::blob::{Bundle, Channel, Deprecation, Other, Package, Property, schema};
use crate::catalog::Catalog;

/// How a catalog is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Indented by four spaces, one document after another.
    Json,
    /// Documents behind `---` lines, keys in go-yaml's natural order.
    Yaml,
}

/// A catalog that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output does not take it.
    #[error("{0}")]
    Output(#[from] io::Error),
    /// A blob holds text that YAML cannot express.
    #[error("{blob}: {error}")]
    Blob {
        /// Schema, package and name of the blob.
        blob: String,
        /// What YAML objects to.
        error: yaml_writer::WriteError,
    },
}

/// Blobs that are turned into text at a time; it bounds memory.
const BATCH: usize = 64;

/// Writes all blobs of a catalog in opm's order: packages by name; in each the package, channels by
/// name, bundles by name, other blobs by schema, deprecations; at the end other blobs without a
/// package. As in opm, a package without a name and blobs that must name their package but do not
/// are left out.
///
/// # Errors
/// [`WriteError`]; what was written before stays written.
pub fn write(catalog: &Catalog, format: Format, out: &mut dyn io::Write) -> Result<(), WriteError> {
    for batch in in_order(catalog).chunks(BATCH) {
        let texts: Vec<Result<String, WriteError>> =
            batch.par_iter().with_max_len(8).map(|blob| text_of(*blob, format)).collect();
        for text in texts {
            out.write_all(text?.as_bytes())?;
        }
    }
    Ok(())
}

/// A blob of any kind, borrowed.
#[derive(Clone, Copy)]
enum BlobRef<'c> {
    Package(&'c Package),
    Channel(&'c Channel),
    Bundle(&'c Bundle),
    Other(&'c Other),
    Deprecation(&'c Deprecation),
}

#[derive(Default)]
struct PackageBlobs<'c> {
    packages: Vec<&'c Package>,
    channels: Vec<&'c Channel>,
    bundles: Vec<&'c Bundle>,
    others: Vec<&'c Other>,
    deprecations: Vec<&'c Deprecation>,
}

fn in_order(catalog: &Catalog) -> Vec<BlobRef<'_>> {
    let mut by_package: BTreeMap<&str, PackageBlobs<'_>> = BTreeMap::new();
    for package in &catalog.packages {
        by_package.entry(&package.name).or_default().packages.push(package);
    }
    for channel in &catalog.channels {
        by_package.entry(&channel.package).or_default().channels.push(channel);
    }
    for bundle in &catalog.bundles {
        by_package.entry(&bundle.package).or_default().bundles.push(bundle);
    }
    for other in &catalog.others {
        by_package.entry(&other.meta.package).or_default().others.push(other);
    }
    for deprecation in &catalog.deprecations {
        by_package.entry(&deprecation.package).or_default().deprecations.push(deprecation);
    }
    let without_package = by_package.remove("").map(|blobs| blobs.others).unwrap_or_default();
    let mut ordered = Vec::new();
    for mut blobs in by_package.into_values() {
        blobs.channels.sort_by(|a, b| a.name.cmp(&b.name));
        blobs.bundles.sort_by(|a, b| a.name.cmp(&b.name));
        blobs.others.sort_by(|a, b| a.meta.schema.cmp(&b.meta.schema));
        ordered.extend(blobs.packages.into_iter().map(BlobRef::Package));
        ordered.extend(blobs.channels.into_iter().map(BlobRef::Channel));
        ordered.extend(blobs.bundles.into_iter().map(BlobRef::Bundle));
        ordered.extend(blobs.others.into_iter().map(BlobRef::Other));
        ordered.extend(blobs.deprecations.into_iter().map(BlobRef::Deprecation));
    }
    ordered.extend(without_package.into_iter().map(BlobRef::Other));
    ordered
}

/// The names of all packages that some blob belongs to.
#[must_use]
pub fn package_names(catalog: &Catalog) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = catalog.packages.iter().map(|package| package.name.as_str()).collect();
    names.extend(catalog.channels.iter().map(|channel| channel.package.as_str()));
    names.extend(catalog.bundles.iter().map(|bundle| bundle.package.as_str()));
    names.extend(catalog.others.iter().map(|other| other.meta.package.as_str()));
    names.extend(catalog.deprecations.iter().map(|deprecation| deprecation.package.as_str()));
    names.remove("");
    names
}

fn text_of(blob: BlobRef<'_>, format: Format) -> Result<String, WriteError> {
    let made;
    let root = match blob {
        BlobRef::Package(package) => {
            made = package_document(package);
            made.root()
        }
        BlobRef::Channel(channel) => {
            made = channel_document(channel);
            made.root()
        }
        BlobRef::Bundle(bundle) => {
            made = bundle_document(bundle);
            made.root()
        }
        BlobRef::Deprecation(deprecation) => {
            made = deprecation_document(deprecation);
            made.root()
        }
        BlobRef::Other(other) => other.value.node(),
    };
    let mut text = String::with_capacity(root.document().memory() + 256);
    match format {
        Format::Json => {
            json_writer::write_indented(&mut text, root, 4, 0);
            text.push('\n');
        }
        Format::Yaml => {
            text.push_str("---\n");
            yaml_writer::write(&mut text, root)
                .map_err(|error| WriteError::Blob { blob: name_of(blob), error })?;
        }
    }
    Ok(text)
}

fn name_of(blob: BlobRef<'_>) -> String {
    match blob {
        BlobRef::Package(package) => format!("{} {:?}", schema::PACKAGE, package.name),
        BlobRef::Channel(channel) => {
            format!("{} {:?} of package {:?}", schema::CHANNEL, channel.name, channel.package)
        }
        BlobRef::Bundle(bundle) => {
            format!("{} {:?} of package {:?}", schema::BUNDLE, bundle.name, bundle.package)
        }
        BlobRef::Other(other) => {
            format!("{} {:?} of package {:?}", other.meta.schema, other.meta.name, other.meta.package)
        }
        BlobRef::Deprecation(deprecation) => {
            format!("{} of package {:?}", schema::DEPRECATIONS, deprecation.package)
        }
    }
}

/// Builds an object member by member in Go's order, leaving out what Go leaves out.
struct Members {
    builder: DocumentBuilder,
}

impl Members {
    fn text(&mut self, key: &str, value: &str) {
        let value = self.builder.string(value);
        self.builder.push_member(key, value);
    }

    fn text_unless_empty(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.text(key, value);
        }
    }

    fn list<T>(&mut self, key: &str, items: &[T], mut item: impl FnMut(&mut Self, &T) -> Built) {
        let mark = self.builder.open();
        for value in items {
            let value = item(self, value);
            self.builder.push_item(value);
        }
        let list = self.builder.close_array(mark);
        self.builder.push_member(key, list);
    }

    fn object(&mut self, members: impl FnOnce(&mut Self)) -> Built {
        let mark = self.builder.open();
        members(self);
        self.builder.close_object(mark)
    }

    fn properties(&mut self, properties: &[Property]) {
        if properties.is_empty() {
            return;
        }
        self.list("properties", properties, |members, property| {
            members.object(|members| {
                members.text("type", &property.kind);
                let value = match &property.value {
                    Some(value) => members.builder.copy(value.node()),
                    None => members.builder.null(),
                };
                members.builder.push_member("value", value);
            })
        });
    }
}

fn document(members: impl FnOnce(&mut Members)) -> Document {
    let mut writer = Members { builder: DocumentBuilder::in_written_order() };
    let root = writer.object(members);
    writer.builder.finish(root)
}

fn package_document(package: &Package) -> Document {
    document(|members| {
        members.text("schema", schema::PACKAGE);
        members.text("name", &package.name);
        members.text("defaultChannel", &package.default_channel);
        if let Some(icon) = &package.icon {
            let value = members.object(|members| {
                let data = match &icon.data {
                    Some(data) => members.builder.string(&base64::encode(data)),
                    None => members.builder.null(),
                };
                members.builder.push_member("base64data", data);
                members.text("mediatype", &icon.media_type);
            });
            members.builder.push_member("icon", value);
        }
        members.text_unless_empty("description", &package.description);
        members.properties(&package.properties);
    })
}

fn channel_document(channel: &Channel) -> Document {
    document(|members| {
        members.text("schema", schema::CHANNEL);
        members.text("name", &channel.name);
        members.text("package", &channel.package);
        match &channel.entries {
            None => {
                let null = members.builder.null();
                members.builder.push_member("entries", null);
            }
            Some(entries) => members.list("entries", entries, |members, entry| {
                members.object(|members| {
                    members.text("name", &entry.name);
                    members.text_unless_empty("replaces", &entry.replaces);
                    if !entry.skips.is_empty() {
                        members.list("skips", &entry.skips, |members, skip| members.builder.string(skip));
                    }
                    members.text_unless_empty("skipRange", &entry.skip_range);
                })
            }),
        }
        members.properties(&channel.properties);
    })
}

fn bundle_document(bundle: &Bundle) -> Document {
    document(|members| {
        members.text("schema", schema::BUNDLE);
        members.text_unless_empty("name", &bundle.name);
        members.text_unless_empty("package", &bundle.package);
        members.text("image", &bundle.image);
        members.properties(&bundle.properties);
        if !bundle.related_images.is_empty() {
            members.list("relatedImages", &bundle.related_images, |members, image| {
                members.object(|members| {
                    members.text("name", &image.name);
                    members.text("image", &image.image);
                })
            });
        }
    })
}

fn deprecation_document(deprecation: &Deprecation) -> Document {
    document(|members| {
        members.text("schema", schema::DEPRECATIONS);
        members.text("package", &deprecation.package);
        match &deprecation.entries {
            None => {
                let null = members.builder.null();
                members.builder.push_member("entries", null);
            }
            Some(entries) => members.list("entries", entries, |members, entry| {
                members.object(|members| {
                    let reference = members.object(|members| {
                        members.text("schema", &entry.schema);
                        members.text_unless_empty("name", &entry.name);
                    });
                    members.builder.push_member("reference", reference);
                    members.text("message", &entry.message);
                })
            }),
        }
    })
}
