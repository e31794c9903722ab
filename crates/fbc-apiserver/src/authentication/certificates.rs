//! Certificates of clients: the common name is the user, the organizations are the groups.
//!
//! Source: `kubernetes/apiserver:pkg/authentication/request/x509/x509.go`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fbc_cluster::access::User;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// Takes connections with any certificate or none, as the API server does: one of another authority is refused in the
/// answer, not in the handshake. Whose certificate of the cluster's authority it is, [`ClientVerifier::user`] says.
#[derive(Debug)]
pub struct ClientVerifier {
    inner: Arc<dyn ClientCertVerifier>,
    /// Certificates of the authority itself that were verified. Every request of a connection shows the same one, and
    /// a signature costs more than most answers.
    known: Mutex<HashMap<Vec<u8>, Known>>,
}

/// Whose a certificate is, and when it counts, in seconds since the start of 1970.
#[derive(Debug)]
struct Known {
    user: User,
    from: i64,
    until: i64,
}

/// So many certificates are known; then all are verified anew.
const MOST_KNOWN: usize = 64;

impl ClientVerifier {
    /// A verifier that asks another one for all but the last word.
    pub fn new(inner: Arc<dyn ClientCertVerifier>) -> Self {
        Self { inner, known: Mutex::default() }
    }

    /// The user of a chain that leads to the cluster's authority at this moment.
    pub fn user(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> Option<User> {
        let (own, others) = chain.split_first()?;
        // Nothing panics while it is locked.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        if let Some(found) = known().get(own.as_ref()).filter(|_| others.is_empty())
            && (found.from..=found.until).contains(&seconds)
        {
            return Some(found.user.clone());
        }
        self.inner.verify_client_cert(own, others, now).ok()?;
        let (_, parsed) = X509Certificate::from_der(own).ok()?;
        let user = user_of_certificate(&parsed)?;
        if others.is_empty() {
            let mut known = known();
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            let validity = parsed.validity();
            let (from, until) = (validity.not_before.timestamp(), validity.not_after.timestamp());
            known.insert(own.to_vec(), Known { user: user.clone(), from, until });
        }
        Some(user)
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

/// The user that a certificate names; none without a common name.
fn user_of_certificate(certificate: &X509Certificate<'_>) -> Option<User> {
    let subject = certificate.subject();
    let name = subject.iter_common_name().next()?.as_str().ok()?;
    let groups: Vec<&str> = subject.iter_organization().filter_map(|group| group.as_str().ok()).collect();
    Some(User::new(name, &groups))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{CertificateParams, CertifiedIssuer, DnType, KeyPair, date_time_ymd};
    use rustls::RootCertStore;
    use rustls::server::WebPkiClientVerifier;

    use super::*;

    fn issuer() -> CertifiedIssuer<'static, KeyPair> {
        let mut params = CertificateParams::default();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    #[test]
    fn a_known_certificate_counts_as_long_as_it_is_valid() {
        let authority = issuer();
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let inner = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
        let verifier = ClientVerifier::new(inner);
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "jane");
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
        (params.not_before, params.not_after) = (date_time_ymd(2026, 1, 1), date_time_ymd(2026, 1, 2));
        let certificate = |issuer: &CertifiedIssuer<'static, KeyPair>| {
            params.clone().signed_by(&KeyPair::generate().unwrap(), issuer).unwrap().der().clone()
        };
        let own = [certificate(&authority)];
        let name = |chain: &[CertificateDer<'_>], seconds: i64| {
            let now = UnixTime::since_unix_epoch(Duration::from_secs(
                1_767_225_600_u64.saturating_add_signed(seconds),
            ));
            verifier.user(chain, now).map(|user| user.name)
        };
        const DAY: i64 = 24 * 60 * 60;
        for _ in 0..2 {
            for (seconds, is_valid) in [(-1, false), (0, true), (60, true), (DAY, true), (DAY + 1, false)] {
                assert_eq!(name(&own, seconds).as_deref(), is_valid.then_some("jane"), "{seconds}");
            }
        }
        assert_eq!(name(&[certificate(&issuer())], 60), None, "of another authority");
        assert_eq!(name(&[], 60), None);
        assert_eq!(verifier.known.lock().unwrap().len(), 1, "what is refused is not remembered");
    }
}
