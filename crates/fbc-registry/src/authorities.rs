//! Certificates of servers as Go's `crypto/tls` judges them, and what is wrong with one in words.
//!
//! Source: `golang/go:src/crypto/x509/verify.go` (`Certificate.Verify`): a certificate that is among the roots is a chain of
//! one, also if it is that of an authority.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};

type Verified<T> = std::result::Result<T, rustls::Error>;

/// Believes certificates that lead to an authority, or that are named as one.
#[derive(Debug)]
pub struct Authorities {
    /// Nothing if there is no authority at all.
    chains: Option<Arc<WebPkiServerVerifier>>,
    named: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Authorities {
    /// Believes what leads to these roots, and the certificates that are named.
    ///
    /// # Errors
    /// If one that is named is not a certificate.
    pub fn new(
        mut roots: RootCertStore,
        named: Vec<CertificateDer<'static>>,
        provider: Arc<CryptoProvider>,
    ) -> Verified<Self> {
        for certificate in &named {
            roots.add(certificate.clone())?;
        }
        let chains = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build();
        Ok(Self { chains: chains.ok(), named, provider })
    }
}

impl ServerCertVerifier for Authorities {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Verified<ServerCertVerified> {
        let unknown = || rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let chains = self.chains.as_ref().ok_or_else(unknown)?;
        let judged = chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match judged {
            // Its time has been looked at before its kind.
            Err(rustls::Error::InvalidCertificate(error))
                if is_of_authority(&error) && self.named.iter().any(|named| named == end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Verified<HandshakeSignatureValid> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The error of the library below, where rustls has no name for it.
fn inner_of(error: &CertificateError) -> Option<&webpki::Error> {
    match error {
        CertificateError::Other(other) => other.0.downcast_ref(),
        _ => None,
    }
}

fn is_of_authority(error: &CertificateError) -> bool {
    matches!(inner_of(error), Some(webpki::Error::CaUsedAsEndEntity))
}

/// What is wrong with a certificate, in words.
#[must_use]
pub fn in_words(error: &CertificateError) -> String {
    use CertificateError as Wrong;
    let text = match error {
        Wrong::BadEncoding => "it is malformed",
        Wrong::Expired => "it has expired",
        Wrong::NotValidYet => "it is not valid yet",
        Wrong::Revoked => "it is revoked",
        Wrong::UnhandledCriticalExtension => "it has a critical extension that is not known",
        Wrong::UnknownIssuer => "the authority that signed it is not known",
        Wrong::BadSignature => "its signature is wrong",
        Wrong::NotValidForName => "it is for servers of other names",
        Wrong::InvalidPurpose => "it is not for servers",
        Wrong::Other(_) => match inner_of(error) {
            Some(webpki::Error::CaUsedAsEndEntity) => {
                "it is that of an authority and not of a server, and it is not among those that are trusted here"
            }
            Some(webpki::Error::EndEntityUsedAsCa) => "it is signed by what is not an authority",
            Some(webpki::Error::PathLenConstraintViolated) => {
                "more authorities lie between it and the root than that permits"
            }
            Some(webpki::Error::NameConstraintViolation) => "its authority may not sign for its names",
            Some(webpki::Error::UnsupportedCertVersion) => "it is not of version 3 of X.509",
            _ => "it cannot be verified: its form or its algorithm is not supported",
        },
        // These have words of their own, with times and names.
        other => return other.to_string(),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
    use rustls::crypto::ring;

    use super::*;

    fn certificate(name: &str, is_authority: bool, years: (i32, i32)) -> CertificateDer<'static> {
        let mut parameters = CertificateParams::new([name.to_owned()]).unwrap();
        parameters.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        if is_authority {
            parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        parameters.self_signed(&KeyPair::generate().unwrap()).unwrap().der().clone()
    }

    #[test]
    fn a_certificate_that_is_its_own_root_is_a_chain_of_one() {
        let provider = Arc::new(ring::default_provider());
        let judge = |shown: &CertificateDer<'static>, named: &CertificateDer<'static>, host: &str| {
            let authorities =
                Authorities::new(RootCertStore::empty(), vec![named.clone()], Arc::clone(&provider)).unwrap();
            let host = ServerName::try_from(host.to_owned()).unwrap();
            let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(1_700_000_000));
            match authorities.verify_server_cert(shown, &[], &host, &[], now) {
                Ok(_) => "trusted".to_owned(),
                Err(rustls::Error::InvalidCertificate(error)) => in_words(&error),
                Err(error) => error.to_string(),
            }
        };
        let years = (2020, 2040);
        let (plain, authority) = (certificate("a.io", false, years), certificate("a.io", true, years));
        let (other, old) = (certificate("a.io", true, years), certificate("a.io", true, (2010, 2012)));
        for (shown, named, host, expected) in [
            (&plain, &plain, "a.io", "trusted"),
            (&authority, &authority, "a.io", "trusted"),
            (&authority, &authority, "b.io", "b.io"),
            (&old, &old, "a.io", "expired"),
            (&authority, &other, "a.io", "it is that of an authority and not of a server"),
            (&plain, &other, "a.io", "its signature is wrong"),
        ] {
            let told = judge(shown, named, host);
            assert!(told.contains(expected), "{host}: {told}\nwanted: {expected}");
            assert!(!told.contains("Other"), "{told}");
        }
    }
}
