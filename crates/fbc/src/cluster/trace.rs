//! The file that a session is written to, a JSON object a line, and what may be wrong with one.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fbc_openshift::cluster_update::MOST_NODES;
use serde_json::Value;

use crate::failure::Failure;
use crate::invalid_value::InvalidValue;

/// A session that is being written. Copies write to the same file.
#[derive(Clone)]
pub(super) struct Trace {
    path: PathBuf,
    out: Arc<Mutex<BufWriter<File>>>,
}

impl Trace {
    /// Begins a session with its first line.
    pub(super) fn begin(path: &Path, header: &Value) -> Result<Self, Failure> {
        let failure = |error: io::Error| Failure::io("write", path, &error);
        let mut out = BufWriter::new(File::create(path).map_err(failure)?);
        writeln!(out, "{header}").and_then(|()| out.flush()).map_err(failure)?;
        Ok(Self { path: path.to_owned(), out: Arc::new(Mutex::new(out)) })
    }

    /// Writes a line. A cluster goes on without its session if that fails.
    pub(super) fn write(&self, line: &Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
            tracing::error!(%error, path = %self.path.display(), "the session is not written down any more");
        }
    }
}

/// What is wrong with a line of a recorded session.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TraceFault {
    #[error("it does not begin with a line about the session")]
    NoSession,
    #[error("there is no moment of the start")]
    NoStart,
    #[error("the start is after the year 9999")]
    LateStart,
    #[error("the session has more than {MOST_NODES} nodes")]
    Nodes,
    #[error(transparent)]
    Target(#[from] fbc_version::UnknownName),
    #[error(transparent)]
    Pace(#[from] InvalidValue),
    #[error("an image has no reference")]
    NoReference,
    #[error("an image has neither a digest nor files nor an error")]
    NoAnswer,
    #[error("an answer of a webhook has no call")]
    NoCall,
    #[error("a call of a webhook has neither a response nor a reason for none")]
    NoResponse,
}
