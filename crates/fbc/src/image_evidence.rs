//! What validation is to know of images, as flags say.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use fbc_app::loading::Loader;
use fbc_model::Catalog;
use fbc_source::Session;
use fbc_source::image_evidence::ImageEvidence;

use crate::failure::Failure;
use crate::settings::Settings;

/// What to look at beside the catalogs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct EvidenceArguments {
    /// The catalog that users have now, an image or a directory: channels and entries of its packages must stay
    #[arg(long, value_name = "REF", conflicts_with = "base", value_hint = ValueHint::AnyPath)]
    index: Option<PathBuf>,
    /// Ask registries whether every image that a catalog names can be pulled; with --index, every one that the index does not
    /// name. One that cannot is a warning (IMG307); add --deny-warnings to fail for it
    #[arg(long, conflicts_with = "base")]
    check_images: bool,
}

impl EvidenceArguments {
    /// The reference of the index.
    pub(crate) fn index(&self) -> Option<&PathBuf> {
        self.index.as_ref()
    }

    /// Loads what the flags name.
    pub(crate) fn read(&self, session: &Session, settings: &Settings) -> Result<ImageEvidence, Failure> {
        let index = self.index.as_ref().map(|index| load_index(index, session, settings)).transpose()?;
        Ok(ImageEvidence::new(index, self.check_images))
    }
}

/// Loads the released index.
pub(crate) fn load_index(
    reference: &PathBuf,
    session: &Session,
    settings: &Settings,
) -> Result<Arc<Catalog>, Failure> {
    let shown = reference.display();
    let Some(index) = Loader::new(session, settings).all(std::slice::from_ref(reference))? else {
        return Err(Failure::new(format!("the index {shown} cannot be read; see above")));
    };
    if index.packages.is_empty() {
        return Err(Failure::new(format!("the index {shown} has no package")).help("name a released catalog"));
    }
    Ok(Arc::new(index))
}
