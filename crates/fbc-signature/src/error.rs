//! Why a signature does not count, or something that decides about signatures cannot be read.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A policy of signatures (`policy.json`).
    Policy,
    /// A file of `registries.d`.
    Attachments,
    /// The payload of a signature.
    Payload,
    /// A certificate, or whom it is for.
    Certificate,
    /// An entry of a transparency log.
    LogEntry,
    /// A trusted root.
    TrustedRoot,
    /// A bundle of sigstore.
    Bundle,
    /// A signature that is nobody's who is trusted, or for another image.
    Untrusted,
}

/// An error with its text, which is made to stand behind the name of what was read.
#[derive(Clone, Debug)]
pub struct SignatureError {
    kind: ErrorKind,
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl SignatureError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Adds what it follows from.
    pub(crate) fn because(self, source: impl Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// Says in front where it comes from.
    pub(crate) fn within(self, place: impl fmt::Display) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    /// What it is about.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for SignatureError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
