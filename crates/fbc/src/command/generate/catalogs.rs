//! `fbc generate`: the catalogs and Dockerfiles of every release, from the templates of a repository.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::generation::{Run, entries};
use fbc_app::layout::repository_tree;
use fbc_model::overlay_tree::FileVersions;
use fbc_repository::CONFIGURATION;
use fbc_version::OpenShiftRelease;

use super::files::{describe_changes, describe_unknown, write_all};
use super::new_release;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_map::ImageMapArguments;
use crate::policy_arguments::ocp_version;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// What is generated, and where.
#[derive(Args, Debug)]
#[group(id = "matrix")]
pub(super) struct Arguments {
    /// The root of the repository
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    repository: PathBuf,
    /// Only for these OpenShift releases
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = ocp_version)]
    ocp: Vec<OpenShiftRelease>,
    /// Write nothing; exit with 1 if something is not what it would be
    #[arg(long)]
    check: bool,
    /// Pull all bundles; without it, bundles that are named by digest and that a catalog of the repository holds
    /// already are taken from there
    #[arg(long)]
    fresh: bool,
    /// Add an OpenShift release: copy what the release before it has, Dockerfiles, templates and catalogs
    #[arg(long, value_name = "VERSION", value_parser = ocp_version, conflicts_with_all = ["ocp", "check", "fresh"])]
    new_ocp: Option<OpenShiftRelease>,
    #[command(flatten)]
    image_map: ImageMapArguments,
    #[command(flatten)]
    images: ImageArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let root = arguments.repository.as_path();
    if let Some(release) = arguments.new_ocp {
        return new_release::add(root, release, settings);
    }
    let tree = repository_tree(root, settings)?;
    let entries = entries(tree.as_ref(), root)?;
    let session = arguments.images.session_for_files(settings)?;
    let images = arguments.image_map.read()?;
    let mut run = Run::new(root, arguments.fresh, tree.as_ref(), &session, &images);
    let mut stale = FileVersions::new();
    let mut told = Vec::new();
    let mut errors = Vec::new();
    let mut is_stale = false;
    let mut catalogs = 0;
    for (entry, cell) in
        entries.iter().flat_map(|entry| entry.cells().into_iter().map(move |cell| (entry, cell)))
    {
        let is_meant = arguments.ocp.is_empty() || cell.is_some_and(|cell| arguments.ocp.contains(&cell));
        let makes_something =
            entry.template.is_some() || entry.dockerfile.is_some() && entry.base_image(cell).is_some();
        if !is_meant || !makes_something {
            continue;
        }
        catalogs += 1;
        match run.check(entry, cell, settings) {
            Ok(files) => {
                told.extend(describe_changes(entry, cell, &files, arguments.check));
                stale.extend(files);
            }
            // One that cannot be expanded says nothing of the others.
            Err(unknown) if arguments.check => {
                is_stale |= unknown.not_held.is_some();
                told.push(describe_unknown(entry, cell, &unknown));
                if unknown.not_held.is_none() {
                    errors.push(unknown.error);
                }
            }
            Err(unknown) => return Err(unknown.error.into()),
        }
    }
    let strays = run.strays(&entries);
    told.extend(
        strays.iter().map(|path| {
            format!("{} lies beside a generated catalog, and no template makes it", path.display())
        }),
    );
    is_stale |= !(stale.is_empty() && strays.is_empty());
    if catalogs == 0 {
        return Err(Failure::refusal(format!("{} has nothing to generate for what is asked", root.display()))
            .help(format!(
                "`fbc repository` shows what is found; {CONFIGURATION} can name a `template`, or `dockerfile` and `base-image`"
            )));
    }
    if !arguments.check {
        write_all(root, &stale, settings)?;
    }
    for line in told.iter().filter(|_| !settings.quiet) {
        terminal::tell(format_args!("{line}"));
    }
    match (arguments.check && is_stale, errors.into_iter().next()) {
        (true, _) => Ok(FINDINGS),
        (false, Some(error)) => Err(error.into()),
        (false, None) => Ok(CLEAN),
    }
}
