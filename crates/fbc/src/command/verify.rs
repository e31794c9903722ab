//! `fbc verify`: whether an image is signed, by a key or by the policy of this machine.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::escape::Lines;
use fbc_app::input;
use fbc_app::signing::keys;
use fbc_app::signing::verification::{Answer, Wanted, by_policy, by_trust};
use fbc_registry::Reference;
use fbc_signature::trust::{ExpectedSigner, SigningTime};
use fbc_signature::{Trust, TrustedRoot};
use fbc_source::image_source::{ImageName as Image, parse_registry_reference};
use serde_json::{Value, json};

use crate::arguments::parse_pair;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_standard_output;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;

/// Check the signatures of an image in a registry
///
/// With --key, one signature must be of that key and for this digest: in the image's tag, where it must also be for the
/// repository of REF or of --signed-as, or a sigstore bundle that refers to the image. With --certificate-identity, the
/// signer must have had a certificate for that name when a transparency log saw the signature. Bundles hold no name and no
/// annotations, so they do not count with --signed-as and --annotation. Without either, the policy of this machine must ask for a
/// signature, and decides as for `fbc pull`, podman and CRI-O.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 signed, 1 not signed or refused by the policy, 2 could not run.")]
pub(crate) struct Arguments {
    /// The image, such as quay.io/me/catalog:v4.19
    #[arg(value_name = "REF", value_parser = parse_registry_reference)]
    image: String,
    /// The public key; can be repeated, and one of them is enough
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "signer")]
    key: Vec<PathBuf>,
    /// Who signed without a key: the address, or the URI of a workflow, in the certificate
    #[arg(long, value_name = "NAME", group = "signer", requires_all = ["certificate_oidc_issuer", "trusted_root"])]
    certificate_identity: Option<String>,
    /// The issuer that identified NAME to the authority, such as https://accounts.google.com
    #[arg(long, value_name = "URL", requires = "certificate_identity")]
    certificate_oidc_issuer: Option<String>,
    /// The authorities and transparency logs that are trusted: `trusted_root.json` of sigstore
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "certificate_identity")]
    trusted_root: Option<PathBuf>,
    /// The repository that the image was signed in, where it is a copy
    #[arg(long, value_name = "REPOSITORY", requires = "signer")]
    signed_as: Option<String>,
    /// An annotation that the signature must have; can be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = parse_pair, requires = "signer")]
    annotation: Vec<(String, String)>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    transfer: TransferArguments,
}

/// The formats of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines
    #[default]
    Text,
    /// A JSON object
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    // A key that cannot be read is reported before a registry is asked.
    let trust = trust(arguments, settings)?;
    let named = Named::images([Image::Registry(arguments.image.clone())]);
    let session = arguments.transfer.session(named, &CopyLogins::default(), settings);
    let session = session.open()?;
    if session.is_offline() {
        return Err(Failure::new(
            "signatures are kept in registries, and `--offline` forbids registry access",
        )
        .help("leave out --offline"));
    }
    let image = session.reference(&arguments.image)?;
    let digest = session.wait(session.client().manifest(&image))?.descriptor.digest().clone();
    let wanted = Wanted { signed_as: arguments.signed_as.as_deref(), annotations: &arguments.annotation };
    let answer = match trust {
        None => by_policy(arguments.transfer.signatures.insecure_policy, &image, digest, session)?,
        Some(trust) => by_trust(&trust, &wanted, &image, digest, session)?,
    };
    tell(arguments, &image, &answer)?;
    match &answer.proof {
        Ok(_) => Ok(CLEAN),
        Err(_) if arguments.output == Format::Json => Ok(FINDINGS),
        Err(reason) => {
            let failure = Failure::refusal(format!("{image} is not verified: {reason}"));
            Err(failure.help(answer.help))
        }
    }
}

/// Whom the flags trust; nothing if the policy decides.
fn trust(arguments: &Arguments, settings: &Settings) -> Result<Option<Trust>, Failure> {
    if let (Some(name), Some(root)) = (&arguments.certificate_identity, &arguments.trusted_root) {
        let bytes = input::file::read(root, settings)?;
        let TrustedRoot { authorities, logs } = TrustedRoot::read(&bytes).map_err(|problem| {
            Failure::new(format!("{}: {problem}", root.display()))
                .help("`cosign trusted-root create` writes such a file")
        })?;
        let issuer = arguments.certificate_oidc_issuer.clone();
        let signer = ExpectedSigner { issuer, name: Some(name.clone()), ..ExpectedSigner::default() };
        return Ok(Some(Trust::Certificates { authorities, signer, moment: SigningTime::Logged(logs) }));
    }
    match arguments.key.as_slice() {
        [] => Ok(None),
        paths => {
            let keys =
                paths.iter().map(|path| keys::public(path, settings)).collect::<Result<Vec<_>, _>>()?;
            Ok(Some(Trust::in_keys(keys)))
        }
    }
}

fn tell(arguments: &Arguments, image: &Reference, answer: &Answer) -> Result<(), Failure> {
    write_standard_output(|out| match (arguments.output, &answer.proof) {
        (Format::Json, proof) => {
            let report = json!({
                "image": image.to_string(),
                "digest": answer.digest.to_string(),
                "verified": proof.is_ok(),
                "by": proof.as_ref().ok(),
                "identity": answer.identity,
                "reason": proof.as_ref().err().map_or(Value::Null, |reason| json!(reason.0)),
            });
            Ok(fbc_app::output::json_document::write(out, &report)?)
        }
        (Format::Text, Ok(proof)) => {
            let mut out = Lines::new(out, false);
            let identity = answer.identity.as_ref().map(|name| format!(", signed as {name}"));
            writeln!(out, "signature verified for {image}: {proof}{}", identity.unwrap_or_default())?;
            Ok(writeln!(out, "{}", answer.digest)?)
        }
        (Format::Text, Err(_)) => Ok(()),
    })
}
