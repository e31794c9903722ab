//! Images built of catalogs and bundles: what is ordered, and all that is done for it.

pub mod attestation;
mod base;
mod composition;
mod server;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_image::build::{self, BaseNote, Build, Built, Format};
use fbc_image::image::PlatformName;
use fbc_image::layer::Compression;
use fbc_image::layout::Output;
use fbc_image::{BlobFolder, FolderImage, ImageSource, LocalReference, Transport};
use fbc_model::Catalog;
use fbc_model::tree::DiskTree;
use fbc_registry::{LocalImage, Reference};
use fbc_source::image_source::parse_tag;
use fbc_source::{CatalogSource, Error, OpenSession, Session};
use fbc_staging::StagedDirectory;
use fbc_version::OpenShiftRelease;
use serde_json::json;

use crate::checked;
use crate::event::Event;
use crate::image_build::attestation::{Attestations, Knowledge};
use crate::layout::{self, Meant};
use crate::output::file::{check_folder_of, write_file};
use crate::push::{destinations, push};
use crate::settings::Settings;

pub use base::Base;
pub use server::ServeBinary;
use source::{check_source, is_valid, is_valid_catalog, on_disk};

/// The programs that an image serves its catalog with.
#[derive(Clone, Debug, Default)]
pub enum Programs {
    /// None: the image does not serve.
    #[default]
    None,
    /// The program that runs now, at its path.
    This(Result<PathBuf, Error>),
    /// These, one for each platform.
    Named(Vec<ServeBinary>),
}

/// An image that is to be built.
pub struct ImageRequest<'r> {
    /// The directory of the catalog or bundle, on disk or in a revision, or the root of a repository.
    pub folder: &'r Path,
    /// Of a repository, the catalog for this release.
    pub release: Option<OpenShiftRelease>,
    /// The names of the image.
    pub tags: &'r [String],
    /// Where it goes on disk.
    pub to: Option<&'r LocalReference>,
    /// Whether it goes to where the tags say.
    pub push: bool,
    /// The platforms; none means those of the base.
    pub platforms: &'r [PlatformName],
    /// What it is built on.
    pub base: &'r Base,
    /// Whether the catalog of the base stays below the directory.
    pub keeps_base_catalog: bool,
    /// Whose media types it has.
    pub format: Format,
    /// Labels.
    pub labels: &'r [(String, String)],
    /// Annotations.
    pub annotations: &'r [(String, String)],
    /// How layers are compressed.
    pub compression: Compression,
    /// What it serves its catalog with.
    pub programs: &'r Programs,
    /// Whether the directory is a bundle.
    pub is_bundle: bool,
    /// Whether it is built without being validated.
    pub skips_validation: bool,
    /// Whether the image is built twice and compared.
    pub verify_reproducible: bool,
    /// The time in the image and of its files, in seconds since 1970.
    pub time: u64,
    /// The file that its digest goes to.
    pub digest_file: Option<&'r Path>,
    /// The file that scripts read.
    pub metadata_file: Option<&'r Path>,
    /// What is attached to it.
    pub attestations: Attestations,
}

/// A directory or file that becomes part of an image.
struct Part {
    /// As it was named.
    named: PathBuf,
    /// Where it is on disk.
    path: PathBuf,
    /// Its place below the directory that is served.
    target: PathBuf,
    /// What keeps the files of a revision there until the image is built.
    _unpacked: Option<StagedDirectory>,
}

