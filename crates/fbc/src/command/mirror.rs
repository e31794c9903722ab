//! `fbc mirror`: catalogs with all their images, copied to where a cluster can reach them.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_image::registry::{CopyOptions, platform};
use regex::Regex;

use crate::arguments::Global;
use crate::count::counted;
use crate::failure::{CLEAN, FINDINGS, Failure, WARNING};
use crate::filter::selection::{PackageWord, selection};
use crate::mirror::plan::{Content, ExtraImage, Packages};
use crate::mirror::record::{self, Carried, Document};
use crate::mirror::resources::CatalogReference;
use crate::mirror::transfer::{self, Target};
use crate::mirror::{Order, Place, Plan, Prefix, image_set};
use crate::registry::{CopyLogins, Named, OpenSession, Session, TransferArguments};
use crate::terminal;

mod outcome;

use outcome::finish;

/// Copy catalogs with all images that they need
///
/// To a registry, or to a directory and from there to a registry. What is there already is not sent again, so a run that
/// was interrupted goes on where it stopped. Images keep the paths and tags that they have; what is pinned by digest
/// keeps its digest. A selection of a catalog becomes a catalog image of its own.
///
/// The manifests that tell a cluster about the mirror are written as well: ImageDigestMirrorSet, ImageTagMirrorSet,
/// ClusterCatalog, and CatalogSource for catalogs that are copied whole.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("destination").required(true).multiple(true))]
pub(crate) struct Arguments {
    /// The catalogs: images, or directories
    #[arg(value_name = "REF", value_hint = ValueHint::AnyPath, required_unless_present_any = ["config", "from_folder"])]
    references: Vec<PathBuf>,
    /// Take what to copy from an ImageSetConfiguration
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["references", "from_folder"])]
    config: Option<PathBuf>,
    /// Take what an earlier run wrote with --to-folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["references", "to_folder"], requires = "to")]
    from_folder: Option<PathBuf>,
    /// Copy to this registry, below this path
    #[arg(long, value_name = "HOST[:PORT][/PATH]", value_parser = Prefix::parse, group = "destination")]
    to: Option<Prefix>,
    /// Copy to this directory, an OCI layout
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, group = "destination", conflicts_with = "to")]
    to_folder: Option<PathBuf>,
    /// Leave out of the directory what this earlier one carried, and those before it: a directory, or its mirror.json
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, requires = "to_folder")]
    since: Option<PathBuf>,
    /// Copy only this package, one channel of it, or the versions of a channel that are in a range
    #[arg(short, long, value_name = "P[:CHANNEL[:RANGE]]", value_parser = PackageWord::parse, conflicts_with_all = ["config", "from_folder"])]
    package: Vec<PackageWord>,
    /// Copy only the head of each channel
    #[arg(long, requires = "package")]
    heads_only: bool,
    /// The repository of the catalog at the destination, with a tag or without
    #[arg(long, value_name = "REPOSITORY[:TAG]", conflicts_with_all = ["config", "from_folder"])]
    target_catalog: Option<String>,
    /// Copy this image, too; may be given several times
    #[arg(long, value_name = "IMAGE")]
    image: Vec<String>,
    /// Copy what bundles use without listing it, too
    #[arg(long)]
    unlisted: bool,
    /// Copy what there is; an image that does not exist is only reported
    #[arg(long, conflicts_with = "from_folder")]
    skip_missing: bool,
    /// Of images for several platforms copy only this one; their digests change, so that pinned references do not find them
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<String>,
    /// Copy images without their signatures, attestations and SBOMs
    #[arg(long, conflicts_with = "from_folder")]
    without_attached: bool,
    /// How many images to copy in parallel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=32), default_value_t = 4)]
    parallel_images: u8,
    /// Print what would be copied, a line for each image, and copy nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the manifests into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "mirror-manifests")]
    manifests: PathBuf,
    /// How the ClusterCatalog names its image
    #[arg(long, value_enum, default_value_t, value_name = "WHERE")]
    catalog_ref: CatalogReference,
    /// Write an ImageContentSourcePolicy in place of the mirror sets
    #[arg(long)]
    icsp: bool,
    #[command(flatten)]
    transfer: TransferArguments,
    #[command(flatten)]
    logins: CopyLogins,
}

