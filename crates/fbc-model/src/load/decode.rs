//! From a document to a blob of its schema.

use std::ops::Range;
use std::sync::Arc;

use fbc_yaml::stream::{Fault, Syntax};
use fbc_yaml::{Document, json_writer};

use super::{FaultPlace, LoadFaultKind, Look};
use crate::blob::{Blob, Bundle, Channel, Deprecation, Origin, Other, Package, Value, schema};
use crate::bundle_object::{self, BundleObjectError};
use crate::catalog::DocumentInfo;
use crate::go_type::{self, GoType};
use crate::go_types;
use crate::meta::{self, Meta, MetaError, MetaRule};

/// What the reference refuses of a document.
pub(super) struct Problem {
    pub(super) kind: LoadFaultKind,
    pub(super) message: String,
    pub(super) place: FaultPlace,
}

/// A blob, or why opm's types refuse it; a bundle whose manifests cannot be read is both.
pub(super) type SettledBlob = Result<(Blob, Option<Problem>), Problem>;

/// What a document holds, and what is noted of it while it is at hand.
pub(super) struct DecodedBlob<T> {
    has_duplicate_keys: bool,
    has_odd_keys: bool,
    is_marked: bool,
    /// What the look made of it; nothing where opm's types refuse it.
    made: Option<T>,
    outcome: SettledBlob,
}

/// The information about a document, its blob, and what the look made of it.
pub(super) fn settle<T>(
    range: Range<usize>,
    syntax: Syntax,
    outcome: Result<DecodedBlob<T>, Fault<MetaError>>,
) -> (DocumentInfo, SettledBlob, Option<T>) {
    let info = |has_duplicate_keys, has_odd_keys, is_marked| DocumentInfo {
        range,
        syntax,
        has_duplicate_keys,
        has_odd_keys,
        is_marked,
    };
    match outcome {
        Ok(blob) => {
            (info(blob.has_duplicate_keys, blob.has_odd_keys, blob.is_marked), blob.outcome, blob.made)
        }
        Err(fault) => (info(false, false, false), Err(settle_fault(syntax, fault)), None),
    }
}

fn settle_fault(syntax: Syntax, fault: Fault<MetaError>) -> Problem {
    let (kind, message, place) = match fault {
        Fault::Malformed { message, byte } => (LoadFaultKind::Malformed, message, FaultPlace::Byte(byte)),
        Fault::Separator { rest, byte } => (
            LoadFaultKind::Separator,
            format!("invalid Yaml document separator: {rest}"),
            FaultPlace::Byte(byte),
        ),
        Fault::Rejected(error) => {
            let kind = match error.rule {
                MetaRule::Object => LoadFaultKind::NotAnObject,
                MetaRule::UniqueKeys => LoadFaultKind::AmbiguousKeys,
                MetaRule::TextKeys => LoadFaultKind::MetaNotText,
            };
            let prefix = match syntax {
                Syntax::Yaml => "error unmarshaling JSON: while decoding JSON: ",
                Syntax::Json => "",
            };
            (kind, format!("{prefix}{}", error.message), FaultPlace::Pointer(error.pointer))
        }
    };
    Problem { kind, message, place }
}

/// The blob of a document, with a look at it if opm's types take it.
pub(super) fn decode_blob<T>(document: Document, look: Look<'_, T>) -> Result<DecodedBlob<T>, MetaError> {
    let meta = meta::read(document.root())?;
    let mut has_odd_keys = false;
    let document = Arc::new(document);
    let outcome = blob_of(&document, &meta, &mut has_odd_keys);
    let (is_marked, made) = match outcome {
        Ok(_) => {
            let (is_marked, made) = look(&document, &meta);
            (is_marked, Some(made))
        }
        Err(_) => (false, None),
    };
    Ok(DecodedBlob {
        has_duplicate_keys: document.has_duplicate_keys(),
        has_odd_keys,
        is_marked,
        made,
        outcome,
    })
}

fn blob_of(document: &Arc<Document>, meta: &Meta, has_odd_keys: &mut bool) -> SettledBlob {
    let origin = Origin::default();
    let mut fits = |of: &'static go_type::GoStruct, what: &str| {
        let keys_are_known =
            go_type::check_with_keys(document.root(), &GoType::Struct(of)).map_err(|error| Problem {
                kind: LoadFaultKind::FieldType,
                message: format!("parse {what}: {}", error.message),
                place: FaultPlace::Pointer(error.pointer),
            })?;
        *has_odd_keys = !keys_are_known;
        Ok(())
    };
    let blob = match meta.schema.as_str() {
        schema::PACKAGE => {
            fits(&go_types::PACKAGE, "package")?;
            Blob::Package(Package::from_document(document, origin))
        }
        schema::CHANNEL => {
            fits(&go_types::CHANNEL, "channel")?;
            Blob::Channel(Channel::from_document(document, origin))
        }
        schema::BUNDLE => {
            fits(&go_types::BUNDLE, "bundle")?;
            let bundle = Bundle::from_document(document, origin);
            let problem =
                bundle_object::check(&bundle).err().map(|error| bundle_object_problem(&bundle, &error));
            return Ok((Blob::Bundle(bundle), problem));
        }
        schema::DEPRECATIONS => {
            fits(&go_types::DEPRECATION, "deprecation")?;
            Blob::Deprecation(Deprecation::from_document(document, origin))
        }
        "" => {
            let text = if document.root().is_null() {
                String::new()
            } else {
                json_writer::compact(document.root()) + "\n"
            };
            return Err(Problem {
                kind: LoadFaultKind::NoSchema,
                message: format!("object '{text}' is missing root schema field"),
                place: FaultPlace::Pointer(String::new()),
            });
        }
        _ => Blob::Other(Other { origin, meta: meta.clone(), value: Value::whole(Arc::clone(document)) }),
    };
    Ok((blob, None))
}

fn bundle_object_problem(bundle: &Bundle, error: &BundleObjectError) -> Problem {
    let pointer = match error {
        BundleObjectError::Property { index, error } => format!("/properties/{index}/value{}", error.pointer),
        BundleObjectError::Manifest { index, .. } => format!("/properties/{index}/value/data"),
    };
    let quote = fbc_go::text::quote;
    Problem {
        kind: LoadFaultKind::BundleObject,
        message: format!(
            "read bundle objects: package {}, bundle {}: {error}",
            quote(&bundle.package),
            quote(&bundle.name)
        ),
        place: FaultPlace::Pointer(pointer),
    }
}
