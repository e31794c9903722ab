//! Which credentials are found for an image, from files and helpers.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn run<T>(future: impl Future<Output = T>) -> T {
    super::super::block_on(future).unwrap()
}

fn auth(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

fn shown(credentials: &Credentials, registry: &str, repository: &str) -> String {
    match run(credentials.find(registry, repository)) {
        Ok(Some(Credential { proof: Proof::Password { user, password }, origin })) => {
            format!("{user}/{} {}", password.reveal(), origin.entry)
        }
        Ok(Some(Credential { proof: Proof::IdentityToken(token), origin })) => {
            format!("identity {} {}", token.reveal(), origin.entry)
        }
        Ok(Some(Credential { proof: Proof::RegistryToken(token), origin })) => {
            format!("registry {} {}", token.reveal(), origin.entry)
        }
        Ok(None) => "-".to_owned(),
        Err(error) => error.problem.to_string(),
    }
}

fn read(text: &str) -> (tempfile::TempDir, Credentials) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("auth.json");
    fs::write(&path, text).unwrap();
    let paths = CredentialPaths {
        authfile: Some(path),
        program_folders: vec![folder.path().to_owned()],
        ..CredentialPaths::default()
    };
    let credentials = Credentials::read(&paths).unwrap();
    (folder, credentials)
}

#[test]
fn the_longest_match_wins() {
    let text = format!(
        r#"{{"auths": {{
            "quay.io": {{"auth": "{}"}}, "quay.io/ns": {{"auth": "{}"}}, "quay.io/ns/repo": {{"auth": "{}"}},
            "quay.io/empty": {{}}, "https://old.io/v1/": {{"auth": "{}"}}, "https://index.docker.io/v1/": {{"auth": "{}"}},
            "id.io": {{"identitytoken": "T"}}, "reg.io": {{"registrytoken": "R"}}, "plain.io": {{"username": "u", "password": "p"}},
            "bad.io": {{"auth": "%%"}}, "colon.io": {{"auth": "{}"}}, "zero.io": {{"auth": "{}"}}
        }}}}"#,
        auth("host:1"),
        auth("space:2"),
        auth("repo:3:4"),
        auth("old:5"),
        auth("hub:6"),
        auth("nothing"),
        auth("z:pw\0\0"),
    );
    let (_folder, credentials) = read(&text);
    for (registry, repository, expected) in [
        ("quay.io", "other/repo", "host/1 quay.io"),
        ("quay.io", "ns/other", "space/2 quay.io/ns"),
        ("quay.io", "ns/repo", "repo/3:4 quay.io/ns/repo"),
        ("quay.io", "ns/repo/below", "repo/3:4 quay.io/ns/repo"),
        ("quay.io", "nsx/repo", "host/1 quay.io"),
        ("quay.io", "empty/repo", "host/1 quay.io"),
        ("quay.io:443", "ns/repo", "-"),
        ("old.io", "a", "old/5 https://old.io/v1/"),
        ("docker.io", "library/alpine", "hub/6 https://index.docker.io/v1/"),
        ("id.io", "a", "identity T id.io"),
        ("reg.io", "a", "registry R reg.io"),
        ("plain.io", "a", "u/p plain.io"),
        ("zero.io", "a", "z/pw zero.io"),
        ("bad.io", "a", "the entry \"bad.io\" has an `auth` that is not base64"),
        ("colon.io", "a", "the entry \"colon.io\" has an `auth` without `:`"),
    ] {
        assert_eq!(shown(&credentials, registry, repository), expected, "{registry}/{repository}");
    }
}

