//! `fbc build`: a catalog or bundle directory becomes an image, without a daemon.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, FromArgMatches as _, ValueHint};
use fbc_image::build::{self, Build, Built};
use fbc_image::image::PlatformName;
use fbc_image::layer::Compression;
use fbc_image::layout::Output;
use fbc_image::registry::{LocalImage, Reference};
use fbc_image::{BlobFolder, FolderImage, LocalReference, Transport};
use fbc_lint::policy::OcpVersion;
use fbc_source::image_source::{parse_reference, parse_tag};
use fbc_source::{OpenSession, Session};
use serde_json::json;

use super::push::{destinations, push, write_digest};
use crate::arguments::{Global, parse_pair};
use crate::attestation::{AttestationArguments, Knowledge};
use crate::clock::Moment;
use crate::configuration::ocp_version;
use crate::count::size;
use crate::failure::{CLEAN, Failure};
use crate::image_server::ServerArguments;
use crate::layout::{self, Meant};
use crate::output_file::{check_folder_of, write_file};
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::scratch;
use crate::terminal;

mod base;
mod source;

use base::Base;
use source::{check_folder, is_valid, on_disk};

/// Seconds since 1970 of the last day that RFC 3339 can write.
const LAST_SECOND: u64 = 253_402_300_799;

/// Build the image of a catalog or bundle
///
/// The directory goes to /configs as COPY would put it there, nothing left out; files get fixed owners,
/// permissions and times, so that equal directories have equal digests on every machine. The catalog is validated
/// first. The digest of the image is written to standard output.
///
/// With --base the layers, environment and entrypoint of another image stay below, and all its platforms are
/// built unless some are named.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("destination").required(true).multiple(true))]
pub(crate) struct Arguments {
    /// The directory of the catalog, or with --bundle of the bundle, on disk or as `REV:PATH`; or the root of a repository,
    /// with --ocp
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Of a repository, the catalog for this release of OpenShift
    #[arg(long, value_name = "VERSION", value_parser = ocp_version, conflicts_with = "bundle")]
    ocp: Option<OcpVersion>,
    /// The name of the image, such as quay.io/me/catalog:v4.19; with --push it may be given several times
    #[arg(short, long, value_name = "REF", value_parser = parse_tag)]
    tag: Vec<String>,
    /// Where to: oci:PATH[:NAME] (a layout directory, to which the image is added), oci-archive:FILE[:NAME] or
    /// docker-archive:FILE[:NAME]
    #[arg(
        long,
        alias = "output",
        short_alias = 'o',
        value_name = "TARGET",
        value_parser = parse_reference,
        group = "destination"
    )]
    to: Option<LocalReference>,
    /// Push the image to where --tag says
    #[arg(long, requires = "tag", group = "destination")]
    push: bool,
    /// Build for this platform; may be given several times [default: those of the base, else linux/amd64]
    #[arg(long, value_name = "OS/ARCH", value_delimiter = ',')]
    platform: Vec<PlatformName>,
    /// Build on this image: HOST/REPOSITORY[:TAG][@DIGEST], oci:PATH[:NAME], oci-archive:FILE[:NAME],
    /// docker-archive:FILE[:NAME] or scratch
    #[arg(long, value_name = "IMAGE", default_value = "scratch", value_parser = Base::parse)]
    base: Base,
    /// Add a label, or replace one
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_pair)]
    label: Vec<(String, String)>,
    /// Add an annotation to the manifests and the index
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_pair)]
    annotation: Vec<(String, String)>,
    /// How the layer is compressed
    #[arg(long, value_name = "FORMAT", default_value = "gzip", value_parser = compressions())]
    compression: Compression,
    #[command(flatten)]
    server: ServerArguments,
    /// The directory is a bundle; its annotations become labels
    #[arg(long)]
    bundle: bool,
    /// Build what is not valid, too
    #[arg(long)]
    no_validate: bool,
    /// Build twice, with different numbers of threads, and compare the digests
    #[arg(long)]
    verify_reproducible: bool,
    /// The time in the image and of its files, in seconds since 1970
    #[arg(long, value_name = "SECONDS", env = "SOURCE_DATE_EPOCH", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=LAST_SECOND))]
    source_date_epoch: u64,
    /// Write the digest of the image to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    digest_file: Option<PathBuf>,
    /// Write digest, descriptor and platforms to a file, as JSON with the keys of docker buildx
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    metadata_file: Option<PathBuf>,
    #[command(flatten)]
    attestations: AttestationArguments,
    #[command(flatten)]
    transfer: TransferArguments,
    #[command(flatten)]
    logins: CopyLogins,
}

