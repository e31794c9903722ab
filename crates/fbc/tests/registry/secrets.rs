//! Passwords, tokens and passphrases are in no output and no file, whatever comes of a command.

use std::fs;
use std::path::Path;
use std::process::Output;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::support::{Place, done, registry_with_catalog, testdata};

const PASSWORD: &str = "tr0ub4dor-of-the-registry";
const WRONG: &str = "wr0ng-for-the-registry";
const PASSPHRASE: &str = "passphr4se-of-the-key";
const PROXY: &str = "s3cret-of-the-proxy";

/// Every form in which the secrets may show.
fn secrets() -> Vec<String> {
    let encoded = [PASSWORD, WRONG].map(|password| STANDARD.encode(format!("me:{password}")));
    let plain = [PASSWORD, WRONG, PASSPHRASE, PROXY].map(str::to_owned);
    plain.into_iter().chain(encoded).collect()
}

fn check(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in secrets() {
        assert!(!text.contains(&secret), "{what} shows {secret}: {text}");
    }
}

/// Looks into every file below a directory but those that hold the secrets on purpose.
fn search(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path);
        } else if !path.file_name().unwrap().to_string_lossy().starts_with("secret-") {
            check(&path.display().to_string(), &fs::read(&path).unwrap());
        }
    }
}

#[test]
fn no_secret_is_in_an_output_or_a_file() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    {
        let mut state = registry.state.lock().unwrap();
        state.wanted = Some(format!("Basic {}", STANDARD.encode(format!("me:{PASSWORD}"))));
        state.challenge = "Basic realm=\"r\"".to_owned();
    }
    let host = registry.host.clone();
    let entry = |password: &str| {
        format!(r#"{{"auths":{{"{host}":{{"auth":"{}"}}}}}}"#, STANDARD.encode(format!("me:{password}")))
    };
    place.write("secret-auth.json", entry(PASSWORD));
    place.write("secret-wrong.json", entry(WRONG));
    place.write("secret-damaged.json", entry(PASSWORD).replace("}}", "}"));
    place.write("secret-passphrase", PASSPHRASE);
    place.write("secret-wrong-passphrase", WRONG);
    done(place.fbc(&["sign", "--generate-key", "release", "--passphrase-file", "secret-passphrase"]));
    let sample = testdata("sample-catalog");
    let (copy, built) = (format!("{host}/copy/a:v1"), format!("{host}/built/a:v1"));
    let mirrored = format!("{host}/mirrored");
    let commands = [
        vec!["render", &image],
        vec!["validate", &image, "-o", "json"],
        vec!["images", &image],
        vec!["pull", &image, "oci:pulled:v1"],
        vec!["push", &image, "-t", &copy],
        vec!["build", &sample, "--push", "-t", &built],
        vec!["mirror", &image, "--to", &mirrored, "--skip-missing"],
        vec!["sign", &image, "--key", "release.key", "--passphrase-file", "secret-passphrase"],
        vec!["sign", &image, "--key", "release.key", "--passphrase-file", "secret-wrong-passphrase"],
        vec!["verify", &image, "--key", "release.pub"],
    ];
    let right = format!("me:{PASSWORD}");
    let wrong = format!("me:{WRONG}");
    let logins = [
        ["--creds", &right],
        ["--creds", &wrong],
        ["--authfile", "secret-auth.json"],
        ["--authfile", "secret-wrong.json"],
        ["--authfile", "secret-damaged.json"],
    ];
    let mut succeeded = 0;
    for command in &commands {
        for login in &logins {
            let common = ["-v", "--plain-http", "--retry", "0"];
            let Output { status, stdout, stderr } =
                place.fbc(&[command.as_slice(), login.as_slice(), &common].concat());
            succeeded += usize::from(status.success());
            check(&format!("{command:?} {login:?}"), &[stdout, stderr].concat());
        }
    }
    // The right ones work, so the secrets were there to be shown.
    assert!(succeeded >= 14, "{succeeded}");
    let mut through_proxy =
        place.command(&["render", "http.invalid/a:v1", "-v", "--plain-http", "--retry", "0"]);
    let proxy = format!("http://me:{PROXY}@127.0.0.1:1");
    let output = through_proxy.env("HTTP_PROXY", &proxy).env("HTTPS_PROXY", &proxy).output().unwrap();
    assert!(!output.status.success());
    check("a proxy", &[output.stdout, output.stderr].concat());
    search(place.path());
}

#[cfg(unix)]
#[test]
fn a_private_key_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let mut command = place.command(&["sign", "--generate-key", "release"]);
    done(command.env("COSIGN_PASSWORD", "").output().unwrap());
    let mode = |name: &str| fs::metadata(place.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("release.key"), mode("release.pub")), (0o600, 0o644));
    // A key that is there is never replaced.
    let before = fs::read(place.path().join("release.key")).unwrap();
    let mut command = place.command(&["sign", "--generate-key", "release"]);
    assert_eq!(command.env("COSIGN_PASSWORD", "").output().unwrap().status.code(), Some(2));
    assert_eq!(fs::read(place.path().join("release.key")).unwrap(), before);
}
