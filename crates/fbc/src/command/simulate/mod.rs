//! `fbc simulate`: scenarios played on a cluster in memory.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fbc_app::escape::Lines;
use fbc_app::output::destinations;
use fbc_cluster::add_ons::{AddOn, UnknownAddOn};
use fbc_scenario::{Options, Prepared, Run, duration_text, play};
use fbc_simulation::input::scenario::{ALLOW, ReadableFiles};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::arguments::parse_virtual_duration;
use crate::failure::{CLEAN, FINDINGS, Failure, HELP};
use crate::output::file::{write_output, write_private_output};
use crate::progress::Counter;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::shard::ShardArgument;
use crate::simulation_text;
use crate::terminal;

mod cluster_update;
mod install;
mod replay;
mod replayed;
mod seeds;
mod shell;
mod upgrade;

/// Play scenarios on a simulated cluster with OLM v1
///
/// A scenario says which catalogs there are, what happens, and what must come of it. Time is virtual: hours take
/// milliseconds. The same scenario with the same seed gives the same run on any machine.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 all that was expected was seen, 1 something was not, 2 could not run.\n\
    `fbc schema scenario` prints the JSON Schema of scenarios; docs/guides/simulate.md explains them."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    ready_made: Option<ReadyMade>,
    /// Scenarios: files, or directories with files ending in .yaml or .yml
    #[arg(value_name = "SCENARIO", value_hint = ValueHint::AnyPath, required_unless_present_any = ["shell", "replay", "replay_trace"])]
    scenarios: Vec<PathBuf>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Replace the content of a catalog of the scenario, such as that of a pull request
    #[arg(long = "catalog", value_name = "NAME=REF")]
    catalogs: Vec<String>,
    /// Stop after this much virtual time at the latest
    #[arg(long, value_name = "DURATION", value_parser = parse_virtual_duration)]
    until: Option<u64>,
    /// Use this seed instead of the scenario's
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Try N seeds, and show the first that fails
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "shell")]
    seeds: Option<u64>,
    /// Write the trace: every change and every look of a controller, a JSON object a line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "seeds")]
    trace: Option<PathBuf>,
    /// Write a page for browsers; it needs no network
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "seeds")]
    report: Option<PathBuf>,
    /// Type `oc` commands on the cluster of a scenario after its steps, or on one with OLM v1 and nothing else;
    /// `wait DURATION` lets time go by. Commands may come from standard input
    #[arg(long, conflicts_with_all = ["trace", "report", "output_file", "output"])]
    shell: bool,
    /// Play a recorded scenario of OLM instead, a directory with `scenario.yaml` and `steps`, and report each step
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "content",
          conflicts_with_all = ["scenarios", "shell", "seeds", "trace", "report", "until", "catalogs"])]
    replay: Option<PathBuf>,
    /// The images of a recorded scenario: `catalogs/NAME` and `bundles/PACKAGE-VERSION`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "replay")]
    content: Option<PathBuf>,
    /// Further bundles of a recorded scenario, as `PACKAGE/VERSION` [default: `../../bundles` from the content, if there]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "replay")]
    bundles: Option<PathBuf>,
    /// Play a session of a cluster again, which `fbc cluster up --trace FILE` wrote down: every request that changed
    /// something, at the same point. The exit code is 1 if any answer differs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, exclusive = true)]
    replay_trace: Option<PathBuf>,
    /// Let scenarios and their command lines read what lies below a directory; without it, they read what lies below
    /// the directory of the scenario. Can be repeated
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "replay")]
    allow_read: Vec<PathBuf>,
    #[command(flatten)]
    shard: ShardArgument,
    #[command(flatten)]
    images: ImageArguments,
}

/// Scenarios that need no file.
#[derive(Subcommand, Debug)]
enum ReadyMade {
    Install(Box<install::Arguments>),
    Upgrade(Box<upgrade::Arguments>),
    ClusterUpdate(Box<cluster_update::Arguments>),
}

/// Add-ons as command lines name them.
fn add_ons(names: &[String]) -> Result<Vec<AddOn>, Failure> {
    let failure = |error: UnknownAddOn| Failure::new(error.to_string());
    names.iter().map(|name| name.parse().map_err(failure)).collect()
}

/// What all commands that simulate one cluster after another take.
#[derive(Args, Debug)]
struct ClustersArguments {
    /// The seed of all clusters
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardArgument,
}

