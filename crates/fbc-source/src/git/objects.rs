//! Objects of a repository: a `git cat-file --batch` that answers one question after another, and which are missing.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::time::Duration;

use fbc_model::tree::MAX_FILE_BYTES;

use super::Repository;
use super::call::{Verb, Watch, too_slow};
use crate::error::Error;

/// What to do about objects that are not here.
pub(crate) const PARTIAL_CLONE: &str = "the clone may be partial (`--filter`), and no objects are transferred here: \
    `git fetch --refetch --no-filter` gets all of them, or clone without a filter";

/// A process that reads objects.
pub(crate) struct ObjectReader {
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Ends with the process, which ends when nobody can ask any more.
    watch: Watch,
    patience: Duration,
}

impl ObjectReader {
    pub(crate) fn start(repository: &Repository) -> io::Result<Self> {
        let mut process = repository.call(Verb::CatFile).words(["--batch"]).start()?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("git has no pipes"));
        };
        let answers = BufReader::with_capacity(64 << 10, answers);
        let watch = Watch::over(process, repository.limits.patience)?;
        Ok(Self { questions, answers, watch, patience: repository.limits.patience })
    }

    /// The content of a file by its id. A reader that failed is in no known state.
    pub(crate) fn read_into(&mut self, id: &str, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        let Self { questions, answers, watch, patience } = self;
        watch.during(|| exchange(questions, answers, id, bytes)).map_err(|error| match watch.is_slow() {
            true => io::Error::new(
                io::ErrorKind::TimedOut,
                format!("{} (limit git-seconds)", too_slow(Verb::CatFile.name(), *patience)),
            ),
            false => error,
        })
    }
}

fn exchange(
    questions: &mut ChildStdin,
    answers: &mut BufReader<ChildStdout>,
    id: &str,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    writeln!(questions, "{id}")?;
    questions.flush()?;
    let mut header = String::new();
    answers.read_line(&mut header)?;
    // `<id> blob <size>`, or `<id> missing`
    let size = header.trim_end().split_once(" blob ").and_then(|(_, size)| size.parse::<u64>().ok());
    let Some(size) = size else {
        return Err(io::Error::other(format!("the repository lacks its content; {PARTIAL_CLONE}")));
    };
    if size > MAX_FILE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "is larger than 4 GiB"));
    }
    bytes.reserve(size as usize);
    answers.by_ref().take(size).read_to_end(bytes)?;
    if bytes.len() as u64 != size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    answers.read_exact(&mut [0])
}

impl Repository {
    /// Refuses to go on without some objects: what is left would look like a state that never was.
    ///
    /// # Errors
    /// If one is missing. `shown` is what they are of.
    pub(crate) fn require_objects<'i>(
        &self,
        ids: impl IntoIterator<Item = &'i str>,
        shown: &str,
    ) -> Result<(), Error> {
        let mut questions = String::new();
        for id in ids {
            questions.push_str(id);
            questions.push('\n');
        }
        if questions.is_empty() {
            return Ok(());
        }
        let call = self.call(Verb::CatFile).words(["--batch-check=%(objectname)"]);
        let answer = call.answer_to(questions.as_bytes())?;
        let lines: Vec<&[u8]> = answer.out.split_inclusive(|&byte| byte == b'\n').collect();
        // A git that would transfer them and may not ends without an answer.
        let asked = questions.lines().count();
        let missing = asked - lines.iter().filter(|line| !line.ends_with(b" missing\n")).count().min(asked);
        match missing {
            0 => Ok(()),
            _ => Err(Error::new(format!(
                "the repository lacks the content of {missing} of {asked} files of {shown}"
            ))
            .help(PARTIAL_CLONE)),
        }
    }
}
