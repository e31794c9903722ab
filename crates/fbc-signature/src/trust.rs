//! Whose signatures count, and whether one of several holds for an image.

use std::collections::BTreeMap;

use crate::certificate::{Authorities, Signer, read_pem};
use crate::error::{ErrorKind, SignatureError};
use crate::identity::{ImageName, SignedIdentity};
use crate::key::PublicKey;
use crate::payload::Payload;
use crate::transparency_log::{self, LogEntry, Logged};
use crate::trusted_root::Log;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Untrusted, message)
}

/// The annotations of a layer with a signature that hold the certificate of the signer, and those above it.
pub const CERTIFICATE_ANNOTATION: &str = "dev.sigstore.cosign/certificate";
/// See [`CERTIFICATE_ANNOTATION`].
pub const CHAIN_ANNOTATION: &str = "dev.sigstore.cosign/chain";

/// A signature as registries hold it: a payload, what signs it, and what is noted of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The bytes that are signed.
    pub payload: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
    /// The annotations of its layer.
    pub annotations: BTreeMap<String, String>,
}

/// What comes with a signature besides: nothing of it is trusted by itself. What cannot be read is an error where it is
/// needed, and nowhere else.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The certificate of the signer, in DER.
    pub certificate: Result<Option<Vec<u8>>, SignatureError>,
    /// Certificates above it, in DER.
    pub chain: Result<Vec<Vec<u8>>, SignatureError>,
    /// Entries of transparency logs; one that holds is enough.
    pub entries: Vec<Result<LogEntry, SignatureError>>,
}

/// Whose signatures count.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those of keys.
    Keys {
        /// One of them is enough.
        keys: Vec<PublicKey>,
        /// Transparency logs; if there are any, one of them must have seen the signature.
        logs: Vec<Log>,
    },
    /// Those of somebody with a certificate.
    Certificates {
        /// Who issues certificates.
        authorities: Authorities,
        /// Whom they must be for.
        signer: ExpectedSigner,
        /// When they must be valid.
        moment: SigningTime,
    },
}

/// When a signature was made.
#[derive(Clone, Debug)]
pub enum SigningTime {
    /// When one of these transparency logs saw it. Certificates of Fulcio are valid for minutes.
    Logged(Vec<Log>),
    /// Nobody knows, so that certificates must be valid now, in seconds since 1970.
    Now(u64),
}

/// Whom a certificate must be for. What is not set is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedSigner {
    /// The issuer of the token that Fulcio was shown.
    pub issuer: Option<String>,
    /// An address or a URI.
    pub name: Option<String>,
    /// An address.
    pub email: Option<String>,
    /// The name of a host.
    pub host: Option<String>,
}

impl Evidence {
    /// Reads what is noted of a signature in a tag.
    #[must_use]
    pub fn of_annotations(annotations: &BTreeMap<String, String>) -> Self {
        let certificates = |name: &str, text: &String| {
            read_pem(text.as_bytes()).map_err(|error| error.within(format_args!("its annotation {name}")))
        };
        let own = |text| match certificates(CERTIFICATE_ANNOTATION, text)?.as_slice() {
            [one] => Ok(one.clone()),
            _ => Err(refused(format!("its annotation {CERTIFICATE_ANNOTATION} holds several certificates"))),
        };
        // cosign writes an empty text where there is no chain.
        let chain = annotations.get(CHAIN_ANNOTATION).filter(|text| !text.is_empty());
        let entry = annotations.get(transparency_log::ANNOTATION);
        Self {
            certificate: annotations.get(CERTIFICATE_ANNOTATION).map(own).transpose(),
            chain: chain.map_or_else(|| Ok(Vec::new()), |text| certificates(CHAIN_ANNOTATION, text)),
            entries: entry.map(|text| LogEntry::read(text)).into_iter().collect(),
        }
    }

    /// When a log saw a signature, in seconds since 1970.
    fn time(&self, logs: &[Log], logged: Logged<'_>) -> Result<u64, SignatureError> {
        let mut reason = refused("a signature has no entry of a transparency log");
        for entry in &self.entries {
            match entry.as_ref().map_err(SignatureError::clone).and_then(|entry| entry.time(logs, logged)) {
                Ok(time) => return Ok(time),
                Err(problem) => reason = problem,
            }
        }
        Err(reason)
    }
}

impl Trust {
    /// Trust in keys, whatever logs have seen.
    #[must_use]
    pub fn in_keys(keys: Vec<PublicKey>) -> Self {
        Self::Keys { keys, logs: Vec::new() }
    }

