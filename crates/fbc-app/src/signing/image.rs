//! Images that are signed, wherever their signatures are kept.

use fbc_registry::limits::{INDEX_DEPTH, MANIFESTS};
use fbc_registry::{Client, FetchedManifest, Manifest, Reference};
use fbc_signature::payload::Payload;
use fbc_signature::{PrivateKey, Trust, bundle};
use fbc_source::signatures::{self, Found};
use fbc_source::{Error, OpenSession};
use oci_spec::image::{Descriptor, MediaType};
use ring::rand::SystemRandom;
use serde_json::json;
use std::collections::BTreeMap;

use super::signer::Signer;

/// So many times a signature is looked for after it was added.
const ROUNDS: usize = 20;

/// Where signatures are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// The tag `sha256-….sig`, where clusters look.
    Tag,
    /// A sigstore bundle 0.3 that refers to the image, as cosign 3 writes it.
    Referrer,
}

/// What is signed, and how.
pub struct Order<'o> {
    /// The image.
    pub image: &'o Reference,
    /// The name that signatures are for.
    pub identity: &'o str,
    /// Who signs.
    pub signer: &'o Signer,
    /// Where signatures are kept.
    pub stores: &'o [Store],
    /// What signatures say besides.
    pub annotations: &'o [(String, String)],
}

/// Signs images until no signature is missing; how many were signed.
///
/// # Errors
/// If a registry refuses it, or others sign at the same time again and again.
pub fn sign_all(order: &Order<'_>, subjects: &[Descriptor], session: &OpenSession) -> Result<usize, Error> {
    sign_until_kept(order.image, session, || {
        subjects.iter().map(|subject| sign(subject, order, session)).sum()
    })
}

/// Signs until no signature is missing, and says how many images were signed. Registries replace a list of signatures as a
/// whole, so somebody who signs at the same time may drop ours.
fn sign_until_kept(
    image: &Reference,
    session: &OpenSession,
    sign_all: impl Fn() -> Result<usize, Error>,
) -> Result<usize, Error> {
    let signed = sign_all()?;
    if signed == 0 {
        return Ok(signed);
    }
    for _ in 0..ROUNDS {
        session.wait_a_little();
        if sign_all()? == 0 {
            return Ok(signed);
        }
    }
    Err(Error::new(format!("others sign {image} at the same time, and drop this signature again and again"))
        .help("run the command again once they are done"))
}

/// The manifest, and of an index all that it lists, also in further indexes.
///
/// # Errors
/// If one cannot be read, or there are too many.
pub fn with_images(
    root: &FetchedManifest,
    image: &Reference,
    index_only: bool,
    session: &OpenSession,
) -> Result<Vec<Descriptor>, Error> {
    let mut all = vec![root.descriptor.clone()];
    let mut level = if index_only { Vec::new() } else { vec![root.clone()] };
    for _ in 0..=INDEX_DEPTH {
        let mut next = Vec::new();
        for manifest in &level {
            let Manifest::Index(index) = &manifest.manifest else { continue };
            for child in index.manifests() {
                if all.iter().any(|known| known.digest() == child.digest()) {
                    continue;
                }
                all.push(child.clone());
                if is_index(child) {
                    let place = image.with_digest(child.digest().clone());
                    next.push(session.wait(session.client().manifest_at_origin(&place))?);
                }
                if all.len() > MANIFESTS {
                    return Err(Error::refusal(format!("{image} has more than {MANIFESTS} manifests")));
                }
            }
        }
        if next.is_empty() {
            return Ok(all);
        }
        level = next;
    }
    Err(Error::refusal(format!("{image} is an index of indexes, more than {INDEX_DEPTH} deep")))
}

fn is_index(descriptor: &Descriptor) -> bool {
    let kind = descriptor.media_type().to_string();
    kind == MediaType::ImageIndex.to_string()
        || kind == "application/vnd.docker.distribution.manifest.list.v2+json"
}

/// Refuses to add a signature that nobody would look at.
fn check_number<T>(there: &Found<T>, subject: &Descriptor) -> Result<(), Error> {
    match there.number >= signatures::MOST_SIGNATURES {
        true => Err(Error::new(format!(
            "{} has {} signatures, and fbc looks at no more than {}",
            subject.digest(),
            there.number,
            signatures::MOST_SIGNATURES
        ))
        .help("remove signatures that nobody needs, such as those with other annotations")),
        false => Ok(()),
    }
}

/// Adds the signatures that are missing; 1 if there were any.
fn sign(subject: &Descriptor, order: &Order<'_>, session: &OpenSession) -> Result<usize, Error> {
    let Order { image, identity, signer, stores, annotations } = *order;
    let (client, digest) = (session.client(), subject.digest());
    let mut added = 0;
    for store in stores {
        added |= match store {
            Store::Tag => {
                let annotations: BTreeMap<String, String> = annotations.iter().cloned().collect();
                let payload = Payload::new(identity, digest.as_ref(), &annotations);
                let payload = payload.bytes().map_err(|error| Error::new(error.to_string()))?;
                let there = session.wait(signatures::signatures_at_origin(client, image, digest))?;
                if there.items.iter().any(|one| signer.made(one, &payload)) {
                    continue;
                }
                check_number(&there, subject)?;
                let signature = signer.sign(payload, session)?;
                session.wait(signatures::add_signature(client, image, digest, &signature))?;
                1
            }
            Store::Referrer => match signer {
                Signer::Key(key) => sign_by_reference(subject, image, key, client, session)?,
                Signer::Certified(_) => 0,
            },
        };
    }
    Ok(added)
}

fn sign_by_reference(
    subject: &Descriptor,
    image: &Reference,
    key: &PrivateKey,
    client: &Client,
    session: &OpenSession,
) -> Result<usize, Error> {
    let digest = subject.digest();
    let there = session.wait(signatures::bundles_at_origin(client, image, digest))?;
    let trust = Trust::in_keys(vec![key.public_key()]);
    let is_ours = |one: &Vec<u8>| {
        let statement = bundle::verify(one, digest.as_ref(), &trust);
        statement.is_ok_and(|statement| statement["predicateType"] == bundle::SIGNATURE)
    };
    if there.items.iter().any(is_ours) {
        return Ok(0);
    }
    check_number(&there, subject)?;
    let document = bundle::write(digest.as_ref(), bundle::SIGNATURE, &json!({}), key, &SystemRandom::new())
        .map_err(|error| Error::new(error.to_string()))?;
    let annotations = json!({
        "dev.sigstore.bundle.content": "dsse-envelope",
        "dev.sigstore.bundle.predicateType": bundle::SIGNATURE,
    });
    session.wait(signatures::attach(client, image, subject, bundle::MEDIA_TYPE, document, annotations))?;
    Ok(1)
}
