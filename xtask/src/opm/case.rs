//! One case: files, a command line, what goes to standard input.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::corpus::Corpus;
use super::mutation::mutate;
use super::{command_line, template};
use crate::error::{Context, TaskResult};
use crate::random::Random;

/// What both programs get.
#[derive(Default)]
pub(super) struct Case {
    /// Files relative to the working directory.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// Symbolic links: where they lie and what they say.
    links: Vec<(PathBuf, PathBuf)>,
    /// The command line without the name of the program.
    pub(super) arguments: Vec<String>,
    /// Standard input.
    pub(super) input: Vec<u8>,
    /// How it was made, for people.
    pub(super) made: String,
}

impl Case {
    /// Makes the case of a number.
    pub(super) fn make(corpus: &Corpus, seed: u64, number: u64) -> Self {
        // Far apart, so that the cases of neighbouring seeds are others.
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
        // A generator that starts at neighbouring numbers gives neighbouring sequences at first.
        random.next();
        match random.below(20) {
            0..=9 => Self::catalog(corpus, &mut random),
            10..=15 => Self::bundle(corpus, &mut random),
            16..=17 => Self::image_template(corpus, &mut random),
            _ => Self::command_line(corpus, &mut random),
        }
    }

    /// A mutated catalog under any command that reads one.
    fn catalog(corpus: &Corpus, random: &mut Random) -> Self {
        let mut bytes = random.choose(&corpus.catalogs).cloned().unwrap_or_default();
        let mut case = Self { made: mutations(random, &mut bytes), ..Self::default() };
        case.arguments = words(command_line::FOR_CATALOGS, random);
        if case.arguments.iter().any(|word| word == "-") {
            case.input = bytes;
            return case;
        }
        let path = case.odd_path(random, "cat", "catalog.yaml");
        case.files.push((path, bytes));
        case
    }

    /// Mostly the plain path; now and then a name that no other file has, or something beside the file.
    fn odd_path(&mut self, random: &mut Random, folder: &str, name: &str) -> PathBuf {
        let folder = Path::new(folder);
        match random.below(40) {
            0 => {
                self.made += ", name that is not UTF-8";
                folder.join(OsString::from_vec(b"a\xff.yaml".to_vec()))
            }
            1 => {
                self.made += ", link to it";
                self.links.push((folder.join("link.yaml"), PathBuf::from("deep/er.yaml")));
                folder.join("deep/er.yaml")
            }
            2 => {
                self.made += ", beside a link to nowhere";
                self.links.push((folder.join("a-link"), PathBuf::from("nowhere")));
                folder.join(name)
            }
            3 => {
                self.made += ", beside a link to /dev/null";
                self.links.push((folder.join("a-link"), PathBuf::from("/dev/null")));
                folder.join(name)
            }
            4 => {
                self.made += ", beside a link to a directory";
                self.links.push((folder.join("a-link"), PathBuf::from("..")));
                folder.join(name)
            }
            5 => {
                self.made += ", with an .indexignore";
                let pattern = ["*.yaml", "cat*", "/d/**", "[", "!catalog.yaml", "catalog.yaml\n!c*"];
                let pattern = *random.choose(&pattern).unwrap_or(&"");
                self.files.push((folder.join(".indexignore"), pattern.as_bytes().to_vec()));
                folder.join(name)
            }
            6 => {
                self.made += ", line ends in the name";
                folder.join("a\nb\u{1b}[31m.yaml")
            }
            _ => folder.join(name),
        }
    }

    /// A mutated bundle, rendered.
    fn bundle(corpus: &Corpus, random: &mut Random) -> Self {
        let mut files = random.choose(&corpus.bundles).cloned().unwrap_or_default();
        let mut case = Self { arguments: words(command_line::FOR_BUNDLES, random), ..Self::default() };
        // What is told of a bundle stands in its metadata more often than in its manifests.
        let metadata: Vec<usize> =
            (0..files.len()).filter(|&index| files[index].0.starts_with("metadata")).collect();
        let any: Vec<usize> = (0..files.len()).collect();
        let chosen = if random.below(3) == 0 { random.choose(&metadata) } else { random.choose(&any) };
        if let Some((name, bytes)) = chosen.and_then(|&index| files.get_mut(index)) {
            case.made = format!("{name}: {}", mutations(random, bytes));
        }
        if random.below(12) == 0 && !files.is_empty() {
            let gone = random.below(files.len() as u64) as usize;
            case.made += &format!(", without {}", files.remove(gone).0);
        }
        if random.below(25) == 0 {
            case.made += ", with a stray file";
            let bytes = *random
                .choose(&[b"\xff\xfe".as_slice(), b"", b"kind: X\n---x\n", b"- a\n", b"{\"kind\": \"Y\",}"])
                .unwrap_or(&b"".as_slice());
            files.push(("manifests/0.yaml".to_owned(), bytes.to_vec()));
        }
        case.files = files.into_iter().map(|(name, bytes)| (Path::new("bundle").join(name), bytes)).collect();
        case
    }

    /// A bundle as it is, with a template for the names of images.
    fn image_template(corpus: &Corpus, random: &mut Random) -> Self {
        let template = template::any(random);
        let files = corpus.bundles.first().cloned().unwrap_or_default();
        Self {
            files: files.into_iter().map(|(name, bytes)| (Path::new("bundle").join(name), bytes)).collect(),
            made: "image reference template".to_owned(),
            arguments: [
                "render",
                "bundle",
                "-o",
                "yaml",
                "--migrate",
                "--alpha-image-ref-template",
                &template,
            ]
            .map(str::to_owned)
            .to_vec(),
            ..Self::default()
        }
    }

    /// A sound catalog, with flags and arguments that may not be.
    fn command_line(corpus: &Corpus, random: &mut Random) -> Self {
        let bytes = corpus.catalogs.first().cloned().unwrap_or_default();
        Self {
            files: vec![(PathBuf::from("cat/catalog.yaml"), bytes)],
            made: "command line".to_owned(),
            arguments: command_line::any(random),
            ..Self::default()
        }
    }

    /// Writes the files into a directory.
    pub(super) fn write(&self, folder: &Path) -> TaskResult {
        for name in ["cat", "bundle"] {
            let path = folder.join(name);
            fs::create_dir_all(&path).context(|| path.display().to_string())?;
        }
        for (path, bytes) in &self.files {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).context(|| parent.display().to_string())?;
            }
            fs::write(&path, bytes).context(|| path.display().to_string())?;
        }
        for (path, target) in &self.links {
            let path = folder.join(path);
            std::os::unix::fs::symlink(target, &path).context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The command line as a person would type it.
    pub(super) fn shown(&self) -> String {
        let words = self.arguments.iter().map(|word| {
            if word.is_empty() || word.contains([' ', '"', '{', '$', '\\', '\n', '|']) {
                format!("'{word}'")
            } else {
                word.clone()
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn mutations(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let count = [0, 1, 1, 1, 1, 1, 2, 2, 3][random.below(9) as usize];
    let said: Vec<String> = (0..count).map(|_| mutate(random, bytes)).collect();
    if said.is_empty() { "as it is".to_owned() } else { said.join("; ") }
}

fn words(lines: &[&str], random: &mut Random) -> Vec<String> {
    random.choose(lines).unwrap_or(&"").split(' ').map(str::to_owned).collect()
}
