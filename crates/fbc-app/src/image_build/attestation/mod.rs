//! What `fbc build` knows of an image, attached to it in a registry: a bill of materials and a statement of provenance. They
//! are artifacts that refer to the image, where `oras discover`, `cosign` and scanners look for them.
//!
//! The documents hold nothing but what was given and what was built, so equal images have equal documents.

mod provenance;
mod spdx;

use fbc_model::Catalog;
use fbc_registry::Reference;
use fbc_source::OpenSession;
use fbc_source::signatures;
use oci_spec::image::Descriptor;
use serde_json::{Value, json};

pub use provenance::{Material, Origin};

use fbc_source::Error;

/// The media type of SPDX documents in JSON.
const SPDX: &str = "application/spdx+json";
/// That of statements of in-toto, and the annotation that says what a statement is about.
const IN_TOTO: &str = "application/vnd.in-toto+json";
const PREDICATE_TYPE: &str = "in-toto.io/predicate-type";
/// The predicate of provenance.
const PROVENANCE: &str = "https://slsa.dev/provenance/v1";

/// Which documents are attached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attestations {
    /// A bill of materials.
    pub sbom: bool,
    /// A statement of provenance.
    pub provenance: bool,
}

/// What is known of an image that was built.
pub struct Knowledge<'k> {
    /// The descriptor of its manifest or index.
    pub root: &'k Descriptor,
    /// The time in the image, as RFC 3339.
    pub created: &'k str,
    /// What it holds.
    pub catalog: &'k Catalog,
    /// The image that it was built on.
    pub base: Option<&'k Material>,
    /// Where its files come from.
    pub origin: Option<&'k Origin>,
    /// What was asked for: names of flags with their values.
    pub parameters: &'k Value,
}

impl Attestations {
    /// Whether anything is to be attached.
    pub fn are_given(self) -> bool {
        self.sbom || self.provenance
    }

    /// Attaches the documents to an image that was pushed; what they are, in words.
    pub fn attach(
        self,
        image: &Reference,
        known: &Knowledge<'_>,
        session: &OpenSession,
    ) -> Result<Vec<&'static str>, Error> {
        let mut attached = Vec::new();
        if self.sbom {
            let document = spdx::document(image, known);
            put(image, known.root, SPDX, &document, json!({}), session)?;
            attached.push("bill of materials");
        }
        if self.provenance {
            let statement = json!({
                "_type": "https://in-toto.io/Statement/v1",
                "subject": [{"name": image.name(), "digest": provenance::digest_set(known.root.digest().as_ref())}],
                "predicateType": PROVENANCE,
                "predicate": provenance::predicate(known),
            });
            put(image, known.root, IN_TOTO, &statement, json!({ PREDICATE_TYPE: PROVENANCE }), session)?;
            attached.push("provenance");
        }
        Ok(attached)
    }
}

fn put(
    image: &Reference,
    root: &Descriptor,
    kind: &str,
    document: &Value,
    annotations: Value,
    session: &OpenSession,
) -> Result<(), Error> {
    let bytes = format!("{document:#}\n").into_bytes();
    Ok(session.wait(signatures::attach(session.client(), image, root, kind, bytes, annotations))?)
}
