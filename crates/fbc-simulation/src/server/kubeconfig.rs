//! The file that clients are pointed to.

use std::path::Path;

use fbc_app::input;
use fbc_app::output::file::begin_private_file;
use fbc_app::settings::Settings;
use fbc_go::base64;
use fbc_source::Error;
use serde_json::{Value, json};

use super::authority::Authority;

/// The name of the cluster, the user and the context.
const NAME: &str = "fbc";

/// A kubeconfig as far as it is read here.
#[derive(Debug)]
pub struct Kubeconfig {
    /// `https://127.0.0.1:6443`
    pub server: String,
    /// The certificate of the authority, as PEM.
    pub authority: Vec<u8>,
    /// Certificate and key of the client, as PEM.
    pub identity: Vec<u8>,
}

/// Writes a kubeconfig. JSON is YAML, and every client reads it.
pub(super) fn write(
    path: &Path,
    server: &str,
    authority: &Authority,
    settings: &Settings,
) -> Result<(), Error> {
    refuse_foreign(path, settings)?;
    let encoded = |pem: &str| base64::encode(pem.as_bytes());
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": NAME, "preferences": {},
        "clusters": [{
            "name": NAME,
            "cluster": {"server": server, "certificate-authority-data": encoded(&authority.certificate)},
        }],
        "users": [{
            "name": NAME,
            "user": {
                "client-certificate-data": encoded(&authority.administrator.certificate),
                "client-key-data": encoded(&authority.administrator.key),
            },
        }],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME, "namespace": "default"}}],
    });
    // It holds a key.
    begin_private_file(path, settings, format!("{config:#}\n").as_bytes())?;
    Ok(())
}

/// Refuses a file with anything but an earlier cluster of this program in it.
fn refuse_foreign(path: &Path, settings: &Settings) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let contexts = read_value(path, settings).ok().map(|config| {
        let contexts = config["contexts"].as_array().map(Vec::as_slice).unwrap_or_default();
        config["kind"] == "Config"
            && !contexts.is_empty()
            && contexts.iter().all(|context| context["name"] == NAME)
    });
    if contexts == Some(true) {
        return Ok(());
    }
    Err(Error::new(format!(
        "{} exists and is not a kubeconfig of `fbc cluster`: its content would be lost",
        path.display()
    ))
    .help("name a new file; `KUBECONFIG=one:other` lets clients use both"))
}

fn read_value(path: &Path, settings: &Settings) -> Result<Value, Error> {
    let text = input::file::read_text(path, settings)?;
    let bad = |text: String| Error::new(format!("{} is not a kubeconfig: {text}", path.display()));
    let found = fbc_kubectl::run::read_manifests(&path.display().to_string(), text.as_bytes())
        .map_err(|error| bad(error.to_string()))?;
    found.into_iter().next().ok_or_else(|| bad("it is empty".to_owned()))
}

impl Kubeconfig {
    /// Reads a kubeconfig that a served cluster wrote.
    pub fn read(path: &Path, settings: &Settings) -> Result<Self, Error> {
        let config = read_value(path, settings)?;
        let text = |list: &str, kind: &str, field: &str| {
            let found = config[list].as_array().into_iter().flatten().find(|one| one["name"] == NAME);
            found.and_then(|one| one[kind][field].as_str()).map(str::to_owned).ok_or_else(|| {
                Error::new(format!("{} has no cluster named {NAME}", path.display()))
                    .help("it must be the file of a running `fbc cluster up`")
            })
        };
        let decoded = |text: String| {
            base64::decode(&text).map_err(|error| Error::new(format!("{}: {error}", path.display())))
        };
        let server = text("clusters", "cluster", "server")?;
        let authority = decoded(text("clusters", "cluster", "certificate-authority-data")?)?;
        let mut identity = decoded(text("users", "user", "client-key-data")?)?;
        identity.extend(decoded(text("users", "user", "client-certificate-data")?)?);
        Ok(Self { server, authority, identity })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r#"{"kind": "Config", "contexts": [{"name": "fbc"}], "clusters": [{"name": "fbc", "cluster": {
        "server": "https://127.0.0.1:6443", "certificate-authority-data": "YQ=="}}], "users": [{"name": "fbc", "user": {
        "client-certificate-data": "Yg==", "client-key-data": "Yw=="}}]}"#;

    #[test]
    fn what_is_wrong_in_a_file_changes_one_value_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, settings) = (folder.path().join("kubeconfig"), Settings::default());
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Kubeconfig::read(&path, &settings)
        };
        let whole = read(CONFIG).unwrap();
        assert_eq!(whole.identity, b"cb");
        assert!(refuse_foreign(&path, &settings).is_ok());
        for broken in fbc_testing::broken_variants(CONFIG) {
            let (config, overwritten) = (read(&broken), refuse_foreign(&path, &settings));
            // Half a file is no kubeconfig, and not one of this program to write over.
            let is_cut_off = CONFIG.starts_with(&broken);
            assert!(!is_cut_off || config.is_err() && overwritten.is_err(), "{broken}");
            if let Ok(config) = &config {
                let same = [
                    config.server == whole.server,
                    config.authority == whole.authority,
                    config.identity == whole.identity,
                ];
                assert!(same.iter().filter(|same| **same).count() >= 2, "{broken}");
            }
            for refused in [config.err(), overwritten.err()].into_iter().flatten() {
                assert!(refused.message().contains(&path.display().to_string()), "{}", refused.message());
            }
        }
    }
}
