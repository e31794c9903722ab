//! `fbc validate`: every problem of one or several catalogs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_lint::Report;
use fbc_lint::fix::Source;
use fbc_lint::image_facts::CatalogImage;
use fbc_lint::policy::set_aside::Cause;
use fbc_model::tree::Tree;
use fbc_source::{CatalogSource, Session};

use crate::arguments::{CATALOGS, Global};
use crate::checking::checked;
use crate::configuration::{Configuration, PolicyArguments};
use crate::count::counted;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::fixing::FixArguments;
use crate::image_evidence::{Evidence, EvidenceArguments};
use crate::layout::{self, Meant};
use crate::loading::load_for_rules;
use crate::other_input::{refuse_at_sight, refuse_other_documents};
use crate::output_file::write_output;
use crate::output_format::{Destination, OutputParser, OutputValue};
use crate::registry::ImageArguments;
use crate::report::{self, CheckedCatalog, Format, Style, Summary};
use crate::shard::ShardArgument;
use crate::terminal;

mod base;
mod dockerfiles;

/// Report every problem of catalogs
///
/// The root of a repository, or a directory of catalogs, one for each OpenShift release
/// (`catalogs/v4.18/<package>/`), is taken for the catalogs in it, each validated on its own and for the releases
/// that it is for; `fbc repository` shows them.
///
/// Exits with 1 if there is an error. Warnings are about what opm accepts although it can break users; they
/// do not fail the command unless `--deny-warnings` is given.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[arg(help = format!("{CATALOGS}; each is validated on its own"), value_name = "PATH", default_value = ".", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Report only what the change since a revision or directory brings: new findings, and what it breaks
    ///
    /// A revision is compared where the history of HEAD left it; a directory is the older state of PATH. What is
    /// both is a revision as `REV:` and a directory as `./DIR`.
    #[arg(long, visible_alias = "changed-since", value_name = "REV_OR_DIR", conflicts_with = "write_baseline", value_hint = ValueHint::AnyPath)]
    base: Option<PathBuf>,
    #[command(flatten)]
    fix: FixArguments,
    #[command(flatten)]
    evidence: EvidenceArguments,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    images: ImageArguments,
}

/// What counts, and how it is told.
#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// How findings are written; FORMAT=FILE writes to a file, and may be given several times [default: full]
    #[arg(short, long, alias = "format", value_parser = OutputParser::<Format>::new(), value_name = "FORMAT[=FILE]")]
    output: Vec<OutputValue<Format>>,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Show no more findings than this; the exit code and the summary count all
    ///
    /// Of each rule 10,000 findings are kept unless this asks for more.
    #[arg(long, value_name = "N")]
    max_findings: Option<usize>,
    /// Exit with 1 for warnings too
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    pub(crate) shard: ShardArgument,
}

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    let references = arguments.paths.iter().chain(&arguments.base).chain(arguments.evidence.index());
    let session = arguments.images.session(references);
    if arguments.paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new("standard input is given twice").help("give `-` once"));
    }
    OutputValue::check(&arguments.report.output)?;
    let mut configuration = arguments.report.configuration(&arguments.paths)?;
    if arguments.report.show_configuration(&configuration)? {
        return Ok(CLEAN);
    }
    arguments.report.refuse_part_of_a_change(arguments.base.is_some(), &arguments.fix)?;
    if arguments.fix.are_given() {
        if arguments.base.is_some() {
            return Err(Failure::new("--base looks at a change, and --fix at whole catalogs")
                .help("run `fbc validate --fix` without --base"));
        }
        let mut changes = false;
        for catalog in &layout::expand(&arguments.paths, global) {
            changes |= fix(&catalog.path, &arguments.fix, &configuration, &session, global)?;
        }
        if arguments.fix.only_show() {
            return Ok(if changes { FINDINGS } else { CLEAN });
        }
    }
    let mut catalogs = match &arguments.base {
        Some(base) => base::check(base, &arguments.paths, &mut configuration, &session, global)?,
        None => {
            let evidence = Evidence::read(&arguments.evidence, &session)?;
            let catalogs = arguments.report.shard.part(layout::expand(&arguments.paths, global));
            let mut checked = check_all(&catalogs, &mut configuration, &evidence, &session, global)?;
            if arguments.report.shard.is_last() {
                let of = |path: &PathBuf| dockerfiles::check(path, configuration.policy());
                checked.extend(arguments.paths.iter().flat_map(of));
            }
            checked
        }
    };
    configuration.finish(&mut catalogs, arguments.report.shard)?;
    arguments.report.write(&catalogs, global)
}