impl ImageRequest<'_> {
    /// What becomes the image: of a repository, the catalog of the release, or all that one Dockerfile copies for it.
    fn meant(&self, settings: &Settings) -> Result<Vec<Meant>, Error> {
        if self.is_bundle {
            return Ok(vec![Meant::of_path(self.folder)]);
        }
        if self.release.is_none() && !layout::is_repository(self.folder, &settings.reading())? {
            return Ok(vec![layout::around(self.folder, settings)]);
        }
        let releases: Vec<OpenShiftRelease> = self.release.into_iter().collect();
        let catalogs = layout::select(self.folder, &releases, &settings.reading())?;
        let image = |catalog: &Meant| {
            catalog.image(self.release).map(|image| (image.path.clone(), image.arguments.clone()))
        };
        let images: Vec<_> = catalogs.iter().map(image).collect();
        let is_one = match images.as_slice() {
            [first, others @ ..] => {
                others.is_empty() || first.is_some() && others.iter().all(|other| other == first)
            }
            [] => false,
        };
        if is_one {
            return Ok(catalogs);
        }
        let names = layout::some_of(catalogs.iter().map(Meant::title));
        let shown = self.folder.display();
        let error = Error::new(format!("{shown} holds the catalogs {names}, and an image has one"));
        let first = catalogs.first().map(|catalog| catalog.path.display().to_string()).unwrap_or_default();
        Err(match self.release {
            None => error.help(format!("choose one with `--ocp`, or name it: `fbc build {first}`")),
            Some(_) => error.help(format!("name the one that is meant: `fbc build {first}`")),
        })
    }

    /// The files of what is meant, each with its place below the directory that is served.
    fn parts(&self, output: Option<&LocalReference>, settings: &Settings) -> Result<Vec<Part>, Error> {
        let mut parts = Vec::new();
        for meant in self.meant(settings)? {
            let (path, unpacked) = on_disk(meant.path.clone(), settings)?;
            let target = meant.target(self.release).map(Path::to_path_buf);
            check_source(&path, target.is_some(), output.map(|output| output.path.as_path()))?;
            parts.push(Part {
                named: meant.path,
                path,
                target: target.unwrap_or_default(),
                _unpacked: unpacked,
            });
        }
        Ok(parts)
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
            "sourceDateEpoch": self.time,
            "validated": !self.skips_validation,
        })
    }

    /// Builds the image, and takes it to where it goes; its digest.
    ///
    /// # Errors
    /// What is wrong with the input or the destinations.
    pub fn build(&self, session: &Session, settings: &Settings) -> Result<String, Error> {
        let destinations = if self.push { destinations(self.tags)? } else { Vec::new() };
        let output = self.to.cloned().map(|output| {
            let name = output.name.clone().or_else(|| self.tags.first().cloned());
            LocalReference { name, ..output }
        });
        if let Some(output) = &output
            && let (Transport::DockerArchive, Some(name)) = (output.transport, &output.name)
        {
            parse_tag(name).map_err(|error| {
                Error::new(format!("{output}: {error}"))
                    .help("write the name behind the file as REPOSITORY:TAG, in lower-case letters")
            })?;
        }
        check_folder_of(self.digest_file)?;
        check_folder_of(self.metadata_file)?;
        let parts = self.parts(output.as_ref(), settings)?;
        let places: Vec<(&Path, &Path)> =
            parts.iter().map(|part| (part.path.as_path(), part.target.as_path())).collect();
        let base = self.base.open(self.platforms, session)?;
        let source = base.as_ref().map(|base| base.source.as_ref());
        self.validate(&places, source, settings)?;
        let contents = match places.as_slice() {
            [(bundle, _)] if self.is_bundle => build::bundle::bundle(bundle)?,
            parts => composition::contents(parts, source, self.keeps_base_catalog)?,
        };
        let what = Build {
            contents,
            labels: self.labels.iter().cloned().collect(),
            annotations: self.annotations.iter().cloned().collect::<BTreeMap<_, _>>(),
            base: source,
            base_name: base.as_ref().and_then(base::OpenBase::name),
            format: self.format,
            platforms: self.platforms.to_vec(),
            compression: self.compression,
            created: build::Moment {
                seconds: self.time,
                text: fbc_go::time::rfc3339(i64::try_from(self.time).unwrap_or(i64::MAX)),
            },
            servers: self.programs.open()?,
        };
        let target =
            output.as_ref().map(|output| Output::begin(output, settings.trusts_links)).transpose()?;
        let work = settings.scratch_directory()?;
        let blobs =
            target.as_ref().map_or_else(|| BlobFolder::new(work.path()), |target| target.blobs().clone());
        let built = build::build(&what, &blobs)?;
        if self.verify_reproducible {
            verify(&what, &built, settings)?;
        }
        for note in &built.notes {
            settings.warn(note_of(note));
        }
        settings.tell(Event::Built { output: output.as_ref(), built: &built });
        if self.push {
            let image = FolderImage { root: built.root.clone(), blobs };
            let image = LocalImage { source: &image, shown: "the image".to_owned() };
            let origin = base.as_ref().and_then(|base| base.origin.clone());
            push(&image, origin, &destinations, None, settings, session.open()?)?;
            if self.attestations.are_given() {
                let parameters = self.parameters();
                let mut catalog = Catalog::default();
                for part in &parts {
                    catalog.append(source::content(&part.path, self.is_bundle, settings)?);
                }
                let origin = parts.first().and_then(|part| source::origin(&part.named, settings.budgets.git));
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
        Ok(built.root.digest().to_string())
    }

    /// Refuses what is not valid: what the image will have in the directory of its catalog.
    fn validate(
        &self,
        parts: &[(&Path, &Path)],
        base: Option<&dyn ImageSource>,
        settings: &Settings,
    ) -> Result<(), Error> {
        if self.skips_validation {
            return Ok(());
        }
        let Some(base) = base.filter(|_| self.keeps_base_catalog && !self.is_bundle) else {
            return parts.iter().try_for_each(|(path, _)| match is_valid(path, self.is_bundle, settings)? {
                true => Ok(()),
                false => Err(checked::not_valid(path, "build")),
            });
        };
        let (composed, at) = composition::composed(parts, base, settings)?;
        let tree = DiskTree { root: composed.path().to_path_buf() };
        match is_valid_catalog(CatalogSource::of_tree(Box::new(tree), &at), &at, settings)? {
            true => Ok(()),
            false => Err(checked::not_valid(&at, "build")
                .help("these are the files of the image: those of the directory, and where it has none those of the base")),
        }
    }

    /// Writes the files that scripts read.
    fn write_files(&self, built: &Built, settings: &Settings) -> Result<(), Error> {
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
        write_file(path, settings, |out| {
            writeln!(out, "{metadata:#}").map_err(|error| Error::io("write", path, &error))
        })
        .map(drop)
    }
}

/// What a base does, with what to do about it.
fn note_of(note: &BaseNote) -> Error {
    let warning = Error::new(note.to_string());
    match note {
        BaseNote::NoServer(_) => {
            warning.help("--serve puts a program into the image that serves the catalog")
        }
        BaseNote::Cache(_) | BaseNote::Directory(_) => warning,
    }
}

/// Attaches to the image what is known of it, wherever it was pushed to.
fn attach(
    attestations: Attestations,
    destinations: &[Reference],
    known: &Knowledge<'_>,
    session: &OpenSession,
    settings: &Settings,
) -> Result<(), Error> {
    for destination in destinations {
        let attached = attestations.attach(destination, known, session)?;
        settings.tell(Event::Attached { destination, documents: &attached });
    }
    Ok(())
}

/// Builds once more, with one thread, and compares.
fn verify(what: &Build<'_>, built: &Built, settings: &Settings) -> Result<(), Error> {
    let folder = settings.scratch_directory()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| Error::new(format!("a worker thread does not start: {error}")))?;
    let blobs = BlobFolder::new(folder.path());
    let again = pool.install(|| build::build(what, &blobs))?;
    if again != *built {
        return Err(Error::refusal(format!(
            "the image is not reproducible: {} first, {} then",
            built.root.digest(),
            again.root.digest()
        ))
        .help("something changed the files in between; build once more when nothing does"));
    }
    Ok(())
}