impl Arguments {
    fn session(&self) -> Session {
        let base = match &self.base {
            Base::Scratch => None,
            Base::Image(name) => Some(name.clone()),
        };
        let tags: &[String] = if self.push { &self.tag } else { &[] };
        self.transfer.session(Named::images(base).and_destinations(tags), &self.logins)
    }

    /// The directory that is meant: of a repository, that of the one catalog.
    fn meant(&self) -> Result<PathBuf, Failure> {
        if self.bundle || self.ocp.is_none() && !layout::is_repository(&self.folder) {
            return Ok(self.folder.clone());
        }
        let releases: Vec<OcpVersion> = self.ocp.into_iter().collect();
        match layout::select(&self.folder, &releases)?.as_slice() {
            [only] => Ok(only.path.clone()),
            catalogs => {
                let names = layout::some_of(catalogs.iter().map(Meant::title));
                let shown = self.folder.display();
                Err(Failure::new(format!("{shown} holds the catalogs {names}, and an image has one"))
                    .help("choose one with `--ocp`, or name its directory"))
            }
        }
    }

    /// What was asked for, as far as it decides what the image is.
    fn parameters(&self) -> serde_json::Value {
        let pairs = |pairs: &[(String, String)]| pairs.iter().cloned().collect::<BTreeMap<_, _>>();
        json!({
            "directory": self.folder.display().to_string(),
            "bundle": self.bundle,
            "platforms": self.platform.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "labels": pairs(&self.label),
            "annotations": pairs(&self.annotation),
            "compression": format!("{:?}", self.compression).to_lowercase(),
            "sourceDateEpoch": self.source_date_epoch,
            "validated": !self.no_validate,
        })
    }

    /// The image of a catalog that another command has made and validated, as if nothing else were said.
    pub(crate) fn of_catalog(
        folder: PathBuf,
        tag: Vec<String>,
        push: bool,
        to: Option<LocalReference>,
        transfer: TransferArguments,
    ) -> Result<Self, Failure> {
        // Defaults, and what the environment says, are what clap finds.
        let words = ["build", "--to", "oci:image", "directory"];
        let matches = Self::augment_args(clap::Command::new("build")).try_get_matches_from(words);
        let usual = matches.and_then(|matches| Self::from_arg_matches(&matches));
        let usual = usual.map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self { folder, tag, push, to, transfer, no_validate: true, ..usual })
    }
}

