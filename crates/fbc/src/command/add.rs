//! `fbc add`: a bundle into channels of a catalog, in the text of its files.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use fbc_app::addition::{Added, Addition, Edges, add};
use fbc_bundle::ImageTemplate;

use crate::edit_outcome::{Outcome, complete};
use crate::failure::{FINDINGS, Failure};
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Add a bundle to channels of a catalog, in place
///
/// The bundle goes after the others of its package, in the format of their file, and an entry into each
/// channel, where the order of the entries has its place. Comments, order and layout of everything else
/// stay. A bundle that the catalog has already only gets the entries (promotion). Nothing is written if the
/// edited catalog would have an error that it did not have before. A template gets the image of the bundle, and a basic
/// one the entries; a semver template has the channels candidate, fast and stable, and no edges.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A bundle directory, an image of one, a catalog file with one bundle (such as `fbc render` writes), or the name of a
    /// bundle that the catalog has
    #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    bundle: PathBuf,
    /// The catalog: a directory, a file, or a template
    #[arg(value_name = "CATALOG", value_hint = ValueHint::AnyPath)]
    catalog: PathBuf,
    /// A channel that gets an entry; can be repeated, or separated by commas
    #[arg(long = "channel", value_name = "NAME", required = true, value_delimiter = ',',
          value_parser = NonEmptyStringValueParser::new())]
    channels: Vec<String>,
    /// Create channels that do not exist
    #[arg(long)]
    create_channel: bool,
    /// The image of a bundle directory
    #[arg(long, value_name = "REFERENCE", conflicts_with = "image_ref_template")]
    image: Option<String>,
    /// Name the image of a bundle directory, such as `quay.io/me/{{.Package}}:v{{.Version}}`; also {{.Name}}
    #[arg(long, value_name = "TEMPLATE", value_parser = ImageTemplate::parse)]
    image_ref_template: Option<ImageTemplate>,
    /// Bring the bundle up to date (`olm.csv.metadata`) even if the others of the package are not; the first bundle of a
    /// package is, in a directory of a repository that is named after OpenShift 4.17 or later, such as `v4.20`
    #[arg(long)]
    migrate: bool,
    #[command(flatten)]
    outcome: Outcome,
    #[command(flatten)]
    edges: EdgeArguments,
    /// An entry, by its name or version, that is newer and skips the bundle from now on, such as 1.3.0 for 1.2.4 that
    /// comes after it
    #[arg(long, value_name = "NAME")]
    skipped_by: Vec<String>,
    #[command(flatten)]
    images: ImageArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.bundle], settings);
    let addition = Addition {
        bundle: arguments.bundle.clone(),
        catalog: arguments.catalog.clone(),
        channels: arguments.channels.clone(),
        create_channel: arguments.create_channel,
        image: arguments.image.clone(),
        image_ref_template: arguments.image_ref_template.clone(),
        migrate: arguments.migrate,
        edges: arguments.edges.edges(),
        skipped_by: arguments.skipped_by.clone(),
        edits_in_place: arguments.outcome.edits_in_place(),
    };
    let Some(Added { edit, edited, done, advice }) = add(&addition, &session, settings)? else {
        return Ok(FINDINGS);
    };
    complete(edit, edited, &arguments.outcome, &done, &advice, settings)
}

/// The edges of the new entries.
#[derive(Args, Debug)]
#[command(next_help_heading = "Edges [default: those that the bundle itself declares]")]
struct EdgeArguments {
    /// The entry that the new ones come after, by its name or version
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// An entry, by its name or version, that upgrades to the new ones as well, and that nobody should be on; may be given
    /// several times
    #[arg(long, value_name = "NAME")]
    skips: Vec<String>,
    /// The range of versions that upgrade to the new ones as well
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,
    /// Add the entries without edges
    #[arg(long = "no-edges", conflicts_with_all = ["replaces", "skips", "skip_range"])]
    none: bool,
}

impl EdgeArguments {
    /// What the flags say.
    fn edges(&self) -> Edges {
        Edges {
            replaces: self.replaces.clone(),
            skips: self.skips.clone(),
            skip_range: self.skip_range.clone(),
            none: self.none,
        }
    }
}
