//! What is told while a use case runs, for whoever shows it.

use std::path::Path;

#[cfg(feature = "registry")]
use fbc_image::LocalReference;
#[cfg(feature = "registry")]
use fbc_image::build::Built;
#[cfg(feature = "registry")]
use fbc_registry::Reference;
#[cfg(feature = "registry")]
use fbc_registry::copy::CopyReport;
use fbc_repository::Note;
use fbc_source::Error;

use crate::checked::CheckedCatalog;
use crate::layout::Place;

/// Something that happened on the way.
pub enum Event<'e> {
    /// Something is odd; the run goes on.
    Warning(Error),
    /// Something that may be left unsaid: a warning for whoever does not want quiet.
    Hint(Error),
    /// How the work goes on, for whoever does not want quiet.
    Remark(&'e str),
    /// Something is odd about a repository.
    RepositoryNote(&'e Note),
    /// What only whoever wants more is told.
    Detail(&'e str),
    /// Something worth knowing; nothing is wrong.
    Note(Error),
    /// One of several inputs is refused; the run goes on with the others, and its result says that.
    Refusal(Error),
    /// The errors in a catalog that is refused for them, or all that was found.
    Findings {
        /// What was checked.
        checked: &'e CheckedCatalog,
        /// Whether the errors alone matter.
        errors_only: bool,
    },
    /// A directory is taken as the catalogs in it.
    Expanded {
        /// The directory that was named.
        directory: &'e Path,
        /// Its catalogs.
        catalogs: &'e [Place],
    },
    /// An image was built.
    #[cfg(feature = "registry")]
    Built {
        /// Where it is written, unless it is only pushed.
        output: Option<&'e LocalReference>,
        /// What was built.
        built: &'e Built,
    },
    /// An image was pushed.
    #[cfg(feature = "registry")]
    Pushed {
        /// Where to.
        destination: &'e Reference,
        /// What became of its blobs.
        report: &'e CopyReport,
    },
    /// Documents were attached to an image.
    #[cfg(feature = "registry")]
    Attached {
        /// The image.
        destination: &'e Reference,
        /// What they are.
        documents: &'e [&'static str],
    },
    /// Another process edits the catalog in a directory, and this one waits for it.
    Waiting(&'e Path),
}
