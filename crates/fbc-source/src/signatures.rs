//! Signatures beside images in a registry: in cosign's tag, and as bundles that refer to the image.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use fbc_image::blob::digest_of;
use fbc_registry::attached::tag;
use fbc_registry::{Client, FetchedManifest, Manifest, Problem, Reference, RegistryError, Result};
use fbc_signature::{Signature, bundle, payload};
use oci_spec::image::{Descriptor, Digest, MediaType};
use serde_json::{Value, json};

/// More signatures of one image are not looked at.
pub const MOST_SIGNATURES: usize = 200;
/// Nor those behind so many bytes.
const MOST_BYTES: u64 = 32 << 20;

/// What is kept beside an image.
pub struct Found<T> {
    /// What was looked at.
    pub items: Vec<T>,
    /// How many there are.
    pub number: usize,
}

impl<T> Found<T> {
    /// What to say where not all were looked at.
    pub fn unread(&self) -> String {
        match self.number {
            number if number > MOST_SIGNATURES => {
                format!("; of its {number} signatures only the first {MOST_SIGNATURES} were looked at")
            }
            _ => String::new(),
        }
    }
}

/// The signatures in the tag that belongs to an image.
pub async fn signatures(client: &Client, image: &Reference, digest: &Digest) -> Result<Found<Signature>> {
    let found = client.find_beside(image, digest, tag(digest, "sig")).await?;
    signatures_in(client, &image.with_tag(tag(digest, "sig")), found).await
}

/// The same in the registry of the image; mirrors are not asked.
pub async fn signatures_at_origin(
    client: &Client,
    image: &Reference,
    digest: &Digest,
) -> Result<Found<Signature>> {
    let place = image.with_tag(tag(digest, "sig"));
    let found = client.find_at_origin(&place).await?;
    signatures_in(client, &place, found).await
}

async fn signatures_in(
    client: &Client,
    place: &Reference,
    found: Option<FetchedManifest>,
) -> Result<Found<Signature>> {
    let manifest = match found.map(|found| found.manifest) {
        None => return Ok(Found { items: Vec::new(), number: 0 }),
        Some(Manifest::Image(manifest)) => manifest,
        Some(Manifest::Index(_)) => return Err(no_signatures(place)),
    };
    let mut signatures = Vec::new();
    let mut bytes = 0;
    for layer in manifest.layers().iter().take(MOST_SIGNATURES) {
        let annotations = layer.annotations().as_ref();
        let signature = annotations.and_then(|all| all.get(payload::SIGNATURE_ANNOTATION));
        let signature = signature.and_then(|text| STANDARD.decode(text).ok());
        let is_payload = layer.media_type().to_string() == payload::MEDIA_TYPE;
        if let Some(signature) = signature.filter(|_| is_payload)
            && let Some(payload) = small_document(client, place, layer, &mut bytes).await?
        {
            let annotations = annotations.into_iter().flatten();
            let annotations = annotations.map(|(name, text)| (name.clone(), text.clone())).collect();
            signatures.push(Signature { payload, signature, annotations });
        }
    }
    Ok(Found { items: signatures, number: manifest.layers().len() })
}

