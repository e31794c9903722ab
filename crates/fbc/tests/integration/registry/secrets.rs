//! Passwords, tokens and passphrases are in no output and no file, whatever comes of a command.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_testing::Fbc;
use fbc_testing::registry::Registry;

use super::logins::catalog_naming;
use super::support::{Place, done, registry_with_catalog, testdata};

const PASSWORD: &str = "tr0ub4dor-of-the-registry";
const WRONG: &str = "wr0ng-for-the-registry";
const PASSPHRASE: &str = "passphr4se-of-the-key";
const PROXY: &str = "s3cret-of-the-proxy";

const TOKEN: &str = "issu3d-by-the-registry";
const REFRESH: &str = "refr3sh-of-the-user";

/// Every form in which the secrets may show.
fn secrets() -> Vec<String> {
    let encoded = [PASSWORD, WRONG].map(|password| STANDARD.encode(format!("me:{password}")));
    let plain = [PASSWORD, WRONG, PASSPHRASE, PROXY, TOKEN, REFRESH].map(str::to_owned);
    plain.into_iter().chain(encoded).collect()
}

fn check(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in secrets() {
        assert!(!text.contains(&secret), "{what} shows {secret}: {text}");
    }
}

/// What a command says, which shows none of the secrets; whether it succeeded.
fn run(mut command: Fbc) -> bool {
    let Output { status, stdout, stderr } = command.output();
    check(&format!("{command:?}"), &[stdout, stderr].concat());
    status.success()
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
            let words = [command.as_slice(), login.as_slice(), &common].concat();
            succeeded += usize::from(run(place.command(&words)));
        }
    }
    // The right ones work, so the secrets were there to be shown.
    assert!(succeeded >= 14, "{succeeded}");
    let mut through_proxy =
        place.command(&["render", "http.invalid/a:v1", "-v", "--plain-http", "--retry", "0"]);
    let proxy = format!("http://me:{PROXY}@127.0.0.1:1");
    through_proxy.env("HTTP_PROXY", &proxy).env("HTTPS_PROXY", &proxy);
    assert!(!run(through_proxy));
    search(place.path());
}

