//! `opm version`.

use std::env;

use fbc_go::text::quote;
use fbc_template::OpmSemantics;

use super::error::OpmError;
use super::print;

/// The opm whose behaviour this command line has.
const OPM_VERSION: &str = "v1.73.0";

/// The Go whose words errors have: those of `encoding/json` changed with 1.27, where it was built on its second version.
const GO_VERSION: &str = "go1.26";

/// The environment variable with the version to tell instead, for pipelines that compare it with one they pin.
const VARIABLE: &str = "FBC_OPM_VERSION";

pub(super) fn run() -> Result<(), OpmError> {
    print(&line(told().as_deref().unwrap_or(OPM_VERSION)))
}

/// The version that the environment names.
fn told() -> Option<String> {
    env::var(VARIABLE).ok().filter(|version| !version.is_empty())
}

/// Whose expansion of semver templates counts: that of the version that is told, as far as it is known. A build that
/// is named by its commit counts as the latest.
pub(super) fn semantics() -> OpmSemantics {
    told().and_then(|version| OpmSemantics::parse(&version).ok()).unwrap_or_default()
}

/// The line that opm prints: a struct as Go prints it. Scripts cut the version of opm out of it, so that stands
/// there alone; fbc names itself in place of the commit, and the Go that it follows.
fn line(opm_version: &str) -> String {
    let architecture = match env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    };
    let system = env::consts::OS.replace("macos", "darwin");
    format!(
        "Version: version.Version{{OpmVersion:{}, GitCommit:\"fbc-{}-{GO_VERSION}\", BuildDate:\"\", GoOs:\"{system}\", \
         GoArch:\"{architecture}\"}}\n",
        quote(opm_version),
        env!("CARGO_PKG_VERSION"),
    )
}

#[cfg(test)]
mod tests {
    use super::line;

    /// The ways in which scripts take the line apart.
    #[test]
    fn the_line_can_be_taken_apart() {
        let line = line("v1.47.0");
        assert!(
            line.starts_with("Version: version.Version{OpmVersion:\"v1.47.0\", GitCommit:\"fbc-"),
            "{line}"
        );
        assert_eq!(line.split('"').nth(1), Some("v1.47.0"));
        let first_field = line.split('{').nth(1).and_then(|rest| rest.split(',').next());
        assert_eq!(first_field, Some("OpmVersion:\"v1.47.0\""));
        assert!(line.ends_with("\"}\n"), "{line}");
    }
}