/// A document; nothing if it, or all together, would be too large. Larger ones do not hide those beside them.
async fn small_document(
    client: &Client,
    place: &Reference,
    layer: &Descriptor,
    bytes: &mut u64,
) -> Result<Option<Vec<u8>>> {
    let together = bytes.saturating_add(layer.size());
    if together > MOST_BYTES {
        return Ok(None);
    }
    match client.document(place, layer).await {
        Ok(document) => {
            *bytes = together;
            Ok(Some(document))
        }
        Err(error) if matches!(error.problem, Problem::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn no_signatures(place: &Reference) -> Box<RegistryError> {
    let problem = Problem::Manifest("the tag of signatures is an index".to_owned());
    RegistryError::new("read the signatures", place.to_string(), problem)
}

/// An image of signatures that is not written yet.
pub struct SignatureImage {
    /// Its manifest.
    pub manifest: FetchedManifest,
    /// Its configuration, which names the payloads.
    pub configuration: (Descriptor, Bytes),
    /// The digests of layers that only the second image had.
    pub added: BTreeSet<String>,
}

impl SignatureImage {
    /// The manifest with more layers behind its own; its other fields stay as they are.
    fn with_layers(mut manifest: Value, more: &[Value]) -> std::result::Result<Self, Problem> {
        let known: BTreeSet<String> = layers_of(&manifest).iter().map(digest_in).collect();
        let added = more.iter().map(digest_in).filter(|digest| !known.contains(digest)).collect();
        if let Some(layers) = manifest["layers"].as_array_mut() {
            layers.extend_from_slice(more);
        }
        let payloads: Vec<String> = layers_of(&manifest).iter().map(digest_in).collect();
        let configuration = json!({
            "architecture": "",
            "config": {},
            "created": "0001-01-01T00:00:00Z",
            "history": [{ "created": "0001-01-01T00:00:00Z" }],
            "os": "",
            "rootfs": { "type": "layers", "diff_ids": payloads },
        });
        let configuration = Bytes::from(configuration.to_string());
        let described = described(MediaType::ImageConfig, &configuration);
        manifest["config"] = json_of(&described);
        let manifest = FetchedManifest::read(manifest.to_string().into(), None, None)?;
        Ok(Self { manifest, configuration: (described, configuration), added })
    }

    /// The signatures of one image with those behind them that only the other one has; nothing if it has none of its own.
    pub fn joined(one: &FetchedManifest, other: &FetchedManifest) -> Result<Option<Self>> {
        if [one, other].iter().any(|image| matches!(image.manifest, Manifest::Index(_))) {
            return Ok(None);
        }
        let value =
            |image: &FetchedManifest| serde_json::from_slice::<Value>(&image.bytes).unwrap_or_default();
        let (one, other) = (value(one), value(other));
        let signature = |layer: &Value| {
            let signature = &layer["annotations"][payload::SIGNATURE_ANNOTATION];
            (digest_in(layer), signature.as_str().map(str::to_owned))
        };
        let known: BTreeSet<_> = layers_of(&one).iter().map(signature).collect();
        let more = layers_of(&other).iter().filter(|layer| !known.contains(&signature(layer)));
        let more: Vec<Value> = more.cloned().collect();
        if more.is_empty() {
            return Ok(None);
        }
        let failed = |problem| RegistryError::new("join the signatures", "sig".to_owned(), problem);
        Self::with_layers(one, &more).map(Some).map_err(failed)
    }
}

fn layers_of(manifest: &Value) -> &[Value] {
    manifest["layers"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn digest_in(descriptor: &Value) -> String {
    descriptor["digest"].as_str().unwrap_or_default().to_owned()
}

/// Adds a signature to the tag that belongs to an image, behind those that are there.
pub async fn add_signature(
    client: &Client,
    image: &Reference,
    digest: &Digest,
    signature: &Signature,
) -> Result<()> {
    let place = image.with_tag(tag(digest, "sig"));
    let there = client.find_at_origin(&place).await?;
    if there.as_ref().is_some_and(|there| matches!(there.manifest, Manifest::Index(_))) {
        return Err(no_signatures(&place));
    }
    let layer = described(MediaType::from(payload::MEDIA_TYPE), &signature.payload);
    client.put_blob(&place, &layer, &Bytes::from(signature.payload.clone()), None).await?;
    let mut entry = json_of(&layer);
    let mut annotations = signature.annotations.clone();
    annotations.insert(payload::SIGNATURE_ANNOTATION.to_owned(), STANDARD.encode(&signature.signature));
    entry["annotations"] = json!(annotations);
    let written = there.as_ref().and_then(|there| serde_json::from_slice::<Value>(&there.bytes).ok());
    let kind = MediaType::ImageManifest.to_string();
    let manifest = written.unwrap_or_else(|| json!({ "schemaVersion": 2, "mediaType": kind, "layers": [] }));
    let SignatureImage { manifest, configuration: (configuration, bytes), .. } =
        SignatureImage::with_layers(manifest, &[entry])
            .map_err(|problem| RegistryError::new("add the signature", place.to_string(), problem))?;
    client.put_blob(&place, &configuration, &bytes, None).await?;
    client.put_manifest(&place, &kind, manifest.bytes).await.map(drop)
}

/// The bundles that refer to an image.
pub async fn bundles(client: &Client, image: &Reference, digest: &Digest) -> Result<Found<Vec<u8>>> {
    bundles_among(client, image, client.referrers(image, digest).await?).await
}

/// The same in the registry of the image; mirrors are not asked.
pub async fn bundles_at_origin(
    client: &Client,
    image: &Reference,
    digest: &Digest,
) -> Result<Found<Vec<u8>>> {
    bundles_among(client, image, client.referrers_at_origin(image, digest).await?).await
}

async fn bundles_among(
    client: &Client,
    image: &Reference,
    mut referrers: Vec<Descriptor>,
) -> Result<Found<Vec<u8>>> {
    let mut bundles = Vec::new();
    let mut bytes = 0;
    referrers.retain(|referrer| {
        referrer.artifact_type().as_ref().is_some_and(|kind| kind.to_string() == bundle::MEDIA_TYPE)
    });
    for referrer in referrers.iter().take(MOST_SIGNATURES) {
        let place = image.with_digest(referrer.digest().clone());
        let Some(found) = client.find(&place).await? else { continue };
        let Manifest::Image(manifest) = found.manifest else { continue };
        for layer in manifest.layers().iter().take(1) {
            bundles.extend(small_document(client, &place, layer, &mut bytes).await?);
        }
    }
    Ok(Found { items: bundles, number: referrers.len() })
}

/// Attaches a document to an image as an artifact of a type that refers to it.
pub async fn attach(
    client: &Client,
    image: &Reference,
    subject: &Descriptor,
    kind: &str,
    document: Vec<u8>,
    annotations: Value,
) -> Result<()> {
    let digest = subject.digest();
    let empty = described(MediaType::EmptyJSON, b"{}");
    let layer = described(MediaType::from(kind), &document);
    let place = image.with_digest(digest.clone());
    client.put_blob(&place, &empty, &Bytes::from_static(b"{}"), None).await?;
    client.put_blob(&place, &layer, &Bytes::from(document), None).await?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MediaType::ImageManifest.to_string(),
        "artifactType": kind,
        "config": json_of(&empty),
        "layers": [json_of(&layer)],
        "subject": json_of(subject),
        "annotations": annotations,
    });
    let bytes = manifest.to_string().into_bytes();
    let mut listed = described(MediaType::ImageManifest, &bytes);
    listed.set_artifact_type(Some(MediaType::from(kind)));
    listed.set_annotations(serde_json::from_value(annotations).ok());
    client.attach(image, digest, bytes.into(), listed).await
}

fn described(kind: MediaType, bytes: &[u8]) -> Descriptor {
    Descriptor::new(kind, bytes.len() as u64, digest_of(bytes))
}

fn json_of(descriptor: &Descriptor) -> Value {
    json!({
        "mediaType": descriptor.media_type().to_string(),
        "digest": descriptor.digest().to_string(),
        "size": descriptor.size(),
    })
}