/// Tokens that a registry issues, those with which they are asked for, and passwords of credential helpers.
#[test]
fn tokens_and_what_they_are_got_with_are_hidden() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    let host = &registry.host;
    let right = format!(r#"{{"token":"{TOKEN}","expires_in":300}}"#);
    {
        let mut state = registry.state.lock().unwrap();
        state.wanted = Some(format!("Bearer {TOKEN}"));
        state.challenge = format!("Bearer realm=\"http://{host}/token\",service=\"s\"");
    }
    let entry = |entry: &str| format!(r#"{{"auths":{{"{host}":{entry}}}}}"#);
    place.write("secret-identity.json", entry(&format!(r#"{{"identitytoken":"{REFRESH}"}}"#)));
    place.write("secret-registry.json", entry(&format!(r#"{{"registrytoken":"{TOKEN}"}}"#)));
    place.write("secret-odd.json", entry(&format!(r#"{{"identitytoken":["{REFRESH}"]}}"#)));
    let programs = tempfile::tempdir().unwrap();
    for (name, script) in [
        ("right", format!(r#"echo '{{"Username":"me","Secret":"{PASSWORD}"}}'"#)),
        ("token", format!(r#"echo '{{"Username":"<token>","Secret":"{REFRESH}"}}'"#)),
        ("half", format!(r#"echo '{{"Username":"me","Secret":"{PASSWORD}"'"#)),
        (
            "broken",
            format!(r#"echo '{{"Username":"me","Secret":"{PASSWORD}"}}'; echo {PASSWORD} >&2; exit 1"#),
        ),
    ] {
        let path = programs.path().join(format!("docker-credential-{name}"));
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        place.write(&format!("helper-{name}.json"), format!(r#"{{"credHelpers":{{"{host}":"{name}"}}}}"#));
    }
    let copy = format!("{host}/copy/a:v1");
    let commands = [
        vec!["render", &image],
        vec!["pull", &image, "oci:pulled:v1"],
        vec!["push", &image, "-t", &copy],
        vec!["pin", "catalog", "--dry-run"],
    ];
    let bundle = format!("schema: olm.bundle\nname: a.v1\npackage: a\nimage: {image}\n");
    place.write("catalog/catalog.yaml", bundle);
    // What the token server answers: the token, one that is not believed, none, and a refusal that no one expects.
    let answers = [
        (200, right.clone()),
        (200, right.replace(TOKEN, REFRESH)),
        (200, format!("\"{TOKEN}\"")),
        (200, format!(r#"{{"token":"{TOKEN}","expires_in":"{TOKEN}"}}"#)),
        (401, String::new()),
        (500, String::new()),
    ];
    let mut succeeded = Vec::new();
    for login in [
        "secret-identity",
        "secret-registry",
        "secret-odd",
        "helper-right",
        "helper-token",
        "helper-half",
        "helper-broken",
    ] {
        for answer in &answers {
            registry.state.lock().unwrap().tokens = [answer.clone()].into();
            for command in &commands {
                let login = format!("{login}.json");
                let common = ["-v", "--plain-http", "--retry", "0", "--authfile", &login];
                done(place.fbc(&["cache", "clean"]));
                let mut command = place.command(&[command.as_slice(), &common].concat());
                command.programs_in(programs.path());
                if run(command) {
                    succeeded.push(login);
                }
            }
        }
    }
    succeeded.dedup();
    // All that are whole work, so the secrets were there to be shown.
    let working = ["secret-identity", "secret-registry", "helper-right", "helper-token"];
    assert_eq!(succeeded, working.map(|name| format!("{name}.json")));
    assert!(registry.state.lock().unwrap().last_form.contains(REFRESH));
    search(place.path());
}

/// A user at each end of a copy, a server, and a passphrase in the environment.
#[test]
fn both_ends_servers_and_passphrases_are_hidden() {
    let place = Place::new();
    let (from, to, open) = (Registry::in_thread(), Registry::in_thread(), Registry::in_thread());
    let (bundle, image) = (format!("{}/me/bundle:v1", open.host), format!("{}/me/catalog:v1", from.host));
    place.write("content/x", "x");
    done(place.plain(&["build", "content", "--no-validate", "--push", "-q", "-t", &bundle]));
    catalog_naming(&place, &bundle);
    done(place.plain(&["build", "catalog", "--push", "-q", "-t", &image]));
    for (registry, password) in [(&from, PASSWORD), (&to, WRONG)] {
        let mut state = registry.state.lock().unwrap();
        state.wanted = Some(format!("Basic {}", STANDARD.encode(format!("me:{password}"))));
        state.challenge = "Basic realm=\"r\"".to_owned();
    }
    let (source, destination) = (format!("me:{PASSWORD}"), format!("me:{WRONG}"));
    let copy = format!("{}/copy/a:v1", to.host);
    let prefix = format!("{}/mirrored", to.host);
    let common = ["-v", "--plain-http", "--retry", "0"];
    let mut succeeded = 0;
    for command in [
        vec!["push", &image, "-t", &copy],
        vec!["mirror", &image, "--to", &prefix],
        vec!["mirror", &image, "--to", &prefix, "-p", "a", "--target-catalog", "part:v1"],
    ] {
        for (at_source, at_destination) in
            [(&source, &destination), (&destination, &destination), (&source, &source)]
        {
            let logins = ["--src-creds", at_source, "--dest-creds", at_destination];
            succeeded += usize::from(run(place.command(&[&command[..], &logins, &common].concat())));
        }
    }
    assert_eq!(succeeded, 3, "the right ones");
    // A server, which is ended when it serves.
    for (login, serves) in [(&source, true), (&destination, false)] {
        let serve = ["serve", &image, "--http", "127.0.0.1:0", "--poll", "never", "--creds", login];
        let mut child = place.command(&[&serve[..], &common].concat()).stderr(Stdio::piped()).spawn();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut told = String::new();
        let is_up = lines.any(|line| {
            told.push_str(&line);
            line.contains("serving api=\"http\"")
        });
        assert_eq!(is_up, serves, "{told}");
        child.kill().unwrap();
        told.extend(lines);
        child.wait().unwrap();
        check("fbc serve", told.as_bytes());
    }
    let words = [
        vec!["sign", "--generate-key", "key"],
        vec!["sign", &image, "--key", "key.key", "--creds", &source],
        vec!["sign", "--key", "key.key", "--public-key"],
    ];
    for (passphrase, expected) in [(PASSPHRASE, [true; 3]), (WRONG, [false; 3])] {
        let outcomes = words.each_ref().map(|words| {
            let mut command = place.command(&[&words[..], &common].concat());
            command.env("COSIGN_PASSWORD", passphrase);
            run(command)
        });
        assert_eq!(outcomes, expected);
    }
    search(place.path());
}

#[test]
fn a_private_key_is_for_its_owner_alone() {
    let place = Place::new();
    let mut command = place.command(&["sign", "--generate-key", "release"]);
    done(command.env("COSIGN_PASSWORD", "").output());
    let mode = |name: &str| fs::metadata(place.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("release.key"), mode("release.pub")), (0o600, 0o644));
    // A key that is there is never replaced.
    let before = fs::read(place.path().join("release.key")).unwrap();
    let mut command = place.command(&["sign", "--generate-key", "release"]);
    assert_eq!(command.env("COSIGN_PASSWORD", "").output().status.code(), Some(2));
    assert_eq!(fs::read(place.path().join("release.key")).unwrap(), before);
}
