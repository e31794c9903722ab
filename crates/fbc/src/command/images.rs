//! `fbc images`: every image that a catalog needs on a cluster.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::filter::selection::PackageWord;
use fbc_app::images::{beyond, document, selected};
use fbc_app::layout;
use fbc_app::loading::Loader;
use fbc_source::needed_images::{self, Found, Needs, Role, Use};
use fbc_version::OpenShiftRelease;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_evidence::load_index;
use crate::output::file::write_output;
use crate::policy_arguments::ocp_version;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;
use crate::terminal;

/// List the images that a catalog needs
///
/// Bundle images and related images, each once. Images that a bundle uses and does not list are reported on
/// standard error, since tools that copy by the lists forget them; this can be seen only where the catalog holds whole
/// manifests (`olm.bundle.object`), and in bundle directories.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 done, 1 with --unlisted an image is not listed, or a registry does not have one, 2 could not run."
)]
pub(crate) struct Arguments {
    /// Catalogs and bundles: directories, files, `-` for standard input, images; the root of a repository is taken for
    /// the catalogs in it
    #[arg(value_name = "REF", required = true, value_hint = ValueHint::AnyPath)]
    references: Vec<PathBuf>,
    /// Only what this package needs, one channel of it, or the versions of a channel that are in a range
    #[arg(short, long, value_name = "P[:CHANNEL[:RANGE]]", value_parser = PackageWord::parse)]
    package: Vec<PackageWord>,
    /// Only the head of each channel, of all packages if none is named
    #[arg(long)]
    heads_only: bool,
    /// Only images that this catalog does not name, such as the released index; bundles with the property
    /// `olm.deprecated` do not count
    #[arg(long, value_name = "REF", value_hint = ValueHint::AnyPath)]
    not_in: Option<PathBuf>,
    /// Of a repository, only the catalogs for these OpenShift releases
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = ocp_version)]
    ocp: Vec<OpenShiftRelease>,
    /// Only images of this role
    #[arg(long, value_enum, value_name = "ROLE")]
    role: Option<RoleWord>,
    /// Ask registries for the digest of each image
    #[arg(long)]
    digests: bool,
    /// Ask registries for the digest of each image on each platform
    #[arg(long, conflicts_with = "digests")]
    platforms: bool,
    /// Only images that bundles use without listing them; exit code 1 if there are any
    #[arg(long, conflicts_with = "role")]
    unlisted: bool,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    transfer: TransferArguments,
}

/// The formats of lists of images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each image
    #[default]
    Text,
    /// One JSON document, with the bundles that need each image
    Json,
}

impl Arguments {
    /// The references, with the catalogs of repositories in their places.
    fn expanded(&self, settings: &Settings) -> Result<Vec<PathBuf>, Failure> {
        let mut references = Vec::new();
        for reference in &self.references {
            if !self.ocp.is_empty() || layout::is_repository(reference, &settings.reading())? {
                let catalogs = layout::select(reference, &self.ocp, &settings.reading())?;
                references.extend(catalogs.into_iter().map(|catalog| catalog.path));
            } else {
                references.push(reference.clone());
            }
        }
        Ok(references)
    }
}

/// What an image is to a bundle, as a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoleWord {
    /// Bundle images
    Bundle,
    /// Related images
    Related,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let named = Named::paths(arguments.references.iter().chain(&arguments.not_in));
    let session = arguments.transfer.session(named, &CopyLogins::default(), settings);
    let references = arguments.expanded(settings)?;
    let Some(catalog) = Loader::new(&session, settings).all(&references)? else {
        return Ok(FINDINGS);
    };
    if catalog.files.is_empty() {
        let shown = arguments.references.iter().map(|one| one.display().to_string()).collect::<Vec<_>>();
        return Err(Failure::refusal(format!("{} holds no catalog", shown.join(", ")))
            .help("name the directory with the files of the catalog"));
    }
    let Some(catalog) = selected(catalog, &arguments.package, arguments.heads_only, settings)? else {
        return Ok(FINDINGS);
    };
    let mut needs = match &arguments.not_in {
        None => Needs::from_catalog(&catalog),
        Some(index) => beyond(catalog, &*load_index(index, &session, settings)?),
    };
    tell(&needs, arguments, settings);
    if arguments.unlisted {
        needs.images.clear();
    } else if let Some(role) = arguments.role {
        let fits = |one: &Use| (one.role == Role::Bundle) == (role == RoleWord::Bundle);
        needs.images.retain(|_, uses| uses.iter().any(fits));
        needs.unlisted.clear();
    }
    let references: BTreeSet<&str> = match arguments.unlisted {
        true => needs.references(),
        false => needs.images.keys().map(String::as_str).collect(),
    };
    let asks = arguments.digests || arguments.platforms;
    let found =
        if asks { needed_images::find_all(references.iter().copied(), &session)? } else { Found::new() };
    write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
        Format::Text => {
            let mut out = terminal::text_to(out, arguments.output_file.as_deref());
            Ok(write_lines(&references, &found, arguments.platforms, &mut out)?)
        }
        Format::Json => {
            let document = document(&needs, &found);
            Ok(fbc_app::output::json_document::write(out, &document)?)
        }
    })?;
    let mut is_clean = !arguments.unlisted || needs.unlisted.is_empty();
    for error in found.into_values().filter_map(Result::err) {
        is_clean = false;
        // Each is told; the exit code is that of all.
        let _ = Failure::from(error).report();
    }
    Ok(if is_clean { CLEAN } else { FINDINGS })
}

fn tell(needs: &Needs, arguments: &Arguments, settings: &Settings) {
    if settings.quiet || arguments.unlisted {
        return;
    }
    for unlisted in &needs.unlisted {
        crate::terminal::tell(format_args!(
            "warning: {} uses {} ({}), which is not among its related images",
            unlisted.bundle, unlisted.image, unlisted.at
        ));
    }
    if needs.unknown > 0 && settings.verbose {
        crate::terminal::tell(format_args!(
            "note: {} bundles come without whole manifests; what they use beyond their lists cannot be seen here",
            needs.unknown
        ));
    }
}

fn write_lines(
    references: &BTreeSet<&str>,
    found: &Found,
    platforms: bool,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    for reference in references {
        match found.get(*reference) {
            None => writeln!(out, "{reference}")?,
            Some(Err(_)) => {}
            Some(Ok(image)) if platforms && !image.platforms.is_empty() => {
                for (platform, digest) in &image.platforms {
                    writeln!(out, "{reference} {platform} {digest}")?;
                }
            }
            Some(Ok(image)) => writeln!(out, "{reference} {}", image.digest)?,
        }
    }
    Ok(())
}
