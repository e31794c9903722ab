//! Credentials as podman and docker keep them.
//!
//! Files are asked in this order: the one that is named (`--authfile`, then `REGISTRY_AUTH_FILE`), and then no other;
//! else `${XDG_RUNTIME_DIR}/containers/auth.json` (or `/run/containers/UID/auth.json`),
//! `${XDG_CONFIG_HOME:-~/.config}/containers/auth.json`, `${DOCKER_CONFIG:-~/.docker}/config.json`, `~/.dockercfg`. The
//! first file with a credential wins; within a file the longest match of `host[/namespace[/repository]]`.
//!
//! Source: `containers/image:pkg/docker/config/config.go`, `docs/containers-auth.json.5.md`; `credsStore` as in
//! `docker/cli:cli/config/configfile/file.go`.

mod file;
mod helper;
pub mod inventory;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use self::file::AuthFile;
use super::error::{Pending, Problem, RegistryError, Result};
use super::secret::Secret;
use crate::limits::HELPER;

/// Where credentials are looked for; the caller fills it from flags and environment.
#[derive(Clone, Debug, Default)]
pub struct CredentialPaths {
    /// `--authfile`: this file must exist, and no other is read.
    pub authfile: Option<PathBuf>,
    /// `REGISTRY_AUTH_FILE`: no other file is read; it need not exist.
    pub registry_auth_file: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`.
    pub runtime_directory: Option<PathBuf>,
    /// `/run/containers/UID/auth.json`, asked when there is no `XDG_RUNTIME_DIR`.
    pub runtime_file: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// `DOCKER_CONFIG`: the directory of `config.json`.
    pub docker_config: Option<PathBuf>,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The directories of `PATH`, where `docker-credential-*` programs are.
    pub program_folders: Vec<PathBuf>,
}

/// Where a credential comes from. It may be shown; it holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialOrigin {
    /// The file.
    pub file: PathBuf,
    /// The key of the entry in it, or the registry that a helper was asked for.
    pub entry: String,
    /// The helper program that gave it.
    pub helper: Option<String>,
}

impl fmt::Display for CredentialOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entry, file) = (&self.entry, self.file.display());
        match &self.helper {
            Some(helper) => write!(formatter, "{helper} for {entry:?}, named in {file}"),
            None if self.file.as_os_str().is_empty() => formatter.write_str(entry),
            None => write!(formatter, "entry {entry:?} of {file}"),
        }
    }
}

/// What is shown to a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// User and password, for basic authentication or in exchange for a token.
    Password { user: String, password: Secret },
    /// A refresh token of OAuth2.
    IdentityToken(Secret),
    /// A token for the registry itself.
    RegistryToken(Secret),
}

/// A credential and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Credential {
    pub(crate) proof: Proof,
    pub(crate) origin: CredentialOrigin,
}

/// All credentials of a user. Files are read once.
#[derive(Debug, Default)]
pub struct Credentials {
    /// By `REGISTRY[/REPOSITORY]`: credentials that come before those of files.
    added: BTreeMap<String, Credential>,
    files: Vec<AuthFile>,
    program_folders: Vec<PathBuf>,
}

impl Credentials {
    /// No credentials.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a user and password for a registry or a part of one, `REGISTRY[/REPOSITORY]`. No other registry is shown it,
    /// whatever an image names. `origin` says in words where it comes from.
    pub fn add(&mut self, scope: &str, origin: &str, user: &str, password: &str) {
        let origin = CredentialOrigin { file: PathBuf::new(), entry: origin.to_owned(), helper: None };
        let proof = Proof::Password { user: user.to_owned(), password: Secret::new(password) };
        self.added.insert(scope.to_owned(), Credential { proof, origin });
    }

    /// The user that was added for a repository, if one was.
    #[must_use]
    pub fn added(&self, registry: &str, repository: &str) -> Option<&str> {
        match &self.added_for(registry, repository)?.proof {
            Proof::Password { user, .. } => Some(user),
            Proof::IdentityToken(_) | Proof::RegistryToken(_) => None,
        }
    }

    /// The longest scope wins.
    fn added_for(&self, registry: &str, repository: &str) -> Option<&Credential> {
        let full = format!("{registry}/{repository}");
        let ends = full.match_indices('/').map(|(end, _)| end).chain([full.len()]);
        let scopes: Vec<&str> = ends.filter_map(|end| full.get(..end)).collect();
        scopes.iter().rev().find_map(|scope| self.added.get(*scope))
    }

    /// Reads the files.
    ///
    /// # Errors
    /// A file that cannot be read or is not JSON; files that do not exist are passed over, except `--authfile`.
    pub fn read(paths: &CredentialPaths) -> Result<Self> {
        let mut files = Vec::new();
        for (path, is_legacy) in candidates(paths) {
            match std::fs::read(&path) {
                Ok(bytes) => files.push(AuthFile::parse(&path, is_legacy, &bytes)?),
                Err(error)
                    if error.kind() == std::io::ErrorKind::NotFound
                        && paths.authfile.as_deref() != Some(path.as_path()) => {}
                Err(error) => return Err(failure(&path, error)),
            }
        }
        Ok(Self { added: BTreeMap::new(), files, program_folders: paths.program_folders.clone() })
    }

    /// Where the credential for a repository comes from, if there is one.
    ///
    /// # Errors
    /// As when it is used: a helper that fails, an entry that cannot be decoded.
    pub fn origin<'a>(
        &'a self,
        registry: &'a str,
        repository: &'a str,
    ) -> Pending<'a, Option<CredentialOrigin>> {
        Box::pin(
            async move { Ok(self.find(registry, repository).await?.map(|credential| credential.origin)) },
        )
    }

    /// The credential for a repository.
    pub(crate) async fn find(&self, registry: &str, repository: &str) -> Result<Option<Credential>> {
        if let Some(added) = self.added_for(registry, repository) {
            return Ok(Some(added.clone()));
        }
        for file in &self.files {
            if let Some(found) = self.find_in(file, registry, repository).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    async fn find_in(&self, file: &AuthFile, registry: &str, repository: &str) -> Result<Option<Credential>> {
        let from_helper = async |helper: &str| {
            let server = if registry == "docker.io" { file::HUB_KEY } else { registry };
            let program = format!("docker-credential-{helper}");
            let proof = helper::ask(&program, server, &self.program_folders, HELPER)
                .await
                .map_err(|error| failure(&file.path, Problem::Configuration(error.to_string())))?;
            let origin = CredentialOrigin {
                file: file.path.clone(),
                entry: server.to_owned(),
                helper: Some(program.clone()),
            };
            Ok::<_, Box<RegistryError>>(proof.map(|proof| Credential { proof, origin }))
        };
        if let Some(helper) = file.helper_for(registry) {
            return from_helper(helper).await;
        }
        if let Some((key, entry)) = file.entry_for(registry, repository) {
            let proof = entry.proof().map_err(|text| {
                failure(&file.path, Problem::Configuration(format!("the entry {key:?} {text}")))
            })?;
            if let Some(proof) = proof {
                let origin =
                    CredentialOrigin { file: file.path.clone(), entry: key.to_owned(), helper: None };
                return Ok(Some(Credential { proof, origin }));
            }
        }
        match &file.store {
            Some(store) => from_helper(store).await,
            None => Ok(None),
        }
    }
}

/// The files to read, and whether each has the legacy form.
fn candidates(paths: &CredentialPaths) -> Vec<(PathBuf, bool)> {
    if let Some(named) = paths.authfile.as_ref().or(paths.registry_auth_file.as_ref()) {
        return vec![(named.clone(), false)];
    }
    let in_home = |below: &str| paths.home.as_ref().map(|home| home.join(below));
    let runtime = match &paths.runtime_directory {
        Some(folder) => Some(folder.join("containers/auth.json")),
        None => paths.runtime_file.clone(),
    };
    let config = paths.config_home.clone().or_else(|| in_home(".config"));
    let docker = paths.docker_config.clone().or_else(|| in_home(".docker"));
    [
        (runtime, false),
        (config.map(|folder| folder.join("containers/auth.json")), false),
        (docker.map(|folder| folder.join("config.json")), false),
        (in_home(".dockercfg"), true),
    ]
    .into_iter()
    .filter_map(|(path, is_legacy)| path.map(|path| (path, is_legacy)))
    .collect()
}

fn failure(file: &Path, problem: impl Into<Problem>) -> Box<RegistryError> {
    RegistryError::new("take credentials from", file.display().to_string(), problem)
}
