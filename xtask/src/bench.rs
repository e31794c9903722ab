//! `cargo xtask bench`: time and memory of `fbc`, and of `opm` beside it when asked, on real and generated catalogs.
//!
//! Every command is run once to warm up and then several times; the table shows the median. The catalogs are those of
//! the conformance data when it lies beside the checkout, each alone and the sum of them, and one that is generated.

use std::ffi::OsStr;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Args, ValueEnum};

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
    /// Measure this alone
    #[arg(long, value_enum, value_name = "PART")]
    only: Option<Part>,
    /// Fewer runs and a generated catalog of a tenth of the size
    #[arg(long)]
    quick: bool,
}

/// What can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The table of the commands that opm has as well
    Table,
    /// The language server
    Editor,
    /// The servers of catalogs
    Serve,
    /// Updates of simulated clusters, and upgrades of all installed versions of a catalog
    Updates,
    /// Simulated clusters behind their API
    Cluster,
    /// Nodes and pods of large clusters
    Nodes,
    /// Loading, rendering, resolution, graphs and writes inside of one process
    Libraries,
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
    let opm = options.opm.as_deref().map(workspace::absolute).transpose()?;
    let runs = if options.quick { measure::FEWEST_RUNS } else { 7 };
    let bench = Bench {
        place: workspace::target_folder(&root)?.join("bench"),
        root,
        fbc,
        opm,
        runs,
        is_quick: options.quick,
    };
    println!("{}", machine());
    let all_measured = match options.only {
        Some(part) => bench.part(part)?,
        None => bench.everything()?,
    };
    Ok(if all_measured { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is measured, and how.
struct Bench {
    root: PathBuf,
    fbc: PathBuf,
    opm: Option<PathBuf>,
    runs: usize,
    is_quick: bool,
    /// Where catalogs are generated.
    place: PathBuf,
}

impl Bench {
    /// Measures a part; false if something failed.
    fn part(&self, part: Part) -> TaskResult<bool> {
        let place = |name: &str| self.place.join(name);
        let (fbc, runs) = (self.fbc.as_path(), self.runs);
        match part {
            Part::Table => self.table(&self.real()?, &self.generated()?, false),
            Part::Editor => editor::run(fbc, &place("editor"), self.is_quick),
            Part::Serve => {
                let input = match self.is_quick {
                    true => self.generated()?,
                    false => compared(&self.root, "compared-old", &catalog::Size::COMPARED)?,
                };
                serve::run(fbc, self.opm.as_deref(), &input, &place("serve"), runs)
            }
            Part::Updates => {
                update::run(fbc, &place("update"), runs)?;
                let catalogs = workspace::conformance_folder(&self.root).join("catalogs");
                update::installed_versions(fbc, &catalogs).map(|()| true)
            }
            Part::Cluster => api_server::run(fbc, &place("api-server"), runs).map(|()| true),
            Part::Libraries => self.libraries(&self.real()?, &self.generated()?).map(|()| true),
            Part::Nodes => nodes::run(&self.root, self.is_quick).map(|()| true),
        }
    }

    fn everything(&self) -> TaskResult<bool> {
        let (real, generated, fbc) = (self.real()?, self.generated()?, self.fbc.as_path());
        let mut all_measured = self.table(&real, &generated, true)?;
        self.libraries(&real, &generated)?;
        cluster::run(fbc, &self.place.join("cluster"), self.runs)?;
        images::run(fbc, &self.root, &generated.folder, self.runs)?;
        push::run(fbc, &self.root, self.runs, self.is_quick)?;
        for part in [Part::Nodes, Part::Updates, Part::Cluster, Part::Serve, Part::Editor] {
            all_measured &= self.part(part)?;
        }
        Ok(all_measured)
    }

    /// What is measured inside of one process.
    fn libraries(&self, real: &[Input], generated: &Input) -> TaskResult {
        let program = process::library_bench(&self.root)?;
        load_throughput(&program, generated)?;
        manifest_throughput(&program, &self.root)?;
        for input in real.iter().chain([generated]) {
            resolution_rate(&program, input)?;
        }
        graph::analysis(&program, &self.place.join("graph"))?;
        write_rates(&program)
    }

    /// A row for each command and catalog.
    fn table(&self, real: &[Input], generated: &Input, with_diff: bool) -> TaskResult<bool> {
        let (opm, runs) = (self.opm.as_deref(), self.runs);
        let mut rows = Vec::new();
        for arguments in COMMANDS {
            let mut alone = Vec::new();
            for input in real {
                alone.push(measured_row(&self.fbc, opm, arguments, input, runs)?);
            }
            let sum = Row::sum(&alone);
            rows.append(&mut alone);
            rows.extend(sum);
            rows.push(measured_row(&self.fbc, opm, arguments, generated, runs)?);
        }
        if with_diff {
            rows.extend(diff_rows(&self.root, &self.fbc, real, runs)?);
        }
        println!("\nmedian of up to {runs} runs after a warm-up; MB are millions of bytes of input\n");
        print!("{}", report::table(&rows, opm.is_some()));
        if opm.is_some() {
            print!("\n{}", report::short_table(&rows));
        }
        Ok(rows.iter().all(|row| row.fbc.is_ok()))
    }

    fn real(&self) -> TaskResult<Vec<Input>> {
        let real = real_catalogs(&self.root)?;
        if real.is_empty() {
            println!("real catalogs: skipped (no recorded data beside the checkout)");
        }
        Ok(real)
    }

    fn generated(&self) -> TaskResult<Input> {
        generated_catalog(&self.root, self.is_quick)
    }
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

/// What the program that measures libraries prints.
fn said(program: &Path, arguments: &[&OsStr]) -> TaskResult<String> {
    let mut command = Command::new(program);
    let output = command.args(arguments).output().context(|| format!("starting {}", program.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        false => {
            let reason = String::from_utf8_lossy(&output.stderr);
            Err(TaskError::new(format!("{}: {}", process::describe(&command), reason.trim())))
        }
    }
}

/// Shows how fast a catalog loads with one thread.
fn load_throughput(program: &Path, input: &Input) -> TaskResult {
    println!("\nload with one thread, {}:", input.name);
    let words = ["load", "--threads", "1"].map(OsStr::new);
    println!("{}", said(program, &[words.as_slice(), &[input.folder.as_os_str()]].concat())?);
    Ok(())
}

/// Shows how fast real bundles are rendered with one thread.
fn manifest_throughput(program: &Path, root: &Path) -> TaskResult {
    let bundles = workspace::conformance_folder(root).join("bundles");
    if !bundles.is_dir() {
        println!("\nbundles to objects: skipped (no recorded data beside the checkout)");
        return Ok(());
    }
    println!("\nbundles to objects with one thread:");
    let words = ["manifests", "--times", "5", "--threads", "1"].map(OsStr::new);
    println!("{}", said(program, &[words.as_slice(), &[bundles.as_os_str()]].concat())?);
    Ok(())
}

/// Shows how fast writes to a simulated cluster of growing size are.
fn write_rates(program: &Path) -> TaskResult {
    println!("\nwrites to a simulated cluster:");
    println!("{}", said(program, &["writes".as_ref()])?);
    Ok(())
}

/// Shows how fast resolutions are.
fn resolution_rate(program: &Path, input: &Input) -> TaskResult {
    let said = said(program, &["resolve".as_ref(), input.folder.as_os_str()])?;
    println!("resolve on one thread, {}: {said}", input.name);
    Ok(())
}
