//! What global flags say: how much is reported, the budgets, and what the use cases are passed of it. Commands pass it on; there
//! is no global state.

use std::ops::Deref;
use std::sync::Arc;

use crate::arguments::Global;
use crate::host::ProcessHost;
use crate::image_map;
use crate::limits::{LimitArgument, Limits};

/// What holds for everything that a command does; what the use cases know of it is reached as if it stood here.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Say only what is wrong.
    pub(crate) quiet: bool,
    /// Say more on standard error.
    pub(crate) verbose: bool,
    /// The budgets.
    pub(crate) limits: Limits,
    /// What the use cases are passed.
    pub(crate) app: fbc_app::settings::Settings,
}

impl Deref for Settings {
    type Target = fbc_app::settings::Settings;

    fn deref(&self) -> &Self::Target {
        &self.app
    }
}

/// Those of a command line without flags.
impl Default for Settings {
    fn default() -> Self {
        Self::new(false, false, Limits::default())
    }
}

impl Settings {
    fn new(quiet: bool, verbose: bool, limits: Limits) -> Self {
        let app = fbc_app::settings::Settings {
            budgets: limits.of_use_cases(),
            image_map: image_map::path_of_environment(),
            scratch: std::env::temp_dir(),
            host: Arc::new(ProcessHost { quiet, verbose }),
            ..fbc_app::settings::Settings::default()
        };
        Self { quiet, verbose, limits, app }
    }

    /// What flags say.
    pub(crate) fn from_flags(global: Global, limits: Vec<LimitArgument>) -> Self {
        let mut settings = Self::new(global.quiet, global.verbose, Limits::new(limits));
        settings.app.follows_links = global.follow_links;
        settings.app.trusts_links = global.follow_links;
        settings
    }

    /// What opm does: it follows links, and knows no templates among catalogs.
    pub(crate) fn like_opm() -> Self {
        let mut settings = Self::default();
        settings.app.follows_links = true;
        settings.app.expands_templates = false;
        settings
    }
}