/// The formats of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What happened, and what was expected
    #[default]
    Text,
    /// One JSON object with all runs; `fbc schema output/simulate` describes it
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.ready_made {
        Some(ReadyMade::Install(install)) => return install::run(install, settings),
        Some(ReadyMade::Upgrade(upgrade)) => return upgrade::run(upgrade, settings),
        Some(ReadyMade::ClusterUpdate(update)) => return cluster_update::run(update, settings),
        None => {}
    }
    if let Some(trace) = &arguments.replay_trace {
        return replayed::run(trace, &arguments.images, settings);
    }
    let session =
        arguments.images.session(fbc_simulation::input::scenario::named(&arguments.catalogs), settings);
    if let (Some(scenario), Some(content)) = (&arguments.replay, &arguments.content) {
        let bundles = arguments.bundles.as_deref();
        let seed = arguments.seed.unwrap_or(1);
        let replay = replay::Replay { scenario, content, bundles, seed };
        return replay::run(&replay, arguments.output, arguments.output_file.as_deref(), settings);
    }
    let catalogs =
        fbc_simulation::input::scenario::catalogs_of_flags(&arguments.catalogs, &session, settings)?;
    let options = Options {
        seed: arguments.seed,
        until: arguments.until,
        keep_trace: arguments.trace.is_some(),
        budget: settings.limits.cluster(),
    };
    let allowed = &arguments.allow_read;
    if arguments.shell {
        return shell::run(&arguments.scenarios, &catalogs, allowed, options, &session, settings);
    }
    let readable = fbc_simulation::input::scenario::prepare(
        &arguments.scenarios,
        &catalogs,
        &session,
        settings,
        allowed,
    )?;
    // With --seeds it is the seeds of each scenario that are split.
    let readable = if arguments.seeds.is_none() { arguments.shard.part(readable) } else { readable };
    let (scenarios, files): (Vec<Prepared>, Vec<_>) =
        readable.into_iter().map(|one| (one.prepared, one.files)).unzip();
    destinations::check(
        &[
            ("--trace", arguments.trace.as_deref()),
            ("--report", arguments.report.as_deref()),
            ("--output-file", arguments.output_file.as_deref()),
        ],
        scenarios.iter().map(|prepared| Path::new(&prepared.scenario.file)),
    )?;
    note_what_expects_nothing(&scenarios);
    if let Some(count) = arguments.seeds {
        let wanted = seeds::Wanted {
            count,
            shard: arguments.shard,
            flags: repeated_flags(arguments),
            format: arguments.output,
            output_file: arguments.output_file.as_deref(),
        };
        return seeds::search(&scenarios, options, &wanted, settings);
    }
    let runs = play_all(&scenarios, options, settings);
    for (prepared, files) in scenarios.iter().zip(&files) {
        note_refused(files, &prepared.scenario.file);
    }
    if let Some(path) = &arguments.trace {
        write_private_output(settings, path, |out| {
            for line in runs.iter().flat_map(|run| &run.trace) {
                writeln!(out, "{line}")?;
            }
            Ok(())
        })?;
    }
    if let Some(path) = &arguments.report {
        let texts: Vec<String> = runs.iter().map(Run::to_json_text).collect();
        let page = fbc_simulation::page::draw(&format!("[{}]", texts.join(",")));
        write_output(settings, Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
    }
    tell(&runs, arguments, settings)?;
    match runs.iter().find_map(|run| Some(fbc_simulation::budget::failure(run.exhausted?).within(&run.file)))
    {
        Some(error) => Err(error.into()),
        None => Ok(if runs.iter().all(Run::is_success) { CLEAN } else { FINDINGS }),
    }
}

/// The flags that change runs, for a command that repeats one of them.
fn repeated_flags(arguments: &Arguments) -> Vec<String> {
    let mut flags: Vec<String> =
        arguments.catalogs.iter().flat_map(|pair| ["--catalog".to_owned(), pair.clone()]).collect();
    if let Some(until) = arguments.until {
        flags.extend(["--until".to_owned(), duration_text(until)]);
    }
    for directory in &arguments.allow_read {
        flags.extend(["--allow-read".to_owned(), directory.display().to_string()]);
    }
    if let Some(platform) = &arguments.images.platform {
        flags.extend(["--platform".to_owned(), platform.to_string()]);
    }
    flags
}

/// Whoever forgot what to expect would take a run that cannot fail for one that passed.
fn note_what_expects_nothing(scenarios: &[Prepared]) {
    for prepared in scenarios.iter().filter(|prepared| !prepared.scenario.expects_something()) {
        // A note is not worth failing for.
        let _ = writeln!(
            crate::terminal::stderr(),
            "{HELP}note{HELP:#}: {}: the scenario expects nothing; `expect:` says what must come of it",
            prepared.scenario.file
        );
    }
}

/// Plays scenarios side by side; the runs come in the order of the scenarios.
fn play_all(scenarios: &[Prepared], options: Options, settings: &Settings) -> Vec<Run> {
    let progress = Counter::new("playing scenarios", scenarios.len(), settings.quiet);
    let play_one = |scenario: &Prepared| {
        let run = play(scenario, options);
        progress.step();
        run
    };
    scenarios.par_iter().map(play_one).collect()
}

fn tell(runs: &[Run], arguments: &Arguments, settings: &Settings) -> Result<(), Failure> {
    write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
        Format::Json => write_json(json!({ "runs": all_json(runs) }), arguments.shard, out),
        Format::Text => {
            let look = simulation_text::Look {
                has_color: arguments.output_file.is_none() && terminal::stdout_has_color(),
                detail: simulation_text::Detail::from_settings(settings),
            };
            let mut out = Lines::new(out, look.has_color);
            Ok(out.write_all(simulation_text::runs(runs, look).as_bytes())?)
        }
    })
}

/// Writes a report, with the shard that it is of.
fn write_json(mut report: Value, shard: ShardArgument, out: &mut dyn std::io::Write) -> Result<(), Failure> {
    if let Some(shard) = shard.shard {
        report["shard"] = json!(shard.to_string());
    }
    Ok(fbc_app::output::json_document::write(out, &report)?)
}

fn all_json(runs: &[Run]) -> Vec<Value> {
    runs.iter().map(Run::to_json).collect()
}

/// Names what was not read, for command lines whose programs say no more than that a file does not exist.
fn note_refused(files: &ReadableFiles, scenario: &str) {
    let root = files.root().display();
    for path in files.refused() {
        // A note is not worth failing for.
        let _ = writeln!(
            crate::terminal::stderr(),
            "{HELP}note{HELP:#}: {scenario}: {} was not read, because it leads out of {root}; {ALLOW}",
            path.display()
        );
    }
}
