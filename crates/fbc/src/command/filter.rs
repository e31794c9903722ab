//! `fbc filter`: a smaller catalog that is still valid.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};
use fbc_app::checked;
use fbc_app::event::Event;
use fbc_app::filter::folder;
use fbc_app::filter::refusal::error_of;
use fbc_app::filter::selection::{self, ChannelOfPackage, PackageWord, VersionOfPackage};
use fbc_app::input::other::{refuse_at_sight, refuse_without_blobs, warn_of_nothing};
use fbc_app::loading::open_as_one;
use fbc_app::loading::{self, load_tree};
use fbc_app::output::directory::{Existing, check_free};
use fbc_graph::filter::{Filtered, filter};
use fbc_lint::Profile;
use fbc_model::render::{MigrateLevel, prepare};

use crate::arguments::CATALOG;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::filter_words;
use crate::output;
use crate::output::catalog::OutputFormat;
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Make a smaller catalog that is still valid
///
/// Keeps the packages that are named, and of each the channels and versions that are named. Where what is
/// wanted of a channel would have several heads, the entries between are kept too. Edges to entries that are
/// left out stay: the format permits them, and whoever has such a version installed upgrades by them.
/// Bundles in no kept channel go, and so do deprecations of what goes; other blobs of a package stay.
///
/// The result is validated before anything is written; a selection that gives no valid catalog is refused.
/// Standard error lists what was left out, from which versions the head can no longer be reached, and
/// which required packages and APIs are no longer provided.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("selection").args(["package", "heads_only"]).required(true).multiple(true))]
pub(crate) struct Arguments {
    #[arg(help = CATALOG, value_name = "REF", value_hint = ValueHint::AnyPath)]
    reference: PathBuf,
    /// Keep a package, one channel of it, or the versions of a channel that are in a range; P::RANGE means
    /// the range in every channel. Several of one package add up
    #[arg(short, long, value_name = "P[:CHANNEL[:RANGE]]", value_parser = PackageWord::parse)]
    package: Vec<PackageWord>,
    /// Keep only the head of each channel that is kept without a range; without --package, of all packages
    #[arg(long, conflicts_with = "keep_path_from")]
    heads_only: bool,
    /// Keep only what leads from this version to the head of each channel that is kept without a range
    #[arg(long, value_name = "[P=]VERSION", value_parser = VersionOfPackage::parse)]
    keep_path_from: Vec<VersionOfPackage>,
    /// Make a channel the default of a package
    #[arg(long, value_name = "P=CHANNEL", value_parser = ChannelOfPackage::parse)]
    default_channel: Vec<ChannelOfPackage>,
    /// The format to write [default: yaml in a directory and for a file named .yaml or .yml, else json]
    #[arg(short, long, alias = "format", value_enum, value_name = "FORMAT", hide_possible_values = true)]
    output: Option<OutputFormat>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "output_dir")]
    output_file: Option<PathBuf>,
    /// Write a directory for each package into this directory, which must be empty or absent
    #[arg(long, alias = "output-folder", value_name = "DIR", value_hint = ValueHint::DirPath)]
    output_dir: Option<PathBuf>,
    /// Write into a directory that is not empty; nothing is deleted, catalogs of the same packages are replaced
    #[arg(long, requires = "output_dir")]
    force: bool,
    #[command(flatten)]
    images: ImageArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.reference], settings);
    let selection = |words: &[PackageWord]| {
        let (paths, defaults) = (&arguments.keep_path_from, &arguments.default_channel);
        selection::selection(words, arguments.heads_only, paths, defaults)
    };
    let named = match arguments.package.as_slice() {
        [] => None,
        words => Some(selection(words)?),
    };
    let existing = if arguments.force { Existing::Fill } else { Existing::Keep };
    if let Some(path) = &arguments.output_dir {
        check_free(path, existing)?;
    }
    let source = open_as_one(&arguments.reference, &session, settings)?;
    refuse_at_sight(&source, &arguments.reference, &settings.reading())?;
    let catalog = load_tree(source.tree.as_ref(), settings)?;
    refuse_without_blobs(&source, &catalog, &arguments.reference)?;
    warn_of_nothing(&catalog, &arguments.reference, settings);
    if !catalog.faults.is_empty() {
        loading::tell_faults(&arguments.reference, source, &catalog, settings);
        return Ok(FINDINGS);
    }
    let selection = match named {
        Some(selection) => selection,
        None => selection(&PackageWord::every(&catalog))?,
    };
    let Filtered { catalog: mut filtered, changes } = match filter(&catalog, &selection) {
        Ok(filtered) => filtered,
        Err(refusals) => {
            for refusal in &refusals {
                // Each tells its own exit code, which is that of all.
                settings.tell(Event::Refusal(error_of(refusal, &catalog)));
            }
            return Ok(FINDINGS);
        }
    };
    if !checked::tell_errors(
        &fbc_app::checked::check_loaded(&arguments.reference, source, &filtered, Profile::Opm),
        settings,
    ) {
        let help = "fix these first; `fbc validate` shows them with their lines";
        return Err(checked::part_not_valid().help(help).into());
    }
    prepare(&mut filtered, MigrateLevel::None).map_err(|error| output::catalog::migration_failure(&error))?;
    if !settings.quiet {
        filter_words::changes(&changes, &catalog, settings.verbose);
    }
    match &arguments.output_dir {
        Some(path) => folder::write(
            &filtered,
            path,
            arguments.output.unwrap_or(OutputFormat::Yaml).into(),
            existing,
            settings,
        )?,
        None => write_output(settings, arguments.output_file.as_deref(), |out| {
            let format = OutputFormat::of(arguments.output, arguments.output_file.as_deref());
            output::catalog::write(&filtered, format.into(), out, settings)
        })?,
    }
    Ok(CLEAN)
}
