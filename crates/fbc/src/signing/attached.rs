//! Signatures beside images in a registry: in cosign's tag, and as bundles that refer to the image.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use fbc_image::blob::digest_of;
use fbc_image::registry::attached::tag;
use fbc_image::registry::{Client, Manifest, Problem, Reference, RegistryError, Result};
use fbc_signature::policy::Signature;
use fbc_signature::{bundle, payload};
use oci_spec::image::{Descriptor, Digest, ImageManifest, MediaType};
use serde_json::{Value, json};

/// The media types of manifests and configurations.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIGURATION: &str = "application/vnd.oci.image.config.v1+json";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// More signatures of one image are not looked at.
const MOST_SIGNATURES: usize = 200;

/// The signatures in the tag that belongs to an image.
pub(crate) async fn signatures(
    client: &Client,
    image: &Reference,
    digest: &Digest,
) -> Result<Vec<Signature>> {
    let Some((place, manifest, _)) = signature_image(client, image, digest).await? else {
        return Ok(Vec::new());
    };
    let mut signatures = Vec::new();
    for layer in manifest.layers().iter().take(MOST_SIGNATURES) {
        let annotations = layer.annotations().as_ref();
        let signature = annotations.and_then(|all| all.get(payload::SIGNATURE_ANNOTATION));
        let signature = signature.and_then(|text| STANDARD.decode(text).ok());
        let is_payload = layer.media_type().to_string() == payload::MEDIA_TYPE;
        if let Some(signature) = signature.filter(|_| is_payload) {
            signatures.push(Signature { payload: client.document(&place, layer).await?, signature });
        }
    }
    Ok(signatures)
}

/// The image in the tag of signatures: where it is, what it says, and its bytes.
async fn signature_image(
    client: &Client,
    image: &Reference,
    digest: &Digest,
) -> Result<Option<(Reference, ImageManifest, Bytes)>> {
    let place = image.with_tag(tag(digest, "sig"));
    let Some(found) = client.find_beside(image, digest, tag(digest, "sig")).await? else { return Ok(None) };
    match found.manifest {
        Manifest::Image(manifest) => Ok(Some((place, *manifest, found.bytes))),
        Manifest::Index(_) => {
            let problem = Problem::Manifest("the tag of signatures is an index".to_owned());
            Err(RegistryError::new("read the signatures", place.to_string(), problem))
        }
    }
}

/// Adds a signature to the tag that belongs to an image, behind those that are there.
pub(crate) async fn add_signature(
    client: &Client,
    image: &Reference,
    digest: &Digest,
    signature: &Signature,
) -> Result<()> {
    let there = signature_image(client, image, digest).await?;
    let place = image.with_tag(tag(digest, "sig"));
    let layer = described(payload::MEDIA_TYPE, &signature.payload);
    client.put_blob(&place, &layer, &Bytes::from(signature.payload.clone()), None).await?;
    let mut entry = json_of(&layer);
    entry["annotations"] = json!({ payload::SIGNATURE_ANNOTATION: STANDARD.encode(&signature.signature) });
    // Other fields of what is there stay as they are.
    let written = there.as_ref().and_then(|(_, _, bytes)| serde_json::from_slice::<Value>(bytes).ok());
    let mut manifest =
        written.unwrap_or_else(|| json!({ "schemaVersion": 2, "mediaType": MANIFEST, "layers": [] }));
    if let Some(layers) = manifest["layers"].as_array_mut() {
        layers.push(entry);
    }
    let payloads = manifest["layers"].as_array().into_iter().flatten().map(|layer| layer["digest"].clone());
    let configuration = json!({
        "architecture": "",
        "config": {},
        "created": "0001-01-01T00:00:00Z",
        "history": [{ "created": "0001-01-01T00:00:00Z" }],
        "os": "",
        "rootfs": { "type": "layers", "diff_ids": payloads.collect::<Vec<_>>() },
    });
    let configuration = configuration.to_string().into_bytes();
    let described_configuration = described(CONFIGURATION, &configuration);
    client.put_blob(&place, &described_configuration, &Bytes::from(configuration), None).await?;
    manifest["config"] = json_of(&described_configuration);
    client.put_manifest(&place, MANIFEST, manifest.to_string().into()).await.map(drop)
}

/// The bundles that refer to an image.
pub(crate) async fn bundles(client: &Client, image: &Reference, digest: &Digest) -> Result<Vec<Vec<u8>>> {
    let mut bundles = Vec::new();
    let referrers = client.referrers(image, digest).await?;
    let is_bundle = |referrer: &&Descriptor| {
        referrer.artifact_type().as_ref().is_some_and(|kind| kind.to_string() == bundle::MEDIA_TYPE)
    };
    for referrer in referrers.iter().filter(is_bundle).take(MOST_SIGNATURES) {
        let place = image.with_digest(referrer.digest().clone());
        let Some(found) = client.find(&place).await? else { continue };
        let Manifest::Image(manifest) = found.manifest else { continue };
        for layer in manifest.layers().iter().take(1) {
            bundles.push(client.document(&place, layer).await?);
        }
    }
    Ok(bundles)
}

/// Attaches a document to an image as an artifact of a type that refers to it.
pub(crate) async fn attach(
    client: &Client,
    image: &Reference,
    subject: &Descriptor,
    kind: &str,
    document: Vec<u8>,
    annotations: Value,
) -> Result<()> {
    let digest = subject.digest();
    let (empty, layer) = (described(EMPTY, b"{}"), described(kind, &document));
    let place = image.with_digest(digest.clone());
    client.put_blob(&place, &empty, &Bytes::from_static(b"{}"), None).await?;
    client.put_blob(&place, &layer, &Bytes::from(document), None).await?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": kind,
        "config": json_of(&empty),
        "layers": [json_of(&layer)],
        "subject": json_of(subject),
        "annotations": annotations,
    });
    let bytes = manifest.to_string().into_bytes();
    let mut listed = described(MANIFEST, &bytes);
    listed.set_artifact_type(Some(MediaType::from(kind)));
    listed.set_annotations(serde_json::from_value(annotations).ok());
    client.attach(image, digest, bytes.into(), listed).await
}

fn described(kind: &str, bytes: &[u8]) -> Descriptor {
    Descriptor::new(MediaType::from(kind), bytes.len() as u64, digest_of(bytes))
}

fn json_of(descriptor: &Descriptor) -> Value {
    json!({
        "mediaType": descriptor.media_type().to_string(),
        "digest": descriptor.digest().to_string(),
        "size": descriptor.size(),
    })
}
