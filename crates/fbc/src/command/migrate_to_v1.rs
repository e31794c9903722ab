//! `fbc migrate-to-v1`: what subscriptions of OLM v0 become in OLM v1.

mod scenario;

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_bundle::manifests::{Bundle, CertificateProvider, Configuration, Gates, Installation, Target};
use fbc_bundle::migration::{Inventory, Migration, Note, NoteKind};
use fbc_bundle::permissions::installer::{Plan, installer};
use fbc_bundle::permissions::{Account, Engine};
use fbc_bundle::readiness::{Issue, Release as OpenShift, readiness};
use fbc_model::tree::read_file;
use fbc_source::Session;
use fbc_version::{Target as Release, Version};
use fbc_yaml::{json_writer, stream};
use serde_json::{Value, json};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::output::manifest::write_yaml;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;
use fbc_app::input::bundle::open;
use fbc_app::issue_words::words;
use fbc_app::rbac_manifests;

/// Write what subscriptions of OLM v0 become in OLM v1
///
/// From Subscriptions, their OperatorGroups, ClusterServiceVersions and InstallPlans, as `kubectl get -o yaml` writes them,
/// come a ClusterExtension and the service account of its installer for each, with the rights that the bundle needs.
/// Comments and standard error say what changes, what cannot move (namespaces to watch, dependencies, OperatorConditions), and
/// what is to be done on the cluster. Nothing is changed on any cluster.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 everything moves, 1 something cannot move, 2 could not run.")]
pub(crate) struct Arguments {
    /// Files and directories with the objects; `-` for standard input
    #[arg(value_name = "SUBSCRIPTION", required = true, value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Only these packages
    #[arg(short, long = "package", value_name = "PACKAGE")]
    packages: Vec<String>,
    /// The bundle that is installed, a directory or an image: the installer gets the rights that it needs. Without it, the
    /// installer becomes a cluster administrator. With several packages, as PACKAGE=BUNDLE
    #[arg(long, value_name = "[PACKAGE=]BUNDLE", value_hint = ValueHint::AnyPath)]
    bundle: Vec<String>,
    /// The release that the extension goes to: what its API takes, who gives certificates to webhooks, and what the
    /// scenario plays
    #[arg(long, value_name = "TARGET", value_parser = Release::NAMES, default_value = "ocp-5.0")]
    target: String,
    /// Write a scenario for `fbc simulate` that plays the first hour as well; needs --catalog and --bundle, which
    /// `fbc simulate --allow-read` must allow if they lie elsewhere
    #[arg(long, value_name = "FILE", requires_all = ["catalog", "bundle"], value_hint = ValueHint::FilePath)]
    scenario: Option<PathBuf>,
    /// The catalog of the scenario: a directory, a file or an image
    #[arg(long, value_name = "REF", requires = "scenario", value_hint = ValueHint::AnyPath)]
    catalog: Option<PathBuf>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session(None::<&Path>, settings);
    let mut inventory = Inventory::default();
    for path in &arguments.files {
        for (file, text) in texts(path, settings)? {
            for document in stream::read::<_, ()>(&text, &|document| Ok(document)) {
                let document = document.outcome.map_err(|_| {
                    Failure::refusal(format!("{} is neither YAML nor JSON", file.display()))
                        .help("write objects as `kubectl get -o yaml` does")
                })?;
                let json = json_writer::compact(document.root());
                inventory.add(serde_json::from_str(&json).unwrap_or_default());
            }
        }
    }
    let target: Release = arguments.target.parse().unwrap_or_default();
    let mut migrations = selected_migrations(&inventory, &arguments.packages, target);
    if migrations.is_empty() {
        return Err(Failure::refusal("the files hold no Subscription of these packages")
            .help("`kubectl get subscriptions,operatorgroups,csv,installplans -n NAMESPACE -o yaml` writes what is needed"));
    }
    if let Some(nameless) = migrations.iter().find(|one| one.package.is_empty() || one.namespace.is_empty()) {
        return Err(Failure::refusal(format!(
            "a Subscription has no {}",
            match nameless.package.as_str() {
                "" => "`spec.name`",
                _ => "`metadata.namespace`",
            }
        )));
    }
    check_bundles(&arguments.bundle, &migrations)?;
    let bundles = migrations
        .iter()
        .map(|migration| bundle_of(arguments, migration, &session))
        .collect::<Result<Vec<_>, _>>()?;
    for (migration, named) in migrations.iter().zip(&bundles).filter_map(with_bundle) {
        inventory.add_bundle(migration, &named.bundle);
    }
    migrations = selected_migrations(&inventory, &arguments.packages, target);
    for (migration, named) in migrations.iter_mut().zip(&bundles).filter_map(with_bundle) {
        migration.note(named.refused.iter().cloned().chain(other_version(migration, named)));
    }
    let mut text = Vec::new();
    for (migration, bundle) in migrations.iter().zip(&bundles) {
        let bundle = bundle.as_ref().map(|named| (named.path.as_path(), &named.bundle));
        write(migration, bundle, target, &mut text)?;
    }
    write_output(settings, arguments.output_file.as_deref(), |out| Ok(out.write_all(&text)?))?;
    if let Some(path) = &arguments.scenario {
        let scenario = scenario::of_first_hour(arguments, target, &migrations, &bundles, &text, settings)?;
        write_output(settings, Some(path), |out| write_yaml(std::slice::from_ref(&scenario), out))?;
    }
    if !settings.quiet {
        for (migration, _) in migrations.iter().zip(&bundles).filter(|(_, bundle)| bundle.is_none()) {
            let package = &migration.package;
            Failure::new(format!(
                "{package}: the installer gets cluster-admin, because no bundle says what it needs"
            ))
            .help("name the installed bundle with --bundle: the installer then gets the rights that it needs")
            .warn();
        }
        for migration in &migrations {
            for note in &migration.notes {
                terminal::tell(format_args!("{}: {}: {}", migration.package, note.kind.name(), note.text));
            }
        }
    }
    let stays = migrations.iter().flat_map(|one| &one.notes).any(|note| note.kind == NoteKind::CannotMove);
    Ok(if stays { FINDINGS } else { CLEAN })
}

