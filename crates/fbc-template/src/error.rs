//! Why a template does not expand: data, with the texts of opm, and the place in the template.

mod composite;
mod semver;
mod substitutes;

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use fbc_go::allowance::Exceeded;
use fbc_go::text::quote;

use crate::semver::template::TEMPLATE_TYPE;
use crate::strict;

pub use composite::{ComponentFault, CompositeFault};
pub use semver::{SemverBundleFault, SemverFileFault, VersionClash};
pub use substitutes::{SubstitutesFault, SubstitutionFault};

/// A template that does not expand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct TemplateError {
    /// What is wrong. Its text is what opm prints behind `rendering template: `.
    pub fault: Box<TemplateFault>,
    /// Where in the template, if the fault lies in it.
    pub place: Option<TemplatePlace>,
}

/// A place in the text of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplatePlace {
    /// The value, as a JSON pointer; nothing where the text does not parse.
    pub pointer: Option<String>,
    /// The bytes to show: the value, or its key where that is to blame.
    pub bytes: Range<usize>,
}

/// What is wrong with a template or what it names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateFault {
    /// There is no such kind of template.
    #[error("invalid template type {}, must be one of: [basic semver substitutes]", quote(.name))]
    UnknownType {
        /// The name.
        name: String,
    },
    /// The kind of a template cannot be told.
    #[error("auto-detecting template type: {0}")]
    Detection(DetectionFault),
    /// A basic template cannot be read.
    #[error("{0}")]
    Document(DocumentFault),
    /// An entry of a basic template, or a blob of a raw catalog, cannot be loaded.
    #[error("{message}")]
    Entry {
        /// opm's text.
        message: String,
    },
    /// A bundle in a basic template has more than an image and a name.
    #[error("unexpected fields present in basic template bundle")]
    BundleFields,
    /// A bundle cannot be pulled.
    #[error("{0}")]
    Bundle(BundleFault),
    /// A semver template cannot be read.
    #[error("render: unable to read file: {0}")]
    SemverFile(SemverFileFault),
    /// A semver template names no bundles.
    #[error("render: no bundles specified or no bundles could be rendered")]
    NoBundles,
    /// The bundles of a semver template do not make channels.
    #[error("render: unable to post-process bundle info: {0}")]
    SemverBundles(SemverBundleFault),
    /// A substitutes template does not expand.
    #[error("render: {0}")]
    Substitutes(SubstitutesFault),
    /// It expands to more than a limit allows.
    #[error("the template {0}")]
    TooLarge(Exceeded),
    /// A composite template cannot be built.
    #[error("{0}")]
    Composite(CompositeFault),
    /// A catalog cannot be made a template.
    #[error("{message}")]
    Conversion {
        /// opm's text.
        message: String,
    },
}

/// Why the kind of a template cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectionFault {
    /// There is no document, or it cannot be parsed.
    #[error("decoding template input: {0}")]
    Decoding(String),
    /// The document is not an object, or its schema is not a string.
    #[error("unmarshalling template schema: {0}")]
    Unmarshalling(String),
    /// There is no schema.
    #[error("template input missing required 'schema' field")]
    NoSchema,
    /// The schema is that of no template.
    #[error("unknown template schema: {0}")]
    UnknownSchema(String),
}

/// Why the document of a basic or substitutes template cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentFault {
    /// There is no document, or it cannot be parsed.
    #[error("decoding template schema: {0}")]
    Decoding(String),
    /// A value has the wrong type.
    #[error("unmarshalling template: {0}")]
    Unmarshalling(String),
    /// An entry is null, at which opm crashes.
    #[error("unmarshalling template: entry {index} is null")]
    NullEntry {
        /// The number of the entry, from 0.
        index: usize,
    },
    /// The schema is that of something else.
    #[error("template has unknown schema ({}), should be {}", quote(.found), quote(.expected))]
    Schema {
        /// The schema in the template.
        found: String,
        /// The schema of the kind.
        expected: &'static str,
    },
}

/// Why a bundle cannot be pulled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleFault {
    /// The source does not give it.
    #[error("render reference {}: {error}", quote(.reference))]
    Source {
        /// The image reference.
        reference: String,
        /// What the source says.
        error: SourceError,
    },
    /// It cannot be brought up to date.
    #[error("{message}")]
    Migration {
        /// The image reference.
        reference: String,
        /// opm's text.
        message: String,
    },
}

/// Why a source does not give a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The image cannot be pulled.
    #[error("failed to pull image {}: {reason}", quote(.image))]
    Pull {
        /// The image reference.
        image: String,
        /// Why not.
        reason: String,
        /// Whether the reference or the image itself is refused; otherwise something keeps it from being pulled.
        is_refused: bool,
    },
    /// There is no such bundle, or what is there cannot be rendered as one.
    #[error("{0}")]
    Unusable(String),
    /// It is on this machine, and not where a template may name bundles.
    #[error("{} leads out of {}", quote(.name), .root.display())]
    Outside {
        /// What the template names.
        name: String,
        /// The directory that it must lie in.
        root: PathBuf,
    },
}

impl TemplateError {
    /// An error without a place.
    pub(crate) fn new(fault: TemplateFault) -> Self {
        Self { fault: Box::new(fault), place: None }
    }

