//! Whose certificates are believed, and which certificate we show: `certs.d` directories as docker and podman use them.
//!
//! Source: `containers/image:pkg/tlsclientconfig/tlsclientconfig.go`, `docker/docker_client.go` (directories of a host).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::authorities::Authorities;
use crate::error::{Problem, RegistryError, Result};

/// Where certificates are.
#[derive(Clone, Debug, Default)]
pub struct TrustSettings {
    /// `certs.d` directories in the order in which they are asked; the first that has a directory for the host counts:
    /// `~/.config/containers/certs.d`, `/etc/containers/certs.d`, `/etc/docker/certs.d`.
    pub certificate_folders: Vec<PathBuf>,
    /// `--cert-dir`: this directory itself, for every host, instead of those.
    pub certificate_folder: Option<PathBuf>,
}

/// What the directory of a host holds.
#[derive(Default)]
struct HostFolder {
    authorities: Vec<CertificateDer<'static>>,
    identity: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
}

/// The certificates for a host, for a report.
#[derive(Debug)]
pub struct HostCertificates {
    /// The directory.
    pub folder: PathBuf,
    /// The host, `host[:port]`; nothing for `--cert-dir`, which is for every host.
    pub host: Option<String>,
    /// Authorities and our own certificates, each in DER.
    ///
    /// # Errors
    /// A file that cannot be read or used.
    pub certificates: Result<Vec<Vec<u8>>>,
}

impl TrustSettings {
    /// TLS for a host (`host[:port]`).
    pub(crate) fn tls(&self, host: &str, verify: bool) -> Result<ClientConfig> {
        let folder = match self.folder_for(host) {
            Some(folder) => read_folder(&folder)?,
            None => HostFolder::default(),
        };
        let invalid =
            |error: rustls::Error| failure(Path::new(host), Problem::Configuration(error.to_string()));
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(invalid)?;
        let builder = if verify {
            let authorities =
                Authorities::new(system_roots(), folder.authorities, provider).map_err(invalid)?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(authorities))
        } else {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        };
        match folder.identity {
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(invalid),
            None => Ok(builder.with_no_client_auth()),
        }
    }

    /// The directories of all hosts with what they hold; of several for one host, only the one that counts.
    #[must_use]
    pub fn hosts(&self) -> Vec<HostCertificates> {
        if let Some(folder) = &self.certificate_folder {
            return vec![HostCertificates::of(folder.clone(), None)];
        }
        let mut hosts = std::collections::BTreeMap::new();
        for folder in &self.certificate_folders {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()) {
                if let Some(host) = path.file_name().map(|name| name.to_string_lossy().into_owned()) {
                    hosts.entry(host).or_insert(path);
                }
            }
        }
        hosts.into_iter().map(|(host, folder)| HostCertificates::of(folder, Some(host))).collect()
    }

    fn folder_for(&self, host: &str) -> Option<PathBuf> {
        if let Some(folder) = &self.certificate_folder {
            return Some(folder.clone());
        }
        self.certificate_folders.iter().map(|folder| folder.join(host)).find(|folder| folder.is_dir())
    }
}

impl HostCertificates {
    fn of(folder: PathBuf, host: Option<String>) -> Self {
        let certificates = read_folder(&folder).map(|found| {
            let own = found.identity.into_iter().flat_map(|(chain, _)| chain);
            found.authorities.into_iter().chain(own).map(|certificate| certificate.to_vec()).collect()
        });
        Self { folder, host, certificates }
    }
}

/// How many authorities the system has; with none, those of Mozilla count that are part of the program.
#[must_use]
pub fn system_authorities() -> usize {
    rustls_native_certs::load_native_certs().certs.len()
}

/// The authorities of the system, or Mozilla's where the system has none, as in an image from scratch.
fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

/// Reads `*.crt` as authorities and `*.cert` with the `*.key` of the same name as our own certificate.
fn read_folder(folder: &Path) -> Result<HostFolder> {
    let entries = std::fs::read_dir(folder).map_err(|error| failure(folder, error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut found = HostFolder::default();
    for file in &files {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("crt") => found.authorities.extend(certificates(file)?),
            Some("cert") => {
                let key_file = file.with_extension("key");
                let text = std::fs::read(&key_file).map_err(|error| failure(&key_file, error))?;
                let key = PrivateKeyDer::from_pem_slice(&text).map_err(|_| {
                    failure(&key_file, Problem::Configuration("it holds no private key in PEM".to_owned()))
                })?;
                found.identity.get_or_insert((certificates(file)?, key));
            }
            Some("key") if !file.with_extension("cert").is_file() => {
                let text =
                    "its certificate is missing: the file of the same name that ends in .cert".to_owned();
                return Err(failure(file, Problem::Configuration(text)));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let text = std::fs::read(file).map_err(|error| failure(file, error))?;
    let certificates: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(failure(file, Problem::Configuration("it holds no certificate in PEM".to_owned()))),
    }
}

fn failure(place: &Path, problem: impl Into<Problem>) -> Box<RegistryError> {
    RegistryError::new("use the certificates of", place.display().to_string(), problem)
}

/// Believes every certificate, as `--tls-verify=false` asks.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_hosts() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a.io:5000");
        std::fs::create_dir(&folder).unwrap();
        let settings =
            TrustSettings { certificate_folders: vec![root.path().to_owned()], certificate_folder: None };
        assert!(settings.tls("a.io:5000", true).is_ok());
        let key = rcgen::generate_simple_self_signed(["a.io".to_owned()]).unwrap();
        for (file, text, expected) in [
            ("client.key", key.signing_key.serialize_pem(), "client.key: its certificate is missing"),
            ("client.cert", key.cert.pem(), ""),
            ("ca.crt", "nothing".to_owned(), "ca.crt: it holds no certificate in PEM"),
            ("ca.crt", key.cert.pem(), ""),
            ("other.cert", key.cert.pem(), "other.key: No such file"),
        ] {
            std::fs::write(folder.join(file), text).unwrap();
            match settings.tls("a.io:5000", true) {
                Ok(tls) => {
                    assert_eq!(expected, "", "{file}");
                    assert!(tls.client_auth_cert_resolver.has_certs());
                }
                Err(error) => {
                    assert!(!expected.is_empty() && error.to_string().contains(expected), "{error}")
                }
            }
            assert!(settings.tls("b.io", true).is_ok());
            let hosts = settings.hosts();
            assert_eq!(hosts.len(), 1);
            assert_eq!(hosts[0].host.as_deref(), Some("a.io:5000"));
            assert_eq!(hosts[0].certificates.is_ok(), settings.tls("a.io:5000", true).is_ok());
        }
    }
}
