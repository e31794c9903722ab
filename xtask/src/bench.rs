//! `cargo xtask bench`: time and memory of `fbc`, and of `opm` beside it when asked, on real and generated catalogs.
//!
//! Every command is run once to warm up and then several times; the table shows the median. The catalogs are those of
//! the conformance data when it lies beside the checkout, each alone and the sum of them, and one that is generated.

use std::ffi::OsStr;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use crate::error::{Context, TaskError, TaskResult};
use crate::{process, workspace};

mod api_server;
mod catalog;
mod catalog_text;
mod cluster;
mod editor;
mod graph;
mod images;
pub(crate) mod measure;
mod nodes;
mod push;
mod report;
mod serve;
mod update;

use measure::Measurement;
use report::Row;

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// An opm binary to compare with
    #[arg(long, value_name = "PATH")]
    opm: Option<PathBuf>,
    /// The fbc binary; without it, the release binary is built
    #[arg(long, value_name = "PATH")]
    fbc: Option<PathBuf>,
    /// Only the table of the commands that opm has as well
    #[arg(long)]
    table: bool,
    /// Only the rows of the language server
    #[arg(long, conflicts_with = "table")]
    editor: bool,
    /// Only the rows of servers
    #[arg(long, conflicts_with_all = ["table", "editor"])]
    serve: bool,
    /// Only the rows of updates of clusters
    #[arg(long, conflicts_with_all = ["table", "editor", "serve"])]
    updates: bool,
    /// Only the rows of simulated clusters behind their API
    #[arg(long, conflicts_with_all = ["table", "editor", "serve", "updates"])]
    cluster: bool,
    /// Fewer runs and a generated catalog of a tenth of the size
    #[arg(long)]
    quick: bool,
}

/// The commands that are measured; `DIR` stands for the catalog. They are the same for fbc and opm.
const COMMANDS: [&[&str]; 3] =
    [&["validate", "DIR"], &["render", "DIR", "-o", "json"], &["render", "DIR", "-o", "yaml"]];

