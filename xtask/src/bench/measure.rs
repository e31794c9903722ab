//! Time and memory of one command.
//!
//! The system tells a process only the sum and the peak over all of its children. So each run gets a process of its
//! own: the hidden task `measure` starts the command, waits for it, and prints what the system says as JSON. That
//! process is small; the peak memory of a child is never reported below what its parent used when it was started.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::{Value, json};

use crate::error::{Context, TaskError, TaskResult};

/// What one run of a command took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    /// The exit code; `None` when a signal ended it.
    pub(super) exit_code: Option<i32>,
    /// From the start to the end, in seconds.
    pub(super) wall_seconds: f64,
    /// The time of all its threads, in the program and in the system, in seconds.
    pub(super) cpu_seconds: f64,
    /// The most memory it had at one time, in MiB.
    pub(super) peak_mebibytes: f64,
}

/// The hidden task: runs the command here and prints its measurement as one line of JSON.
pub(crate) fn run_hidden_task(command: &[OsString]) -> TaskResult<ExitCode> {
    println!("{}", to_json(&run_here(command)?));
    Ok(ExitCode::SUCCESS)
}

/// Runs a command in a fresh process of this binary and gives its measurement.
pub(super) fn in_own_process(command: &[&OsStr]) -> TaskResult<Measurement> {
    let itself = env::current_exe().context(|| "finding this binary".to_owned())?;
    let output = Command::new(itself)
        .args(["measure", "--"])
        .args(command)
        .stderr(Stdio::inherit())
        .output()
        .context(|| "starting the measuring process".to_owned())?;
    if !output.status.success() {
        return Err(TaskError::new(format!("the measuring process failed: {}", output.status)));
    }
    let value = serde_json::from_slice(&output.stdout).context(|| "reading the measurement".to_owned())?;
    from_json(&value)
        .ok_or_else(|| TaskError::new(format!("the measurement has an unexpected form: {value}")))
}

/// After this time a slow command is not repeated beyond the fewest runs that give a median.
const ENOUGH_TIME: Duration = Duration::from_secs(20);

/// The fewest runs that give a median worth the name.
pub(super) const FEWEST_RUNS: usize = 3;

/// The command with the median wall time of some runs behind one to warm up; the inner error says why there is none.
pub(super) fn median_of(
    runs: usize,
    mut run: impl FnMut() -> TaskResult<Measurement>,
) -> TaskResult<Result<Measurement, String>> {
    let run = || {
        let measurement = run()?;
        Ok(match measurement.exit_code {
            Some(0) => Ok(measurement),
            Some(code) => Err(format!("exit {code}")),
            None => Err("killed".to_owned()),
        })
    };
    Ok(several(runs, run)?.and_then(|all| median(all).ok_or_else(|| "nothing was measured".to_owned())))
}

/// What came of some runs behind one to warm up, or why one failed. What is slow runs less often.
pub(super) fn several<M>(
    runs: usize,
    mut run: impl FnMut() -> TaskResult<Result<M, String>>,
) -> TaskResult<Result<Vec<M>, String>> {
    let start = Instant::now();
    let mut all = Vec::new();
    while all.len() <= runs && (all.len() <= FEWEST_RUNS || start.elapsed() < ENOUGH_TIME) {
        match run()? {
            Ok(one) => all.push(one),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    // The first run is the warm-up.
    all.remove(0);
    Ok(Ok(all))
}

/// The measurement with the median wall time; of an even number the slower one of the two in the middle.
pub(super) fn median(mut measurements: Vec<Measurement>) -> Option<Measurement> {
    measurements.sort_by(|a, b| a.wall_seconds.total_cmp(&b.wall_seconds));
    let middle = measurements.len() / 2;
    measurements.into_iter().nth(middle)
}

/// Runs the command with its output thrown away. Correct only as the first child of this process.
fn run_here(command: &[OsString]) -> TaskResult<Measurement> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(TaskError::new("there is no command to measure"));
    };
    let start = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context(|| format!("starting {}", program.display()))?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let usage =
        getrusage(UsageWho::RUSAGE_CHILDREN).context(|| "asking for the resource usage".to_owned())?;
    Ok(Measurement {
        exit_code: status.code(),
        wall_seconds,
        cpu_seconds: seconds(usage.user_time()) + seconds(usage.system_time()),
        peak_mebibytes: usage.max_rss() as f64 / MAXIMUM_PER_MEBIBYTE,
    })
}

/// Linux counts the peak in KiB, macOS in bytes.
const MAXIMUM_PER_MEBIBYTE: f64 = if cfg!(target_os = "macos") { 1_048_576.0 } else { 1024.0 };

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

fn to_json(measurement: &Measurement) -> Value {
    json!({
        "exit_code": measurement.exit_code,
        "wall_seconds": measurement.wall_seconds,
        "cpu_seconds": measurement.cpu_seconds,
        "peak_mebibytes": measurement.peak_mebibytes,
    })
}

fn from_json(value: &Value) -> Option<Measurement> {
    Some(Measurement {
        exit_code: value.get("exit_code")?.as_i64().and_then(|code| i32::try_from(code).ok()),
        wall_seconds: value["wall_seconds"].as_f64()?,
        cpu_seconds: value["cpu_seconds"].as_f64()?,
        peak_mebibytes: value["peak_mebibytes"].as_f64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_wall(wall_seconds: f64) -> Measurement {
        Measurement { exit_code: Some(0), wall_seconds, cpu_seconds: 0.5, peak_mebibytes: 2.0 }
    }

    #[test]
    fn the_median_is_the_middle_run() {
        assert_eq!(median([3.0, 1.0, 2.0].map(with_wall).to_vec()), Some(with_wall(2.0)));
        assert_eq!(median([4.0, 1.0].map(with_wall).to_vec()), Some(with_wall(4.0)));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn a_measurement_survives_the_way_through_json() {
        for exit_code in [Some(0), Some(7), None] {
            let measurement = Measurement { exit_code, ..with_wall(1.25) };
            assert_eq!(from_json(&to_json(&measurement)), Some(measurement));
        }
        assert_eq!(from_json(&json!({"wall_seconds": 1.0})), None);
    }

    #[test]
    fn a_command_is_measured() {
        let command = ["sh", "-c", "sleep 0.05; exit 3"].map(OsString::from);
        let measurement = run_here(&command).unwrap();
        assert_eq!(measurement.exit_code, Some(3));
        assert!(measurement.wall_seconds >= 0.05);
        assert!(measurement.peak_mebibytes > 0.1 && measurement.peak_mebibytes < 4096.0);
        assert!(run_here(&["/nonexistent/program".into()]).is_err());
    }
}