    /// Whether a signature over a message counts. `payload` is what logs note of the message: of an envelope its content.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(
        &self,
        evidence: &Evidence,
        message: &[u8],
        payload: &[u8],
        signature: &[u8],
    ) -> Result<(), SignatureError> {
        let logged =
            |logs: &[Log], verifier: &[u8]| evidence.time(logs, Logged { verifier, signature, payload });
        match self {
            Self::Keys { keys, logs } => {
                let key = keys.iter().find(|key| key.verifies(message, signature));
                let key = key.ok_or_else(|| refused("no trusted key made this signature"))?;
                match logs.is_empty() {
                    true => Ok(()),
                    false => logged(logs, key.as_der()).map(drop),
                }
            }
            Self::Certificates { authorities, signer: expected, moment } => {
                let certificate = evidence.certificate.as_ref().map_err(SignatureError::clone)?;
                let certificate =
                    certificate.as_deref().ok_or_else(|| refused("a signature has no certificate"))?;
                let moment = match moment {
                    SigningTime::Logged(logs) => logged(logs, certificate)?,
                    SigningTime::Now(now) => *now,
                };
                let chain = evidence.chain.as_ref().map_err(SignatureError::clone)?;
                let signer = authorities.signer(certificate, chain, moment)?;
                expected.check(&signer)?;
                match signer.key.verifies(message, signature) {
                    true => Ok(()),
                    false => Err(refused("the key in its certificate did not make this signature")),
                }
            }
        }
    }
}

impl ExpectedSigner {
    fn check(&self, signer: &Signer) -> Result<(), SignatureError> {
        let Signer { emails, uris, hosts, issuer, .. } = signer;
        let of_whom = || match emails.iter().chain(uris).chain(hosts).cloned().collect::<Vec<_>>() {
            names if names.is_empty() => "nobody".to_owned(),
            names => names.join(" and "),
        };
        if self.issuer.is_some() && self.issuer != *issuer {
            let found = issuer.as_deref().unwrap_or("nobody");
            let wanted = self.issuer.as_deref().unwrap_or_default();
            return Err(refused(format!("its certificate is from the issuer {found}, not {wanted}")));
        }
        let is_named = |names: &[String], wanted: &String| names.contains(wanted);
        let is_host = |wanted: &String| hosts.iter().any(|host| is_host(host, wanted));
        let holds = self.name.as_ref().is_none_or(|name| is_named(emails, name) || is_named(uris, name))
            && self.email.as_ref().is_none_or(|email| is_named(emails, email))
            && self.host.as_ref().is_none_or(is_host);
        match holds {
            true => Ok(()),
            false => {
                let wanted = [&self.name, &self.email, &self.host].into_iter().flatten();
                let wanted = wanted.map(String::as_str).collect::<Vec<_>>().join(" and ");
                Err(refused(format!("its certificate is for {}, not {wanted}", of_whom())))
            }
        }
    }
}

/// Whether the name of a host in a certificate is for a host; `*` stands for one part in front.
fn is_host(named: &str, host: &str) -> bool {
    let (named, host) = (named.to_ascii_lowercase(), host.to_ascii_lowercase());
    match (named.strip_prefix("*."), host.split_once('.')) {
        (Some(named), Some((first, rest))) => !first.is_empty() && named == rest,
        _ => named == host,
    }
}

/// Whether one of the signatures holds for an image.
///
/// # Errors
/// Why none does.
pub fn check(
    signatures: &[Signature],
    trust: &Trust,
    identity: &SignedIdentity,
    image: &ImageName,
    digest: &str,
) -> Result<Payload, SignatureError> {
    let mut reasons: Vec<String> = Vec::new();
    let mut add = |reason| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    for Signature { payload, signature, annotations } in signatures {
        let evidence = Evidence::of_annotations(annotations);
        let checked = trust.check(&evidence, payload, payload, signature);
        match checked.and_then(|()| Payload::read(payload)) {
            Err(reason) => add(reason.to_string()),
            Ok(payload) if payload.digest() != digest => {
                add(format!("a signature is for {}", payload.digest()));
            }
            Ok(payload) if !identity.matches(image, payload.reference()) => {
                add(format!("a signature is for the name {}", payload.reference()));
            }
            Ok(payload) => return Ok(payload),
        }
    }
    match reasons.as_slice() {
        [] => Err(refused("it has no signatures")),
        reasons => Err(refused(reasons.join(", "))),
    }
}

#[cfg(test)]
mod tests;
