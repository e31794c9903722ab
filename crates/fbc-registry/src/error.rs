//! What goes wrong with registries: what, where, whose fault, and what to do next.

use std::fmt;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use oci_spec::image::Digest;

/// A failure is boxed: it knows a lot.
pub type Result<T> = std::result::Result<T, Box<RegistryError>>;

/// What a registry answers, some time later. In a box, so that its code is made once, in this crate, and not in each crate that
/// waits for it.
pub type Pending<'a, T> = LocalBoxFuture<'a, Result<T>>;

/// A failed operation.
#[derive(Debug)]
pub struct RegistryError {
    /// What was attempted, to be read after "cannot".
    pub action: String,
    /// Where: scheme, host, repository and item, such as `https://quay.io/me/catalog:v1`, or a file.
    pub place: String,
    /// What is wrong.
    pub problem: Problem,
}

/// Who can fix it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What the caller named: a reference, a digest, a flag.
    Request,
    /// Files of the machine: credentials, registries.conf, certificates, or the disk.
    Configuration,
    /// The credentials or their rights.
    Credentials,
    /// What lies in the registry, or the registry itself.
    Registry,
    /// The way to the registry.
    Network,
}

/// What a registry answered to a request that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The registry's own code, such as `MANIFEST_UNKNOWN`.
    pub code: Option<String>,
    /// The registry's own words.
    pub message: Option<String>,
}

