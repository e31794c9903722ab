//! One way to write: what is written goes through `fbc_staging`, which knows the directory that may be written in, stages
//! files until they are whole, and follows no link out.

use super::imports::{self, Import};
use super::rust_text;
use super::sources::{contains_word, holds_only_tests};

/// The crate that writes, and what only tests use.
const WRITERS: [&str; 2] = ["fbc-staging", "fbc-testing"];

/// Calls that write, make, rename or remove, or what their names begin with. The test is on the text.
const CALLS: [&str; 37] = [
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
    "fs::mkdir",
    "fs::mknod",
    "fs::mkfifo",
    "fs::unlink",
    "fs::rmdir",
    "fs::link",
    "fs::chmod",
    "fs::fchmod",
    "fs::truncate",
    "ftruncate",
    "fallocate",
    "set_len",
    "symlinkat",
    "create_dir_all",
    "generate_to",
    "tempfile::Builder",
    "tempfile::tempdir",
    "NamedTempFile",
    "TempDir",
    "OFlags::CREATE",
    "linkat",
    // With openat2, files are read: what creates them has OFlags::CREATE.
    "openat(",
    "renameat",
    "unlinkat",
];

/// What has such calls: imported whole or under another name, it would hide them.
const HOLDERS: [&str; 6] = ["std", "std::fs", "std::fs::File", "rustix", "rustix::fs", "tempfile"];

/// Who else may call what, and why.
const ALLOWED: [(&str, &[&str], &str); 3] = [
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
    (
        "crates/fbc-registry/src/blob.rs",
        &["set_len"],
        "begins a download anew, in a file that fbc_staging has opened",
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
    let (imports, code) = imports::taken(&code);
    let mut found = Vec::new();
    let mut search = |number: usize, text: &str| {
        for call in CALLS.iter().filter(|call| contains_word(text, call) && !is_allowed(call)) {
            found.push(format!("{path}:{number}: {call}: what writes goes through fbc_staging"));
        }
    };
    // What is imported may be called by its bare name.
    for import in &imports {
        let name = import.path.split(" as ").next().unwrap_or_default();
        search(import.line, &format!("{name}("));
    }
    code.lines().enumerate().for_each(|(index, line)| search(index + 1, line));
    for import in imports.iter().filter(|import| hides_calls(&import.path)) {
        let Import { line, path: imported } = import;
        found.push(format!("{path}:{line}: {imported}: import what writes by its own name"));
    }
    found
}

/// Whether an import gives a holder of calls another name, or takes all that is in it.
fn hides_calls(import: &str) -> bool {
    let holder = import.strip_suffix("::*").or_else(|| import.split_once(" as ").map(|(holder, _)| holder));
    holder.is_some_and(|holder| HOLDERS.contains(&holder))
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
            "rustix::fs::mkdir(path, mode)",
            "fs::unlink(path)",
            "rustix::fs::symlinkat(one, directory, other)",
            "file.set_len(0)",
        ] {
            let text = format!("fn f() {{\n    {call};\n}}\n");
            let found = check("fbc", "crates/fbc/src/a.rs", &text);
            assert!(found.iter().all(|message| message.starts_with("crates/fbc/src/a.rs:2: ")), "{found:?}");
            assert!(!found.is_empty(), "{call}");
        }
    }

    #[test]
    fn imports_that_write_are_found() {
        for import in [
            "use std::fs::{self, OpenOptions};",
            "use std::fs::{self, rename};",
            "use std::fs::{write};",
            "use std::{fs::{File, remove_dir_all}, io};",
            "use std::os::unix::fs::symlink;",
            "use rustix::fs::{\n    Mode,\n    mkdir,\n};",
            "use rustix::fs::symlinkat as link;",
            "use std::fs::write as put;",
            "use std::fs as disk;",
            "use std::fs::{self as disk};",
            "use std::fs::*;",
            "fn f() { use rustix::fs::unlink; unlink(path) }",
        ] {
            let text = format!("mod a;\n{import}\n");
            let found = check("fbc", "crates/fbc/src/a.rs", &text);
            assert!(
                found.len() == 1 && found[0].starts_with("crates/fbc/src/a.rs:2: "),
                "{import}: {found:?}"
            );
        }
    }

    #[test]
    fn reading_tests_and_the_allowed_are_not() {
        for text in [
            "fn f() { fs::read(path); File::open(path); }",
            "use std::fs::{self, File, symlink_metadata};\nuse std::io::Write as _;",
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
