//! The file that a session is written to, a JSON object a line, and what may be wrong with one.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fbc_app::event::Event;
use fbc_app::invalid_value::InvalidValue;
use fbc_app::output::file::begin_private_file;
use fbc_app::settings::{Host, Settings};
use fbc_openshift::cluster_update::MOST_NODES;
use fbc_source::Error;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::redaction::Redaction;

/// A session that is being written. Copies write to the same file, which nobody else may read. It is whole if its last
/// line says so: whatever ends the process or fills the disk, the lines before are those of its beginning.
#[derive(Clone)]
pub(super) struct Trace {
    path: PathBuf,
    state: Arc<Mutex<State>>,
    /// Hears that not all was written.
    host: Arc<dyn Host>,
    /// True once it cannot be written any more.
    broken: watch::Sender<bool>,
}

struct State {
    /// Nothing once it failed or ended.
    out: Option<File>,
    fault: Option<io::Error>,
    lines: usize,
    /// Nothing if Secrets are written as they are.
    redaction: Option<Redaction>,
}

impl Trace {
    /// Begins a session with its first line, in the place of a file that is there.
    pub(super) fn begin(
        path: &Path,
        header: &Value,
        keeps_secrets: bool,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let mut header = header.clone();
        header["session"]["redacted"] = json!(!keeps_secrets);
        let out = begin_private_file(path, settings, format!("{header}\n").as_bytes())?;
        let redaction = (!keeps_secrets).then(Redaction::default);
        let state = State { out: Some(out), fault: None, lines: 1, redaction };
        let broken = watch::Sender::new(false);
        Ok(Self {
            path: path.to_owned(),
            state: Arc::new(Mutex::new(state)),
            host: Arc::clone(&settings.host),
            broken,
        })
    }

    /// Writes a line. If that fails the session is broken, and nothing is written any more.
    pub(super) fn write(&self, line: &Value) {
        let mut state = self.state();
        let line =
            state.redaction.as_mut().map(|redaction| redaction.line(line)).unwrap_or_else(|| line.clone());
        state.write(&line);
        if state.fault.is_some() {
            self.broken.send_replace(true);
        }
    }

    /// Done when a line could not be written.
    pub(super) async fn until_broken(&self) {
        // The sender lives as long as this value.
        let _ = self.broken.subscribe().wait_for(|broken| *broken).await;
    }

    /// Ends the session with the line that says it is whole.
    ///
    /// # Errors
    /// If it could not be written.
    pub(super) fn finish(&self) -> Result<(), Error> {
        let mut state = self.state();
        let end = end_line(state.lines);
        state.write(&end);
        state.out = None;
        self.fault(&mut state)
    }

    /// Ends the session without that line, and says so: not all that happened is in it.
    ///
    /// # Errors
    /// If a line could not be written before.
    pub(super) fn give_up(&self) -> Result<(), Error> {
        let mut state = self.state();
        state.out = None;
        self.fault(&mut state)?;
        self.host.tell(Event::Warning(
            Error::new(format!("the session {} is not whole", self.path.display()))
                .help("the cluster did not come to its end: what it was about is missing"),
        ));
        Ok(())
    }

    fn fault(&self, state: &mut State) -> Result<(), Error> {
        match state.fault.take() {
            None => Ok(()),
            Some(error) => Err(Error::io("write", &self.path, &error).detail("the session is not whole")),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn write(&mut self, line: &Value) {
        let Some(out) = &mut self.out else { return };
        match out.write_all(format!("{line}\n").as_bytes()) {
            Ok(()) => self.lines += 1,
            Err(error) => {
                self.out = None;
                self.fault = Some(error);
            }
        }
    }
}

/// The last line of a session with so many lines before it.
fn end_line(lines: usize) -> Value {
    json!({"end": {"lines": lines}})
}

/// The lines of a session, and whether it is whole: what ended in the middle of a line, or has no last line, is not.
pub(super) fn lines_of(text: &str) -> (Vec<&str>, bool) {
    let whole_lines = text.rfind('\n').map_or("", |end| text.get(..=end).unwrap_or_default());
    let mut lines: Vec<&str> = whole_lines.lines().collect();
    let end = end_line(lines.len().saturating_sub(1)).to_string();
    let is_whole = whole_lines.len() == text.len() && lines.last().is_some_and(|last| *last == end);
    if is_whole {
        lines.pop();
    }
    (lines, is_whole)
}

/// What is wrong with a line of a recorded session.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TraceFault {
    #[error("it does not begin with a line about the session")]
    NoSession,
    #[error("there is no moment of the start")]
    NoStart,
    #[error("the start is after the year 9999")]
    LateStart,
    #[error("the session has more than {MOST_NODES} nodes")]
    Nodes,
    #[error("the session says generations of OLM that there are not")]
    Generations,
    #[error(transparent)]
    Target(#[from] fbc_version::UnknownName),
    #[error(transparent)]
    Pace(#[from] InvalidValue),
    #[error("an image has no reference")]
    NoReference,
    #[error("an image has neither a digest nor files nor an error")]
    NoAnswer,
    #[error("an answer of a webhook has no call")]
    NoCall,
    #[error("a call of a webhook has neither a response nor a reason for none")]
    NoResponse,
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn begin(path: &Path) -> Trace {
        Trace::begin(path, &json!({"session": {}}), false, &Settings::default()).unwrap()
    }

    #[test]
    fn a_session_is_private_and_says_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        std::fs::write(&path, "old").unwrap();
        let trace = begin(&path);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        trace.clone().write(&json!({"waiting": true}));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(lines_of(&text), (vec![r#"{"session":{"redacted":true}}"#, r#"{"waiting":true}"#], false));
        trace.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((lines_of(&text).0.len(), lines_of(&text).1), (2, true));
        for end in 0..text.len() {
            assert!(!lines_of(&text[..end]).1, "{end}");
        }
        // A line that is missing in the middle shows as well.
        assert!(!lines_of(&text.replace("{\"waiting\":true}\n", "")).1);
    }

    #[test]
    fn what_cannot_be_written_breaks_the_session() {
        if !Path::new("/dev/full").exists() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let trace = begin(&folder.path().join("trace"));
        trace.state().out = Some(File::options().write(true).open("/dev/full").unwrap());
        trace.write(&json!({"waiting": true}));
        assert!(*trace.broken.borrow());
        trace.write(&json!({"waiting": true}));
        assert_eq!(
            trace.finish().unwrap_err().kind(),
            fbc_source::ErrorKind::System(io::ErrorKind::StorageFull)
        );
    }
}
