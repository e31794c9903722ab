//! `.indexignore`: which files of a tree belong to the catalog.
//!
//! Close to gitignore, not equal: the reference uses go-git's matcher, tells it that every path is a
//! file, and reads every ignore file of the tree, also below ignored directories. Sources of the
//! behaviour: `joelanford/ignore:ignore.go`, `go-git/go-git:plumbing/format/gitignore` and Go's
//! `path/filepath` (`Match`). The crates for gitignore differ in the meaning of `[!a]`, braces and
//! re-inclusion, so the rules are written out here.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_yaml::limits::PatternsExceeded;

mod glob;

/// The name of an ignore file.
pub const FILE_NAME: &str = ".indexignore";

/// A line longer than this fails the load in the reference (`bufio.Scanner`).
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Characters of patterns that are gone through in the time of a step.
const WORK_OF_STEP: usize = 16;

/// Why the patterns of an ignore file are not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexIgnoreError {
    /// A line is too long.
    LongLine,
    /// There are too many patterns.
    TooMany(PatternsExceeded),
}

/// The patterns of all ignore files of a tree, in the order of the walk.
#[derive(Debug, Default)]
pub struct IndexIgnore {
    files: Vec<IgnoreFile>,
    /// Every pattern is compared with every file.
    allowance: Allowance,
}

#[derive(Debug)]
struct IgnoreFile {
    path: PathBuf,
    /// The names of the directories that it lies in.
    folders: Vec<String>,
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    keeps: bool,
    only_directories: bool,
    is_anchored: bool,
    parts: Vec<Part>,
}

/// What one name in a path is compared with.
#[derive(Debug)]
enum Part {
    Plain(String),
    Glob(String),
    /// `**`: any number of names.
    Span,
    /// A malformed part matches nothing.
    Malformed,
}

impl IndexIgnore {
    /// Adds the patterns of an ignore file.
    ///
    /// # Errors
    /// A line is too long, or all patterns so far are too many; patterns of earlier files stay.
    pub fn add_file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), IndexIgnoreError> {
        let lines = bytes.split(|&byte| byte == b'\n');
        if lines.clone().any(|line| line.len() >= MAX_LINE_BYTES) {
            return Err(IndexIgnoreError::LongLine);
        }
        let mut patterns = Vec::new();
        for line in lines.map(trim).filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
            let parts = 1 + line.iter().filter(|&&byte| byte == b'/').count();
            let bytes = size_of::<Pattern>() + parts * size_of::<Part>() + line.len();
            self.allowance.bytes(bytes).map_err(|exceeded| {
                let what = "its list of patterns";
                IndexIgnoreError::TooMany(PatternsExceeded { path: path.to_path_buf(), what, exceeded })
            })?;
            patterns.push(Pattern::new(&String::from_utf8_lossy(line)));
        }
        if !patterns.is_empty() {
            let folders = path.parent().unwrap_or(Path::new("")).iter();
            let folders = folders.map(|name| name.to_string_lossy().into_owned()).collect();
            self.files.push(IgnoreFile { path: path.to_path_buf(), folders, patterns });
        }
        Ok(())
    }

    /// Whether a file is left out: the last pattern that matches decides.
    ///
    /// # Errors
    /// All comparisons so far take more steps than they may: the ignore file whose patterns are compared then.
    pub fn ignores(&self, path: &Path) -> Result<bool, PatternsExceeded> {
        let names: Vec<Cow<'_, str>> = path.iter().map(OsStr::to_string_lossy).collect();
        for file in self.files.iter().rev() {
            let charge = |work: usize| {
                let charged = self.allowance.steps(1 + work / WORK_OF_STEP);
                charged.map_err(|exceeded| file.too_much(exceeded))
            };
            charge(file.folders.len().min(names.len()))?;
            let Some(below) = file.below(&names) else { continue };
            for pattern in file.patterns.iter().rev() {
                let mut work = 0;
                let matches = pattern.matches(below, &mut work);
                charge(work)?;
                if matches {
                    return Ok(!pattern.keeps);
                }
            }
        }
        Ok(false)
    }

    /// Whether there is no pattern at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl IgnoreFile {
    fn too_much(&self, exceeded: Exceeded) -> PatternsExceeded {
        let what = "comparing its patterns with the files of the catalog";
        PatternsExceeded { path: self.path.clone(), what, exceeded }
    }

    /// The names of a path below the directory of the ignore file; nothing if it lies elsewhere.
    fn below<'p, 'n>(&self, names: &'p [Cow<'n, str>]) -> Option<&'p [Cow<'n, str>]> {
        let (above, below) = names.split_at_checked(self.folders.len())?;
        let is_below = above.iter().zip(&self.folders).all(|(name, folder)| name == folder);
        (is_below && !below.is_empty()).then_some(below)
    }
}

/// Go's `strings.TrimSpace`.
fn trim(line: &[u8]) -> &[u8] {
    match std::str::from_utf8(line) {
        Ok(text) => text.trim().as_bytes(),
        Err(_) => line.trim_ascii(),
    }
}

