//! Installations of OLM v0 as those of OLM v1: extensions, and what their installers need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fbc_bundle::manifests::{Bundle, CertificateProvider, Configuration, Gates, Installation};
use fbc_bundle::migration::{Inventory, Migration, Note, NoteKind};
use fbc_bundle::permissions::Applier;
use fbc_bundle::permissions::installer::{Plan, installer};
use fbc_bundle::readiness::{Issue, NEWEST, readiness};
use fbc_kubernetes::rbac::Account;
use fbc_source::{Error, Session};
use fbc_version::{Target, Version};
use fbc_yaml::stream;
use serde_json::{Value, json};

use crate::input::bundle::open;
use crate::issue_words::words as issue_words;
use crate::output::manifest::yaml_documents;
use crate::rbac_manifests;

/// What a migration writes.
pub struct Planned {
    /// The migrations.
    pub migrations: Vec<Migration>,
    /// The bundles that are named for them.
    pub bundles: Vec<Option<NamedBundle>>,
    /// Their objects as YAML, with what to know as comments.
    pub text: String,
}

/// Plans the migrations of packages, of all if none is named; `words` name bundles as `[PACKAGE=]BUNDLE`.
///
/// # Errors
/// If there is nothing to migrate, or a bundle does not fit.
pub fn plan(
    inventory: &mut Inventory,
    packages: &[String],
    words: &[String],
    target: Target,
    session: &Session,
) -> Result<Planned, Error> {
    let mut migrations = selected_migrations(inventory, packages, target);
    if migrations.is_empty() {
        return Err(Error::refusal("the files hold no Subscription of these packages")
            .help("`kubectl get subscriptions,operatorgroups,csv,installplans -n NAMESPACE -o yaml` writes what is needed"));
    }
    if let Some(nameless) = migrations.iter().find(|one| one.package.is_empty() || one.namespace.is_empty()) {
        return Err(Error::refusal(format!(
            "a Subscription has no {}",
            match nameless.package.as_str() {
                "" => "`spec.name`",
                _ => "`metadata.namespace`",
            }
        )));
    }
    check_bundles(words, &migrations)?;
    let bundles = migrations
        .iter()
        .map(|migration| bundle_of(words, migration, session))
        .collect::<Result<Vec<_>, _>>()?;
    for (migration, named) in migrations.iter().zip(&bundles).filter_map(with_bundle) {
        inventory.add_bundle(migration, &named.bundle);
    }
    migrations = selected_migrations(inventory, packages, target);
    for (migration, named) in migrations.iter_mut().zip(&bundles).filter_map(with_bundle) {
        migration.note(named.refused.iter().cloned().chain(other_version(migration, named)));
    }
    let mut text = String::new();
    for (migration, bundle) in migrations.iter().zip(&bundles) {
        let bundle = bundle.as_ref().map(|named| (named.path.as_path(), &named.bundle));
        write(migration, bundle, target, &mut text)?;
    }
    Ok(Planned { migrations, bundles, text })
}

/// The migrations of packages; of all if none is named.
fn selected_migrations(inventory: &Inventory, packages: &[String], target: Target) -> Vec<Migration> {
    let mut migrations = inventory.migrations(target);
    migrations.retain(|migration| packages.is_empty() || packages.contains(&migration.package));
    migrations
}

/// A migration with its bundle, if it has one.
fn with_bundle<M>((migration, bundle): (M, &Option<NamedBundle>)) -> Option<(M, &NamedBundle)> {
    Some((migration, bundle.as_ref()?))
}

