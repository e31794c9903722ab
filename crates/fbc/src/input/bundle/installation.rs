//! What an installation of a bundle is asked for with, and the bundle read and rendered.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use fbc_bundle::manifests::{
    Bundle, CertificateProvider, Configuration, Gates, Installation, Object, ReadError, Target, render,
};
use fbc_model::tree::read_file;
use fbc_source::{CatalogSource, Session};
use fbc_yaml::stream::{self, Fault};

use super::open;
use crate::failure::Failure;
use crate::invalid_value::InvalidValue;

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
    #[arg(long, value_enum, default_value_t, value_name = "TARGET")]
    target: Release,
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

/// The releases that render differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Release {
    /// Mid-2026
    #[default]
    Latest,
    /// OpenShift Container Platform 4.19: no webhooks; the watched namespace comes from an annotation
    #[value(name = "ocp-4.19")]
    Ocp419,
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

/// A namespace on the command line.
pub(crate) fn namespace(text: &str) -> Result<String, InvalidValue> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    let is_label = bytes.iter().all(|&byte| is_plain(byte) || byte == b'-')
        && ends.iter().all(|end| end.is_some_and(|&byte| is_plain(byte)));
    match text.len() {
        0 => Err("a namespace has a name".into()),
        64.. => Err("the name of a namespace has at most 63 characters".into()),
        _ if is_label => Ok(text.to_owned()),
        _ => {
            Err("the name of a namespace has lower-case letters, digits and `-`, with a letter or digit at \
                  both ends"
                .into())
        }
    }
}

/// A namespace to watch; an empty name is all of them.
fn watched_namespace(text: &str) -> Result<String, InvalidValue> {
    if text.is_empty() { Ok(String::new()) } else { namespace(text) }
}

impl InstallationArguments {
    /// The installation in a namespace.
    pub(crate) fn installation_in(&self, namespace: &str) -> Result<Installation, Failure> {
        let target = match self.target {
            Release::Latest => Target::Latest,
            Release::Ocp419 => Target::Ocp419,
        };
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

fn configuration(path: &Path) -> Result<Configuration, Failure> {
    let bytes = read_file(path).map_err(|error| Failure::io("read", path, &error))?;
    let mut documents = stream::read(&bytes, &|document| Ok::<_, ()>(document)).into_iter();
    let shown = path.display();
    let document = match documents.next().map(|first| first.outcome) {
        None => {
            return Err(
                Failure::new(format!("{shown} is empty")).help("an empty configuration is written {}")
            );
        }
        Some(Ok(document)) => document,
        Some(Err(Fault::Malformed { message, .. })) => {
            return Err(Failure::new(format!("{shown}: {message}")));
        }
        Some(Err(_)) => return Err(Failure::new(format!("{shown} is neither YAML nor JSON"))),
    };
    if documents.next().is_some() {
        return Err(Failure::new(format!("{shown} holds several documents"))
            .help("a configuration is one document: what stands under spec.config.inline"));
    }
    Ok(Configuration::new(document))
}

/// Reads a bundle.
pub(crate) fn read(reference: &Path, session: &Session) -> Result<Bundle, Failure> {
    read_from(&open(reference, session)?, reference)
}

/// Reads a bundle of which the files were opened.
pub(crate) fn read_from(source: &CatalogSource, reference: &Path) -> Result<Bundle, Failure> {
    Bundle::read(source.tree.as_ref()).map_err(|error| unreadable(reference, &error))
}

/// Renders a bundle that was read from a directory.
pub(crate) fn objects(
    bundle: &Bundle,
    folder: &Path,
    installation: &Installation,
) -> Result<Vec<Object>, Failure> {
    render(bundle, installation).map_err(|refusal| {
        // The reasons stand at the beginning of lines, as operator-controller puts them.
        let shown = folder.display();
        let failure =
            Failure::of_lines(&format!("{shown}: operator-controller refuses this bundle:\n{refusal}"))
                .refused();
        let modes = bundle.operator().install_modes();
        let is_asked_for = !installation.watch_namespaces.is_empty() || installation.configuration.is_some();
        let watches_some = modes.contains("OwnNamespace") || modes.contains("SingleNamespace");
        if !is_asked_for && !modes.contains("AllNamespaces") && watches_some {
            return failure
                .help("this operator cannot watch all namespaces; name one with --watch-namespace");
        }
        if !["target namespace", "install mode"].iter().any(|words| refusal.to_string().contains(words)) {
            if installation.configuration.is_some() {
                return failure.help("correct the file that --config names, or leave --config out");
            }
            return failure.help("`fbc bundle ready` says on which releases a bundle installs, and what keeps it from the others");
        }
        let supported: Vec<&str> = modes.iter().map(AsRef::as_ref).collect();
        failure.help(format!(
            "the bundle supports {}; --watch-namespace says what to watch, without it all namespaces",
            if supported.is_empty() { "no install mode".to_owned() } else { supported.join(", ") }
        ))
    })
}

fn unreadable(folder: &Path, error: &ReadError) -> Failure {
    let failure = Failure::new(format!("{}: {}", folder.join(&error.path).display(), error.message));
    match error.pointer.as_str() {
        "" if error.message.starts_with("open ") => {
            failure.help("a bundle is a directory that holds manifests and metadata/annotations.yaml")
        }
        "" => failure,
        pointer => failure.help(format!("the value at {pointer} has another type in the Kubernetes API")),
    }
}
