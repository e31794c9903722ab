//! How registries are asked: what is chosen, and what the environment says.

use std::path::PathBuf;
use std::time::Duration;

pub mod connection;
pub mod environment;
pub mod logins;

/// How registries are spoken to.
#[derive(Clone, Debug, Default)]
pub struct RegistryChoice {
    /// The directory with certificates.
    pub cert_dir: Option<PathBuf>,
    /// Whether certificates are verified.
    pub tls_verify: Option<bool>,
    /// Whether those of the source are verified, if that is said apart.
    pub source_tls_verify: Option<bool>,
    /// Whether those of the destination are verified, if that is said apart.
    pub destination_tls_verify: Option<bool>,
    /// Whether they are not.
    pub skips_tls_verification: bool,
    /// Who is spoken to without TLS.
    pub plain_http: Vec<PlainHttp>,
    /// The configuration of registries and mirrors.
    pub registries_conf: Option<PathBuf>,
    /// How often a request that failed is repeated.
    pub retry: Option<u32>,
    /// The wait before the first repetition.
    pub retry_delay: Option<Duration>,
    /// How long a blob may stand still.
    pub stall_timeout: Option<Duration>,
    /// The most bytes of a blob.
    pub max_blob_size: Option<u64>,
}

/// Which signatures images must have that are copied.
#[derive(Clone, Debug, Default)]
pub struct SignatureChoice {
    /// The policy of signatures.
    pub policy: Option<PathBuf>,
    /// Whether images are accepted that the policy refuses.
    pub accepts_all: bool,
    /// The directory that says whether signatures are looked for beside images.
    pub registries_d: Option<PathBuf>,
}

/// User and password. Its `Debug` shows no password.
#[derive(Clone)]
pub struct UserPassword {
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for UserPassword {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:…", self.user)
    }
}

/// Who is spoken to without TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainHttp {
    /// Every registry.
    All,
    /// The one at this `HOST[:PORT]`.
    Registry(String),
}