impl Arguments {
    fn session(&self, catalogs: &[Order]) -> Session {
        let images = self.image.iter().map(Path::new);
        let named = Named::paths(catalogs.iter().map(|order| order.catalog.as_path()).chain(images));
        self.transfer.session(named.and_prefix(self.to.as_ref().map(ToString::to_string)), &self.logins)
    }
}

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    let options = options(arguments)?;
    if let (Some(folder), Some(prefix)) = (&arguments.from_folder, &arguments.to) {
        let Document { images, incomplete, is_increment, .. } = record::read(folder)?;
        if arguments.dry_run {
            let lines =
                images.iter().map(|one| (one.source.clone().unwrap_or_default(), one.place().to_string()));
            return print_plan(lines.collect(), Some(prefix));
        }
        let session = arguments.session(&[]);
        let session = online(&session)?;
        let mut done = transfer::from_folder(folder, &images, prefix, &options, session)?;
        if is_increment {
            let help = "the directory was written with --since: copy the earlier directories first";
            done.failed =
                done.failed.into_iter().map(|(image, failure)| (image, failure.help(help))).collect();
        }
        let exit = finish(arguments, done, global)?;
        if incomplete.is_empty() {
            return Ok(exit);
        }
        let missing = incomplete.into_iter().collect::<Vec<_>>().join(", ");
        Failure::refusal(format!("{} is incomplete; it lacks {missing}", folder.display()))
            .help("run `fbc mirror --to-folder` once more where the images can be pulled, and carry the directory again")
            .report();
        return Ok(exit.max(FINDINGS));
    }
    let wanted = wanted(arguments, global)?;
    let session = arguments.session(&wanted.orders);
    let Some(plan) = plan(wanted, arguments, &session, global)? else { return Ok(FINDINGS) };
    if arguments.dry_run {
        return print_plan(lines(&plan), arguments.to.as_ref());
    }
    let carried = carried_before(arguments)?;
    let target = match (&arguments.to, &arguments.to_folder) {
        (Some(prefix), _) => Target::Registry(prefix),
        (None, Some(folder)) => Target::Folder(folder, &carried),
        (None, None) => return Err(Failure::new("no destination is given").help("add --to or --to-folder")),
    };
    let session = online(&session)?;
    warn_of_parts(&plan, arguments, global);
    let wishes = transfer::Wishes {
        copy: options,
        skips_missing: arguments.skip_missing,
        leaves_attached: arguments.without_attached,
        at_once: usize::from(arguments.parallel_images),
    };
    let mut done = transfer::carry_out(&plan, target, &wishes, session)?;
    for (repository, digests) in carried {
        done.carried.entry(repository).or_default().extend(digests);
    }
    finish(arguments, done, global)
}

/// The blobs that need not be carried again.
fn carried_before(arguments: &Arguments) -> Result<Carried, Failure> {
    let Some(earlier) = &arguments.since else { return Ok(Carried::new()) };
    let whole = |path: &Path| path.canonicalize().ok();
    let record = |folder: &Path| whole(&folder.join("mirror.json"));
    if let Some(folder) = &arguments.to_folder
        && whole(folder).is_some()
        && (whole(folder) == whole(earlier) || record(folder).is_some() && record(folder) == whole(earlier))
    {
        return Err(Failure::new(format!(
            "--since names the directory that is written, {}",
            folder.display()
        ))
        .help("leave out --since to add to the directory, or write a new one"));
    }
    record::carried_before(earlier)
}

