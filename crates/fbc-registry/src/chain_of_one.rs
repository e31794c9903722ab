//! Certificates as Go verifies them: one that is itself among those that are trusted needs no other, whether it is marked
//! as an authority or not. `openssl req -x509` makes such a certificate, and the documentation of registries and of
//! webhooks tells people to.
//!
//! Source: `golang/go:src/crypto/x509/verify.go` (`Verify`: "if opts.Roots.contains(c)").

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{VerifierBuilderError, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Verifies chains, and takes each of some certificates for a chain of one.
#[derive(Debug)]
pub struct ChainOfOne {
    chains: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
}

impl ChainOfOne {
    /// Trusts `roots`, of which `trusted` are those that somebody named.
    ///
    /// # Errors
    /// There are no roots.
    pub fn verifier(
        roots: RootCertStore,
        trusted: Vec<CertificateDer<'static>>,
        provider: Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, VerifierBuilderError> {
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build()?;
        Ok(Arc::new(Self { chains, trusted }))
    }
}

/// Whether a certificate failed for its place in a chain; its dates have been looked at then.
fn is_about_the_chain(error: &Error) -> bool {
    let Error::InvalidCertificate(fault) = error else { return false };
    match fault {
        CertificateError::UnknownIssuer => true,
        CertificateError::Other(other) => other.to_string().contains("CaUsedAsEndEntity"),
        _ => false,
    }
}

impl ServerCertVerifier for ChainOfOne {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            Err(error) if is_about_the_chain(&error) && self.trusted.iter().any(|one| one == end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
    use rustls::crypto::ring;

    use super::*;

    fn certificate(is_authority: bool, expired: bool) -> CertificateDer<'static> {
        let mut params = CertificateParams::new(vec!["a.io".to_owned()]).unwrap();
        if is_authority {
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        if expired {
            params.not_after = rcgen::date_time_ymd(2001, 1, 1);
            params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        }
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().clone()
    }

    #[test]
    fn what_is_trusted_needs_no_chain() {
        for (is_authority, expired, name, is_trusted, expected) in [
            (true, false, "a.io", true, true),
            (false, false, "a.io", true, true),
            (true, false, "b.io", true, false),
            (true, true, "a.io", true, false),
            (true, false, "a.io", false, false),
        ] {
            let own = certificate(is_authority, expired);
            let trusted = if is_trusted { own.clone() } else { certificate(true, false) };
            let mut roots = RootCertStore::empty();
            roots.add(trusted.clone()).unwrap();
            let provider = Arc::new(ring::default_provider());
            let verifier = ChainOfOne::verifier(roots, vec![trusted], provider).unwrap();
            let name = ServerName::try_from(name).unwrap();
            let verified = verifier.verify_server_cert(&own, &[], &name, &[], UnixTime::now());
            assert_eq!(verified.is_ok(), expected, "{is_authority} {expired} {name:?} {is_trusted}");
        }
    }
}
