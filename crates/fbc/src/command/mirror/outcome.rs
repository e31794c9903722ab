//! What a mirror came to: what was copied, what was not and why, and the manifests for the cluster.

use std::path::Path;

use super::{Arguments, warn};
use crate::arguments::Global;
use crate::count::counted;
use crate::failure::{CLEAN, COULD_NOT_RUN, FINDINGS, Failure};
use crate::manifest_yaml::write_yaml;
use crate::mirror::record::{self, Copied};
use crate::mirror::resources::{self, Wishes};
use crate::mirror::transfer::Done;
use crate::mirror::{Prefix, attached};
use crate::output_file::write_file;

/// Writes what follows from the copies, and tells what happened.
pub(super) fn finish(arguments: &Arguments, done: Done, global: Global) -> Result<u8, Failure> {
    let has_copied = !done.copied.is_empty();
    let is_whole = done.failed.is_empty();
    match (&arguments.to, &arguments.to_folder) {
        _ if !has_copied => {}
        (Some(prefix), _) => write_manifests(arguments, &done.copied, prefix)?,
        (None, Some(folder)) => {
            let failed = done.failed.iter().map(|(image, _)| image);
            let copied: Vec<Copied> = done.copied.iter().chain(&done.attached).cloned().collect();
            let failed = failed.chain(&done.withheld);
            record::write(folder, &copied, failed, &done.carried, arguments.since.is_some())?;
        }
        (None, None) => {}
    }
    for (image, failure) in &done.missing {
        warn(format_args!("{image} is left out: {}", failure.message()));
    }
    let (failed, missing) = (done.failed.len(), done.missing.len());
    for failure in one_for_each_cause(done.failed) {
        // Each is told; the exit code is that of all.
        let _ = failure.report();
    }
    if !done.withheld.is_empty() {
        let catalogs = counted(done.withheld.len(), "catalog");
        let failure = Failure::new(format!("{catalogs} not copied, because images are missing"));
        let failure = failure.help("run the command again: what is there already is not sent again");
        let _ = match arguments.skip_missing || arguments.from_folder.is_some() {
            true => failure,
            false => failure.help("--skip-missing does without images that do not exist"),
        }
        .report();
    }
    if !global.quiet {
        let failed = match failed + missing {
            0 => String::new(),
            failed => format!("; {} could not be copied", counted(failed, "image")),
        };
        crate::terminal::tell(format_args!(
            "copied {}: {} sent, {} there already{failed}",
            counted(done.copied.len(), "image"),
            counted(done.sent, "blob"),
            done.present,
        ));
        if !done.attached.is_empty() {
            crate::terminal::tell(format_args!("with them went {}", attached::in_words(&done.attached)));
        }
        match (&arguments.to, &arguments.to_folder) {
            (Some(_), _) if !has_copied => {
                crate::terminal::tell(format_args!("wrote no manifests, since nothing was copied"))
            }
            (Some(_), _) => {
                let incomplete = if is_whole { "" } else { "; they are incomplete, as the copies are" };
                crate::terminal::tell(format_args!(
                    "wrote the manifests to {}{incomplete}",
                    arguments.manifests.display()
                ));
            }
            (None, Some(folder)) if is_whole && has_copied => crate::terminal::tell(format_args!(
                "next: carry {0} to where the registry is, and run `fbc mirror --from-folder {0} --to HOST`",
                folder.display()
            )),
            (None, _) => {}
        }
    }
    Ok(match (is_whole, has_copied) {
        (true, true) => CLEAN,
        (true, false) if missing == 0 => CLEAN,
        (false, false) => COULD_NOT_RUN,
        _ => FINDINGS,
    })
}

/// One failure for all images that fail for the same cause, such as a registry that does not answer.
fn one_for_each_cause(failed: Vec<(String, Failure)>) -> Vec<Failure> {
    let mut by_cause: Vec<(String, Failure)> = Vec::new();
    for (image, failure) in failed {
        let cause = failure.cause();
        match by_cause.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, first)) => first.add_detail(format!("  also {image}")),
            None => by_cause.push((cause, failure.within(&image))),
        }
    }
    by_cause.into_iter().map(|(_, failure)| failure).collect()
}

fn write_manifests(arguments: &Arguments, copied: &[Copied], prefix: &Prefix) -> Result<(), Failure> {
    let folder: &Path = &arguments.manifests;
    std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    let wishes = Wishes { catalog_reference: arguments.catalog_ref, source_policy: arguments.icsp };
    let by_tag = copied.iter().filter(|one| one.catalog.is_none());
    let by_tag = by_tag.filter_map(Copied::source).filter(|source| source.digest().is_none()).count();
    if arguments.icsp && by_tag > 0 {
        let images = counted(by_tag, "image");
        warn(format_args!(
            "an ImageContentSourcePolicy redirects digests alone: {images} named by tag will not be redirected"
        ));
    }
    for (name, manifest) in resources::manifests(copied, prefix, wishes) {
        write_file(&folder.join(name), |out| write_yaml(&[manifest], out))?;
    }
    Ok(())
}
