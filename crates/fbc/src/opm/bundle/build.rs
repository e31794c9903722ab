//! `opm alpha bundle build`: generate, and let a program build the image.

use std::fs;
use std::io;
use std::process::Command;

use fbc_app::bundle_labels::go_words;
use fbc_go::text::quote;

use super::generate::{DOCKERFILE, generate};
use crate::opm::arguments::Invocation;
use crate::opm::error::{OpmError, inform};

/// `opm alpha bundle build`.
pub(in crate::opm) fn build(invocation: &Invocation) -> Result<(), OpmError> {
    let directory = invocation.text("directory");
    if let Err(error) = fs::metadata(directory)
        && error.kind() == io::ErrorKind::NotFound
    {
        return Err(OpmError::Usage(format!("stat {directory}: {}", go_words(&error))));
    }
    generate(invocation, invocation.switch("overwrite"))?;
    inform("Building bundle image");
    let program = invocation.text("image-builder");
    let tag = invocation.text("tag");
    let words = match program {
        "docker" | "podman" => vec!["build", "-f", DOCKERFILE, "-t", tag, "."],
        "buildah" => vec!["bud", "--format=docker", "-f", DOCKERFILE, "-t", tag, "."],
        _ => return Err(OpmError::Usage(format!("{program} is not supported image builder"))),
    };
    let failed = |why: String| {
        let line: Vec<String> = [program].iter().chain(&words).map(|word| quote(word)).collect();
        OpmError::Usage(format!("Failed to exec []string{{{}}}: {why}", line.join(", ")))
    };
    match Command::new(program).args(&words).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(match status.code() {
            Some(code) => format!("exit status {code}"),
            None => status.to_string(),
        })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(failed(format!("exec: {}: executable file not found in $PATH", quote(program))))
        }
        Err(error) => Err(failed(format!("exec: {}: {}", quote(program), go_words(&error)))),
    }
}
