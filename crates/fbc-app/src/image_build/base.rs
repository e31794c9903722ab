//! What an image is built on.

use fbc_image::image::PlatformName;
use fbc_image::{Image, ImageSource};
use fbc_registry::{PlatformChoice, Reference};
use fbc_source::Error;
use fbc_source::Session;
use fbc_source::image_source::ImageName;

use crate::image_build::attestation::Material;
use crate::invalid_value::InvalidValue;

/// What an image is built on.
#[derive(Clone, Debug)]
pub enum Base {
    /// Nothing.
    Scratch,
    /// An image.
    Image(ImageName),
}

/// A base with all that is needed of it.
pub(super) struct OpenBase {
    pub(super) source: Box<dyn ImageSource>,
    /// The repository that it comes from.
    pub(super) origin: Option<Reference>,
    /// Its name and digest.
    pub(super) material: Material,
}

impl OpenBase {
    /// Its name in a registry, for who looks at the image.
    pub(super) fn name(&self) -> Option<String> {
        self.origin.as_ref()?;
        let name = &self.material.name;
        Some(name.strip_prefix("docker://").unwrap_or(name).to_owned())
    }
}

impl Base {
    /// Reads `scratch`, or the name of an image.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "scratch" => Ok(Self::Scratch),
            text => {
                ImageName::parse(text).map(Self::Image).map_err(|error| format!("{error}, or scratch").into())
            }
        }
    }

    /// Opens the base, with the layers of the platforms; none means all.
    pub(super) fn open(
        &self,
        platforms: &[PlatformName],
        session: &Session,
    ) -> Result<Option<OpenBase>, Error> {
        let name = match self {
            Self::Scratch => return Ok(None),
            Self::Image(name) => name,
        };
        let within = |error| Error::from(error).within(&name.to_string());
        let text = match name {
            ImageName::Local(reference) => {
                let source = reference.open().map_err(within)?;
                let digest = source.root().digest().to_string();
                let material = Material { name: reference.to_string(), digest };
                return Ok(Some(OpenBase { source, origin: None, material }));
            }
            ImageName::Registry(text) => text,
        };
        let session = session.open()?;
        let (origin, cached) = session.documents(text, &PlatformChoice::All)?;
        session.admit(text, &origin)?;
        for image in Image::all(&cached).map_err(within)? {
            let platform = image.platform();
            if platforms.is_empty() || platforms.iter().any(|wanted| wanted.accepts(&platform)) {
                session.layers(&origin, &image)?;
            }
        }
        let digest = origin.digest().map(ToString::to_string).unwrap_or_default();
        let material = Material { name: text.clone(), digest };
        Ok(Some(OpenBase { source: Box::new(cached), origin: Some(origin), material }))
    }
}
