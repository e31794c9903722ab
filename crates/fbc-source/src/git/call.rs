//! How git is started: the one place that does.
//!
//! A repository may come from anywhere, with a configuration that names programs: filters, textual conversions, monitors,
//! hooks, transports, editors. A list of bad settings would always lack one, so the guard is in what is asked. [`Verb`] lists
//! all commands, and none of them needs a program: they look at references, objects and names. None compares or writes the
//! work tree, applies attributes, enters a submodule or asks a remote; objects that a partial clone lacks are missing.

use std::ffi::OsStr;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::environment::{self, Variables};
use crate::error::{Error, ErrorKind, system_words};

/// What answers of git may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GitLimits {
    /// The time for an answer; for one object, where many are asked for.
    pub patience: Duration,
    /// The longest list, in bytes: trees may name each other so that a small repository has files without end.
    pub bytes: u64,
}

impl GitLimits {
    /// Those that hold unless somebody says otherwise.
    pub const USUAL: Self = Self { patience: Duration::from_secs(60), bytes: 256 << 20 };
}

impl Default for GitLimits {
    fn default() -> Self {
        Self::USUAL
    }
}

/// What to do about a list of files that is too long.
pub(crate) const TOO_MANY_FILES: &str =
    "does it hold so many files and directories? of a work tree, those count that `.gitignore` does not name";

/// What git may say of an error.
const MOST_ERROR_BYTES: u64 = 64 << 10;

/// Settings of the command line, which come before those of files. No command needs them but `ls-files`, which asks the
/// monitor of files. A directory that looks like a repository without a work tree may be part of a catalog, and would
/// answer in place of the repository around it.
const SETTINGS: [&str; 3] =
    ["core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit"];

/// No transfer of missing objects, which older versions only know by the transports that are allowed; no questions, no
/// locks, no objects or ancestors in the place of others, and paths that are no patterns.
const ENVIRONMENT: [(&str, &str); 8] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// The commands of git that are used.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verb {
    /// Objects by their ids, as they are stored.
    CatFile,
    /// Whether a text can be the name of a reference.
    CheckRefFormat,
    /// One setting, read or written.
    Config,
    /// The names of files: of the index, and such as it does not know.
    LsFiles,
    /// What is in a tree.
    LsTree,
    /// Where histories parted.
    MergeBase,
    /// Three files by their lines.
    MergeFile,
    /// References, and where the repository is.
    RevParse,
    /// Which git this is.
    Version,
}

impl Verb {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CatFile => "cat-file",
            Self::CheckRefFormat => "check-ref-format",
            Self::Config => "config",
            Self::LsFiles => "ls-files",
            Self::LsTree => "ls-tree",
            Self::MergeBase => "merge-base",
            Self::MergeFile => "merge-file",
            Self::RevParse => "rev-parse",
            Self::Version => "version",
        }
    }
}

/// A command that is put together.
pub(super) struct Call {
    command: Command,
    verb: Verb,
    limits: GitLimits,
}

/// What git answered.
pub(super) struct Answer {
    pub(super) status: ExitStatus,
    pub(super) out: Vec<u8>,
    /// The last line of what it said of errors.
    pub(super) said: String,
}

impl Call {
    /// A command that needs no repository.
    pub(super) fn anywhere(verb: Verb, limits: GitLimits) -> Self {
        Self::with(verb, &[], limits)
    }

    /// A command that runs in a directory, which may be a repository without a work tree itself.
    pub(super) fn new(verb: Verb, folder: &Path, is_bare: bool, limits: GitLimits) -> Self {
        let place = ["-C".as_ref(), folder.as_os_str()];
        let mut call = match is_bare {
            true => Self::with(verb, &[&place[..], &["--git-dir=.".as_ref()]].concat(), limits),
            false => Self::with(verb, &place, limits),
        };
        call.command.envs(environment::of_process(limits).iter().cloned());
        call
    }

    /// A command that runs in a directory with these variables, and without others.
    pub(super) fn here(
        verb: Verb,
        folder: &Path,
        others: &[&str],
        variables: &Variables,
        limits: GitLimits,
    ) -> Self {
        let mut call = Self::with(verb, &["-C".as_ref(), folder.as_os_str()], limits);
        for name in others {
            call.command.env_remove(name);
        }
        call.command.envs(variables.iter().cloned());
        call
    }

