//! `fbc cluster advance`: moves the time of a running cluster.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};
use fbc_apiserver::endpoints::TIME_PATH;
use fbc_simulation::server::Kubeconfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;

use crate::arguments::parse_virtual_duration;
use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;

/// Let time go by in a running cluster
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// How much time, such as `10m`
    #[arg(value_name = "DURATION", value_parser = parse_virtual_duration)]
    span: u64,
    /// The kubeconfig of the cluster [default: that of KUBECONFIG]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let path = find_kubeconfig(arguments.kubeconfig.as_deref())?;
    let config = Kubeconfig::read(&path, settings)?;
    let url = format!("{}{TIME_PATH}?advance={}", config.server, arguments.span);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(error.to_string()))?;
    let tls =
        tls(&config).map_err(|error| Failure::new(format!("{} cannot be used: {error}", path.display())))?;
    let answer = runtime.block_on(post(tls, &url));
    let (code, text) = answer.map_err(|error| {
        Failure::new(format!("the cluster at {} does not answer: {error}", config.server))
            .help("it ends with its `fbc cluster up`")
    })?;
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    if code != 200 {
        let message = answer["message"].as_str().unwrap_or(&text);
        return Err(Failure::new(format!("the time of the cluster did not move as asked: {message}")));
    }
    writeln!(anstream::stdout(), "{}", answer["now"].as_str().unwrap_or_default())?;
    Ok(CLEAN)
}

async fn post(tls: ClientConfig, url: &str) -> Result<(u16, String), reqwest::Error> {
    let client = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build()?;
    let response = client.post(url).send().await?;
    let code = response.status().as_u16();
    Ok((code, response.text().await?))
}

/// Trusts the cluster's authority alone, and shows the certificate of the administrator.
fn tls(config: &Kubeconfig) -> Result<ClientConfig, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&config.authority) {
        roots.add(certificate?)?;
    }
    let chain = CertificateDer::pem_slice_iter(&config.identity).collect::<Result<Vec<_>, _>>()?;
    let key = PrivateKeyDer::from_pem_slice(&config.identity)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_client_auth_cert(chain, key)?)
}

/// The file that is named, or the one of the environment.
fn find_kubeconfig(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let variable = std::env::var_os("KUBECONFIG").filter(|value| !value.is_empty());
    let paths = variable.map(|value| std::env::split_paths(&value).collect::<Vec<_>>()).unwrap_or_default();
    paths.into_iter().next().ok_or_else(|| {
        Failure::new("no kubeconfig is given").help("name it with `--kubeconfig` or in KUBECONFIG")
    })
}
