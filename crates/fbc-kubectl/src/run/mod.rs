//! Running verbs against a [`Server`].
//!
//! [`run`] does what a [`Command`] says and returns an [`Outcome`]: text for standard output and standard error and an
//! exit code. Verbs that wait also return [`Waiting`]: conditions that the caller polls as virtual time goes by.

mod api_server;
mod create;
mod drain;
mod failure;
mod logs;
mod manifests;
mod metadata;
mod nodes;
mod policy;
mod read;
mod release;
mod resolve;
mod rollout;
mod selectors;
mod server;
mod upgrade;
mod waiting;
mod write;

use std::path::PathBuf;

use crate::alert::Alert;
use crate::command_line::{Command, DryRun, Verb};
use crate::print::Output;
use crate::release::ReleaseImage;

pub use failure::{Failure, failures_text};
pub use manifests::{ManifestError, read_manifests};
pub use resolve::find_kind;
pub use server::{AccessQuestion, Answer, Applied, ApplyMode, Change, DeleteOptions, Request, Server};
pub use waiting::{Poll, Waiting};

/// What stays the same from one command to the next.
#[derive(Debug, Clone)]
pub struct Session {
    /// The namespace of commands that name none.
    pub namespace: String,
    /// The user of commands without `--as`.
    pub user: String,
    /// That user's groups.
    pub groups: Vec<String>,
    /// The images of releases that can be pulled.
    pub releases: Vec<ReleaseImage>,
    /// What the monitoring of the cluster reports.
    pub alerts: Vec<Alert>,
}

impl Default for Session {
    /// The administrator in namespace `default`.
    fn default() -> Self {
        Self {
            namespace: "default".to_owned(),
            user: "system:admin".to_owned(),
            groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
            releases: Vec::new(),
            alerts: Vec::new(),
        }
    }
}

/// What a command printed, and how it ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// 0 if the command did what it says, else 1. Means nothing yet while it waits.
    pub exit_code: u8,
    /// Files that the command wrote, below the directory that it ran in.
    pub written: Vec<(PathBuf, Vec<u8>)>,
    /// What the command still waits for.
    pub waiting: Option<Waiting>,
}

/// What files hold, by their paths; `-` is standard input.
pub type Files<'f> = &'f dyn Fn(&str) -> Option<Vec<u8>>;

/// Runs a command.
///
/// Only `oc project` and `oc new-project` change the session.
pub fn run<S: Server>(command: &Command, session: &mut Session, server: &mut S, files: Files<'_>) -> Outcome {
    let context = &command.context;
    let request = Request {
        user: context.user.clone().unwrap_or_else(|| session.user.clone()),
        impersonator: context.user.as_ref().map(|_| (session.user.clone(), session.groups.clone())),
        groups: if context.user.is_some() { context.groups.clone() } else { session.groups.clone() },
        field_manager: "kubectl".to_owned(),
        dry_run: false,
        validation: context.validation,
    };
    let output = match command.output.loaded(files) {
        Ok(output) => output,
        Err(error) => {
            return Outcome {
                stderr: failures_text(&[Failure::from_error(error)]),
                exit_code: 1,
                ..Outcome::default()
            };
        }
    };
    let mut runner = Runner {
        server,
        files,
        request,
        namespace: context.namespace.clone().unwrap_or_else(|| session.namespace.clone()),
        namespace_given: context.namespace.is_some(),
        output: &output,
        stdout: String::new(),
        stderr: context.notes.iter().map(|note| note.clone() + "\n").collect(),
        failures: Vec::new(),
        waiting: None,
        exit_code: 0,
        switched_to: None,
        releases: &session.releases,
        alerts: &session.alerts,
        written: Vec::new(),
    };
    // Controllers write between commands; what they are warned of concerns nobody here.
    drop(runner.server.take_warnings());
    if let Err(failure) = runner.run(&command.verb) {
        runner.failures.push(failure);
    }
    let switched_to = runner.switched_to.take();
    let outcome = runner.finish();
    if let Some(namespace) = switched_to {
        session.namespace = namespace;
    }
    outcome
}

/// A command that runs.
struct Runner<'r, S> {
    server: &'r mut S,
    files: Files<'r>,
    request: Request,
    namespace: String,
    namespace_given: bool,
    output: &'r Output,
    stdout: String,
    stderr: String,
    failures: Vec<Failure>,
    waiting: Option<Waiting>,
    exit_code: u8,
    switched_to: Option<String>,
    releases: &'r [ReleaseImage],
    alerts: &'r [Alert],
    written: Vec<(PathBuf, Vec<u8>)>,
}

impl<S: Server> Runner<'_, S> {
    fn run(&mut self, verb: &Verb) -> Result<(), Failure> {
        match verb {
            Verb::Get(get) => self.get(get),
            Verb::Describe(describe) => self.describe(describe),
            Verb::Events(events) => self.events(events),
            Verb::Logs(logs) => self.logs(logs),
            Verb::Apply(apply) => self.apply(apply),
            Verb::Create(creation) => self.create(creation),
            Verb::Replace(replace) => self.replace(replace),
            Verb::Delete(delete) => self.delete(delete),
            Verb::Patch(patch) => self.patch(patch),
            Verb::Metadata(change) => self.change_metadata(change),
            Verb::Scale(scale) => self.scale(scale),
            Verb::Rollout(rollout) => self.rollout(rollout),
            Verb::Wait(wait) => self.wait(wait),
            Verb::CanI(question) => self.can_i(question),
            Verb::ApiResources(resources) => {
                self.api_resources(resources);
                Ok(())
            }
            Verb::WhoAmI { with_groups } => self.who_am_i(*with_groups),
            Verb::Project { name } => self.project(name.as_deref()),
            Verb::Policy(policy) => self.policy(policy),
            Verb::Upgrade(upgrade) => self.upgrade(upgrade),
            Verb::Release(release) => self.release(release),
            Verb::Taint(taint) => self.taint(taint),
            Verb::Cordon(cordon) => self.cordon(cordon),
            Verb::Drain(drain) => self.drain(drain),
        }
    }

    fn finish(self) -> Outcome {
        let exit_code = if self.failures.is_empty() { self.exit_code } else { 1 };
        let warnings = self.server.take_warnings().into_iter().map(|text| format!("Warning: {text}\n"));
        let stderr = self.stderr + &warnings.collect::<String>() + &failures_text(&self.failures);
        Outcome { stdout: self.stdout, stderr, exit_code, written: self.written, waiting: self.waiting }
    }

    /// Prints an object as `-o` says.
    fn print_object(
        &mut self,
        object: &fbc_cluster::object::Object,
        no_headers: bool,
    ) -> Result<(), Failure> {
        match self.output.print(object, no_headers) {
            Ok(text) => {
                self.stdout.push_str(&text);
                Ok(())
            }
            Err(error) => {
                self.stdout.push_str(&error.output);
                Err(error.into())
            }
        }
    }

    /// Prints an object that a verb changed: `kind/name done`, or as `-o` says.
    fn print_changed(
        &mut self,
        object: &fbc_cluster::object::Object,
        done: &str,
        dry_run: DryRun,
    ) -> Result<(), Failure> {
        if self.output.prints_objects() {
            let object = if self.output.hides_managed_fields() {
                crate::print::without_managed_fields(object)
            } else {
                object.clone()
            };
            return self.print_object(&object, false);
        }
        let name = crate::print::full_name(object);
        let suffix = dry_run.suffix();
        self.stdout.push_str(&format!("{name} {done}{suffix}\n"));
        Ok(())
    }
}

#[cfg(test)]
mod memory;
#[cfg(test)]
pub(crate) mod tests;
