//! `fbc mirror`: catalogs with all their images, copied to where a cluster can reach them.

mod report;

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::filter::selection::{ChannelOfPackage, PackageWord, selection};
use fbc_app::invalid_value::InvalidValue;
use fbc_app::mirror::{Wanted, online, plan};
use fbc_mirror::order::{ExtraImage, Packages};
use fbc_mirror::record::{self, Earlier};
use fbc_mirror::resources::{CatalogReference, Written};
use fbc_mirror::transfer::{Destination, Transfer, TransferOptions, begin};
use fbc_mirror::{Order, Prefix, image_set, increment};
use fbc_registry::{CopyOptions, platform};
use fbc_source::Session;
use fbc_staging::StagedFile;

use crate::failure::{FINDINGS, Failure};
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::settings::Settings;
use report::warn;

/// Copy catalogs with all images that they need
///
/// To a registry, or to a directory and from there to a registry. What is there already is not sent again, so a run that
/// was interrupted goes on where it stopped. Images keep the paths and tags that they have; what is pinned by digest
/// keeps its digest. A selection of a catalog becomes a catalog image of its own.
///
/// The manifests that tell a cluster about the mirror are written as well: ImageDigestMirrorSet, ImageTagMirrorSet,
/// ClusterCatalog, and CatalogSource for catalogs that are copied whole.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("destination").required(true).multiple(true))]
#[command(
    after_help = "Exit codes: 0 all is copied, 1 some images are not, 2 none could be, or could not run."
)]
pub(crate) struct Arguments {
    /// The catalogs: images, or directories
    #[arg(value_name = "REF", value_hint = ValueHint::AnyPath, required_unless_present_any = ["config", "from_dir", "image"])]
    references: Vec<PathBuf>,
    /// Take what to copy from an ImageSetConfiguration
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["references", "from_dir"])]
    config: Option<PathBuf>,
    /// Take what an earlier run wrote with --to-dir
    #[arg(long, alias = "from-folder", value_name = "DIR", value_hint = ValueHint::DirPath, value_parser = directory, conflicts_with_all = ["references", "to_dir"], requires = "to")]
    from_dir: Option<PathBuf>,
    /// Copy to this registry, below this path
    #[arg(long, value_name = "HOST[:PORT][/PATH]", value_parser = registry, group = "destination")]
    to: Option<Prefix>,
    /// How many parts a path in the registry may have: the last ones of longer paths become one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64), requires = "to")]
    max_nested_paths: Option<u8>,
    /// Copy to this directory, an OCI layout
    #[arg(long, alias = "to-folder", value_name = "DIR", value_hint = ValueHint::DirPath, value_parser = directory, group = "destination", conflicts_with = "to")]
    to_dir: Option<PathBuf>,
    /// Leave out what an earlier directory brought: its directory, or the `mirror.json` out of it
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, value_parser = directory, requires = "to_dir")]
    since: Option<PathBuf>,
    /// Copy only this package, one channel of it, or the versions of a channel that are in a range
    #[arg(short, long, value_name = "P[:CHANNEL[:RANGE]]", value_parser = PackageWord::parse, conflicts_with_all = ["config", "from_dir"])]
    package: Vec<PackageWord>,
    /// Choose the default channel of a package
    #[arg(long, value_name = "P=CHANNEL", value_parser = ChannelOfPackage::parse, conflicts_with_all = ["config", "from_dir"])]
    default_channel: Vec<ChannelOfPackage>,
    /// Copy only the head of each channel, of all packages if none is named
    #[arg(long, conflicts_with_all = ["config", "from_dir"])]
    heads_only: bool,
    /// The repository of the catalog at the destination, with a tag or without
    #[arg(long, value_name = "REPOSITORY[:TAG]", conflicts_with_all = ["config", "from_dir"])]
    target_catalog: Option<String>,
    /// Copy this image, too; can be repeated
    #[arg(long, value_name = "IMAGE")]
    image: Vec<String>,
    /// Copy what bundles use without listing it, too
    #[arg(long)]
    unlisted: bool,
    /// Copy the images that exist, and only report those that do not
    #[arg(long, conflicts_with = "from_dir")]
    skip_missing: bool,
    /// Of images for several platforms copy only this one; their digests change, so that pinned references do not find them
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<String>,
    /// Also copy directories, files and selections that are not valid catalogs
    #[arg(long, conflicts_with = "from_dir")]
    no_validate: bool,
    /// Copy images without their signatures, attestations and SBOMs
    #[arg(long, conflicts_with = "from_dir")]
    without_attached: bool,
    /// How many images to copy in parallel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=32), default_value_t = 4)]
    parallel_images: u8,
    /// Print what would be copied, a line for each image, and copy nothing. With --from-dir, the destination is asked for what
    /// the directory leaves out, unless --offline is given
    #[arg(long)]
    dry_run: bool,
    /// Write the manifests into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "mirror-manifests")]
    manifests: PathBuf,
    /// How the ClusterCatalog names its image
    #[arg(long, value_enum, default_value_t, value_name = "WHERE")]
    catalog_ref: NamedBy,
    /// Write an ImageContentSourcePolicy in place of the mirror sets
    #[arg(long)]
    icsp: bool,
    #[command(flatten)]
    transfer: TransferArguments,
    #[command(flatten)]
    logins: CopyLogins,
}

