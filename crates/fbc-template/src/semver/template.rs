//! The document of a semver template.

use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_yaml::{Document, Node};

use super::{ARCHETYPES, ChannelKind, SCHEMA};
use crate::document::TemplateDocument;
use crate::error::{SemverFileFault, TemplateError, TemplateFault};
use crate::strict::{self, StrictFault};

const fn omit(name: &'static str, kind: GoType) -> GoField {
    GoField { name, kind, omit_empty: true }
}

static BUNDLE_ENTRY: GoStruct = GoStruct { name: "semver.bundleEntry", fields: &[omit("image", STRING)] };

static CHANNEL_BUNDLES: GoStruct = GoStruct {
    name: "semver.channelBundles",
    fields: &[omit("bundles", GoType::List("[]semver.bundleEntry", &GoType::Struct(&BUNDLE_ENTRY)))],
};

static TEMPLATE: GoStruct = GoStruct {
    name: "semver.SemverTemplateData",
    fields: &[
        GoField { name: "schema", kind: STRING, omit_empty: false },
        omit("generateMajorChannels", GoType::Bool),
        omit("generateMinorChannels", GoType::Bool),
        omit("defaultChannelTypePreference", GoType::String("semver.StreamType")),
        omit("candidate", GoType::Struct(&CHANNEL_BUNDLES)),
        omit("fast", GoType::Struct(&CHANNEL_BUNDLES)),
        omit("stable", GoType::Struct(&CHANNEL_BUNDLES)),
    ],
};

pub(crate) static TEMPLATE_TYPE: GoType = GoType::Struct(&TEMPLATE);

/// What a semver template asks for.
#[derive(Debug)]
pub(crate) struct SemverTemplate {
    /// Whether there are channels for major versions.
    pub(crate) generate_major: bool,
    /// Whether there are channels for minor versions.
    pub(crate) generate_minor: bool,
    /// The kind that the default channel should have.
    pub(crate) preference: ChannelKind,
    /// The bundles of each of [`ARCHETYPES`].
    pub(crate) lists: [Vec<Item>; 3],
}

/// A bundle in a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The image.
    pub(crate) image: String,
    /// Where it stands.
    pub(crate) pointer: String,
}

impl SemverTemplate {
    /// Reads a template.
    pub(crate) fn parse(text: &[u8]) -> Result<(Self, TemplateDocument<'_>), TemplateError> {
        let refuse = |fault| TemplateError::new(TemplateFault::SemverFile(fault));
        let (template, values) = strict::parse(text, &TEMPLATE_TYPE).map_err(|error| {
            let fault = match error.message {
                StrictFault::Malformed(message) => SemverFileFault::Malformed(message),
                StrictFault::Decoding(message) => SemverFileFault::Decoding(message),
            };
            refuse(fault).at(error.place)
        })?;
        match Self::of(&values) {
            Ok(parsed) => Ok((parsed, template)),
            Err((fault, pointer)) => {
                let place = template.place(pointer);
                Err(refuse(fault).at(place))
            }
        }
    }

    fn of(values: &Document) -> Result<Self, (SemverFileFault, &'static str)> {
        let root = values.root();
        if go_type::text(root, "schema") != SCHEMA {
            return Err((SemverFileFault::Schema, "/schema"));
        }
        let is_set = |name| go_type::field(root, name).and_then(Node::as_bool).unwrap_or_default();
        let generate_major = is_set("generateMajorChannels");
        let generate_minor = is_set("generateMinorChannels") || !generate_major;
        let preference = match go_type::text(root, "defaultChannelTypePreference").as_str() {
            "" if generate_minor => Ok(ChannelKind::Minor),
            "" => Ok(ChannelKind::Major),
            "minor" if generate_minor => Ok(ChannelKind::Minor),
            "minor" => Err(SemverFileFault::PreferenceMismatch(ChannelKind::Minor)),
            "major" if generate_major => Ok(ChannelKind::Major),
            "major" => Err(SemverFileFault::PreferenceMismatch(ChannelKind::Major)),
            other => Err(SemverFileFault::UnknownPreference(other.to_owned())),
        };
        let preference = preference.map_err(|fault| (fault, "/defaultChannelTypePreference"))?;
        Ok(Self {
            generate_major,
            generate_minor,
            preference,
            lists: ARCHETYPES.map(|archetype| items(root, archetype)),
        })
    }

    /// The kinds of channels that are generated.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = ChannelKind> {
        let major = self.generate_major.then_some(ChannelKind::Major);
        major.into_iter().chain(self.generate_minor.then_some(ChannelKind::Minor))
    }
}

fn items(root: Node<'_>, archetype: &str) -> Vec<Item> {
    let list = go_type::field(root, archetype).and_then(|list| go_type::field(list, "bundles"));
    list.into_iter()
        .flat_map(Node::items)
        .enumerate()
        .map(|(index, item)| Item {
            image: go_type::text(item, "image"),
            pointer: format!("/{archetype}/bundles/{index}"),
        })
        .collect()
}
