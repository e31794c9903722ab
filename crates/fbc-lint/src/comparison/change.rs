//! A change: what it is, how bad, why, and for whom.

use fbc_model::Origin;

use super::updates::Meaning;
use crate::finding::Subject;
use crate::names::name_list;

/// How bad a change is. The worst is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It takes something from people who already run the operator.
    Breaking,
    /// It may, or it is easily not what was meant.
    Risky,
    /// Nobody who runs the operator loses anything.
    Harmless,
}

impl Class {
    /// All classes, the worst first.
    pub const ALL: [Self; 3] = [Self::Breaking, Self::Risky, Self::Harmless];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Risky => "risky",
            Self::Harmless => "harmless",
        }
    }
}

/// A difference between two catalogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What kind of difference.
    pub kind: ChangeKind,
    /// How bad it is here: some kinds are worse in some places than in others.
    pub class: Class,
    /// What it is about.
    pub subject: Subject,
    /// What changed, in one sentence that names the things involved.
    pub message: String,
    /// Why it is of its class; empty where the message says all.
    pub reason: String,
    /// What was there; empty where nothing was, or where no short text tells.
    pub before: String,
    /// What is there now; empty as above.
    pub after: String,
    /// Who is affected, and how.
    pub affected: Vec<Affected>,
    /// Where it shows in the new catalog: a document, and a JSON pointer into it.
    pub place: Option<(Origin, String)>,
}

/// Installed versions to which a change does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affected {
    /// What it does to them.
    pub effect: Effect,
    /// Under which meaning of the edges; none where it does not depend on edges.
    pub meanings: Vec<Meaning>,
    /// The installed bundles, oldest first.
    pub bundles: Vec<String>,
}

/// What a change does to an installed version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It had a way to the head of the channel and has none any more.
    Stranded,
    /// It had none and has one now.
    Freed,
    /// Its next update is a lower version than before, or there is none because it is the head now.
    Lowered,
    /// Its next update is a higher version than before, or the first that it has.
    Raised,
    /// Whoever follows the channel, or has no other, is on it.
    Follows,
}

impl Effect {
    /// The word for it in machine-readable output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stranded => "stranded",
            Self::Freed => "freed",
            Self::Lowered => "lowered",
            Self::Raised => "raised",
            Self::Follows => "follows",
        }
    }
}

