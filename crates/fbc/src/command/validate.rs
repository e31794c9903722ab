//! `fbc validate`: every problem of one or several catalogs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::checked::CheckedCatalog;
use fbc_app::checked::checked;
use fbc_app::configuration::Configuration;
use fbc_app::input::other::{refuse_at_sight, refuse_other_documents};
use fbc_app::layout::{self, Meant};
use fbc_app::loading::load_for_rules;
use fbc_app::shard::Shard;
use fbc_lint::Report;
use fbc_lint::fix::Source;
use fbc_lint::image_facts::CatalogImage;
use fbc_model::tree::Tree;
use fbc_source::image_evidence::ImageEvidence;
use fbc_source::{CatalogSource, Session};

use crate::arguments::CATALOGS;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::fixing::{FixArguments, Fixing};
use crate::image_evidence::EvidenceArguments;
use crate::registry::ImageArguments;
use crate::report::ReportArguments;
use crate::settings::Settings;

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
#[command(
    after_help = "Exit codes: 0 no errors, 1 errors, with --deny-warnings also warnings, or with --diff a change, 2 could not run."
)]
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

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let references = arguments.paths.iter().chain(&arguments.base).chain(arguments.evidence.index());
    let session = arguments.images.session(references, settings);
    if arguments.paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new("standard input is given twice").help("give `-` once"));
    }
    arguments.report.check_outputs()?;
    let mut configuration = arguments.report.configuration(&arguments.paths, settings)?;
    if arguments.report.show_configuration(&configuration, settings)? {
        return Ok(CLEAN);
    }
    arguments.report.refuse_part_of_a_change(arguments.base.is_some(), &arguments.fix)?;
    let expanded = match &arguments.base {
        Some(_) => Vec::new(),
        None => layout::expand(&arguments.paths, settings)?,
    };
    if arguments.fix.are_given() {
        if arguments.base.is_some() {
            return Err(Failure::new("--base looks at a change, and --fix at whole catalogs")
                .help("run `fbc validate --fix` without --base"));
        }
        let mut fixing = Fixing::default();
        for catalog in &expanded {
            fixing.add(fix(&catalog.path, &arguments.fix, &configuration, &session, settings)?);
        }
        if arguments.fix.only_show() {
            if !settings.quiet {
                fixing.tell_nothing("fbc validate");
            }
            return Ok(if fixing.has_changes { FINDINGS } else { CLEAN });
        }
    }
    let mut catalogs = match &arguments.base {
        Some(base) => fbc_app::base::check(base, &arguments.paths, &mut configuration, &session, settings)?,
        None => {
            let evidence = arguments.evidence.read(&session, settings)?;
            let catalogs = arguments.report.shard.part(expanded);
            let mut checked = check_all(&catalogs, &mut configuration, &evidence, &session, settings)?;
            if arguments.report.shard.shard.is_none_or(Shard::is_last) {
                for path in &arguments.paths {
                    checked.extend(dockerfiles::check(path, configuration.policy(), settings)?);
                }
            }
            checked
        }
    };
    configuration.finish(&mut catalogs, arguments.report.shard.shard, settings)?;
    arguments.report.write(&catalogs, settings)
}

/// Fixes a catalog in place, or shows the changes.
fn fix(
    reference: &Path,
    fix: &FixArguments,
    configuration: &Configuration,
    session: &Session,
    settings: &Settings,
) -> Result<Fixing, Failure> {
    let source = CatalogSource::open(reference, session)?;
    refuse_at_sight(&source, reference, &settings.reading())?;
    let policy = configuration.policy_for(reference, &source);
    let judge = |tree: &dyn Tree| -> Result<(Box<dyn Source>, Report), Failure> {
        let catalog = load_for_rules(tree, settings)?;
        let mut report = fbc_rules::lint_under(&catalog, tree, &policy);
        configuration.leave_counting(&mut report, &source);
        Ok((Box::new(catalog), report))
    };
    fix.run(reference, &source, &judge, settings)
}

fn check_all(
    catalogs: &[Meant],
    configuration: &mut Configuration,
    evidence: &ImageEvidence,
    session: &Session,
    settings: &Settings,
) -> Result<Vec<CheckedCatalog>, Failure> {
    // All paths first: a typing error in the last should not show after minutes.
    let sources: Vec<(&Path, CatalogSource)> = catalogs
        .iter()
        .map(|catalog| Ok((catalog.path.as_path(), CatalogSource::open(&catalog.path, session)?)))
        .collect::<Result<_, Failure>>()?;
    sources.iter().try_for_each(|(path, source)| refuse_at_sight(source, path, &settings.reading()))?;
    for catalog in catalogs {
        if !catalog.releases.is_empty() {
            configuration.observe_targets(&catalog.path, catalog.releases.clone());
        }
        if let Some(target) = catalog.target(None) {
            configuration.observe_place(&catalog.path, target);
        }
    }
    let check = |(path, source): (&Path, _)| check(path, source, configuration, evidence, session, settings);
    sources.into_iter().map(check).collect()
}

/// Loads and checks a catalog. Only the findings stay in memory, and the files that they are in.
pub(crate) fn check(
    reference: &Path,
    source: CatalogSource,
    configuration: &mut Configuration,
    evidence: &ImageEvidence,
    session: &Session,
    settings: &Settings,
) -> Result<CheckedCatalog, Failure> {
    let catalog = load_for_rules(source.tree.as_ref(), settings)?;
    if !configuration.is_as_opm() {
        refuse_other_documents(&source, &catalog, reference, settings)?;
    }
    if settings.verbose {
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
    let facts = evidence.facts(&source, &catalog, configuration.policy(), session)?;
    if let Some(Ok(targets)) = facts.image.as_ref().map(CatalogImage::targets) {
        configuration.observe_targets(reference, targets);
    }
    let policy = configuration.policy_for(reference, &source);
    let report = fbc_rules::lint_with(&catalog, source.tree.as_ref(), &policy, facts);
    Ok(checked(reference, source, &catalog, report))
}
