//! The flags that every command has that reports findings.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use fbc_app::configuration::PolicyChoice;
use fbc_app::invalid_value::InvalidValue;
use fbc_lint::Profile;
use fbc_lint::policy::Date;
use fbc_version::OpenShiftRelease;

/// Which findings count, and for which clusters.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyArguments {
    /// Which rules count, and how much [default: default]
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), long_help = profile_help())]
    pub(crate) profile: Option<Profile>,
    /// The OpenShift releases that catalogs and bundles are for, such as `4.17,4.18`
    ///
    /// Without it, `targets` of the configuration counts; without that, a catalog in a directory such as
    /// `catalogs/v4.17` is for that version.
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = ocp_version, alias = "target-ocp")]
    pub(crate) ocp: Vec<OpenShiftRelease>,
    /// Report only these rules, by code, name or family, even if they are off
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub(crate) select: Vec<String>,
    /// Do not report these rules, by code, name or family
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Use this configuration, and not the `fbc.toml` nearest to the catalog
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// Show what is configured and where each value comes from, and do nothing else
    #[arg(long)]
    pub(crate) show_config: bool,
    /// Do not report findings that this file lists
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the findings of this run to this file, for `--baseline`
    ///
    /// Entries of catalogs that this run does not look at stay as they are.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// The day on which waivers are judged [default: $SOURCE_DATE_EPOCH, or today in UTC]
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) today: Option<Date>,
}

impl PolicyArguments {
    /// What the flags want.
    pub(crate) fn choice(&self) -> PolicyChoice {
        PolicyChoice {
            profile: self.profile,
            ocp: self.ocp.clone(),
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            config: self.config.clone(),
            no_config: self.no_config,
            baseline: self.baseline.clone(),
            write_baseline: self.write_baseline.clone(),
            today: self.today,
        }
    }
}

fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::name))
        .map(|name| Profile::from_name(&name).unwrap_or_default())
}

fn profile_help() -> String {
    let mut text = "Which rules count, and how much [default: default]\n".to_owned();
    for profile in Profile::ALL {
        text.push_str(&format!("\n- {}: {}", profile.name(), profile.purpose()));
    }
    text
}

/// Reads an OpenShift release on the command line.
pub(crate) fn ocp_version(text: &str) -> Result<OpenShiftRelease, InvalidValue> {
    let known = OpenShiftRelease::parse(text).filter(|version| version.major >= 4);
    known.ok_or_else(|| "write an OpenShift release, such as 4.17".into())
}

fn date(text: &str) -> Result<Date, InvalidValue> {
    Date::parse(text).ok_or_else(|| "write a day of the calendar, such as 2027-03-31".into())
}
