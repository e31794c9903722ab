//! Clients that ask for all of a catalog and read nothing, and one beside them that does.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Instant;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::{ALL, get, memory};
use crate::error::{Context, TaskResult};

/// How many clients do not read.
const SLOW: usize = 1_000;

/// How many files the benchmark and the servers that it starts may have open: a socket for each client, and some more.
const OPEN_FILES: u64 = SLOW as u64 + 500;

/// How many answers the other one waits for.
const ASKED: usize = 500;

/// A small answer.
const SMALL: &str = "/catalogs/bench/api/v1/metas?schema=olm.package&name=generated-000";

/// How long small answers take without and beside slow clients: the median and the 99th percentile, in milliseconds.
pub(super) struct Waits {
    alone: [f64; 2],
    beside: [f64; 2],
    /// Memory of the server with all of them, where the system says it.
    mebibytes: Option<f64>,
}

impl Waits {
    pub(super) fn shown(&self) -> String {
        let [[alone, alone_worst], [beside, beside_worst]] = [self.alone, self.beside];
        let memory = self.mebibytes.map(|mebibytes| format!("  {mebibytes:.1} MiB")).unwrap_or_default();
        format!(
            "a small answer: median {alone:.2} ms, 99 % {alone_worst:.2} ms; beside {SLOW} clients that do not read \
             {beside:.2} ms, {beside_worst:.2} ms{memory}"
        )
    }
}

/// Raises the number of files that may be open, as far as the system allows; processes that start later inherit it.
pub(super) fn allow_open_files() -> TaskResult {
    let what = || "raising the number of open files".to_owned();
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).context(what)?;
    match soft < OPEN_FILES {
        true => setrlimit(Resource::RLIMIT_NOFILE, OPEN_FILES.min(hard), hard).context(what),
        false => Ok(()),
    }
}

/// Measures a server.
pub(super) fn waits(address: &str, process: u32) -> TaskResult<Waits> {
    let alone = small_answers(address)?;
    let mut slow = Vec::with_capacity(SLOW);
    for _ in 0..SLOW {
        let what = || format!("connecting {SLOW} clients");
        let mut stream = TcpStream::connect(address).context(what)?;
        write!(stream, "GET {ALL} HTTP/1.1\r\nHost: {address}\r\n\r\n").context(what)?;
        slow.push(stream);
    }
    let beside = small_answers(address)?;
    let mebibytes = memory(process).map(|[now, _]| now);
    drop(slow);
    Ok(Waits { alone, beside, mebibytes })
}

fn small_answers(address: &str) -> TaskResult<[f64; 2]> {
    let mut milliseconds = Vec::with_capacity(ASKED);
    for _ in 0..ASKED {
        let begun = Instant::now();
        get(address, SMALL)?;
        milliseconds.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    milliseconds.sort_by(f64::total_cmp);
    let at = |share: f64| milliseconds.get((ASKED as f64 * share) as usize).copied().unwrap_or_default();
    Ok([at(0.5), at(0.99)])
}
