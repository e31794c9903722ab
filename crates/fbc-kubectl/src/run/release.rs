//! `oc adm release`: what is in the image of a release, and its payload as files.

use std::path::{Component, Path, PathBuf};

use fbc_cluster::object::{ObjectFields, ObjectName};

use super::{Failure, Runner, Server};
use crate::command_line::{ReleaseVerb, View};
use crate::print::Output;
use crate::release::{Column, ReleaseImage};
use crate::text::indented_json;

impl<S: Server> Runner<'_, S> {
    pub(super) fn release(&mut self, verb: &ReleaseVerb) -> Result<(), Failure> {
        match verb {
            ReleaseVerb::Info { images, from: Some(from), view } => {
                let (before, after) = (
                    self.release_image(Some(from))?,
                    self.release_image(images.first().map(String::as_str))?,
                );
                let shows_commits = *view == View::All(Column::Commit);
                let text = match view {
                    View::Contents => Ok(extraction(&before, &after)),
                    _ => after.changes_from(&before, shows_commits, self.server.now()),
                };
                self.stdout.push_str(&text.map_err(Failure::from_error)?);
            }
            ReleaseVerb::Info { images, from: None, view } => {
                let wanted: Vec<Option<&str>> = match images.as_slice() {
                    [] => vec![None],
                    images => images.iter().map(|image| Some(image.as_str())).collect(),
                };
                for image in wanted {
                    match self.release_image(image).and_then(|image| self.view(&image, view)) {
                        Ok(text) => self.stdout.push_str(&text),
                        Err(failure) => self.failures.push(failure),
                    }
                }
            }
            ReleaseVerb::Extract { image, to, file } => {
                let image = self.release_image(image.as_deref())?;
                let files = image.files().map_err(Failure::from_error)?;
                let Some(wanted) = file else {
                    let directory = relative(to)?;
                    self.written.extend(files.into_iter().map(|(name, bytes)| (directory.join(name), bytes)));
                    self.stdout.push_str(&image.extracted());
                    return Ok(());
                };
                let found = files.into_iter().find(|(name, _)| name == wanted);
                let (_, bytes) =
                    found.ok_or_else(|| Failure::Text(format!("image did not contain {wanted}")))?;
                self.stdout.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        Ok(())
    }

    fn view(&mut self, image: &ReleaseImage, view: &View) -> Result<String, Failure> {
        let text = match view {
            View::All(column) => image.info(*column, self.server.now()),
            View::List(list) => image.list(*list).map(|(text, errors)| {
                errors.iter().for_each(|error| self.stderr.push_str(&format!("error: {error}\n")));
                text
            }),
            View::Contents => image.contents().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            View::ImageFor(name) => image.image_for(name).map(|image| format!("{image}\n")),
            View::Object => {
                let object = image.to_value().map_err(Failure::from_error)?;
                if *self.output == Output::Json {
                    return Ok(indented_json(&object, 2).map_err(Failure::from_error)? + "\n");
                }
                return Ok(self.output.print(&object, false)?);
            }
        };
        text.map_err(Failure::from_error)
    }

    /// The image that a command line names: by pull spec, by a version that the cluster knows, or that of the cluster.
    fn release_image(&self, wanted: Option<&str>) -> Result<ReleaseImage, Failure> {
        let version = match self.server.kinds().find("config.openshift.io", "ClusterVersion") {
            Some((kind, _)) => self.server.get(&self.request, kind, &ObjectName::cluster("version")).ok(),
            None => None,
        };
        let status = |path: &[&str]| version.as_ref().map(|version| version.text(path).to_owned());
        let named = match wanted {
            None => status(&["status", "desired", "image"])
                .filter(|image| !image.is_empty())
                .ok_or_else(|| Failure::Text("the cluster has no release image; name one".to_owned()))?,
            Some(wanted) if fbc_version::Version::parse(wanted).is_ok() => {
                let lists = [&["status", "history"], &["status", "availableUpdates"]];
                let known =
                    lists.iter().flat_map(|list| version.iter().flat_map(|version| version.list(*list)));
                let found = known.into_iter().find(|one| one["version"] == wanted);
                found.map(|one| one.text(&["image"]).to_owned()).ok_or_else(|| {
                    Failure::Text(format!("the cluster knows no release {wanted}; name its image"))
                })?
            }
            Some(wanted) => wanted.to_owned(),
        };
        let found = self.releases.iter().find(|image| image.reference == named);
        found.cloned().ok_or_else(|| {
            let known: Vec<&str> = self.releases.iter().map(|image| image.reference.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Failure::Text(format!(
                "unable to read image {named}: manifest unknown; the release images here are: {known}"
            ))
        })
    }
}

/// How to compare the files of two releases.
fn extraction(before: &ReleaseImage, after: &ReleaseImage) -> String {
    format!(
        "To see the differences between these releases, run:\n\n  oc adm release extract {} --to=/tmp/old\n  \
         oc adm release extract {} --to=/tmp/new\n  diff /tmp/old /tmp/new\n\n",
        before.reference, after.reference
    )
}

/// A directory below the one that commands run in.
fn relative(directory: &str) -> Result<PathBuf, Failure> {
    let parts = Path::new(directory).components();
    let normal: Option<PathBuf> = parts
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    normal.ok_or_else(|| {
        Failure::Text(format!(
            "--to {directory:?} leads out of the directory of the scenario; name one below it"
        ))
    })
}
