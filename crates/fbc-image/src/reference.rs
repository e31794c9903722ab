//! References to images that lie in files and directories, with the names of `containers/image`'s transports.
//!
//! Source of the forms: `containers/image:docs/containers-transports.5.md`.

use std::fmt;
use std::path::PathBuf;

use crate::error::ImageError;
use crate::image::ImageSource;
use crate::layout;

/// A form in which images lie on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// An OCI layout directory.
    Oci,
    /// A tar archive of an OCI layout.
    OciArchive,
    /// What `docker save` writes and `docker load` reads.
    DockerArchive,
}

impl Transport {
    const ALL: [Self; 3] = [Self::Oci, Self::OciArchive, Self::DockerArchive];

    /// The word in front of a reference.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Oci => "oci",
            Self::OciArchive => "oci-archive",
            Self::DockerArchive => "docker-archive",
        }
    }
}

/// An image that lies in a file or folder: `oci:PATH[:NAME]` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalReference {
    /// The form.
    pub transport: Transport,
    /// The file or directory.
    pub path: PathBuf,
    /// The image in it: a name, or a digest behind `@`.
    pub name: Option<String>,
}

impl fmt::Display for LocalReference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.transport.name(), self.path.display())?;
        match &self.name {
            Some(name) if name.starts_with("sha256:") => write!(out, "@{name}"),
            Some(name) => write!(out, ":{name}"),
            None => Ok(()),
        }
    }
}

/// A reference that begins with a transport and is not complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalReferenceError {
    /// There is no path.
    #[error("no path follows the transport; write {word}:PATH or {word}:PATH:NAME", word = .0.name())]
    NoPath(Transport),
    /// There is a colon without a name.
    #[error("no name follows the last colon; write {word}:PATH or {word}:PATH:NAME", word = .0.name())]
    NoName(Transport),
}

impl LocalReference {
    /// Reads a reference; `None` for what begins with no transport.
    ///
    /// # Errors
    /// [`LocalReferenceError`]
    pub fn parse(text: &str) -> Option<Result<Self, LocalReferenceError>> {
        let (word, rest) = text.split_once(':')?;
        let transport = Transport::ALL.into_iter().find(|transport| transport.name() == word)?;
        let (path, name) = match rest.split_once("@sha256:") {
            Some((path, digits)) => (path, Some(format!("sha256:{digits}"))),
            None => match rest.split_once(':') {
                Some((path, name)) => (path, Some(name.to_owned())),
                None => (rest, None),
            },
        };
        if path.is_empty() {
            return Some(Err(LocalReferenceError::NoPath(transport)));
        }
        if name.as_ref().is_some_and(String::is_empty) {
            return Some(Err(LocalReferenceError::NoName(transport)));
        }
        Some(Ok(Self { transport, path: PathBuf::from(path), name }))
    }

    /// Opens the image.
    ///
    /// # Errors
    /// If it is not there, or not what the transport says.
    pub fn open(&self) -> Result<Box<dyn ImageSource>, ImageError> {
        let name = self.name.as_deref();
        Ok(match self.transport {
            Transport::Oci => Box::new(layout::LayoutFolder::open(&self.path, name)?),
            Transport::OciArchive => Box::new(layout::LayoutArchive::open(&self.path, name)?),
            Transport::DockerArchive => Box::new(layout::DockerArchive::open(&self.path, name)?),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn references() {
        for (text, path, name) in [
            ("oci:a/b", "a/b", None),
            ("oci:a/b:v1", "a/b", Some("v1")),
            ("oci-archive:x.tar:quay.io/me/c:v1", "x.tar", Some("quay.io/me/c:v1")),
            ("docker-archive:/x.tar", "/x.tar", None),
            ("oci:a@sha256:00", "a", Some("sha256:00")),
        ] {
            let reference = LocalReference::parse(text).unwrap().unwrap();
            assert_eq!((reference.path.to_str(), reference.name.as_deref()), (Some(path), name), "{text}");
            assert_eq!(reference.to_string(), text);
        }
        for text in ["oci:", "oci::v1", "oci:a:"] {
            assert!(LocalReference::parse(text).unwrap().is_err(), "{text}");
        }
        for text in ["catalog", "docker://quay.io/x", "localhost:5000/x", "ocix:a"] {
            assert!(LocalReference::parse(text).is_none(), "{text}");
        }
    }
}
