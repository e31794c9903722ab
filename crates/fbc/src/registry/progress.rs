//! What is told while images travel: bars on a terminal, lines about credentials, repetitions and mirrors.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, OnceLock, PoisonError};
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
}

impl Progress {
    pub(super) fn new() -> Self {
        let voice = voice();
        let has_bars = voice != Voice::Quiet && std::io::stderr().is_terminal();
        Self { voice, bars: has_bars.then(MultiProgress::new), by_digest: Mutex::default() }
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
        if self.voice != Voice::Quiet {
            let wait = wait.as_secs_f64();
            self.tell(&format!("cannot {what}: {why}; trying again in {wait} s"));
        }
    }

    fn next_endpoint(&self, failed: &str, why: &str) {
        if self.voice == Voice::Verbose {
            self.tell(&format!("{failed}: {why}"));
        }
    }

    fn blob_moved(&self, digest: &Digest, position: u64, size: u64) {
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
