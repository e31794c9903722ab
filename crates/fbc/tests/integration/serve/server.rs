//! A server in a process of its own, as clients meet it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use fbc_testing::{Fbc, Running};

/// A server in a process of its own, which ends with the test.
pub(crate) struct Server {
    pub(crate) child: Running,
    /// The lines of its log, which are read as they come, so that it never waits for a reader.
    lines: Receiver<String>,
    pub(crate) addresses: Vec<String>,
    /// What it has said so far.
    log: String,
}

impl Server {
    /// Starts a server and waits until it listens at so many addresses.
    pub(crate) fn start(arguments: &[&str], listeners: usize) -> Self {
        Self::start_command(crate::fbc().args(arguments), listeners)
    }

    /// As `start`, with a command of one's own.
    pub(crate) fn start_command(command: &mut Fbc, listeners: usize) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn();
        let (sender, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut server = Self { child, lines, addresses: Vec::new(), log: String::new() };
        while server.addresses.len() < listeners {
            let line = server.line();
            if let Some((_, address)) =
                line.split_once("serving api=").and_then(|(_, rest)| rest.split_once("address="))
            {
                server.addresses.push(address.trim().to_owned());
            }
        }
        server
    }

    /// The next line of the log.
    pub(crate) fn line(&mut self) -> String {
        let Ok(line) = self.lines.recv() else { panic!("the server ended: {}", self.log) };
        writeln!(self.log, "{line}").unwrap();
        line
    }

    /// What it has said so far.
    pub(crate) fn log(&self) -> &str {
        &self.log
    }

    /// Status and body of a request to the last address.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.addresses.last().unwrap()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// The bytes of memory that it has, on systems that say so.
    pub(crate) fn resident(&self) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok().map(|kibibytes: usize| kibibytes << 10)
    }

    /// Asks the server to end, and answers with its exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        assert!(
            Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap().success()
        );
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A catalog of the repository.
pub(crate) fn sample() -> PathBuf {
    fbc_testing::testdata("sample-catalog")
}
