//! What one run wants otherwise than its configuration file.

use std::path::PathBuf;

use fbc_lint::Profile;
use fbc_lint::policy::Date;
use fbc_version::OpenShiftRelease;

/// Which findings count, and for which clusters, where that is not left to the configuration file.
#[derive(Clone, Debug, Default)]
pub struct PolicyChoice {
    /// Which rules count, and how much.
    pub profile: Option<Profile>,
    /// The OpenShift releases that catalogs and bundles are for.
    pub ocp: Vec<OpenShiftRelease>,
    /// Report only these rules, by code, name or family, even if they are off.
    pub select: Vec<String>,
    /// Do not report these rules, by code, name or family.
    pub ignore: Vec<String>,
    /// Use this configuration, and not the one nearest to the catalog.
    pub config: Option<PathBuf>,
    /// Use no configuration file.
    pub no_config: bool,
    /// Do not report findings that this file lists.
    pub baseline: Option<PathBuf>,
    /// Write the findings of this run to this file.
    pub write_baseline: Option<PathBuf>,
    /// The day on which waivers are judged; without one, today.
    pub today: Option<Date>,
}
