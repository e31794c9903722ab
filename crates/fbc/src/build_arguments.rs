//! When an image was made, and what is attached to it, on the command line.

use clap::Args;
use fbc_app::image_build::attestation::Attestations;

use crate::clock;
use crate::failure::Failure;

/// When an image was made, as far as the image says.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BuildTime {
    /// The time in the image and of its files, in seconds since 1970
    #[arg(long, value_name = "SECONDS", env = "SOURCE_DATE_EPOCH", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=clock::LAST_SECOND))]
    source_date_epoch: u64,
}

impl BuildTime {
    /// What the environment says, for commands without the flag.
    pub(crate) fn from_environment() -> Result<Self, Failure> {
        let named =
            clock::source_date_epoch().map_err(|error| Failure::new(error.to_string()).help("unset it"))?;
        let seconds = named.map_or(0, |moment| u64::try_from(moment.seconds()).unwrap_or_default());
        Ok(Self { source_date_epoch: seconds })
    }

    /// The seconds since 1970.
    pub(crate) fn seconds(self) -> u64 {
        self.source_date_epoch
    }
}

/// Which documents are attached.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct AttestationArguments {
    /// Attach a bill of materials (SPDX 2.3) to the pushed image: its bundles with their versions, and the images that they need
    #[arg(long, requires = "push")]
    sbom: bool,
    /// Attach a statement of provenance (in-toto, SLSA 1.0) to the pushed image: what it was built of, and how
    #[arg(long, requires = "push")]
    provenance: bool,
}

impl AttestationArguments {
    /// What is attached.
    pub(crate) fn attestations(self) -> Attestations {
        Attestations { sbom: self.sbom, provenance: self.provenance }
    }
}
