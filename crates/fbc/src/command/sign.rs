//! `fbc sign`: signatures as cosign makes them, with a key.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_registry::limits::{INDEX_DEPTH, MANIFESTS};
use fbc_registry::{Client, FetchedManifest, Manifest, Reference};
use fbc_signature::payload::Payload;
use fbc_signature::{ImageName, PrivateKey, Trust, bundle};
use fbc_source::OpenSession;
use fbc_source::image_source::{ImageName as Image, parse_registry_reference};
use fbc_source::signatures::{self, Found};
use oci_spec::image::{Descriptor, MediaType};
use ring::rand::SystemRandom;
use serde_json::json;

use crate::arguments::parse_pair;
use crate::certificate_arguments::CertificateArguments;
use crate::failure::{CLEAN, Failure, WARNING};
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;
use crate::terminal;
use fbc_app::signing::keys;
use fbc_app::signing::signer::Signer;

/// Sign an image in a registry, with a key or with a certificate
///
/// The signature is what cosign makes, and lies beside the image: `cosign verify --key`, and podman, CRI-O and skopeo with a
/// policy of `sigstoreSigned` accept it. An index is signed with all its images, since clusters pull one of these. What is
/// signed already is not signed again.
///
/// Keys are those of cosign: ECDSA P-256, behind a passphrase that COSIGN_PASSWORD or --passphrase-file says. With
/// --identity-token no key is kept: an authority certifies one for this run, and every run adds a signature.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 signed, 2 could not run.\n\
    docs/guides/sign.md shows keys, policies and clusters.")]
pub(crate) struct Arguments {
    /// The image, such as quay.io/me/catalog:v4.19
    #[arg(value_name = "REF", value_parser = parse_registry_reference, required_unless_present_any = ["generate_key", "public_key"], requires = "signer")]
    image: Option<String>,
    /// The private key
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "signer")]
    key: Option<PathBuf>,
    /// The file with the passphrase of the key [default: what COSIGN_PASSWORD says]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "identity_token")]
    passphrase_file: Option<PathBuf>,
    /// The name that a signature in the tag is for, with a tag [default: REF]
    #[arg(long, value_name = "NAME")]
    identity: Option<String>,
    /// Add an annotation to a signature in the tag; can be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = parse_pair)]
    annotation: Vec<(String, String)>,
    /// Where the signature is kept; can be repeated
    #[arg(long, value_enum, value_name = "PLACE", default_value = "tag")]
    store: Vec<Store>,
    /// Sign an index alone, without its images
    #[arg(long)]
    index_only: bool,
    /// Write a new key to PREFIX.key and PREFIX.pub
    #[arg(long, value_name = "PREFIX", conflicts_with_all = ["image", "signer"])]
    generate_key: Option<String>,
    /// Write the public key of --key to standard output, and sign nothing
    #[arg(long, conflicts_with = "image", requires = "key")]
    public_key: bool,
    #[command(flatten)]
    certificate: CertificateArguments,
    #[command(flatten)]
    registry: RegistryArguments,
}

/// So many times a signature is looked for after it was added.
const ROUNDS: usize = 20;

