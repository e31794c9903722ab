//! Runs of the program that is tested, which know nothing of the machine and of whoever runs the tests.

use std::ffi::OsStr;
use std::io::Write as _;
use std::iter;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::thread;

use tempfile::TempDir;

/// The variables that a run keeps: where programs are, and where temporary files go.
const KEPT: [&str; 2] = ["PATH", "TMPDIR"];

/// One run of fbc, or of a program that starts it. It has an empty home directory of its own and no colors, unless it is told
/// otherwise, and of the environment only the path of programs.
#[derive(Debug)]
pub struct Fbc {
    command: Command,
    home: Arc<TempDir>,
}

/// A run that has not ended. Its home directory stays as long as this.
#[derive(Debug)]
pub struct Running {
    child: Child,
    home: Arc<TempDir>,
}

/// What a run has said. Both streams are UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Fbc {
    /// A run of the program at a path.
    pub fn at(program: impl AsRef<OsStr>) -> Self {
        let home = tempfile::tempdir().expect("a directory can be made");
        let mut command = Command::new(program);
        let kept = KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.env_clear().envs(kept).env("HOME", home.path()).env("NO_COLOR", "1");
        Self { command, home: Arc::new(home) }
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    /// Runs it in a directory.
    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Self {
        self.command.current_dir(directory);
        self
    }

    /// Sets a variable of its environment.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Sets variables of its environment.
    pub fn envs(
        &mut self,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> &mut Self {
        self.command.envs(variables);
        self
    }

    /// Lets programs be found in a directory first.
    ///
    /// # Panics
    /// The name of the directory cannot stand in a list of directories.
    pub fn programs_in(&mut self, directory: impl AsRef<Path>) -> &mut Self {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let all = iter::once(directory.as_ref().to_owned()).chain(std::env::split_paths(&others));
        self.command.env("PATH", std::env::join_paths(all).expect("directories without a colon"));
        self
    }

    /// Removes a variable that it has by itself: `PATH`, `TMPDIR`, `HOME` or `NO_COLOR`.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.command.env_remove(name);
        self
    }

    /// Where it reads from.
    pub fn stdin(&mut self, stream: impl Into<Stdio>) -> &mut Self {
        self.command.stdin(stream);
        self
    }

    /// Where it writes to.
    pub fn stdout(&mut self, stream: impl Into<Stdio>) -> &mut Self {
        self.command.stdout(stream);
        self
    }

    /// Where it writes errors to.
    pub fn stderr(&mut self, stream: impl Into<Stdio>) -> &mut Self {
        self.command.stderr(stream);
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// The program cannot be started.
    pub fn output(&mut self) -> Output {
        self.command.output().unwrap_or_else(|error| panic!("{:?}: {error}", self.command))
    }

    /// Runs it to its end with the streams of the test.
    ///
    /// # Panics
    /// The program cannot be started.
    pub fn status(&mut self) -> ExitStatus {
        self.command.status().unwrap_or_else(|error| panic!("{:?}: {error}", self.command))
    }

    /// Runs it to its end with bytes on standard input. It may end without reading all of them.
    ///
    /// # Panics
    /// The program cannot be started.
    pub fn output_of(&mut self, input: &[u8]) -> Output {
        let mut running = self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut stdin = running.child.stdin.take().expect("standard input is piped");
        thread::scope(|scope| {
            scope.spawn(move || drop(stdin.write_all(input)));
            running.wait_with_output()
        })
    }

    /// Runs it to its end, and gives what it has said.
    ///
    /// # Panics
    /// The program cannot be started, is ended by a signal, or says what is not UTF-8.
    pub fn answer(&mut self) -> Answer {
        Answer::from(self.output())
    }

    /// Starts it, to go on beside the test.
    ///
    /// # Panics
    /// The program cannot be started.
    pub fn spawn(&mut self) -> Running {
        let child = self.command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command));
        Running { child, home: Arc::clone(&self.home) }
    }
}

impl Running {
    /// Waits for its end.
    ///
    /// # Panics
    /// Its streams cannot be read.
    pub fn wait_with_output(self) -> Output {
        let output = self.child.wait_with_output().expect("a program that was started ends");
        drop(self.home);
        output
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("programs write UTF-8");
        Self {
            code: output.status.code().unwrap_or_else(|| panic!("ended by a signal: {}", output.status)),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Answer {
    /// The exit code, standard output and standard error.
    pub fn parts(self) -> (i32, String, String) {
        (self.code, self.out, self.err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Fbc {
        let mut shell = Fbc::at("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_run_has_nothing_of_the_machine_but_its_programs() {
        let names = shell("env | sed 's/=.*//' | sort").answer().out;
        let own = ["HOME", "NO_COLOR", "PATH", "PWD", "SHLVL", "TMPDIR", "_", "OLDPWD"];
        assert!(names.lines().all(|name| own.contains(&name)), "{names}");
        assert_eq!(
            shell("ls -A \"$HOME\"").answer(),
            Answer { code: 0, out: String::new(), err: String::new() }
        );
        assert_eq!(shell("echo $A$NO_COLOR").env("A", "b").env_remove("NO_COLOR").answer().out, "b\n");
    }

    #[test]
    fn both_streams_and_the_exit_code_are_kept() {
        assert_eq!(
            shell("echo out; echo err >&2; exit 3").answer().parts(),
            (3, "out\n".into(), "err\n".into())
        );
        assert_eq!(shell("cat").output_of(b"in").stdout, b"in");
        assert!(shell("exit 0").output_of(&[0; 1 << 20]).status.success());
    }

    #[test]
    fn programs_are_found_in_a_directory_first() {
        let folder = tempfile::tempdir().unwrap();
        let found = shell("echo $PATH").programs_in(folder.path()).answer().out;
        assert!(found.starts_with(&format!("{}:", folder.path().display())), "{found}");
    }

    #[test]
    fn a_run_beside_the_test_keeps_its_home() {
        let mut running = shell("read line; cd \"$HOME\"").stdin(Stdio::piped()).spawn();
        drop(running.stdin.take());
        assert!(running.wait_with_output().status.success());
    }
}
