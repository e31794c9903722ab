//! Any text as the name of an image, and any bytes as a configuration of registries: they are read or refused, and what is
//! read is written so that it is read as the same.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use fbc_image::LocalReference;
use fbc_registry::Reference;
use fbc_registry::mirrors::{Registries, RegistriesPaths};
use libfuzzer_sys::fuzz_target;
use tempfile::NamedTempFile;

static CONFIGURATION: LazyLock<NamedTempFile> = LazyLock::new(|| NamedTempFile::new().expect("a file"));

fuzz_target!(|input: (&str, &[u8])| {
    let (name, configuration) = input;
    if let Some(Ok(local)) = LocalReference::parse(name) {
        let again = LocalReference::parse(&local.to_string()).and_then(Result::ok);
        assert_eq!(again, Some(local));
    }
    let reference = Reference::parse(name).ok();
    if let Some(reference) = &reference {
        assert_eq!(Reference::parse(&reference.to_string()).as_ref(), Ok(reference));
    }
    fs::write(CONFIGURATION.path(), configuration).expect("a file that can be written");
    let file = || vec![CONFIGURATION.path().to_path_buf()];
    for paths in [
        RegistriesPaths { main: file(), ..RegistriesPaths::default() },
        RegistriesPaths { mirror_sets: file(), ..RegistriesPaths::default() },
    ] {
        let Ok(registries) = Registries::read(&paths) else { continue };
        let _ = registries.overview();
        let _ = registries.resolve(name);
        if let Some(reference) = &reference {
            let _ = registries.pull_endpoints(reference);
            let _ = registries.push_endpoint(reference);
        }
    }
});