/// Where signatures are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Store {
    /// The tag `sha256-….sig`, where clusters look
    Tag,
    /// A sigstore bundle 0.3 that refers to the image, as cosign 3 writes it
    Referrer,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if let Some(prefix) = &arguments.generate_key {
        let [private, public] = keys::generate(prefix, arguments.passphrase_file.as_deref(), settings)?;
        if !settings.quiet {
            terminal::tell(format_args!("wrote {} and {}", private.display(), public.display()));
        }
        return Ok(CLEAN);
    }
    let no_key = || Failure::new("no image and key are given").help("write `fbc sign REF --key cosign.key`");
    let key = match &arguments.key {
        Some(path) => Some(keys::private(path, arguments.passphrase_file.as_deref(), settings)?),
        None => None,
    };
    if let Some(key) = key.as_ref().filter(|_| arguments.public_key) {
        let mut out = terminal::stdout();
        write!(out, "{}", key.public_key().to_pem())?;
        out.flush()?;
        return Ok(CLEAN);
    }
    if arguments.certificate.are_given() && arguments.store.contains(&Store::Referrer) {
        return Err(
            Failure::new("--store referrer needs --key").help("signatures with a certificate go to the tag")
        );
    }
    let text = arguments.image.as_ref().ok_or_else(no_key)?;
    let session = arguments.registry.session(Named::images([Image::Registry(text.clone())]), settings);
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
    let identity = identity(arguments, &image, settings)?;
    // What is added goes to the registry itself, so mirrors do not say what is there.
    let root = session.wait(session.client().manifest_at_origin(&image))?;
    let all = with_images(&root, &image, arguments.index_only, session)?;
    let signer = match key {
        Some(key) => Signer::Key(key),
        None => Signer::Certified(arguments.certificate.request().certify(session, settings)?),
    };
    let signed = sign_until_kept(&image, session, || {
        let added = all.iter().map(|subject| sign(subject, &image, &identity, &signer, arguments, session));
        added.sum()
    })?;
    if !settings.quiet {
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

/// Signs until no signature is missing, and says how many images were signed. Registries replace a list of signatures as a
/// whole, so somebody who signs at the same time may drop ours.
fn sign_until_kept(
    image: &Reference,
    session: &OpenSession,
    sign_all: impl Fn() -> Result<usize, Failure>,
) -> Result<usize, Failure> {
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
    Err(Failure::new(format!(
        "others sign {image} at the same time, and drop this signature again and again"
    ))
    .help("run the command again once they are done"))
}

/// The name that the signature is for.
fn identity(arguments: &Arguments, image: &Reference, settings: &Settings) -> Result<String, Failure> {
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
        Some(name) if name.digest.is_none() => {
            if name.tag.is_none() && !settings.quiet {
                terminal::tell(format_args!(
                    "{WARNING}warning{WARNING:#}: {text} has no tag: only policies with matchRepository or exactRepository accept \
                     such a signature"
                ));
            }
            Ok(name.text())
        }
        _ => Err(Failure::new(format!("--identity {text} is not the name of an image"))
            .help("write REGISTRY/REPOSITORY:TAG")),
    }
}

/// The manifest, and of an index all that it lists, also in further indexes.
fn with_images(
    root: &FetchedManifest,
    image: &Reference,
    index_only: bool,
    session: &OpenSession,
) -> Result<Vec<Descriptor>, Failure> {
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
                    return Err(Failure::refusal(format!("{image} has more than {MANIFESTS} manifests")));
                }
            }
        }
        if next.is_empty() {
            return Ok(all);
        }
        level = next;
    }
    Err(Failure::refusal(format!("{image} is an index of indexes, more than {INDEX_DEPTH} deep")))
}

fn is_index(descriptor: &Descriptor) -> bool {
    let kind = descriptor.media_type().to_string();
    kind == MediaType::ImageIndex.to_string()
        || kind == "application/vnd.docker.distribution.manifest.list.v2+json"
}

/// Refuses to add a signature that nobody would look at.
fn check_number<T>(there: &Found<T>, subject: &Descriptor) -> Result<(), Failure> {
    match there.number >= signatures::MOST_SIGNATURES {
        true => Err(Failure::new(format!(
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
fn sign(
    subject: &Descriptor,
    image: &Reference,
    identity: &str,
    signer: &Signer,
    arguments: &Arguments,
    session: &OpenSession,
) -> Result<usize, Failure> {
    let (client, digest) = (session.client(), subject.digest());
    let mut added = 0;
    for store in &arguments.store {
        added |= match store {
            Store::Tag => {
                let annotations: BTreeMap<String, String> = arguments.annotation.iter().cloned().collect();
                let payload = Payload::new(identity, digest.as_ref(), &annotations);
                let payload = payload.bytes().map_err(|error| Failure::new(error.to_string()))?;
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
) -> Result<usize, Failure> {
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
        .map_err(|error| Failure::new(error.to_string()))?;
    let annotations = json!({
        "dev.sigstore.bundle.content": "dsse-envelope",
        "dev.sigstore.bundle.predicateType": bundle::SIGNATURE,
    });
    session.wait(signatures::attach(client, image, subject, bundle::MEDIA_TYPE, document, annotations))?;
    Ok(1)
}
