//! What use cases find around them in this process: standard error, the clock, and registries as the environment says.

use fbc_app::event::Event;
use fbc_app::layout;
use fbc_app::repository_notes;
use fbc_app::settings::{Host, Progress};
#[cfg(feature = "registry")]
use fbc_app::signing::keys::PASSPHRASE;
use fbc_lint::policy::Date;
use fbc_source::Error;
#[cfg(feature = "registry")]
use fbc_source::session::Connection;

use crate::clock;
use crate::failure::Failure;
#[cfg(feature = "registry")]
use crate::image_words;
use crate::progress::Counter;
#[cfg(feature = "registry")]
use crate::registry;
use crate::report::{advise_on_stderr, report_on_stderr};
use crate::terminal;

/// A process with its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessHost {
    /// Say only what is wrong.
    pub(crate) quiet: bool,
    /// Say more.
    pub(crate) verbose: bool,
}

impl Host for ProcessHost {
    fn tell(&self, event: Event<'_>) {
        match event {
            Event::Warning(warning) => Failure::from(warning).warn(),
            Event::Hint(hint) => {
                if !self.quiet {
                    Failure::from(hint).warn();
                }
            }
            Event::Remark(text) => {
                if !self.quiet {
                    terminal::tell(format_args!("{text}"));
                }
            }
            Event::RepositoryNote(note) => {
                if !self.quiet {
                    terminal::tell(format_args!("note: {}", repository_notes::words(note)));
                }
            }
            Event::Detail(text) => {
                if self.verbose {
                    terminal::tell(format_args!("{text}"));
                }
            }
            Event::Note(note) => Failure::from(note).note(),
            Event::Refusal(refusal) => {
                let _ = Failure::from(refusal).report();
            }
            Event::Findings { checked, errors_only } => {
                let checked = std::slice::from_ref(checked);
                // Nothing is left to tell it to if this fails.
                let _ = if errors_only { report_on_stderr(checked) } else { advise_on_stderr(checked) };
            }
            Event::Expanded { directory, catalogs } => {
                if !self.quiet {
                    let names = layout::described(catalogs);
                    terminal::tell(format_args!("{} holds the catalogs {names}", directory.display()));
                }
            }
            #[cfg(feature = "registry")]
            Event::Built { output, built } => {
                if !self.quiet {
                    image_words::built(output, built);
                }
            }
            #[cfg(feature = "registry")]
            Event::Pushed { destination, report } => {
                if !self.quiet {
                    image_words::pushed(destination, report);
                }
            }
            #[cfg(feature = "registry")]
            Event::Attached { destination, documents } => {
                if !self.quiet {
                    terminal::tell(format_args!("attached to {destination}: {}", documents.join(", ")));
                }
            }
            Event::Waiting(directory) => {
                terminal::tell(format_args!("waiting for another fbc that edits {}", directory.display()));
            }
        }
    }

    fn begin(&self, what: &'static str, total: usize) -> Box<dyn Progress> {
        Box::new(Counter::new(what, total, self.quiet))
    }

    fn today(&self) -> Result<Date, Error> {
        clock::today()
    }

    #[cfg(feature = "registry")]
    fn passphrase(&self) -> Option<Vec<u8>> {
        std::env::var_os(PASSPHRASE).map(std::ffi::OsString::into_encoded_bytes)
    }

    #[cfg(feature = "registry")]
    fn connect(&self) -> Result<Connection, Error> {
        registry::usual_connection(self.quiet, self.verbose)
    }
}
