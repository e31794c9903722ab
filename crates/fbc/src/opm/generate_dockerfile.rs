//! `opm generate dockerfile`.

use std::fs;
use std::path::Path;

use fbc_app::dockerfile::{CONFIGS, Dockerfile, labels, place};
use fbc_app::output::file::write_new_file;
use fbc_go::text::quote;

use super::arguments::Invocation;
use super::error::OpmError;
use crate::failure::words;

pub(super) fn run(invocation: &Invocation) -> Result<(), OpmError> {
    let folder = Path::new(invocation.positionals.first().map(String::as_str).unwrap_or_default());
    let builder_image = invocation.text("builder-image");
    if builder_image == "scratch" {
        return Err(OpmError::Usage("invalid builder image: \"scratch\"".to_owned()));
    }
    let given = ["binary-image", "base-image"].into_iter().find(|flag| invocation.is_given(flag));
    let base_image = invocation.text(given.unwrap_or("base-image"));
    // As ever in opm: the old flag alone sets both, without the check above.
    let sets_both = given == Some("binary-image") && !invocation.is_given("builder-image");
    let labels = labels(invocation.texts("extra-labels")).map_err(OpmError::usage)?;
    let (path, name) = place(folder);
    let shown = path.to_string_lossy();
    if path.exists() {
        return Err(OpmError::Fatal(format!("path {}: file already exists", quote(&shown))));
    }
    let clean = path.with_file_name(&name);
    let metadata = fs::metadata(&clean).map_err(|error| {
        OpmError::Usage(format!("stat {}: {}", clean.display(), words(&error).to_lowercase()))
    })?;
    if !metadata.is_dir() {
        let name = quote(&clean.to_string_lossy());
        return Err(OpmError::Usage(format!("provided root path {name} is not a directory")));
    }
    if base_image.is_empty() {
        return Err(OpmError::Log("base image is unset".to_owned()));
    }
    let builder_image = if sets_both { base_image } else { builder_image };
    let text = Dockerfile { base_image, builder_image, folder: &name, target: CONFIGS, labels }.text();
    write_new_file(&path, text.as_bytes(), "remove it first").map_err(OpmError::refused)
}
