//! Certificates of a server, read again when they change.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_serve::current::Current;
use fbc_serve::listener;
use fbc_source::Error;
use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::watch::{Fingerprint, fingerprint};

/// The files of a certificate and of its key, and what was made of them last.
pub struct Encryption {
    certificate: PathBuf,
    key: PathBuf,
    seen: (Fingerprint, Fingerprint),
    pub(super) current: Arc<Current<listener::Encryption>>,
}

impl Encryption {
    /// Reads a certificate and its key.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, Error> {
        let seen = (fingerprint(certificate), fingerprint(key));
        let config = config(certificate, key).map_err(|error| {
            Error::new(error.to_string())
                .help("`--tls-cert` and `--tls-key` name PEM files of one certificate and its key")
        })?;
        let current = Arc::new(Current::default());
        current.set(Arc::new(config));
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), seen, current })
    }

    /// Reads them again if they changed. What cannot be used leaves the old ones in place.
    pub(super) fn refresh(&mut self) {
        let seen = (fingerprint(&self.certificate), fingerprint(&self.key));
        if seen == self.seen {
            return;
        }
        self.seen = seen;
        match config(&self.certificate, &self.key) {
            Ok(config) => {
                self.current.set(Arc::new(config));
                tracing::info!(certificate = %self.certificate.display(), "the certificate changed");
            }
            Err(error) => {
                tracing::error!(
                    error = error.to_string(),
                    "the certificate changed and cannot be used; the old one stays"
                );
            }
        }
    }
}

/// Why connections cannot be encrypted.
#[derive(Debug, thiserror::Error)]
enum EncryptionError {
    #[error("cannot read {}: {error}", .path.display())]
    Unreadable { path: PathBuf, error: pem::Error },
    #[error("{} holds no certificate", .0.display())]
    NoCertificate(PathBuf),
    #[error("{} and {} do not belong together: {error}", .certificate.display(), .key.display())]
    Mismatch { certificate: PathBuf, key: PathBuf, error: rustls::Error },
    #[error(transparent)]
    Protocol(rustls::Error),
}

fn config(certificate: &Path, key: &Path) -> Result<listener::Encryption, EncryptionError> {
    let unreadable = |path: &Path| {
        let path = path.to_path_buf();
        move |error| EncryptionError::Unreadable { path, error }
    };
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(unreadable(certificate))?;
    let own = chain.first().cloned();
    let own = own.ok_or_else(|| EncryptionError::NoCertificate(certificate.to_path_buf()))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(unreadable(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(EncryptionError::Protocol)?;
    let mut config = builder.with_no_client_auth().with_single_cert(chain, private).map_err(|error| {
        EncryptionError::Mismatch { certificate: certificate.to_path_buf(), key: key.to_path_buf(), error }
    })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(listener::Encryption::new(config, &own))
}