    /// The same error at a place.
    pub(crate) fn at(self, place: impl Into<Option<TemplatePlace>>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// Whether an image could not be pulled, which is no fault of the template.
    #[must_use]
    pub fn could_not_pull(&self) -> bool {
        let TemplateFault::Bundle(BundleFault::Source { error, .. }) = self.fault.as_ref() else {
            return false;
        };
        matches!(error, SourceError::Pull { is_refused: false, .. })
    }

    /// What its author can do about it, where opm's text does not say.
    #[must_use]
    pub fn help(&self) -> Option<Cow<'static, str>> {
        self.help_of_bundles().map(Cow::Owned).or_else(|| self.general_help().map(Cow::Borrowed))
    }

    /// What helps against bundles that cannot stand side by side; it names their images.
    fn help_of_bundles(&self) -> Option<String> {
        if let TemplateFault::Substitutes(SubstitutesFault::InvalidEntries { image: Some(image), .. }) =
            self.fault.as_ref()
        {
            return Some(format!(
                "the entries of a substitutes template are whole blobs: put what `fbc render {image}` writes in the place of the \
                 image"
            ));
        }
        let TemplateFault::SemverBundles(fault) = self.fault.as_ref() else { return None };
        match fault {
            SemverBundleFault::DuplicateName { name, images: [one, other] } => Some(match one == other {
                true => format!("{one} is listed twice; list it once"),
                false => format!(
                    "{one} and {other} are both named {name}: give each version a `metadata.name` of its own in its ClusterServiceVersion"
                ),
            }),
            SemverBundleFault::VersionClash { clashes } => {
                let clash = clashes.first()?;
                let (one, other) = (&clash.other_image, &clash.image);
                Some(match clash.has_releases {
                    true => format!(
                        "{one} and {other} differ by their releases, and semver templates do not look at those: list one of them, or use a basic template"
                    ),
                    false => format!(
                        "{one} and {other} differ by build metadata alone, which orders no versions: list one of them, or raise the version of the newer"
                    ),
                })
            }
            _ => None,
        }
    }

    fn general_help(&self) -> Option<&'static str> {
        match self.fault.as_ref() {
            TemplateFault::Bundle(BundleFault::Source { error: SourceError::Outside { .. }, .. })
            | TemplateFault::Substitutes(SubstitutesFault::Substitution {
                fault:
                    SubstitutionFault::Bundle {
                        fault: BundleFault::Source { error: SourceError::Outside { .. }, .. },
                        ..
                    },
                ..
            }) => Some(
                "put the bundle there, or name a directory for its image with an image map; `--follow-links` reads what \
                 templates that you trust name elsewhere",
            ),
            TemplateFault::BundleFields => {
                Some("leave only `schema`, `image` and, if you like, `name`: the rest comes from the image")
            }
            TemplateFault::Document(DocumentFault::NullEntry { .. })
            | TemplateFault::Substitutes(SubstitutesFault::Document(DocumentFault::NullEntry { .. })) => {
                Some("remove the empty entry; opm crashes on it")
            }
            TemplateFault::Detection(DetectionFault::NoSchema | DetectionFault::UnknownSchema(_)) => Some(
                "a template begins with its schema: olm.template.basic, olm.semver or \
                 olm.template.substitutes",
            ),
            TemplateFault::Detection(DetectionFault::Decoding(message))
            | TemplateFault::Document(DocumentFault::Decoding(message))
            | TemplateFault::SemverFile(SemverFileFault::Malformed(message))
                if message == "EOF" =>
            {
                Some("the file is empty; a template is a YAML or JSON document with a schema")
            }
            TemplateFault::Detection(DetectionFault::Decoding(message))
            | TemplateFault::Document(DocumentFault::Decoding(message))
            | TemplateFault::SemverFile(SemverFileFault::Malformed(message))
                if message.contains("control characters") || message.contains("UTF-8") =>
            {
                Some("a template is a text in YAML or JSON; is it the right file?")
            }
            TemplateFault::Document(DocumentFault::Schema { found, .. }) => match found.as_str() {
                "olm.semver" => Some("this is a semver template: `fbc template render semver`"),
                "olm.template.basic" => Some("this is a basic template: `fbc template render basic`"),
                "olm.template.substitutes" => {
                    Some("this is a substitutes template: `fbc template render substitutes`")
                }
                _ => Some(
                    "a template begins with its schema: olm.template.basic, olm.semver or olm.template.substitutes",
                ),
            },
            TemplateFault::SemverFile(SemverFileFault::Schema) => {
                Some("a semver template begins with `schema: olm.semver`")
            }
            TemplateFault::Bundle(BundleFault::Source { error: SourceError::Pull { .. }, .. }) => Some(
                "an image map (FBC_IMAGE_MAP=FILE) says which directory stands for an image; a template may also name a bundle \
                 directory itself",
            ),
            _ => None,
        }
    }

    /// The field that a semver template does not have, and the fields that may stand there; nothing if
    /// something else is wrong.
    #[must_use]
    pub fn unknown_field(&self) -> Option<(&str, Vec<&'static str>)> {
        let TemplateFault::SemverFile(SemverFileFault::Decoding(message)) = self.fault.as_ref() else {
            return None;
        };
        let pointer = self.place.as_ref()?.pointer.as_deref()?;
        let (_, key) = pointer.rsplit_once('/')?;
        let known = strict::fields_beside(pointer, &TEMPLATE_TYPE);
        (message.starts_with("json: unknown field") && !known.is_empty()).then_some((key, known))
    }
}

impl From<TemplateFault> for TemplateError {
    fn from(fault: TemplateFault) -> Self {
        Self::new(fault)
    }
}
