//! What an upgrade changes, as data.

/// What becomes of an upgrade because of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The safety check before the upgrade refuses it.
    Refused,
    /// The API server refuses it, whatever the check says.
    RefusedByServer,
    /// Nothing refuses it, yet somebody may be hurt.
    Risky,
    /// It hurts nobody.
    Harmless,
}

impl Class {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::RefusedByServer => "refused-by-server",
            Self::Risky => "risky",
            Self::Harmless => "harmless",
        }
    }
}

/// Why a change matters: changes of one cause hurt the same people in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Namespaced objects become cluster-wide ones, or the other way round.
    Scope,
    /// Another name of the resource that cannot change.
    Names,
    /// The definition is written for clusters of another age.
    ApiVersion,
    /// A version is gone in which objects are stored.
    StoredVersionRemoved,
    /// A version is gone.
    VersionRemoved,
    /// A version is there that clients can no longer use.
    VersionNotServed,
    /// No version can be used at all.
    NothingServed,
    /// A field is gone.
    FieldRemoved,
    /// A field must be set.
    FieldRequired,
    /// A field has another type.
    Type,
    /// Values that were valid are no longer.
    ValuesForbidden,
    /// A field that nobody sets gets another value.
    Default,
    /// What readers get may be of a kind that they did not expect.
    ValuesUnexpected,
    /// Something that the check does not understand.
    Unknown,
    /// Two served versions disagree, and nothing converts between them.
    ServedVersionsDiffer,
    /// How objects are converted between versions.
    Conversion,
    /// Something that the API offers besides objects is gone.
    Subresource,
    /// A new version.
    VersionAdded,
    /// A version is served, stored or deprecated otherwise, to nobody's harm.
    VersionFlags,
    /// A new field.
    FieldAdded,
    /// Values that were not valid are now.
    Loosened,
    /// Texts for people.
    Description,
    /// What is shown or found by other names.
    Presentation,
    /// The whole definition is no longer part of the bundle.
    DefinitionGone,
    /// The whole definition is new.
    DefinitionAdded,
}

impl Cause {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::Names => "names",
            Self::ApiVersion => "api-version",
            Self::StoredVersionRemoved => "stored-version-removed",
            Self::VersionRemoved => "version-removed",
            Self::VersionNotServed => "version-not-served",
            Self::NothingServed => "nothing-served",
            Self::FieldRemoved => "field-removed",
            Self::FieldRequired => "field-required",
            Self::Type => "type",
            Self::ValuesForbidden => "values-forbidden",
            Self::Default => "default",
            Self::ValuesUnexpected => "values-unexpected",
            Self::Unknown => "unknown",
            Self::ServedVersionsDiffer => "served-versions-differ",
            Self::Conversion => "conversion",
            Self::Subresource => "subresource",
            Self::VersionAdded => "version-added",
            Self::VersionFlags => "version-flags",
            Self::FieldAdded => "field-added",
            Self::Loosened => "loosened",
            Self::Description => "description",
            Self::Presentation => "presentation",
            Self::DefinitionGone => "definition-gone",
            Self::DefinitionAdded => "definition-added",
        }
    }

    /// Whom it hurts.
    #[must_use]
    pub fn hurts(self) -> &'static [Party] {
        use Party::{Objects, Readers, Writers};
        match self {
            Self::Scope
            | Self::Names
            | Self::ApiVersion
            | Self::StoredVersionRemoved
            | Self::NothingServed => &[Objects, Readers, Writers],
            Self::FieldRemoved | Self::Type | Self::Unknown | Self::Conversion => {
                &[Objects, Readers, Writers]
            }
            Self::FieldRequired | Self::ValuesForbidden => &[Objects, Writers],
            Self::VersionRemoved
            | Self::VersionNotServed
            | Self::Default
            | Self::ServedVersionsDiffer
            | Self::Subresource => &[Readers, Writers],
            Self::ValuesUnexpected => &[Readers],
            Self::VersionAdded
            | Self::VersionFlags
            | Self::FieldAdded
            | Self::Loosened
            | Self::Description
            | Self::Presentation
            | Self::DefinitionGone
            | Self::DefinitionAdded => &[],
        }
    }
}

/// Who may be hurt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// Objects that are on the cluster already.
    Objects,
    /// Programs and people that read objects.
    Readers,
    /// Programs and people that write objects.
    Writers,
}

impl Party {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Objects => "existing-objects",
            Self::Readers => "readers",
            Self::Writers => "writers",
        }
    }
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What becomes of the upgrade.
    pub class: Class,
    /// Why it matters.
    pub cause: Cause,
    /// The version, such as `v1`, or a pair of them, such as `v1alpha1 -> v1`; empty for the whole definition.
    pub version: String,
    /// The path in the schema in the notation of the target, such as `^.spec.replicas`; empty where there is none.
    pub path: String,
    /// The validator of the target that looks at this, or what changed where none does.
    pub validator: &'static str,
    /// The old value as text; empty where there was none.
    pub old: String,
    /// The new value as text; empty where there is none.
    pub new: String,
    /// The target's own words for it; empty where the target says nothing.
    pub message: String,
    /// What the API server says to it; empty where it does not mind.
    pub server_message: String,
}

impl Change {
    /// A change of which nothing more is known so far.
    pub(super) fn new(class: Class, cause: Cause, validator: &'static str) -> Self {
        Self {
            class,
            cause,
            version: String::new(),
            path: String::new(),
            validator,
            old: String::new(),
            new: String::new(),
            message: String::new(),
            server_message: String::new(),
        }
    }

    pub(super) fn at(mut self, version: &str, path: &str) -> Self {
        version.clone_into(&mut self.version);
        path.clone_into(&mut self.path);
        self
    }

    pub(super) fn values(mut self, old: impl Into<String>, new: impl Into<String>) -> Self {
        self.old = old.into();
        self.new = new.into();
        self
    }

    pub(super) fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    pub(super) fn server_message(mut self, message: impl Into<String>) -> Self {
        self.server_message = message.into();
        self
    }
}