fn compressions() -> impl clap::builder::TypedValueParser<Value = Compression> {
    PossibleValuesParser::new(["gzip", "zstd"]).map(|name| match name.as_str() {
        "zstd" => Compression::Zstd,
        _ => Compression::Gzip,
    })
}

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    let session = arguments.session();
    let destinations = if arguments.push { destinations(&arguments.tag)? } else { Vec::new() };
    let output = arguments.to.clone().map(|output| {
        let name = output.name.clone().or_else(|| arguments.tag.first().cloned());
        LocalReference { name, ..output }
    });
    if let Some(output) = &output
        && let (Transport::DockerArchive, Some(name)) = (output.transport, &output.name)
    {
        parse_tag(name).map_err(|error| Failure::new(format!("{output}: {error}")))?;
    }
    check_folder_of(arguments.digest_file.as_deref())?;
    check_folder_of(arguments.metadata_file.as_deref())?;
    let named = arguments.meant()?;
    let (folder, _unpacked) = on_disk(named.clone())?;
    check_folder(&folder, output.as_ref().map(|output| output.path.as_path()))?;
    if !arguments.no_validate && !is_valid(&folder, arguments.bundle)? {
        return Err(Failure::refusal(format!("{} is not valid", folder.display()))
            .help("fix what is wrong, or build it all the same with --no-validate"));
    }
    let base = arguments.base.open(&arguments.platform, &session)?;
    let contents = if arguments.bundle { build::bundle::bundle(&folder)? } else { build::catalog(&folder)? };
    let what = Build {
        contents,
        labels: arguments.label.iter().cloned().collect(),
        annotations: arguments.annotation.iter().cloned().collect::<BTreeMap<_, _>>(),
        base: base.as_ref().map(|base| base.source.as_ref()),
        platforms: arguments.platform.clone(),
        compression: arguments.compression,
        created: build::Moment {
            seconds: arguments.source_date_epoch,
            text: Moment::at(arguments.source_date_epoch).rfc3339(),
        },
        servers: arguments.server.servers()?,
    };
    let target = output.as_ref().map(Output::begin).transpose()?;
    let work = scratch::directory()?;
    let blobs = target.as_ref().map_or_else(|| BlobFolder::new(work.path()), |target| target.blobs().clone());
    let built = build::build(&what, &blobs)?;
    if arguments.verify_reproducible {
        verify(&what, &built)?;
    }
    if !global.quiet {
        tell(output.as_ref(), &built);
    }
    if arguments.push {
        let image = FolderImage { root: built.root.clone(), blobs };
        let image = LocalImage { source: &image, shown: "the image".to_owned() };
        let origin = base.as_ref().and_then(|base| base.origin.clone());
        push(&image, origin, &destinations, None, global, session.open()?)?;
        if arguments.attestations.are_given() {
            let parameters = arguments.parameters();
            let (catalog, origin) = (source::content(&folder, arguments.bundle)?, source::origin(&named));
            let known = Knowledge {
                root: &built.root,
                created: &what.created.text,
                catalog: &catalog,
                base: base.as_ref().map(|base| &base.material),
                origin: origin.as_ref(),
                parameters: &parameters,
            };
            attach(arguments.attestations, &destinations, &known, session.open()?, global)?;
        }
    }
    if let Some(target) = target {
        target.finish(&built.root)?;
    }
    write_files(arguments, &built)?;
    write_digest(arguments.digest_file.as_deref(), built.root.digest().as_ref())?;
    Ok(CLEAN)
}

/// Attaches to the image what is known of it, wherever it was pushed to.
fn attach(
    attestations: AttestationArguments,
    destinations: &[Reference],
    known: &Knowledge<'_>,
    session: &OpenSession,
    global: Global,
) -> Result<(), Failure> {
    for destination in destinations {
        let attached = attestations.attach(destination, known, session)?;
        if !global.quiet {
            terminal::tell(format_args!("attached to {destination}: {}", attached.join(", ")));
        }
    }
    Ok(())
}

/// Builds once more, with one thread, and compares.
fn verify(what: &Build<'_>, built: &Built) -> Result<(), Failure> {
    let folder = scratch::directory()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| Failure::new(format!("a worker thread does not start: {error}")))?;
    let blobs = BlobFolder::new(folder.path());
    let again = pool.install(|| build::build(what, &blobs))?;
    if again != *built {
        return Err(Failure::refusal(format!(
            "the image is not reproducible: {} first, {} then",
            built.root.digest(),
            again.root.digest()
        ))
        .help("something changed the files in between; build once more when nothing does"));
    }
    Ok(())
}

/// Writes the files that scripts read.
fn write_files(arguments: &Arguments, built: &Built) -> Result<(), Failure> {
    let Some(path) = &arguments.metadata_file else { return Ok(()) };
    let mut metadata = json!({
        "containerimage.digest": built.root.digest(),
        "containerimage.descriptor": {
            "mediaType": built.root.media_type(),
            "digest": built.root.digest(),
            "size": built.root.size(),
        },
        "fbc.platforms": built.images.iter()
            .map(|(platform, manifest)| (platform.to_string(), manifest.digest().to_string()))
            .collect::<BTreeMap<_, _>>(),
    });
    if let (false, Some(fields)) = (arguments.tag.is_empty(), metadata.as_object_mut()) {
        fields.insert("image.name".to_owned(), arguments.tag.join(",").into());
    }
    write_file(path, |out| Ok(writeln!(out, "{metadata:#}")?))
}

/// Says what was built.
fn tell(output: Option<&LocalReference>, built: &Built) {
    let platforms: Vec<String> = built.images.iter().map(|(platform, _)| platform.to_string()).collect();
    let (plain, packed) = (size(built.layer.uncompressed_bytes), size(built.layer.descriptor.size()));
    let target = output.map(|output| format!(" {output}")).unwrap_or_default();
    // What is said here is not worth failing for.
    let _ =
        writeln!(terminal::stderr(), "built{target} for {}; {plain} became {packed}", platforms.join(", "));
}