    fn with(verb: Verb, options: &[&OsStr], limits: GitLimits) -> Self {
        let mut command = Command::new("git");
        command.arg("--no-pager").args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(options);
        command.arg(verb.name()).envs(ENVIRONMENT).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command, verb, limits }
    }

    /// The same with more words behind it.
    pub(super) fn words<W: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.command.args(words);
        self
    }

    /// What git answers, whether it succeeds or not.
    pub(super) fn answer(self) -> Result<Answer, Error> {
        self.answer_to(&[])
    }

    /// What git answers to an input.
    pub(super) fn answer_to(mut self, input: &[u8]) -> Result<Answer, Error> {
        if !input.is_empty() {
            self.command.stdin(Stdio::piped());
        }
        let mut child = self.command.spawn().map_err(|error| not_started(&error))?;
        let (questions, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let watch = Watch::over(child, self.limits.patience).map_err(|error| not_started(&error))?;
        let most = self.limits.bytes;
        let talk = || {
            thread::scope(|scope| {
                let said = scope.spawn(|| up_to(MOST_ERROR_BYTES, err));
                // What git does not read it does not miss: its answer is what counts.
                questions.map(|mut questions| scope.spawn(move || questions.write_all(input)));
                let out = up_to(most.saturating_add(1), out);
                (out, said.join().unwrap_or_default())
            })
        };
        let (out, said) = watch.during(talk);
        let status = watch.end().map_err(|error| not_started(&error))?.ok_or_else(|| self.slow())?;
        if out.len() as u64 > most {
            let message = format!("`git {}` answers with more than {most} bytes", self.verb.name());
            return Err(Error::budget("git-bytes", message).help(TOO_MANY_FILES));
        }
        Ok(Answer { status, out, said: last_line(&said) })
    }

    /// What git prints.
    ///
    /// # Errors
    /// Also if it fails.
    pub(super) fn success(self) -> Result<Vec<u8>, Error> {
        let verb = self.verb.name();
        let answer = self.answer()?;
        match answer.status.success() {
            true => Ok(answer.out),
            false => Err(Error::new(format!("`git {verb}` failed: {}", answer.said))),
        }
    }

    /// A process that answers one question after another.
    pub(super) fn start(mut self) -> io::Result<Child> {
        self.command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn()
    }

    fn slow(&self) -> Error {
        let verb = self.verb.name();
        Error::budget("git-seconds", too_slow(verb, self.limits.patience)).help(
            "does git answer there at all? a disk may be slow, or the configuration may name a pipe, such as in \
             `include.path` or `core.excludesFile`",
        )
    }
}

/// What is said of a git that does not answer.
pub(super) fn too_slow(verb: &str, patience: Duration) -> String {
    format!("`git {verb}` gave no answer within {} seconds", patience.as_secs_f64())
}

#[derive(Default)]
struct State {
    /// Odd while one is open.
    questions: AtomicU64,
    /// Whether the process had to be ended.
    is_slow: AtomicBool,
}

/// Watches that a process answers: one that does not within the patience is ended, and what reads from it is at an end.
pub(super) struct Watch {
    state: Arc<State>,
    /// Closed when nothing is asked any more.
    asking: Sender<()>,
    thread: JoinHandle<io::Result<Option<ExitStatus>>>,
}

impl Watch {
    pub(super) fn over(mut child: Child, patience: Duration) -> io::Result<Self> {
        let (asking, is_asking) = mpsc::channel();
        let state = Arc::new(State::default());
        let seen = Arc::clone(&state);
        let watch = move || {
            // The first question is asked at once. A later one is open for twice the patience at most.
            let mut before = 1;
            while is_asking.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                let now = seen.questions.load(Ordering::Relaxed);
                if now == before && now % 2 == 1 {
                    // Whoever reads from it learns the reason with the end.
                    seen.is_slow.store(true, Ordering::Relaxed);
                    child.kill()?;
                    return child.wait().map(|_| None);
                }
                before = now;
            }
            child.wait().map(Some)
        };
        let thread = thread::Builder::new().name("git".to_owned()).spawn(watch)?;
        Ok(Self { state, asking, thread })
    }

    /// Asks a question.
    pub(super) fn during<T>(&self, question: impl FnOnce() -> T) -> T {
        self.state.questions.fetch_add(1, Ordering::Relaxed);
        let answer = question();
        self.state.questions.fetch_add(1, Ordering::Relaxed);
        answer
    }

    /// Whether the process had to be ended.
    pub(super) fn is_slow(&self) -> bool {
        self.state.is_slow.load(Ordering::Relaxed)
    }

    /// Waits for the end of the process; nothing if it had to be ended.
    pub(super) fn end(self) -> io::Result<Option<ExitStatus>> {
        drop(self.asking);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that watches it broke down")))
    }
}

/// The first bytes of what a process prints. A pipe that breaks is the end of it: the exit code says why.
fn up_to(most: u64, pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(most).read_to_end(&mut bytes);
    }
    bytes
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    line.trim_start_matches("fatal: ").to_owned()
}

/// The failure of a git that does not start.
fn not_started(error: &io::Error) -> Error {
    Error::new(format!("cannot start git: {}", system_words(error)))
        .of_kind(ErrorKind::System(error.kind()))
        .help("revisions of a repository are read through the `git` program; install it, or give directories")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn watched(script: &str, patience: Duration) -> (Option<std::process::ChildStdout>, Watch) {
        let mut child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        (child.stdout.take(), Watch::over(child, patience).unwrap())
    }

    #[test]
    fn what_does_not_answer_is_ended() {
        let (out, watch) = watched("exec sleep 600", Duration::from_millis(20));
        assert_eq!(watch.during(|| up_to(9, out)), b"");
        assert_eq!(watch.end().unwrap(), None);
    }

    #[test]
    fn what_answers_is_not() {
        let (out, watch) = watched("echo done", Duration::from_secs(600));
        assert_eq!(watch.during(|| up_to(9, out)), b"done\n");
        assert!(watch.end().unwrap().is_some_and(|status| status.success()));
    }
}
