//! `.indexignore`: which files of a tree belong to the catalog.
//!
//! Close to gitignore, not equal: the reference uses go-git's matcher, tells it that every path is a
//! file, and reads every ignore file of the tree, also below ignored directories. Sources of the
//! behaviour: `joelanford/ignore:ignore.go`, `go-git/go-git:plumbing/format/gitignore` and Go's
//! `path/filepath` (`Match`). The crates for gitignore differ in the meaning of `[!a]`, braces and
//! re-inclusion, so the rules are written out here.

use std::sync::Arc;

use fbc_go::allowance::{Allowance, Exceeded};

/// The name of an ignore file.
pub const FILE_NAME: &str = ".indexignore";

/// A line longer than this fails the load in the reference (`bufio.Scanner`).
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// The patterns of all ignore files of a tree, in the order of the walk.
#[derive(Debug, Default)]
pub struct IndexIgnore {
    patterns: Vec<Pattern>,
    /// Every pattern is compared with every file.
    allowance: Allowance,
}

#[derive(Clone, Debug)]
struct Pattern {
    /// The components of the directory that the ignore file lies in, which all its patterns share.
    domain: Arc<[Vec<u8>]>,
    keeps: bool,
    only_directories: bool,
    components: Vec<Vec<u8>>,
    is_anchored: bool,
}

