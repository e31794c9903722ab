//! The blobs of a catalog as opm's types hold them.
//!
//! Blobs own what they hold: texts are copied out of the document, and values of any shape keep a
//! share of it ([`Value`]). Where a blob came from is its [`Origin`].

use std::sync::Arc;

use fbc_yaml::json_reader::{self, JsonError};
use fbc_yaml::{Document, Node, NodeHandle};

use crate::go_type;
use crate::meta::Meta;

/// The schemas that opm knows.
pub mod schema {
    /// A package.
    pub const PACKAGE: &str = "olm.package";
    /// A channel of a package.
    pub const CHANNEL: &str = "olm.channel";
    /// A bundle: one version of a package.
    pub const BUNDLE: &str = "olm.bundle";
    /// Deprecations of a package.
    pub const DEPRECATIONS: &str = "olm.deprecations";
}

/// A value of any shape, with a share of the document that holds it.
#[derive(Clone)]
pub struct Value {
    document: Arc<Document>,
    handle: NodeHandle,
    /// The JSON text, where the reference keeps it and it differs from the canonical form.
    json: Option<Arc<str>>,
}

impl Value {
    /// The whole of a document.
    #[must_use]
    pub fn whole(document: Arc<Document>) -> Self {
        let handle = document.root().handle();
        Self { document, handle, json: None }
    }

    /// A part of a document: the node must be one of it.
    #[must_use]
    pub fn part(document: &Arc<Document>, node: Node<'_>) -> Self {
        Self { document: Arc::clone(document), handle: node.handle(), json: None }
    }

    /// A value that is written to JSON just as this text has it: order of keys, numbers, escapes.
    ///
    /// # Errors
    /// The text is not JSON.
    pub fn from_json(json: &str) -> Result<Self, JsonError> {
        let (document, end) = json_reader::read_value(json.as_bytes(), 0)?;
        if json_reader::skip_space(json.as_bytes(), end) != json.len() {
            let message = "invalid character after top-level value".to_owned();
            return Err(JsonError { message, offset: end, is_syntax: true });
        }
        Ok(Self { json: Some(json.into()), ..Self::whole(Arc::new(document)) })
    }

    /// The JSON text that the value keeps.
    #[must_use]
    pub fn json(&self) -> Option<&str> {
        self.json.as_deref()
    }

    /// The value.
    #[must_use]
    pub fn node(&self) -> Node<'_> {
        self.document.node(self.handle)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.node() == other.node()
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.node().fmt(f)
    }
}

/// Where a blob lies: the file (an index into [`crate::Catalog::files`]) and the number of the
/// document in it, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Index of the file.
    pub file: u32,
    /// Number of the document in the file.
    pub document: u32,
}

/// An additional piece of data on a package, channel or bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The type, such as `olm.gvk`.
    pub kind: String,
    /// The value; nothing where the blob has none, which validation refuses.
    pub value: Option<Value>,
}

/// `olm.package`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Package {
    /// Where it lies.
    pub origin: Origin,
    /// The name.
    pub name: String,
    /// The channel that is followed when none is asked for.
    pub default_channel: String,
    /// The icon.
    pub icon: Option<Icon>,
    /// The description; empty where absent.
    pub description: String,
    /// Properties.
    pub properties: Vec<Property>,
}

/// An icon of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    /// The image; nothing where the blob gives no data.
    pub data: Option<Vec<u8>>,
    /// The media type.
    pub media_type: String,
}

/// `olm.channel`
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Where it lies.
    pub origin: Origin,
    /// The name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The entries; nothing where the blob has none or null, which is written as null.
    pub entries: Option<Vec<ChannelEntry>>,
    /// Properties.
    pub properties: Vec<Property>,
}

impl Channel {
    /// The entries; none where the blob has no list.
    #[must_use]
    pub fn entries(&self) -> &[ChannelEntry] {
        self.entries.as_deref().unwrap_or_default()
    }
}

/// A bundle in a channel, with its edges of the upgrade graph. Empty texts are absent ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelEntry {
    /// The name of the bundle.
    pub name: String,
    /// The bundle that it is the next after.
    pub replaces: String,
    /// Bundles that upgrade to it as well, and that nobody should be on.
    pub skips: Vec<String>,
    /// The range of versions that upgrade to it as well.
    pub skip_range: String,
}

/// `olm.bundle`
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// Where it lies.
    pub origin: Origin,
    /// The name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The image.
    pub image: String,
    /// Properties.
    pub properties: Vec<Property>,
    /// The images that it needs.
    pub related_images: Vec<RelatedImage>,
}

/// An image that a bundle needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedImage {
    /// What it is for.
    pub name: String,
    /// The reference.
    pub image: String,
}

/// `olm.deprecations`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// Where it lies.
    pub origin: Origin,
    /// The package.
    pub package: String,
    /// The entries; nothing where the blob has none or null.
    pub entries: Option<Vec<DeprecationEntry>>,
}

