//! What may have been meant by a path that does not exist.

use std::fs;
use std::path::Path;

use fbc_model::closest::closest;

/// No directory is searched for a name beyond so many entries.
const MOST_ENTRIES: usize = 10_000;

/// The name beside a path that may have been meant, or the directory that does not exist either; nothing if neither helps.
pub(crate) fn meant(path: &Path) -> Option<String> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(directory) else {
        return Some(format!("the directory {} does not exist either", directory.display()));
    };
    let entries = entries.take(MOST_ENTRIES);
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let name = closest(&wanted, names.iter().map(String::as_str))?;
    Some(format!("did you mean {}?", path.with_file_name(name).display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beside_a_path_are_proposed() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("catalog.yaml"), "").unwrap();
        let help = |name: &str| meant(&directory.path().join(name));
        let shown = |name: &str| directory.path().join(name).display().to_string();
        assert_eq!(help("catalog.yml"), Some(format!("did you mean {}?", shown("catalog.yaml"))));
        assert_eq!(help("other"), None);
        assert_eq!(help("no/such"), Some(format!("the directory {} does not exist either", shown("no"))));
    }
}
