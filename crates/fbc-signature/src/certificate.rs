//! Certificates of signers, as Fulcio and other authorities issue them: which key they are for, and who holds it.
//!
//! Source: `containers/image:signature/fulcio_cert.go`, `signature/pki_cert.go`; `sigstore/fulcio:docs/oid-info.md`.

use std::time::Duration;

use rustls_pki_types::{CertificateDer, UnixTime};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage, anchor_from_trusted_cert};
use x509_parser::asn1_rs::{Any, Tag};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::oid_registry::asn1_rs::oid;
use x509_parser::prelude::FromDer as _;
use x509_parser::time::ASN1Time;

use crate::error::{ErrorKind, SignatureError};
use crate::key::PublicKey;
use crate::trusted_root::Period;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Certificate, message)
}

/// The purpose that certificates of signers have (1.3.6.1.5.5.7.3.3), as DER has it.
const CODE_SIGNING: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 3];

/// Authorities that are trusted, with certificates between them and signers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authorities {
    roots: Vec<(CertificateDer<'static>, Period)>,
    intermediates: Vec<CertificateDer<'static>>,
}

/// Who a certificate is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// The key that signs.
    pub key: PublicKey,
    /// Email addresses.
    pub emails: Vec<String>,
    /// URIs, such as that of the workflow that signed.
    pub uris: Vec<String>,
    /// Names of hosts.
    pub hosts: Vec<String>,
    /// Who vouches for that to the authority: the issuer of the token, as Fulcio records it.
    pub issuer: Option<String>,
}

/// Reads the certificates of a PEM file.
///
/// # Errors
/// [`SignatureError`]
pub fn read_pem(text: &[u8]) -> Result<Vec<Vec<u8>>, SignatureError> {
    let blocks = pem::parse_many(text)
        .map_err(|error| refused(format!("it does not hold PEM: {error}")).because(error))?;
    if let Some(other) = blocks.iter().find(|block| block.tag() != "CERTIFICATE") {
        return Err(refused(format!(
            "it holds a PEM block of the kind {:?}, not only certificates",
            other.tag()
        )));
    }
    match blocks.is_empty() {
        true => Err(refused("it holds no certificate in PEM form")),
        false => Ok(blocks.into_iter().map(pem::Pem::into_contents).collect()),
    }
}

impl Authorities {
    /// Authorities by their certificates, in DER.
    ///
    /// # Errors
    /// In words, if one is not a certificate.
    pub fn new(roots: Vec<Vec<u8>>, intermediates: Vec<Vec<u8>>) -> Result<Self, SignatureError> {
        let mut authorities = Self::default();
        for root in roots {
            authorities.add(vec![root], Period::ALWAYS)?;
        }
        for certificate in intermediates {
            parse(&certificate)?;
            authorities.intermediates.push(CertificateDer::from(certificate));
        }
        Ok(authorities)
    }

    /// Adds an authority by its chain of certificates in DER, the root last, for a time.
    ///
    /// # Errors
    /// In words, if one is not a certificate.
    pub fn add(&mut self, mut chain: Vec<Vec<u8>>, period: Period) -> Result<(), SignatureError> {
        for certificate in &chain {
            parse(certificate)?;
        }
        self.roots.extend(chain.pop().map(|root| (CertificateDer::from(root), period)));
        self.intermediates.extend(chain.into_iter().map(CertificateDer::from));
        Ok(())
    }

