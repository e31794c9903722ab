//! `fbc serve`, and `opm serve` beside it when asked: from the start to the first answer, memory, how fast all of a catalog is
//! sent, how many small answers one thread gets, and how long one waits beside clients that do not read.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Input, measure};
use crate::error::{Context, TaskError, TaskResult};

mod grpc;
mod slow;

/// How long a server may take to its first answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long to wait before a server is asked again.
const PAUSE: Duration = Duration::from_millis(1);

/// The name of the catalog in URLs.
const NAME: &str = "bench";
const ALL: &str = "/catalogs/bench/api/v1/all";
const PACKAGES: &str = "/catalogs/bench/api/v1/metas?schema=olm.package";

/// Which API is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Api {
    Grpc,
    Http,
}

/// What one start of a server took.
struct Start {
    seconds: f64,
    /// Memory after the answers, now and at the most; nothing where the system does not say.
    mebibytes: Option<[f64; 2]>,
    /// Millions of bytes a second of all blobs, or small answers of gRPC a second, over the loopback interface.
    rate: f64,
    api: Api,
    /// What clients that do not read cost others, over HTTP.
    slow: Option<slow::Waits>,
}

/// Shows the median start of each server; true if all of them answered.
pub(super) fn run(
    fbc: &Path,
    opm: Option<&Path>,
    input: &Input,
    place: &Path,
    runs: usize,
) -> TaskResult<bool> {
    println!(
        "\nserving {} of {:.0} MB, median of up to {runs} starts:",
        input.name,
        input.bytes as f64 / 1e6
    );
    slow::allow_open_files()?;
    let grpc = |address: &str| {
        let mut command = Command::new(fbc);
        command.args(["serve", "--poll", "never", "--grpc", address]).arg(&input.folder);
        command
    };
    let http = |address: &str| {
        let mut catalog = std::ffi::OsString::from(format!("{NAME}="));
        catalog.push(&input.folder);
        let mut command = Command::new(fbc);
        command.args(["serve", "--poll", "never", "--http", address]).arg(catalog);
        command
    };
    let mut all_answered = row("fbc serve --grpc", Api::Grpc, place, runs, &grpc)?;
    if let Some(opm) = opm {
        let theirs = |address: &str| {
            let port = address.rsplit(':').next().unwrap_or_default();
            let mut command = Command::new(opm);
            command.args(["serve", "--pprof-addr", "", "--port", port, "--termination-log"]);
            command.arg(place.join("termination-log")).arg(&input.folder);
            command
        };
        all_answered &= row("opm serve", Api::Grpc, place, runs, &theirs)?;
    }
    all_answered &= row("fbc serve --http", Api::Http, place, runs, &http)?;
    Ok(all_answered)
}

/// Shows the median start of a server, or why there is none; true if there is one.
fn row(
    name: &str,
    api: Api,
    place: &Path,
    runs: usize,
    command: &dyn Fn(&str) -> Command,
) -> TaskResult<bool> {
    let starts = measure::several(runs, || {
        let address = super::free_address()?;
        let start = Server::start(command(&address), place).and_then(|server| server.measure(api, &address));
        Ok(start.map_err(|error| error.to_string()))
    })?;
    let mut starts = match starts {
        Ok(starts) => starts,
        Err(reason) => {
            println!("{name:24} failed: {reason}");
            return Ok(false);
        }
    };
    starts.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let Some(start) = starts.get(starts.len() / 2) else {
        return Err(TaskError::new("nothing was measured"));
    };
    println!("{name:24} {}", shown(start));
    if let Some(waits) = &start.slow {
        println!("{:24} {}", "", waits.shown());
    }
    Ok(true)
}

fn shown(start: &Start) -> String {
    let mut text = format!("{:6.3} s to the first answer", start.seconds);
    if let Some([now, most]) = start.mebibytes {
        text.push_str(&format!("  {now:6.1} MiB, at the most {most:6.1} MiB"));
    }
    text.push_str(&match start.api {
        Api::Http => format!("  /all {:6.0} MB/s", start.rate),
        Api::Grpc => format!("  {:6.0} small answers a second", start.rate),
    });
    text
}

/// A server, which is gone with all that it writes when this is dropped.
struct Server {
    process: Child,
    begun: Instant,
    scratch: PathBuf,
}