impl Deprecation {
    /// The entries; none where the blob has no list.
    #[must_use]
    pub fn entries(&self) -> &[DeprecationEntry] {
        self.entries.as_deref().unwrap_or_default()
    }
}

/// The deprecation of a package, a channel or a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeprecationEntry {
    /// The schema of what is deprecated.
    pub schema: String,
    /// Its name; empty for the package itself.
    pub name: String,
    /// What users are told.
    pub message: String,
}

/// A blob of a schema that opm does not know, kept as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// Where it lies.
    pub origin: Origin,
    /// Schema, package and name.
    pub meta: Meta,
    /// The blob.
    pub value: Value,
}

/// Any blob.
#[derive(Clone, Debug, PartialEq)]
pub enum Blob {
    /// `olm.package`
    Package(Package),
    /// `olm.channel`
    Channel(Channel),
    /// `olm.bundle`
    Bundle(Bundle),
    /// `olm.deprecations`
    Deprecation(Deprecation),
    /// Everything else.
    Other(Other),
}

fn properties(document: &Arc<Document>, root: Node<'_>) -> Vec<Property> {
    let list = go_type::field(root, "properties");
    list.into_iter()
        .flat_map(|list| list.items())
        .map(|property| Property {
            kind: go_type::text(property, "type"),
            value: raw_value(property).map(|value| Value::part(document, value)),
        })
        .collect()
}

/// The value of a property; null counts, because Go keeps the raw text of it.
fn raw_value(property: Node<'_>) -> Option<Node<'_>> {
    property.get("value").or_else(|| {
        property.members().filter(|(key, _)| go_type::equal_fold("value", key)).last().map(|(_, value)| value)
    })
}

impl Package {
    /// Takes a package from a blob that fits [`crate::go_types::PACKAGE`].
    #[must_use]
    pub fn from_document(document: &Arc<Document>, origin: Origin) -> Self {
        let root = document.root();
        Self {
            origin,
            name: go_type::text(root, "name"),
            default_channel: go_type::text(root, "defaultChannel"),
            icon: go_type::field(root, "icon").map(|icon| Icon {
                data: go_type::bytes(icon, "base64data"),
                media_type: go_type::text(icon, "mediatype"),
            }),
            description: go_type::text(root, "description"),
            properties: properties(document, root),
        }
    }
}

impl Channel {
    /// Takes a channel from a blob that fits [`crate::go_types::CHANNEL`].
    #[must_use]
    pub fn from_document(document: &Arc<Document>, origin: Origin) -> Self {
        let root = document.root();
        let entry = |entry: Node<'_>| ChannelEntry {
            name: go_type::text(entry, "name"),
            replaces: go_type::text(entry, "replaces"),
            skips: go_type::texts(entry, "skips"),
            skip_range: go_type::text(entry, "skipRange"),
        };
        Self {
            origin,
            name: go_type::text(root, "name"),
            package: go_type::text(root, "package"),
            entries: go_type::field(root, "entries").map(|list| list.items().map(entry).collect()),
            properties: properties(document, root),
        }
    }
}

impl Bundle {
    /// Takes a bundle from a blob that fits [`crate::go_types::BUNDLE`].
    #[must_use]
    pub fn from_document(document: &Arc<Document>, origin: Origin) -> Self {
        let root = document.root();
        let image = |image: Node<'_>| RelatedImage {
            name: go_type::text(image, "name"),
            image: go_type::text(image, "image"),
        };
        let related = go_type::field(root, "relatedImages");
        Self {
            origin,
            name: go_type::text(root, "name"),
            package: go_type::text(root, "package"),
            image: go_type::text(root, "image"),
            properties: properties(document, root),
            related_images: related.into_iter().flat_map(|list| list.items()).map(image).collect(),
        }
    }

    /// The values of the properties of a type; those without a value are left out.
    pub fn property_values<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Node<'a>> {
        self.properties
            .iter()
            .filter(move |property| property.kind == kind)
            .filter_map(|property| property.value.as_ref().map(Value::node))
    }
}

impl Deprecation {
    /// Takes deprecations from a blob that fits [`crate::go_types::DEPRECATION`].
    #[must_use]
    pub fn from_document(document: &Arc<Document>, origin: Origin) -> Self {
        let root = document.root();
        let entry = |entry: Node<'_>| {
            let reference = go_type::field(entry, "reference");
            let text = |name| reference.map(|reference| go_type::text(reference, name)).unwrap_or_default();
            DeprecationEntry {
                schema: text("schema"),
                name: text("name"),
                message: go_type::text(entry, "message"),
            }
        };
        Self {
            origin,
            package: go_type::text(root, "package"),
            entries: go_type::field(root, "entries").map(|list| list.items().map(entry).collect()),
        }
    }
}