#[test]
fn files_in_their_order() {
    let home = tempfile::tempdir().unwrap();
    let run_time = home.path().join("run");
    let write = |below: &str, user: &str, key: &str| {
        let path = home.path().join(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let entry = format!(r#"{{"{key}": {{"auth": "{}"}}}}"#, auth(&format!("{user}:x")));
        let text = if below == ".dockercfg" { entry } else { format!(r#"{{"auths": {entry}}}"#) };
        fs::write(path, text).unwrap();
    };
    let paths = CredentialPaths {
        home: Some(home.path().to_owned()),
        runtime_directory: Some(run_time),
        ..CredentialPaths::default()
    };
    for (below, user) in [
        (".dockercfg", "legacy"),
        (".docker/config.json", "docker"),
        (".config/containers/auth.json", "config"),
        ("run/containers/auth.json", "runtime"),
    ] {
        let key = if below == ".dockercfg" { "https://a.io/v1/" } else { "a.io" };
        write(below, user, key);
        let found = shown(&Credentials::read(&paths).unwrap(), "a.io", "x");
        assert_eq!(found, format!("{user}/x {key}"), "{below}");
    }
    write("named.json", "named", "b.io");
    let named = CredentialPaths { registry_auth_file: Some(home.path().join("named.json")), ..paths.clone() };
    let credentials = Credentials::read(&named).unwrap();
    assert_eq!(shown(&credentials, "b.io", "x"), "named/x b.io");
    assert_eq!(shown(&credentials, "a.io", "x"), "-");
    let missing = CredentialPaths { authfile: Some(home.path().join("none.json")), ..paths };
    assert!(matches!(Credentials::read(&missing).unwrap_err().problem, Problem::Io(_)));
}

#[test]
fn helpers_and_stores() {
    let (folder, credentials) = read(
        r#"{"auths": {"st.io": {}}, "credHelpers": {"h.io": "good", "gone.io": "gone", "none.io": "none", "sick.io": "sick", "half.io": "half"},
           "credsStore": "token"}"#,
    );
    let program = |name: &str, script: &str| {
        let path = folder.path().join(format!("docker-credential-{name}"));
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program(
        "good",
        r#"read -r server; echo "{\"ServerURL\":\"$server\",\"Username\":\"u-$1-$server\",\"Secret\":\"s\"}""#,
    );
    program("token", r#"echo '{"Username":"<token>","Secret":"refresh"}'"#);
    program("none", "echo 'credentials not found in native keychain'; exit 1");
    program("sick", "echo 'no keychain here'; exit 1");
    program("half", r#"echo '{"Username":"u","Secret":"hunter2"'; exit 3"#);
    for (registry, expected) in [
        ("h.io", "u-get-h.io/s h.io"),
        ("st.io", "identity refresh st.io"),
        ("docker.io", "identity refresh https://index.docker.io/v1/"),
        ("none.io", "-"),
        (
            "gone.io",
            "the credential helper docker-credential-gone is not in PATH; install it or remove it from the file",
        ),
        ("sick.io", "the credential helper docker-credential-sick failed for sick.io: no keychain here"),
        ("half.io", "the credential helper docker-credential-half failed for half.io: exit status: 3"),
    ] {
        assert_eq!(shown(&credentials, registry, "x"), expected, "{registry}");
    }
    program("endless", "exec cat /dev/zero");
    program("silent", "exec sleep 60");
    let folders = [folder.path().to_path_buf()];
    for (helper, patience, expected) in [
        ("endless", 60_000, "cannot be run: it answers with more than 1048576 bytes"),
        ("silent", 20, "does not answer within 0.02 s"),
    ] {
        let patience = std::time::Duration::from_millis(patience);
        let name = format!("docker-credential-{helper}");
        let told = run(super::helper::ask(&name, "x.io", &folders, patience)).err().unwrap().to_string();
        assert!(told.ends_with(expected), "{told}");
    }
    let origin = run(credentials.origin("h.io", "x")).unwrap().unwrap().to_string();
    assert!(origin.starts_with("docker-credential-good for \"h.io\", named in "), "{origin}");
}

#[test]
fn no_secret_is_shown() {
    let (_folder, credentials) = read(&format!(
        r#"{{"auths": {{"a.io": {{"auth": "{}"}}, "b.io": {{"identitytoken": "hunter2"}}, "c.io": {{"username": "u", "password": "hunter2"}}}}}}"#,
        auth("user:hunter2")
    ));
    let mut added = Credentials::none();
    added.add("d.io", "--creds", "u", "hunter2");
    let mut seen = format!("{credentials:?} {added:?}");
    for registry in ["a.io", "b.io", "c.io"] {
        let credential = run(credentials.find(registry, "x")).unwrap().unwrap();
        seen += &format!("{credential:?} {}", credential.origin);
    }
    assert!(!seen.contains("hunter2") && !seen.contains(&auth("user:hunter2")), "{seen}");
}

#[test]
fn damaged_files_are_named_and_not_quoted() {
    for (text, expected) in [
        ("{\"auths\": {\"a.io\": {\"auth\": hunter2}}}", "no JSON at line 1, column 29"),
        ("{\"auths\": {\"a.io\": \"hunter2\"}}", "an unexpected kind of value at line 1, column 28"),
    ] {
        let error = AuthFile::parse(Path::new("/x/auth.json"), false, text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot take credentials from /x/auth.json: {expected}"));
    }
    assert!(AuthFile::parse(Path::new("x"), false, b" \n").is_ok());
}

#[test]
fn an_added_credential_is_for_its_registry() {
    let (_folder, mut credentials) = read(&format!(
        r#"{{"auths": {{"a.io": {{"auth": "{}"}}, "b.io": {{"auth": "{}"}}}}}}"#,
        auth("file:1"),
        auth("file:2")
    ));
    credentials.add("a.io", "--src-creds", "all", "3");
    credentials.add("a.io/ns/one", "--dest-creds", "one", "4");
    for (registry, repository, expected) in [
        ("a.io", "ns/one", "one/4 --dest-creds"),
        ("a.io", "ns/one/below", "one/4 --dest-creds"),
        ("a.io", "ns/ones", "all/3 --src-creds"),
        ("b.io", "ns/one", "file/2 b.io"),
        ("a.io:5000", "ns/one", "-"),
    ] {
        assert_eq!(shown(&credentials, registry, repository), expected, "{registry}/{repository}");
    }
}