/// The migrations of packages; of all if none is named.
fn selected_migrations(inventory: &Inventory, packages: &[String], target: Release) -> Vec<Migration> {
    let mut migrations = inventory.migrations(target);
    migrations.retain(|migration| packages.is_empty() || packages.contains(&migration.package));
    migrations
}

/// A migration with its bundle, if it has one.
fn with_bundle<M>((migration, bundle): (M, &Option<NamedBundle>)) -> Option<(M, &NamedBundle)> {
    Some((migration, bundle.as_ref()?))
}

/// The texts of a file, of the files in a directory, or of standard input.
fn texts(path: &Path, settings: &Settings) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(vec![(PathBuf::from("standard input"), text)]);
    }
    let read = |path: &Path| {
        let text = read_file(path).map_err(|error| Failure::io("read", path, &error))?;
        Ok((path.to_path_buf(), text))
    };
    if !path.is_dir() {
        return Ok(vec![read(path)?]);
    }
    let tree = settings.disk_tree(path);
    let entries = tree.list(Path::new("")).map_err(|error| Failure::io("list", path, &error))?;
    let is_document =
        |name: &Path| name.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
    let files = entries.iter().filter(|entry| !entry.is_directory && is_document(&entry.name));
    files.map(|entry| read(&path.join(&entry.name))).collect()
}

