//! What commands that report findings are asked with: what counts, how it is told, and where it goes.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::checked::CheckedCatalog;
use fbc_app::configuration::Configuration;
use fbc_app::count::counted;
use fbc_lint::policy::set_aside::Cause;

use super::{Format, Style, Summary, write};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::fixing::FixArguments;
use crate::output::destination::{Destination, OutputParser, OutputValue};
use crate::output::file::write_output;
use crate::policy_arguments::PolicyArguments;
use crate::settings::Settings;
use crate::shard::ShardArgument;
use crate::terminal;

/// What counts, and how it is told.
#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// How findings are written; FORMAT=FILE writes to a file, and can be repeated [default: full]
    #[arg(short, long, alias = "format", value_parser = OutputParser::<Format>::new(), value_name = "FORMAT[=FILE]")]
    output: Vec<OutputValue<Format>>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Show no more findings than this; the exit code and the summary count all
    ///
    /// Of each rule 10,000 findings are kept unless this asks for more.
    #[arg(long, value_name = "N")]
    max_findings: Option<usize>,
    /// Exit with 1 if there are warnings, too
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    pub(crate) shard: ShardArgument,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
}

impl ReportArguments {
    /// Refuses to do a part of what is only meant as a whole.
    pub(crate) fn refuse_part_of_a_change(&self, has_base: bool, fix: &FixArguments) -> Result<(), Failure> {
        let others = [
            ("--base", has_base),
            ("--fix", fix.are_given()),
            ("--write-baseline", self.policy.write_baseline.is_some()),
        ];
        match others.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if self.shard.shard.is_some() => {
                Err(Failure::new(format!("--shard splits checks of whole catalogs, and {flag} is not one"))
                    .help(format!("run the command with {flag} and without --shard")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses formats that cannot be written side by side.
    pub(crate) fn check_outputs(&self) -> Result<(), Failure> {
        OutputValue::check(&self.output)
    }

    /// What is written where.
    fn destinations(&self) -> Vec<Destination<'_, Format>> {
        OutputValue::destinations(&self.output, self.output_file.as_ref())
    }

    /// What is configured for these paths.
    pub(crate) fn configuration(
        &self,
        paths: &[PathBuf],
        settings: &Settings,
    ) -> Result<Configuration, Failure> {
        let mut configuration = Configuration::resolve(&self.policy.choice(), paths, settings)?;
        configuration.keep_findings(self.max_findings);
        if self.destinations().iter().any(|one| one.format.shows_fixes()) {
            configuration.resolve_fixes();
        }
        Ok(configuration)
    }

    /// Shows what is configured, if that is asked for; whether it was.
    pub(crate) fn show_configuration(
        &self,
        configuration: &Configuration,
        settings: &Settings,
    ) -> Result<bool, Failure> {
        if self.policy.show_config {
            let file = self.output_file.as_deref();
            write_output(settings, file, |out| Ok(configuration.show(&mut terminal::text_to(out, file))?))?;
        }
        Ok(self.policy.show_config)
    }

    /// Writes the findings of everything that was checked; the exit code.
    pub(crate) fn write(&self, checked: &[CheckedCatalog], settings: &Settings) -> Result<u8, Failure> {
        if let (Some(path), false) = (&self.policy.write_baseline, settings.quiet) {
            let written = checked.iter().flat_map(|catalog| &catalog.report.set_aside);
            let count = written.filter(|finding| finding.cause == Cause::Baselined).count();
            terminal::tell(format_args!("wrote {} with {}", path.display(), counted(count, "finding")));
        }
        let summary = Summary::from_catalogs(checked);
        let code =
            if summary.errors > 0 || self.deny_warnings && summary.warnings > 0 { FINDINGS } else { CLEAN };
        let destinations = self.destinations();
        for Destination { format, file } in &destinations {
            let style = Style {
                color: file.is_none() && terminal::stdout_has_color(),
                quiet: settings.quiet,
                max_findings: self.max_findings,
                shard: self.shard.shard,
            };
            write_output(settings, *file, |out| Ok(write(*format, checked, style, out)?))?;
        }
        // Whoever looks at the terminal learns how it went although the findings are elsewhere.
        if destinations.iter().all(|one| one.file.is_some()) && !settings.quiet {
            terminal::tell(format_args!("{}", summary.line()));
        }
        // The user was warned of it. A path that is wrong in a pipeline must not pass where warnings do not.
        match checked.iter().find(|catalog| self.deny_warnings && catalog.is_empty()) {
            Some(empty) => {
                let shown = empty.reference.display();
                Err(Failure::refusal(format!("{shown} holds nothing to validate"))
                    .help("name the directory or file of a catalog, or leave out --deny-warnings"))
            }
            None => Ok(code),
        }
    }
}