macro_rules! kinds {
    ($($(#[$documentation:meta])* $kind:ident = $code:literal, $class:ident;)*) => {
        /// The kinds of changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ChangeKind {
            $($(#[$documentation])* $kind,)*
        }

        impl ChangeKind {
            /// All kinds, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The code: stable words for machine-readable output. Kinds that may be breaking or risky
            /// have it as the name of their rule.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                }
            }

            /// The class unless the circumstances make it another.
            #[must_use]
            pub fn class(self) -> Class {
                match self {
                    $(Self::$kind => Class::$class,)*
                }
            }
        }
    };
}

kinds! {
    /// A package is gone.
    PackageRemoved = "package-removed", Breaking;
    /// A package is new.
    PackageAdded = "package-added", Harmless;
    /// Description, icon or properties of a package changed.
    PackageMetadataChanged = "package-metadata-changed", Harmless;
    /// The default channel changed.
    DefaultChannelChanged = "default-channel-changed", Risky;
    /// A channel is gone.
    ChannelRemoved = "channel-removed", Breaking;
    /// A channel is new.
    ChannelAdded = "channel-added", Harmless;
    /// The properties of a channel changed.
    ChannelPropertiesChanged = "channel-properties-changed", Harmless;
    /// Installed versions lose their way to the head of their channel.
    UsersStranded = "users-stranded", Breaking;
    /// Installed versions that had no way to the head have one.
    UsersFreed = "users-freed", Harmless;
    /// The head of a channel is an older version than before.
    HeadMovedBack = "head-moved-back", Breaking;
    /// The head of a channel changed.
    HeadMoved = "head-moved", Harmless;
    /// Installed versions are updated less far than before.
    UpdatesLowered = "updates-lowered", Risky;
    /// Installed versions are updated further than before.
    UpdatesRaised = "updates-raised", Harmless;
    /// A bundle is no longer in a channel.
    EntryRemoved = "entry-removed", Risky;
    /// A bundle is in a channel where it was not.
    EntryAdded = "entry-added", Harmless;
    /// An entry no longer replaces or skips some bundles.
    EdgesRemoved = "edges-removed", Harmless;
    /// An entry replaces or skips more bundles.
    EdgesAdded = "edges-added", Harmless;
    /// The `skipRange` of an entry changed.
    SkipRangeChanged = "skip-range-changed", Harmless;
    /// A bundle is gone from the package.
    BundleRemoved = "bundle-removed", Breaking;
    /// A bundle is new in the package.
    BundleAdded = "bundle-added", Harmless;
    /// A published bundle has another image.
    BundleImageChanged = "bundle-image-changed", Breaking;
    /// A published bundle has another version.
    BundleVersionChanged = "bundle-version-changed", Breaking;
    /// Other contents of a published bundle changed.
    BundleContentChanged = "bundle-content-changed", Risky;
    /// The manifests of a bundle are given in the other of the two forms.
    ManifestFormChanged = "manifest-form-changed", Harmless;
    /// A bundle no longer provides an API.
    ApiRemoved = "api-removed", Risky;
    /// A bundle provides an API that it did not.
    ApiAdded = "api-added", Harmless;
    /// A bundle needs a package, an API or a constraint that it did not.
    DependencyAdded = "dependency-added", Risky;
    /// A bundle no longer needs something.
    DependencyRemoved = "dependency-removed", Harmless;
    /// The highest OpenShift release of a bundle is lower, or given for the first time.
    PlatformLimitLowered = "platform-limit-lowered", Risky;
    /// The highest OpenShift release of a bundle is higher, or no longer given.
    PlatformLimitRaised = "platform-limit-raised", Harmless;
    /// A bundle no longer supports an install mode.
    InstallModeRemoved = "install-mode-removed", Risky;
    /// A bundle supports an install mode that it did not.
    InstallModeAdded = "install-mode-added", Harmless;
    /// A package, channel or bundle is deprecated.
    DeprecationAdded = "deprecation-added", Risky;
    /// A package, channel or bundle is no longer deprecated.
    DeprecationRemoved = "deprecation-removed", Harmless;
    /// The message of a deprecation changed.
    DeprecationChanged = "deprecation-changed", Harmless;
    /// A blob of another schema is gone.
    OtherBlobRemoved = "other-blob-removed", Harmless;
    /// A blob of another schema is new.
    OtherBlobAdded = "other-blob-added", Harmless;
    /// A blob of another schema changed.
    OtherBlobChanged = "other-blob-changed", Harmless;
}

impl Change {
    /// A change of a kind, with the class that the kind has.
    #[must_use]
    pub fn new(kind: ChangeKind, subject: Subject, message: impl Into<String>) -> Self {
        Self {
            kind,
            class: kind.class(),
            subject,
            message: message.into(),
            reason: String::new(),
            before: String::new(),
            after: String::new(),
            affected: Vec::new(),
            place: None,
        }
    }

    /// Sets the class, where the circumstances make it another than that of the kind.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// Sets why it is of its class.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// Sets what was there and what is there now.
    #[must_use]
    pub fn from_to(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        self.before = before.into();
        self.after = after.into();
        self
    }

    /// Adds who is affected; nobody where there are no bundles.
    #[must_use]
    pub fn affects(mut self, effect: Effect, meanings: &[Meaning], bundles: Vec<String>) -> Self {
        if !bundles.is_empty() {
            self.affected.push(Affected { effect, meanings: meanings.to_vec(), bundles });
        }
        self
    }

    /// Sets where it shows in the new catalog.
    #[must_use]
    pub fn at(mut self, origin: Origin, pointer: impl Into<String>) -> Self {
        self.place = Some((origin, pointer.into()));
        self
    }

    /// The order in which the changes of a package are listed.
    pub(super) fn order(&self) -> (Class, ChangeKind, &str, &str, &str) {
        (self.class, self.kind, &self.subject.channel, &self.subject.bundle, &self.message)
    }
}

impl Affected {
    /// Who is affected, in words: `stranded under OLM v0 and v1: "foo.v1.0.0"`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let names = name_list(self.bundles.iter().map(String::as_str));
        let meanings: Vec<&str> = self.meanings.iter().copied().map(Meaning::name).collect();
        let what = match self.effect {
            Effect::Follows => "users of",
            effect => effect.name(),
        };
        match meanings.as_slice() {
            [] => format!("{what}: {names}"),
            meanings => format!("{what} under OLM {}: {names}", meanings.join(" and ")),
        }
    }
}
