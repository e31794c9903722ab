//! Catalogs as text, byte for byte as opm writes them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/write.go`.

mod document_sink;
mod fields;
mod json_sink;
mod layout;

use std::collections::BTreeSet;
use std::{fmt, io};

use fbc_yaml::layout::LayoutRoom;
use fbc_yaml::{Document, yaml_writer};
use rayon::prelude::*;

use self::document_sink::DocumentSink;
pub use self::fields::Sink;
use fbc_go::sort;

use self::json_sink::JsonSink;
use crate::blob::{
    Blob, Bundle, Channel, ChannelEntry, Deprecation, DeprecationEntry, Origin, Other, Package, schema,
};
use crate::catalog::Catalog;
use crate::package_blobs::PackageBlobs;

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
    /// Blobs are nested so deep that their indentation is out of proportion.
    #[error("{blob}: blobs nested this deep are indented by more than {most} bytes in all")]
    Layout {
        /// Schema, package and name of the blob with which there is too much.
        blob: String,
        /// What may be.
        most: u64,
    },
}

pub use fbc_yaml::layout::{MOST_LAYOUT_BYTES, PLAIN_DEPTH};

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
    write_within(catalog, format, MOST_LAYOUT_BYTES, out)
}

/// As [`write()`], with a budget of one's own for the indentation of deeply nested blobs.
///
/// # Errors
/// [`WriteError`]; what was written before stays written.
pub fn write_within(
    catalog: &Catalog,
    format: Format,
    most_layout_bytes: u64,
    out: &mut dyn io::Write,
) -> Result<(), WriteError> {
    let parts = parts(catalog);
    layout::check(parts.iter().flat_map(|part| &part.blobs), most_layout_bytes)?;
    parts.iter().try_for_each(|part| part.write_blobs(format, out))
}

/// The blobs in the order in which [`write()`] writes them, without those that it leaves out.
#[must_use]
pub fn in_order(catalog: &Catalog) -> Vec<BlobRef<'_>> {
    parts(catalog).into_iter().flat_map(|part| part.blobs).collect()
}

/// The blobs of one package, in opm's order.
pub struct Part<'c> {
    /// The package; empty for blobs that have none.
    pub package: &'c str,
    blobs: Vec<BlobRef<'c>>,
}

