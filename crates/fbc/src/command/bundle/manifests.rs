//! `fbc bundle manifests`: the objects that OLM v1 makes of a bundle.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use fbc_bundle::manifests::{
    Bundle, CertificateProvider, Configuration, Gates, Installation, Object, ReadError, Target, render,
};
use fbc_model::tree::{DiskTree, read_file};
use fbc_yaml::stream::{self, Fault};
use fbc_yaml::{json_writer, yaml_writer};

use super::manifest_diff;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output_file::write_output;
use crate::terminal::stdout_has_color;

/// Show the objects that OLM v1 creates for a bundle
///
/// The bundle is checked and rendered as operator-controller does it: service accounts, roles, custom
/// resource definitions, deployments, webhooks with their certificates. Nothing needs a cluster.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 rendered, 1 refused as operator-controller would refuse it (the reasons are on \
standard error), or with --exit-code different, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The folder of the bundle, with `manifests` and `metadata` in it
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundle: PathBuf,
    /// The namespace that the operator is installed in
    #[arg(short, long, value_name = "NAMESPACE", value_parser = namespace)]
    namespace: String,
    /// A namespace to watch; without it, all namespaces if the bundle supports that. Can be repeated
    #[arg(short, long, value_name = "NAMESPACE")]
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
    /// The format to write
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT", conflicts_with = "diff")]
    output: Format,
    /// Show what changes from the bundle in DIR to this one, as a unified diff for each object
    #[arg(long, value_name = "OTHER", value_hint = ValueHint::DirPath)]
    diff: Option<PathBuf>,
    /// With --diff: exit with 1 if the objects differ
    #[arg(long, requires = "diff")]
    exit_code: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
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

/// The formats of objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// YAML documents, one for each object
    #[default]
    Yaml,
    /// One JSON list of all objects
    Json,
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

fn gate(text: &str) -> Result<(Gate, bool), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let gate = GATES.iter().find(|(known, _)| *known == name).map(|(_, gate)| *gate);
    let gate = gate.ok_or_else(|| {
        let names: Vec<&str> = GATES.iter().map(|(name, _)| *name).collect();
        format!("no such feature gate; known are {}", names.join(", "))
    })?;
    let value = value.parse().map_err(|_| "the value must be true or false".to_owned())?;
    Ok((gate, value))
}

fn namespace(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("a namespace has a name".to_owned()) } else { Ok(text.to_owned()) }
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let installation = installation(arguments)?;
    let objects = objects(&arguments.bundle, &installation)?;
    let Some(other) = &arguments.diff else {
        write_output(arguments.output_file.as_deref(), |out| match arguments.output {
            Format::Yaml => write_yaml(&objects, out),
            Format::Json => Ok(write_json(&objects, out)?),
        })?;
        return Ok(CLEAN);
    };
    let changed = self::objects(other, &installation)?;
    let differences = manifest_diff::differences(&objects, &changed)?;
    write_output(arguments.output_file.as_deref(), |out| {
        let has_color = arguments.output_file.is_none() && stdout_has_color();
        manifest_diff::write(&differences, &arguments.bundle, other, has_color, out)
    })?;
    Ok(if arguments.exit_code && !differences.is_empty() { FINDINGS } else { CLEAN })
}

fn installation(arguments: &Arguments) -> Result<Installation, Failure> {
    let target = match arguments.target {
        Release::Latest => Target::Latest,
        Release::Ocp419 => Target::Ocp419,
    };
    if target == Target::Ocp419 && arguments.config.is_some() {
        return Err(Failure::new(
            "--config does not apply to --target ocp-4.19: its extensions have no spec.config",
        )
        .help("4.19 takes the annotation olm.operatorframework.io/watch-namespace; give --watch-namespace"));
    }
    if target == Target::Ocp419 && arguments.watch_namespace.len() > 1 {
        return Err(Failure::new(
            "--target ocp-4.19 takes one --watch-namespace: its annotation holds one name",
        ));
    }
    let mut gates = Gates::default();
    for (gate, value) in &arguments.feature_gate {
        match gate {
            Gate::SingleOwnNamespace => gates.single_own_namespace = *value,
            Gate::DeploymentConfiguration => gates.deployment_configuration = *value,
        }
    }
    Ok(Installation {
        namespace: arguments.namespace.clone(),
        watch_namespaces: arguments.watch_namespace.clone(),
        configuration: arguments.config.as_deref().map(configuration).transpose()?,
        certificate_provider: match arguments.cert_provider {
            Provider::CertManager => Some(CertificateProvider::CertManager),
            Provider::OpenshiftServiceCa => Some(CertificateProvider::OpenShiftServiceCa),
            Provider::None => None,
        },
        target,
        gates,
    })
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

/// Reads and renders a bundle.
fn objects(folder: &Path, installation: &Installation) -> Result<Vec<Object>, Failure> {
    let shown = folder.display();
    let metadata = fs::metadata(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(format!("{shown} does not exist"))
            .help("name the folder of a bundle, which holds the folders manifests and metadata"),
        _ => Failure::io("open", folder, &error),
    })?;
    if !metadata.is_dir() {
        return Err(Failure::new(format!("{shown} is no folder"))
            .help("name the folder of a bundle, which holds the folders manifests and metadata"));
    }
    let bundle =
        Bundle::read(&DiskTree { root: folder.to_path_buf() }).map_err(|error| unreadable(folder, &error))?;
    render(&bundle, installation).map_err(|refusal| {
        // The reasons stand at the beginning of lines, as operator-controller puts them.
        Failure::refusal(format!("{shown}: operator-controller refuses this bundle:\n{refusal}"))
    })
}

fn unreadable(folder: &Path, error: &ReadError) -> Failure {
    let failure = Failure::new(format!("{}: {}", folder.join(&error.path).display(), error.message));
    match error.pointer.as_str() {
        "" if error.message.starts_with("open ") => {
            failure.help("a bundle is a folder that holds manifests and metadata/annotations.yaml")
        }
        "" => failure,
        pointer => failure.help(format!("the value at {pointer} has another type in the Kubernetes API")),
    }
}

fn write_json(objects: &[Object], out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::from("[");
    for (index, object) in objects.iter().enumerate() {
        text.push_str(if index > 0 { ",\n" } else { "\n" });
        text.push_str("    ");
        json_writer::write_indented(&mut text, object.value.root(), 4, 1);
    }
    text.push_str(if objects.is_empty() { "]\n" } else { "\n]\n" });
    out.write_all(text.as_bytes())
}

fn write_yaml(objects: &[Object], out: &mut dyn Write) -> Result<(), Failure> {
    for object in objects {
        out.write_all(b"---\n")?;
        out.write_all(yaml(object)?.as_bytes())?;
    }
    Ok(())
}

/// An object as YAML.
pub(super) fn yaml(object: &Object) -> Result<String, Failure> {
    let mut text = String::new();
    yaml_writer::write(&mut text, object.value.root()).map_err(|error| {
        Failure::refusal(format!("{} {} cannot be written as YAML: {error}", object.kind, object.name))
            .help("YAML cannot hold this text; choose -o json")
    })?;
    Ok(text)
}
