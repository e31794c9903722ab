//! `fbc list`: what is in a catalog, as a table.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fbc_app::checked;
use fbc_app::input::other::{refuse_at_sight, refuse_without_blobs, warn_of_nothing};
use fbc_app::layout::{self, Meant};
use fbc_app::listing::{DisplayNames, Listing, Table, list};
use fbc_app::loading::load_tree;
use fbc_app::loading::open_as_one;
use fbc_lint::Profile;
use fbc_version::OpenShiftRelease;
use serde_json::{Value, json};

use crate::arguments::CATALOG;
use crate::failure::{CLEAN, FINDINGS, Failure, closest};
use crate::package_argument::{PackageFilter, hint_if_swapped};
use crate::policy_arguments::ocp_version;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Cells of more characters do not widen their column: a list of skips may have thousands of names.
const WIDEST: usize = 200;

/// List packages, channels or bundles of a catalog
///
/// The tables equal those of `opm alpha list`. As in opm, the catalog must be valid.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Packages with their default channels
    Packages {
        #[command(flatten)]
        input: Input,
    },
    /// Channels with their heads
    Channels {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        package: PackageFilter,
    },
    /// Bundles in each channel, with their upgrade edges
    Bundles {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        package: PackageFilter,
    },
    /// Anything else: most likely the catalog itself.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

#[derive(Args, Debug)]
struct Input {
    #[arg(help = format!("{CATALOG}; or the root of a repository"), value_name = "REF", value_hint = ValueHint::AnyPath)]
    reference: PathBuf,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: ListFormat,
    /// Of a repository, only the catalogs for these OpenShift releases
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = ocp_version)]
    ocp: Vec<OpenShiftRelease>,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// A table
    #[default]
    Text,
    /// A JSON list of objects
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let (listing, name, input, package) = match &arguments.what {
        What::Packages { input } => (Listing::Packages, "packages", input, None),
        What::Channels { input, package } => (Listing::Channels, "channels", input, package.name()),
        What::Bundles { input, package } => (Listing::Bundles, "bundles", input, package.name()),
        What::Other(words) => return Err(not_a_list(words)),
    };
    let is_repository =
        !input.ocp.is_empty() || layout::is_repository(&input.reference, &settings.reading())?;
    let catalogs = match is_repository {
        true => layout::select(&input.reference, &input.ocp, &settings.reading())?,
        false => vec![Meant::of_path(&input.reference)],
    };
    let mut tables = Vec::new();
    for catalog in &catalogs {
        let path = &catalog.path;
        let table = table(path, input, listing, package, settings).map_err(|failure| match package {
            Some(package) => {
                hint_if_swapped(failure, path, package, &["list", name, package, &path.to_string_lossy()])
            }
            None => failure,
        });
        match table? {
            Some(table) => tables.push((catalog, table)),
            None => return Ok(FINDINGS),
        }
    }
    let mut out = terminal::stdout();
    match (input.output, tables.as_slice()) {
        (ListFormat::Text, tables) => {
            let mut out = terminal::text_to(&mut out, None);
            for (index, (catalog, table)) in tables.iter().enumerate() {
                if tables.len() > 1 {
                    writeln!(out, "{}{}", if index > 0 { "\n" } else { "" }, catalog.title())?;
                }
                table.write(WIDEST, &mut out)?;
            }
        }
        (ListFormat::Json, [(_, table)]) => writeln!(out, "{:#}", table.json())?,
        (ListFormat::Json, tables) => {
            let catalogs = tables.iter().map(|(catalog, table)| {
                let releases: Vec<String> = catalog.releases.iter().map(ToString::to_string).collect();
                json!({"catalog": catalog.path.display().to_string(), "releases": releases, "rows": table.json()})
            });
            writeln!(out, "{:#}", catalogs.collect::<Value>())?;
        }
    }
    out.flush()?;
    Ok(CLEAN)
}

/// The failure for what is neither packages, channels nor bundles.
fn not_a_list(words: &[OsString]) -> Failure {
    const KNOWN: [&str; 3] = ["packages", "channels", "bundles"];
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let failure = Failure::new(format!("`fbc list` takes `packages`, `channels` or `bundles`, not {word:?}"));
    match closest(&word, KNOWN) {
        Some(known) => failure.help(format!("did you mean `{known}`?")),
        None => failure.help(format!("`fbc list packages {word}` lists its packages")),
    }
}

/// The table of one catalog; nothing if it is not valid, which is told.
fn table(
    reference: &Path,
    input: &Input,
    listing: Listing,
    package: Option<&str>,
    settings: &Settings,
) -> Result<Option<Table>, Failure> {
    let session = input.images.session([reference], settings);
    let source = open_as_one(reference, &session, settings)?;
    refuse_at_sight(&source, reference, &settings.reading())?;
    let catalog = load_tree(source.tree.as_ref(), settings)?;
    refuse_without_blobs(&source, &catalog, reference)?;
    warn_of_nothing(&catalog, reference, settings);
    if !checked::tell_errors(
        &fbc_app::checked::check_loaded(reference, source, &catalog, Profile::Opm),
        settings,
    ) {
        return Ok(None);
    }
    let Some(table) = list(&catalog, listing, package, DisplayNames::WithMetadata) else {
        let package = package.unwrap_or_default();
        let failure = Failure::refusal(format!("package {package:?} is not in {}", reference.display()));
        return Err(match closest(package, catalog.packages.iter().map(|package| package.name.as_str())) {
            Some(name) => failure.help(format!("did you mean {name:?}?")),
            None => failure.help("`fbc list packages` shows what there is"),
        });
    };
    Ok(Some(table))
}