impl Pattern {
    fn new(line: &str) -> Self {
        let (keeps, line) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (only_directories, line) = match line.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let is_anchored = line.contains('/');
        let parts = match is_anchored {
            true => line.split('/').map(Part::of_path).collect(),
            false => vec![Part::new(line)],
        };
        Self { keeps, only_directories, is_anchored, parts }
    }

    /// Whether a file below the directory of the ignore file matches. Adds how many characters are gone through.
    fn matches(&self, below: &[Cow<'_, str>], work: &mut usize) -> bool {
        if self.is_anchored { self.matches_anchored(below, work) } else { self.matches_name(below, work) }
    }

    /// A name may match any component; the last one is the file itself, never a directory.
    fn matches_name(&self, below: &[Cow<'_, str>], work: &mut usize) -> bool {
        let [part] = self.parts.as_slice() else { return false };
        let candidates =
            if self.only_directories { below.split_last().map_or(below, |(_, rest)| rest) } else { below };
        candidates.iter().any(|name| part.matches(name, work))
    }

    /// Component by component from the directory of the ignore file; `**` spans any number. A
    /// pattern that ends inside the path matches too, because then it names a directory above the
    /// file.
    fn matches_anchored(&self, mut path: &[Cow<'_, str>], work: &mut usize) -> bool {
        let mut matched = false;
        let mut can_span = false;
        let last = self.parts.len() - 1;
        for (index, part) in self.parts.iter().enumerate() {
            *work += 1;
            match part {
                Part::Plain(name) if name.is_empty() => {
                    can_span = false;
                    continue;
                }
                // Everything below: the path must go on.
                Part::Span if index == last => return matched_rest(path, self.only_directories),
                Part::Span => {
                    can_span = true;
                    continue;
                }
                Part::Plain(_) | Part::Glob(_) | Part::Malformed => {}
            }
            if can_span {
                can_span = false;
                let Some(at) = path.iter().position(|name| part.matches(name, work)) else {
                    return false;
                };
                path = path.get(at + 1..).unwrap_or_default();
            } else {
                let Some((name, rest)) = path.split_first() else { return false };
                if !part.matches(name, work) {
                    return false;
                }
                path = rest;
            }
            matched = true;
            if self.only_directories && path.is_empty() && index == last {
                matched = false;
            }
        }
        matched
    }
}

fn matched_rest(path: &[Cow<'_, str>], only_directories: bool) -> bool {
    if only_directories { path.len() > 1 } else { !path.is_empty() }
}

impl Part {
    fn new(text: &str) -> Self {
        match text.contains(['*', '?', '[', '\\']) {
            false => Self::Plain(text.to_owned()),
            true if glob::is_well_formed(text) => Self::Glob(text.to_owned()),
            true => Self::Malformed,
        }
    }

    /// In a path, `**` is for any number of names, and for nothing beside other characters.
    fn of_path(text: &str) -> Self {
        match text {
            "**" => Self::Span,
            _ if text.contains("**") => Self::Malformed,
            _ => Self::new(text),
        }
    }

    fn matches(&self, name: &str, work: &mut usize) -> bool {
        *work += 1;
        match self {
            Self::Plain(text) => text == name,
            Self::Glob(pattern) => glob::matches(pattern, name, work),
            Self::Span | Self::Malformed => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use fbc_go::allowance::ExpansionLimits;

    use super::*;

    const FILES: [&str; 8] =
        ["a.yaml", "b.txt", "foo", "d/foo", "d/a.yaml", "d/e/a.yaml", "d/e/b.txt", "x/d/a.yaml"];

    fn with_file(path: &str, text: &str) -> IndexIgnore {
        let mut ignore = IndexIgnore::default();
        ignore.add_file(Path::new(path), text.as_bytes()).unwrap();
        ignore
    }

    fn ignored(files: &[(&str, &str)]) -> Vec<&'static str> {
        let mut ignore = IndexIgnore::default();
        for (directory, text) in files {
            ignore.add_file(&Path::new(directory).join(FILE_NAME), text.as_bytes()).unwrap();
        }
        FILES.into_iter().filter(|file| ignore.ignores(Path::new(file)).unwrap()).collect()
    }

    #[test]
    fn patterns_of_the_specification() {
        let under_top_d = ["d/foo", "d/a.yaml", "d/e/a.yaml", "d/e/b.txt"].as_slice();
        let under_any_d = ["d/foo", "d/a.yaml", "d/e/a.yaml", "d/e/b.txt", "x/d/a.yaml"].as_slice();
        for (pattern, expected) in [
            ("foo", ["foo", "d/foo"].as_slice()),
            ("/foo", &["foo"]),
            ("foo/", &[]),
            ("d", under_any_d),
            ("d/", under_any_d),
            ("**/d", under_any_d),
            ("/d", under_top_d),
            ("d/*", under_top_d),
            ("d/**", under_top_d),
            ("/d/**", under_top_d),
            ("*/a.yaml", &["d/a.yaml"]),
            ("**/a.yaml", &["a.yaml", "d/a.yaml", "d/e/a.yaml", "x/d/a.yaml"]),
            ("*\n!a.yaml", &["b.txt", "foo", "d/foo", "d/e/b.txt"]),
            ("d\n!d/a.yaml", &["d/foo", "d/e/a.yaml", "d/e/b.txt", "x/d/a.yaml"]),
            ("[!a].yaml", &["a.yaml", "d/a.yaml", "d/e/a.yaml", "x/d/a.yaml"]),
            ("[^a].yaml", &[]),
            ("[", &[]),
            ("./a.yaml", &[]),
            ("d/../a.yaml", &[]),
            ("{a,b}.yaml", &[]),
            ("d//foo", &["d/foo"]),
            ("a**/x", &[]),
            ("**", &FILES),
            ("# d\n\n  b.txt \r\n", &["b.txt", "d/e/b.txt"]),
            ("**/*\n!*.yaml\n**/e/*.yaml", &["b.txt", "foo", "d/foo", "d/e/a.yaml", "d/e/b.txt"]),
        ] {
            assert_eq!(ignored(&[("", pattern)]), expected, "{pattern}");
        }
        assert_eq!(ignored(&[("", "*.txt"), ("d", "!b.txt")]), ["b.txt"]);
        assert_eq!(ignored(&[("d", "/foo")]), ["d/foo"]);
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut ignore = IndexIgnore::default();
        let added = ignore.add_file(Path::new(FILE_NAME), &[b'a'; MAX_LINE_BYTES]);
        assert_eq!(added, Err(IndexIgnoreError::LongLine));
    }

    #[test]
    fn many_patterns_for_many_files_are_given_up() {
        let many = |pattern: &str, path: &str| {
            let mut ignore = with_file(FILE_NAME, "other\n");
            ignore.allowance = Allowance::new(ExpansionLimits { steps: 100_000, ..ExpansionLimits::USUAL });
            ignore.add_file(Path::new("d/.indexignore"), pattern.repeat(1_000).as_bytes()).unwrap();
            let path = Path::new(path);
            let decided = (0..1_000).map_while(|_| ignore.ignores(path).ok()).count();
            let error = ignore.ignores(path).unwrap_err();
            assert_eq!(
                error.to_string(),
                "d/.indexignore: comparing its patterns with the files of the catalog takes more than 100000 steps"
            );
            decided
        };
        // A pattern counts for what it takes: one that goes back again and again takes longer.
        assert_eq!(many("plain\n", "d/aaaaaaaaaaaaaaaaaaaaaaaa"), 99);
        let returning = many("*aaaaaaaaaaab\n", "d/aaaaaaaaaaaaaaaaaaaaaaaa");
        assert!((2..20).contains(&returning), "{returning}");
        let classes = many("[abcdefghijklmnopqrstuvwxyz0123456789]x\n", "d/ay");
        assert!((20..50).contains(&classes), "{classes}");
        let deep = format!("d/{}", "a/".repeat(200));
        assert!((5..20).contains(&many("plain\n", &deep)));
    }

    #[test]
    fn patterns_take_room() {
        let allowance = Allowance::new(ExpansionLimits { bytes: 10_000, ..ExpansionLimits::USUAL });
        let mut ignore = IndexIgnore { allowance, ..IndexIgnore::default() };
        let text = "a\n".repeat(10_000);
        let added = ignore.add_file(Path::new(FILE_NAME), text.as_bytes());
        let Err(IndexIgnoreError::TooMany(error)) = added else { panic!("{added:?}") };
        assert_eq!(error.to_string(), ".indexignore: its list of patterns expands to more than 10000 bytes");
    }

    #[test]
    fn patterns_of_a_file_share_its_directory() {
        let deep: PathBuf = vec!["d"; 1_500].into_iter().collect();
        let ignore = with_file(deep.join(FILE_NAME).to_str().unwrap(), &"a\n".repeat(200_000));
        assert_eq!((ignore.files[0].folders.len(), ignore.files[0].patterns.len()), (1_500, 200_000));
        assert_eq!(ignore.ignores(Path::new("a")), Ok(false));
        assert_eq!(ignore.ignores(&deep.join("a")), Ok(true));
    }

    #[test]
    fn globs() {
        for (pattern, name, expected) in [
            ("a*b*c", "aXbYbZc", true),
            ("a*b", "a", false),
            ("\\*", "*", true),
            ("[a-c]x", "bx", true),
            ("[\\]]", "]", true),
            ("[]]", "]", false),
            ("a\\", "a", false),
            ("é?", "éü", true),
            ("é", "é", true),
            ("**a**", "bab", true),
            ("*[b-]", "ab", false),
        ] {
            assert_eq!(Part::new(pattern).matches(name, &mut 0), expected, "{pattern} {name}");
        }
    }
}
