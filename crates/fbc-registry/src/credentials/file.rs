//! One credential file: `auth.json`, `config.json` or the legacy `.dockercfg`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde::Deserialize;

use super::{Proof, failure};
use crate::error::{Problem, Result};
use crate::secret::Secret;

/// The key under which Docker keeps the credentials of its hub.
pub(super) const HUB_KEY: &str = "https://index.docker.io/v1/";

/// A file as read.
#[derive(Debug)]
pub(super) struct AuthFile {
    pub(super) path: PathBuf,
    is_legacy: bool,
    entries: BTreeMap<String, Entry>,
    helpers: BTreeMap<String, String>,
    pub(super) store: Option<String>,
}

/// One entry, still encoded.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Entry {
    auth: String,
    username: String,
    password: String,
    identitytoken: String,
    registrytoken: String,
}

impl fmt::Debug for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Entry(hidden)")
    }
}

#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct Written {
    auths: Option<BTreeMap<String, Entry>>,
    cred_helpers: Option<BTreeMap<String, String>>,
    creds_store: Option<String>,
}

impl AuthFile {
    /// Reads a file. An empty one is as good as none.
    pub(super) fn parse(path: &Path, is_legacy: bool, bytes: &[u8]) -> Result<Self> {
        let bytes = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
        // The parser's own message may quote a value, so only the place is told.
        let invalid = |error: serde_json::Error| {
            let (line, column) = (error.line(), error.column());
            let what = if error.is_data() { "an unexpected kind of value" } else { "no JSON" };
            failure(path, Problem::Configuration(format!("{what} at line {line}, column {column}")))
        };
        let written = if is_legacy {
            let auths = Some(serde_json::from_slice(bytes).map_err(invalid)?);
            Written { auths, ..Written::default() }
        } else {
            serde_json::from_slice::<Written>(bytes).map_err(invalid)?
        };
        Ok(Self {
            path: path.to_owned(),
            is_legacy,
            entries: written.auths.unwrap_or_default(),
            helpers: written.cred_helpers.unwrap_or_default(),
            store: written.creds_store.filter(|store| !store.is_empty()),
        })
    }

    /// All entries by their keys.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(key, entry)| (key.as_str(), entry))
    }

    /// All helpers by their registries.
    pub(super) fn helpers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.helpers.iter().map(|(registry, name)| (registry.as_str(), name.as_str()))
    }

    /// The helper for a registry; helpers know no namespaces.
    pub(super) fn helper_for(&self, registry: &str) -> Option<&str> {
        let keys: &[&str] =
            if registry == "docker.io" { &["docker.io", HUB_KEY, "index.docker.io"] } else { &[registry] };
        keys.iter().find_map(|key| self.helpers.get(*key)).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The entry for a repository with its key: exact keys from the longest to the registry, then keys that are
    /// addresses of the registry. Entries without content are passed over.
    pub(super) fn entry_for(&self, registry: &str, repository: &str) -> Option<(&str, &Entry)> {
        let full = format!("{registry}/{repository}");
        let exact = |key: &str| self.entries.get_key_value(key);
        let mut keys = vec![registry];
        if !self.is_legacy {
            keys.extend(full.match_indices('/').skip(1).filter_map(|(end, _)| full.get(..end)));
            keys.push(&full);
        }
        let host = normal_host(registry);
        keys.into_iter()
            .rev()
            .find_map(|key| exact(key).filter(|(_, entry)| !entry.is_empty()))
            .or_else(|| {
                self.entries
                    .iter()
                    .find(|(key, entry)| !entry.is_empty() && host_of_key(key, self.is_legacy) == Some(host))
            })
            .map(|(key, entry)| (key.as_str(), entry))
    }
}

impl Entry {
    fn is_empty(&self) -> bool {
        [&self.auth, &self.username, &self.password, &self.identitytoken, &self.registrytoken]
            .iter()
            .all(|text| text.is_empty())
    }

    /// What the entry says, or what is wrong with it, without its content.
    pub(super) fn proof(&self) -> std::result::Result<Option<Proof>, &'static str> {
        if !self.identitytoken.is_empty() {
            return Ok(Some(Proof::IdentityToken(Secret::new(&self.identitytoken))));
        }
        if !self.registrytoken.is_empty() {
            return Ok(Some(Proof::RegistryToken(Secret::new(&self.registrytoken))));
        }
        if self.auth.is_empty() {
            let password = Secret::new(&self.password);
            let user = self.username.clone();
            return Ok((!user.is_empty()).then_some(Proof::Password { user, password }));
        }
        let decoded = base64::engine::general_purpose::STANDARD
            .decode(self.auth.trim())
            .map_err(|_| "has an `auth` that is not base64")?;
        let decoded = String::from_utf8(decoded).map_err(|_| "has an `auth` that is not a string")?;
        let (user, password) = decoded.split_once(':').ok_or("has an `auth` without `:`")?;
        let password = Secret::new(password.trim_matches('\0'));
        Ok(Some(Proof::Password { user: user.to_owned(), password }))
    }
}

/// The host that a key with an address means; keys with namespaces mean no host.
fn host_of_key(key: &str, is_legacy: bool) -> Option<&str> {
    let stripped = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://"));
    let host = match (stripped, is_legacy) {
        (None, false) if key.contains('/') => return None,
        (None, _) => key,
        (Some(rest), _) => rest,
    };
    Some(normal_host(host.split('/').next().unwrap_or(host)))
}

/// One name for the names of Docker's hub.
fn normal_host(host: &str) -> &str {
    if matches!(host, "docker.io" | "registry-1.docker.io") { "index.docker.io" } else { host }
}
