//! `fbc migrate-to-v1`: what subscriptions of OLM v0 become in OLM v1.

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
use fbc_version::Target as Release;
use fbc_yaml::{json_writer, stream};
use serde_json::{Value, json};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::input;
use crate::input::bundle::open;
use crate::issue_words::words;
use crate::loading;
use crate::output::file::write_output;
use crate::output::manifest::write_yaml;
use crate::rbac_manifests;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

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
    /// The release that the extension goes to: who gives certificates to webhooks, and what the scenario plays
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
    let mut migrations = selected_migrations(&inventory, &arguments.packages);
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
    migrations = selected_migrations(&inventory, &arguments.packages);
    for (migration, named) in migrations.iter_mut().zip(&bundles).filter_map(with_bundle) {
        migration.note(named.refused.iter().cloned());
    }
    let mut text = Vec::new();
    for (migration, bundle) in migrations.iter().zip(&bundles) {
        let bundle = bundle.as_ref().map(|named| (named.path.as_path(), &named.bundle));
        write(migration, bundle, provider(&arguments.target), &mut text)?;
    }
    write_output(settings, arguments.output_file.as_deref(), |out| Ok(out.write_all(&text)?))?;
    if let Some(path) = &arguments.scenario {
        let scenario = scenario(arguments, &migrations, &bundles, &text, settings)?;
        write_output(settings, Some(path), |out| write_yaml(std::slice::from_ref(&scenario), out))?;
    }
    if !settings.quiet {
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
fn selected_migrations(inventory: &Inventory, packages: &[String]) -> Vec<Migration> {
    let mut migrations = inventory.migrations();
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
    let bundle = input::bundle::read_from(&source, &path)?;
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

/// Who gives certificates to webhooks.
fn provider(target: &str) -> CertificateProvider {
    match target.starts_with("ocp-") {
        true => CertificateProvider::OpenShiftServiceCa,
        false => CertificateProvider::CertManager,
    }
}

/// Writes the objects of one migration, with what to know as comments.
fn write(
    migration: &Migration,
    bundle: Option<(&Path, &Bundle)>,
    provider: CertificateProvider,
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
            let installation = Installation {
                namespace: account.namespace.clone(),
                watch_namespaces: Vec::new(),
                configuration,
                certificate_provider: Some(provider),
                target: Target::Latest,
                gates: Gates { single_own_namespace: true, deployment_configuration: true },
            };
            let objects = input::bundle::objects(bundle, path, &installation)?;
            let plan = Plan {
                account: &account,
                extension: &migration.package,
                engine: Engine::default(),
                by_namespace: false,
                escalates: false,
            };
            rbac_manifests::write_installer(&installer(&objects, &plan), &migration.package, out)?;
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

/// The first hour on a cluster of OLM v1.
fn scenario(
    arguments: &Arguments,
    migrations: &[Migration],
    bundles: &[Option<NamedBundle>],
    text: &[u8],
    settings: &Settings,
) -> Result<Value, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let scenario = absolute(arguments.scenario.as_deref().unwrap_or(Path::new(".")));
    let directory = scenario.parent().unwrap_or(Path::new(""));
    // Paths of a scenario start from its directory.
    let content = |path: &Path| {
        let found = absolute(path);
        let named = if path.exists() { found.strip_prefix(directory).unwrap_or(&found) } else { path };
        named.display().to_string()
    };
    let reference = arguments.catalog.clone().unwrap_or_default();
    let loaded = loading::load(
        std::slice::from_ref(&reference),
        None,
        &arguments.images.session([&reference], settings),
    )?;
    let Some(catalog) = loaded else {
        return Err(Failure::new(format!("the catalog {} cannot be read; see above", reference.display())));
    };
    let mut images = Vec::new();
    for NamedBundle { path, bundle, .. } in bundles.iter().flatten() {
        let blob = catalog.bundles.iter().find(|blob| {
            blob.package == bundle.package
                && fbc_graph::bundle_version::find(blob)
                    .is_some_and(|version| bundle.operator().version() == version.version.to_string())
        });
        let blob = blob.ok_or_else(|| {
            Failure::refusal(format!(
                "the catalog {} does not have the bundle {}",
                reference.display(),
                path.display()
            ))
        })?;
        images.push(json!({"image": blob.image, "content": content(path)}));
    }
    let mut objects: Vec<Value> = migrations
        .iter()
        .map(|one| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one.namespace}}))
        .collect();
    objects.dedup();
    let mut steps = Vec::new();
    for document in stream::read::<_, ()>(text, &|document| Ok(document)) {
        let Ok(document) = document.outcome else { continue };
        let object: Value = serde_json::from_str(&json_writer::compact(document.root())).unwrap_or_default();
        match object["kind"].as_str() {
            Some("ClusterExtension") => steps.push(object),
            Some(_) => objects.push(object),
            // Comments alone.
            None => {}
        }
    }
    let steps: Vec<Value> = steps
        .into_iter()
        .map(|extension| {
            let name = extension["metadata"]["name"].clone();
            json!({"name": "the extension takes over", "apply": extension, "expect": [{
                "object": format!("ClusterExtension/{}", name.as_str().unwrap_or_default()),
                "condition": {"type": "Installed", "status": "True"}, "within": "1h"}]})
        })
        .chain([json!({"name": "the first hour", "wait": "1h"})])
        .collect();
    let catalogs: BTreeSet<&str> = migrations.iter().map(|one| one.catalog.as_str()).collect();
    let catalogs: Vec<Value> =
        catalogs.into_iter().map(|name| json!({"name": name, "content": content(&reference)})).collect();
    Ok(
        json!({"title": "The first hour on OLM v1", "target": arguments.target, "catalogs": catalogs, "bundles": images, "emptyBundles": true,
        "objects": objects, "steps": steps}),
    )
}
