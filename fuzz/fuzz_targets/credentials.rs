//! Any bytes as what logins to registries are read from: credential files, challenges of registries, answers of servers that
//! give tokens. They are read or refused, and no word about them holds a secret.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use fbc_fuzz::scratch;
use fbc_registry::credentials::{CredentialPaths, Credentials, inventory::inventory};
use fbc_registry::token::Token;
use fbc_registry::{block_on, challenge};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static HOME: LazyLock<TempDir> = LazyLock::new(scratch);

/// The same file as `auth.json`, and as the older `.dockercfg`.
fn places() -> [CredentialPaths; 2] {
    let home = HOME.path().to_path_buf();
    let current = CredentialPaths { authfile: Some(file(".dockercfg")), ..CredentialPaths::default() };
    [current, CredentialPaths { home: Some(home), ..CredentialPaths::default() }]
}

fn file(name: &str) -> PathBuf {
    HOME.path().join(name)
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let _ = challenge::choose(text.lines());
    let _ = Token::read(bytes);
    fs::write(file(".dockercfg"), bytes).expect("a file that can be written");
    for paths in places() {
        let listed = inventory(&paths);
        assert!(!format!("{listed:?}").contains("hunter2"));
        let Ok(credentials) = Credentials::read(&paths) else { continue };
        assert!(!format!("{credentials:?}").contains("hunter2"));
        for (registry, repository) in
            [("docker.io", "library/a"), ("quay.io", "a/b/c"), ("localhost:5000", "")]
        {
            let _ = block_on(credentials.origin(registry, repository));
        }
    }
});
