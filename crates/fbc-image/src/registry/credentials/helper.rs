//! `docker-credential-*` programs: `get`, the server on standard input, JSON on standard output.
//!
//! Source: `docker/docker-credential-helpers:client/client.go`, `credentials/error.go`.

use std::path::PathBuf;
use std::process::Stdio;

use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::super::secret::Secret;
use super::Proof;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Given {
    #[serde(default)]
    username: String,
    #[serde(default)]
    secret: String,
}

/// Asks a helper; none if it knows no credential for the server.
pub(super) async fn ask(program: &str, server: &str, folders: &[PathBuf]) -> Result<Option<Proof>, String> {
    if program.contains('/') {
        return Err(format!("{program:?} is not a name of a credential helper"));
    }
    let Some(path) = folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file()) else {
        return Err(format!(
            "the credential helper {program} is not in PATH; install it or remove it from the file"
        ));
    };
    let cannot = |error: std::io::Error| format!("the credential helper {program} cannot be run: {error}");
    let mut child = Command::new(path)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(cannot)?;
    if let Some(mut input) = child.stdin.take() {
        // A helper that does not read its input may still answer.
        let _ = input.write_all(server.as_bytes()).await;
    }
    let output = child.wait_with_output().await.map_err(cannot)?;
    if !output.status.success() {
        // Errors come on standard output too; this text is fixed by the protocol.
        let text = String::from_utf8_lossy(&output.stdout);
        if text.trim() == "credentials not found in native keychain" {
            return Ok(None);
        }
        let line = text.lines().next().unwrap_or_default().trim();
        return Err(format!("the credential helper {program} failed for {server}: {line}"));
    }
    let given: Given = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("the credential helper {program} gave no JSON for {server}"))?;
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