/// A catalog to measure with.
struct Input {
    name: String,
    folder: PathBuf,
    bytes: u64,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let fbc = match &options.fbc {
        Some(path) => workspace::absolute(path)?,
        None => process::release_binary(&root)?,
    };
    let edited = || editor::run(&fbc, &workspace::target_folder(&root)?.join("bench/editor"), options.quick);
    if options.editor {
        println!("{}", machine());
        return Ok(if edited()? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let opm = options.opm.as_deref().map(workspace::absolute).transpose()?;
    let runs = if options.quick { measure::FEWEST_RUNS } else { 7 };
    let served = || {
        let input = match options.quick {
            true => generated_catalog(&root, true)?,
            false => compared(&root, "compared-old", &catalog::Size::COMPARED)?,
        };
        serve::run(&fbc, opm.as_deref(), &input, &workspace::target_folder(&root)?.join("bench/serve"), runs)
    };
    if options.serve {
        println!("{}", machine());
        return Ok(if served()? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let updated = || update::run(&fbc, &workspace::target_folder(&root)?.join("bench/update"), runs);
    if options.updates {
        println!("{}", machine());
        updated()?;
        return Ok(ExitCode::SUCCESS);
    }
    let asked = || api_server::run(&fbc, &workspace::target_folder(&root)?.join("bench/api-server"), runs);
    if options.cluster {
        println!("{}", machine());
        asked()?;
        return Ok(ExitCode::SUCCESS);
    }
    let real = real_catalogs(&root)?;
    if real.is_empty() {
        println!("real catalogs: skipped (no recorded data beside the checkout)");
    }
    let generated = generated_catalog(&root, options.quick)?;

    let mut rows = Vec::new();
    for arguments in COMMANDS {
        let mut alone = Vec::new();
        for input in &real {
            alone.push(measured_row(&fbc, opm.as_deref(), arguments, input, runs)?);
        }
        let sum = Row::sum("all of them", &alone);
        rows.append(&mut alone);
        rows.extend(sum);
        rows.push(measured_row(&fbc, opm.as_deref(), arguments, &generated, runs)?);
    }
    if !options.table {
        rows.extend(diff_rows(&root, &fbc, &real, runs)?);
    }
    println!("\n{}", machine());
    println!("median of up to {runs} runs after a warm-up; MB are millions of bytes of input\n");
    print!("{}", report::table(&rows, opm.is_some()));
    let failed = rows.iter().filter(|row| row.fbc.is_err()).count();
    let code = if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if options.table {
        return Ok(code);
    }
    load_throughput(&fbc, &generated)?;
    manifest_throughput(&fbc, &root)?;
    for input in real.iter().chain([&generated]) {
        resolution_rate(&fbc, input)?;
    }
    graph::analysis(&fbc, &workspace::target_folder(&root)?.join("bench/graph"))?;
    write_rates(&fbc)?;
    cluster::run(&fbc, &workspace::target_folder(&root)?.join("bench/cluster"), runs)?;
    nodes::run(&root, options.quick)?;
    updated()?;
    asked()?;
    images::run(&fbc, &root, &generated.folder, runs)?;
    push::run(&fbc, &root, runs, options.quick)?;
    let all_served = served()?;
    let all_edited = edited()?;
    Ok(if all_served && all_edited { code } else { ExitCode::FAILURE })
}

/// The machine, as far as the system tells: processors and memory.
fn machine() -> String {
    let value = |file: &str, key: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.split_once(':'));
        line.map_or_else(|| "unknown".to_owned(), |(_, value)| value.trim().to_owned())
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (model, memory) = (value("/proc/cpuinfo", "model name"), value("/proc/meminfo", "MemTotal"));
    format!("machine: {processors} processors ({model}), {memory} of memory, {}", std::env::consts::OS)
}

fn real_catalogs(root: &Path) -> TaskResult<Vec<Input>> {
    let folders = workspace::folders_in(&workspace::conformance_folder(root).join("catalogs"))?;
    folders.into_iter().map(input).collect()
}

fn generated_catalog(root: &Path, quick: bool) -> TaskResult<Input> {
    let (name, size) =
        if quick { ("generated-quick", catalog::Size::QUICK) } else { ("generated", catalog::Size::FULL) };
    let folder = workspace::target_folder(root)?.join("bench").join(name);
    if catalog::write_unless_present(&folder, &size)? {
        println!("wrote the generated catalog to {}", folder.display());
    }
    input(folder)
}

fn input(folder: PathBuf) -> TaskResult<Input> {
    let mut bytes = 0;
    for file in workspace::files_below(&folder)? {
        bytes += file.metadata().context(|| format!("reading {}", file.display()))?.len();
    }
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Input { name, folder, bytes })
}

fn measured_row(
    fbc: &Path,
    opm: Option<&Path>,
    arguments: &[&str],
    input: &Input,
    runs: usize,
) -> TaskResult<Row> {
    let command = arguments.iter().filter(|word| **word != "DIR").copied().collect::<Vec<_>>().join(" ");
    eprintln!("measuring {command} of {}", input.name);
    Ok(Row {
        command,
        input: input.name.clone(),
        bytes: input.bytes,
        fbc: median_of_runs(fbc, arguments, &input.folder, runs)?,
        opm: opm.map(|opm| median_of_runs(opm, arguments, &input.folder, runs)).transpose()?,
    })
}

/// A generated catalog of 57 MB.
fn compared(root: &Path, name: &str, size: &catalog::Size) -> TaskResult<Input> {
    let folder = workspace::target_folder(root)?.join("bench").join(name);
    catalog::write_unless_present(&folder, size)?;
    input(folder)
}

/// Comparisons, which opm does not have: each real catalog with the next one, and two generated ones of 57 MB,
/// where every package got a bundle.
fn diff_rows(root: &Path, fbc: &Path, real: &[Input], runs: usize) -> TaskResult<Vec<Row>> {
    let old = compared(root, "compared-old", &catalog::Size::COMPARED)?;
    let new = compared(root, "compared-new", &catalog::Size::COMPARED_LATER)?;
    let pairs = real.iter().zip(real.iter().skip(1)).chain([(&old, &old), (&old, &new)]);
    pairs
        .map(|(old, new)| {
            let mut words: Vec<&OsStr> = vec![fbc.as_os_str()];
            words.extend(["diff", "--fail-on", "none"].map(OsStr::new));
            words.extend([old.folder.as_os_str(), new.folder.as_os_str()]);
            eprintln!("measuring diff of {} and {}", old.name, new.name);
            Ok(Row {
                command: "diff".to_owned(),
                input: format!("{} {}", old.name, new.name),
                bytes: old.bytes + new.bytes,
                fbc: median_of_command(&words, runs)?,
                opm: None,
            })
        })
        .collect()
}

/// The run with the median wall time after one run to warm up; the inner error says why there is none.
fn median_of_runs(
    program: &Path,
    arguments: &[&str],
    folder: &Path,
    runs: usize,
) -> TaskResult<Result<Measurement, String>> {
    let mut command = vec![program.as_os_str()];
    command.extend(arguments.iter().map(
        |word| {
            if *word == "DIR" { folder.as_os_str() } else { word.as_ref() }
        },
    ));
    median_of_command(&command, runs)
}

/// As [`median_of_runs`], of a whole command.
fn median_of_command(command: &[&OsStr], runs: usize) -> TaskResult<Result<Measurement, String>> {
    measure::median_of(runs, || measure::in_own_process(command))
}

/// An address of this machine that nothing listens on.
fn free_address() -> TaskResult<String> {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    Ok(address.context(|| "finding a free port".to_owned())?.to_string())
}

/// What a hidden command of fbc prints.
fn said(fbc: &Path, arguments: &[&OsStr]) -> TaskResult<String> {
    let mut command = Command::new(fbc);
    let output = command.args(arguments).output().context(|| format!("starting {}", fbc.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        false => {
            let reason = String::from_utf8_lossy(&output.stderr);
            Err(TaskError::new(format!("{}: {}", process::describe(&command), reason.trim())))
        }
    }
}

/// Shows what the hidden `fbc debug load` says about loading with one thread.
fn load_throughput(fbc: &Path, input: &Input) -> TaskResult {
    println!("\nload with one thread, {}:", input.name);
    let words = ["debug", "load", "--threads", "1"].map(OsStr::new);
    println!("{}", said(fbc, &[words.as_slice(), &[input.folder.as_os_str()]].concat())?);
    Ok(())
}

/// Shows what the hidden `fbc debug manifests` says about rendering real bundles with one thread.
fn manifest_throughput(fbc: &Path, root: &Path) -> TaskResult {
    let bundles = workspace::conformance_folder(root).join("bundles");
    if !bundles.is_dir() {
        println!("\nbundles to objects: skipped (no recorded data beside the checkout)");
        return Ok(());
    }
    println!("\nbundles to objects with one thread:");
    let words = ["debug", "manifests", "--times", "5", "--threads", "1"].map(OsStr::new);
    println!("{}", said(fbc, &[words.as_slice(), &[bundles.as_os_str()]].concat())?);
    Ok(())
}

/// Shows what the hidden `fbc debug writes` says about writes to a simulated cluster of growing size.
fn write_rates(fbc: &Path) -> TaskResult {
    println!("\nwrites to a simulated cluster:");
    println!("{}", said(fbc, &["debug", "writes"].map(OsStr::new))?);
    Ok(())
}

/// Shows what the hidden `fbc debug resolve` says about resolutions in process.
fn resolution_rate(fbc: &Path, input: &Input) -> TaskResult {
    let said = said(fbc, &["debug".as_ref(), "resolve".as_ref(), input.folder.as_os_str()])?;
    println!("resolve on one thread, {}: {said}", input.name);
    Ok(())
}
