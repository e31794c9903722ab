//! Registries outside of the simulation, asked for what nobody pushed into it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fbc_model::tree::Tree;
use fbc_resolve::Rules;

use super::{Image, PullError};

/// What an image holds.
pub struct ImageContent {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The catalog's directory, or the bundle's.
    pub files: Arc<dyn Tree>,
}

/// Registries that are there whatever the simulation does. Repositories begin with their host. Time stands still while
/// they are asked.
pub trait Outside {
    /// The digest of the image that has a tag now.
    ///
    /// # Errors
    /// The registry does not say it.
    fn digest(&self, repository: &str, tag: &str) -> Result<String, PullError>;

    /// What the image of a digest holds.
    ///
    /// # Errors
    /// It cannot be pulled.
    fn content(&self, repository: &str, digest: &str) -> Result<ImageContent, PullError>;
}

/// The images outside, each read once for each repository: what one has, another may not have.
#[derive(Default)]
pub(super) struct Outsiders {
    outside: Option<(Box<dyn Outside>, Rules)>,
    /// By repository and digest.
    pulled: RefCell<BTreeMap<(String, String), Arc<Image>>>,
}

impl fmt::Debug for Outsiders {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outsiders").field("pulled", &self.pulled).finish_non_exhaustive()
    }
}

impl Outsiders {
    pub(super) fn new(outside: Box<dyn Outside>, rules: Rules) -> Self {
        Self { outside: Some((outside, rules)), pulled: RefCell::default() }
    }

    /// The image of a tag or digest, with its digest; nothing if nobody is asked.
    pub(super) fn pull(
        &self,
        repository: &str,
        tag: Option<&str>,
        digest: Option<&str>,
    ) -> Option<Result<(String, Arc<Image>), PullError>> {
        let (outside, rules) = self.outside.as_ref()?;
        let digest = match digest {
            Some(digest) => Ok(digest.to_owned()),
            None => outside.digest(repository, tag.unwrap_or("latest")),
        };
        Some(digest.and_then(|digest| {
            let key = (repository.to_owned(), digest.clone());
            if let Some(image) = self.pulled.borrow().get(&key) {
                return Ok((digest, Arc::clone(image)));
            }
            let ImageContent { labels, files } = outside.content(repository, &digest)?;
            let image = Image::of_files(files, labels, *rules);
            let image = Arc::new(image.map_err(|error| PullError::retryable(error.to_string()))?);
            self.pulled.borrow_mut().insert(key, Arc::clone(&image));
            Ok((digest, image))
        }))
    }
}