/// `1 attempt`, `3 attempts`
fn tries(attempts: u32) -> String {
    if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "status {}", self.status)?;
        match (&self.code, &self.message) {
            (Some(code), Some(message)) => write!(formatter, ", {code}: {message}"),
            (Some(text), None) | (None, Some(text)) => write!(formatter, ", {text}"),
            (None, None) => Ok(()),
        }
    }
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// 401: the registry wants to know who asks, or does not believe it.
    #[error("not authenticated ({answer}); credential tried: {credential}")]
    Unauthorized {
        /// What it said.
        answer: Answer,
        /// Which credential was used, in words; `none` if there was none.
        credential: String,
    },
    /// 403: the registry knows who asks, and refuses.
    #[error("not allowed ({answer}); credential tried: {credential}")]
    Forbidden {
        /// What it said.
        answer: Answer,
        /// Which credential was used.
        credential: String,
    },
    /// The registry knows no such repository.
    #[error("the registry knows no such repository ({0})")]
    NoRepository(Answer),
    /// The repository is there or may be, the tag, digest or blob is not.
    #[error("the repository has no such tag, manifest or blob ({0})")]
    NotFound(Answer),
    /// 429 until patience ended.
    #[error("the registry allows no more requests now ({answer}), after {}", tries(*attempts))]
    RateLimited {
        /// What it said.
        answer: Answer,
        /// How long it asks us to wait.
        retry_after: Option<Duration>,
        /// How often it was asked.
        attempts: u32,
    },
    /// 5xx until patience ended.
    #[error("the registry failed ({answer}), after {}", tries(*attempts))]
    Server {
        /// What it said.
        answer: Answer,
        /// How long it asks us to wait.
        retry_after: Option<Duration>,
        /// How often it was asked.
        attempts: u32,
    },
    /// A request with a part of a blob that is too large for the registry, or for a server in front of it.
    #[error("a request of {length} bytes is too large for the registry ({answer})")]
    PartTooLarge {
        /// What it said.
        answer: Answer,
        /// The bytes of the request.
        length: u64,
    },
    /// A manifest that the registry does not take.
    #[error("the registry refuses the manifest ({answer})")]
    ManifestRefused {
        /// What it said.
        answer: Answer,
        /// The media type of the manifest.
        media_type: String,
    },
    /// Any other status, or an answer outside the protocol.
    #[error("unexpected answer: {0}")]
    Unexpected(String),
    /// No connection, or a broken one.
    #[error("no connection: {text}, after {}", tries(*attempts))]
    Unreachable {
        /// What the system said.
        text: String,
        /// How often it was tried.
        attempts: u32,
        /// False if no connection was ever made.
        connected: bool,
    },
    /// Bytes come, or an answer begins, later than anybody should wait for.
    #[error("too slow: {text}")]
    Slow {
        /// What was waited for, and how long.
        text: String,
        /// True if nothing came at all, as from a lost connection.
        is_silent: bool,
    },
    /// The certificate of the registry does not convince.
    #[error("the certificate is not trusted: {text}")]
    Certificate {
        /// What is wrong with it.
        text: String,
        /// True if the authority that signed it is not known here.
        unknown_authority: bool,
    },
    /// HTTPS spoken with a server that speaks HTTP.
    #[error("the server does not speak HTTPS: {0}")]
    NotHttps(String),
    /// Bytes are not what the digest says.
    #[error("the content has the digest {actual}, expected {expected}")]
    Digest {
        /// What was asked for.
        expected: Digest,
        /// What came.
        actual: Digest,
    },
    /// The number of bytes is not what the descriptor says.
    #[error("the content has {actual} bytes, expected {expected}")]
    Length {
        /// By the descriptor.
        expected: u64,
        /// What came or was announced.
        actual: u64,
    },
    /// A manifest, configuration or blob is larger than allowed.
    #[error("larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
        /// Whether it is one of the settings of the client.
        is_setting: bool,
    },
    /// A manifest that is none, or of a kind that is not supported.
    #[error("{0}")]
    Manifest(String),
    /// An algorithm that we cannot compute.
    #[error("digests of the algorithm {0:?} cannot be verified")]
    Algorithm(String),
    /// An index without the platform.
    #[error("no manifest for {wanted}; there are {present}")]
    Platform {
        /// The platform wanted.
        wanted: String,
        /// The platforms of the index.
        present: String,
    },
    /// registries.conf or a mirror set says that nobody may ask there.
    #[error("blocked by {0}")]
    Blocked(String),
    /// A policy of signatures does not let the image be used.
    #[error("{0}")]
    Policy(String),
    /// A short name that could mean several images.
    #[error("the short name is ambiguous; it could mean {}", .0.join(", "))]
    Ambiguous(Vec<String>),
    /// No image reference.
    #[error(transparent)]
    Reference(#[from] fbc_model::image_reference::ReferenceError),
    /// Something in a file of the machine.
    #[error("{0}")]
    Configuration(String),
    /// A local file or stream.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// What is asked for is not in the cache, and no registry may be asked.
    #[error("it is not in the cache, and no registry may be asked")]
    NotCached,
    /// An image on disk.
    #[error("{0}")]
    Local(#[from] Box<fbc_image::ImageError>),
    /// Every endpoint failed; the errors are in the order of the attempts.
    #[error("no endpoint has it:{}", .0.iter().map(|error| format!("\n  {error}")).collect::<String>())]
    Endpoints(Vec<RegistryError>),
}

impl Problem {
    /// For what may be gone the next time: the wait that the other side asks for, if it does.
    pub(crate) fn passing(&self) -> Option<Option<Duration>> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => Some(*retry_after),
            Self::Unreachable { .. } | Self::Slow { is_silent: true, .. } => Some(None),
            _ => None,
        }
    }

    /// Whether a registry refuses a manifest of OCI's, and may take one of Docker's.
    #[must_use]
    pub fn may_want_other_format(&self) -> bool {
        matches!(self, Self::ManifestRefused { answer, media_type }
            if media_type.starts_with("application/vnd.oci.")
                && (answer.status == 415 || answer.code.as_deref() == Some("MANIFEST_INVALID")))
    }

    /// How often such a thing is tried at most, whatever the policy says: what is not there will not come by waiting long.
    pub(crate) fn most_attempts(&self) -> u32 {
        match self {
            Self::Unreachable { connected: false, .. } => 3,
            Self::Slow { .. } => 2,
            _ => u32::MAX,
        }
    }

    /// Notes how often something was tried.
    pub(crate) fn set_attempts(&mut self, number: u32) {
        if let Self::RateLimited { attempts, .. }
        | Self::Server { attempts, .. }
        | Self::Unreachable { attempts, .. } = self
        {
            *attempts = number;
        }
    }
}

impl RegistryError {
    /// A boxed error.
    pub fn new(action: &str, place: impl Into<String>, problem: impl Into<Problem>) -> Box<Self> {
        Box::new(Self { action: action.to_owned(), place: place.into(), problem: problem.into() })
    }

