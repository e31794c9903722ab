//! `fbc sign`: signatures as cosign makes them, with a key.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::signing::image::{self, Order, sign_all, with_images};
use fbc_app::signing::keys;
use fbc_app::signing::signer::Signer;
use fbc_registry::Reference;
use fbc_signature::ImageName;
use fbc_source::image_source::{ImageName as Image, parse_registry_reference};

use crate::arguments::parse_pair;
use crate::certificate_arguments::CertificateArguments;
use crate::failure::{CLEAN, Failure, WARNING};
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;
use crate::terminal;

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

/// Where signatures are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Store {
    /// The tag `sha256-….sig`, where clusters look
    Tag,
    /// A sigstore bundle 0.3 that refers to the image, as cosign 3 writes it
    Referrer,
}

impl From<Store> for image::Store {
    fn from(store: Store) -> Self {
        match store {
            Store::Tag => Self::Tag,
            Store::Referrer => Self::Referrer,
        }
    }
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
    let stores: Vec<image::Store> = arguments.store.iter().map(|store| (*store).into()).collect();
    let order = Order {
        image: &image,
        identity: &identity,
        signer: &signer,
        stores: &stores,
        annotations: &arguments.annotation,
    };
    let signed = sign_all(&order, &all, session)?;
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
