//! Images built of catalogs and bundles: what is ordered, and all that is done for it.

pub(crate) mod attestation;
mod base;
pub(crate) mod server;
mod source;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use fbc_image::build::{self, Build, Built};
use fbc_image::image::PlatformName;
use fbc_image::layer::Compression;
use fbc_image::layout::Output;
use fbc_image::{BlobFolder, FolderImage, LocalReference, Transport};
use fbc_lint::policy::OcpVersion;
use fbc_registry::{LocalImage, Reference};
use fbc_source::image_source::parse_tag;
use fbc_source::{OpenSession, Session};
use serde_json::json;

use crate::checking;
use crate::clock::{self, Moment};
use crate::count::size;
use crate::failure::{CLEAN, Failure};
use crate::image_build::attestation::{AttestationArguments, Knowledge};
use crate::image_build::server::ServerArguments;
use crate::layout::{self, Meant};
use crate::output::file::{check_folder_of, write_digest, write_file};
use crate::registry::push::{destinations, push};
use crate::scratch;
use crate::settings::Settings;
use crate::terminal;

pub(crate) use base::Base;
use source::{check_folder, is_valid, on_disk};

/// When an image was made, as far as the image says.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BuildTime {
    /// The time in the image and of its files, in seconds since 1970
    #[arg(long, value_name = "SECONDS", env = "SOURCE_DATE_EPOCH", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=clock::LAST_SECOND))]
    source_date_epoch: u64,
}

impl BuildTime {
    /// What the environment says, for commands without the flag.
    pub(crate) fn from_environment() -> Result<Self, Failure> {
        let named =
            clock::source_date_epoch().map_err(|error| Failure::new(error.to_string()).help("unset it"))?;
        let seconds = named.map_or(0, |moment| u64::try_from(moment.seconds()).unwrap_or_default());
        Ok(Self { source_date_epoch: seconds })
    }
}

/// An image that is to be built.
pub(crate) struct ImageRequest<'r> {
    /// The directory of the catalog or bundle, on disk or in a revision, or the root of a repository.
    pub(crate) folder: &'r Path,
    /// Of a repository, the catalog for this release.
    pub(crate) release: Option<OcpVersion>,
    /// The names of the image.
    pub(crate) tags: &'r [String],
    /// Where it goes on disk.
    pub(crate) to: Option<&'r LocalReference>,
    /// Whether it goes to where the tags say.
    pub(crate) push: bool,
    /// The platforms; none means those of the base.
    pub(crate) platforms: &'r [PlatformName],
    pub(crate) base: &'r Base,
    pub(crate) labels: &'r [(String, String)],
    pub(crate) annotations: &'r [(String, String)],
    pub(crate) compression: Compression,
    pub(crate) server: &'r ServerArguments,
    /// Whether the directory is a bundle.
    pub(crate) is_bundle: bool,
    /// Whether it is built without being validated.
    pub(crate) skips_validation: bool,
    /// Whether the image is built twice and compared.
    pub(crate) verify_reproducible: bool,
    pub(crate) time: BuildTime,
    pub(crate) digest_file: Option<&'r Path>,
    pub(crate) metadata_file: Option<&'r Path>,
    pub(crate) attestations: AttestationArguments,
}