    /// Whether nobody is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Who a certificate is for, if an authority issued it for signing and it is valid at a moment, in seconds since 1970.
    /// `chain` comes with the signature, in DER, and is trusted for nothing.
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn signer(
        &self,
        certificate: &[u8],
        chain: &[Vec<u8>],
        moment: u64,
    ) -> Result<Signer, SignatureError> {
        let leaf = CertificateDer::from(certificate);
        let malformed =
            |error: webpki::Error| refused(format!("its certificate is malformed: {error}")).because(error);
        let checked = EndEntityCert::try_from(&leaf).map_err(malformed)?;
        let time = i64::try_from(moment).ok().and_then(|moment| ASN1Time::from_timestamp(moment).ok());
        let is_valid = |root: &CertificateDer<'_>| {
            let root = parse(root.as_ref()).ok();
            root.zip(time).is_some_and(|(root, time)| root.validity().is_valid_at(time))
        };
        // The library looks at the times of all certificates but these.
        let roots = self.roots.iter().filter(|(root, period)| period.contains(moment) && is_valid(root));
        let anchors: Vec<_> = roots.filter_map(|(root, _)| anchor_from_trusted_cert(root).ok()).collect();
        let mut intermediates = self.intermediates.clone();
        intermediates.extend(chain.iter().map(|one| CertificateDer::from(one.clone())));
        let purpose = KeyUsage::required_if_present(CODE_SIGNING);
        let time = UnixTime::since_unix_epoch(Duration::from_secs(moment));
        checked
            .verify_for_usage(ALL_VERIFICATION_ALGS, &anchors, &intermediates, time, purpose, None, None)
            .map_err(|error| {
                let text = "no trusted authority issued its certificate for signing at that time";
                refused(format!("{text}: {error}")).because(error)
            })?;
        signer_of(&parse(certificate)?)
    }
}

/// The SubjectPublicKeyInfo in a certificate, both in DER.
///
/// # Errors
/// In words, if it is not a certificate.
pub fn public_key_info(certificate: &[u8]) -> Result<Vec<u8>, SignatureError> {
    Ok(parse(certificate)?.public_key().raw.to_vec())
}

fn parse(certificate: &[u8]) -> Result<X509Certificate<'_>, SignatureError> {
    match X509Certificate::from_der(certificate) {
        Ok(([], parsed)) => Ok(parsed),
        Ok(_) => Err(refused("a certificate has bytes behind its end")),
        Err(error) => Err(refused(format!("a certificate is malformed: {error}"))),
    }
}

fn signer_of(certificate: &X509Certificate<'_>) -> Result<Signer, SignatureError> {
    let key = PublicKey::of_der(certificate.public_key().raw).map_err(|error| {
        refused(format!("the key of its certificate cannot be used: {error}")).because(error)
    })?;
    let names = certificate.subject_alternative_name().map_err(|error| {
        refused(format!("the names in its certificate are malformed: {error}")).because(error)
    })?;
    let names = names.map(|names| names.value.general_names.as_slice()).unwrap_or_default();
    let named = |pick: for<'n> fn(&'n GeneralName<'n>) -> Option<&'n str>| -> Vec<String> {
        names.iter().filter_map(pick).map(str::to_owned).collect()
    };
    Ok(Signer {
        key,
        emails: named(|name| if let GeneralName::RFC822Name(name) = name { Some(name) } else { None }),
        uris: named(|name| if let GeneralName::URI(name) = name { Some(name) } else { None }),
        hosts: named(|name| if let GeneralName::DNSName(name) = name { Some(name) } else { None }),
        issuer: issuer_of(certificate)?,
    })
}

/// The issuer that Fulcio records, in two forms that must agree.
fn issuer_of(certificate: &X509Certificate<'_>) -> Result<Option<String>, SignatureError> {
    let malformed = || refused("the issuer in its certificate is malformed");
    let extension = |id| certificate.get_extension_unique(&id).map_err(|_| malformed());
    let old = match extension(oid!(1.3.6.1.4.1.57264.1.1))? {
        Some(found) => Some(std::str::from_utf8(found.value).map_err(|_| malformed())?.to_owned()),
        None => None,
    };
    let new = match extension(oid!(1.3.6.1.4.1.57264.1.8))? {
        Some(found) => Some(text_in(found.value).ok_or_else(malformed)?),
        None => None,
    };
    match (old, new) {
        (Some(old), Some(new)) if old != new => {
            Err(refused(format!("its certificate names two issuers, {old} and {new}")))
        }
        (old, new) => Ok(old.or(new)),
    }
}

/// A text in DER.
fn text_in(der: &[u8]) -> Option<String> {
    let (rest, any) = Any::from_der(der).ok()?;
    let is_text = [Tag::Utf8String, Tag::PrintableString, Tag::Ia5String].contains(&any.tag());
    (rest.is_empty() && is_text).then(|| std::str::from_utf8(any.data).ok().map(str::to_owned))?
}
