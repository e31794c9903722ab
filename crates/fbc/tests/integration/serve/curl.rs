//! The queries of catalogd's documentation, with curl and jq over TLS, and the same questions asked of parts of a catalog.
//!
//! Source: `operator-framework/operator-controller:docs/howto/catalog-queries.md`, `catalog-queries-metas-endpoint.md`.

use std::process::Command;

use super::server::{Server, sample};

/// What jq makes of an answer, line by line.
fn asked(server: &Server, path: &str, options: &str, query: &str) -> Vec<String> {
    let script = format!("curl -sSfk {options} \"$1\" | jq {query}");
    let url = format!("https://{}/catalogs/sample/api/v1/{path}", server.addresses[0]);
    let output = Command::new("bash").args(["-o", "pipefail", "-c", &script, "bash", &url]).output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_queries_of_the_documentation_are_answered() {
    if !["curl", "jq", "bash"].into_iter().all(fbc_testing::is_installed) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let (certificate, key) =
        (file("tls.crt", made.cert.pem()), file("tls.key", made.signing_key.serialize_pem()));
    let reference = format!("sample={}", sample().display());
    let options = [
        "serve",
        &reference,
        "--http",
        "127.0.0.1:0",
        "--graphql",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
    ];
    let server = Server::start(&options, 1);
    let bundles = ["v1.0.0", "v1.1.0", "v1.1.1", "v1.2.0", "v2.0.0-rc.1"];
    let bundles = bundles.map(|version| format!("lighthouse-operator.{version}"));
    for (path, options, query, expected) in [
        (
            "all",
            "--compressed",
            r#"-rs '.[] | select( .schema == "olm.package") | .name'"#,
            vec!["lighthouse-operator", "tide-operator"],
        ),
        (
            "all",
            "",
            r#"-rs '.[] | select( .schema == "olm.bundle" ) | select( .package == "lighthouse-operator") | .name'"#,
            bundles.iter().map(String::as_str).collect(),
        ),
        (
            "all",
            "",
            r#"-rs '.[] | select( .package == "lighthouse-operator" ) | select( .schema == "olm.channel" ) | select( .name == "candidate" ) | .entries | .[] | .name'"#,
            vec!["lighthouse-operator.v2.0.0-rc.1", "lighthouse-operator.v1.2.0"],
        ),
        (
            "metas?schema=olm.channel&package=lighthouse-operator",
            "--compressed",
            "-r .name",
            vec!["stable", "candidate"],
        ),
        (
            "metas?schema=olm.bundle&package=tide-operator&fields=image,properties.type",
            "",
            "-c '[keys, (.properties | map(keys) | unique)]'",
            vec![r#"[["image","properties"],[["type"]]]"#],
        ),
        (
            "packages",
            "",
            "-c '[.name, .defaultChannel, .bundles, [.channels[] | .head]]'",
            vec![
                r#"["lighthouse-operator","stable",5,["lighthouse-operator.v2.0.0-rc.1","lighthouse-operator.v1.2.0"]]"#,
                r#"["tide-operator","alpha",1,["tide-operator.v0.1.0"]]"#,
            ],
        ),
        (
            "graphql",
            r#"-d '{"query": "{ olmpackages(limit: 1) { name } summary { totalSchemas } }"}'"#,
            "-c .data",
            vec![r#"{"olmpackages":[{"name":"lighthouse-operator"}],"summary":{"totalSchemas":4}}"#],
        ),
    ] {
        assert_eq!(asked(&server, path, options, query), expected, "{path} {query}");
    }
    assert_eq!(server.end(), Some(0));
}
