//! A client that others wrote: Python's grpcio.

use std::process::{Command, Stdio};

/// Asks with messages that are written by hand, so that no description of the API is needed.
const CLIENT: &str = r#"
import sys, grpc
channel = grpc.insecure_channel(sys.argv[1])
same = lambda message: message
def ask(method, request=b''):
    return channel.unary_unary(method, request_serializer=same, response_deserializer=same)(request)
def stream(method, request=b''):
    return list(channel.unary_stream(method, request_serializer=same, response_deserializer=same)(request))
print(sorted(stream('/api.Registry/ListPackages')))
print(b'candidate' in ask('/api.Registry/GetPackage', b'\x0a\x13lighthouse-operator'))
print(len(stream('/api.Registry/ListBundles')))
print(ask('/grpc.health.v1.Health/Check'))
try:
    ask('/api.Registry/GetPackage', b'\x0a\x01x')
except grpc.RpcError as error:
    print(error.code(), error.details())
"#;

/// A Python that has grpcio; nothing, and the test counts as skipped, where there is none.
pub(crate) fn python() -> Option<&'static str> {
    // The system's own Python has what its packages bring, whatever other Python comes first.
    let has_client = |python: &&str| {
        let status = Command::new(python).args(["-c", "import grpc"]).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has_client);
    if found.is_none() {
        fbc_testing::skip("python3 has no module grpc");
    }
    found
}

/// Asks a server for what the sample catalog has.
pub(crate) fn assert_serves_sample(python: &str, address: &str) {
    let output = Command::new(python).args(["-c", CLIENT, address]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        r"[b'\n\rtide-operator', b'\n\x13lighthouse-operator']",
        "True",
        "7",
        r"b'\x08\x01'",
        r#"StatusCode.UNKNOWN package "x" not found"#,
    ];
    assert_eq!(lines, expected, "{}", String::from_utf8_lossy(&output.stderr));
}
