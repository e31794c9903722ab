//! `fbc doctor` on machines that are made for it: an empty one, a good one and a broken one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

/// A home directory with nothing in it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path("work")).unwrap();
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// The exit code, and what is written, with the home directory as `~`.
    fn doctor(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
        let output = crate::fbc()
            .arg("doctor")
            .args(arguments)
            .current_dir(self.path("work"))
            .env("HOME", self.path(""))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("PATH", "")
            .envs(variables.iter().copied())
            .output();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let home = self.path("").display().to_string();
        (output.status.code().unwrap(), text.replace(home.trim_end_matches('/'), "~"))
    }
}

#[test]
fn nothing_is_wrong_with_an_empty_home() {
    let (code, text) = Home::new().doctor(&[], &[]);
    assert_eq!(code, 0, "{text}");
    for part in [
        "  warning  git: not found\n           help: install it",
        "  note     no fbc.toml here or above",
        "  note     none: only public images can be pulled",
        "~/.config/containers/auth.json, ~/.docker/config.json, ~/.dockercfg)",
        "  ok       ~/.cache/fbc/blobs: 0 blobs, 0 bytes",
        "\n0 errors, 1 warning\n",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn what_is_found_is_told_without_secrets() {
    let home = Home::new();
    let secret = "bWU6dmVyeS1zZWNyZXQ=";
    let auth = format!(
        r#"{{"auths": {{"quay.io/me": {{"auth": "{secret}"}}, "b.io": {{"identitytoken": "hidden"}}}}}}"#
    );
    home.write(".config/containers/auth.json", &auth);
    home.write(
        ".config/containers/registries.conf",
        "[[registry]]\nlocation = \"quay.io\"\n[[registry.mirror]]\nlocation = \"mirror.local:5000/quay\"\ninsecure = true\n",
    );
    home.write("work/fbc.toml", "profile = \"strict\"\n");
    let variables = [("HTTPS_PROXY", "http://me:hidden@proxy:3128"), ("FBC_OFFLINE", "1")];
    let (code, text) = home.doctor(&[], &variables);
    assert_eq!(code, 0, "{text}");
    for part in [
        "  ok       ~/.config/containers/auth.json: b.io (token), quay.io/me\n",
        "  ok       configuration: ~/work/fbc.toml\n",
        "  ok       quay.io is pulled from mirror.local:5000/quay\n",
        "  warning  mirror.local:5000/quay is `insecure`",
        "  note     proxy for HTTPS: http://proxy:3128\n",
        "  note     no registry is asked, because of --offline or FBC_OFFLINE",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let (_, json) = home.doctor(&["-o", "json", "quay.io/me/catalog:v1"], &variables);
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&document["schemaVersion"], &document["errors"]), (&1.into(), &0.into()));
    assert!(json.contains("quay.io/me/catalog is asked with entry \\\"quay.io/me\\\" of"), "{json}");
    let (_, given) = home.doctor(&["--creds", "me:very-secret", "quay.io/me/catalog:v1"], &variables);
    assert!(given.contains("quay.io/me/catalog is asked with --creds"), "{given}");
    for text in [&text, &json] {
        assert!(
            !text.contains(secret) && !text.contains("hidden") && !text.contains("very-secret"),
            "{text}"
        );
    }
}

#[test]
fn what_is_wrong_is_an_error_with_a_way_out() {
    let home = Home::new();
    home.write(".config/containers/auth.json", r#"{"auths": {"a.io": {"auth": "%"}}, "credsStore": "lost"}"#);
    fs::set_permissions(home.path(".config/containers/auth.json"), fs::Permissions::from_mode(0o644))
        .unwrap();
    home.write(".docker/config.json", "{");
    home.write(".config/containers/certs.d/a.io/ca.crt", "nothing");
    home.write(".config/containers/registries.conf", "[registries.search]\n");
    home.write("work/fbc.toml", "profil = \"strict\"\n");
    let (code, text) = home.doctor(&[], &[]);
    assert_eq!(code, 1, "{text}");
    for part in [
        "docker-credential-lost, which ~/.config/containers/auth.json names for *, is not in PATH",
        "the entry \"a.io\" of ~/.config/containers/auth.json has an `auth` that is not base64",
        "warning  ~/.config/containers/auth.json can be read by other users of this machine\n           help: chmod 600",
        "~/.docker/config.json",
        "ca.crt: it holds no certificate in PEM",
        "version 1 of the format",
        "did you mean `profile`?",
        "\n6 errors, 2 warnings\n",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}
