//! What holds for a whole run: how catalogs are read, what a run may take, and who hears what is told. Use cases are passed
//! it; there is no global state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_lint::policy::Date;
use fbc_model::tree::Tree;
use fbc_source::git::GitLimits;
use fbc_source::input_file::InputLimits;
#[cfg(feature = "registry")]
use fbc_source::session::Connection;
use fbc_source::{Error, Reading, Session};
use fbc_yaml::limits::Limits;

use crate::event::Event;

/// What a run finds around it: somebody who listens, a clock, and registries.
pub trait Host: Send + Sync {
    /// Hears of something as it happens.
    fn tell(&self, event: Event<'_>);

    /// Hears that something begins that takes long: what, and how many steps it has.
    fn begin(&self, what: &'static str, total: usize) -> Box<dyn Progress>;

    /// The day on which the command runs, in UTC.
    ///
    /// # Errors
    /// If the environment says so in a form that is not valid.
    fn today(&self) -> Result<Date, Error>;

    /// The passphrase of private keys where no file holds it; nothing without one.
    #[cfg(feature = "registry")]
    fn passphrase(&self) -> Option<Vec<u8>>;

    /// A connection with registries where no flag says how they are asked.
    ///
    /// # Errors
    /// What keeps a client from being made.
    #[cfg(feature = "registry")]
    fn connect(&self) -> Result<Connection, Error>;
}

/// How far something is that takes long; it has ended when this is dropped.
pub trait Progress: Send + Sync {
    /// One step more is done.
    fn advance(&self);
}

/// A host that hears nothing, and has neither a clock nor registries.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn tell(&self, _event: Event<'_>) {}

    fn begin(&self, _what: &'static str, _total: usize) -> Box<dyn Progress> {
        Box::new(Self)
    }

    fn today(&self) -> Result<Date, Error> {
        Err(Error::new("there is no clock"))
    }

    #[cfg(feature = "registry")]
    fn passphrase(&self) -> Option<Vec<u8>> {
        None
    }

    #[cfg(feature = "registry")]
    fn connect(&self) -> Result<Connection, Error> {
        Err(Error::new("there is no connection with registries"))
    }
}

impl Progress for NoHost {
    fn advance(&self) {}
}

/// What to do about a link that is not followed.
pub const FOLLOW_LINKS: &str =
    "put the file itself there; `--follow-links` follows links of directories that you trust";

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Documents of a catalog, and what its aliases repeat.
    pub reading: Limits,
    /// Answers of git.
    pub git: GitLimits,
    /// Files that flags name.
    pub input: InputLimits,
    /// The indentation of deeply nested blobs, in bytes.
    pub layout_bytes: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            reading: Limits::default(),
            git: GitLimits::USUAL,
            input: InputLimits { file: 1 << 30, stream: 64 << 20 },
            layout_bytes: fbc_model::writer::MOST_LAYOUT_BYTES,
        }
    }
}

/// What holds for everything that a run does.
#[derive(Clone)]
pub struct Settings {
    /// Whether links that lead out of a catalog are followed.
    pub follows_links: bool,
    /// Whether files are written through such links, too: only where the user says so.
    pub trusts_links: bool,
    /// Whether a template is loaded as the catalog that it expands to; opm loads it as a blob of an unknown schema.
    pub expands_templates: bool,
    /// What a run may take.
    pub budgets: Budgets,
    /// The file of the directories that stand for images, where no flag names one.
    pub image_map: Option<PathBuf>,
    /// Where directories are made that go with the run.
    pub scratch: PathBuf,
    /// What is around.
    pub host: Arc<dyn Host>,
}

/// Those of a command without flags, with nobody around; scratch directories lie in the directory that the command runs in.
impl Default for Settings {
    fn default() -> Self {
        Self {
            follows_links: false,
            trusts_links: false,
            expands_templates: true,
            budgets: Budgets::default(),
            image_map: None,
            scratch: PathBuf::from("."),
            host: Arc::new(NoHost),
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Settings")
            .field("follows_links", &self.follows_links)
            .field("trusts_links", &self.trusts_links)
            .field("expands_templates", &self.expands_templates)
            .field("budgets", &self.budgets)
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// How catalogs are read.
    #[must_use]
    pub fn reading(&self) -> Reading {
        Reading {
            follows_links: self.follows_links,
            expands_templates: self.expands_templates,
            limits: self.budgets.reading,
            git: self.budgets.git,
            layout_bytes: self.budgets.layout_bytes,
            image_map: self.image_map.clone(),
            scratch: self.scratch.clone(),
        }
    }

    /// The files below a directory that somebody else may have filled.
    #[must_use]
    pub fn disk_tree(&self, root: &Path) -> Box<dyn Tree> {
        fbc_source::reading::disk_tree(root, self.follows_links)
    }

    /// How images are got where no flag says how.
    #[must_use]
    pub fn session(&self) -> Session {
        #[cfg(feature = "registry")]
        {
            let host = Arc::clone(&self.host);
            Session::new(self.reading(), None, Box::new(move || host.connect()))
        }
        #[cfg(not(feature = "registry"))]
        Session::new(self.reading(), None)
    }

    /// A new directory for what is needed only while the run lasts.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn scratch_directory(&self) -> Result<fbc_staging::StagedDirectory, Error> {
        fbc_source::reading::scratch_directory(&self.scratch)
    }

    /// Tells whoever listens.
    pub fn tell(&self, event: Event<'_>) {
        self.host.tell(event);
    }

    /// Tells of something odd; the run goes on.
    pub fn warn(&self, warning: Error) {
        self.tell(Event::Warning(warning));
    }
}
