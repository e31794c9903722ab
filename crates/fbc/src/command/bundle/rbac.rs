//! `fbc bundle rbac`: the rights that come with a bundle: those of its installer, of the operator, of its users.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use fbc_app::input::bundle::{namespace, objects, read};
use fbc_app::invalid_value::InvalidValue;
use fbc_app::rbac_manifests as manifests;
use fbc_bundle::permissions::installer::{Plan, installer};
use fbc_bundle::permissions::operator_rights::{Change, Rights, differences, rights};
use fbc_bundle::permissions::user_roles::{Grant, Grantee, Level, resources, user_roles};
use fbc_kubernetes::rbac::Account;
use fbc_source::Session;

use super::preauth::{EngineName, account};
use super::rbac_report as report;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::input::bundle::InstallationArguments;
use crate::output::file::write_output;
use crate::output::manifest::{write_json, write_yaml};
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Write the rights that an installer needs, or show what the operator and its users may do
///
/// Without --report, --users or --diff: the service account of an installer with its role and binding. They hold what
/// operator-controller asks for and nothing else: names where names can be given (`list`, `watch` and `create` cannot be
/// limited by them), and the operator's own rights, because nobody may hand out what they do not have. Comments say why
/// each rule is there. The namespace must exist before they are applied.
#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("view").args(["report", "users", "diff"]),
    after_help = "Exit codes: 0 written, 1 the bundle is refused, or with --diff --exit-code the operator may do more than \
before, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The bundle: a directory with `manifests` and `metadata` in it, or an image
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundle: PathBuf,
    /// The namespace that the operator is installed in; with --report, --users and --diff the package by default
    #[arg(short, long, value_name = "NAMESPACE", value_parser = namespace, required_unless_present = "view")]
    namespace: Option<String>,
    /// The name of the `ClusterExtension`; the package by default
    #[arg(long, value_name = "NAME")]
    extension: Option<String>,
    /// The name of the installer's service account; the extension's with `-installer` by default
    #[arg(long, value_name = "NAME", conflicts_with = "view")]
    service_account: Option<String>,
    /// Where the rights of the installer go
    #[arg(long, value_enum, default_value_t, value_name = "SCOPE", conflicts_with = "view")]
    scope: Scope,
    /// Let the installer hand out rights that it does not have (`escalate`, `bind`), instead of giving it those of the
    /// operator; shorter, and as powerful as a cluster administrator
    #[arg(long, conflicts_with = "view")]
    bind_escalate: bool,
    /// How operator-controller applies objects
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", conflicts_with = "view")]
    engine: EngineName,
    /// Show what the operator may do once it is installed, dangerous rights first
    #[arg(long)]
    report: bool,
    /// Write roles for users of the operator's APIs
    #[arg(long, value_enum, value_name = "LEVEL", value_delimiter = ',', num_args = 1..)]
    users: Vec<LevelName>,
    /// With --users: bind the roles to user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME; can be repeated
    #[arg(long, value_name = "WHO", value_parser = grantee, requires = "users")]
    bind: Vec<Grantee>,
    /// With --bind: in this namespace only; without it, in the whole cluster
    #[arg(long, value_name = "NAMESPACE", value_parser = namespace, requires = "bind")]
    bind_namespace: Option<String>,
    /// With --users: let the default roles view, edit and admin take the rights over
    #[arg(long, requires = "users", conflicts_with = "bind")]
    aggregate: bool,
    /// Show what the operator in this bundle may do more and less than the one in DIR
    #[arg(long, value_name = "OTHER", value_hint = ValueHint::DirPath)]
    diff: Option<PathBuf>,
    /// With --diff: exit with 1 if the operator may do more
    #[arg(long, requires = "diff")]
    exit_code: bool,
    #[command(flatten)]
    installation: InstallationArguments,
    /// The format: manifests, with comments in YAML; with --report and --diff text, or JSON
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

/// Where rights go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// All to one cluster role
    #[default]
    Cluster,
    /// Those in namespaces to roles of these namespaces, the others to a cluster role
    Namespace,
}

/// How much users may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelName {
    /// To read
    View,
    /// To read and change
    Edit,
    /// Everything
    Admin,
}

/// The formats of rights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// YAML documents, or text
    #[default]
    Yaml,
    /// One JSON value
    Json,
}

