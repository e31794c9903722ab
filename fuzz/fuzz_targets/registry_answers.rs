//! Any answers of a registry to whatever is asked of it: lists of tags and referrers, manifests, blobs and uploads. Each
//! question ends with a result or an error, and what is taken has the digest that was asked for.
//! The input is a byte for the question and the answers, with a line `=======` between them. `ADDRESS` stands for that of
//! the registry.
#![no_main]

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fbc_fuzz::SEPARATOR;
use fbc_image::blob::digest_of;
use fbc_registry::{Client, Clock, Reference, RetryPolicy, Security, Settings, block_on};
use libfuzzer_sys::fuzz_target;
use oci_spec::image::{Descriptor, MediaType};

const CONTENT: &[u8] = b"{\"schemaVersion\":2}";
const ABSENT: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// A registry that gives the answers of a list, one for each connection.
struct Scripted {
    address: String,
    answers: Arc<Mutex<VecDeque<Vec<u8>>>>,
}

static REGISTRY: LazyLock<Scripted> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let answers = Arc::<Mutex<VecDeque<Vec<u8>>>>::default();
    let list = Arc::clone(&answers);
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // Whoever asked may be gone.
            let _ = serve(connection, &list);
        }
    });
    Scripted { address, answers }
});

fn serve(mut connection: TcpStream, answers: &Mutex<VecDeque<Vec<u8>>>) -> std::io::Result<()> {
    let mut asked = Vec::new();
    let mut block = [0; 4096];
    while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
        match connection.read(&mut block)? {
            0 => return Ok(()),
            count => asked.extend_from_slice(&block[..count]),
        }
    }
    let answer = answers.lock().expect("a list").pop_front();
    connection.write_all(answer.as_deref().unwrap_or(ABSENT))
}

/// A clock by which nothing takes time.
struct Still;

impl Clock for Still {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    fn sleep(&self, _: Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

fuzz_target!(|input: (u8, &str)| {
    let (question, answers) = input;
    let registry = &*REGISTRY;
    let answers = answers.replace("ADDRESS", &registry.address);
    *registry.answers.lock().expect("a list") =
        answers.split(SEPARATOR).map(|answer| answer.as_bytes().to_vec()).collect();
    let client = Client::new(Settings {
        security: Some(Security::PlainHttp),
        retry: RetryPolicy { attempts: 2, ..RetryPolicy::default() },
        chunk_size: (question >= 128).then_some(4),
        ..Settings::new(Arc::new(Still))
    });
    let named = Reference::parse(&format!("{}/a/b:v1", registry.address)).expect("a reference");
    let digest = digest_of(CONTENT);
    let descriptor = Descriptor::new(MediaType::ImageManifest, CONTENT.len() as u64, digest.clone());
    let pinned = named.with_digest(digest.clone());
    let asked = async {
        match question % 8 {
            0 => drop(client.tags(&named).await),
            1 => drop(client.referrers(&named, &digest).await),
            2 => {
                if let Ok(manifest) = client.manifest(&pinned).await {
                    assert_eq!(manifest.bytes, CONTENT);
                }
            }
            3 => drop(client.resolve(&named).await),
            4 => {
                let mut blob = Vec::new();
                if client.blob(&named, &descriptor, &mut blob).await.is_ok() {
                    assert_eq!(blob, CONTENT);
                }
            }
            5 => drop(client.put_blob(&named, &descriptor, &Bytes::from_static(CONTENT), Some("c")).await),
            6 => drop(client.put_manifest(&named, "a/b", Bytes::from_static(CONTENT)).await),
            _ => {
                let address = format!("http://{}/api", registry.address);
                drop(client.post_json("ask", &address, &serde_json::json!({})).await);
            }
        }
    };
    block_on(asked).expect("a runtime");
});
