//! A client of the API server of a cluster: the one that a kubeconfig names, or the one around this pod.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fbc_go::base64;
use fbc_model::tree::read_file;
use fbc_registry::authorities::Authorities;
use fbc_yaml::{json_writer, stream};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;

/// Where pods find the token of their service account, and the certificate of the authority.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// How long a connection may take, and how long a whole request.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);

/// A client that asks one request after another.
pub struct ApiClient {
    server: String,
    token: Option<String>,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

/// Why there is no client, or no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says in its text what it is")]
pub enum ClientError {
    #[error("{}: {error}", .path.display())]
    Kubeconfig { path: PathBuf, error: io::Error },
    #[error("{0}")]
    Syntax(String),
    #[error("{kind} {name} does not exist")]
    Missing { kind: &'static str, name: Value },
    #[error("the cluster is not to be verified, which is refused here")]
    Unverified,
    #[error("the user logs in by a program, which is not started from here")]
    LoginByProgram,
    #[error("{field}-data: {error}")]
    Data { field: &'static str, error: base64::Base64Error },
    #[error("open {}: {error}", .path.display())]
    Open { path: PathBuf, error: io::Error },
    #[error(
        "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined"
    )]
    NotInCluster,
    #[error("{0}")]
    Tls(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Runtime(io::Error),
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    /// The message of the API server.
    #[error("{0}")]
    Refused(String),
}

/// What a client knows of its cluster.
#[derive(Default)]
struct Access {
    server: String,
    /// PEM; access without it is refused.
    authority: Option<Vec<u8>>,
    /// Certificate and key as PEM.
    identity: Option<Vec<u8>>,
    token: Option<String>,
}

impl ApiClient {
    /// The cluster of a kubeconfig, in its current context.
    pub fn of_kubeconfig(path: &Path) -> Result<Self, ClientError> {
        let text =
            read_file(path).map_err(|error| ClientError::Kubeconfig { path: path.to_path_buf(), error })?;
        let document = stream::read_one(&text).map_err(|error| ClientError::Syntax(error.message))?;
        let config: Value = serde_json::from_str(&json_writer::compact(document.root())).unwrap_or_default();
        let directory = path.parent().unwrap_or(Path::new(""));
        Self::new(Access::from_config(&config, directory)?)
    }

    /// The cluster of the pod that this runs in.
    ///
    /// # Errors
    /// If the variables of a pod or the files of its account are missing.
    pub fn in_cluster(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ClientError> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (host, port) = variable("KUBERNETES_SERVICE_HOST")
            .zip(variable("KUBERNETES_SERVICE_PORT"))
            .ok_or(ClientError::NotInCluster)?;
        // An address of IPv6 stands in brackets.
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        let read = |name: &str| {
            let path = Path::new(SERVICE_ACCOUNT).join(name);
            fs::read(&path).map_err(|error| ClientError::Open { path, error })
        };
        Self::new(Access {
            server: format!("https://{host}:{port}"),
            token: Some(String::from_utf8_lossy(&read("token")?).trim().to_owned()),
            authority: Some(read("ca.crt")?),
            identity: None,
        })
    }

    fn new(access: Access) -> Result<Self, ClientError> {
        let tls = tls(&access).map_err(ClientError::Tls)?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self {
            server: access.server.trim_end_matches('/').to_owned(),
            token: access.token,
            client: client?,
            runtime: runtime.map_err(ClientError::Runtime)?,
        })
    }

    /// The object at a path.
    pub fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.send(self.client.get(format!("{}{path}", self.server)))
    }

    /// Replaces the object at a path.
    pub fn put(&self, path: &str, object: &Value) -> Result<Value, ClientError> {
        let request = self.client.put(format!("{}{path}", self.server));
        self.send(request.header("Content-Type", "application/json").body(object.to_string()))
    }

    fn send(&self, request: reqwest::RequestBuilder) -> Result<Value, ClientError> {
        let request = request.header("Accept", "application/json");
        let request = match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let answer = self.runtime.block_on(async {
            let response = request.send().await?;
            let is_good = response.status().is_success();
            Ok((is_good, response.text().await?))
        });
        let (is_good, text): (bool, String) = answer.map_err(ClientError::Http)?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        match is_good {
            true => Ok(value),
            false => Err(ClientError::Refused(value["message"].as_str().map_or(text, str::to_owned))),
        }
    }
}

impl Access {
    /// Reads the current context.
    fn from_config(config: &Value, directory: &Path) -> Result<Self, ClientError> {
        let named = |list: &str, name: &Value, kind: &'static str| -> Result<Value, ClientError> {
            let items = config[list].as_array().into_iter().flatten();
            let found = items.into_iter().find(|item| &item["name"] == name);
            found
                .map(|item| item[kind].clone())
                .ok_or_else(|| ClientError::Missing { kind, name: name.clone() })
        };
        let context = named("contexts", &config["current-context"], "context")?;
        let cluster = named("clusters", &context["cluster"], "cluster")?;
        let user = named("users", &context["user"], "user")?;
        if cluster["insecure-skip-tls-verify"] == true {
            return Err(ClientError::Unverified);
        }
        if !user["exec"].is_null() || !user["auth-provider"].is_null() {
            return Err(ClientError::LoginByProgram);
        }
        let bytes = |of: &Value, field: &'static str| -> Result<Option<Vec<u8>>, ClientError> {
            if let Some(data) = of[format!("{field}-data")].as_str() {
                return base64::decode(data).map(Some).map_err(|error| ClientError::Data { field, error });
            }
            let Some(path) = of[field].as_str().filter(|path| !path.is_empty()) else { return Ok(None) };
            let path = directory.join(PathBuf::from(path));
            fs::read(&path).map(Some).map_err(|error| ClientError::Open { path, error })
        };
        let identity = match (bytes(&user, "client-key")?, bytes(&user, "client-certificate")?) {
            (Some(key), Some(certificate)) => Some([key, b"\n".to_vec(), certificate].concat()),
            _ => None,
        };
        Ok(Self {
            server: cluster["server"].as_str().unwrap_or_default().to_owned(),
            authority: bytes(&cluster, "certificate-authority")?,
            token: user["token"].as_str().map(str::to_owned),
            identity,
        })
    }
}

fn tls(access: &Access) -> Result<ClientConfig, Box<dyn std::error::Error + Send + Sync>> {
    let Some(authority) = &access.authority else {
        return Err("the kubeconfig names no certificate-authority".into());
    };
    let named = CertificateDer::pem_slice_iter(authority).collect::<Result<Vec<_>, _>>()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let authorities = Authorities::new(RootCertStore::empty(), named, provider)?;
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(authorities));
    Ok(match &access.identity {
        Some(identity) => {
            let chain = CertificateDer::pem_slice_iter(identity).collect::<Result<Vec<_>, _>>()?;
            builder.with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(identity)?)?
        }
        None => builder.with_no_client_auth(),
    })
}