/// Whether each word of --bundle is for one package.
fn check_bundles(words: &[String], migrations: &[Migration]) -> Result<(), Error> {
    let packages: BTreeSet<&str> = migrations.iter().map(|migration| migration.package.as_str()).collect();
    let example = format!("write --bundle {}=BUNDLE", packages.first().copied().unwrap_or_default());
    let mut named = BTreeSet::new();
    for word in words {
        match word.split_once('=') {
            Some((package, _)) if !packages.contains(package) => {
                return Err(Error::new(format!(
                    "--bundle names package {package:?}, of which there is no Subscription"
                )));
            }
            Some((package, _)) if !named.insert(package) => {
                return Err(Error::new(format!("--bundle names package {package:?} twice")));
            }
            None if packages.len() > 1 => {
                return Err(Error::new(
                    "there are several packages, and --bundle does not say for which it is",
                )
                .help(example));
            }
            None if words.len() > 1 => {
                return Err(Error::new("there are several bundles of one package").help(example));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A bundle as it was named, and what of it OLM v1 refuses.
pub struct NamedBundle {
    /// Where it is.
    pub path: PathBuf,
    /// The bundle.
    pub bundle: Bundle,
    refused: Vec<Note>,
}

/// The bundle that is named for a package.
fn bundle_of(
    words: &[String],
    migration: &Migration,
    session: &Session,
) -> Result<Option<NamedBundle>, Error> {
    let named = words.iter().find_map(|word| match word.split_once('=') {
        Some((package, bundle)) => (package == migration.package).then_some(bundle),
        None => Some(word.as_str()),
    });
    let Some(named) = named else { return Ok(None) };
    let path = PathBuf::from(named);
    let source = open(&path, session)?;
    let bundle = crate::input::bundle::read_from(&source, &path)?;
    if bundle.package != migration.package {
        return Err(Error::refusal(format!(
            "{named} is a bundle of package {:?}, not of {:?}",
            bundle.package, migration.package
        )));
    }
    // The newest release: what it refuses, earlier ones refuse too.
    let newest = NEWEST;
    let issues = readiness(&bundle, source.tree.as_ref(), &[newest].into()).issues.remove(&newest);
    let refused = issues.into_iter().flatten().filter(|issue| matches!(issue, Issue::Dependency(_)));
    let refused =
        refused.map(|issue| Note { kind: NoteKind::CannotMove, text: issue_words(&issue) }).collect();
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
fn provider(target: Target) -> CertificateProvider {
    match target.is_openshift() {
        true => CertificateProvider::OpenShiftServiceCa,
        false => CertificateProvider::CertManager,
    }
}

/// Writes the objects of one migration, with what to know as comments.
fn write(
    migration: &Migration,
    bundle: Option<(&Path, &Bundle)>,
    target: Target,
    out: &mut String,
) -> Result<(), Error> {
    let line = |text: &str| text.replace(char::is_control, " ");
    out.push_str(&format!(
        "# Package {}, in namespace {}\n",
        line(&migration.package),
        line(&migration.namespace)
    ));
    for note in &migration.notes {
        out.push_str(&format!("# {}: {}\n", note.kind.name(), line(&note.text)));
    }
    let account =
        Account { namespace: migration.namespace.clone(), name: format!("{}-installer", migration.package) };
    match bundle {
        Some((path, bundle)) => {
            let inline = &migration.extension["spec"]["config"]["inline"];
            let configuration = (!inline.is_null())
                .then(|| stream::read_one(inline.to_string().as_bytes()).map(Configuration::new))
                .transpose()
                .map_err(|error| Error::new(error.message))?;
            // OLM of 4.19 refuses bundles with webhooks; their rights are worked out as for later releases.
            let is_of_4_19 = target == Target::Ocp419 && bundle.operator().webhooks().next().is_none();
            let installation = Installation {
                namespace: account.namespace.clone(),
                // The configuration takes precedence over this.
                watch_namespaces: migration.watched.iter().cloned().collect(),
                configuration,
                certificate_provider: Some(provider(target)),
                target: if is_of_4_19 { Target::Ocp419 } else { Target::Latest },
                gates: Gates { single_own_namespace: true, deployment_configuration: true },
            };
            let objects = crate::input::bundle::objects(bundle, path, &installation)?;
            let plan = Plan {
                account: &account,
                extension: &migration.package,
                engine: Applier::default(),
                by_namespace: false,
                escalates: false,
            };
            out.push_str(&rbac_manifests::installer_yaml(&installer(&objects, &plan), &migration.package)?);
        }
        None => {
            out.push_str(
                "# The installer may do everything, because no bundle says what it needs: name it with --bundle.\n",
            );
            out.push_str(&yaml_documents(&administrator(&account))?);
        }
    }
    out.push_str(&yaml_documents(std::slice::from_ref(&migration.extension))?);
    Ok(())
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