/// Says where clusters find something else at the destination than at the source.
fn warn_of_parts(plan: &Plan, arguments: &Arguments, global: Global) {
    if global.quiet {
        return;
    }
    for catalog in &plan.catalogs {
        let original = catalog.source.as_ref().filter(|source| {
            matches!(catalog.content, Content::Blobs(..)) && catalog.place == Place::of(source)
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

/// The session, unless no registry may be asked.
fn online(session: &Session) -> Result<&OpenSession, Failure> {
    let session = session.open()?;
    if session.is_offline() {
        return Err(Failure::new("images are copied from and to registries, and --offline forbids that")
            .help("leave out --offline, or add --dry-run"));
    }
    Ok(session)
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
struct Wanted {
    orders: Vec<Order>,
    additional: Vec<ExtraImage>,
    blocked: Vec<Regex>,
}

fn wanted(arguments: &Arguments, global: Global) -> Result<Wanted, Failure> {
    Ok(match &arguments.config {
        Some(path) => {
            let set = image_set::read(path)?;
            for key in set.passed_over.iter().filter(|_| !global.quiet) {
                warn(format_args!(
                    "`{key}` is passed over; fbc mirrors operators and single images, for all platforms"
                ));
            }
            Wanted { orders: set.orders, additional: set.additional, blocked: set.blocked }
        }
        None => Wanted { orders: orders_of_flags(arguments)?, additional: Vec::new(), blocked: Vec::new() },
    })
}

/// What is to be copied; nothing after refusals that were told.
fn plan(
    wanted: Wanted,
    arguments: &Arguments,
    session: &Session,
    global: Global,
) -> Result<Option<Plan>, Failure> {
    let Wanted { orders, additional, blocked } = wanted;
    let mut plan = Plan::default();
    let mut is_whole = true;
    for order in &orders {
        is_whole &= plan.add(order, arguments.unlisted, session)?;
    }
    if !is_whole {
        return Ok(None);
    }
    let flags = arguments.image.iter().map(|name| ExtraImage { name: name.clone(), ..ExtraImage::default() });
    for image in additional.into_iter().chain(flags) {
        plan.add_extra(&image, session)?;
    }
    plan.block(&blocked);
    plan.check_places()?;
    if !global.quiet && !plan.unlisted.is_empty() {
        let mut images = plan.unlisted.iter();
        let first = images.next().map(|image| format!("{image} is used and not listed, so it is not copied"));
        let failure = Failure::new(first.unwrap_or_default());
        images
            .fold(failure, |failure, image| failure.detail(format!("  nor is {image}")))
            .help("add --unlisted to copy these, too; `fbc images` shows which bundles use them")
            .warn();
    }
    Ok(Some(plan))
}

fn orders_of_flags(arguments: &Arguments) -> Result<Vec<Order>, Failure> {
    if arguments.target_catalog.is_some() && arguments.references.len() > 1 {
        return Err(Failure::new("--target-catalog names one catalog, and there are several")
            .help("mirror them one after another"));
    }
    let packages = match arguments.package.as_slice() {
        [] => Packages::All,
        words => Packages::Selection(selection(words, arguments.heads_only, &[], &[])?),
    };
    let order = |catalog: &PathBuf| Order {
        catalog: catalog.clone(),
        packages: packages.clone(),
        target_repository: arguments.target_catalog.clone(),
        target_tag: None,
    };
    Ok(arguments.references.iter().map(order).collect())
}

/// What a plan copies: source and place.
fn lines(plan: &Plan) -> Vec<(String, String)> {
    let images = plan.images.iter().map(|(name, (_, place))| (name.clone(), place.to_string()));
    let catalogs = plan.catalogs.iter().map(|catalog| {
        let source = catalog.source.as_ref().map(ToString::to_string);
        let source = match &catalog.content {
            Content::Whole(image) => source.unwrap_or_else(|| image.to_string()),
            Content::Folder(folder) => folder.display().to_string(),
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

fn print_plan(lines: Vec<(String, String)>, prefix: Option<&Prefix>) -> Result<u8, Failure> {
    let mut out = terminal::text();
    for (source, place) in lines {
        let place = prefix.map_or_else(|| place.clone(), |prefix| prefix.below(&place));
        writeln!(out, "{source} -> {place}")?;
    }
    out.flush()?;
    Ok(CLEAN)
}

/// What is told here is not worth failing for.
fn warn(text: std::fmt::Arguments<'_>) {
    crate::terminal::tell(format_args!("{WARNING}warning{WARNING:#}: {text}"));
}
