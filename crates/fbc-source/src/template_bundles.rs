//! Where templates get their bundles: from directories and images, as opm does or as their author means it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_bundle::folder::is_bundle;
use fbc_bundle::{BundleError, BundleFolder, ImageTemplate, ImageTemplateError};
use fbc_go::text::quote;
use fbc_image::image::{BUNDLE_PACKAGE_LABEL, CATALOG_LABEL};
use fbc_model::Bundle;
use fbc_model::image_reference;
use fbc_model::tree::{DiskTree, Tree};
use fbc_template::{BundleSource, SourceError};

use crate::error::{Error, ErrorKind};
use crate::image_map::ImageMap;
use crate::image_source::{ImageName, Unpacked, unpack_contents, unpack_opened};
use crate::session::Session;
use crate::{confinement, git_tree};

/// The label of catalog images that are a database.
const DATABASE_LABEL: &str = "operators.operatorframework.io.index.database.v1";

/// A directory that cannot be rendered as the image that it stands for.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {fault}", place.display())]
pub struct RenderError {
    /// The directory.
    pub place: PathBuf,
    /// What is wrong.
    pub fault: RenderFault,
}

/// Why a directory cannot be rendered.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
pub enum RenderFault {
    /// It is not a bundle that opm renders.
    Bundle(#[from] BundleError),
    /// The name of the image is not one.
    Name(#[from] ImageTemplateError),
}

/// Renders the bundle in a directory as the image of that name.
///
/// # Errors
/// [`RenderError`]
pub fn render_bundle_image(reference: &str, tree: &dyn Tree, place: &Path) -> Result<Bundle, RenderError> {
    let rendered = || {
        let folder = BundleFolder::read(tree)?;
        // Without fields a template is the reference itself.
        let image = ImageTemplate::parse(reference)?;
        Ok(fbc_bundle::render::render(&folder, Some(&image))?)
    };
    rendered().map_err(|fault| RenderError { place: place.to_path_buf(), fault })
}

/// Pulls an image as opm does, which wants to know host, repository, and tag or digest.
///
/// Source: `containers/image:docker/reference/normalize.go`, `docker/docker_transport.go`.
///
/// # Errors
/// [`SourceError`], in opm's words.
pub fn pull_as_opm(reference: &str, session: &Session) -> Result<Unpacked, SourceError> {
    let parsed = image_reference::parse(reference).map_err(|error| Error::refusal(error.to_string()));
    let pulled = parsed.and_then(|parsed| {
        let tag = parsed.tag.as_ref().map(|tag| format!(":{tag}")).unwrap_or_default();
        let digest = parsed.digest.as_ref().map(|digest| format!("@{digest}")).unwrap_or_default();
        if format!("{}/{}{tag}{digest}", parsed.domain, parsed.path) != reference {
            return Err(Error::refusal("repository name must be canonical"));
        }
        match (tag.is_empty(), digest.is_empty()) {
            (true, true) => {
                let why = "is not for an unknown digest case; tag or digest is needed";
                Err(Error::refusal(format!("Docker reference {reference} {why}")))
            }
            (false, false) => {
                let text = "Docker references with both a tag and digest are currently not supported";
                Err(Error::refusal(text))
            }
            _ => {
                let name = ImageName::Registry(reference.to_owned());
                let opened = name.open(session.platform(), session)?;
                Ok((name, opened))
            }
        }
    });
    let failed = |error: Error| not_pulled(reference, &error);
    let (name, opened) = pulled.map_err(failed)?;
    let labels = opened.image.labels();
    if !labels.contains_key(CATALOG_LABEL) && !labels.contains_key(BUNDLE_PACKAGE_LABEL) {
        return Err(SourceError::Unusable(without_type(reference, &labels)));
    }
    unpack_opened(&name, &opened, session).map_err(failed)
}

/// What opm says of an image that is neither a catalog nor a bundle.
///
/// Source: `operator-framework/operator-registry:alpha/action/render.go` (`imageToDeclcfg`).
fn without_type(reference: &str, labels: &BTreeMap<&str, &str>) -> String {
    let reference = quote(reference);
    if labels.contains_key(DATABASE_LABEL) {
        return format!(
            "render {reference}: sqlite-based index images are no longer supported, migrate to a file-based catalog: \
             not allowed"
        );
    }
    if labels.is_empty() {
        return format!("render {reference}: image type could not be determined: image has no labels");
    }
    let lines: Vec<String> = labels.iter().map(|(key, value)| format!("  {key}={value}")).collect();
    format!("render {reference}: image type could not be determined, found labels\n{}", lines.join("\n"))
}

/// Pulls an image that has a host, for who may have meant a directory.
fn pull(reference: &str, session: &Session) -> Result<Unpacked, SourceError> {
    let name = ImageName::parse(reference)
        .map_err(|error| Error::refusal(format!("it is not a directory, and {error}")));
    let pulled = name.and_then(|name| unpack_contents(&name, session));
    pulled.map_err(|error| not_pulled(reference, &error))
}

fn not_pulled(reference: &str, error: &Error) -> SourceError {
    let is_refused = error.kind() == ErrorKind::Refused;
    SourceError::Pull { image: reference.to_owned(), reason: error.line(), is_refused }
}

/// Renders a bundle image that was pulled.
fn render_pulled(reference: &str, pulled: &Unpacked) -> Result<Bundle, SourceError> {
    if pulled.is_catalog {
        return Err(unusable("cannot render declarative config image: not allowed"));
    }
    let tree = DiskTree { root: pulled.folder.path().to_path_buf() };
    render_bundle_image(reference, &tree, Path::new(reference)).map_err(unusable)
}

fn unusable(reason: impl ToString) -> SourceError {
    SourceError::Unusable(reason.to_string())
}

/// What directories are that a template names in place of images.
#[derive(Clone, Copy, Debug)]
pub enum TemplateFolders<'r> {
    /// Refused, as opm does.
    Refused,
    /// Bundles on disk, within this directory.
    Within(&'r Path),
    /// Bundles as they are in this revision of the repository, in which the template is, and images in files within this
    /// directory.
    InRevision(&'r str, &'r Path),
}

impl<'r> TemplateFolders<'r> {
    /// What a template may not lead out of ([`confinement::confining_directory`]).
    fn root(self) -> Option<&'r Path> {
        match self {
            Self::Refused => None,
            Self::Within(root) | Self::InRevision(_, root) => Some(root),
        }
    }
}

/// Where templates get their bundles.
pub struct TemplateBundles<'m> {
    /// The directories that stand for images.
    pub images: &'m ImageMap,
    /// What a directory that a template names in place of an image is.
    pub folders: TemplateFolders<'m>,
    /// Where images come from.
    pub session: &'m Session,
}

