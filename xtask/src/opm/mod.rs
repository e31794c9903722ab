//! `cargo xtask opm`: a real opm and fbc under its name on the same mutated input, and every difference.
//!
//! Input comes from `testdata` and, where they lie beside the checkout, from the recorded catalogs and bundles. A case
//! is made by its number and the seed alone, so that a difference can be looked at again with `--only NUMBER`.
//! What opm itself answers differently from run to run does not count, nor what `docs/architecture.md` says under
//! "Limits".

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Args;

use crate::error::{Context, TaskError, TaskResult};
use crate::{process, workspace};

mod answer;
mod case;
mod command_line;
mod corpus;
mod mutation;
mod template;

use answer::Answer;
use case::Case;
use corpus::Corpus;

/// What to compare.
#[derive(Args)]
pub(crate) struct Options {
    /// The opm binary to compare with
    #[arg(long, value_name = "PATH")]
    opm: PathBuf,
    /// The fbc binary; without it, the one of `cargo build` is built and taken
    #[arg(long, value_name = "PATH")]
    fbc: Option<PathBuf>,
    /// How many cases
    #[arg(long, default_value_t = 1000)]
    cases: u64,
    /// Where the cases come from; another seed gives others
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the case of this number; its files stay in the target directory
    #[arg(long, value_name = "NUMBER")]
    only: Option<u64>,
    /// How many cases run at a time
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// How often opm is asked again before its answer is taken for settled.
const RETRIES: usize = 40;
/// Which of several files opm reads first is settled so.
const ONE_PROCESSOR: (&str, &str) = ("GOMAXPROCS", "1");

/// Both programs.
struct Programs {
    opm: PathBuf,
    /// A link to fbc by the name of opm.
    fbc: PathBuf,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let folder = workspace::target_folder(&root)?.join("opm");
    let programs = programs(options, &root, &folder)?;
    let corpus = Corpus::read(&root)?;
    let numbers = options.only.map_or(0..options.cases, |only| only..only + 1);
    let (next, end) = (AtomicU64::new(numbers.start), numbers.end);
    let outcome = Mutex::new(Outcome::default());
    thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return;
                    }
                    let case = Case::make(&corpus, options.seed, number);
                    let place = folder.join(format!("case-{number}"));
                    let compared = compare(&programs, &case, &place, options.only.is_some());
                    if let Ok(mut outcome) = outcome.lock() {
                        outcome.note(number, &case, compared);
                    }
                }
            });
        }
    });
    let outcome = outcome.into_inner().map_err(|_| TaskError::new("a comparison broke down"))?;
    println!(
        "{} cases of seed {}: {} equal, {} that opm answers at random, {} different, {} not run",
        end - numbers.start,
        options.seed,
        outcome.equal,
        outcome.random,
        outcome.different,
        outcome.failed
    );
    Ok(if outcome.different + outcome.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Outcome {
    equal: u64,
    random: u64,
    different: u64,
    failed: u64,
}

enum Compared {
    Equal,
    Random,
    Different(String),
}

impl Outcome {
    fn note(&mut self, number: u64, case: &Case, compared: TaskResult<Compared>) {
        match compared {
            Ok(Compared::Equal) => self.equal += 1,
            Ok(Compared::Random) => self.random += 1,
            Ok(Compared::Different(text)) => {
                self.different += 1;
                println!("case {number}: opm {}\n  {}\n{text}", case.shown(), case.made);
            }
            Err(error) => {
                self.failed += 1;
                println!("case {number}: {error}");
            }
        }
    }
}

fn programs(options: &Options, root: &Path, folder: &Path) -> TaskResult<Programs> {
    let fbc = match &options.fbc {
        Some(path) => path.clone(),
        None => process::development_binary(root)?,
    };
    let (opm, fbc) = (workspace::absolute(&options.opm)?, workspace::absolute(&fbc)?);
    let copies = folder.join("bin");
    fs::create_dir_all(&copies).context(|| copies.display().to_string())?;
    let copy = copies.join("opm");
    fs::copy(&fbc, &copy).context(|| format!("copying {} to {}", fbc.display(), copy.display()))?;
    Ok(Programs { opm, fbc: copy })
}

/// Runs both programs on a case, each in a directory of its own, so that neither sees what the other writes.
fn compare(programs: &Programs, case: &Case, place: &Path, keep: bool) -> TaskResult<Compared> {
    let ask = |program: &Path, name: &str, environment: &[(&str, &str)]| -> TaskResult<Answer> {
        let folder = place.join(name);
        drop(fs::remove_dir_all(&folder));
        case.write(&folder.join("work"))?;
        let temporary = folder.join("tmp");
        fs::create_dir_all(&temporary).context(|| temporary.display().to_string())?;
        let mut command = Command::new(program);
        command.args(&case.arguments).current_dir(folder.join("work")).env("TMPDIR", &temporary);
        command.env("HOME", &folder).env_remove("XDG_RUNTIME_DIR").envs(environment.iter().copied());
        Answer::run(&mut command, &case.input)
    };
    let ours = ask(&programs.fbc, "fbc", &[])?;
    let mut theirs = ask(&programs.opm, "opm", &[])?;
    let mut outcome =
        if ours.agrees(&theirs) { Compared::Equal } else { Compared::Different(ours.difference(&theirs)) };
    if matches!(outcome, Compared::Different(_)) {
        for number in 0..RETRIES {
            let environment = if number % 2 == 0 { &[ONE_PROCESSOR][..] } else { &[] };
            let again = ask(&programs.opm, "opm", environment)?;
            if ours.agrees(&again) {
                outcome = Compared::Random;
                break;
            }
            theirs = again;
        }
        if matches!(outcome, Compared::Different(_)) {
            outcome = Compared::Different(ours.difference(&theirs));
        }
    }
    if !keep {
        fs::remove_dir_all(place).context(|| place.display().to_string())?;
    }
    Ok(outcome)
}