/// A directory, as a path or as oc-mirror writes it.
fn directory(text: &str) -> Result<PathBuf, InvalidValue> {
    match text.split_once("://") {
        None => Ok(PathBuf::from(text)),
        Some(("file", path)) if !path.is_empty() => Ok(PathBuf::from(path)),
        Some(_) => Err(format!("{text:?} is not a directory; --to takes a registry").into()),
    }
}

/// A registry with a path, which is not a directory.
fn registry(text: &str) -> Result<Prefix, InvalidValue> {
    if let Some(path) = text.strip_prefix("file://") {
        return Err(format!("{text:?} is a directory, not a registry; write `--to-dir {path}`").into());
    }
    Prefix::parse(text).map_err(|error| error.to_string().into())
}

/// How the ClusterCatalog names its image.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum NamedBy {
    /// As the source is written; mirror sets redirect
    #[default]
    Source,
    /// At the mirror
    Mirror,
}

impl From<NamedBy> for CatalogReference {
    fn from(named: NamedBy) -> Self {
        match named {
            NamedBy::Source => Self::Source,
            NamedBy::Mirror => Self::Mirror,
        }
    }
}

impl Arguments {
    fn session(&self, catalogs: &[Order], settings: &Settings) -> Session {
        let images = self.image.iter().map(Path::new);
        let named = Named::paths(catalogs.iter().map(|order| order.catalog.as_path()).chain(images));
        self.transfer.session(
            named.and_prefix(self.to.as_ref().map(ToString::to_string)),
            &self.logins,
            settings,
        )
    }
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let shortened = match (arguments.max_nested_paths, &arguments.to) {
        (Some(most), Some(to)) => Some(to.clone().with_most_parts(usize::from(most))),
        (_, to) => to.clone(),
    };
    let arguments = &Arguments { to: shortened, ..arguments.clone() };
    let options = TransferOptions {
        copy: options(arguments)?,
        skips_missing: arguments.skip_missing,
        leaves_attached: arguments.without_attached,
        at_once: usize::from(arguments.parallel_images),
        follows_links: settings.trusts_links,
    };
    if let (Some(folder), Some(prefix)) = (&arguments.from_dir, &arguments.to) {
        return carry_over(folder, prefix, &options, arguments, settings);
    }
    let target = match (&arguments.to, &arguments.to_dir) {
        (Some(prefix), _) => Destination::Registry(prefix),
        (None, Some(folder)) => Destination::Folder(folder),
        (None, None) => return Err(Failure::new("no destination is given").help("add --to or --to-dir")),
    };
    let earlier = match (&arguments.since, &arguments.to_dir) {
        (Some(since), Some(folder)) => {
            let (earlier, warning) = record::since(since, folder)?;
            warning.map(Failure::from).into_iter().for_each(Failure::warn);
            earlier
        }
        _ => Earlier::default(),
    };
    let written = check_output(arguments, settings)?;
    let wanted = wanted(arguments, settings)?;
    let session = arguments.session(&wanted.orders, settings);
    let Some(plan) = plan(wanted, &session, settings)? else { return Ok(FINDINGS) };
    if let Some(prefix) = &arguments.to {
        plan.check_shortened(prefix)?;
        plan.check_sources(prefix, arguments.platform.is_some(), &session)?;
    }
    if arguments.dry_run {
        return report::plan(report::lines(&plan), arguments.to.as_ref());
    }
    let session = online(&session)?;
    if !settings.quiet {
        report::warn_of_parts(&plan, arguments);
    }
    let done = Transfer::new(target, &options, &earlier, session).carry_out(&plan)?;
    if let Some(folder) = arguments.to_dir.as_ref().filter(|_| done.has_news()) {
        record::write(folder, &plan, &done, &earlier)?;
    }
    report::finish(arguments, done, &written, settings)
}

