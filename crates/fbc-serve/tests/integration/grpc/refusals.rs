//! What never comes to a service: the answers of the listener itself.

use std::time::Duration;

use bytes::Bytes;
use fbc_serve::hosts::Hosts;
use fbc_serve::listener::{Limits, Listener};
use http::{Request, Response, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::Client;
use super::{LIST_PACKAGES, Server, registry, run};

#[test]
fn names_of_strangers_get_no_answer() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let mut client = Client::connect(server.address).await;
        for (name, code) in [("catalogs.ns.svc:50051", 0), ("127.0.0.1", 0), ("evil.example:50051", 7)] {
            let ended = client.call_under(name, LIST_PACKAGES).await;
            assert_eq!(ended.code, code, "{ended:?}");
            assert!(code == 0 || ended.text.contains("--allow-host evil.example"), "{ended:?}");
        }
        for (head, status) in [
            ("GET / HTTP/1.1\r\nHost: evil.example", "421"),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: localhost", "421"),
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nOrigin: http://evil.example", "403"),
            ("GET / HTTP/1.1\r\nHost: a b", "400"),
        ] {
            let mut stream = TcpStream::connect(server.address).await.unwrap();
            stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n").as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head}: {answer}");
        }
    });
}

/// Sends a request over HTTP/2 to its end, as clients do: status and text of the answer.
async fn posted(server: &Server, request: Request<()>, body: Bytes) -> (StatusCode, String) {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (requests, connection) = h2::client::handshake(stream).await.unwrap();
    let connection = tokio::spawn(async move { drop(connection.await) });
    let (response, mut sending) = requests.ready().await.unwrap().send_request(request, false).unwrap();
    sending.send_data(body, true).unwrap();
    let (head, mut body) = response.await.unwrap().into_parts();
    let mut text = Vec::new();
    while let Some(data) = body.data().await {
        text.extend_from_slice(&data.unwrap());
    }
    connection.abort();
    (head.status, String::from_utf8(text).unwrap())
}

#[test]
fn who_sends_a_body_over_http2_reads_the_refusal() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let hint = "unknown host evil.example (protection against DNS rebinding): \
                    add `--allow-host evil.example` if the name is right\n";
        for bytes in [0, 1, 100_000, 4 << 20] {
            let request = Request::post("http://evil.example/").body(()).unwrap();
            let (status, text) = posted(&server, request, vec![b'x'; bytes].into()).await;
            assert_eq!((status.as_u16(), text.as_str()), (421, hint), "{bytes}");
            let request = Request::post("http://localhost/").header("origin", "https://evil.example");
            let request = request.body(()).unwrap();
            let (status, text) = posted(&server, request, vec![b'x'; bytes].into()).await;
            assert_eq!(status.as_u16(), 403, "{bytes}");
            assert!(
                text.starts_with("cross-origin request refused (Origin: https://evil.example)"),
                "{text}"
            );
        }
    });
}

#[test]
fn a_body_that_never_ends_does_not_hold_back_the_refusal() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\n";
        for more in ["", "Expect: 100-continue\r\n"] {
            stream.write_all(format!("{head}{more}\r\n").as_bytes()).await.unwrap();
            let mut answer = String::new();
            let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_string(&mut answer));
            read.await.unwrap().unwrap();
            assert!(answer.starts_with("HTTP/1.1 421 "), "{more}: {answer}");
            stream = TcpStream::connect(server.address).await.unwrap();
        }
    });
}

#[test]
fn a_server_words_refusals_for_its_clients() {
    run(async {
        let listener =
            Listener::bind("127.0.0.1:0".parse().unwrap(), Hosts::default(), None, Limits::default());
        let words = |status: StatusCode, reason: &str| {
            Response::builder().status(status).body(Bytes::from(format!("<{reason}>"))).unwrap()
        };
        let server = Server::behind(listener.await.unwrap().refusing(words), registry("lamp"));
        let request = || Request::post("http://evil.example/");
        let (status, text) = posted(&server, request().body(()).unwrap(), Bytes::new()).await;
        assert_eq!(status.as_u16(), 421);
        assert!(text.starts_with("<unknown host evil.example"), "{text}");
        // Clients of gRPC read a status of gRPC.
        let ended = Client::connect(server.address).await.call_under("evil.example", LIST_PACKAGES).await;
        assert_eq!(ended.code, 7, "{ended:?}");
    });
}
