//! Certificates of clients: the common name is the user, the organizations are the groups.
//!
//! Source: `kubernetes/apiserver:pkg/authentication/request/x509/x509.go`.

use std::sync::Arc;

use fbc_cluster::access::User;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// Takes connections with any certificate or none, as the API server does: one of another authority is refused in the
/// answer, not in the handshake. Whether it is one of the cluster's authority, [`ClientVerifier::trusts`] says.
#[derive(Debug)]
pub struct ClientVerifier {
    inner: Arc<dyn ClientCertVerifier>,
}

impl ClientVerifier {
    /// A verifier that asks another one for all but the last word.
    pub fn new(inner: Arc<dyn ClientCertVerifier>) -> Self {
        Self { inner }
    }

    /// True for a chain that leads to the cluster's authority at this moment.
    pub fn trusts(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> bool {
        let Some((own, others)) = chain.split_first() else { return false };
        self.inner.verify_client_cert(own, others, now).is_ok()
    }
}

impl ClientCertVerifier for ClientVerifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// The user that a certificate names.
///
/// # Errors
/// It cannot be read, or has no common name.
pub fn user_of_certificate(certificate: &CertificateDer<'_>) -> Result<User, Error> {
    let bad = || Error::InvalidCertificate(CertificateError::BadEncoding);
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(|_| bad())?;
    let subject = parsed.subject();
    let name = subject.iter_common_name().next().and_then(|name| name.as_str().ok()).ok_or_else(bad)?;
    let groups: Vec<&str> = subject.iter_organization().filter_map(|group| group.as_str().ok()).collect();
    Ok(User::new(name, &groups))
}