impl BundleSource for TemplateBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        let in_folder = |folder: &Path| {
            let tree = self.session.reading().disk_tree(folder);
            render_bundle_image(reference, tree.as_ref(), folder).map_err(unusable)
        };
        if let Some(folder) = self.images.existing_folder(reference).map_err(unusable)? {
            return in_folder(folder);
        }
        // What the author of a template names is not what the user of it chose.
        let root = self.folders.root().filter(|_| !self.session.reading().follows_links);
        if let Some(root) = root.filter(|root| confinement::leads_out(root, reference)) {
            return Err(SourceError::Outside { name: reference.to_owned(), root: root.to_path_buf() });
        }
        let folder = Path::new(reference);
        match (folder.is_dir(), self.folders) {
            (true, TemplateFolders::Within(_)) => in_folder(folder),
            (is_on_disk, TemplateFolders::InRevision(revision, _)) => {
                match git_tree::folder_in_revision(revision, folder, self.session.reading().git) {
                    Some(tree) => render_bundle_image(reference, &tree, folder).map_err(unusable),
                    None if is_on_disk => {
                        let shown = quote(reference);
                        Err(unusable(format!("revision {revision:?} does not have the directory {shown}")))
                    }
                    None => render_pulled(reference, &pull(reference, self.session)?),
                }
            }
            (true, TemplateFolders::Refused) => {
                let kind = if is_bundle(&DiskTree { root: folder.to_path_buf() }) {
                    "bundle"
                } else {
                    "declarative config"
                };
                Err(unusable(format!("cannot render {kind} directory {}: not allowed", quote(reference))))
            }
            (false, TemplateFolders::Refused) => {
                render_pulled(reference, &pull_as_opm(reference, self.session)?)
            }
            (false, TemplateFolders::Within(_)) => render_pulled(reference, &pull(reference, self.session)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_without_a_type_are_told_by_their_labels() {
        for (labels, expected) in [
            (&[][..], "render \"a.b/c:d\": image type could not be determined: image has no labels"),
            (
                &[("z", "1"), ("a", "2 3")],
                "render \"a.b/c:d\": image type could not be determined, found labels\n  a=2 3\n  z=1",
            ),
            (
                &[("a", "2"), (DATABASE_LABEL, "/db")],
                "render \"a.b/c:d\": sqlite-based index images are no longer supported, migrate to a file-based \
                 catalog: not allowed",
            ),
        ] {
            assert_eq!(without_type("a.b/c:d", &labels.iter().copied().collect()), expected);
        }
    }
}
