//! What may be shown of Secrets, token reviews and what is said about them. What is not listed here is hidden.

use serde_json::{Map, Value};

/// What stands at a place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A Secret, or a list of them.
    Secret,
    Metadata,
    /// Who set which fields: a list of entries, each with the fields as the names of others.
    ManagedFields,
    ManagedFieldsEntry,
    FieldSet,
    /// Of the metadata, where items of lists are no secret.
    MetadataFieldSet,
    Annotations,
    Data,
    StringData,
    TokenReview,
    TokenReviewSpec,
    /// What the body of a deletion says.
    DeleteOptions,
    /// The response of a webhook about a Secret.
    Response,
    ResponseStatus,
    /// The value of an annotation, which may be what was applied.
    Annotation,
    /// A value in base64.
    Encoded,
    /// A text that is no secret; anything else is.
    Name,
    /// A word of patches.
    Word,
    /// All that is below is no secret.
    Harmless,
    /// All that is below may be secret.
    Hidden,
}

impl Part {
    /// What stands in a field of this.
    pub(super) fn below(self, field: &str) -> Self {
        match (self, field) {
            (Self::Harmless, _) => Self::Harmless,
            (Self::Secret | Self::Metadata | Self::Annotations | Self::Data | Self::StringData, "$patch") => {
                Self::Word
            }
            (Self::Secret | Self::TokenReview | Self::DeleteOptions, "apiVersion" | "kind")
            | (Self::Secret, "type")
            | (Self::DeleteOptions, "propagationPolicy")
            | (
                Self::ManagedFieldsEntry,
                "manager" | "operation" | "apiVersion" | "time" | "fieldsType" | "subresource",
            )
            | (Self::Response, "uid" | "patchType")
            | (Self::ResponseStatus, "status" | "reason") => Self::Name,
            (Self::Secret | Self::TokenReview, "metadata") => Self::Metadata,
            (Self::Secret, "data") => Self::Data,
            (Self::Data, _) => Self::Encoded,
            (Self::Secret, "stringData") => Self::StringData,
            (Self::Metadata, "annotations") => Self::Annotations,
            (Self::Metadata, "managedFields") => Self::ManagedFields,
            (Self::ManagedFields, _) => Self::ManagedFieldsEntry,
            (Self::ManagedFieldsEntry, "fieldsV1") => Self::FieldSet,
            (Self::FieldSet, "f:metadata") => Self::MetadataFieldSet,
            (Self::FieldSet | Self::MetadataFieldSet, _) => self,
            (Self::Metadata, field) if is_harmless(field) => Self::Harmless,
            // Without them the Secrets of tokens belong to no account.
            (
                Self::Annotations,
                "kubernetes.io/service-account.name" | "kubernetes.io/service-account.uid",
            ) => Self::Name,
            (Self::Annotations, _) => Self::Annotation,
            (Self::TokenReview, "spec") => Self::TokenReviewSpec,
            (Self::TokenReviewSpec, "audiences")
            | (Self::DeleteOptions, "gracePeriodSeconds" | "preconditions" | "dryRun" | "orphanDependents")
            | (Self::ResponseStatus, "code") => Self::Harmless,
            (Self::Response, "status") => Self::ResponseStatus,
            _ => Self::Hidden,
        }
    }

    /// Whether fields of this are known.
    pub(super) fn has_fields(self) -> bool {
        !matches!(
            self,
            Self::Annotation
                | Self::Encoded
                | Self::ManagedFields
                | Self::Name
                | Self::Word
                | Self::Harmless
                | Self::Hidden
        )
    }

    /// Whether the name of a field is shown here; names of items hold their keys or values.
    pub(super) fn shows(self, field: &str) -> bool {
        match self {
            Self::FieldSet => field == "." || field.starts_with("f:"),
            Self::MetadataFieldSet => {
                field == "." || ["f:", "k:", "v:"].iter().any(|is| field.starts_with(is))
            }
            _ => true,
        }
    }

    /// Whether a text is shown here.
    pub(super) fn keeps(self, text: &str) -> bool {
        const WORDS: [&str; 8] = ["add", "copy", "delete", "merge", "move", "remove", "replace", "test"];
        self == Self::Name || self == Self::Word && WORDS.contains(&text)
    }
}

/// What of the metadata is no secret, and what a patch says about lists in it.
fn is_harmless(field: &str) -> bool {
    matches!(
        field,
        "name"
            | "generateName"
            | "namespace"
            | "labels"
            | "uid"
            | "resourceVersion"
            | "generation"
            | "creationTimestamp"
            | "deletionTimestamp"
            | "deletionGracePeriodSeconds"
            | "finalizers"
            | "ownerReferences"
            | "selfLink"
    ) || field.starts_with("$setElementOrder/")
        || field.starts_with("$deleteFromPrimitiveList/")
}

/// What an object is by what it says; nothing if it is another one. A part of another object that has no more than a
/// name refers to a Secret and is none.
pub(super) fn part_of_object(fields: &Map<String, Value>, is_whole: bool) -> Option<Part> {
    let has =
        |wanted: &[&str]| fields.keys().any(|key| wanted.iter().any(|one| key.eq_ignore_ascii_case(one)));
    let is = |wanted: &str| {
        let mut kinds = fields.iter().filter(|(key, _)| key.eq_ignore_ascii_case("kind"));
        kinds.any(|(_, kind)| kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case(wanted)))
    };
    if is("SecretList") || is("Secret") && (is_whole || has(&["metadata", "data", "stringData"])) {
        Some(Part::Secret)
    } else if is("TokenReview") && (is_whole || has(&["spec"])) {
        Some(Part::TokenReview)
    } else {
        None
    }
}

/// The steps of the path of a JSON patch, which begin after its first slash.
pub(super) fn steps(path: &str) -> impl Iterator<Item = String> {
    path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

/// What stands at a path of a Secret.
pub(super) fn part_at(path: &str) -> Part {
    steps(path).fold(Part::Secret, |part, step| part.below(&step))
}
