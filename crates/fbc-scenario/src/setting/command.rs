//! Command lines of `oc` and `kubectl`, run on the cluster of a scenario.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_cluster::engine::RunError;
use fbc_cluster::time::{MINUTE, Milliseconds};
use fbc_go::allowance::Allowance;
use fbc_kubectl::command_line::{parse, split};
use fbc_kubectl::run::run;
use fbc_model::overlay_tree::OverlayTree;
use fbc_model::tree::Subtree;

use super::{Printed, Setting};

/// How long a command waits that names no limit.
const PATIENCE: Milliseconds = 30 * MINUTE;

impl Setting<'_> {
    /// Puts files that a command wrote before those beside the scenario; nothing is written to disk.
    fn write(&mut self, files: Vec<(PathBuf, Vec<u8>)>) {
        if files.is_empty() {
            return;
        }
        let directory = Subtree { tree: Arc::clone(&self.files), folder: PathBuf::new() };
        let files = files.into_iter().map(|(path, bytes)| (path, Some(bytes))).collect();
        self.files = Arc::new(OverlayTree::new(Box::new(directory), files));
    }

    /// Runs a command line. One that waits lets time go by; one that waits in vain ends as the program itself would. What it
    /// prints is charged to the allowance, which all commands share whose output is kept; one that prints more fails.
    ///
    /// # Errors
    /// Why time stopped.
    pub(crate) fn run(&mut self, line: &str, allowance: &Allowance) -> Result<Printed, RunError> {
        let refusal = |text: String| Printed { stdout: String::new(), stderr: format!("{text}\n"), exit: 1 };
        let words = match split(line) {
            Ok(words) => words,
            Err(error) => return Ok(refusal(error.text)),
        };
        let command = match parse(&words) {
            Ok(command) => command,
            Err(error) => {
                let hint = error.hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                return Ok(refusal(format!("{}{hint}", error.text)));
            }
        };
        let files = &self.files;
        let read = |path: &str| files.read(Path::new(path)).ok();
        let outcome = run(&command, &mut self.session, &mut self.cluster.api, &read);
        let mut printed = Printed { stdout: outcome.stdout, stderr: outcome.stderr, exit: outcome.exit_code };
        self.write(outcome.written);
        let charge = |stdout: &str, stderr: &str| {
            allowance
                .bytes(stdout.len() + stderr.len())
                .err()
                .map(|exceeded| refusal(format!("error: the output {exceeded} (limit {})", exceeded.name())))
        };
        if let Some(refused) = charge(&printed.stdout, &printed.stderr) {
            return Ok(refused);
        }
        let Some(mut waiting) = outcome.waiting else { return Ok(printed) };
        let end = waiting.deadline().unwrap_or_else(|| self.cluster.now() + PATIENCE);
        loop {
            let poll = waiting.poll(&mut self.cluster.api);
            if let Some(refused) = charge(&poll.stdout, &poll.stderr) {
                return Ok(refused);
            }
            printed.stdout.push_str(&poll.stdout);
            printed.stderr.push_str(&poll.stderr);
            if let Some(exit) = poll.exit_code {
                printed.exit = printed.exit.max(exit);
                return Ok(printed);
            }
            let next = waiting.next_poll().map_or(end, |next| next.min(end));
            if !self.cluster.step(next)? {
                if self.cluster.now() >= end {
                    printed.stderr.push_str("error: timed out waiting for the condition\n");
                    printed.exit = 1;
                    return Ok(printed);
                }
                self.cluster.api.advance_to(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fbc_go::allowance::ExpansionLimits;
    use fbc_model::tree::MemoryTree;

    use super::*;
    use crate::{Contents, Prepared, Scenario};

    #[test]
    fn commands_share_what_they_may_print() {
        let scenario = Scenario::read("s.yaml", b"title: t\nsteps:\n- wait: 1s\n").unwrap();
        let prepared = Prepared::new(scenario, Contents::default(), Arc::new(MemoryTree::default())).unwrap();
        let mut setting = Setting::new(&prepared, 1);
        let line = "kubectl get namespaces -o yaml";
        let length = setting.run(line, &Allowance::default()).unwrap().stdout.len() as u64;
        let limits = ExpansionLimits { bytes: 2 * length, ..ExpansionLimits::USUAL };
        let allowance = Allowance::new(limits);
        let exits = [(); 3].map(|()| setting.run(line, &allowance).unwrap());
        assert_eq!(exits.each_ref().map(|printed| printed.exit), [0, 0, 1]);
        assert_eq!(exits[2].stdout, "");
        assert!(exits[2].stderr.ends_with("bytes (limit expansion-bytes)\n"), "{}", exits[2].stderr);
    }
}
