//! `opm version`.

use super::print;
use super::telling::OpmError;

/// Go prints its struct; release builds of opm fill the first fields, so ours names itself there.
pub(super) fn run() -> Result<(), OpmError> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    };
    print(&format!(
        "Version: version.Version{{OpmVersion:\"fbc {}\", GitCommit:\"\", BuildDate:\"\", GoOs:\"{}\", GoArch:\"{architecture}\"}}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS.replace("macos", "darwin"),
    ))
}
