//! `fbc sign`: signatures as cosign makes them, with a key.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_image::registry::{Client, FetchedManifest, Manifest, Reference};
use fbc_signature::payload::Payload;
use fbc_signature::policy::Signature;
use fbc_signature::{ImageName, PrivateKey, bundle};
use oci_spec::image::Descriptor;
use ring::rand::SystemRandom;
use serde_json::json;

use crate::arguments::Global;
use crate::failure::{CLEAN, Failure};
use crate::image_source::{ImageName as Image, parse_registry_reference};
use crate::registry::{Named, OpenSession, RegistryArguments};
use crate::signing::{attached, keys};
use crate::terminal;

/// Sign an image in a registry with a key
///
/// The signature is what cosign makes, and lies beside the image: `cosign verify --key`, and podman, CRI-O and skopeo with a
/// policy of `sigstoreSigned` accept it. An index is signed with all its images, since clusters pull one of these. What is
/// signed already is not signed again.
///
/// Keys are those of cosign: ECDSA P-256, behind a passphrase that COSIGN_PASSWORD or --passphrase-file says.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 signed, 2 could not run.\n\
    docs/guides/sign.md shows keys, policies and clusters.")]
pub(crate) struct Arguments {
    /// The image, such as quay.io/me/catalog:v4.19
    #[arg(value_name = "REF", value_parser = parse_registry_reference, required_unless_present = "generate_key", requires = "key")]
    image: Option<String>,
    /// The private key
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    key: Option<PathBuf>,
    /// The file with the passphrase of the key [default: what COSIGN_PASSWORD says]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    passphrase_file: Option<PathBuf>,
    /// The name that a signature in the tag is for [default: REF, which needs a tag then]
    #[arg(long, value_name = "NAME")]
    identity: Option<String>,
    /// Say something more in a signature in the tag; may be given several times
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = pair)]
    annotation: Vec<(String, String)>,
    /// Where the signature is kept; may be given several times
    #[arg(long, value_enum, value_name = "PLACE", default_value = "tag")]
    store: Vec<Store>,
    /// Sign an index alone, without its images
    #[arg(long)]
    index_only: bool,
    /// Write a new key to PREFIX.key and PREFIX.pub
    #[arg(long, value_name = "PREFIX", conflicts_with_all = ["image", "key"])]
    generate_key: Option<String>,
    #[command(flatten)]
    registry: RegistryArguments,
}

/// Where signatures are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Store {
    /// The tag `sha256-….sig`, where clusters look
    Tag,
    /// A sigstore bundle 0.3 that refers to the image, as cosign 3 writes it
    Referrer,
}

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    if let Some(prefix) = &arguments.generate_key {
        let [private, public] = keys::generate(prefix, arguments.passphrase_file.as_deref())?;
        if !global.quiet {
            terminal::tell(format_args!("wrote {} and {}", private.display(), public.display()));
        }
        return Ok(CLEAN);
    }
    let (Some(text), Some(key)) = (&arguments.image, &arguments.key) else {
        return Err(Failure::new("no image and key are given").help("write `fbc sign REF --key cosign.key`"));
    };
    let key = keys::private(key, arguments.passphrase_file.as_deref())?;
    let session = arguments.registry.session(Named::images([Image::Registry(text.clone())]));
    let session = session.open()?;
    if session.is_offline() {
        return Err(Failure::new(
            "signatures are kept in registries, and `--offline` forbids registry access",
        )
        .help("leave out --offline"));
    }
    let image = session.reference(text)?;
    if !arguments.store.contains(&Store::Tag)
        && (arguments.identity.is_some() || !arguments.annotation.is_empty())
    {
        return Err(Failure::new("bundles hold neither a name nor annotations")
            .help("leave out --identity and --annotation, or add --store tag"));
    }
    let identity = identity(arguments, &image)?;
    // What is added goes to the registry itself, so mirrors do not say what is there.
    let root = session.wait(session.client().manifest_at_origin(&image))?;
    let mut signed = 0;
    let all = with_images(&root, arguments.index_only);
    for subject in &all {
        signed += sign(subject, &image, &identity, &key, arguments, session)?;
    }
    if !global.quiet {
        let name = match arguments.store.contains(&Store::Tag) {
            true => format!(" as {identity}"),
            false => String::new(),
        };
        let told = match (signed, all.len()) {
            (0, _) => format!("{image} is signed with this key already"),
            (_, 1) => format!("signed {image}{name}"),
            (_, all) => format!("signed {image}{name}: the index and its {} images", all - 1),
        };
        terminal::tell(format_args!("{told}"));
    }
    let mut out = terminal::stdout();
    writeln!(out, "{}", root.descriptor.digest())?;
    out.flush()?;
    Ok(CLEAN)
}

