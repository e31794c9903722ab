//! `fbc simulate upgrade`: every installed version of a package in an old catalog, upgraded by a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};
use fbc_model::Catalog;
use fbc_model::tree::{DiskTree, MemoryTree, Tree};
use fbc_resolve::{CatalogIndex, IndexedBundle, Rules};
use fbc_scenario::{
    Action, BundleImage, Contents, Manifests, ObjectReference, Obstacle, Options, PatchKind, Place, Prepared,
    Publication, Reference, Run, Scenario, ScenarioFault, obstacles, play,
};
use fbc_version::Target;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::stranded::{Stranded, stranded};
use super::{Format, destinations, page, sources, verdict, write_json};
use crate::arguments::Global;
use crate::command::graph::{require_channels, require_package};
use crate::command::render;
use crate::escape::Lines;
use crate::failure::{CLEAN, FINDINGS, Failure, WARNING};
use crate::output_file::write_output;
use crate::progress::Counter;
use crate::registry::ImageArguments;
use crate::shard::ShardArgument;

/// Upgrade every installed version of a package, or of all packages, from one catalog to another
///
/// Each version that the old catalog can install is installed from it, on a cluster of its own; then the new catalog
/// takes the old one's place, and the extension follows it. Without the contents of bundles (--bundles), only
/// resolution and OLM's decisions are simulated: bundles install nothing but a record of their version. Each row says
/// where a version ends, and what keeps it there if the new catalog has a newer one.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The catalog that the versions are installed from: a directory, a file, an image or `REV:PATH`
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    old: PathBuf,
    /// The catalog that takes its place
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: PathBuf,
    /// The package; without it, every package of the old catalog
    #[arg(short, long, value_name = "PACKAGE")]
    package: Option<String>,
    /// The channel that the extension follows after the installation; without any, all of them
    #[arg(short, long = "channel", value_name = "CHANNEL", requires = "package")]
    channels: Vec<String>,
    /// A directory with a bundle in each of its directories
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundles: Option<PathBuf>,
    /// Whose behavior counts
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
    /// The seed of all clusters
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Write a page for browsers with all runs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardArgument,
    #[command(flatten)]
    images: ImageArguments,
}

/// The name of the extension, its namespace and the catalog.
const EXTENSION: &str = "extension";
const NAMESPACE: &str = "extension";
const CATALOG: &str = "catalog";
/// Keys of contents.
const OLD: &str = "old";
const NEW: &str = "new";

/// What became of an installed version.
struct Outcome {
    package: String,
    installed: String,
    after: String,
    progressing: String,
    message: String,
    is_success: bool,
    stranded: Option<Stranded>,
    obstacles: Vec<Obstacle>,
    /// The whole run, if it is to be written.
    run: Option<Run>,
}

impl Outcome {
    /// Whether the version came to the newest one, and runs.
    fn is_fine(&self) -> bool {
        self.is_success && self.stranded.is_none() && self.obstacles.is_empty()
    }
}

