//! Signatures of GnuPG's: `signedBy` in a policy, and the store that `registries.d` names.

use std::process::Command;

use fbc_testing::is_installed;
use serde_json::json;

use super::support::{Place, done, refused, registry_with_catalog};

/// A home of GnuPG with the keys `release` and `other`.
struct Keys<'p>(&'p Place);

impl<'p> Keys<'p> {
    fn new(place: &'p Place) -> Self {
        let home = place.path().join("gnupg");
        std::fs::create_dir(&home).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        let keys = Self(place);
        for (name, kind) in [("release", "ed25519"), ("other", "rsa2048")] {
            let address = format!("{name}@example.com");
            keys.gpg(&["--passphrase", "", "--quick-gen-key", &address, kind, "sign", "never"]);
            keys.gpg(&["--armor", "--output", &format!("{name}.asc"), "--export", &address]);
            keys.gpg(&["--output", &format!("{name}.gpg"), "--export", &address]);
        }
        keys
    }

    fn gpg(&self, arguments: &[&str]) {
        let mut command = Command::new("gpg");
        command.args(["--batch", "--yes", "--quiet", "--pinentry-mode", "loopback"]).args(arguments);
        let home = self.0.path().join("gnupg");
        let output = command.current_dir(self.0.path()).env("GNUPGHOME", home).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Puts a signature into the store.
    fn sign(&self, key: &str, digest: &str, number: usize, payload: &serde_json::Value) {
        let file = format!("store/me/catalog@{}/signature-{number}", digest.replace(':', "="));
        self.0.write("payload.json", payload.to_string());
        self.0.write(&file, "");
        let address = format!("{key}@example.com");
        self.gpg(&["--local-user", &address, "--output", &file, "--sign", "payload.json"]);
    }
}

fn payload(reference: &str, digest: &str) -> serde_json::Value {
    json!({
        "critical": {
            "identity": {"docker-reference": reference}, "image": {"docker-manifest-digest": digest},
            "type": "atomic container signature",
        },
        "optional": {"creator": "a test", "timestamp": 1_700_000_000},
    })
}

#[test]
fn signatures_of_gnupg_are_asked_for_by_pull_push_and_mirror() {
    if !is_installed("gpg") {
        return fbc_testing::skip("gpg is not installed");
    }
    let place = Place::new();
    let keys = Keys::new(&place);
    let (registry, image, digest) = registry_with_catalog(&place);
    let store = place.path().join("store");
    place.write(
        "registries.d/all.yaml",
        format!("default-docker: {{lookaside: 'file://{}'}}\n", store.display()),
    );
    let policy = |key: &str| {
        let signed = json!({"type": "signedBy", "keyType": "GPGKeys", "keyPath": place.path().join(key)});
        place.write("policy.json", json!({"default": [signed]}).to_string());
    };
    let target = format!("{}/copied/catalog:v1", registry.host);
    let mirror = format!("{}/m", registry.host);
    let commands = [
        vec!["pull", &image, "oci:pulled", "-q"],
        vec!["push", &image, "-t", &target, "-q"],
        vec!["mirror", "--image", &image, "--to", &mirror],
    ];
    let flags = ["--signature-policy", "policy.json", "--registries-d", "registries.d"];
    let run = |command: &[&str]| place.plain(&[command, &flags].concat());
    policy("release.asc");
    let told = refused(&run(&commands[0]), 1);
    assert!(told.contains("asks for a signature of GnuPG: it has no signatures"), "{told}");
    let other = format!("sha256:{}", "0".repeat(64));
    keys.sign("other", &digest, 1, &payload(&image, &digest));
    keys.sign("release", &digest, 2, &payload(&image, &other));
    keys.sign("release", &digest, 3, &payload("quay.io/another/name:v1", &digest));
    for command in &commands {
        let code = if command[0] == "mirror" { 2 } else { 1 };
        let told = refused(&run(command), code);
        for reason in [
            "invalid signature",
            "a signature is for sha256:000",
            "a signature is for the name quay.io/another",
        ] {
            assert!(told.contains(reason), "{told}");
        }
    }
    keys.sign("release", &digest, 4, &payload(&image, &digest));
    for key in ["release.asc", "release.gpg"] {
        policy(key);
        for command in &commands {
            done(run(command));
        }
    }
    policy("other.gpg");
    done(run(&commands[0]));
    place.write("none.asc", "no key");
    policy("none.asc");
    let told = refused(&run(&commands[0]), 2);
    assert!(told.contains("holds no key of OpenPGP"), "{told}");
}