/// The name that the signature is for.
fn identity(arguments: &Arguments, image: &Reference) -> Result<String, Failure> {
    let Some(text) = &arguments.identity else {
        return match image.tag() {
            Some(tag) => Ok(format!("{}:{tag}", image.name())),
            None if !arguments.store.contains(&Store::Tag) => Ok(image.name()),
            None => Err(Failure::new(format!(
                "{image} has no tag, and podman accepts no signature for a name without one"
            ))
            .help("say what the signature is for: --identity REGISTRY/REPOSITORY:TAG")),
        };
    };
    match ImageName::parse(text) {
        Some(name) if name.digest.is_none() => Ok(name.text()),
        _ => Err(Failure::new(format!("--identity {text} is not the name of an image"))
            .help("write REGISTRY/REPOSITORY or REGISTRY/REPOSITORY:TAG")),
    }
}

/// The manifest, and of an index all that it lists.
pub(super) fn with_images(root: &FetchedManifest, index_only: bool) -> Vec<Descriptor> {
    let mut all = vec![root.descriptor.clone()];
    if let (Manifest::Index(index), false) = (&root.manifest, index_only) {
        all.extend(index.manifests().iter().cloned());
    }
    all
}

/// Adds the signatures that are missing; 1 if there were any.
fn sign(
    subject: &Descriptor,
    image: &Reference,
    identity: &str,
    key: &PrivateKey,
    arguments: &Arguments,
    session: &OpenSession,
) -> Result<usize, Failure> {
    let (client, digest) = (session.client(), subject.digest());
    let random = SystemRandom::new();
    let failed = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
    let mut added = 0;
    for store in &arguments.store {
        added |= match store {
            Store::Tag => {
                let annotations: BTreeMap<String, String> = arguments.annotation.iter().cloned().collect();
                let payload = Payload::new(identity, digest.as_ref(), &annotations);
                let payload = payload.bytes().map_err(|error| failed(&error))?;
                let there = session.wait(attached::signatures_at_origin(client, image, digest))?;
                let is_ours = |one: &Signature| {
                    one.payload == payload && key.public_key().verifies(&one.payload, &one.signature)
                };
                if there.iter().any(is_ours) {
                    continue;
                }
                let signature = key.sign(&payload, &random).map_err(|error| failed(&error))?;
                let signature = Signature { payload, signature };
                session.wait(attached::add_signature(client, image, digest, &signature))?;
                1
            }
            Store::Referrer => sign_by_reference(subject, image, key, client, session)?,
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
) -> Result<usize, Failure> {
    let digest = subject.digest();
    let there = session.wait(attached::bundles_at_origin(client, image, digest))?;
    let is_ours = |one: &Vec<u8>| {
        let statement = bundle::verify(one, digest.as_ref(), &key.public_key());
        statement.is_ok_and(|statement| statement["predicateType"] == bundle::SIGNATURE)
    };
    if there.iter().any(is_ours) {
        return Ok(0);
    }
    let document = bundle::write(digest.as_ref(), bundle::SIGNATURE, &json!({}), key, &SystemRandom::new())
        .map_err(|error| Failure::new(error.to_string()))?;
    let annotations = json!({
        "dev.sigstore.bundle.content": "dsse-envelope",
        "dev.sigstore.bundle.predicateType": bundle::SIGNATURE,
    });
    session.wait(attached::attach(client, image, subject, bundle::MEDIA_TYPE, document, annotations))?;
    Ok(1)
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE".to_owned()),
    }
}