fn grantee(text: &str) -> Result<Grantee, InvalidValue> {
    match text.split_once(':') {
        Some(("user", name)) if !name.is_empty() => Ok(Grantee::User(name.to_owned())),
        Some(("group", name)) if !name.is_empty() => Ok(Grantee::Group(name.to_owned())),
        Some(("serviceaccount", name)) => {
            account(name).map(|account| Grantee::ServiceAccount(account.namespace, account.name))
        }
        _ => Err("write user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME".into()),
    }
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.bundle].into_iter().chain(&arguments.diff), settings);
    if let Some(other) = &arguments.diff {
        return run_diff(arguments, other, &session, settings);
    }
    if arguments.report {
        let rights = operator(arguments, &arguments.bundle, &session)?;
        write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
            Format::Yaml => Ok(report::write_rights(&rights, &mut terminal::text_to(out, None))?),
            Format::Json => Ok(report::write_json(&report::rights_json(&rights), out)?),
        })?;
        return Ok(CLEAN);
    }
    if !arguments.users.is_empty() {
        return run_users(arguments, &session, settings);
    }
    let bundle = read(&arguments.bundle, &session)?;
    let extension = arguments.extension.as_deref().unwrap_or(&bundle.package);
    let name = arguments.service_account.clone().unwrap_or_else(|| format!("{extension}-installer"));
    let account = Account { namespace: arguments.namespace.clone().unwrap_or_default(), name };
    let objects =
        objects(&bundle, &arguments.bundle, &arguments.installation.installation_in(&account.namespace)?)?;
    let plan = Plan {
        account: &account,
        extension,
        engine: arguments.engine.engine(),
        by_namespace: arguments.scope == Scope::Namespace,
        escalates: arguments.bind_escalate,
    };
    let installer = installer(&objects, &plan);
    write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
        Format::Yaml => Ok(out.write_all(manifests::installer_yaml(&installer, extension)?.as_bytes())?),
        Format::Json => write_json(installer.manifests(), out),
    })?;
    Ok(CLEAN)
}

/// The rights of the operator in a bundle.
fn operator(arguments: &Arguments, folder: &std::path::Path, session: &Session) -> Result<Rights, Failure> {
    let bundle = read(folder, session)?;
    let namespace = arguments.namespace.as_deref().unwrap_or(&bundle.package);
    Ok(rights(&objects(&bundle, folder, &arguments.installation.installation_in(namespace)?)?, namespace))
}

fn run_diff(
    arguments: &Arguments,
    other: &std::path::Path,
    session: &Session,
    settings: &Settings,
) -> Result<u8, Failure> {
    let (old, new) = (operator(arguments, &arguments.bundle, session)?, operator(arguments, other, session)?);
    let differences = differences(&old, &new);
    write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
        Format::Yaml => Ok(report::write_differences(&differences, &mut terminal::text_to(out, None))?),
        Format::Json => Ok(report::write_json(&report::differences_json(&differences), out)?),
    })?;
    let has_grown = differences.iter().any(|found| matches!(found.change, Change::Added | Change::Widened));
    Ok(if arguments.exit_code && has_grown { FINDINGS } else { CLEAN })
}

fn run_users(arguments: &Arguments, session: &Session, settings: &Settings) -> Result<u8, Failure> {
    let bundle = read(&arguments.bundle, session)?;
    if resources(&bundle).is_empty() {
        return Err(Failure::new(format!(
            "{} has no custom resource definitions, so its users need no roles",
            arguments.bundle.display()
        )));
    }
    let levels: BTreeSet<Level> = arguments
        .users
        .iter()
        .map(|level| match level {
            LevelName::View => Level::View,
            LevelName::Edit => Level::Edit,
            LevelName::Admin => Level::Admin,
        })
        .collect();
    let grant = if arguments.aggregate {
        Grant::Aggregated
    } else {
        Grant::Bound { to: arguments.bind.clone(), namespace: arguments.bind_namespace.clone() }
    };
    let name = arguments.extension.as_deref().unwrap_or(&bundle.package);
    let roles = user_roles(&bundle, name, &levels, &grant);
    write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
        Format::Yaml => write_yaml(&roles, out),
        Format::Json => write_json(roles, out),
    })?;
    Ok(CLEAN)
}
