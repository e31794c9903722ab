//! The gRPC registry behind its listener, and what clients do to it.

mod client;
mod recorded;
mod refusals;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fbc_model::load::load_bytes;
use fbc_serve::current::Current;
use fbc_serve::hosts::Hosts;
use fbc_serve::listener::{Limits, Listener};
use fbc_serve::registry::{Registry, RegistryService};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower_service::Service as _;

use client::{Client, Ended, finish, framed, texts};

const LIST_PACKAGES: &str = "/api.Registry/ListPackages";
const GET_PACKAGE: &str = "/api.Registry/GetPackage";
const LIST_BUNDLES: &str = "/api.Registry/ListBundles";

/// How many bundles the catalog has; their messages are 3 MB.
const BUNDLES: usize = 300;

/// The largest message that the server takes.
const LARGEST: usize = 64 << 10;

/// A server in this process.
struct Server {
    address: SocketAddr,
    registry: Arc<Registry>,
    current: Arc<Current<Registry>>,
    stop: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
}

impl Server {
    async fn start(limits: Limits) -> Self {
        Self::serving(registry("lamp"), limits).await
    }

    async fn serving(registry: Arc<Registry>, limits: Limits) -> Self {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), Hosts::default(), None, limits);
        Self::behind(listener.await.unwrap(), registry)
    }

    fn behind(listener: Listener, registry: Arc<Registry>) -> Self {
        let current = Arc::new(Current::default());
        current.set(Arc::clone(&registry));
        let address = listener.address().unwrap();
        let service = RegistryService::new(Arc::clone(&current), LARGEST);
        let (stop, mut stopped) = watch::channel(false);
        let end = async move { drop(stopped.wait_for(|stopped| *stopped).await) };
        let serving = tokio::spawn(listener.serve(move |request| service.clone().call(request), end));
        Self { address, registry, current, stop, serving }
    }
}

fn registry(package: &str) -> Arc<Registry> {
    let names: Vec<String> = (0..BUNDLES).map(|number| format!("{package}.v1.0.{number}")).collect();
    let entries: Vec<String> =
        names.iter().map(|name| format!("{{\"name\": \"{name}\", \"skipRange\": \"<1.0.0\"}}")).collect();
    let mut text = format!(
        "{{\"schema\": \"olm.package\", \"name\": \"{package}\", \"defaultChannel\": \"a\"}}\n\
         {{\"schema\": \"olm.channel\", \"package\": \"{package}\", \"name\": \"a\", \"entries\": [{}]}}\n",
        entries.join(",")
    );
    for (number, name) in names.iter().enumerate() {
        text.push_str(&format!(
            "{{\"schema\": \"olm.bundle\", \"package\": \"{package}\", \"name\": \"{name}\", \"image\": \"i\", \"properties\": [\
             {{\"type\": \"olm.package\", \"value\": {{\"packageName\": \"{package}\", \"version\": \"1.0.{number}\"}}}},\
             {{\"type\": \"long\", \"value\": \"{}\"}}]}}\n",
            "x".repeat(10_000)
        ));
    }
    let catalog = load_bytes(Path::new("catalog.json"), text.as_bytes());
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    Arc::new(Registry::new(Arc::new(catalog)).unwrap())
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(test);
}

/// Expects an answer with so many messages.
#[track_caller]
fn assert_good(ended: &Ended, messages: usize) {
    assert_eq!((ended.code, ended.text.as_str(), ended.messages.len()), (0, "", messages));
}

#[test]
fn malformed_and_oversized_requests_get_a_status() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let mut client = Client::connect(server.address).await;
        let cut = framed(b"0123456789").slice(..8);
        let packed = [&[1_u8][..], &framed(b"abc")[1..]].concat().into();
        for (path, content, code, text) in [
            (GET_PACKAGE, texts(&["lamp"]), 0, ""),
            (GET_PACKAGE, texts(&["none"]), 2, "package \"none\" not found"),
            (GET_PACKAGE, framed(&[0x0a, 0xff]), 13, "decode"),
            (GET_PACKAGE, framed(&[0x0a, 0x01, 0xff]), 13, "decode"),
            (GET_PACKAGE, cut, 13, ""),
            (GET_PACKAGE, packed, 13, "compressed"),
            (GET_PACKAGE, bytes::Bytes::new(), 13, ""),
            (GET_PACKAGE, framed(&vec![0; LARGEST + 1]), 11, "too large"),
            ("/api.Registry/None", framed(&[]), 12, "unknown method None for service api.Registry"),
            ("/other.Service/Get", framed(&[]), 12, "unknown service other.Service"),
        ] {
            let ended = client.call(path, content).await;
            assert_eq!(ended.code, code, "{path}: {ended:?}");
            assert!(ended.text.contains(text), "{path}: {ended:?}");
        }
        assert_good(&client.call(LIST_PACKAGES, framed(&[])).await, 1);
    });
}

