//! A client for registries, made of the flags of a command and of the environment.

use std::sync::Arc;

use fbc_app::registry::connection::{ConnectionChoice, Surroundings};
use fbc_app::registry::logins::Logins;
use fbc_app::registry::{RegistryChoice, SignatureChoice};
use fbc_image::image::PlatformName;
use fbc_source::input_file::InputLimits;
use fbc_source::session::Connection;
use fbc_source::{Error, Session};

use super::RegistryArguments;
use super::places::signature_places;
use super::progress::{Progress, SharedProgress, Voice};
use super::tokio_clock::TokioClock;
use crate::settings::Settings;

/// What flags say; the default is that of a command without flags.
#[derive(Clone, Debug, Default)]
pub(super) struct Flags {
    pub(super) registry: RegistryArguments,
    pub(super) logins: Logins,
    /// The platform of images for several.
    pub(super) platform: Option<PlatformName>,
    /// How many blobs travel at the same time.
    pub(super) parallel: Option<u8>,
    /// Blobs are sent in parts of this size, in bytes.
    pub(super) chunk_size: Option<u64>,
    /// Which signatures images must have that are copied; who only reads images asks for none.
    pub(super) signatures: Option<SignatureChoice>,
    /// Whether the certificates of source and destination are verified, where that is said apart.
    pub(super) verify_sides: (Option<bool>, Option<bool>),
}

/// How a command without flags asks registries.
pub(crate) fn usual_connection(quiet: bool, verbose: bool) -> Result<Connection, Error> {
    // No policy is read without flags.
    let input = fbc_app::settings::Budgets::default().input;
    Flags::default().connect(Voice::new(quiet, verbose), input)
}

impl Flags {
    /// How a command with these flags gets images. A command makes one session and passes it to whatever may meet the name of
    /// an image. Nothing is read or asked before it is opened.
    pub(super) fn session(self, settings: &Settings) -> Session {
        let platform = self.platform.clone();
        let reading = settings.reading();
        let (voice, input) = (Voice::new(settings.quiet, settings.verbose), settings.budgets.input);
        Session::new(reading, platform, Box::new(move || self.connect(voice, input)))
    }

    fn connect(&self, voice: Voice, input: InputLimits) -> Result<Connection, Error> {
        let progress = Arc::new(SharedProgress(Arc::new(Progress::new(voice))));
        let choice = ConnectionChoice {
            registry: RegistryChoice {
                source_tls_verify: self.verify_sides.0,
                destination_tls_verify: self.verify_sides.1,
                ..self.registry.choice()
            },
            logins: self.logins.clone(),
            parallel: self.parallel,
            chunk_size: self.chunk_size,
            signatures: self.signatures.clone(),
        };
        choice.connect(Surroundings {
            places: self.registry.places(),
            signature_paths: &signature_places,
            clock: Arc::new(TokioClock),
            observer: Arc::<SharedProgress>::clone(&progress),
            progress,
            cache: &|| self.registry.cache.images_or_scratch(),
            input,
        })
    }
}
