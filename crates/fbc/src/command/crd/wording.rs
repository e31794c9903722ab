//! Causes of changes in words for people: what it is, and why it hurts whom.

use fbc_bundle::crd_upgrade::{Cause, Party};

/// The heading of a cause.
pub(super) fn heading(cause: Cause) -> &'static str {
    match cause {
        Cause::Scope => "the scope changes",
        Cause::Names => "the resource gets another name",
        Cause::ApiVersion => "the definition is written in an API version that clusters no longer serve",
        Cause::StoredVersionRemoved => "a version is removed in which objects are stored",
        Cause::VersionRemoved => "versions are removed",
        Cause::VersionNotServed => "versions are no longer served",
        Cause::NothingServed => "no version is served",
        Cause::FieldRemoved => "fields are removed",
        Cause::FieldRequired => "fields become required",
        Cause::Type => "types change",
        Cause::ValuesForbidden => "values that were valid are not any more",
        Cause::Default => "defaults change",
        Cause::ValuesUnexpected => "readers get values of a new kind",
        Cause::Unknown => "changes that the check does not understand",
        Cause::ServedVersionsDiffer => "served versions disagree, and nothing converts between them",
        Cause::Conversion => "conversion between versions changes",
        Cause::Subresource => "subresources change",
        Cause::VersionAdded => "new versions",
        Cause::VersionFlags => "versions are served, stored or deprecated otherwise",
        Cause::FieldAdded => "new fields",
        Cause::Loosened => "more values are valid",
        Cause::Description => "descriptions change",
        Cause::Presentation => "names, columns and settings change",
        Cause::DefinitionGone => "the definition is gone",
        Cause::DefinitionAdded => "the definition is new",
    }
}

/// Why a cause hurts a party.
pub(super) fn harm(cause: Cause, party: Party) -> &'static str {
    match (party, cause) {
        (Party::Objects, Cause::Scope) => "existing objects are not found where they are from now on",
        (Party::Objects, Cause::StoredVersionRemoved) => "existing objects cannot be read from storage",
        (Party::Objects, Cause::FieldRemoved) => {
            "existing objects lose what they have there with the next write"
        }
        (Party::Objects, Cause::FieldRequired | Cause::ValuesForbidden) => {
            "existing objects that do not fit refuse any update"
        }
        (Party::Objects, Cause::Type) => "existing objects no longer fit their schema and refuse updates",
        (Party::Objects, Cause::Conversion) => "existing objects of other versions keep their old shape",
        (Party::Objects, Cause::Unknown) => "existing objects may no longer be valid",
        (Party::Objects, _) => "existing objects stay behind",
        (Party::Readers, Cause::FieldRemoved) => "readers no longer find what they look for",
        (Party::Readers, Cause::Type | Cause::ValuesUnexpected) => "readers get what they cannot decode",
        (Party::Readers, Cause::Default) => "readers find another value where nobody set one",
        (Party::Readers, Cause::Unknown) => "readers may get something else",
        (Party::Readers, Cause::ServedVersionsDiffer | Cause::Conversion) => {
            "readers of one version get objects of the shape of another"
        }
        (Party::Readers, Cause::VersionRemoved | Cause::VersionNotServed) => {
            "readers of these versions get 404"
        }
        (Party::Readers, Cause::Subresource) => "readers of a removed subresource get 404",
        (Party::Readers, _) => "readers find no resource any more",
        (Party::Writers, Cause::FieldRemoved) => {
            "writers that set them are ignored, or refused under strict validation"
        }
        (Party::Writers, Cause::FieldRequired) => "writers that do not set them are refused",
        (Party::Writers, Cause::ValuesForbidden | Cause::Type) => "writers of the old values are refused",
        (Party::Writers, Cause::Default) => "writers that leave it out get something else",
        (Party::Writers, Cause::Unknown) => "writers may be refused",
        (Party::Writers, Cause::ServedVersionsDiffer | Cause::Conversion) => {
            "what writers set in one version is lost or refused in another"
        }
        (Party::Writers, Cause::VersionRemoved | Cause::VersionNotServed) => {
            "writers of these versions get 404"
        }
        (Party::Writers, Cause::Subresource) => {
            "the status is written only through its subresource while there is one, and only without it otherwise"
        }
        (Party::Writers, _) => "writers find no resource any more",
    }
}
