//! A client of an API server over HTTP/2, which costs as little as it can.

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use h2::RecvStream;
use h2::client::{self, SendRequest};
use http::{Method, Request};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::error::{Context, TaskError, TaskResult};

/// How much of answers may be on its way: enough that nothing waits for it.
const WINDOW: u32 = 16 << 20;

/// How a cluster is reached.
#[derive(Default)]
pub(super) struct Kubeconfig {
    address: String,
    authority: Vec<u8>,
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Kubeconfig {
    /// Reads what `fbc cluster up` wrote.
    pub(super) fn read(path: &Path) -> TaskResult<Self> {
        let what = || format!("reading {}", path.display());
        let text = std::fs::read_to_string(path).context(what)?;
        let config: Value = serde_json::from_str(&text).context(what)?;
        let decoded = |pointer: &str| {
            let text = config.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            STANDARD.decode(text).context(what)
        };
        let server = config.pointer("/clusters/0/cluster/server").and_then(Value::as_str).unwrap_or_default();
        Ok(Self {
            address: server.trim_start_matches("https://").to_owned(),
            authority: decoded("/clusters/0/cluster/certificate-authority-data")?,
            certificate: decoded("/users/0/user/client-certificate-data")?,
            key: decoded("/users/0/user/client-key-data")?,
        })
    }

    fn encryption(&self) -> TaskResult<ClientConfig> {
        let what = || "reading the certificates of the cluster".to_owned();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(&self.authority).context(what)?).context(what)?;
        let certificate = CertificateDer::from_pem_slice(&self.certificate).context(what)?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).context(what)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().context(what)?;
        let mut config = builder
            .with_root_certificates(roots)
            .with_client_auth_cert(vec![certificate], key)
            .context(what)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(config)
    }
}

/// A connection.
pub(super) struct Client {
    sender: SendRequest<Bytes>,
    address: String,
}

impl Client {
    /// Connects with a cluster.
    pub(super) async fn connect(kubeconfig: &Kubeconfig) -> TaskResult<Self> {
        let what = || format!("connecting with {}", kubeconfig.address);
        let stream = TcpStream::connect(&kubeconfig.address).await.context(what)?;
        stream.set_nodelay(true).context(what)?;
        let connector = TlsConnector::from(Arc::new(kubeconfig.encryption()?));
        let name = ServerName::try_from("localhost").context(what)?;
        let stream = connector.connect(name, stream).await.context(what)?;
        let mut builder = client::Builder::new();
        builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
        let (sender, connection) = builder.handshake(stream).await.context(what)?;
        tokio::spawn(connection);
        Ok(Self { sender, address: kubeconfig.address.clone() })
    }

    async fn send(&self, method: Method, path: &str, body: Bytes) -> TaskResult<RecvStream> {
        let what = || format!("{method} {path}");
        let request = Request::builder()
            .method(method.clone())
            .uri(format!("https://{}{path}", self.address))
            .header("content-type", "application/json")
            .body(())
            .context(what)?;
        let mut sender = self.sender.clone().ready().await.context(what)?;
        let is_alone = body.is_empty();
        let (response, mut stream) = sender.send_request(request, is_alone).context(what)?;
        if !is_alone {
            stream.send_data(body, true).context(what)?;
        }
        let response = response.await.context(what)?;
        match response.status().is_success() {
            true => Ok(response.into_body()),
            false => Err(TaskError::new(format!("{}: {}", what(), response.status()))),
        }
    }

    /// Asks, and gives the whole answer.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Bytes) -> TaskResult<Vec<u8>> {
        let mut answer = self.send(method, path, body).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = next(&mut answer).await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// Begins a watch.
    pub(super) async fn watch(&self, path: &str) -> TaskResult<Events> {
        Ok(Events(self.send(Method::GET, path, Bytes::new()).await?))
    }
}

async fn next(answer: &mut RecvStream) -> TaskResult<Option<Bytes>> {
    let what = || "reading an answer".to_owned();
    let Some(piece) = answer.data().await else { return Ok(None) };
    let piece = piece.context(what)?;
    answer.flow_control().release_capacity(piece.len()).context(what)?;
    Ok(Some(piece))
}

/// What a watch tells, a line for each event.
pub(super) struct Events(RecvStream);

impl Events {
    /// Reads until there were so many lines, and gives how many there were.
    pub(super) async fn lines_until(&mut self, count: usize) -> TaskResult<usize> {
        let mut lines = 0;
        while lines < count {
            let piece = next(&mut self.0).await?.ok_or_else(|| TaskError::new("the watch ends"))?;
            lines += piece.iter().filter(|byte| **byte == b'\n').count();
        }
        Ok(lines)
    }
}
