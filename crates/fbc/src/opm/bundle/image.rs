//! `opm alpha bundle unpack` and `opm alpha bundle validate`: bundle images.
//!
//! The verdict is that of opm's validators, which `fbc bundle validate` has as rules; so the list of errors begins as
//! opm's does, and tells each error in the words of the rule.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use fbc_app::bundle_labels::{go_words, media_type};
use fbc_bundle::BundleContents;
use fbc_image::unpack::{Options, unpack_into};
use fbc_lint::{Policy, Profile, Severity, Targets};
use fbc_model::tree::DiskTree;
use fbc_rules::lint_bundle;
use fbc_source::Session;
use fbc_source::image_source::ImageName;
use fbc_staging::{Root, StagedDirectory};

use super::generate::copy;
use crate::failure::Failure;
use crate::image_map;
use crate::opm::arguments::Invocation;
use crate::opm::error::{OpmError, inform};
use crate::registry::{Named, RegistryArguments};
use crate::scratch;
use crate::settings::Settings;

/// `opm alpha bundle validate`.
pub(in crate::opm) fn validate(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let bundle = bring(invocation.text("tag"), &settings.session())?;
    inform("Unpacked image layers, validating bundle image format & contents");
    let errors = errors(bundle.path());
    if !errors.is_empty() {
        return Err(OpmError::Usage(format!("Bundle validation errors: {}", errors.join(","))));
    }
    inform("All validation tests have been completed successfully");
    Ok(())
}

/// `opm alpha bundle unpack`.
pub(in crate::opm) fn unpack(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let out = Path::new(invocation.text("out"));
    match fs::metadata(out) {
        Ok(metadata) if !metadata.is_dir() => {
            return Err(OpmError::Usage(format!("out {} is not a directory", out.display())));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => drop(
            Root::create(out)
                .map_err(|error| OpmError::Usage(format!("mkdir {}: {}", out.display(), go_words(&error))))?,
        ),
        Err(error) => return Err(OpmError::Usage(format!("stat {}: {}", out.display(), go_words(&error)))),
    }
    let authority = authority(invocation.text("root-ca"))?;
    let session = match &authority {
        Some(folder) => {
            RegistryArguments { cert_dir: Some(folder.path().to_path_buf()), ..RegistryArguments::default() }
                .session(Named::default(), settings)
        }
        None => invocation.session(OpmError::Usage, settings)?,
    };
    let reference = invocation.positionals.first().map(String::as_str).unwrap_or_default();
    let bundle = bring(reference, &session)?;
    if invocation.switch("skip-validation") {
        inform("skipping bundle validation");
    } else {
        let errors = errors(bundle.path());
        if !errors.is_empty() {
            let what =
                if media_type(&bundle.path().join("manifests")).is_ok() { "content" } else { "format" };
            return Err(OpmError::Usage(format!(
                "bundle {what} validation failed: Bundle validation errors: {}",
                errors.join(",")
            )));
        }
    }
    copy(bundle.path(), out, Path::new(""), true)
}

/// The folder that the registry client looks for the file of an authority in.
fn authority(file: &str) -> Result<Option<StagedDirectory>, OpmError> {
    if file.is_empty() {
        return Ok(None);
    }
    let certificates = fs::read_to_string(file)
        .map_err(|error| OpmError::Usage(format!("open {file}: {}", go_words(&error))))?;
    if !certificates.contains("-----BEGIN CERTIFICATE-----") {
        return Err(OpmError::Usage(format!("failed to fetch root CA from {file}")));
    }
    let folder = scratch::directory().map_err(OpmError::refused)?;
    let written = folder.create_file(Path::new("ca.crt"));
    let written = written.and_then(|mut file| file.write_all(certificates.as_bytes()));
    written.map_err(|error| OpmError::refused(Failure::io("write", folder.path(), &error)))?;
    Ok(Some(folder))
}

/// The files of a bundle image in a temporary directory; those that the image map has for it, else those of the registry.
fn bring(reference: &str, session: &Session) -> Result<StagedDirectory, OpmError> {
    let folder = scratch::directory().map_err(OpmError::refused)?;
    if let Some(mapped) = image_map::of_environment()?.folder(reference) {
        copy(mapped, folder.path(), Path::new(""), true)?;
        return Ok(folder);
    }
    let pulled = || -> Result<(), Failure> {
        let name = ImageName::parse(&format!("docker://{}", reference.trim_start_matches("docker://")))
            .map_err(|error| Failure::new(error.to_string()))?;
        let opened = name.open(None, session)?;
        opened.bring_layers(session)?;
        unpack_into(&opened.image, opened.source.as_ref(), folder.path(), &Options::default())?;
        Ok(())
    };
    pulled().map_err(|failure| OpmError::refused(failure.within(reference)))?;
    Ok(folder)
}

/// What opm refuses in a bundle.
fn errors(bundle: &Path) -> Vec<String> {
    let manifests = bundle.join("manifests");
    let missing: Vec<String> = ["manifests", "metadata"]
        .into_iter()
        .filter(|name| !bundle.join(name).is_dir())
        .map(|name| format!("Unable to locate {name} directory"))
        .collect();
    if !missing.is_empty() {
        return missing;
    }
    let kind = match media_type(&manifests) {
        Ok(kind) => kind,
        Err(error) => return vec![error.to_string()],
    };
    if kind == "helm" {
        return Vec::new();
    }
    let tree = DiskTree { root: bundle.to_path_buf() };
    let contents = BundleContents::read(&tree);
    let report = lint_bundle(&contents, &tree, &Targets::default(), &Policy::from(Profile::Opm));
    let errors = report.findings.iter().filter(|found| found.finding.severity == Severity::Error);
    errors.map(|found| found.finding.message.clone()).collect()
}
