//! How far work is that takes long: a line on a terminal, on standard error, unless `--quiet` is given.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

/// A line that counts; it goes away with the value.
pub(crate) struct Counter(ProgressBar);

impl Counter {
    /// Begins to count up to a number, unless nothing is to be told.
    pub(crate) fn new(what: &'static str, total: usize, is_quiet: bool) -> Self {
        if is_quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(total as u64).with_style(style).with_message(what))
    }

    /// Counts one more.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }
}

impl fbc_app::settings::Progress for Counter {
    fn advance(&self) {
        self.step();
    }
}

#[cfg(feature = "registry")]
impl fbc_source::progress::Count for Counter {
    fn advance(&self) {
        self.step();
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
