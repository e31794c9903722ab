//! `fbc simulate install`: bundles installed on simulated clusters, and upgraded from version to version.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::count::counted;
use fbc_app::escape::Lines;
use fbc_app::shard::Shard;
use fbc_cluster::add_ons::AddOn;
use fbc_scenario::Obstacle;
use fbc_scenario::trial::{Engine, Platform, Trial, Verdict};
use fbc_simulation::install::{Order, Row, install};
use fbc_version::Target;
use serde_json::{Value, json};

use super::{ClustersArguments, Format, add_ons, write_json};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Install bundles on simulated clusters, and upgrade each package version by version
///
/// Every bundle is installed by OLM v1 on a cluster of its own. The versions of a package are installed one over the
/// other as well, from the lowest to the highest. The answer says of each bundle whether it installs, what it needs that
/// the cluster does not have, who refuses it and why, and which of its pods cannot run. A bundle that cannot watch all
/// namespaces is told which one to watch, in `spec.config.inline.watchNamespace` of its extension, where the release can
/// do so; the answer says which.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 every bundle installs and runs, 1 some do not, 2 could not run.")]
pub(super) struct Arguments {
    /// Bundle directories, directories with bundle directories below them, and images
    #[arg(value_name = "BUNDLE", required = true, value_hint = ValueHint::AnyPath)]
    bundles: Vec<PathBuf>,
    /// The release to simulate; can be repeated; `all` for every one [default: latest]
    #[arg(long, value_name = "TARGET", value_delimiter = ',', value_parser = choice(&Target::NAMES))]
    target: Vec<String>,
    /// What applies bundles; can be repeated; `all` for both [default: helm]
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', value_parser = choice(&Engine::NAMES))]
    engine: Vec<String>,
    /// Additional products on the cluster: stand-ins that issue certificates and accept monitors
    #[arg(long, value_name = "ADD-ON", value_delimiter = ',', value_parser = AddOn::NAMES)]
    with: Vec<String>,
    /// Only install; do not upgrade
    #[arg(long)]
    no_upgrades: bool,
    #[command(flatten)]
    clusters: ClustersArguments,
    #[command(flatten)]
    images: ImageArguments,
}

/// The names of a choice, and `all`.
fn choice(names: &'static [&'static str]) -> clap::builder::PossibleValuesParser {
    names.iter().copied().chain(["all"]).collect::<Vec<_>>().into()
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let platforms = platforms(arguments)?;
    let session = arguments.images.session(&arguments.bundles, settings);
    let order = Order {
        bundles: arguments.bundles.clone(),
        platforms: platforms.clone(),
        no_upgrades: arguments.no_upgrades,
        has_last: arguments.clusters.shard.shard.is_none_or(Shard::is_last),
    };
    let shard = arguments.clusters.shard;
    let rows = install(&order, &|jobs| shard.part(jobs), &session, settings)?;
    let is_clean = rows.iter().all(|row| row.trial.verdict == Verdict::Installs);
    tell(&rows, &platforms, arguments, settings)?;
    Ok(if is_clean { CLEAN } else { FINDINGS })
}

/// The platforms of the flags.
fn platforms(arguments: &Arguments) -> Result<Vec<Platform>, Failure> {
    let failure = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
    let with = add_ons(&arguments.with)?;
    let mut targets = Vec::new();
    for name in &arguments.target {
        match name.as_str() {
            "all" => targets.extend(Target::ALL),
            name => targets.push(name.parse().map_err(|error: fbc_version::UnknownName| failure(&error))?),
        }
    }
    let mut engines = Vec::new();
    for name in &arguments.engine {
        match name.as_str() {
            "all" => engines.extend(Engine::ALL),
            name => {
                engines
                    .push(name.parse().map_err(|error: fbc_scenario::trial::UnknownEngine| failure(&error))?);
            }
        }
    }
    if targets.is_empty() {
        targets.push(Target::default());
    }
    if engines.is_empty() {
        engines.push(Engine::default());
    }
    let mut platforms: Vec<Platform> = Vec::new();
    for target in targets {
        for engine in engines.iter().copied().filter(|engine| engine.is_in(target)) {
            let platform = Platform { target, engine, with: with.clone(), seed: arguments.clusters.seed };
            if !platforms.contains(&platform) {
                platforms.push(platform);
            }
        }
    }
    if platforms.is_empty() {
        return Err(Failure::new("none of the targets has the engine boxcutter")
            .help("OpenShift has it since 4.21, behind a feature gate; leave out --engine for Helm"));
    }
    Ok(platforms)
}

fn tell(
    rows: &[Row],
    platforms: &[Platform],
    arguments: &Arguments,
    settings: &Settings,
) -> Result<(), Failure> {
    write_output(settings, arguments.clusters.output_file.as_deref(), |out| {
        if arguments.clusters.output == Format::Json {
            let trials: Vec<Value> = rows.iter().map(Row::to_json).collect();
            return write_json(json!({ "trials": trials }), arguments.clusters.shard, out);
        }
        let out = &mut Lines::new(out, false);
        for platform in platforms {
            for is_upgrade in [false, true] {
                let rows: Vec<&Trial> = rows
                    .iter()
                    .filter(|row| row.platform == *platform && row.trial.from.is_some() == is_upgrade)
                    .map(|row| &row.trial)
                    .collect();
                if !rows.is_empty() {
                    tell_platform(out, platform, is_upgrade, &rows)?;
                }
            }
        }
        Ok(())
    })
}

fn tell_platform(
    out: &mut impl std::io::Write,
    platform: &Platform,
    is_upgrade: bool,
    rows: &[&Trial],
) -> std::io::Result<()> {
    let what = if is_upgrade { "upgrade" } else { "installation" };
    writeln!(out, "{} with {}, {}", platform.target, platform.engine, counted(rows.len(), what))?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.verdict.word()).or_default() += 1;
    }
    for word in Verdict::WORDS {
        if let Some(count) = counts.get(word) {
            writeln!(out, "  {word:20} {count}")?;
        }
    }
    // A bundle that is told nothing installs for everybody in the same way.
    let is_told = |row: &&&Trial| row.verdict != Verdict::Installs || row.watch_namespace.is_some();
    for row in rows.iter().filter(is_told) {
        let from = row.from.as_deref().map(|from| format!(" from {from}")).unwrap_or_default();
        let watched = row.watch_namespace.as_deref();
        let watched = watched.map(|name| format!(", with watchNamespace {name}")).unwrap_or_default();
        // A bundle that cannot be read has no version.
        let name = format!("{} {}", row.package, row.version);
        writeln!(out, "  {}{from}: {}{watched}", name.trim_end(), row.verdict.word())?;
        // Needs and pods that cannot run say it themselves.
        let is_said =
            !row.needs.is_empty() || matches!(row.verdict, Verdict::CannotRun(_) | Verdict::Installs);
        if !is_said {
            writeln!(out, "    {}", first_line(row.verdict.message()))?;
        }
        for need in &row.needs {
            writeln!(out, "    {need}")?;
        }
        for obstacle in &row.obstacles {
            writeln!(out, "    {}", obstacle_text(obstacle))?;
        }
    }
    Ok(())
}

/// Why the pods of a workload do not run; a reason without a message stands for it.
fn obstacle_text(obstacle: &Obstacle) -> String {
    let Obstacle { workload, reason, message } = obstacle;
    if reason == message {
        return format!("{workload}: {reason}");
    }
    format!("{workload}: {reason}: {}", first_line(message))
}

/// The first line of a text, which tells what it is about; JSON has all of it.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
