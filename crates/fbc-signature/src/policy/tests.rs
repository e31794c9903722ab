//! What policies say, and what is not a policy.

use serde_json::json;

use super::*;

fn name(text: &str) -> ImageName {
    ImageName::parse(text).unwrap()
}

#[test]
fn the_longest_scope_counts() {
    let policy = json!({
        "default": [{"type": "reject"}],
        "transports": {
            "docker": {
                "": [{"type": "insecureAcceptAnything"}],
                "q.io": [{"type": "signedBy", "keyType": "GPGKeys", "keyPath": "/k"}],
                "q.io/a": [{"type": "sigstoreSigned", "keyPath": "/k", "signedIdentity": {"type": "matchRepository"}}],
                "q.io/a/b:v1": [{"type": "reject"}],
                "*.example": [{
                    "type": "sigstoreSigned",
                    "fulcio": {"caPath": "/ca", "oidcIssuer": "https://i", "subjectEmail": "a@b"},
                    "rekorPublicKeyDatas": ["eA=="],
                }],
            },
            "oci": {"/x": [{"type": "reject"}]},
        },
    });
    let policy = Policy::read(policy.to_string().as_bytes()).unwrap();
    for (image, scope) in [
        ("q.io/a/b:v1", "transports.docker.\"q.io/a/b:v1\""),
        ("q.io/a/b:v2", "transports.docker.\"q.io/a\""),
        ("q.io/ab:v2", "transports.docker.\"q.io\""),
        ("r.example:5000/x:1", "transports.docker.\"*.example\""),
        ("else.io/x:1", "transports.docker.\"\""),
    ] {
        assert_eq!(policy.requirements(&name(image)).1, scope, "{image}");
    }
    let of = |image: &str| policy.requirements(&name(image)).0.to_vec();
    let place = |path: &str| KeySource::Path(PathBuf::from(path));
    let signed_by = Requirement::SignedBy { keys: vec![place("/k")], identity: SignedIdentity::default() };
    assert_eq!(of("q.io/x:1"), [signed_by]);
    let fulcio = Signers::Fulcio {
        authorities: place("/ca"),
        issuer: "https://i".to_owned(),
        email: "a@b".to_owned(),
    };
    let logs = vec![KeySource::Data(b"x".to_vec())];
    let identity = SignedIdentity::default();
    assert_eq!(of("r.example/x:1"), [Requirement::SigstoreSigned { signers: fulcio, logs, identity }]);
    let signers = Signers::Keys(vec![place("/k")]);
    let identity = SignedIdentity::MatchRepository;
    assert_eq!(of("q.io/a:1"), [Requirement::SigstoreSigned { signers, logs: Vec::new(), identity }]);
    let strict = Policy::read(br#"{"default": [{"type": "reject"}]}"#).unwrap();
    assert_eq!(strict.requirements(&name("a")), (&[Requirement::Reject][..], "default".to_owned()));
}

#[test]
fn what_is_not_a_policy() {
    let of = |requirement: Value| json!({ "default": [requirement] }).to_string();
    let identity =
        |identity: Value| of(json!({"type": "sigstoreSigned", "keyPath": "a", "signedIdentity": identity}));
    for (text, expected) in [
        ("{}".to_owned(), "missing field `default`"),
        (r#"{"default": []}"#.to_owned(), "default: the list of requirements is empty"),
        (r#"{"default": [{"type": "reject"}], "x": 1}"#.to_owned(), "unknown field `x`"),
        (of(json!({})), "default: a requirement has no type"),
        (of(json!({"type": "reject", "x": 1})), "default: reject has no other fields"),
        (of(json!({"type": "other"})), "default: the type \"other\" is not known"),
        (of(json!({"type": "sigstoreSigned"})), "default: sigstoreSigned: exactly one of keyPath"),
        (
            of(json!({"type": "sigstoreSigned", "keyPath": "a", "keyData": "eA=="})),
            "default: sigstoreSigned: exactly one of",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyPath": "a", "keyPaths": ["b"]})),
            "default: sigstoreSigned: exactly one of",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyPaths": ["a"], "keyDatas": ["eA=="]})),
            "default: sigstoreSigned: exactly one of",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyData": "!"})),
            "default: sigstoreSigned: a key or certificate is not base64",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyPaths": []})),
            "default: sigstoreSigned: the list of keyPath",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyPath": "a", "pki": {}})),
            "default: sigstoreSigned: exactly one of keyPath, keyPaths, keyData, keyDatas, fulcio and pki",
        ),
        (
            of(json!({"type": "sigstoreSigned", "fulcio": {}})),
            "default: sigstoreSigned: fulcio needs one of rekorPublicKeyPath",
        ),
        (
            of(json!({"type": "sigstoreSigned", "fulcio": {"oidcIssuer": "i"}, "rekorPublicKeyPath": "r"})),
            "default: sigstoreSigned: fulcio: subjectEmail is missing",
        ),
        (
            of(json!({
                "type": "sigstoreSigned",
                "fulcio": {"oidcIssuer": "i", "subjectEmail": "e"},
                "rekorPublicKeyPath": "r",
            })),
            "default: sigstoreSigned: fulcio: exactly one of caPath and caData",
        ),
        (
            of(json!({"type": "sigstoreSigned", "pki": {"caRootsPath": "r"}})),
            "default: sigstoreSigned: pki: subjectEmail or subjectHostname",
        ),
        (
            of(json!({
                "type": "sigstoreSigned",
                "pki": {"caRootsPath": "r", "subjectEmail": "e"},
                "rekorPublicKeyPath": "r",
            })),
            "default: sigstoreSigned: pki has no Rekor keys",
        ),
        (
            of(json!({"type": "sigstoreSigned", "key": "!"})),
            "default: sigstoreSigned: unknown field `key`",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyPath": "a", "signedIdentity": {"type": "x"}})),
            "default: sigstoreSigned: unknown variant `x`",
        ),
        (
            of(json!({"type": "sigstoreSigned", "keyPath": "a", "signedIdentity": {"type": "matchExact", "prefix": "x"}})),
            "default: sigstoreSigned: signedIdentity: matchExact has no other fields",
        ),
        (identity(json!({"type": "exactReference", "dockerReference": "q.io/a"})), "default: sigstoreSigned: signedIdentity: dockerReference \"q.io/a\" has neither"),
        (identity(json!({"type": "exactReference", "dockerReference": "Q q"})), "default: sigstoreSigned: signedIdentity: dockerReference \"Q q\" is not"),
        (identity(json!({"type": "exactRepository", "dockerRepository": "q.io/A"})), "default: sigstoreSigned: signedIdentity: dockerRepository"),
        (identity(json!({"type": "remapIdentity", "prefix": "q.io/a:1", "signedPrefix": "q.io"})), "default: sigstoreSigned: signedIdentity: the prefix \"q.io/a:1\""),
        (identity(json!({"type": "remapIdentity", "prefix": "q.io", "signedPrefix": "q.io/"})), "default: sigstoreSigned: signedIdentity: the prefix \"q.io/\""),
        (r#"{"default": [{"type": "reject", "type": "insecureAcceptAnything"}]}"#.to_owned(), "\"type\" is set twice"),
        (
            r#"{"default": [{"type": "reject"}], "transports": {"docker": {"q.io": [{"type": "reject"}], "q.io": [{"type": "reject"}]}}}"#.to_owned(),
            "\"q.io\" is set twice",
        ),
    ] {
        let error = Policy::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}
