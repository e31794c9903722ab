//! What a run of `fbc mirror` says: the plan, warnings, what happened, and the manifests for the cluster.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use fbc_app::count::counted;
use fbc_app::output::file::{replace_files, root_for};
use fbc_mirror::plan::Content;
use fbc_mirror::record::{Copied, Document};
use fbc_mirror::resources::{self, ManifestOptions, Written};
use fbc_mirror::run::Done;
use fbc_mirror::{Place, Plan, Prefix, attached};
use fbc_source::Error;

use super::Arguments;
use crate::failure::{CLEAN, COULD_NOT_RUN, FINDINGS, Failure, WARNING};
use crate::output::manifest::write_yaml;
use crate::settings::Settings;
use crate::terminal;

/// Says where clusters find something else at the destination than at the source.
pub(super) fn warn_of_parts(plan: &Plan, arguments: &Arguments) {
    for catalog in &plan.catalogs {
        let original = catalog.source.as_ref().filter(|source| {
            matches!(catalog.content, Content::Blobs(..)) && catalog.place == Place::of_catalog(source)
        });
        if let Some(source) = original {
            Failure::new(format!(
                "{} becomes a part of {source} under the same tag: who looks for the whole catalog finds the part",
                catalog.place
            ))
            .help("--target-catalog REPOSITORY:TAG gives the part a name of its own")
            .warn();
        }
    }
    if let Some(platform) = &arguments.platform {
        warn(format_args!(
            "images for several platforms are copied for {platform} alone: their digests change, and neither references by \
             digest nor signatures of the index find the copies"
        ));
    }
}

/// What a plan copies: source and place.
pub(super) fn lines(plan: &Plan) -> Vec<(String, String)> {
    let images = plan.images.iter().map(|(name, (_, place))| (name.clone(), place.to_string()));
    let catalogs = plan.catalogs.iter().map(|catalog| {
        let source = catalog.source.as_ref().map(ToString::to_string);
        let source = match &catalog.content {
            Content::Whole(image) => source.unwrap_or_else(|| image.to_string()),
            Content::File(image) => image.to_string(),
            Content::Folder(folder, _) => folder.display().to_string(),
            Content::Blobs(blobs, image) => {
                let image = source.or_else(|| image.as_ref().map(ToString::to_string));
                let from = image.map(|image| format!(" of {image}")).unwrap_or_default();
                format!("a catalog with {}{from}", counted(blobs.bundles.len(), "bundle"))
            }
        };
        (source, catalog.place.to_string())
    });
    images.chain(catalogs).collect()
}

/// What a directory holds: source and place. What comes from no registry is named as it lies there.
pub(super) fn lines_of_folder(folder: &Path, document: &Document) -> Vec<(String, String)> {
    let line = |one: &Copied| {
        let place = one.place().to_string();
        let source = one.source.clone().unwrap_or_else(|| format!("oci:{}:{place}", folder.display()));
        (source, place)
    };
    document.images.iter().map(line).collect()
}

/// Prints what would be copied.
pub(super) fn plan(lines: Vec<(String, String)>, prefix: Option<&Prefix>) -> Result<u8, Failure> {
    let mut out = terminal::text();
    for (source, place) in lines {
        let place = prefix.map_or_else(|| place.clone(), |prefix| prefix.below(&place));
        writeln!(out, "{source} -> {place}")?;
    }
    out.flush()?;
    Ok(CLEAN)
}

/// Writes the manifests that follow from the copies, and tells what happened.
pub(super) fn finish(
    arguments: &Arguments,
    mut done: Done,
    written: &Written,
    settings: &Settings,
) -> Result<u8, Failure> {
    let has_copied = !done.copied.is_empty();
    let is_whole = done.failed.is_empty();
    if let Some(prefix) = arguments.to.as_ref().filter(|_| has_copied) {
        write_manifests(arguments, &done.copied, prefix, written, settings)?;
    }
    let missing = done.missing.len();
    let exit = match (is_whole, has_copied) {
        (true, true) => CLEAN,
        (true, false) if missing == 0 => CLEAN,
        (false, false) => COULD_NOT_RUN,
        _ => FINDINGS,
    };
    for text in &done.warnings {
        warn(format_args!("{text}"));
    }
    let missing_images = done.missing.iter().cloned();
    missing_images
        .for_each(|(image, error)| Failure::from(error.within(&format!("{image} is left out"))).warn());
    let log = write_log(arguments, &done, settings)?;
    let failed = std::mem::take(&mut done.failed);
    let number = failed.len();
    for (image, error) in failed {
        // Each is told; the exit code is that of all.
        let _ = Failure::from(error.within(&image)).report();
    }
    if !done.withheld.is_empty() {
        let catalogs = counted(done.withheld.len(), "catalog");
        let failure = Failure::new(format!("{catalogs} not copied, because images are missing"));
        let help = "run the command again to try once more, or add --skip-missing to do without images that do not exist";
        let _ = failure.help(help).report();
    }
    if !settings.quiet {
        tell(arguments, &done, number, log.as_deref());
    }
    Ok(exit)
}

