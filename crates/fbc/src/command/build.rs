//! `fbc build`: a catalog or bundle directory becomes an image, without a daemon.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueHint};
use fbc_app::image_build::{Base, ImageRequest};
use fbc_image::LocalReference;
use fbc_image::build::Format;
use fbc_image::image::PlatformName;
use fbc_image::layer::Compression;
use fbc_source::Session;
use fbc_source::image_source::{parse_reference, parse_tag};
use fbc_version::OpenShiftRelease;

use crate::arguments::parse_pair;
use crate::build_arguments::{AttestationArguments, BuildTime};
use crate::failure::{CLEAN, Failure};
use crate::output::file::write_digest;
use crate::policy_arguments::ocp_version;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::server_arguments::ServerArguments;
use crate::settings::Settings;

/// Build the image of a catalog or bundle
///
/// The directory goes to /configs as COPY would put it there, nothing left out, or to where the Dockerfile of its repository or
/// `image-path` of fbc.toml says; files get fixed owners, permissions and times, so that equal directories have equal digests on
/// every machine. The catalog is validated first. The digest of the image is written to standard output.
///
/// With --base the layers, environment and entrypoint of another image stay below, and all its platforms are
/// built unless some are named. The catalog takes the place of that of the base, and a cache of that one is not used.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("destination").required(true).multiple(true))]
pub(crate) struct Arguments {
    /// The directory of the catalog, or with --bundle of the bundle, on disk or as `REV:PATH`; or the root of a repository,
    /// with --ocp
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Of a repository, the catalog for this release of OpenShift
    #[arg(long, value_name = "VERSION", value_parser = ocp_version, conflicts_with = "bundle")]
    ocp: Option<OpenShiftRelease>,
    /// The name of the image, such as quay.io/me/catalog:v4.19; can be repeated with --push
    #[arg(short, long, value_name = "REF", value_parser = parse_tag)]
    tag: Vec<String>,
    /// The destination: oci:PATH[:NAME] (a layout directory, to which the image is added), oci-archive:FILE[:NAME] or
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
    /// Build for this platform; can be repeated [default: those of the base, else linux/amd64]
    #[arg(long, value_name = "OS/ARCH", value_delimiter = ',')]
    platform: Vec<PlatformName>,
    /// Build on this image: HOST/REPOSITORY[:TAG][@DIGEST], oci:PATH[:NAME], oci-archive:FILE[:NAME],
    /// docker-archive:FILE[:NAME] or scratch
    #[arg(long, value_name = "IMAGE", default_value = "scratch", value_parser = Base::parse)]
    base: Base,
    /// Keep the catalog of the base, and put the directory over it, instead of in its place
    #[arg(long, requires = "base", conflicts_with = "bundle")]
    keep_base_catalog: bool,
    /// Whose media types the image has: OCI's, or Docker's schema 2 for registries that take no other
    #[arg(long, value_name = "FORMAT", default_value = "oci", value_parser = formats())]
    format: Format,
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
    /// Build catalogs and bundles that are not valid, too
    #[arg(long)]
    no_validate: bool,
    /// Build twice, with different numbers of threads, and compare the digests
    #[arg(long)]
    verify_reproducible: bool,
    #[command(flatten)]
    time: BuildTime,
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
    fn session(&self, settings: &Settings) -> Session {
        let base = match &self.base {
            Base::Scratch => None,
            Base::Image(name) => Some(name.clone()),
        };
        let tags: &[String] = if self.push { &self.tag } else { &[] };
        self.transfer.session(Named::images(base).and_destinations(tags), &self.logins, settings)
    }
}

fn formats() -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["oci", "docker"]).map(|name| match name.as_str() {
        "docker" => Format::Docker,
        _ => Format::Oci,
    })
}

fn compressions() -> impl clap::builder::TypedValueParser<Value = Compression> {
    PossibleValuesParser::new(["gzip", "zstd"]).map(|name| match name.as_str() {
        "zstd" => Compression::Zstd,
        _ => Compression::Gzip,
    })
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let request = ImageRequest {
        folder: &arguments.folder,
        release: arguments.ocp,
        tags: &arguments.tag,
        to: arguments.to.as_ref(),
        push: arguments.push,
        platforms: &arguments.platform,
        base: &arguments.base,
        keeps_base_catalog: arguments.keep_base_catalog,
        format: arguments.format,
        labels: &arguments.label,
        annotations: &arguments.annotation,
        compression: arguments.compression,
        programs: &arguments.server.programs(),
        is_bundle: arguments.bundle,
        skips_validation: arguments.no_validate,
        verify_reproducible: arguments.verify_reproducible,
        time: arguments.time.seconds(),
        digest_file: arguments.digest_file.as_deref(),
        metadata_file: arguments.metadata_file.as_deref(),
        attestations: arguments.attestations.attestations(),
    };
    let digest = request.build(&arguments.session(settings), settings)?;
    write_digest(arguments.digest_file.as_deref(), &digest, settings)?;
    Ok(CLEAN)
}
