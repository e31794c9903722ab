//! `fbc bundle preauth`: whether operator-controller would let an installation begin.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::input::bundle::{objects, read};
use fbc_app::input::rights::access;
use fbc_app::invalid_value::InvalidValue;
use fbc_bundle::permissions::Applier;
use fbc_bundle::permissions::preauthorization::{Answer, preauthorize};
use fbc_kubernetes::rbac::Account;
use serde_json::json;

use crate::failure::{CLEAN, FINDINGS, Failure, HELP, WARNING};
use crate::input::bundle::InstallationArguments;
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Check whether a service account may install a bundle
///
/// The check is that of operator-controller before an installation (a Technology Preview of OpenShift 4.19):
/// every object that the bundle becomes must be manageable, and no role may hold rights that the account does not
/// have. The report is what the extension would show. Roles and bindings are taken from files; of the default
/// roles of Kubernetes, cluster-admin and system:auth-delegator are known.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 authorized, 1 not authorized or the bundle is refused, 2 could not run.\n\nThe files may \
hold everything that `kubectl get clusterroles,roles,clusterrolebindings,rolebindings,serviceaccounts -A -o yaml` \
prints. Rules that only groups have do not count, as in operator-controller."
)]
pub(crate) struct Arguments {
    /// The bundle: a directory with `manifests` and `metadata` in it, or an image
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundle: PathBuf,
    /// The service account of the extension; its namespace is that of the installation
    #[arg(short, long, value_name = "NAMESPACE/NAME", value_parser = account)]
    service_account: Account,
    /// Files with roles, bindings and service accounts: YAML or JSON, several documents, lists; can be repeated
    #[arg(long, value_name = "FILE", required = true, num_args = 1.., value_hint = ValueHint::FilePath)]
    rbac: Vec<PathBuf>,
    /// The name of the `ClusterExtension`, whose finalizers the account must update; the package by default
    #[arg(long, value_name = "NAME")]
    extension: Option<String>,
    /// How operator-controller applies objects
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    engine: EngineName,
    #[command(flatten)]
    installation: InstallationArguments,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    images: ImageArguments,
}

/// The ways in which operator-controller applies objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// Helm releases, the default of all releases
    #[default]
    Helm,
    /// Revisions (the feature gate BoxcutterRuntime)
    Boxcutter,
}

impl EngineName {
    pub(super) fn engine(self) -> Applier {
        match self {
            Self::Helm => Applier::Helm,
            Self::Boxcutter => Applier::Boxcutter { revision: 1 },
        }
    }
}

/// The formats of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The report of operator-controller
    #[default]
    Text,
    /// One object with all missing rules
    Json,
}

/// A service account on the command line.
pub(super) fn account(text: &str) -> Result<Account, InvalidValue> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok(Account { namespace: namespace.to_owned(), name: name.to_owned() })
        }
        _ => Err("write a namespace and a name, such as pipelines/pipelines-installer".into()),
    }
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let account = &arguments.service_account;
    let access = access(&arguments.rbac, account)?;
    let bundle = read(&arguments.bundle, &arguments.images.session([&arguments.bundle], settings))?;
    let installation = arguments.installation.installation_in(&account.namespace)?;
    let objects = objects(&bundle, &arguments.bundle, &installation)?;
    let extension = arguments.extension.as_deref().unwrap_or(&bundle.package);
    let answer = preauthorize(&objects, &access, account, extension, arguments.engine.engine());
    match arguments.output {
        Format::Text => write_text(&answer, account, extension, settings)?,
        Format::Json => write_output(settings, None, |out| {
            Ok(fbc_app::output::json_document::write(out, &in_json(&answer))?)
        })?,
    }
    Ok(if answer.is_authorized() { CLEAN } else { FINDINGS })
}

fn write_text(
    answer: &Answer,
    account: &Account,
    extension: &str,
    settings: &Settings,
) -> Result<(), Failure> {
    write_output(settings, None, |out| {
        match answer.report() {
            Some(report) => terminal::text_to(out, None).write_all(format!("{report}\n").as_bytes())?,
            None => writeln!(
                terminal::text_to(out, None),
                "authorized: {} may install extension {extension} in namespace {}",
                account.name,
                account.namespace
            )?,
        }
        Ok(())
    })?;
    let mut err = crate::terminal::stderr();
    for missing in &answer.missing_roles {
        let (kind, name) = &missing.binding;
        writeln!(
            err,
            "{WARNING}warning{WARNING:#}: {kind} {name} refers to {} {}, which is neither in the bundle nor in the files",
            missing.role.kind, missing.role.name
        )?;
        writeln!(
            err,
            "  {HELP}help{HELP:#}: create the role, or add its file: nobody gets its rights without it"
        )?;
    }
    Ok(())
}

fn in_json(answer: &Answer) -> serde_json::Value {
    let missing: Vec<_> = answer
        .missing
        .iter()
        .flat_map(|(namespace, rules)| {
            rules.iter().map(move |rule| json!({ "namespace": namespace, "rule": rule.to_json() }))
        })
        .collect();
    let roles: Vec<_> = answer
        .missing_roles
        .iter()
        .map(|missing| {
            json!({
                "binding": { "kind": missing.binding.0, "name": missing.binding.1, "namespace": missing.namespace },
                "role": { "kind": missing.role.kind, "name": missing.role.name },
            })
        })
        .collect();
    json!({
        "authorized": answer.is_authorized(),
        "missing": missing,
        "missingRoles": roles,
        "errors": answer.errors,
        "report": answer.report(),
    })
}