/// Says what was copied, and what to do next.
fn tell(arguments: &Arguments, done: &Done, failed: usize, log: Option<&Path>) {
    let say = crate::terminal::tell;
    let (is_whole, has_copied) = (failed == 0, !done.copied.is_empty());
    let failed = match failed + done.missing.len() {
        0 => String::new(),
        failed => {
            let log = log.map(|log| format!(", see {}", log.display())).unwrap_or_default();
            format!("; {} could not be copied{log}", counted(failed, "image"))
        }
    };
    let carried = done.copied.iter().filter(|one| one.is_carried).count();
    let there = done.copied.len() - carried - done.new;
    let there = if there == 0 { String::new() } else { format!(", {there} there already") };
    say(format_args!(
        "copied {}{there}: {} sent, {} there already{failed}",
        counted(done.new, "image"),
        counted(done.sent, "blob"),
        done.present,
    ));
    let attached: Vec<&Copied> = done.attached.iter().filter(|one| !one.is_carried).collect();
    if !attached.is_empty() {
        say(format_args!("with them went {}", attached::in_words(&attached)));
    }
    if let Some(since) = &arguments.since {
        let since = since.display();
        say(format_args!("left out {} that {since} brought", counted(carried, "image")));
    }
    match (&arguments.to, &arguments.to_dir) {
        (Some(_), _) if !has_copied => say(format_args!("wrote no manifests, since nothing was copied")),
        (Some(_), _) => {
            let incomplete = if is_whole { "" } else { "; they are incomplete, as the copies are" };
            say(format_args!("wrote the manifests to {}{incomplete}", arguments.manifests.display()));
        }
        (None, Some(folder)) if is_whole && done.has_news() => say(format_args!(
            "next: carry {0} to where the registry is, and run `fbc mirror --from-dir {0} --to HOST`",
            folder.display()
        )),
        (None, Some(folder)) if is_whole && has_copied => {
            say(format_args!("wrote nothing to {}, since nothing is new", folder.display()))
        }
        (None, _) => {}
    }
}

/// The file that says what was not copied, and why.
const LOG: &str = "mirror-errors.txt";

/// Writes what was not copied, and why, beside the manifests or into the directory; its path. Without any of it, no such file
/// stays, and a run that copied nothing makes no directory for it.
fn write_log(arguments: &Arguments, done: &Done, settings: &Settings) -> Result<Option<PathBuf>, Failure> {
    let folder = match (&arguments.to, &arguments.to_dir) {
        (None, Some(folder)) => folder,
        _ => &arguments.manifests,
    };
    let path = folder.join(LOG);
    let entry = |(image, error): &(String, Error)| format!("{image}: {}\n", error.message_and_details());
    let mut text: String = done.failed.iter().chain(&done.missing).map(entry).collect();
    let withheld = |catalog: &String| format!("{catalog}: not copied, because images are missing\n");
    text.extend(done.withheld.iter().map(withheld));
    let is_needless = match text.is_empty() {
        true => !path.exists(),
        false => done.copied.is_empty() && !folder.exists(),
    };
    if is_needless {
        return Ok(None);
    }
    let bytes = (!text.is_empty()).then_some(text.as_bytes());
    replace_files(&root_for(folder, settings)?, [(Path::new(LOG), bytes)])?;
    Ok(bytes.map(|_| path))
}

/// What is told here is not worth failing for.
pub(super) fn warn(text: std::fmt::Arguments<'_>) {
    crate::terminal::tell(format_args!("{WARNING}warning{WARNING:#}: {text}"));
}

fn write_manifests(
    arguments: &Arguments,
    copied: &[Copied],
    prefix: &Prefix,
    written: &Written,
    settings: &Settings,
) -> Result<(), Failure> {
    let root = root_for(&arguments.manifests, settings)?;
    let options =
        ManifestOptions { catalog_reference: arguments.catalog_ref.into(), source_policy: arguments.icsp };
    let by_tag = copied.iter().filter(|one| one.catalog.is_none());
    let by_tag = by_tag.filter_map(Copied::source).filter(|source| source.digest().is_none()).count();
    if arguments.icsp && by_tag > 0 {
        let images = counted(by_tag, "image");
        warn(format_args!(
            "an ImageContentSourcePolicy redirects digests alone: {images} named by tag will not be redirected"
        ));
    }
    let mut files = Vec::new();
    for (name, manifest) in resources::manifests(copied, prefix, options, written) {
        let mut text = Vec::new();
        write_yaml(&[manifest], &mut text)?;
        files.push((name, text));
    }
    Ok(replace_files(&root, files.iter().map(|(name, text)| (Path::new(name), Some(text.as_slice()))))?)
}