/// Fixes a catalog in place, or shows the changes; whether there are any.
fn fix(
    reference: &Path,
    fix: &FixArguments,
    configuration: &Configuration,
    session: &Session,
    global: Global,
) -> Result<bool, Failure> {
    let source = CatalogSource::open(reference, session)?;
    refuse_at_sight(&source, reference)?;
    let policy = configuration.policy_for(reference, &source);
    let judge = |tree: &dyn Tree| -> Result<(Box<dyn Source>, Report), Failure> {
        let catalog = load_for_rules(tree)?;
        let mut report = fbc_lint::lint_under(&catalog, tree, &policy);
        configuration.leave_counting(&mut report, &source);
        Ok((Box::new(catalog), report))
    };
    fix.run(reference, &source, &judge, global.quiet)
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

    /// What is written where.
    fn destinations(&self) -> Vec<Destination<'_, Format>> {
        OutputValue::destinations(&self.output, self.output_file.as_ref())
    }

    /// What is configured for these paths.
    pub(crate) fn configuration(&self, paths: &[PathBuf]) -> Result<Configuration, Failure> {
        let mut configuration = Configuration::of(&self.policy, paths)?;
        configuration.keep_findings(self.max_findings);
        if self.destinations().iter().any(|one| one.format.shows_fixes()) {
            configuration.resolve_fixes();
        }
        Ok(configuration)
    }

    /// Shows what is configured, if that is asked for; whether it was.
    pub(crate) fn show_configuration(&self, configuration: &Configuration) -> Result<bool, Failure> {
        if self.policy.show_config {
            let file = self.output_file.as_deref();
            write_output(file, |out| Ok(configuration.show(&mut terminal::text_to(out, file))?))?;
        }
        Ok(self.policy.show_config)
    }

    /// Writes the findings of everything that was checked; the exit code.
    pub(crate) fn write(&self, checked: &[CheckedCatalog], global: Global) -> Result<u8, Failure> {
        if let (Some(path), false) = (&self.policy.write_baseline, global.quiet) {
            let written = checked.iter().flat_map(|catalog| &catalog.report.set_aside);
            let count = written.filter(|finding| finding.cause == Cause::Baselined).count();
            terminal::tell(format_args!("wrote {} with {}", path.display(), counted(count, "finding")));
        }
        let summary = Summary::of(checked);
        let code =
            if summary.errors > 0 || self.deny_warnings && summary.warnings > 0 { FINDINGS } else { CLEAN };
        let destinations = self.destinations();
        for Destination { format, file } in &destinations {
            let style = Style {
                color: file.is_none() && terminal::stdout_has_color(),
                quiet: global.quiet,
                max_findings: self.max_findings,
                shard: self.shard.shard,
            };
            match write_output(*file, |out| Ok(report::write(*format, checked, style, out)?)) {
                // The verdict holds even if nobody wants to read all of it.
                Err(failure) if failure.is_closed_output() => return Ok(code),
                written => written?,
            }
        }
        // Whoever looks at the terminal learns how it went although the findings are elsewhere.
        if destinations.iter().all(|one| one.file.is_some()) && !global.quiet {
            terminal::tell(format_args!("{}", summary.line()));
        }
        Ok(code)
    }
}

fn check_all(
    catalogs: &[Meant],
    configuration: &mut Configuration,
    evidence: &Evidence,
    session: &Session,
    global: Global,
) -> Result<Vec<CheckedCatalog>, Failure> {
    // All paths first: a typing error in the last should not show after minutes.
    let sources: Vec<(&Path, CatalogSource)> = catalogs
        .iter()
        .map(|catalog| Ok((catalog.path.as_path(), CatalogSource::open(&catalog.path, session)?)))
        .collect::<Result<_, Failure>>()?;
    sources.iter().try_for_each(|(path, source)| refuse_at_sight(source, path))?;
    for Meant { path, releases } in catalogs.iter().filter(|catalog| !catalog.releases.is_empty()) {
        configuration.observe_targets(path, releases.clone());
    }
    let check =
        |(path, source): (&Path, _)| check(path, source, configuration, evidence, session, global.verbose);
    sources.into_iter().map(check).collect()
}

/// Loads and checks a catalog. Only the findings stay in memory, and the files that they are in.
pub(crate) fn check(
    reference: &Path,
    source: CatalogSource,
    configuration: &mut Configuration,
    evidence: &Evidence,
    session: &Session,
    verbose: bool,
) -> Result<CheckedCatalog, Failure> {
    let catalog = load_for_rules(source.tree.as_ref())?;
    if !configuration.is_as_opm() {
        refuse_other_documents(&source, &catalog, reference)?;
    }
    if verbose {
        let mut err = crate::terminal::stderr();
        // What is said here is not worth failing for.
        let _ = catalog.files.iter().try_for_each(|file| {
            writeln!(err, "read {} ({} documents)", source.shown(&file.path).display(), file.documents.len())
        });
        let _ = catalog
            .ignored
            .iter()
            .try_for_each(|path| writeln!(err, "left out by .indexignore: {}", source.shown(path).display()));
    }
    configuration.observe(&source, &catalog);
    let facts = evidence.of(&source, &catalog, configuration.policy(), session)?;
    if let Some(Ok(targets)) = facts.image.as_ref().map(CatalogImage::targets) {
        configuration.observe_targets(reference, targets);
    }
    let policy = configuration.policy_for(reference, &source);
    let report = fbc_lint::lint_with(&catalog, source.tree.as_ref(), &policy, facts);
    Ok(checked(reference, source, &catalog, report))
}
