//! Any bytes as the program that serves a catalog from its image: its header is read or refused.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use fbc_fuzz::scratch;
use fbc_image::build::Server;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static PLACE: LazyLock<TempDir> = LazyLock::new(scratch);

fuzz_target!(|bytes: &[u8]| {
    let path = PLACE.path().join("program");
    fs::write(&path, bytes).expect("a file");
    if let Ok(server) = Server::open(&path) {
        let _ = (server.platform.to_string(), server.interpreter);
    }
});
