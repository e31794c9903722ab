//! What is told while images travel: bars on a terminal, lines about credentials, repetitions and mirrors.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fbc_image::registry::Observer;
use fbc_image::registry::credentials::CredentialOrigin;
use fbc_image::registry::observer::BlobOutcome;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use oci_spec::image::Digest;

use crate::arguments::Global;
use crate::failure::HELP;

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Voice {
    /// Nothing but errors.
    Quiet,
    /// What takes long, and why.
    #[default]
    Normal,
    /// Also which credential is used and which endpoints are asked.
    Verbose,
}

static VOICE: OnceLock<Voice> = OnceLock::new();

/// Settles how much this process tells; the first call counts.
pub(crate) fn settle_voice(global: Global) {
    let voice = match (global.quiet, global.verbose) {
        (true, _) => Voice::Quiet,
        (false, true) => Voice::Verbose,
        (false, false) => Voice::Normal,
    };
    let _ = VOICE.set(voice);
}

/// How much this process tells.
pub(crate) fn voice() -> Voice {
    VOICE.get().copied().unwrap_or_default()
}

/// Whether nothing but errors is reported.
pub(crate) fn is_quiet() -> bool {
    voice() == Voice::Quiet
}

/// Blobs smaller than this get no bar, in bytes: they are there before it is drawn.
const SMALL: u64 = 256 << 10;

/// Tells on standard error.
pub(super) struct Progress {
    voice: Voice,
    bars: Option<MultiProgress>,
    by_digest: Mutex<BTreeMap<String, ProgressBar>>,
    /// Blobs that move the bar of an image, and how much of each has come.
    of_images: Mutex<BTreeMap<String, (ProgressBar, u64)>>,
    /// Hosts that were asked again.
    retried: Mutex<BTreeSet<String>>,
}

/// The bar of an image among several that travel at once: all its blobs together.
pub(crate) struct ImageBar {
    progress: Arc<Progress>,
    bar: Option<ProgressBar>,
}

impl ImageBar {
    pub(super) fn new(progress: &Arc<Progress>, name: &str) -> Self {
        let bar = progress.bars.as_ref().map(|bars| {
            let style = ProgressStyle::with_template("{bar:30} {bytes:>10}/{total_bytes:10} {prefix}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let name = crate::escape::line(name).to_string();
            bars.add(ProgressBar::new(0)).with_style(style).with_prefix(name)
        });
        Self { progress: Arc::clone(progress), bar }
    }

    /// Announces a blob.
    pub(crate) fn expect(&self, digest: &Digest, size: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc_length(size);
        let mut blobs = self.progress.of_images.lock().unwrap_or_else(PoisonError::into_inner);
        // A blob that two images share moves the bar of the first.
        blobs.entry(digest.to_string()).or_insert_with(|| (bar.clone(), 0));
    }

    /// Notes that nothing more of a blob is to come.
    pub(crate) fn settle(&self, digest: &Digest, size: u64) {
        let Some(bar) = &self.bar else { return };
        let mut blobs = self.progress.of_images.lock().unwrap_or_else(PoisonError::into_inner);
        let come = blobs.remove(digest.as_ref()).map_or(0, |(_, come)| come);
        bar.inc(size.saturating_sub(come));
    }
}

impl Drop for ImageBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress {
    pub(super) fn new() -> Self {
        let voice = voice();
        let has_bars = voice != Voice::Quiet && std::io::stderr().is_terminal();
        Self {
            voice,
            bars: has_bars.then(MultiProgress::new),
            by_digest: Mutex::default(),
            of_images: Mutex::default(),
            retried: Mutex::default(),
        }
    }

    /// Takes the bars away that are left, so that what is told next stands alone.
    pub(super) fn clear(&self) {
        let bars = std::mem::take(&mut *self.by_digest.lock().unwrap_or_else(PoisonError::into_inner));
        bars.into_values().for_each(|bar| bar.finish_and_clear());
    }

    fn tell(&self, line: &str) {
        let write = || {
            // Nothing is left to tell it to if this fails.
            let _ = writeln!(crate::terminal::stderr(), "{HELP}note{HELP:#}: {line}");
        };
        match &self.bars {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }
}

impl Observer for Progress {
    fn credential(&self, repository: &str, origin: Option<&CredentialOrigin>) {
        if self.voice == Voice::Verbose {
            match origin {
                Some(origin) => self.tell(&format!("credential for {repository}: {origin}")),
                None => self.tell(&format!("no credential for {repository}")),
            }
        }
    }

    fn retry(&self, what: &str, why: &str, wait: Duration) {
        match self.voice {
            Voice::Quiet => {}
            Voice::Normal => {
                // Whoever waits learns once for each host why.
                let host =
                    what.split_once("://").and_then(|(_, rest)| rest.split('/').next()).unwrap_or(what);
                let mut hosts = self.retried.lock().unwrap_or_else(PoisonError::into_inner);
                if hosts.insert(host.to_owned()) {
                    self.tell(&format!("{host} does not answer as it should; trying again"));
                }
            }
            Voice::Verbose => {
                let wait = wait.as_secs_f64();
                self.tell(&format!("cannot {what}: {why}; trying again in {wait} s"));
            }
        }
    }

    fn next_endpoint(&self, failed: &str, why: &str) {
        if self.voice == Voice::Verbose {
            self.tell(&format!("{failed}: {why}"));
        }
    }

    fn blob_moved(&self, digest: &Digest, position: u64, size: u64) {
        let mut of_images = self.of_images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((bar, come)) = of_images.get_mut(digest.as_ref()) {
            bar.inc(position.saturating_sub(*come));
            *come = position.max(*come);
            return;
        }
        drop(of_images);
        let Some(bars) = self.bars.as_ref().filter(|_| size >= SMALL) else { return };
        let mut by_digest = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = by_digest.entry(digest.to_string()).or_insert_with(|| {
            let style =
                ProgressStyle::with_template("{prefix} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar());
            let short: String = digest.digest().chars().take(12).collect();
            bars.add(ProgressBar::new(size)).with_style(style).with_prefix(short)
        });
        bar.set_position(position);
    }

    fn blob_done(&self, digest: &Digest, _outcome: BlobOutcome) {
        let bar = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner).remove(digest.as_ref());
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }
}