/// Copies what a directory holds to a registry.
fn carry_over(
    folder: &Path,
    prefix: &Prefix,
    options: &TransferOptions,
    arguments: &Arguments,
    settings: &Settings,
) -> Result<u8, Failure> {
    let document = record::read(folder)?;
    let session = arguments.session(&[], settings);
    if arguments.dry_run {
        let exit = report::plan(report::lines_of_folder(folder, &document), Some(prefix))?;
        let session = session.open()?;
        if !session.is_offline() {
            increment::check_destination(&document, prefix, options.at_once, session)?;
        }
        return Ok(exit);
    }
    let written = check_output(arguments, settings)?;
    let session = online(&session)?;
    increment::check_destination(&document, prefix, options.at_once, session)?;
    let earlier = document.builds_upon();
    let transfer = Transfer::new(Destination::Registry(prefix), options, &earlier, session);
    let exit = report::finish(arguments, transfer.carry_over(folder, &document)?, &written, settings)?;
    let lacks: Vec<&str> = document.lacks().into_iter().collect();
    if lacks.is_empty() {
        return Ok(exit);
    }
    Failure::refusal(format!("{} is incomplete; it lacks {}", folder.display(), lacks.join(", ")))
        .help("run `fbc mirror --to-dir` once more where the images can be pulled, and carry the directory again")
        .report();
    Ok(exit.max(FINDINGS))
}

/// Refuses places that cannot be written, before work that it would be too late for; what the directory of manifests
/// holds.
fn check_output(arguments: &Arguments, settings: &Settings) -> Result<Written, Failure> {
    let folder = match (&arguments.to, &arguments.to_dir) {
        // It is made for the first image, and gone again at once.
        (None, Some(folder)) if !arguments.dry_run => {
            drop(begin(folder, None, settings.trusts_links)?);
            return Ok(Written::default());
        }
        (None, _) => return Ok(Written::default()),
        (Some(_), _) => &arguments.manifests,
    };
    let written = Written::read(folder)?;
    if !arguments.dry_run {
        // What does not exist yet is made at the end, when there is something to write.
        let existing = folder.ancestors().find(|folder| folder.exists() && !folder.as_os_str().is_empty());
        let existing = existing.unwrap_or(Path::new("."));
        StagedFile::within(existing).map_err(|error| {
            Failure::io("write to", existing, &error).help("--manifests names the directory of the manifests")
        })?;
    }
    Ok(written)
}

fn options(arguments: &Arguments) -> Result<CopyOptions, Failure> {
    let usual = CopyOptions::default();
    let parallel = arguments.transfer.parallel.map_or(usual.parallel, usize::from);
    let Some(text) = &arguments.platform else { return Ok(CopyOptions { parallel, ..usual }) };
    let wanted = platform::parse(text).ok_or_else(|| {
        Failure::new(format!("--platform {text} is not a platform"))
            .help("write OS/ARCH, such as linux/amd64")
    })?;
    Ok(CopyOptions { platform: Some(wanted), parallel, ..usual })
}

/// What the command line or the ImageSetConfiguration names.
fn wanted(arguments: &Arguments, settings: &Settings) -> Result<Wanted, Failure> {
    let (orders, mut additional, blocked) = match &arguments.config {
        Some(path) => {
            let set = image_set::read(path)?;
            for key in set.passed_over.iter().filter(|_| !settings.quiet) {
                warn(format_args!(
                    "`{key}` is ignored; fbc mirrors operators and single images, for all platforms"
                ));
            }
            (set.orders, set.additional, set.blocked)
        }
        None => (orders_of_flags(arguments)?, Vec::new(), Vec::new()),
    };
    additional.extend(
        arguments.image.iter().map(|name| ExtraImage { name: name.clone(), ..ExtraImage::default() }),
    );
    Ok(Wanted {
        orders,
        additional,
        blocked,
        unlisted: arguments.unlisted,
        skips_validation: arguments.no_validate,
    })
}

fn orders_of_flags(arguments: &Arguments) -> Result<Vec<Order>, Failure> {
    if arguments.target_catalog.is_some() && arguments.references.len() > 1 {
        return Err(Failure::new("--target-catalog names one catalog, and there are several")
            .help("mirror them one after another"));
    }
    let packages = match arguments.package.as_slice() {
        [] if !arguments.default_channel.is_empty() => {
            return Err(Failure::new("--default-channel chooses for a package, and none is named")
                .help("add --package PACKAGE"));
        }
        [] if arguments.heads_only => Packages::Heads,
        [] => Packages::All,
        words => {
            Packages::Selection(selection(words, arguments.heads_only, &[], &arguments.default_channel)?)
        }
    };
    let order = |catalog: &PathBuf| Order {
        catalog: catalog.to_str().map_or_else(|| catalog.clone(), image_set::catalog_path),
        packages: packages.clone(),
        target_repository: arguments.target_catalog.clone(),
        target_tag: None,
    };
    Ok(arguments.references.iter().map(order).collect())
}
