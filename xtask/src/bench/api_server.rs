//! `fbc cluster up` as its clients see it: from the start to the first answer, reads and writes beside many objects, watches.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::try_join_all;
use http::Method;
use serde_json::json;

use super::serve;
use crate::error::{Context, TaskError, TaskResult};

mod client;

use client::Client;

/// Objects in the cluster while it is measured.
const OBJECTS: usize = 10_000;
/// Requests on their way at the same time, over one connection.
const TOGETHER: usize = 64;
/// Reads one after another.
const READS: usize = 2_000;
/// Watches that nothing happens to.
const WATCHES: usize = 1_000;
/// Watches over one connection; servers of HTTP/2 allow no more than two hundred streams.
const WATCHES_OF_CONNECTION: usize = 100;
/// How long a cluster may take to its first answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before it is asked again.
const PAUSE: Duration = Duration::from_millis(1);

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Measures clusters, and prints what it finds: the median of starts, and all else of one.
pub(super) fn run(fbc: &Path, place: &Path, runs: usize) -> TaskResult {
    println!("\nA simulated cluster behind its API:");
    fs::create_dir_all(place).context(|| format!("making {}", place.display()))?;
    // Each is gone before the next one starts.
    let start = |_| Cluster::start(fbc, place).map(|cluster| (cluster.seconds, cluster.mebibytes));
    let mut starts = (0..runs.max(1)).map(start).collect::<TaskResult<Vec<_>>>()?;
    starts.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (seconds, mebibytes) =
        starts.get(starts.len() / 2).ok_or_else(|| TaskError::new("nothing was measured"))?;
    println!("first answer after {:.0} ms{}", seconds * 1e3, memory(*mebibytes));

    let cluster = Cluster::start(fbc, place)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context(|| "starting a runtime".to_owned())?;
    runtime.block_on(cluster.measure())
}

fn memory(mebibytes: Option<f64>) -> String {
    mebibytes.map(|mebibytes| format!(", {mebibytes:.1} MiB")).unwrap_or_default()
}

/// A cluster, which is gone when this is dropped.
struct Cluster {
    process: Child,
    kubeconfig: client::Kubeconfig,
    seconds: f64,
    mebibytes: Option<f64>,
    /// Holds the kubeconfig.
    _directory: tempfile::TempDir,
}

impl Cluster {
    /// Starts a cluster, and waits until it answers.
    fn start(fbc: &Path, place: &Path) -> TaskResult<Self> {
        let directory =
            tempfile::tempdir_in(place).context(|| format!("making a place in {}", place.display()))?;
        let path = directory.path().join("kubeconfig");
        let mut command = Command::new(fbc);
        command.args(["cluster", "up", "--kubeconfig"]).arg(&path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        let process = command.spawn().context(|| format!("starting {}", fbc.display()))?;
        let mut cluster = Self {
            process,
            kubeconfig: client::Kubeconfig::default(),
            seconds: 0.0,
            mebibytes: None,
            _directory: directory,
        };
        // It is renamed into its place when it is whole.
        while !path.exists() {
            if let Some(status) =
                cluster.process.try_wait().context(|| "waiting for the cluster".to_owned())?
            {
                return Err(TaskError::new(format!("the cluster ends before it answers: {status}")));
            }
            if begun.elapsed() > PATIENCE {
                return Err(TaskError::new("the cluster does not start"));
            }
            thread::sleep(PAUSE);
        }
        cluster.kubeconfig = client::Kubeconfig::read(&path)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context(|| "starting a runtime".to_owned())?;
        runtime.block_on(async {
            let client = Client::connect(&cluster.kubeconfig).await?;
            client.ask(Method::GET, "/api/v1/namespaces", Bytes::new()).await
        })?;
        cluster.seconds = begun.elapsed().as_secs_f64();
        cluster.mebibytes = cluster.memory();
        Ok(cluster)
    }

    fn memory(&self) -> Option<f64> {
        serve::memory(self.process.id()).map(|[now, _]| now)
    }

    async fn measure(&self) -> TaskResult {
        let client = Client::connect(&self.kubeconfig).await?;
        let begun = Instant::now();
        try_join_all((0..TOGETHER).map(|first| write(&client, first))).await?;
        let rate = OBJECTS as f64 / begun.elapsed().as_secs_f64();
        println!("{OBJECTS} objects written, {TOGETHER} at a time over one connection: {rate:.0} a second");

        let mut milliseconds = Vec::with_capacity(READS);
        for number in 0..READS {
            let begun = Instant::now();
            let path = format!("{CONFIG_MAPS}/map-{}", number * (OBJECTS / READS));
            client.ask(Method::GET, &path, Bytes::new()).await?;
            milliseconds.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        milliseconds.sort_by(f64::total_cmp);
        let at = |share: f64| milliseconds.get((READS as f64 * share) as usize).copied().unwrap_or_default();
        println!("one of them read: median {:.3} ms, 99 % {:.3} ms", at(0.5), at(0.99));

        let begun = Instant::now();
        let length = client.ask(Method::GET, CONFIG_MAPS, Bytes::new()).await?.len();
        println!(
            "all of them listed: {:.0} ms, {:.1} MB{}",
            begun.elapsed().as_secs_f64() * 1e3,
            length as f64 / 1e6,
            memory(self.memory())
        );
        let begun = Instant::now();
        let mut events = client.watch(&format!("{CONFIG_MAPS}?{INITIAL}")).await?;
        let count = events.lines_until(OBJECTS).await?;
        println!(
            "the initial list of a watch: {count} events in {:.0} ms",
            begun.elapsed().as_secs_f64() * 1e3
        );
        drop(events);

        let before = self.memory();
        let mut idle = Vec::with_capacity(WATCHES);
        let mut clients = Vec::new();
        for _ in 0..WATCHES / WATCHES_OF_CONNECTION {
            let client = Client::connect(&self.kubeconfig).await?;
            for _ in 0..WATCHES_OF_CONNECTION {
                idle.push(client.watch("/api/v1/namespaces/kube-public/secrets?watch=1").await?);
            }
            clients.push(client);
        }
        let grown = self.memory().zip(before).map(|(now, before)| now - before);
        println!(
            "{} watches that nothing happens to{}, of which they took {:.1} MiB",
            idle.len(),
            memory(self.memory()),
            grown.unwrap_or_default()
        );
        Ok(())
    }
}

/// What asks a watch for its initial list.
const INITIAL: &str = "watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=0";

/// Writes the objects that are a writer's, one after another.
async fn write(client: &Client, first: usize) -> TaskResult {
    for number in (first..OBJECTS).step_by(TOGETHER) {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": format!("map-{number}"), "labels": {"of": "bench"}},
            "data": {"number": number.to_string(), "text": "what a configuration says, in some words"},
        });
        client.ask(Method::POST, CONFIG_MAPS, object.to_string().into()).await?;
    }
    Ok(())
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // It ends with the benchmark in any case.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