/// Whether each word of --bundle is for one package.
fn check_bundles(words: &[String], migrations: &[Migration]) -> Result<(), Failure> {
    let packages: BTreeSet<&str> = migrations.iter().map(|migration| migration.package.as_str()).collect();
    let example = format!("write --bundle {}=BUNDLE", packages.first().copied().unwrap_or_default());
    let mut named = BTreeSet::new();
    for word in words {
        match word.split_once('=') {
            Some((package, _)) if !packages.contains(package) => {
                return Err(Failure::new(format!(
                    "--bundle names package {package:?}, of which there is no Subscription"
                )));
            }
            Some((package, _)) if !named.insert(package) => {
                return Err(Failure::new(format!("--bundle names package {package:?} twice")));
            }
            None if packages.len() > 1 => {
                return Err(Failure::new(
                    "there are several packages, and --bundle does not say for which it is",
                )
                .help(example));
            }
            None if words.len() > 1 => {
                return Err(Failure::new("there are several bundles of one package").help(example));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A bundle as it was named, and what of it OLM v1 refuses.
struct NamedBundle {
    path: PathBuf,
    bundle: Bundle,
    refused: Vec<Note>,
}

/// The bundle that is named for a package.
fn bundle_of(
    arguments: &Arguments,
    migration: &Migration,
    session: &Session,
) -> Result<Option<NamedBundle>, Failure> {
    let named = arguments.bundle.iter().find_map(|word| match word.split_once('=') {
        Some((package, bundle)) => (package == migration.package).then_some(bundle),
        None => Some(word.as_str()),
    });
    let Some(named) = named else { return Ok(None) };
    let path = PathBuf::from(named);
    let source = open(&path, session)?;
    let bundle = fbc_app::input::bundle::read_from(&source, &path)?;
    if bundle.package != migration.package {
        return Err(Failure::refusal(format!(
            "{named} is a bundle of package {:?}, not of {:?}",
            bundle.package, migration.package
        )));
    }
    // The newest release: what it refuses, earlier ones refuse too.
    let newest = OpenShift::NEWEST;
    let issues = readiness(&bundle, source.tree.as_ref(), &[newest].into()).issues.remove(&newest);
    let refused = issues.into_iter().flatten().filter(|issue| matches!(issue, Issue::Dependency(_)));
    let refused = refused.map(|issue| Note { kind: NoteKind::CannotMove, text: words(&issue) }).collect();
    Ok(Some(NamedBundle { path, bundle, refused }))
}

/// What to do about a bundle that is not of the version that the extension is pinned to: it needs other rights.
fn other_version(migration: &Migration, named: &NamedBundle) -> Option<Note> {
    let (pinned, operator) = (migration.version.as_deref()?, named.bundle.operator());
    let parsed = Version::parse(pinned).ok().zip(Version::parse(operator.version()).ok());
    let is_other =
        parsed.map_or(pinned != operator.version(), |(one, other)| one.compare_precedence(&other).is_ne());
    is_other.then(|| Note {
        kind: NoteKind::Do,
        text: format!(
            "name the bundle of {pinned} by --bundle: the installer has the rights that {} of {} needs",
            operator.version(),
            named.path.display()
        ),
    })
}

/// Who gives certificates to webhooks.
fn provider(target: Release) -> CertificateProvider {
    match target.is_openshift() {
        true => CertificateProvider::OpenShiftServiceCa,
        false => CertificateProvider::CertManager,
    }
}

/// Writes the objects of one migration, with what to know as comments.
fn write(
    migration: &Migration,
    bundle: Option<(&Path, &Bundle)>,
    target: Release,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let line = |text: &str| text.replace(char::is_control, " ");
    writeln!(out, "# Package {}, in namespace {}", line(&migration.package), line(&migration.namespace))?;
    for note in &migration.notes {
        writeln!(out, "# {}: {}", note.kind.name(), line(&note.text))?;
    }
    let account =
        Account { namespace: migration.namespace.clone(), name: format!("{}-installer", migration.package) };
    match bundle {
        Some((path, bundle)) => {
            let inline = &migration.extension["spec"]["config"]["inline"];
            let configuration = (!inline.is_null())
                .then(|| stream::read_one(inline.to_string().as_bytes()).map(Configuration::new))
                .transpose()
                .map_err(|error| Failure::new(error.message))?;
            // OLM of 4.19 refuses bundles with webhooks; their rights are worked out as for later releases.
            let is_of_4_19 = target == Release::Ocp419 && bundle.operator().webhooks().next().is_none();
            let installation = Installation {
                namespace: account.namespace.clone(),
                // The configuration takes precedence over this.
                watch_namespaces: migration.watched.iter().cloned().collect(),
                configuration,
                certificate_provider: Some(provider(target)),
                target: if is_of_4_19 { Target::Ocp419 } else { Target::Latest },
                gates: Gates { single_own_namespace: true, deployment_configuration: true },
            };
            let objects = fbc_app::input::bundle::objects(bundle, path, &installation)?;
            let plan = Plan {
                account: &account,
                extension: &migration.package,
                engine: Engine::default(),
                by_namespace: false,
                escalates: false,
            };
            let text = rbac_manifests::installer_yaml(&installer(&objects, &plan), &migration.package)?;
            out.write_all(text.as_bytes())?;
        }
        None => {
            writeln!(
                out,
                "# The installer may do everything, because no bundle says what it needs: name it with --bundle."
            )?;
            write_yaml(&administrator(&account), out)?;
        }
    }
    write_yaml(std::slice::from_ref(&migration.extension), out)
}

/// A service account that may do everything.
fn administrator(account: &Account) -> [Value; 2] {
    let Account { namespace, name } = account;
    [
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
        }),
    ]
}
