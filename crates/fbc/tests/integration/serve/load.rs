//! Load by a program that others wrote: `h2load` over HTTP/1 and over gRPC.

use std::process::Command;

use super::generated;
use super::server::{Server, sample};

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn h2load_gets_an_answer_to_each_request() {
    if !fbc_testing::is_installed("h2load") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.json");
    generated::write(&file);
    let reference = format!("big={}", file.display());
    let server = Server::start(&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "never"], 1);
    let api = format!("http://{}/catalogs/big/api/v1", server.addresses[0]);
    for (path, requests, clients) in [
        ("metas?schema=olm.package&name=package-007", "2000", "64"),
        ("metas?schema=olm.bundle&fields=name", "64", "64"),
        ("all", "64", "8"),
    ] {
        let report = output("h2load", &["--h1", "-n", requests, "-c", clients, &format!("{api}/{path}")]);
        let all = format!("{requests} succeeded, 0 failed, 0 errored, 0 timeout");
        assert!(report.contains(&all), "{path}: {report}");
        assert!(report.contains(&format!("status codes: {requests} 2xx")), "{path}: {report}");
    }
    assert_eq!(server.end(), Some(0));
}

#[test]
fn h2load_gets_an_answer_to_each_question() {
    if !fbc_testing::is_installed("h2load") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "lighthouse-operator";
    let size = u8::try_from(name.len()).unwrap();
    let question = [&[0, 0, 0, 0, size + 2, 0x0a, size], name.as_bytes()].concat();
    let file = folder.path().join("question");
    std::fs::write(&file, question).unwrap();
    let server = Server::start(&["serve", &sample().to_string_lossy(), "--grpc", "127.0.0.1:0"], 1);
    let url = format!("http://{}/api.Registry/GetPackage", server.addresses[0]);
    let headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"];
    let load = ["-n", "5000", "-c", "8", "-m", "32", "-d", file.to_str().unwrap(), &url];
    let report = output("h2load", &[&headers[..], &load].concat());
    assert!(report.contains("5000 succeeded, 0 failed, 0 errored, 0 timeout"), "{report}");
    assert!(report.contains("status codes: 5000 2xx"), "{report}");
    assert_eq!(server.end(), Some(0));
}