pub(super) fn run(arguments: &Arguments, _global: Global) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.old, &arguments.new]);
    if [&arguments.old, &arguments.new].iter().all(|catalog| catalog.as_os_str() == "-") {
        return Err(Failure::new("both catalogs are `-`, and standard input holds only one")
            .help("name a directory, a file, a revision or an image for one of them"));
    }
    destinations::check(
        &[("--report", arguments.report.as_deref()), ("--output-file", arguments.output_file.as_deref())],
        [arguments.old.as_path(), arguments.new.as_path()].into_iter(),
    )?;
    let target: Target = arguments.target.parse().map_err(|error| Failure::new(format!("{error}")))?;
    let Some(old) = render::load(std::slice::from_ref(&arguments.old), None, &session)? else {
        return Ok(FINDINGS);
    };
    let Some(new) = render::load(std::slice::from_ref(&arguments.new), None, &session)? else {
        return Ok(FINDINGS);
    };
    if let Some(package) = &arguments.package {
        require_package(&old, package)?;
    }
    // A channel that the new catalog has lost is something to simulate; one that neither has is a mistake.
    let has_channels = |catalog| {
        require_channels(catalog, &arguments.channels, |package| {
            arguments.package.as_deref() == Some(package)
        })
    };
    has_channels(&new).or_else(|failure| has_channels(&old).map_err(|_| failure))?;
    let mut contents = Contents::default();
    contents.catalogs.insert(OLD.to_owned(), sources::open(&arguments.old, &session)?);
    contents.catalogs.insert(NEW.to_owned(), sources::open(&arguments.new, &session)?);
    let images = match &arguments.bundles {
        Some(folder) => bundles(folder, &[&old, &new], arguments.package.as_deref(), &mut contents)?,
        None => Vec::new(),
    };
    if arguments.bundles.is_none() {
        Failure::new("bundles are taken as empty: only resolution and OLM's decisions are simulated")
            .help("--bundles DIR gives their contents")
            .warn();
    }
    let rules = Rules::of(target);
    let versions = versions(&old, arguments.package.as_deref(), rules);
    let Some(first) = versions.first() else {
        let package = arguments.package.as_deref().unwrap_or_default();
        return Err(Failure::refusal(format!("package {package:?} has no version to install"))
            .help("its bundles are in no channel, or have no version; `fbc validate` says more"));
    };
    let new = CatalogIndex::new(new, rules);
    drop(old);
    let files: Arc<dyn Tree> = Arc::new(MemoryTree::default());
    let failure = |faults: Vec<ScenarioFault>| {
        Failure::new(faults.first().map(ToString::to_string).unwrap_or_default())
    };
    let first = scenario(arguments, target, first, &images);
    // Catalogs and bundles are read once, and shared by all runs.
    let first = Prepared::new(first, contents, files).map_err(failure)?;
    let part = arguments.shard.part(versions.iter().collect());
    let progress = Counter::new("upgrading installed versions", part.len());
    let outcomes: Vec<Outcome> = part
        .par_iter()
        .map(|version| {
            let prepared =
                first.with_scenario(scenario(arguments, target, version, &images)).map_err(failure)?;
            let outcome = outcome(version, play(&prepared, Options::default()), &new, arguments);
            progress.step();
            Ok(outcome)
        })
        .collect::<Result<_, Failure>>()?;
    drop(progress);
    let exit = if outcomes.iter().all(Outcome::is_fine) { CLEAN } else { FINDINGS };
    verdict(tell(&outcomes, arguments), exit)
}

/// A package and a version of it.
type Installed = (String, String);

/// The versions of a package, or of all, that are in a channel; the highest of a package first.
fn versions(catalog: &Catalog, package: Option<&str>, rules: Rules) -> Vec<Installed> {
    let index = CatalogIndex::new(catalog.clone(), rules);
    let names = index.package_names().filter(|name| package.is_none_or(|package| package == *name));
    let mut all = Vec::new();
    for name in names {
        let Some(package) = index.package(name) else { continue };
        let members = package.bundles().iter().filter(|bundle| !package.channels_of(bundle).is_empty());
        let mut versions: Vec<_> = members.filter_map(IndexedBundle::semantic_version).collect();
        versions.sort_by(|a, b| b.compare_precedence(a));
        all.extend(versions.iter().map(|version| (name.to_owned(), version.to_string())));
    }
    all
}

/// Finds the contents of the bundles of a package: each directory is the bundle whose ClusterServiceVersion it has.
fn bundles(
    folder: &Path,
    catalogs: &[&Catalog],
    package: Option<&str>,
    contents: &mut Contents,
) -> Result<Vec<BundleImage>, Failure> {
    let root = DiskTree { root: folder.to_path_buf() };
    let entries = root.list(Path::new("")).map_err(|error| Failure::io("read", folder, &error))?;
    let mut by_name: BTreeMap<String, String> = BTreeMap::new();
    for entry in entries.into_iter().filter(|entry| entry.is_directory) {
        let path = folder.join(&entry.name);
        let tree: Arc<dyn Tree> = Arc::new(DiskTree { root: path.clone() });
        let bundle = fbc_bundle::manifests::Bundle::read(tree.as_ref())
            .map_err(|error| Failure::refusal(format!("{} is not a bundle: {error}", path.display())))?;
        let name = bundle.operator().name();
        let key = path.display().to_string();
        by_name.insert(name.to_owned(), key.clone());
        contents.bundles.insert(key, tree);
    }
    let is_wanted = |one: &&fbc_model::Bundle| package.is_none_or(|package| one.package == package);
    let wanted = catalogs.iter().flat_map(|catalog| &catalog.bundles).filter(is_wanted);
    let mut images: Vec<BundleImage> = Vec::new();
    for bundle in wanted {
        let Some(key) = by_name.get(&bundle.name) else { continue };
        if !images.iter().any(|image| image.image == bundle.image) {
            let content = Reference { text: key.clone(), place: Place::default() };
            images.push(BundleImage { image: bundle.image.clone(), content });
        }
    }
    warn_of_missing(folder, catalogs, package, &images);
    Ok(images)
}

