//! One way to write: what is written goes through `fbc_staging`, which knows the directory that may be written in, stages
//! files until they are whole, and follows no link out.

use super::rust_text;
use super::sources::{contains_word, holds_only_tests};

/// The crate that writes, and what only tests use.
const WRITERS: [&str; 2] = ["fbc-staging", "fbc-testing"];

/// Calls that write, make, rename or remove. The test is on the text, so an alias would escape it; it is there to catch
/// habits.
const CALLS: [&str; 24] = [
    "File::create",
    "File::options",
    "OpenOptions",
    "DirBuilder",
    "fs::write",
    "fs::rename",
    "fs::copy",
    "fs::hard_link",
    "fs::create_dir",
    "fs::remove_file",
    "fs::remove_dir",
    "fs::symlink(",
    "fs::set_permissions",
    "create_dir_all",
    "generate_to",
    "tempfile::Builder",
    "tempfile::tempdir",
    "NamedTempFile",
    "TempDir",
    "OFlags::CREATE",
    "linkat",
    "openat",
    "renameat",
    "unlinkat",
];

/// Who else may call what, and why.
const ALLOWED: [(&str, &[&str], &str); 3] = [
    ("crates/fbc-model/src/beneath.rs", &["openat"], "it opens what is read, without a flag that writes"),
    (
        "crates/fbc-image/src/unpack/rootfs.rs",
        &[
            "File::create",
            "fs::hard_link",
            "fs::create_dir",
            "fs::remove_file",
            "fs::remove_dir",
            "fs::symlink(",
            "fs::set_permissions",
        ],
        "unpacks layers into a staged directory and follows every link itself",
    ),
    (
        "crates/fbc-image/src/store/",
        &["fs::rename", "fs::remove_file"],
        "names blobs by the digest of bytes that it checked, and removes nothing else",
    ),
];

/// Every call of a source file that writes past `fbc_staging`, one message each.
pub(super) fn check(crate_name: &str, path: &str, text: &str) -> Vec<String> {
    if WRITERS.contains(&crate_name) || holds_only_tests(path) {
        return Vec::new();
    }
    let is_allowed =
        |call: &str| ALLOWED.iter().any(|(place, calls, _)| path.starts_with(place) && calls.contains(&call));
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        // What is imported is found where it is called, under its own name.
        for call in CALLS.iter().filter(|call| contains_word(line, call) && !is_allowed(call)) {
            found.push(format!("{path}:{}: {call}: what writes goes through fbc_staging", index + 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> usize {
        check("fbc", path, text).len()
    }

    #[test]
    fn calls_that_write_are_found() {
        for call in [
            "std::fs::write(path, b\"x\")",
            "fs::write(path, bytes)",
            "File::create(path)",
            "File::create_new(path)",
            "OpenOptions::new()",
            "std::fs::File::options()",
            "fs::create_dir_all(path)",
            "fs::create_dir(path)",
            "fs::rename(one, other)",
            "fs::copy(one, other)",
            "fs::hard_link(one, other)",
            "std::os::unix::fs::symlink(one, other)",
            "fs::remove_file(path)",
            "fs::remove_dir_all(path)",
            "clap_mangen::generate_to(command, folder)",
            "tempfile::tempdir()",
        ] {
            let text = format!("fn f() {{\n    {call};\n}}\n");
            let found = check("fbc", "crates/fbc/src/a.rs", &text);
            assert!(found.iter().all(|message| message.starts_with("crates/fbc/src/a.rs:2: ")), "{found:?}");
            assert!(!found.is_empty(), "{call}");
        }
        assert_eq!(lines("a.rs", "use std::fs::{self, OpenOptions};"), 1);
    }

    #[test]
    fn reading_tests_and_the_allowed_are_not() {
        for text in [
            "fn f() { fs::read(path); File::open(path); }",
            "// fs::write\nconst A: &str = \"fs::write(\";",
            "#[cfg(test)]\nmod tests { fn f() { fs::write(path, text); } }",
            "fn f() { root.create_directory(path); root.remove_file(path); writeln!(out); }",
        ] {
            assert_eq!(lines("crates/fbc/src/a.rs", text), 0, "{text}");
        }
        let text = "fn f() { fs::rename(one, other); }";
        assert_eq!(lines("crates/fbc/src/x/tests.rs", text), 0);
        assert_eq!(check("fbc-staging", "crates/fbc-staging/src/file.rs", text), [""; 0]);
        assert_eq!(check("fbc-image", "crates/fbc-image/src/store/download.rs", text), [""; 0]);
        assert_eq!(check("fbc-image", "crates/fbc-image/src/unpack/rootfs.rs", text).len(), 1);
    }
}
