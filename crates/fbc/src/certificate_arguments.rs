//! Signing without a key, on the command line.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::signing::signer::CertificateRequest;

/// Signing without a key of one's own.
#[derive(Args, Clone, Debug)]
pub(crate) struct CertificateArguments {
    /// Sign without a key: the file with a token of an OpenID Connect issuer. The authority certifies a key of this run for
    /// whom the token names; that name, the digest and the signature go to the transparency log, which everybody may read
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "signer")]
    identity_token: Option<PathBuf>,
    /// The authority (Fulcio)
    #[arg(
        long,
        value_name = "URL",
        default_value = "https://fulcio.sigstore.dev",
        requires = "identity_token"
    )]
    fulcio_url: String,
    /// The transparency log (Rekor)
    #[arg(
        long,
        value_name = "URL",
        default_value = "https://rekor.sigstore.dev",
        requires = "identity_token"
    )]
    rekor_url: String,
}

impl CertificateArguments {
    /// Whether a certificate is asked for.
    pub(crate) fn are_given(&self) -> bool {
        self.identity_token.is_some()
    }

    /// What is asked of the authority.
    pub(crate) fn request(&self) -> CertificateRequest {
        CertificateRequest {
            identity_token: self.identity_token.clone().unwrap_or_default(),
            fulcio_url: self.fulcio_url.clone(),
            rekor_url: self.rekor_url.clone(),
        }
    }
}
