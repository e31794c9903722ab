//! `fbc migrate-to-v1`: installations of OLM v0 as those of OLM v1.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::migration::{Planned, plan};
use fbc_bundle::migration::{Inventory, NoteKind};
use fbc_model::tree::read_file;
#[cfg(feature = "cluster")]
use fbc_simulation::migration::{FirstHour, of_first_hour};
use fbc_version::Target;
use fbc_yaml::{json_writer, stream};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
#[cfg(feature = "cluster")]
use crate::output::manifest::write_yaml;
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
    /// The release that the extension goes to: what its API takes, who gives certificates to webhooks, and what the
    /// scenario plays
    #[arg(long, value_name = "TARGET", value_parser = Target::NAMES, default_value = "ocp-5.0")]
    target: String,
    #[cfg(feature = "cluster")]
    /// Write a scenario for `fbc simulate` that plays the first hour as well; needs --catalog and --bundle, which
    /// `fbc simulate --allow-read` must allow if they lie elsewhere
    #[arg(long, value_name = "FILE", requires_all = ["catalog", "bundle"], value_hint = ValueHint::FilePath)]
    scenario: Option<PathBuf>,
    #[cfg(feature = "cluster")]
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
    let target: Target = arguments.target.parse().unwrap_or_default();
    let words = &arguments.bundle;
    let Planned { migrations, bundles, text } =
        plan(&mut inventory, &arguments.packages, words, target, &session)?;
    write_output(settings, arguments.output_file.as_deref(), |out| Ok(out.write_all(text.as_bytes())?))?;
    #[cfg(feature = "cluster")]
    if let Some(path) = &arguments.scenario {
        let catalog = arguments.catalog.as_deref().unwrap_or(Path::new(""));
        let wanted = FirstHour {
            scenario: path,
            catalog,
            target_name: &arguments.target,
            migrations: &migrations,
            bundles: &bundles,
            text: text.as_bytes(),
        };
        let scenario = of_first_hour(&wanted, &arguments.images.session([catalog], settings), settings)?;
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