impl Part<'_> {
    /// Writes the blobs.
    ///
    /// # Errors
    /// [`WriteError`]; what was written before stays written.
    pub fn write(&self, format: Format, out: &mut dyn io::Write) -> Result<(), WriteError> {
        layout::check(&self.blobs, MOST_LAYOUT_BYTES)?;
        self.write_blobs(format, out)
    }

    fn write_blobs(&self, format: Format, out: &mut dyn io::Write) -> Result<(), WriteError> {
        for batch in self.blobs.chunks(BATCH) {
            let texts: Vec<Result<String, WriteError>> =
                batch.par_iter().with_max_len(8).map(|blob| text_of(*blob, format)).collect();
            for text in texts {
                out.write_all(text?.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// One blob as [`write()`] has it, with the `---` line in YAML.
///
/// # Errors
/// The blob holds text that YAML cannot express.
pub fn blob_text(blob: &Blob, format: Format) -> Result<String, WriteError> {
    text_of(BlobRef::of(blob), format)
}

/// One blob as a value, with the fields that [`write()`] gives it, in their order in JSON.
#[must_use]
pub fn blob_document(blob: &Blob) -> Document {
    let mut sink = DocumentSink::new();
    BlobRef::of(blob).write_to(&mut sink);
    sink.finish()
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
#[derive(Clone, Copy, Debug)]
pub enum BlobRef<'c> {
    /// `olm.package`
    Package(&'c Package),
    /// `olm.channel`
    Channel(&'c Channel),
    /// `olm.bundle`
    Bundle(&'c Bundle),
    /// Everything else.
    Other(&'c Other),
    /// `olm.deprecations`
    Deprecation(&'c Deprecation),
}

impl<'c> BlobRef<'c> {
    /// A blob, borrowed.
    fn of(blob: &'c Blob) -> Self {
        match blob {
            Blob::Package(package) => Self::Package(package),
            Blob::Channel(channel) => Self::Channel(channel),
            Blob::Bundle(bundle) => Self::Bundle(bundle),
            Blob::Deprecation(deprecation) => Self::Deprecation(deprecation),
            Blob::Other(other) => Self::Other(other),
        }
    }
}

impl BlobRef<'_> {
    /// Where it lies.
    #[must_use]
    pub fn origin(self) -> Origin {
        match self {
            Self::Package(blob) => blob.origin,
            Self::Channel(blob) => blob.origin,
            Self::Bundle(blob) => blob.origin,
            Self::Other(blob) => blob.origin,
            Self::Deprecation(blob) => blob.origin,
        }
    }

    /// The blob as [`write()`] has it, with the `---` line in YAML.
    ///
    /// # Errors
    /// The blob holds text that YAML cannot express.
    pub fn text(self, format: Format) -> Result<String, WriteError> {
        text_of(self, format)
    }

    /// Hands the blob to a sink, piece by piece in the order of the JSON that [`write()`] writes.
    pub fn write_to(self, sink: &mut impl Sink) {
        match self {
            Self::Package(package) => fields::package(sink, package),
            Self::Channel(channel) => fields::channel(sink, channel),
            Self::Bundle(bundle) => fields::bundle(sink, bundle),
            Self::Deprecation(deprecation) => fields::deprecation(sink, deprecation),
            Self::Other(other) => sink.value(&other.value),
        }
    }
}

/// Schema, name and package of a blob, as messages name it.
impl fmt::Display for BlobRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(package) => write!(f, "{} {:?}", schema::PACKAGE, package.name),
            Self::Channel(channel) => {
                write!(f, "{} {:?} of package {:?}", schema::CHANNEL, channel.name, channel.package)
            }
            Self::Bundle(bundle) => {
                write!(f, "{} {:?} of package {:?}", schema::BUNDLE, bundle.name, bundle.package)
            }
            Self::Other(Other { meta, .. }) => {
                write!(f, "{} {:?} of package {:?}", meta.schema, meta.name, meta.package)
            }
            Self::Deprecation(deprecation) => {
                write!(f, "{} of package {:?}", schema::DEPRECATIONS, deprecation.package)
            }
        }
    }
}

/// A catalog cut into its packages, by name; at the end blobs without a package, if there are any.
#[must_use]
pub fn parts(catalog: &Catalog) -> Vec<Part<'_>> {
    let mut by_package = PackageBlobs::by_package(catalog, |_| true);
    let without_package = by_package.remove("").map(|blobs| blobs.others).unwrap_or_default();
    let mut parts: Vec<Part<'_>> = by_package
        .into_iter()
        .map(|(package, blobs)| Part { package, blobs: blobs_in_order(blobs) })
        .collect();
    if !without_package.is_empty() {
        let blobs = without_package.into_iter().map(BlobRef::Other).collect();
        parts.push(Part { package: "", blobs });
    }
    parts
}

/// The blobs of a package as opm writes them.
fn blobs_in_order(mut blobs: PackageBlobs<'_>) -> Vec<BlobRef<'_>> {
    sort::sort(&mut blobs.channels, |a, b| a.name < b.name);
    sort::sort(&mut blobs.bundles, |a, b| a.name < b.name);
    blobs.others.sort_by(|a, b| a.meta.schema.cmp(&b.meta.schema));
    let mut ordered = Vec::new();
    ordered.extend(blobs.packages.into_iter().map(BlobRef::Package));
    ordered.extend(blobs.channels.into_iter().map(BlobRef::Channel));
    ordered.extend(blobs.bundles.into_iter().map(BlobRef::Bundle));
    ordered.extend(blobs.others.into_iter().map(BlobRef::Other));
    ordered.extend(blobs.deprecations.into_iter().map(BlobRef::Deprecation));
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
            blob.write_to(&mut sink);
            Ok(sink.finish())
        }
        Format::Yaml => {
            let mut text = "---\n".to_owned();
            // The indentation of all blobs was added up before.
            let mut room = LayoutRoom::new(u64::MAX);
            let written = match blob {
                BlobRef::Other(other) => yaml_writer::write_within(&mut text, other.value.node(), &mut room),
                _ => {
                    let mut sink = DocumentSink::new();
                    blob.write_to(&mut sink);
                    yaml_writer::write_within(&mut text, sink.finish().root(), &mut room)
                }
            };
            written.map_err(|error| WriteError::Blob { blob: blob.to_string(), error })?;
            Ok(text)
        }
    }
}