    /// Who can fix it.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match &self.problem {
            Problem::Unauthorized { .. } | Problem::Forbidden { .. } => Fault::Credentials,
            Problem::NoRepository(_) | Problem::NotFound(_) | Problem::Platform { .. } => Fault::Request,
            Problem::Reference(_) | Problem::Ambiguous(_) | Problem::Algorithm(_) => Fault::Request,
            Problem::NotCached | Problem::Local(_) => Fault::Request,
            Problem::RateLimited { .. } | Problem::Server { .. } | Problem::Unexpected(_) => Fault::Registry,
            Problem::Digest { .. } | Problem::Length { .. } | Problem::TooLarge { .. } => Fault::Registry,
            Problem::Manifest(_) => Fault::Registry,
            Problem::PartTooLarge { .. } | Problem::ManifestRefused { .. } => Fault::Registry,
            Problem::Unreachable { .. } | Problem::Slow { .. } => Fault::Network,
            Problem::Certificate { .. } | Problem::NotHttps(_) | Problem::Blocked(_) => Fault::Configuration,
            Problem::Policy(_) => Fault::Request,
            Problem::Configuration(_) | Problem::Io(_) => Fault::Configuration,
            Problem::Endpoints(errors) => errors.last().map_or(Fault::Registry, Self::fault),
        }
    }

    /// What to do next, where there is something to say.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let text = match &self.problem {
            Problem::Unauthorized { credential, .. } if credential == "none" => {
                "log in (`podman login` or `docker login`), or name a credential file with --authfile; a registry may \
                 also answer so when the repository does not exist"
            }
            Problem::Unauthorized { .. } => "the credential may be wrong or expired: log in again",
            Problem::Forbidden { .. } => "the account lacks the right: ask the owner of the repository",
            Problem::NoRepository(_) => {
                "check the spelling of registry and repository; a private repository may hide"
            }
            Problem::NotFound(_) => "check the tag or digest; the repository may have dropped it",
            Problem::RateLimited { retry_after: Some(wait), .. } => {
                return Some(format!(
                    "try again in {} seconds, or log in for a higher limit",
                    wait.as_secs()
                ));
            }
            Problem::RateLimited { .. } => "try again later, or log in for a higher limit",
            Problem::Server { .. } => "try again later; if it lasts, ask those who run the registry",
            Problem::Unreachable { .. } => "check host, port, network and proxy (HTTPS_PROXY, NO_PROXY)",
            Problem::Slow { .. } => {
                "try again later or from a mirror: a blob goes on where it stopped; --stall-timeout waits longer"
            }
            Problem::TooLarge { is_setting: false, .. } => {
                "this limit is that of registries and cannot be raised; whoever pushed the image must make that smaller"
            }
            Problem::TooLarge { .. } => "if the image is to be trusted, --max-blob-size permits larger blobs",
            problem if problem.may_want_other_format() => {
                "the registry may take Docker's schema 2 alone; `fbc build --format docker` builds such images"
            }
            Problem::PartTooLarge { .. } => {
                "send smaller parts with --chunk-size BYTES, or have those who run the registry, or the proxy in front of it, \
                 permit larger requests"
            }
            Problem::Certificate { unknown_authority: true, .. } => {
                "put the authority's certificate as ca.crt into /etc/containers/certs.d/HOST[:PORT]/ or \
                 ~/.config/containers/certs.d/HOST[:PORT]/, or name its directory with --cert-dir; --tls-verify=false \
                 gives up protection"
            }
            Problem::Certificate { .. } => {
                "the registry's certificate needs to be renewed or issued for this name"
            }
            Problem::NotHttps(_) => {
                "for a registry without TLS use --plain-http=HOST[:PORT], or set `insecure = true` in registries.conf"
            }
            Problem::Digest { .. } | Problem::Length { .. } => {
                "the registry, a mirror or a proxy damages content; try another endpoint and tell its owner"
            }
            Problem::Platform { .. } => "choose one of them with --platform",
            Problem::NotCached => "run the command once without --offline; the cache keeps what it pulls",
            Problem::Blocked(_) => "use a reference that the configuration allows, or change it",
            Problem::Policy(_) => {
                "have the image signed (`fbc sign`), or change the policy; --insecure-policy ignores it"
            }
            Problem::Ambiguous(_) => "write the registry in front of the name",
            Problem::Endpoints(errors) => return errors.iter().rev().find_map(Self::advice),
            _ => return None,
        };
        Some(text.to_owned())
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot {} {}: {}", self.action, self.place, self.problem)
    }
}

impl std::error::Error for RegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.problem)
    }
}
