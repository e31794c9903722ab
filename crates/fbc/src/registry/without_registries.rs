//! The flags of commands that read images, in a program that was built without the feature `registry`: images in files and
//! directories are read, those of registries are refused when they are met.

use std::path::{Path, PathBuf};

use clap::Args;
use fbc_image::image::PlatformName;
use fbc_source::{Error, Session};

use crate::settings::Settings;

/// How images are chosen that are read.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ImageArguments {
    /// Of an image for several platforms, take this one [default: linux/amd64, else the first]
    #[arg(long, value_name = "OS/ARCH", help_heading = "Registry options", hide_short_help = true)]
    pub(crate) platform: Option<PlatformName>,
}

/// How whole images travel: they do not.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TransferArguments {}

/// Who copies: nobody.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopyLogins {}

/// How registries would be spoken to, as opm's flags say.
#[derive(Clone, Debug, Default)]
#[expect(dead_code, reason = "opm's flags are taken, and there is no registry to be told of them")]
pub(crate) struct RegistryArguments {
    pub(crate) insecure_skip_tls_verify: bool,
    pub(crate) cert_dir: Option<PathBuf>,
}

impl RegistryArguments {
    /// How a command that names these images gets them.
    pub(crate) fn session(&self, _named: Named, settings: &Settings) -> Session {
        Session::new(settings.reading(), None)
    }
}

/// The images that a command line names, which nobody is asked for.
#[derive(Default)]
pub(crate) struct Named;

impl Named {
    /// Those that paths name.
    pub(crate) fn paths<P: AsRef<Path>>(_paths: impl IntoIterator<Item = P>) -> Self {
        Self
    }
}

impl ImageArguments {
    /// How a command with these paths gets images.
    pub(crate) fn session<P: AsRef<Path>>(
        &self,
        _paths: impl IntoIterator<Item = P>,
        settings: &Settings,
    ) -> Session {
        Session::new(settings.reading(), self.platform.clone())
    }

    /// How a command gets images that files name.
    ///
    /// # Errors
    /// None: there are no flags that could be wrong.
    pub(crate) fn session_for_files(&self, settings: &Settings) -> Result<Session, Error> {
        Ok(self.session(None::<&Path>, settings))
    }
}

impl TransferArguments {
    /// How a command that names these images gets them.
    pub(crate) fn session(&self, _named: Named, _copy: &CopyLogins, settings: &Settings) -> Session {
        Session::new(settings.reading(), None)
    }
}
