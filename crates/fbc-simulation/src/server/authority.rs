//! The cluster's own authority: it signs the certificates of the server and of the administrator, and lives no longer
//! than the process.

use std::net::IpAddr;
use std::sync::Arc;

use fbc_apiserver::authentication::{ClientVerifier, TokenAuthority};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, PKCS_ED25519,
};
use rustls::RootCertStore;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;

use fbc_source::Error;

/// Names of the server besides its addresses.
const NAMES: [&str; 5] = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// A certificate and its key, as PEM.
pub(super) struct Pair {
    pub(super) certificate: String,
    pub(super) key: String,
}

/// What a cluster trusts, and what it is trusted by.
pub(super) struct Authority {
    /// Its certificate, as PEM.
    pub(super) certificate: String,
    /// Who may do everything.
    pub(super) administrator: Pair,
    /// The encryption of connections.
    pub(super) encryption: rustls::ServerConfig,
    /// Whose certificates count.
    pub(super) verifier: Arc<ClientVerifier>,
    /// Who signs tokens.
    pub(super) tokens: TokenAuthority,
}

impl Authority {
    /// A new authority for a server at these addresses, with these names besides its own.
    pub(super) fn new(addresses: &[IpAddr], names: &[String]) -> Result<Self, Error> {
        make(addresses, names)
            .map_err(|error| Error::new(format!("the cluster's certificates cannot be made: {error}")))
    }
}

/// Who signs tokens, with a new key.
pub(super) fn new_token_authority() -> Result<TokenAuthority, Error> {
    token_authority().map_err(|error| Error::new(format!("no key for tokens can be made: {error}")))
}

fn token_authority() -> Result<TokenAuthority, Box<dyn std::error::Error>> {
    let key = KeyPair::generate_for(&PKCS_ED25519)?.serialize_der();
    Ok(TokenAuthority::new(&key).map_err(|error| error.to_string())?)
}

fn make(addresses: &[IpAddr], others: &[String]) -> Result<Authority, Box<dyn std::error::Error>> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "fbc-cluster");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;

    let mut names: Vec<String> = NAMES.map(str::to_owned).to_vec();
    names.extend(addresses.iter().map(ToString::to_string));
    names.extend_from_slice(others);
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    let server = params.signed_by(&key, &issuer)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));

    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "kubernetes-admin");
    params.distinguished_name.push(DnType::OrganizationName, "system:masters");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let key = KeyPair::generate()?;
    let client = params.signed_by(&key, &issuer)?;
    let administrator = Pair { certificate: client.pem(), key: key.serialize_pem() };

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(issuer.der().clone())?;
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .allow_unauthenticated()
        .build()?;
    let verifier = Arc::new(ClientVerifier::new(verifier));
    let asked: Arc<dyn rustls::server::danger::ClientCertVerifier> = Arc::<ClientVerifier>::clone(&verifier);
    let mut encryption = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(asked)
        .with_single_cert(vec![server.der().clone()], private)?;
    encryption.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let tokens = token_authority()?;
    Ok(Authority { certificate: issuer.pem(), administrator, encryption, verifier, tokens })
}