impl ImageRequest<'_> {
    /// The directory that is meant: of a repository, that of the one catalog.
    fn meant(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        if self.is_bundle
            || self.release.is_none() && !layout::is_repository(self.folder, &settings.reading())?
        {
            return Ok(self.folder.to_path_buf());
        }
        let releases: Vec<OcpVersion> = self.release.into_iter().collect();
        match layout::select(self.folder, &releases, &settings.reading())?.as_slice() {
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
            "bundle": self.is_bundle,
            "platforms": self.platforms.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "labels": pairs(self.labels),
            "annotations": pairs(self.annotations),
            "compression": format!("{:?}", self.compression).to_lowercase(),
            "sourceDateEpoch": self.time.source_date_epoch,
            "validated": !self.skips_validation,
        })
    }

    /// Builds the image, and takes it to where it goes; the exit code.
    pub(crate) fn build(&self, session: &Session, settings: &Settings) -> Result<u8, Failure> {
        let destinations = if self.push { destinations(self.tags)? } else { Vec::new() };
        let output = self.to.cloned().map(|output| {
            let name = output.name.clone().or_else(|| self.tags.first().cloned());
            LocalReference { name, ..output }
        });
        if let Some(output) = &output
            && let (Transport::DockerArchive, Some(name)) = (output.transport, &output.name)
        {
            parse_tag(name).map_err(|error| {
                Failure::new(format!("{output}: {error}"))
                    .help("write the name behind the file as REPOSITORY:TAG, in lower-case letters")
            })?;
        }
        check_folder_of(self.digest_file)?;
        check_folder_of(self.metadata_file)?;
        let named = self.meant(settings)?;
        let (folder, _unpacked) = on_disk(named.clone(), settings)?;
        check_folder(&folder, output.as_ref().map(|output| output.path.as_path()))?;
        if !self.skips_validation && !is_valid(&folder, self.is_bundle, settings)? {
            return Err(checking::not_valid(&folder, "build"));
        }
        let base = self.base.open(self.platforms, session)?;
        let contents =
            if self.is_bundle { build::bundle::bundle(&folder)? } else { build::catalog(&folder)? };
        let what = Build {
            contents,
            labels: self.labels.iter().cloned().collect(),
            annotations: self.annotations.iter().cloned().collect::<BTreeMap<_, _>>(),
            base: base.as_ref().map(|base| base.source.as_ref()),
            platforms: self.platforms.to_vec(),
            compression: self.compression,
            created: build::Moment {
                seconds: self.time.source_date_epoch,
                text: Moment::at(self.time.source_date_epoch).rfc3339(),
            },
            servers: self.server.servers()?,
        };
        let target =
            output.as_ref().map(|output| Output::begin(output, settings.trusts_links)).transpose()?;
        let work = scratch::directory()?;
        let blobs =
            target.as_ref().map_or_else(|| BlobFolder::new(work.path()), |target| target.blobs().clone());
        let built = build::build(&what, &blobs)?;
        if self.verify_reproducible {
            verify(&what, &built)?;
        }
        if !settings.quiet {
            tell(output.as_ref(), &built);
        }
        if self.push {
            let image = FolderImage { root: built.root.clone(), blobs };
            let image = LocalImage { source: &image, shown: "the image".to_owned() };
            let origin = base.as_ref().and_then(|base| base.origin.clone());
            push(&image, origin, &destinations, None, settings, session.open()?)?;
            if self.attestations.are_given() {
                let parameters = self.parameters();
                let (catalog, origin) = (
                    source::content(&folder, self.is_bundle, settings)?,
                    source::origin(&named, settings.budgets.git()),
                );
                let known = Knowledge {
                    root: &built.root,
                    created: &what.created.text,
                    catalog: &catalog,
                    base: base.as_ref().map(|base| &base.material),
                    origin: origin.as_ref(),
                    parameters: &parameters,
                };
                attach(self.attestations, &destinations, &known, session.open()?, settings)?;
            }
        }
        if let Some(target) = target {
            target.finish(&built.root)?;
        }
        self.write_files(&built, settings)?;
        write_digest(self.digest_file, built.root.digest().as_ref(), settings)?;
        Ok(CLEAN)
    }

    /// Writes the files that scripts read.
    fn write_files(&self, built: &Built, settings: &Settings) -> Result<(), Failure> {
        let Some(path) = self.metadata_file else { return Ok(()) };
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
        if let (false, Some(fields)) = (self.tags.is_empty(), metadata.as_object_mut()) {
            fields.insert("image.name".to_owned(), self.tags.join(",").into());
        }
        write_file(path, settings, |out| Ok(writeln!(out, "{metadata:#}")?))
    }
}

/// Attaches to the image what is known of it, wherever it was pushed to.
fn attach(
    attestations: AttestationArguments,
    destinations: &[Reference],
    known: &Knowledge<'_>,
    session: &OpenSession,
    settings: &Settings,
) -> Result<(), Failure> {
    for destination in destinations {
        let attached = attestations.attach(destination, known, session)?;
        if !settings.quiet {
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

/// Says what was built.
fn tell(output: Option<&LocalReference>, built: &Built) {
    let platforms: Vec<String> = built.images.iter().map(|(platform, _)| platform.to_string()).collect();
    let (plain, packed) = (size(built.layer.uncompressed_bytes), size(built.layer.descriptor.size()));
    let target = output.map(|output| format!(" {output}")).unwrap_or_default();
    // What is said here is not worth failing for.
    let _ =
        writeln!(terminal::stderr(), "built{target} for {}; {plain} became {packed}", platforms.join(", "));
}