/// How many bundles without contents are named.
const NAMED_MISSING: usize = 5;

/// Names the bundles of a package that a directory lacks: they are taken as empty.
fn warn_of_missing(folder: &Path, catalogs: &[&Catalog], package: Option<&str>, images: &[BundleImage]) {
    let bundles = catalogs.iter().flat_map(|catalog| &catalog.bundles);
    let is_missing = |bundle: &&fbc_model::Bundle| {
        package.is_none_or(|package| bundle.package == package)
            && !images.iter().any(|image| image.image == bundle.image)
    };
    let missing: BTreeSet<&str> = bundles.filter(is_missing).map(|bundle| bundle.name.as_str()).collect();
    if missing.is_empty() {
        return;
    }
    let named: Vec<&str> = missing.iter().copied().take(NAMED_MISSING).collect();
    let more = if missing.len() > NAMED_MISSING { ", …" } else { "" };
    // A warning is not worth failing for.
    let _ = writeln!(
        crate::terminal::stderr(),
        "{WARNING}warning{WARNING:#}: {} has no contents for {} of the bundles, which are taken as empty: {}{more}",
        folder.display(),
        missing.len(),
        named.join(", ")
    );
}

fn scenario(
    arguments: &Arguments,
    target: Target,
    (package, version): &Installed,
    images: &[BundleImage],
) -> Scenario {
    let title = format!("{package} {version}, upgraded");
    let mut scenario = Scenario::new(format!("upgrade of {version}"), title);
    scenario.target = target;
    scenario.seed = arguments.seed;
    scenario.empty_bundles = true;
    scenario.bundles = images.to_vec();
    let image = scenario.add_catalog(CATALOG, OLD, Some(1));
    scenario.objects =
        installer().into_iter().map(|object| Manifests::Inline(object, Place::default())).collect();
    let extension = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": EXTENSION},
        "spec": {
            "namespace": NAMESPACE, "serviceAccount": {"name": "installer"},
            "source": {"sourceType": "Catalog", "catalog": {"packageName": package, "version": version}},
        },
    });
    let apply = Action::Apply(vec![Manifests::Inline(extension, Place::default())]);
    scenario.add_step(format!("install {version}"), apply);
    let follow = json!({"spec": {"source": {"catalog": {"version": null, "channels": channels(arguments)}}}});
    let object = ObjectReference {
        kind: "ClusterExtension".to_owned(),
        group: None,
        name: fbc_cluster::object::ObjectName::cluster(EXTENSION),
        place: Place::default(),
    };
    let content = Reference { text: NEW.to_owned(), place: Place::default() };
    let publication = Publication { image, content, is_bundle: false };
    scenario.add_step("the new catalog takes the place of the old one", Action::Publish(publication));
    // The tag is looked at every minute.
    scenario.add_step("the catalog is polled", Action::Wait(90_000));
    scenario.add_step("follow the catalog", Action::Patch(object, PatchKind::Merge, follow, false));
    scenario.add_step("the catalog is polled again", Action::Wait(90_000));
    scenario
}

fn channels(arguments: &Arguments) -> Value {
    if arguments.channels.is_empty() { Value::Null } else { json!(arguments.channels) }
}

/// A namespace with an account that may do everything.
fn installer() -> Vec<Value> {
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount",
               "metadata": {"name": "installer", "namespace": NAMESPACE}}),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
               "metadata": {"name": "installer"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
               "subjects": [{"kind": "ServiceAccount", "name": "installer", "namespace": NAMESPACE}]}),
    ]
}

