//! Catalogs as text, byte for byte as opm writes them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/write.go`.

mod document_sink;
mod fields;
mod json_sink;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use fbc_yaml::{Document, yaml_writer};
use rayon::prelude::*;

use self::document_sink::DocumentSink;
use self::fields::Sink;
use self::json_sink::JsonSink;
use crate::blob::{
    Blob, Bundle, Channel, ChannelEntry, Deprecation, DeprecationEntry, Other, Package, schema,
};
use crate::catalog::Catalog;
use crate::go_sort;

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

/// One blob as [`write()`] has it, with the `---` line in YAML.
///
/// # Errors
/// The blob holds text that YAML cannot express.
pub fn blob_text(blob: &Blob, format: Format) -> Result<String, WriteError> {
    let blob = match blob {
        Blob::Package(package) => BlobRef::Package(package),
        Blob::Channel(channel) => BlobRef::Channel(channel),
        Blob::Bundle(bundle) => BlobRef::Bundle(bundle),
        Blob::Deprecation(deprecation) => BlobRef::Deprecation(deprecation),
        Blob::Other(other) => BlobRef::Other(other),
    };
    text_of(blob, format)
}

/// An entry of a channel as a value, with the fields that [`write()`] gives it.
#[must_use]
pub fn channel_entry(entry: &ChannelEntry) -> Document {
    let mut sink = DocumentSink::new();
    fields::channel_entry(&mut sink, entry);
    sink.finish()
}

/// An entry of deprecations as a value, with the fields that [`write()`] gives it.
#[must_use]
pub fn deprecation_entry(entry: &DeprecationEntry) -> Document {
    let mut sink = DocumentSink::new();
    fields::deprecation_entry(&mut sink, entry);
    sink.finish()
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
        go_sort::sort(&mut blobs.channels, |a, b| a.name < b.name);
        go_sort::sort(&mut blobs.bundles, |a, b| a.name < b.name);
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
    match format {
        Format::Json => {
            let mut sink = JsonSink::new();
            write_fields(&mut sink, blob);
            Ok(sink.finish())
        }
        Format::Yaml => {
            let mut text = "---\n".to_owned();
            let written = match blob {
                BlobRef::Other(other) => yaml_writer::write(&mut text, other.value.node()),
                _ => {
                    let mut sink = DocumentSink::new();
                    write_fields(&mut sink, blob);
                    yaml_writer::write(&mut text, sink.finish().root())
                }
            };
            written.map_err(|error| WriteError::Blob { blob: name_of(blob), error })?;
            Ok(text)
        }
    }
}

fn write_fields(sink: &mut impl Sink, blob: BlobRef<'_>) {
    match blob {
        BlobRef::Package(package) => fields::package(sink, package),
        BlobRef::Channel(channel) => fields::channel(sink, channel),
        BlobRef::Bundle(bundle) => fields::bundle(sink, bundle),
        BlobRef::Deprecation(deprecation) => fields::deprecation(sink, deprecation),
        BlobRef::Other(other) => sink.value(&other.value),
    }
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