impl IndexIgnore {
    /// Adds the patterns of an ignore file. `domain` holds the components of its directory.
    ///
    /// # Errors
    /// The reference's text if a line is too long; patterns of earlier files stay.
    pub fn add_file(&mut self, domain: &[Vec<u8>], bytes: &[u8]) -> Result<(), &'static str> {
        let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        if lines.iter().any(|line| line.len() >= MAX_LINE_BYTES) {
            return Err("bufio.Scanner: token too long");
        }
        let domain: Arc<[Vec<u8>]> = domain.into();
        for line in lines {
            let line = trim(line);
            if !line.is_empty() && !line.starts_with(b"#") {
                self.patterns.push(Pattern::new(line, &domain));
            }
        }
        Ok(())
    }

    /// Whether a file is left out: the last pattern that matches decides.
    ///
    /// # Errors
    /// All comparisons so far take more steps than they may.
    pub fn ignores(&self, path: &[Vec<u8>]) -> Result<bool, Exceeded> {
        let names: usize = path.iter().map(Vec::len).sum();
        for pattern in self.patterns.iter().rev() {
            self.allowance.steps(pattern.steps(path.len(), names))?;
            if pattern.matches(path) {
                return Ok(!pattern.keeps);
            }
        }
        Ok(false)
    }

    /// Whether there is no pattern at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
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
    fn new(line: &[u8], domain: &Arc<[Vec<u8>]>) -> Self {
        let (keeps, line) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (only_directories, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let is_anchored = line.contains(&b'/');
        let components = if is_anchored {
            line.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect()
        } else {
            vec![line.to_vec()]
        };
        Self { domain: Arc::clone(domain), keeps, only_directories, components, is_anchored }
    }

    /// About how long it takes to compare the pattern with a path of so many names, which have so many bytes.
    fn steps(&self, count: usize, names: usize) -> usize {
        const BYTES: usize = 1024;
        let pattern: usize = self.components.iter().map(Vec::len).sum();
        let looked_at = if self.is_anchored { self.components.len().min(count) } else { count };
        looked_at + pattern.saturating_mul(names) / BYTES
    }

    fn matches(&self, path: &[Vec<u8>]) -> bool {
        // A file matches only below the directory of the ignore file.
        let Some(below) = path.strip_prefix(&*self.domain) else { return false };
        if below.is_empty() {
            return false;
        }
        if self.is_anchored { self.matches_anchored(below) } else { self.matches_name(below) }
    }

    /// A name may match any component; the last one is the file itself, never a directory.
    fn matches_name(&self, below: &[Vec<u8>]) -> bool {
        let [pattern] = self.components.as_slice() else { return false };
        let candidates =
            if self.only_directories { below.split_last().map_or(below, |(_, rest)| rest) } else { below };
        candidates.iter().any(|name| matches_component(pattern, name))
    }

    /// Component by component from the directory of the ignore file; `**` spans any number. A
    /// pattern that ends inside the path matches too, because then it names a directory above the
    /// file.
    fn matches_anchored(&self, mut path: &[Vec<u8>]) -> bool {
        let mut matched = false;
        let mut can_span = false;
        let last = self.components.len() - 1;
        for (index, pattern) in self.components.iter().enumerate() {
            if pattern.is_empty() {
                can_span = false;
                continue;
            }
            if pattern == b"**" {
                if index == last {
                    // Everything below: the path must go on.
                    return matched_rest(path, self.only_directories);
                }
                can_span = true;
                continue;
            }
            if contains(pattern, b"**") {
                return false;
            }
            if path.is_empty() {
                return false;
            }
            if can_span {
                can_span = false;
                let Some(at) = path.iter().position(|name| matches_component(pattern, name)) else {
                    return false;
                };
                path = path.get(at + 1..).unwrap_or_default();
            } else {
                let Some((name, rest)) = path.split_first() else { return false };
                if !matches_component(pattern, name) {
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

fn matched_rest(path: &[Vec<u8>], only_directories: bool) -> bool {
    if only_directories { path.len() > 1 } else { !path.is_empty() }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

/// Go's `filepath.Match` on one component; a malformed pattern matches nothing.
fn matches_component(pattern: &[u8], name: &[u8]) -> bool {
    let is_plain = !pattern.iter().any(|byte| b"*?[\\".contains(byte)) && pattern.is_ascii();
    if is_plain {
        return pattern == name;
    }
    // Bytes of a name that is not UTF-8 count as characters of their own, as U+FFFD does in Go.
    let characters = |bytes: &[u8]| -> Vec<char> { String::from_utf8_lossy(bytes).chars().collect() };
    match parse_glob(&characters(pattern)) {
        Some(parts) => matches_parts(&parts, &characters(name)),
        None => false,
    }
}

enum Part {
    /// `*`
    Any,
    /// `?`
    One,
    Literal(char),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

fn parse_glob(pattern: &[char]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = pattern.iter().copied().peekable();
    while let Some(c) = rest.next() {
        parts.push(match c {
            '*' => Part::Any,
            '?' => Part::One,
            '\\' => Part::Literal(rest.next()?),
            '[' => {
                let negated = rest.next_if_eq(&'^').is_some();
                let mut ranges = Vec::new();
                while ranges.is_empty() || rest.peek() != Some(&']') {
                    let low = class_character(&mut rest)?;
                    let high = match rest.next_if_eq(&'-') {
                        Some(_) => class_character(&mut rest)?,
                        None => low,
                    };
                    ranges.push((low, high));
                }
                rest.next();
                Part::Class { negated, ranges }
            }
            c => Part::Literal(c),
        });
    }
    Some(parts)
}

fn class_character(rest: &mut std::iter::Peekable<impl Iterator<Item = char>>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        c => Some(c),
    }
}

/// Matches with one point to return to: the latest `*`, as is enough for globs.
fn matches_parts(parts: &[Part], name: &[char]) -> bool {
    let (mut part, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match (parts.get(part), name.get(at)) {
            (None, None) => return true,
            (Some(Part::Any), _) => {
                retry = Some((part, at));
                part += 1;
                continue;
            }
            (Some(Part::One), Some(&c)) => c != '/',
            (Some(Part::Literal(expected)), Some(c)) => expected == c,
            (Some(Part::Class { negated, ranges }), Some(c)) => {
                ranges.iter().any(|(low, high)| (low..=high).contains(&c)) != *negated
            }
            _ => false,
        };
        if step {
            part += 1;
            at += 1;
            continue;
        }
        match retry {
            Some((star, from)) if from < name.len() => {
                retry = Some((star, from + 1));
                part = star + 1;
                at = from + 1;
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(path: &str) -> Vec<Vec<u8>> {
        path.split('/').map(|name| name.as_bytes().to_vec()).collect()
    }

    const FILES: [&str; 8] =
        ["a.yaml", "b.txt", "foo", "d/foo", "d/a.yaml", "d/e/a.yaml", "d/e/b.txt", "x/d/a.yaml"];

    fn ignored(files: &[(&str, &str)]) -> Vec<&'static str> {
        let mut ignore = IndexIgnore::default();
        for (directory, text) in files {
            let domain = if directory.is_empty() { vec![] } else { components(directory) };
            ignore.add_file(&domain, text.as_bytes()).unwrap();
        }
        FILES.into_iter().filter(|file| ignore.ignores(&components(file)).unwrap()).collect()
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
        assert!(ignore.add_file(&[], &[b'a'; MAX_LINE_BYTES]).is_err());
    }

    #[test]
    fn many_patterns_for_many_files_are_given_up() {
        let mut ignore = IndexIgnore::default();
        ignore.add_file(&[], "*a*a*a*a*b\n".repeat(10_000).as_bytes()).unwrap();
        let path = components("d/aaaaaaaaaaaaaaaaaaaaaaaa");
        let decided = (0..10_000).map_while(|_| ignore.ignores(&path).ok()).count();
        assert!((100..2_000).contains(&decided), "{decided}");
        assert_eq!(ignore.ignores(&path).unwrap_err().name(), "expansion-steps");
    }

    #[test]
    fn patterns_of_a_file_share_its_directory() {
        let mut ignore = IndexIgnore::default();
        let deep: Vec<Vec<u8>> = vec![b"d".to_vec(); 1_500];
        ignore.add_file(&deep, "a\n".repeat(200_000).as_bytes()).unwrap();
        assert_eq!(Arc::strong_count(&ignore.patterns[0].domain), 200_000);
        assert_eq!(ignore.ignores(&components("a")), Ok(false));
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
        ] {
            assert_eq!(matches_component(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
