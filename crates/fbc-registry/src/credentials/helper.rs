//! `docker-credential-*` programs: `get`, the server on standard input, JSON on standard output.
//!
//! Source: `docker/docker-credential-helpers:client/client.go`, `credentials/error.go`.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use super::Proof;
use crate::limits::HELPER_BYTES;
use crate::secret::Secret;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Given {
    #[serde(default)]
    username: String,
    #[serde(default)]
    secret: String,
}

/// Why a helper gives no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum HelperError {
    #[error("{0:?} is not a name of a credential helper")]
    Name(String),
    #[error("the credential helper {0} is not in PATH; install it or remove it from the file")]
    Missing(String),
    #[error("the credential helper {program} cannot be run: {error}")]
    Run { program: String, error: std::io::Error },
    #[error("the credential helper {program} does not answer within {} s", patience.as_secs_f64())]
    Slow { program: String, patience: Duration },
    #[error("the credential helper {program} failed for {server}: {line}")]
    Failed { program: String, server: String, line: String },
    #[error("the credential helper {program} gave no JSON for {server}")]
    NoJson { program: String, server: String },
}

/// Asks a helper; none if it knows no credential for the server.
///
/// # Errors
/// [`HelperError`]; also if it takes longer than `patience`, or answers with more than [`HELPER_BYTES`].
pub(super) async fn ask(
    program: &str,
    server: &str,
    folders: &[PathBuf],
    patience: Duration,
) -> Result<Option<Proof>, HelperError> {
    if program.contains('/') {
        return Err(HelperError::Name(program.to_owned()));
    }
    let Some(path) = folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file()) else {
        return Err(HelperError::Missing(program.to_owned()));
    };
    let cannot = |error: std::io::Error| HelperError::Run { program: program.to_owned(), error };
    let mut child = Command::new(path)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(cannot)?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let talk = async {
        if let Some(mut input) = input {
            // A helper that does not read its input may still answer.
            let _ = input.write_all(server.as_bytes()).await;
        }
        let mut answer = Vec::new();
        if let Some(output) = output {
            output.take(HELPER_BYTES + 1).read_to_end(&mut answer).await?;
        }
        if answer.len() as u64 > HELPER_BYTES {
            return Err(std::io::Error::other(format!("it answers with more than {HELPER_BYTES} bytes")));
        }
        Ok((child.wait().await?, answer))
    };
    let (status, answer) = match tokio::time::timeout(patience, talk).await {
        Ok(ended) => ended.map_err(cannot)?,
        Err(_) => return Err(HelperError::Slow { program: program.to_owned(), patience }),
    };
    if !status.success() {
        // Errors come on standard output too; this text is fixed by the protocol.
        let text = String::from_utf8_lossy(&answer);
        if text.trim() == "credentials not found in native keychain" {
            return Ok(None);
        }
        let line = text.lines().next().unwrap_or_default().trim();
        // An answer that was begun holds the secret.
        let line = if line.starts_with('{') { status.to_string() } else { line.to_owned() };
        return Err(HelperError::Failed { program: program.to_owned(), server: server.to_owned(), line });
    }
    let given: Given = serde_json::from_slice(&answer)
        .map_err(|_| HelperError::NoJson { program: program.to_owned(), server: server.to_owned() })?;
    if given.username.is_empty() && given.secret.is_empty() {
        return Ok(None);
    }
    let secret = Secret::new(given.secret);
    Ok(Some(if given.username == "<token>" {
        Proof::IdentityToken(secret)
    } else {
        Proof::Password { user: given.username, password: secret }
    }))
}