#[test]
fn a_thousand_clients_that_do_not_read_do_not_disturb_one_that_does() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let mut slow = Vec::new();
        for _ in 0..200 {
            let mut client = Client::connect(server.address).await;
            for _ in 0..5 {
                // The answer has begun; the window of its stream is never opened again.
                slow.push(client.begin(LIST_BUNDLES, framed(&[])).await.unwrap());
            }
            slow.push(client.begin(LIST_PACKAGES, framed(&[])).await.unwrap());
        }
        let mut fast = Client::connect(server.address).await;
        for _ in 0..100 {
            assert_good(&fast.call(GET_PACKAGE, texts(&["lamp"])).await, 1);
        }
        assert_good(&fast.call(LIST_BUNDLES, framed(&[])).await, BUNDLES);
        // One that begins to read at last gets the whole.
        assert_good(&finish(slow.swap_remove(0)).await, BUNDLES);
    });
}

#[test]
fn clients_that_vanish_in_mid_stream_leave_nothing_behind() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let held = Arc::strong_count(&server.registry);
        for _ in 0..50 {
            let mut client = Client::connect(server.address).await;
            let mut answers = Vec::new();
            for _ in 0..3 {
                let mut answer = client.begin(LIST_BUNDLES, framed(&[])).await.unwrap();
                assert!(answer.body_mut().data().await.unwrap().is_ok());
                answers.push(answer);
            }
            client.vanish();
        }
        // Each stream holds the catalog that it began with.
        while Arc::strong_count(&server.registry) > held {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn a_stream_ends_with_the_catalog_that_it_began_with() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let mut client = Client::connect(server.address).await;
        let begun = client.begin(LIST_BUNDLES, framed(&[])).await.unwrap();
        server.current.set(registry("torch"));
        assert_eq!(client.call(GET_PACKAGE, texts(&["lamp"])).await.code, 2);
        assert_eq!(client.call(GET_PACKAGE, texts(&["torch"])).await.code, 0);
        assert_good(&finish(begun).await, BUNDLES);
    });
}

#[test]
fn streams_that_have_begun_are_finished_at_the_end() {
    run(async {
        let server = Server::start(Limits::default()).await;
        let mut streams = Vec::new();
        for _ in 0..8 {
            let mut client = Client::connect(server.address).await;
            let mut answer = client.begin(LIST_BUNDLES, framed(&[])).await.unwrap();
            // What is sent until here fits in a window.
            assert!(answer.body_mut().data().await.unwrap().is_ok());
            streams.push((client, client_rest(answer)));
        }
        server.stop.send_replace(true);
        while TcpStream::connect(server.address).await.is_ok() {}
        for (_client, rest) in streams {
            assert_eq!(rest.await, 0);
        }
        server.serving.await.unwrap();
    });
}

/// The status of an answer of which the first data were read and not acknowledged.
async fn client_rest(answer: http::Response<h2::RecvStream>) -> i32 {
    let mut body = answer.into_body();
    while let Some(data) = body.data().await {
        body.flow_control().release_capacity(data.unwrap().len()).unwrap();
    }
    body.trailers().await.unwrap().unwrap()["grpc-status"].to_str().unwrap().parse().unwrap()
}

#[test]
fn a_connection_may_wait_longer_than_its_first_bytes() {
    run(async {
        let short = Duration::from_millis(20);
        let server = Server::start(Limits { head: short, ..Limits::default() }).await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(b"POST /x HTTP/1.1\r\nHost: x\r\nX: ").await.unwrap();
        let mut answer = [0];
        let ended = tokio::time::timeout(10 * short, stream.read(&mut answer)).await;
        assert!(ended.is_err(), "the server answered or closed: {ended:?}");
    });
}

#[test]
fn clients_that_say_nothing_are_let_go() {
    run(async {
        let short = Duration::from_millis(50);
        let server = Server::start(Limits { head: short, idle: short, ..Limits::default() }).await;
        for begin in ["", "PRI * HT", "POST /x HTTP/1.1\r\nHost: x\r\nX: "] {
            let mut stream = TcpStream::connect(server.address).await.unwrap();
            stream.write_all(begin.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            // It waits; the server does not.
            let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "{begin:?}");
        }
        let mut client = Client::connect(server.address).await;
        assert_good(&client.call(LIST_PACKAGES, framed(&[])).await, 1);
    });
}

#[test]
fn requests_of_all_connections_have_room_together() {
    run(async {
        let server = Server::start(Limits { requests: 3, ..Limits::default() }).await;
        let mut slow = Client::connect(server.address).await;
        let mut begun = Vec::new();
        for _ in 0..3 {
            begun.push(slow.begin(LIST_BUNDLES, framed(&[])).await.unwrap());
        }
        let mut client = Client::connect(server.address).await;
        assert_eq!(client.call(LIST_PACKAGES, framed(&[])).await.code, 8);
        // An answer that is read to its end makes room.
        assert_good(&finish(begun.remove(0)).await, BUNDLES);
        while client.call(LIST_PACKAGES, framed(&[])).await.code == 8 {
            tokio::task::yield_now().await;
        }
    });
}
