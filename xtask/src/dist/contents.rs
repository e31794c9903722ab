//! What an archive holds: the program, what shells and `man` want, and what licenses ask for.

use std::fs;
use std::path::Path;

use super::dependencies::{Dependency, dependencies};
use super::target::Target;
use super::{fbc, read};
use crate::error::{Context, TaskResult};
use crate::workspace;

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackedFile {
    /// The path in the archive, with slashes.
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) is_program: bool,
}

/// The scripts of shells, under the names that shells look for.
pub(super) const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "completions/fbc.bash"),
    ("elvish", "completions/fbc.elv"),
    ("fish", "completions/fbc.fish"),
    ("powershell", "completions/_fbc.ps1"),
    ("zsh", "completions/_fbc"),
];

/// The files, by path.
pub(super) fn files(root: &Path, target: &Target, program: &[u8]) -> TaskResult<Vec<PackedFile>> {
    let file = |path: String, bytes: Vec<u8>| PackedFile { path, bytes, is_program: false };
    let mut files =
        vec![PackedFile { path: target.program().to_owned(), bytes: program.to_vec(), is_program: true }];
    for (path, source) in
        [("LICENSE", "LICENSE"), ("README.md", "README.md"), ("CHANGELOG.md", "docs/CHANGELOG.md")]
    {
        files.push(file(path.to_owned(), read(&root.join(source))?));
    }
    for (shell, path) in COMPLETIONS {
        files.push(file(path.to_owned(), fbc(root, &["completions", shell])?));
    }
    let folder = tempfile::tempdir().context(|| "making a directory for manual pages".to_owned())?;
    fbc(root, &["man", "--output-dir", &folder.path().to_string_lossy()])?;
    for page in workspace::files_below(folder.path())? {
        let name = page.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        files.push(file(format!("man/man1/{name}"), read(&page)?));
    }
    let licenses = third_party(&dependencies(root, Some(&target.triple))?)?;
    files.push(file("THIRD-PARTY-LICENSES.md".to_owned(), licenses.into_bytes()));
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

/// The licenses of everything that is in the program: each text once, with the crates that it is for.
fn third_party(dependencies: &[Dependency]) -> TaskResult<String> {
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    let mut table = String::new();
    for dependency in dependencies {
        let name = format!("{} {}", dependency.name, dependency.version);
        table.push_str(&format!("| {name} | {} |\n", dependency.license));
        for path in license_files(&dependency.folder)? {
            let text = String::from_utf8_lossy(&read(&path)?).trim().replace("\r\n", "\n");
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) if names.last() != Some(&name) => names.push(name.clone()),
                Some(_) => {}
                None => texts.push((text, vec![name.clone()])),
            }
        }
    }
    let mut page = format!("# Licenses of what fbc is made of\n\n| crate | license |\n|---|---|\n{table}");
    for (text, names) in texts {
        page.push_str(&format!("\n## {}\n\n````text\n{text}\n````\n", names.join(", ")));
    }
    Ok(page)
}

/// Files of a crate that are named like licenses.
fn license_files(folder: &Path) -> TaskResult<Vec<std::path::PathBuf>> {
    let reading = || format!("reading {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).context(reading)? {
        let path = entry.context(reading)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
        let is_license =
            ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|word| name.starts_with(word));
        if is_license && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_licenses_are_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut dependencies = Vec::new();
        for (name, text) in [("a", "MIT text\n"), ("b", "MIT text"), ("c", "other")] {
            let folder = folder.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("LICENSE-MIT"), text).unwrap();
            fs::write(folder.join("lib.rs"), "").unwrap();
            dependencies.push(Dependency::of_test(name, &folder));
        }
        let page = third_party(&dependencies).unwrap();
        assert!(page.contains("| a 1.0.0 | MIT |\n"), "{page}");
        assert!(page.contains("## a 1.0.0, b 1.0.0\n\n````text\nMIT text\n````\n"), "{page}");
        assert!(page.contains("## c 1.0.0\n"), "{page}");
    }
}
