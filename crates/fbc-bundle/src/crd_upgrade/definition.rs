//! A custom resource definition as the checks see it.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/types.go`, and for older definitions
//! `v1beta1/conversion.go` beside it.

use fbc_yaml::{Kind, Node};

use super::schema_type::{SCHEMA, Type};
use super::value::{Value, WrongKind};

/// The kind of the objects.
pub const KIND: &str = "CustomResourceDefinition";
/// The API version that clusters serve.
pub const V1: &str = "apiextensions.k8s.io/v1";
/// The API version that clusters served before Kubernetes 1.22.
pub const V1BETA1: &str = "apiextensions.k8s.io/v1beta1";

/// How deep values of a definition may nest; schemas in use have less than half of it.
pub const DEEPEST: usize = 160;

/// A custom resource definition.
#[derive(Clone, Debug)]
pub struct Definition<'d> {
    /// The name, `<plural>.<group>`.
    pub name: &'d str,
    /// The whole object.
    pub object: Node<'d>,
    /// `Namespaced` or `Cluster`.
    pub scope: &'d str,
    /// The kind of the resources.
    pub resource_kind: &'d str,
    /// The group of the resources.
    pub group: &'d str,
    /// The plural name of the resources.
    pub plural: &'d str,
    /// The versions in written order.
    pub versions: Vec<Version<'d>>,
    /// The versions in which objects are stored: `status.storedVersions`, or, for a definition from a file that
    /// no cluster has seen, the storage version, which is what the API server writes there on creation.
    pub stored_versions: Vec<&'d str>,
    /// `spec.conversion.strategy`; `None` where there is none.
    pub conversion: &'d str,
    /// Whether it is written in the API version that clusters since Kubernetes 1.22 do not know.
    pub is_v1beta1: bool,
}

/// A version of a definition.
#[derive(Clone, Copy, Debug)]
pub struct Version<'d> {
    /// The name.
    pub name: &'d str,
    /// Whether clients can use it.
    pub is_served: bool,
    /// Whether objects are stored in it.
    pub is_storage: bool,
    /// Whether clients are warned of it.
    pub is_deprecated: bool,
    /// `openAPIV3Schema`.
    pub schema: Option<Node<'d>>,
    /// The whole entry.
    pub(super) object: Node<'d>,
}

/// An object that is not a custom resource definition, or one that does not decode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// The object has no kind.
    #[error("the object has no kind")]
    NoKind,
    /// The API version is unknown.
    #[error("apiVersion {0:?} is not {V1}, the only one of a CustomResourceDefinition")]
    UnknownApiVersion(String),
    /// There is no name.
    #[error("the definition has no metadata.name")]
    NoName,
    /// There are no versions.
    #[error("definition {0:?} has no spec.versions")]
    NoVersions(String),
    /// A version without name.
    #[error("definition {name:?}: spec.versions[{index}] has no name")]
    VersionWithoutName {
        /// The definition.
        name: String,
        /// Which version.
        index: usize,
    },
    /// Two versions of one name.
    #[error("definition {name:?} has version {version:?} twice")]
    RepeatedVersion {
        /// The definition.
        name: String,
        /// The version.
        version: String,
    },
    /// A version without schema.
    #[error("definition {name:?}: version {version:?} has no schema, which {V1} demands")]
    VersionWithoutSchema {
        /// The definition.
        name: String,
        /// The version.
        version: String,
    },
    /// A value of another kind than Kubernetes wants.
    #[error("definition {name:?}: {pointer} is of kind {found}, expected {wanted}")]
    WrongKind {
        /// The definition.
        name: String,
        /// The JSON pointer of the value.
        pointer: String,
        /// Its kind.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// Values nest deeper than [`DEEPEST`] levels.
    #[error("definition {0:?} nests deeper than {DEEPEST} levels")]
    TooDeep(String),
}

impl<'d> Definition<'d> {
    /// Whether an object says that it is a definition, of whatever API version.
    #[must_use]
    pub fn is_one(object: Node<'_>) -> bool {
        object.get_str("kind") == Some(KIND)
    }

    /// Reads a definition.
    ///
    /// # Errors
    /// What keeps the API server from reading it: [`DefinitionError`].
    pub fn read(object: Node<'d>) -> Result<Self, DefinitionError> {
        if object.get_str("kind").unwrap_or_default().is_empty() {
            return Err(DefinitionError::NoKind);
        }
        let api_version = object.get_str("apiVersion").unwrap_or_default();
        if (api_version != V1 && api_version != V1BETA1) || !Self::is_one(object) {
            return Err(DefinitionError::UnknownApiVersion(api_version.to_owned()));
        }
        let name = object.get("metadata").and_then(|metadata| metadata.get_str("name"));
        let name = name.filter(|name| !name.is_empty()).ok_or(DefinitionError::NoName)?;
        if nests_deeper_than(object, DEEPEST) {
            return Err(DefinitionError::TooDeep(name.to_owned()));
        }
        let is_v1beta1 = api_version == V1BETA1;
        let reader = Reader { name, is_v1beta1, spec: object.get("spec") };
        let versions = reader.versions()?;
        let names = reader.spec.and_then(|spec| spec.get("names"));
        let text = |node: Option<Node<'d>>, key| node.and_then(|node| node.get_str(key)).unwrap_or_default();
        let written = object.get("status").and_then(|status| status.get("storedVersions"));
        let mut stored_versions: Vec<&str> =
            written.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
        if stored_versions.is_empty() {
            stored_versions = versions.iter().filter(|each| each.is_storage).map(|each| each.name).collect();
        }
        let conversion = reader.spec.and_then(|spec| spec.get("conversion"));
        let conversion = conversion.and_then(|conversion| conversion.get_str("strategy")).unwrap_or("None");
        Ok(Self {
            name,
            object,
            scope: text(reader.spec, "scope"),
            resource_kind: text(names, "kind"),
            group: text(reader.spec, "group"),
            plural: text(names, "plural"),
            versions,
            stored_versions,
            conversion,
            is_v1beta1,
        })
    }

