//! What the credential files of a user hold: for which registries and in which form, never a user or a secret.

use std::path::PathBuf;

use super::file::{AuthFile, HUB_KEY};
use super::{CredentialPaths, Proof, candidates, failure};
use crate::error::Result;

/// A place where credentials are looked for, in the order in which files are asked.
#[derive(Debug)]
pub struct CredentialFile {
    /// The file.
    pub path: PathBuf,
    /// What it holds; nothing where the file does not exist.
    ///
    /// # Errors
    /// A file that cannot be read or parsed.
    pub content: Result<Option<Vec<StoredCredential>>>,
}

/// What a file holds for a registry or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCredential {
    /// `REGISTRY[/NAMESPACE[/REPOSITORY]]` as the file writes it; `*` for the program that is asked for all others.
    pub scope: String,
    /// In which form.
    pub form: CredentialForm,
}

/// The form of a stored credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialForm {
    /// User and password.
    Password,
    /// A refresh token of OAuth2, or a token for the registry itself.
    Token,
    /// A program gives it.
    Helper {
        /// The name of the program.
        program: String,
        /// Where it is in `PATH`, if it is there.
        found: Option<PathBuf>,
    },
    /// The entry is empty, as `docker login` leaves it beside a helper.
    Empty,
    /// The entry cannot be used, and why.
    Broken(&'static str),
}

/// What the files hold. No helper program runs.
#[must_use]
pub fn inventory(paths: &CredentialPaths) -> Vec<CredentialFile> {
    let of = |(path, is_legacy): (PathBuf, bool)| {
        let content = match std::fs::read(&path) {
            Ok(bytes) => AuthFile::parse(&path, is_legacy, &bytes).map(|file| Some(stored(&file, paths))),
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound && paths.authfile.as_ref() != Some(&path) =>
            {
                Ok(None)
            }
            Err(error) => Err(failure(&path, error)),
        };
        CredentialFile { path, content }
    };
    candidates(paths).into_iter().map(of).collect()
}

fn stored(file: &AuthFile, paths: &CredentialPaths) -> Vec<StoredCredential> {
    let helper = |name: &str| {
        let program = format!("docker-credential-{name}");
        let found =
            paths.program_folders.iter().map(|folder| folder.join(&program)).find(|path| path.is_file());
        CredentialForm::Helper { program, found }
    };
    let entries = file.entries().map(|(key, entry)| {
        let form = match entry.proof() {
            Ok(Some(Proof::Password { .. })) => CredentialForm::Password,
            Ok(Some(Proof::IdentityToken(_) | Proof::RegistryToken(_))) => CredentialForm::Token,
            Ok(None) => CredentialForm::Empty,
            Err(reason) => CredentialForm::Broken(reason),
        };
        let scope = if key == HUB_KEY { "docker.io" } else { key };
        StoredCredential { scope: scope.to_owned(), form }
    });
    let helpers = file
        .helpers()
        .map(|(registry, name)| StoredCredential { scope: registry.to_owned(), form: helper(name) });
    let store = file.store.iter().map(|name| StoredCredential { scope: "*".to_owned(), form: helper(name) });
    entries.chain(helpers).chain(store).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("auth.json");
        let program = folder.path().join("docker-credential-there");
        std::fs::write(&program, "").unwrap();
        let text = r#"{"auths": {
            "a.io/ns": {"auth": "bWU6c2VjcmV0"}, "b.io": {"identitytoken": "secret"}, "c.io": {},
            "d.io": {"auth": "%"}, "https://index.docker.io/v1/": {"auth": "bWU6c2VjcmV0"}},
            "credHelpers": {"e.io": "there"}, "credsStore": "missing"}"#;
        std::fs::write(&file, text).unwrap();
        let mut paths = CredentialPaths {
            registry_auth_file: Some(file.clone()),
            program_folders: vec![folder.path().to_owned()],
            ..CredentialPaths::default()
        };
        let files = inventory(&paths);
        let stored = files[0].content.as_ref().unwrap().as_ref().unwrap();
        let shown: Vec<(&str, &CredentialForm)> =
            stored.iter().map(|stored| (stored.scope.as_str(), &stored.form)).collect();
        let there =
            CredentialForm::Helper { program: "docker-credential-there".to_owned(), found: Some(program) };
        let missing = CredentialForm::Helper { program: "docker-credential-missing".to_owned(), found: None };
        let broken = CredentialForm::Broken("has an `auth` that is not base64");
        assert_eq!(
            shown,
            [
                ("a.io/ns", &CredentialForm::Password),
                ("b.io", &CredentialForm::Token),
                ("c.io", &CredentialForm::Empty),
                ("d.io", &broken),
                ("docker.io", &CredentialForm::Password),
                ("e.io", &there),
                ("*", &missing),
            ]
        );
        assert!(!format!("{files:?}").contains("secret"));
        std::fs::write(&file, "{").unwrap();
        assert!(inventory(&paths)[0].content.is_err());
        paths.registry_auth_file = Some(folder.path().join("none"));
        assert!(inventory(&paths)[0].content.as_ref().unwrap().is_none());
        paths.authfile = paths.registry_auth_file.take();
        assert!(inventory(&paths)[0].content.is_err());
    }
}
