//! `fbc bundle validate`: every problem of bundle directories.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::checked::CheckedCatalog;
use fbc_app::input::bundle::{no_bundle, open};
use fbc_bundle::BundleContents;
use fbc_lint::fix::Source;
use fbc_lint::{Policy, Report, Targets};
use fbc_model::tree::Tree;
use fbc_rules::lint_bundle;
use fbc_source::CatalogSource;
use rayon::prelude::*;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::fixing::{FixArguments, Fixing};
use crate::registry::ImageArguments;
use crate::report::ReportArguments;
use crate::settings::Settings;

/// Report every problem of bundle directories
///
/// A bundle directory has the directories `manifests` and `metadata`. Errors are what the validation of opm or
/// operator-sdk refuses; exits with 1 if there is one. Warnings are about what they accept although it can break
/// users; they do not fail the command unless `--deny-warnings` is given.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 no errors, 1 errors, with --deny-warnings also warnings, or with --diff a change, 2 could not run."
)]
pub(crate) struct Arguments {
    /// Bundle directories and images; each is validated on its own
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// The versions of Kubernetes that the bundle is for, such as 1.25,1.32; what they do not have, nor the
    /// Kubernetes in the OpenShift releases of --ocp, is an error
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = Targets::parse_kubernetes)]
    kubernetes: Vec<u64>,
    #[command(flatten)]
    fix: FixArguments,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    images: ImageArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    arguments.report.refuse_part_of_a_change(false, &arguments.fix)?;
    let session = arguments.images.session(&arguments.folders, settings);
    let folders = arguments.report.shard.part(arguments.folders.iter().collect());
    // All directories first: a typing error in the last should not show after minutes.
    let sources = folders.iter().map(|folder| open(folder, &session)).collect::<Result<Vec<_>, _>>()?;
    for (folder, source) in folders.iter().zip(&sources) {
        let has = |name: &str| source.is_folder(Path::new(name));
        if !has("manifests") && !has("metadata") {
            return Err(no_bundle(folder).into());
        }
    }
    let mut configuration = arguments.report.configuration(&arguments.folders, settings)?;
    if arguments.report.show_configuration(&configuration, settings)? {
        return Ok(CLEAN);
    }
    let policy = configuration.policy();
    let targets = policy.parameters.targets.iter();
    let openshift =
        targets.filter(|version| version.major == 4).map(|version| u64::from(version.minor)).collect();
    let targets = Targets { kubernetes: arguments.kubernetes.clone(), openshift };
    if arguments.fix.are_given() {
        let mut fixing = Fixing::default();
        for (folder, source) in folders.iter().zip(&sources) {
            let judge = |tree: &dyn Tree| -> Result<(Box<dyn Source>, Report), Failure> {
                let contents = BundleContents::read(tree);
                let mut report = lint_bundle(&contents, tree, &targets, policy);
                configuration.leave_counting(&mut report, source);
                Ok((Box::new(contents), report))
            };
            fixing.add(arguments.fix.run(folder, source, &judge, settings)?);
        }
        if arguments.fix.only_show() {
            if !settings.quiet {
                fixing.tell_nothing("fbc bundle validate");
            }
            return Ok(if fixing.has_changes { FINDINGS } else { CLEAN });
        }
    }
    let reports: Vec<(Report, BundleContents)> =
        sources.par_iter().map(|source| check(source, &targets, policy)).collect();
    let mut checked = Vec::new();
    for ((folder, source), (report, contents)) in folders.iter().zip(sources).zip(reports) {
        configuration.observe_files(&source, &[], contents.files.iter().map(|file| file.path.as_path()));
        let (reference, files) = (folder.to_path_buf(), contents.files.len());
        checked.push(CheckedCatalog { reference, source, report, files, packages: 0, bundles: 1 });
    }
    configuration.finish(&mut checked, arguments.report.shard.shard, settings)?;
    if settings.verbose {
        let mut err = crate::terminal::stderr();
        // What is said here is not worth failing for.
        let _ = checked.iter().try_for_each(|bundle| {
            writeln!(err, "read {} ({} files)", bundle.reference.display(), bundle.files)
        });
    }
    arguments.report.write(&checked, settings)
}

/// The findings of a bundle, and what lies in its directory.
fn check(source: &CatalogSource, targets: &Targets, policy: &Policy) -> (Report, BundleContents) {
    let tree = source.tree.as_ref();
    let contents = BundleContents::read(tree);
    (lint_bundle(&contents, tree, targets, policy), contents)
}
