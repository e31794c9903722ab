//! The files that all pages use. They are part of the program, and browsers keep them as long as it stays the same.

use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// A file.
pub(super) struct File {
    pub(super) name: &'static str,
    pub(super) media_type: &'static str,
    pub(super) text: &'static str,
}

const FILES: [File; 3] = [
    File { name: "style.css", media_type: "text/css; charset=utf-8", text: include_str!("style.css") },
    File { name: "script.js", media_type: "text/javascript; charset=utf-8", text: include_str!("script.js") },
    File { name: "mark.svg", media_type: "image/svg+xml", text: include_str!("mark.svg") },
];

/// The file of a name.
pub(super) fn find(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

/// The address of a file, which changes with the content of the files.
pub(super) fn address(name: &str) -> String {
    static STATE: OnceLock<String> = OnceLock::new();
    let state = STATE.get_or_init(|| {
        let mut digest = Sha256::new();
        FILES.iter().for_each(|file| digest.update(file.text));
        digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    });
    format!("/ui/_/{name}?{state}")
}
