//! Both APIs: HTTP by hand, gRPC by the Python client if that is installed.

use super::grpcio;
use super::server::{Server, sample};

#[test]
fn catalogs_are_served_over_http_until_the_end() {
    let reference = format!("sample={}", sample().display());
    let server = Server::start(&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "never"], 1);
    let (status, body) = server.get("/catalogs/sample/api/v1/all");
    assert_eq!(status, 200);
    assert!(body.lines().count() > 5 && body.lines().all(|line| line.starts_with('{')), "{body}");
    let (status, body) = server.get("/catalogs/sample/api/v1/metas?schema=olm.package&name=tide-operator");
    assert_eq!((status, body.lines().count()), (200, 1));
    assert_eq!(server.get("/catalogs/other/api/v1/all").0, 404);
    assert_eq!(server.get("/readyz"), (200, "sample: served\n".to_owned()));
    assert!(server.get("/metrics").1.contains("fbc_catalog_served{catalog=\"sample\"} 1"));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_catalog_that_changes_is_swapped_and_a_broken_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.yaml");
    let package = |name: &str| {
        format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\n\
             entries: [{{name: {name}.v1.0.0}}]\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
             image: quay.io/x/{name}:v1\nproperties:\n- {{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}\n"
        )
    };
    std::fs::write(&file, package("one")).unwrap();
    let reference = format!("it={}", folder.path().display());
    let mut server = Server::start(&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "100ms"], 1);
    std::fs::write(&file, package("twofold")).unwrap();
    while !server.line().contains("loaded") {}
    let path = "/catalogs/it/api/v1/metas?schema=olm.package";
    assert!(server.get(path).1.contains("twofold"));
    std::fs::write(&file, "schema: olm.package\nname: three\n").unwrap();
    while !server.line().contains("the old one stays") {}
    assert!(server.get(path).1.contains("twofold"));
    let (status, text) = server.get("/readyz");
    assert_eq!(status, 200);
    assert!(text.contains("its newest content is refused"), "{text}");
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let broken = fbc_testing::testdata("broken-catalog");
    let fbc = |arguments: &[&str]| {
        let output = crate::fbc().args(arguments).output();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = fbc(&["serve", &broken.to_string_lossy(), "--http", "127.0.0.1:0"]);
    assert_eq!(code, Some(2), "{text}");
    let sample = sample();
    let sample = sample.to_string_lossy();
    let (code, text) = fbc(&["serve", &format!("a={sample}"), &format!("a={sample}")]);
    assert_eq!(code, Some(2));
    assert!(text.contains("two catalogs have the name a"), "{text}");
    let (code, text) = fbc(&["opm", "serve", &sample, "--cache-only"]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
}

#[test]
fn a_grpc_client_gets_its_answers() {
    let Some(python) = grpcio::python() else { return };
    let server = Server::start(&["serve", &sample().to_string_lossy(), "--grpc", "127.0.0.1:0"], 1);
    grpcio::assert_serves_sample(python, &server.addresses[0]);
    assert_eq!(server.end(), Some(0));
}
