//! Where runs are written: no file twice, and none that the runs are read from.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_source::Error;

/// Refuses flags that name the same file, or one of the files that are read.
///
/// # Errors
/// If one does.
pub fn check<'p>(
    flags: &[(&str, Option<&Path>)],
    inputs: impl Iterator<Item = &'p Path>,
) -> Result<(), Error> {
    let inputs: Vec<PathBuf> = inputs.map(real).collect();
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (flag, path) in flags {
        let Some(path) = path else { continue };
        let file = real(path);
        let shown = path.display();
        if inputs.contains(&file) {
            return Err(Error::new(format!("{flag} would write over {shown}, which is read"))
                .help("name another file"));
        }
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == file) {
            return Err(Error::new(format!("{other} and {flag} both write to {shown}"))
                .help("give each a file of its own"));
        }
        seen.push((flag, file));
    }
    Ok(())
}

/// The file that a path leads to; of one that does not exist yet, its directory counts.
fn real(path: &Path) -> PathBuf {
    if let Ok(file) = fs::canonicalize(path) {
        return file;
    }
    let directory =
        path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(directory), path.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::check;

    #[test]
    fn no_file_is_written_twice_or_read_as_well() {
        let directory = tempfile::tempdir().unwrap();
        let (one, same) = (directory.path().join("one"), directory.path().join("./one"));
        let other = directory.path().join("other");
        let told = |second: &Path, input: &Path| {
            let flags =
                [("--report", Some(one.as_path())), ("--trace", None), ("--output-file", Some(second))];
            check(&flags, [input].into_iter()).map_err(|failure| failure.line())
        };
        assert!(
            told(&same, Path::new("s.yaml"))
                .unwrap_err()
                .starts_with("--report and --output-file both write to ")
        );
        assert!(told(&other, &same).unwrap_err().starts_with("--report would write over "));
        assert_eq!(told(&other, Path::new("s.yaml")), Ok(()));
    }
}
