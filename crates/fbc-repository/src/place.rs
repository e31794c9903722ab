//! What was found in a repository.

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::path::PathBuf;

use fbc_version::OpenShiftRelease;

/// What was found in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// The catalogs, by release and path.
    pub catalogs: Vec<CatalogPlace>,
    /// What was not taken for a catalog although it looks like one, or could not be told.
    pub notes: Vec<Note>,
}

/// A catalog of a repository. All paths begin at the root of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogPlace {
    /// The directory or file.
    pub path: PathBuf,
    /// The releases of OpenShift that it is for; none if nothing says that.
    pub releases: BTreeSet<OpenShiftRelease>,
    /// What makes images of it.
    pub images: Vec<ImageFile>,
    /// What it is made from.
    pub templates: Vec<TemplateUse>,
    /// What says that it is a catalog.
    pub found_by: BTreeSet<FoundBy>,
    /// Whether it is not there: it is made from its template, and not committed.
    pub is_absent: bool,
}

impl CatalogPlace {
    /// The Dockerfile that makes its image for a release, or else the first one.
    #[must_use]
    pub fn image(&self, release: Option<OpenShiftRelease>) -> Option<&ImageFile> {
        self.images.iter().find(|image| image.release == release).or(self.images.first())
    }

    /// About how much it takes: paths may be long, and repeat for each release.
    pub(crate) fn bytes(&self) -> usize {
        let templates = self.templates.iter().map(|template| {
            size_of::<TemplateUse>()
                + template.path.as_os_str().len()
                + template.output.as_ref().map_or(0, |path| path.as_os_str().len())
        });
        size_of::<Self>()
            + self.path.as_os_str().len()
            + self.images.iter().map(ImageFile::bytes).sum::<usize>()
            + templates.sum::<usize>()
    }
}

/// A Dockerfile that makes an image of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFile {
    /// The Dockerfile.
    pub path: PathBuf,
    /// The release that the image is for.
    pub release: Option<OpenShiftRelease>,
    /// The image that it is built on, where that is known.
    pub base: Option<String>,
    /// Where the catalog goes, below the directory that is served: for a file its own path.
    pub target: PathBuf,
    /// The arguments that the build needs to take this catalog, with their values.
    pub arguments: Vec<(String, String)>,
}

impl ImageFile {
    /// About how much it takes.
    pub(crate) fn bytes(&self) -> usize {
        let arguments = self.arguments.iter().map(|(name, value)| name.len() + value.len());
        size_of::<Self>()
            + self.path.as_os_str().len()
            + self.base.as_ref().map_or(0, String::len)
            + self.target.as_os_str().len()
            + arguments.sum::<usize>()
    }
}

/// A template that a catalog, or a part of it, is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateUse {
    /// The template.
    pub path: PathBuf,
    /// The file that it expands to; nothing where that is to be told from the catalog.
    pub output: Option<PathBuf>,
}

/// What says that something is a catalog.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// `[[catalogs]]` of `fbc.toml`.
    Configuration,
    /// A Dockerfile that copies it to the directory that is served.
    Dockerfile,
    /// A `catalog_mapping` of a `ci.yaml`.
    CiFile,
    /// The name of its directory.
    DirectoryName,
    /// The blobs in it, where nothing else says more.
    Blobs,
}

impl FoundBy {
    /// Its name in tables and JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Configuration => "fbc.toml",
            Self::Dockerfile => "Dockerfile",
            Self::CiFile => "ci.yaml",
            Self::DirectoryName => "directory name",
            Self::Blobs => "blobs",
        }
    }
}

/// What was not taken, or could not be told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// A directory is named after a version that no release of OpenShift has.
    NoRelease(PathBuf),
    /// A Dockerfile copies something that is not there.
    Missing {
        /// The Dockerfile.
        dockerfile: PathBuf,
        /// What it copies.
        source: String,
    },
    /// A Dockerfile copies what a build argument names, and nothing in the repository says its value.
    UnknownArgument {
        /// The Dockerfile.
        dockerfile: PathBuf,
        /// The argument.
        argument: String,
    },
    /// A Dockerfile copies the catalogs of several releases into one image.
    SeveralReleases {
        /// The Dockerfile.
        dockerfile: PathBuf,
        /// The releases.
        releases: Vec<OpenShiftRelease>,
    },
    /// `ci.yaml` cannot be read.
    CiFile {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// What may be a template or Dockerfile is a symbolic link that leads out of the repository.
    LeadsOut(PathBuf),
    /// Several templates may be the one that a catalog is made from.
    SeveralTemplates(Vec<PathBuf>),
    /// The contents of a directory may not be listed.
    Closed(PathBuf),
    /// Not all directories were looked at, because there are too many.
    TooMany,
    /// There are so many more notes of the kind of the one before.
    More(usize),
}

/// So many notes of a kind are kept.
pub const MOST_NOTES: usize = 100;

/// The notes in order, each once, and of each kind no more than [`MOST_NOTES`], with how many more there are.
pub(crate) fn without_excess(mut notes: Vec<Note>) -> Vec<Note> {
    notes.sort();
    notes.dedup();
    let mut kept = Vec::new();
    for of_kind in notes.chunk_by(|a, b| discriminant(a) == discriminant(b)) {
        kept.extend(of_kind.iter().take(MOST_NOTES).cloned());
        let more = of_kind.len().saturating_sub(MOST_NOTES);
        kept.extend((more > 0).then_some(Note::More(more)));
    }
    kept
}