impl Server {
    fn start(mut command: Command, place: &Path) -> TaskResult<Self> {
        let scratch = place.to_owned();
        fs::create_dir_all(&scratch).context(|| format!("making {}", scratch.display()))?;
        // opm writes its cache there.
        command.env("TMPDIR", &scratch).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        let words = crate::process::describe(&command);
        let process = command.spawn().context(|| format!("starting {words}"))?;
        Ok(Self { process, begun, scratch })
    }

    fn measure(mut self, api: Api, address: &str) -> TaskResult<Start> {
        self.wait_for_listener(address)?;
        let (seconds, rate) = match api {
            Api::Grpc => {
                let package = grpc::first_package(address)?;
                (self.begun.elapsed().as_secs_f64(), grpc::answers_a_second(address, &package)?)
            }
            Api::Http => {
                get(address, PACKAGES)?;
                let seconds = self.begun.elapsed().as_secs_f64();
                let begun = Instant::now();
                let bytes = get(address, ALL)?;
                (seconds, bytes as f64 / 1e6 / begun.elapsed().as_secs_f64())
            }
        };
        let mebibytes = memory(self.process.id());
        let slow = match api {
            Api::Http => Some(slow::waits(address, self.process.id())?),
            Api::Grpc => None,
        };
        Ok(Start { seconds, mebibytes, rate, api, slow })
    }

    /// Waits until somebody listens, which servers do once they have loaded the catalog.
    fn wait_for_listener(&mut self, address: &str) -> TaskResult {
        while self.begun.elapsed() < PATIENCE {
            if TcpStream::connect(address).is_ok() {
                return Ok(());
            }
            let ended = self.process.try_wait().context(|| "looking at the server".to_owned())?;
            if let Some(status) = ended {
                return Err(TaskError::new(format!("the server ended: {status}")));
            }
            thread::sleep(PAUSE);
        }
        Err(TaskError::new(format!("the server does not listen at {address}")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with the benchmark in any case.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

/// Asks for a page and gives how many bytes it has.
fn get(address: &str, path: &str) -> TaskResult<usize> {
    let what = || format!("asking for {path}");
    let mut stream = TcpStream::connect(address).context(what)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").context(what)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).context(what)?;
    body_length(&answer).map_err(|reason| TaskError::new(format!("{path}: {reason}")))
}

/// How many bytes follow the head of a good answer, all that it promises.
fn body_length(answer: &[u8]) -> Result<usize, String> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").ok_or("not an answer")?;
    let head = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).to_lowercase();
    let length = answer.len() - end - 4;
    let promised = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    match head.lines().next() {
        Some(line) if !line.starts_with("http/1.1 200") => Err(line.to_owned()),
        _ if length == 0 => Err("an empty answer".to_owned()),
        _ if promised.is_some_and(|promised: usize| promised != length) => Err("a cut answer".to_owned()),
        _ => Ok(length),
    }
}

/// The memory of a process in MiB, now and at the most; nothing where the system does not say.
pub(super) fn memory(process: u32) -> Option<[f64; 2]> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = |key: &str| {
        let rest = status.lines().find_map(|line| line.strip_prefix(key))?;
        rest.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kibibytes| kibibytes / 1024.0)
    };
    Some([value("VmRSS:")?, value("VmHWM:")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_answers_count() {
        for (answer, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", Ok(2)),
            ("HTTP/1.1 200 OK\r\n\r\nab", Ok(2)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", Err("a cut answer")),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Err("an empty answer")),
            ("HTTP/1.1 404 Not Found\r\n\r\nab", Err("http/1.1 404 not found")),
            ("", Err("not an answer")),
        ] {
            assert_eq!(body_length(answer.as_bytes()), expected.map_err(str::to_owned), "{answer:?}");
        }
    }

    #[test]
    fn a_server_that_ends_is_a_failure() {
        let place = tempfile::tempdir().unwrap();
        let answered = row("ends", Api::Http, &place.path().join("scratch"), 1, &|_| Command::new("false"));
        assert!(!answered.unwrap());
    }

    #[test]
    fn the_memory_of_this_process_is_known() {
        if let Some([now, most]) = memory(std::process::id()) {
            assert!(0.0 < now && now <= most);
        }
    }
}
