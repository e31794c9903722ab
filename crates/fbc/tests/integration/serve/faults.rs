//! What clients and machines do to a server: they are slow, they vanish, they are many, and files go away.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use super::generated;
use super::server::{Server, sample};

/// A server with a catalog of some megabytes.
fn big() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.json");
    generated::write(&file);
    let reference = format!("big={}", file.display());
    let server = Server::start(&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "never"], 1);
    (folder, server)
}

fn connected(server: &Server) -> TcpStream {
    TcpStream::connect(&server.addresses[0]).unwrap()
}

const ALL: &str = "GET /catalogs/big/api/v1/all HTTP/1.1\r\nHost: x\r\n";

#[test]
fn a_client_that_never_finishes_its_question_is_let_go() {
    let (_folder, server) = big();
    let mut slow = connected(&server);
    slow.write_all(b"GET /catalogs/big/api/v1/all HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
    // It waits; the server does not, and ends the connection after some seconds.
    let mut answer = Vec::new();
    match slow.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    let text = String::from_utf8_lossy(&answer);
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 408"), "{text}");
    assert_eq!(server.get("/readyz").0, 200);
}

#[test]
fn a_thousand_slow_clients_do_not_disturb_a_fast_one() {
    let (_folder, server) = big();
    let whole = server.get("/catalogs/big/api/v1/all").1;
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..1000 {
        let Ok(mut stream) = TcpStream::connect(&server.addresses[0]) else {
            // It is this process that has no room for more; the server has.
            drop(slow);
            assert_eq!(server.get("/readyz").0, 200);
            return fbc_testing::skip("this system has no room for a thousand connections");
        };
        // They ask for megabytes and read nothing of them.
        stream.write_all(format!("{ALL}Connection: close\r\n\r\n").as_bytes()).unwrap();
        slow.push(stream);
    }
    for _ in 0..50 {
        let (status, body) = server.get("/catalogs/big/api/v1/metas?schema=olm.package");
        assert_eq!((status, body.lines().count()), (200, generated::PACKAGES));
    }
    // All of them have been answered, and one that begins to read gets the whole.
    let mut first = slow.swap_remove(0);
    let mut answer = String::new();
    first.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    assert_eq!(body.len(), whole.len());
    // What they cost is a buffer each, not a catalog each.
    let resident = server.resident();
    assert!(resident.is_none_or(|bytes| bytes < 400 << 20), "{resident:?}");
}

#[test]
fn clients_that_vanish_in_the_middle_leave_nothing_behind() {
    let (_folder, server) = big();
    for _ in 0..200 {
        let mut stream = connected(&server);
        stream.write_all(format!("{ALL}\r\n").as_bytes()).unwrap();
        let mut begin = [0; 1000];
        stream.read_exact(&mut begin).unwrap();
        // Dropped with the rest unread, which resets the connection.
    }
    assert_eq!(server.get("/readyz").0, 200);
    let sockets = open_sockets(server.child.id());
    assert!(sockets.is_none_or(|sockets| sockets < 150), "{sockets:?}");
    assert_eq!(server.end(), Some(0));
}

/// How many sockets a process has open, on systems that say so.
fn open_sockets(process: u32) -> Option<usize> {
    let entries = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?;
    let links = entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    Some(links.filter(|link| link.to_string_lossy().starts_with("socket:")).count())
}

#[test]
fn a_request_that_has_begun_is_finished_at_the_end() {
    let (_folder, mut server) = big();
    let length = server.get("/catalogs/big/api/v1/all").1.len();
    // Clients that have begun to read, and go on when the server was asked to end.
    let readers: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = connected(&server);
            stream.write_all(format!("{ALL}Connection: close\r\n\r\n").as_bytes()).unwrap();
            let mut begin = [0; 15];
            stream.read_exact(&mut begin).unwrap();
            stream
        })
        .collect();
    let id = server.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    // New clients are refused from now on.
    while TcpStream::connect(&server.addresses[0]).is_ok() {}
    let read: Vec<usize> = readers
        .into_iter()
        .map(|mut stream| {
            thread::spawn(move || {
                let mut rest = Vec::new();
                stream.read_to_end(&mut rest).unwrap();
                rest.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |head| rest.len() - head - 4)
            })
        })
        .map(|reader| reader.join().unwrap())
        .collect();
    assert_eq!(read, vec![length; 8]);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn malformed_and_oversized_requests_are_refused() {
    let (_folder, server) = big();
    for (request, status) in [
        ("nonsense\r\n\r\n".to_owned(), "400"),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), "400"),
        (format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000)), "431"),
        (format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "a".repeat(2_000_000)), "431"),
        (
            "GET /catalogs/big/api/v1/metas?schema=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                .to_owned(),
            "400",
        ),
    ] {
        let mut stream = connected(&server);
        // A server that has seen enough does not read the rest.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let shown: String = request.chars().take(40).collect();
        let found = text.split(' ').nth(1).unwrap_or_default();
        assert!(found == status || text.is_empty() && request.len() > 90_000, "{shown}: {text}");
    }
    assert_eq!(server.get("/readyz").0, 200);
}

#[test]
fn a_port_in_use_is_said_with_its_address() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let sample = sample().to_string_lossy().into_owned();
    for option in ["--grpc", "--http"] {
        let output = crate::fbc().args(["serve", &sample, option, &address]).output();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            text.contains(&format!("listen tcp {address}")) && text.contains("name another address"),
            "{text}"
        );
    }
}

#[test]
fn certificates_that_disappear_leave_the_old_one_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (certificate, key) = (file("tls.crt"), file("tls.key"));
    let first = write_certificate(&certificate, &key);
    let reference = format!("sample={}", sample().display());
    let [certificate_text, key_text] = [&certificate, &key].map(|path| path.to_string_lossy().into_owned());
    let tls = ["--tls-cert", &certificate_text, "--tls-key", &key_text];
    let options = [&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "100ms"], &tls[..]].concat();
    let mut server = Server::start(&options, 1);
    let shown = |server: &Server| certificate_of(&server.addresses[0]);
    let Some(found) = shown(&server) else { return fbc_testing::skip("openssl is not installed") };
    assert_eq!(found, first);
    std::fs::remove_file(&certificate).unwrap();
    std::fs::remove_file(&key).unwrap();
    while !server.line().contains("cannot be used; the old one stays") {}
    assert_eq!(shown(&server).unwrap(), first);
    // A new one counts as soon as both of its files are there.
    let second = write_certificate(&certificate, &key);
    assert_ne!(second, first);
    while !server.line().contains("the certificate changed cert") {}
    assert_eq!(shown(&server).unwrap(), second);
    assert_eq!(server.end(), Some(0));
}

/// Writes a certificate of its own and its key; the answer is the certificate.
fn write_certificate(certificate: &Path, key: &Path) -> String {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let pem = made.cert.pem();
    // As cert-manager does it: whole files take the place of the old ones.
    let replace = |path: &Path, text: &str| {
        let new: PathBuf = path.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, path).unwrap();
    };
    replace(key, &made.signing_key.serialize_pem());
    replace(certificate, &pem);
    lines(&pem)
}

/// The certificate that a server shows; nothing where openssl is not installed.
fn certificate_of(address: &str) -> Option<String> {
    let output = Command::new("openssl")
        .args(["s_client", "-connect", address])
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    Some(lines(&String::from_utf8_lossy(&output.stdout)))
}

/// The lines of the certificate in a text.
fn lines(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.contains("BEGIN CERTIFICATE"));
    lines.by_ref().next();
    lines.take_while(|line| !line.contains("END CERTIFICATE")).collect()
}
