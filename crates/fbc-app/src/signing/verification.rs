//! Images whose signatures are verified.

use fbc_registry::Reference;
use fbc_signature::identity::SignedIdentity;
use fbc_signature::payload::Payload;
use fbc_signature::{ImageName, Signature, Trust, bundle, trust};
use fbc_source::{Error, OpenSession, signatures};
use oci_spec::image::Digest;

/// What was found.
pub struct Answer {
    /// Its digest.
    pub digest: Digest,
    /// What proves it, in words.
    pub proof: Result<String, Unverified>,
    /// The name in the signature, if it has one.
    pub identity: Option<String>,
    /// What to do if nothing proves it.
    pub help: &'static str,
}

/// What to do about an image that nobody signed.
const HELP_FOR_UNSIGNED: &str = "have the image signed: `fbc sign REF --key FILE`";
/// What to do about an image that somebody signed whose key is not among those that are trusted.
const HELP_FOR_KEYS: &str = "check that --key is the public key of whoever publishes the image, and where the image comes from; \
                             `--signed-as` names the repository of the original of a copy";
/// What to do where a certificate is asked for.
const HELP_FOR_CERTIFICATES: &str = "`fbc sign REF --identity-token FILE` signs it without a key";
/// About one that the policy refuses.
const HELP_FOR_POLICIES: &str = "`fbc sign REF --key FILE` signs it";

/// Why no signature of an image counts.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unverified(pub String);

/// What signatures must say.
pub struct Wanted<'w> {
    /// The repository that they are for; without one, that of the image.
    pub signed_as: Option<&'w str>,
    /// Their annotations.
    pub annotations: &'w [(String, String)],
}

/// Verifies an image by the policy of signatures.
///
/// # Errors
/// If a registry does not answer, or the policy is not asked.
pub fn by_policy(
    accepts_all: bool,
    image: &Reference,
    digest: Digest,
    session: &OpenSession,
) -> Result<Answer, Error> {
    if accepts_all {
        return Err(Error::new("--insecure-policy leaves nothing to check")
            .help("name a signer with --key or --certificate-identity"));
    }
    let outcome = session.wait(session.client().admit(image, &digest));
    let (proof, help) = match outcome {
        Ok(true) => (Ok("a signature that the policy asks for".to_owned()), ""),
        Ok(false) => {
            let reason = "no signature required by the policy, so none was verified";
            (Err(Unverified(reason.to_owned())), "name a key with --key")
        }
        Err(error) => match error.problem {
            fbc_registry::Problem::Policy(reason) => (Err(Unverified(reason)), HELP_FOR_POLICIES),
            _ => return Err(error.into()),
        },
    };
    Ok(Answer { digest, proof, identity: None, help })
}

/// Verifies an image by whom somebody trusts.
///
/// # Errors
/// If a registry does not answer.
pub fn by_trust(
    trust: &Trust,
    wanted: &Wanted<'_>,
    image: &Reference,
    digest: Digest,
    session: &OpenSession,
) -> Result<Answer, Error> {
    let repository = match wanted.signed_as {
        None => image.name(),
        Some(text) => ImageName::parse(text).map(|name| name.repository).ok_or_else(|| {
            Error::new(format!("--signed-as {text} is not a repository")).help("write REGISTRY/REPOSITORY")
        })?,
    };
    let client = session.client();
    let signatures = session.wait(signatures::signatures(client, image, &digest))?;
    let says_so = |signature: &Signature| {
        Payload::read(&signature.payload).is_ok_and(|payload| {
            wanted.annotations.iter().all(|(key, value)| payload.annotation(key) == Some(value.as_str()))
        })
    };
    let fitting: Vec<Signature> = signatures.items.iter().filter(|one| says_so(one)).cloned().collect();
    let name = ImageName { repository: repository.clone(), tag: None, digest: None };
    let by_tag = trust::check(&fitting, trust, &SignedIdentity::MatchRepository, &name, digest.as_ref());
    let reason = match by_tag {
        Ok(payload) => {
            let identity = Some(payload.reference().to_owned());
            return Ok(Answer { digest, proof: Ok("a signature in its tag".to_owned()), identity, help: "" });
        }
        Err(_) if fitting.is_empty() && !signatures.items.is_empty() => {
            "no signature has these annotations".to_owned()
        }
        Err(reason) => reason.to_string(),
    };
    let reason = format!("{reason}{}", signatures.unread());
    // Bundles name no repository and hold no annotations.
    let may_be_bundle = wanted.annotations.is_empty() && wanted.signed_as.is_none();
    let bundles = session.wait(signatures::bundles(client, image, &digest))?;
    let mut problem = "it is a statement, not a signature".to_owned();
    let is_signature = |bytes: &Vec<u8>| match bundle::verify(bytes, digest.as_ref(), trust) {
        Ok(statement) => statement["predicateType"] == bundle::SIGNATURE,
        Err(reason) => {
            problem = reason.to_string();
            false
        }
    };
    let proof = match may_be_bundle && bundles.items.iter().any(is_signature) {
        true => Ok("a sigstore bundle that refers to it".to_owned()),
        false if bundles.items.is_empty() => Err(Unverified(reason)),
        false if !may_be_bundle => {
            Err(Unverified(format!("{reason}; bundles hold no annotations and no name")))
        }
        false => {
            Err(Unverified(format!("{reason}; the bundle that refers to it: {problem}{}", bundles.unread())))
        }
    };
    let help = match trust {
        Trust::Keys { .. } if signatures.items.is_empty() && bundles.items.is_empty() => HELP_FOR_UNSIGNED,
        Trust::Keys { .. } => HELP_FOR_KEYS,
        Trust::Certificates { .. } => HELP_FOR_CERTIFICATES,
    };
    Ok(Answer { digest, proof, identity: None, help })
}
