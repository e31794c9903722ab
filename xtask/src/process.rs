//! Child processes: run one and show what it prints, or show and keep it.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

/// A child that has ended.
pub(crate) struct Finished {
    /// True when the exit code was zero.
    pub(crate) success: bool,
    /// How it ended, in words.
    pub(crate) status: String,
    /// All of its standard output, then all of its standard error.
    pub(crate) text: String,
}

/// Runs a command with the terminal as its own; an exit code other than zero is an error.
pub(crate) fn run(command: &mut Command) -> TaskResult {
    let words = describe(command);
    let status = command.status().context(|| format!("starting {words}"))?;
    if status.success() { Ok(()) } else { Err(TaskError::new(format!("{words}: {status}"))) }
}

/// Builds the release binary, and says where it is.
pub(crate) fn release_binary(root: &Path) -> TaskResult<PathBuf> {
    run(workspace::cargo(root).args(["build", "--release", "--package", "fbc", "--bin", "fbc"]))?;
    Ok(workspace::target_folder(root)?.join("release/fbc"))
}

/// Builds the program that measures libraries, and says where it is.
pub(crate) fn library_bench(root: &Path) -> TaskResult<PathBuf> {
    run(workspace::cargo(root).args(["build", "--release", "--package", "fbc-bench"]))?;
    Ok(workspace::target_folder(root)?.join("release/fbc-bench"))
}

/// Builds the development binary, and says where it is. The whole workspace is named for its features: they are those
/// of the tests, whose dependencies are compiled already.
pub(crate) fn development_binary(root: &Path) -> TaskResult<PathBuf> {
    run(workspace::cargo(root).args(["build", "--workspace", "--bin", "fbc"]))?;
    Ok(workspace::target_folder(root)?.join("debug/fbc"))
}

/// Runs a command, passes on what it prints while it runs, and keeps a copy.
pub(crate) fn run_and_keep(command: &mut Command) -> TaskResult<Finished> {
    let words = describe(command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context(|| format!("starting {words}"))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (output, errors) = thread::scope(|scope| {
        let output = scope.spawn(|| copy_and_keep(output, io::stdout()));
        let errors = scope.spawn(|| copy_and_keep(errors, io::stderr()));
        (output.join(), errors.join())
    });
    let status = child.wait().context(|| format!("waiting for {words}"))?;
    let mut text = String::new();
    for part in [output, errors] {
        let bytes = part
            .map_err(|_| TaskError::new(format!("the reader of {words} broke down")))?
            .context(|| format!("reading what {words} prints"))?;
        text.push_str(&String::from_utf8_lossy(&bytes));
        text.push('\n');
    }
    Ok(Finished { success: status.success(), status: status.to_string(), text })
}

/// The command as a person would type it, without quoting.
pub(crate) fn describe(command: &Command) -> String {
    let mut words = command.get_program().to_string_lossy().into_owned();
    if let Some(name) = std::path::Path::new(&words).file_name() {
        words = name.to_string_lossy().into_owned();
    }
    for argument in command.get_args() {
        words.push(' ');
        words.push_str(&argument.to_string_lossy());
    }
    words
}

fn copy_and_keep(from: Option<impl Read>, mut to: impl Write) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let Some(mut from) = from else { return Ok(kept) };
    let mut buffer = [0; 8192];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(kept);
        }
        to.write_all(&buffer[..count])?;
        to.flush()?;
        kept.extend_from_slice(&buffer[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_and_the_exit_code_are_kept() {
        let finished =
            run_and_keep(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).unwrap();
        assert!(!finished.success);
        assert_eq!(finished.status, "exit status: 3");
        assert_eq!(finished.text, "out\n\nerr\n\n");
    }

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = run(Command::new("sh").args(["-c", "exit 4"])).unwrap_err();
        assert_eq!(error.to_string(), "sh -c exit 4: exit status: 4");
        assert!(run(&mut Command::new("true")).is_ok());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(run_and_keep(&mut Command::new("/nonexistent/program")).is_err());
    }
}
