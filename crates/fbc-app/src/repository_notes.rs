//! What is said of a repository whose catalogs are looked for: notes, and that there are none.

use std::path::Path;

use fbc_repository::{CONFIGURATION, Note, Repository};
use fbc_source::Error;
use fbc_version::openshift_release::in_words;

use crate::event::Event;
use crate::settings::Settings;

/// The failure of a repository without catalogs.
pub fn nothing(directory: &Path) -> Error {
    Error::refusal(format!("no catalogs are found in {}", directory.display()))
        .help(format!("name them in {CONFIGURATION} as `[[catalogs]]`, with `path` and `ocp`"))
}

/// Tells what is odd about a repository.
pub fn tell_notes(found: &Repository, settings: &Settings) {
    found.notes.iter().for_each(|note| settings.tell(Event::RepositoryNote(note)));
}

/// A note in words.
pub fn words(note: &Note) -> String {
    match note {
        Note::NoRelease(path) => {
            format!("{} is named after a version that is not a release of OpenShift", path.display())
        }
        Note::Missing { dockerfile, source } => {
            format!("{} copies {source}, which does not exist", dockerfile.display())
        }
        Note::UnknownArgument { dockerfile, argument } => format!(
            "{} copies what the build argument {argument} names, and no pipeline in .tekton says its value; \
             name the catalog in {CONFIGURATION}",
            dockerfile.display()
        ),
        Note::SeveralReleases { dockerfile, releases } => format!(
            "{} copies the catalogs of {} into one image, so it is not taken for the Dockerfile of any",
            dockerfile.display(),
            in_words(releases)
        ),
        Note::CiFile { path, reason } => format!("{} is ignored: {reason}", path.display()),
        Note::LeadsOut(path) => {
            format!(
                "{} is a symbolic link that leads out of the repository, which is not followed",
                path.display()
            )
        }
        Note::SeveralTemplates(paths) => {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            format!("{} are templates, and nothing says which catalog each is for", names.join(", "))
        }
        Note::Closed(path) => format!("{} may not be listed, so its catalogs are not known", path.display()),
        Note::More(count) => format!("there are {count} more notes of this kind"),
        Note::TooMany => {
            format!("there are too many directories to look at; name the catalogs in {CONFIGURATION}")
        }
    }
}
