//! How an installation of a bundle is asked for on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::input::bundle::{configuration, namespace};
use fbc_app::invalid_value::InvalidValue;
use fbc_bundle::manifests::{CertificateProvider, Gates, Installation};
use fbc_version::Target;

use crate::failure::Failure;

/// How a bundle is to be installed.
#[derive(Args, Debug)]
pub(crate) struct InstallationArguments {
    /// A namespace to watch; without it, all namespaces if the bundle supports that. Can be repeated
    #[arg(short, long, value_name = "NAMESPACE", value_parser = watched_namespace)]
    watch_namespace: Vec<String>,
    /// The inline configuration of the extension (`spec.config.inline`), YAML or JSON; it is checked against the
    /// bundle's schema, and its `watchNamespace` counts
    #[arg(long, value_name = "FILE", conflicts_with = "watch_namespace", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Who provides certificates for webhooks
    #[arg(long, value_enum, default_value_t, value_name = "PROVIDER")]
    cert_provider: Provider,
    /// Switch a feature gate of operator-controller, as `NAME=true` or `NAME=false`:
    /// SingleOwnNamespaceInstallSupport (default true here), DeploymentConfig (default false)
    #[arg(long, value_name = "NAME=BOOL", value_parser = gate)]
    feature_gate: Vec<(Gate, bool)>,
    /// The release whose operator-controller renders
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
}

/// The certificate providers of operator-controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Provider {
    /// cert-manager, the default outside OpenShift
    #[default]
    CertManager,
    /// The service CA of OpenShift
    OpenshiftServiceCa,
    /// None: bundles with webhooks are refused
    None,
}

/// The feature gates that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    SingleOwnNamespace,
    DeploymentConfiguration,
}

/// The gates by the names of operator-controller.
const GATES: [(&str, Gate); 2] = [
    ("SingleOwnNamespaceInstallSupport", Gate::SingleOwnNamespace),
    ("DeploymentConfig", Gate::DeploymentConfiguration),
];

fn gate(text: &str) -> Result<(Gate, bool), InvalidValue> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let gate = GATES.iter().find(|(known, _)| *known == name).map(|(_, gate)| *gate);
    let gate = gate.ok_or_else(|| {
        let names: Vec<&str> = GATES.iter().map(|(name, _)| *name).collect();
        format!("no such feature gate; known are {}", names.join(", "))
    })?;
    let value = value.parse().map_err(|_| "the value must be true or false")?;
    Ok((gate, value))
}

/// A namespace to watch; an empty name is all of them.
fn watched_namespace(text: &str) -> Result<String, InvalidValue> {
    if text.is_empty() { Ok(String::new()) } else { namespace(text) }
}

impl InstallationArguments {
    /// The installation in a namespace.
    pub(crate) fn installation_in(&self, namespace: &str) -> Result<Installation, Failure> {
        // The command line takes no other names.
        let target: Target = self.target.parse().unwrap_or_default();
        if target == Target::Ocp419 && self.config.is_some() {
            return Err(Failure::new(
                "--config does not apply to --target ocp-4.19: its extensions have no spec.config",
            )
            .help(
                "4.19 takes the annotation olm.operatorframework.io/watch-namespace; give --watch-namespace",
            ));
        }
        if target == Target::Ocp419 && self.watch_namespace.len() > 1 {
            return Err(Failure::new(
                "--target ocp-4.19 takes one --watch-namespace: its annotation holds one name",
            ));
        }
        let mut gates = Gates::default();
        for (gate, value) in &self.feature_gate {
            match gate {
                Gate::SingleOwnNamespace => gates.single_own_namespace = *value,
                Gate::DeploymentConfiguration => gates.deployment_configuration = *value,
            }
        }
        Ok(Installation {
            namespace: namespace.to_owned(),
            watch_namespaces: self.watch_namespace.clone(),
            configuration: self.config.as_deref().map(configuration).transpose()?,
            certificate_provider: match self.cert_provider {
                Provider::CertManager => Some(CertificateProvider::CertManager),
                Provider::OpenshiftServiceCa => Some(CertificateProvider::OpenShiftServiceCa),
                Provider::None => None,
            },
            target,
            gates,
        })
    }
}