fn outcome((package, version): &Installed, run: Run, new: &CatalogIndex, arguments: &Arguments) -> Outcome {
    let extension = run.state.iter().find(|object| object["kind"] == "ClusterExtension");
    let condition = |wanted: &str, field: &str| {
        let conditions = extension.and_then(|object| object["status"]["conditions"].as_array());
        let mut conditions = conditions.into_iter().flatten();
        let found = conditions.find(|condition| condition["type"] == wanted);
        found.and_then(|condition| condition[field].as_str()).unwrap_or_default().to_owned()
    };
    let after = extension.and_then(|object| object["status"]["install"]["bundle"]["version"].as_str());
    let after = after.unwrap_or("-").to_owned();
    let reason = condition("Progressing", "reason");
    let keeps_run = arguments.report.is_some() || arguments.output == Format::Json;
    Outcome {
        package: package.clone(),
        installed: version.to_owned(),
        stranded: stranded(new, package, &arguments.channels, &after),
        obstacles: obstacles(&run.state),
        after,
        is_success: run.is_success() && reason == "Succeeded" && condition("Installed", "status") == "True",
        message: condition("Progressing", "message"),
        progressing: reason,
        run: keeps_run.then_some(run),
    }
}

fn tell(outcomes: &[Outcome], arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.report {
        let runs: Vec<Run> = outcomes.iter().filter_map(|outcome| outcome.run.clone()).collect();
        let page = page::draw(&runs);
        write_output(Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
    }
    write_output(arguments.output_file.as_deref(), |out| {
        if arguments.output == Format::Json {
            let row = |outcome: &Outcome| {
                let obstacles: Vec<Value> = outcome
                    .obstacles
                    .iter()
                    .map(
                        |one| json!({"workload": one.workload, "reason": one.reason, "message": one.message}),
                    )
                    .collect();
                json!({
                    "package": outcome.package,
                    "installed": outcome.installed, "after": outcome.after, "success": outcome.is_success,
                    "newest": outcome.stranded.as_ref().map_or(&outcome.after, |stranded| &stranded.newest),
                    "kept_by": outcome.stranded.as_ref().map(|stranded| &stranded.reason),
                    "progressing": outcome.progressing, "message": outcome.message, "cannot_run": obstacles,
                    "run": outcome.run.as_ref().map(Run::to_json),
                })
            };
            let upgrades: Vec<Value> = outcomes.iter().map(row).collect();
            let package = &arguments.package;
            let report = json!({"package": package, "upgrades": upgrades});
            return write_json(report, arguments.shard, out);
        }
        table(&mut Lines::new(out, false), outcomes, arguments.package.is_none())
    })
}

/// A row for each installed version, and below it what keeps it or its pods.
fn table(out: &mut impl std::io::Write, outcomes: &[Outcome], has_packages: bool) -> Result<(), Failure> {
    let width = |cell: fn(&Outcome) -> &str, heading: &str| {
        outcomes.iter().map(|outcome| cell(outcome).len()).chain([heading.len()]).max().unwrap_or_default()
    };
    let first = width(|outcome| &outcome.installed, "INSTALLED");
    let second = width(|outcome| &outcome.after, "AFTER");
    writeln!(out, "{:first$}  {:second$}  PROGRESSING", "INSTALLED", "AFTER")?;
    let mut package = "";
    for outcome in outcomes {
        let Outcome { installed, after, progressing, message, .. } = outcome;
        if has_packages && outcome.package != package {
            package = &outcome.package;
            writeln!(out, "{package}")?;
        }
        writeln!(out, "{installed:first$}  {after:second$}  {progressing}: {message}")?;
        if let Some(Stranded { newest, reason }) = &outcome.stranded {
            writeln!(out, "  stays below {newest}: {reason}")?;
        }
        for obstacle in &outcome.obstacles {
            writeln!(out, "  {} cannot run: {}", obstacle.workload, obstacle.message)?;
        }
    }
    let stuck = outcomes.iter().filter(|outcome| outcome.stranded.is_some()).count();
    if stuck > 0 {
        writeln!(out, "{stuck} of {} versions stay below the newest", outcomes.len())?;
    }
    Ok(())
}