    /// The version of a name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&Version<'d>> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Whether two definitions say the same of what the checks look at, so that nothing needs to be compared. Cheap:
    /// no reading, one comparison. What clusters refuse even so (an old API version, a stored version that is not
    /// there) is never the same.
    #[must_use]
    pub fn is_same(old: Node<'_>, new: Node<'_>) -> bool {
        let spec = old.get("spec");
        let has_version = |name: Node<'_>| {
            let mut versions = spec.and_then(|spec| spec.get("versions")).into_iter().flat_map(Node::items);
            versions.any(|version| version.get("name") == Some(name))
        };
        let stored = old.get("status").and_then(|status| status.get("storedVersions"));
        old.get_str("apiVersion") == Some(V1)
            && old.get("apiVersion") == new.get("apiVersion")
            && spec == new.get("spec")
            && stored.into_iter().flat_map(Node::items).all(has_version)
    }
}

struct Reader<'d> {
    name: &'d str,
    is_v1beta1: bool,
    spec: Option<Node<'d>>,
}

impl<'d> Reader<'d> {
    fn versions(&self) -> Result<Vec<Version<'d>>, DefinitionError> {
        let spec = self.spec.ok_or_else(|| DefinitionError::NoVersions(self.name.to_owned()))?;
        let list = spec.get("versions");
        if let Some(list) = list
            && !matches!(list.kind(), Kind::Array | Kind::Null)
        {
            return Err(self.wrong(
                "/spec/versions",
                WrongKind { pointer: String::new(), found: list.kind().go_name(), wanted: "list" },
            ));
        }
        let mut versions: Vec<Version<'d>> = Vec::new();
        for (index, object) in list.into_iter().flat_map(Node::items).enumerate() {
            let version = object
                .get_str("name")
                .filter(|name| !name.is_empty())
                .ok_or_else(|| DefinitionError::VersionWithoutName { name: self.name.to_owned(), index })?;
            if versions.iter().any(|each| each.name == version) {
                let version = version.to_owned();
                return Err(DefinitionError::RepeatedVersion { name: self.name.to_owned(), version });
            }
            let is_true = |key| object.get(key).and_then(Node::as_bool) == Some(true);
            let schema = self.schema(object, version, index)?;
            versions.push(Version {
                name: version,
                is_served: is_true("served"),
                is_storage: is_true("storage"),
                is_deprecated: is_true("deprecated"),
                schema,
                object,
            });
        }
        if versions.is_empty() && self.is_v1beta1 {
            // The one version of the oldest form.
            if let Some(name) = spec.get_str("version").filter(|name| !name.is_empty()) {
                let schema = self.schema(spec, name, 0)?;
                let version = Version {
                    name,
                    is_served: true,
                    is_storage: true,
                    is_deprecated: false,
                    schema,
                    object: spec,
                };
                versions.push(version);
            }
        }
        if versions.is_empty() {
            return Err(DefinitionError::NoVersions(self.name.to_owned()));
        }
        Ok(versions)
    }

    fn schema(
        &self,
        version: Node<'d>,
        name: &str,
        index: usize,
    ) -> Result<Option<Node<'d>>, DefinitionError> {
        let holder = version.get("schema").filter(|holder| !holder.is_null());
        let (holder, pointer) = match holder {
            Some(holder) => (holder, format!("/spec/versions/{index}/schema/openAPIV3Schema")),
            // One schema for all versions.
            None if self.is_v1beta1 => match self.spec.and_then(|spec| spec.get("validation")) {
                Some(holder) => (holder, "/spec/validation/openAPIV3Schema".to_owned()),
                None => return Ok(None),
            },
            None => {
                let version = name.to_owned();
                return Err(DefinitionError::VersionWithoutSchema { name: self.name.to_owned(), version });
            }
        };
        let Some(schema) = holder.get("openAPIV3Schema").filter(|schema| !schema.is_null()) else {
            return Ok(None);
        };
        Value::read(schema, Type::Struct(&SCHEMA)).map_err(|wrong| self.wrong(&pointer, wrong))?;
        Ok(Some(schema))
    }

    fn wrong(&self, pointer: &str, wrong: WrongKind) -> DefinitionError {
        DefinitionError::WrongKind {
            name: self.name.to_owned(),
            pointer: format!("{pointer}{}", wrong.pointer),
            found: wrong.found,
            wanted: wrong.wanted,
        }
    }
}

/// Whether values nest deeper than a limit; looks no deeper than that.
fn nests_deeper_than(object: Node<'_>, limit: usize) -> bool {
    let mut pending = vec![(object, 0)];
    while let Some((node, depth)) = pending.pop() {
        if depth > limit {
            return true;
        }
        pending.extend(node.items().map(|item| (item, depth + 1)));
        pending.extend(node.members().map(|(_, value)| (value, depth + 1)));
    }
    false
}
