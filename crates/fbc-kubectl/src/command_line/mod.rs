//! Command lines of `kubectl` and `oc`, read into data.
//!
//! [`split`] cuts a line into words as a shell would; [`parse`] reads the words into a [`Command`]. Pipes, redirections
//! and substitutions are the shell's and not read here. Nothing is looked up: what a resource argument such as
//! `deploy/web` means is decided when the verb runs.

mod create;
mod flags;
mod node;
mod node_verb;
mod read;
mod release;
mod upgrade;
mod verb;
mod words;
mod write;
mod writing;

pub use create::{Creation, DataFile};
pub use node_verb::{Cordon, Drain, Policy, Taint};
pub use read::{ApiResources, CanI, Logs};
pub use release::{ReleaseVerb, View};
pub use upgrade::{Acceptance, Details, Recommend, Upgrade, UpgradeVerb};
pub use verb::*;
pub use words::split;
pub use writing::{DryRun, Validation};

use flags::{Arguments, Flag, Takes};

/// A command line that cannot be run. Nothing happened; the exit code is 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct CommandError {
    /// What the program prints to standard error, without a newline at its end.
    pub text: String,
    /// What to do about it, where the program itself does not say.
    pub hint: Option<String>,
}

impl CommandError {
    /// `error: …`
    pub(crate) fn error(text: impl AsRef<str>) -> Self {
        Self { text: format!("error: {}", text.as_ref()), hint: None }
    }

    /// `error: …` and where to read about the verb.
    pub(crate) fn usage(verb: &str, text: impl AsRef<str>) -> Self {
        Self::error(format!("{}\nSee 'kubectl {verb} -h' for help and examples", text.as_ref()))
    }

    /// As [`CommandError::error`], with a hint.
    pub(crate) fn refused(text: impl AsRef<str>, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::error(text) }
    }
}

pub(crate) type Parsed<T> = Result<T, CommandError>;

/// Reads one verb's arguments.
type Read = fn(&Arguments) -> Parsed<Verb>;

/// A verb: its words, its flags, and how they become a [`Verb`].
struct VerbSyntax {
    words: &'static str,
    flags: &'static [&'static [Flag]],
    read: Read,
}

/// Verbs that make no sense without containers, terminals or other machines, and those that are left to a real kubectl.
const REFUSED: [(&str, &str); 23] = [
    ("exec", "no containers run here"),
    ("attach", "no containers run here"),
    ("cp", "no containers run here"),
    ("port-forward", "no containers run here"),
    ("proxy", "the API server of a simulation is not reachable over a network"),
    ("debug", "no containers run here, and nodes have no shell; see describe node/NAME, events and logs POD"),
    ("run", "write the pod as a manifest and create it"),
    ("top", "nothing is measured here"),
    ("create cronjob", "write the job as a manifest and create it"),
    ("create pdb", "write the budget as a manifest and create it"),
    ("create poddisruptionbudget", "write the budget as a manifest and create it"),
    ("explain", "`fbc cluster up` serves the schemas from which a real kubectl explains"),
    ("diff", "apply --dry-run=server -o yaml shows what an object would become"),
    ("rollout history", "the replica sets are the revisions: get replicasets -o wide"),
    ("rollout undo", "apply the earlier manifest"),
    ("rollout pause", "patch the deployment: -p '{\"spec\":{\"paused\":true}}'"),
    ("rollout resume", "patch the deployment: -p '{\"spec\":{\"paused\":false}}'"),
    ("kustomize", "build the manifests first and apply the result"),
    ("config", "a simulation has one cluster; choose the user with --as and the namespace with -n"),
    ("login", "a simulation has one cluster; choose the user with --as"),
    ("rsh", "no containers run here"),
    ("must-gather", "no containers run here"),
    ("adm must-gather", "no containers run here"),
];

/// Flags that every verb takes.
const COMMON: &[Flag] = &[
    Flag::short("namespace", 'n', Takes::Value),
    Flag::new("as", Takes::Value),
    Flag::new("as-group", Takes::Value),
    Flag::short("output", 'o', Takes::Value),
    Flag::new("template", Takes::Value),
    Flag::short("help", 'h', Takes::Nothing),
    Flag::new("kubeconfig", Takes::Value),
    Flag::new("context", Takes::Value),
    Flag::new("cluster", Takes::Value),
    Flag::new("user", Takes::Value),
    Flag::short("server", 's', Takes::Value),
    Flag::new("token", Takes::Value),
    Flag::new("request-timeout", Takes::Value),
    Flag::new("insecure-skip-tls-verify", Takes::Nothing),
    Flag::short("v", 'v', Takes::Value),
    Flag::new("warnings-as-errors", Takes::Nothing),
];

/// Flags that choose a cluster, a connection or a way of logging: there is one of each.
const IGNORED: [&str; 9] = [
    "kubeconfig",
    "context",
    "cluster",
    "user",
    "server",
    "token",
    "request-timeout",
    "insecure-skip-tls-verify",
    "v",
];

/// Reads the words of a command line, the program's name first.
///
/// ```
/// use fbc_kubectl::command_line::{Verb, parse, split};
///
/// let command = parse(&split("oc get clusterextension argocd -o yaml").unwrap()).unwrap();
/// assert!(matches!(command.verb, Verb::Get(_)));
/// ```
///
/// # Errors
/// kubectl's own text for lines that it refuses, and a clear refusal with a hint of what a simulated cluster cannot do.
pub fn parse(words: &[String]) -> Result<Command, CommandError> {
    let Some((program, words)) =
        words.split_first().filter(|(first, _)| matches!(first.as_str(), "kubectl" | "oc"))
    else {
        let first = words.first().map(String::as_str).unwrap_or_default();
        return Err(CommandError::refused(
            format!("{first:?} is not a program of a simulated cluster"),
            "command lines begin with kubectl or oc",
        ));
    };
    // Common flags may stand in front of the verb.
    let (syntax, rest) = find_verb(program, words)?;
    let arguments = Arguments::parse(syntax.words, &[syntax.flags, &[COMMON]].concat(), &rest)?;
    if arguments.switch("help")? {
        return Err(CommandError::refused(
            format!("there is no help text for {:?} in a simulated cluster", syntax.words),
            "`kubectl VERB --help` of a real kubectl describes the flags",
        ));
    }
    let notes = IGNORED
        .iter()
        // Some verbs give the name another meaning: `create rolebinding --user`.
        .filter(|name| !syntax.flags.iter().copied().flatten().any(|flag| flag.name == **name))
        .filter(|name| arguments.value(name).is_some())
        .map(|name| format!("note: --{name} is ignored: there is one simulated cluster"))
        .collect();
    let context = Context {
        namespace: arguments.value("namespace").map(str::to_owned),
        user: arguments.value("as").map(str::to_owned),
        groups: arguments.values("as-group").map(str::to_owned).collect(),
        validation: writing::validation(&arguments)?,
        notes,
    };
    let format = arguments.value("output").unwrap_or_default();
    let output = crate::print::Output::parse(
        if release::is_list(syntax.words, format) { "" } else { format },
        arguments.value("template").filter(|template| !template.is_empty()),
    );
    let output = output.map_err(|error| CommandError::error(error.to_string()))?;
    Ok(Command { context, output, verb: (syntax.read)(&arguments)? })
}

/// The verb with the most words that the line begins with, and everything else on the line.
fn find_verb(program: &str, words: &[String]) -> Parsed<(&'static VerbSyntax, Vec<String>)> {
    let mut names: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|_| names.len() < 3) {
        if word.starts_with('-') {
            at += flags::words_of(COMMON, word);
        } else {
            names.push((at, word));
            at += 1;
        }
    }
    let tables = [read::VERBS, write::VERBS, create::VERBS, node::VERBS, upgrade::VERBS, release::VERBS];
    for length in (1..=names.len()).rev() {
        let name = names[..length].iter().map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
        if let Some(syntax) = tables.iter().flat_map(|table| table.iter()).find(|syntax| syntax.words == name)
        {
            let taken: Vec<usize> = names[..length].iter().map(|(at, _)| *at).collect();
            let rest = words.iter().enumerate().filter(|(at, _)| !taken.contains(at));
            return Ok((syntax, rest.map(|(_, word)| word.clone()).collect()));
        }
        if let Some((_, hint)) = REFUSED.iter().find(|(words, _)| *words == name) {
            return Err(CommandError::refused(
                format!("{name:?} is not supported in a simulated cluster"),
                *hint,
            ));
        }
    }
    let Some((_, first)) = names.first() else {
        return Err(CommandError::refused("no verb given", "for example: get, apply, delete, patch, wait"));
    };
    let mut known: Vec<&str> =
        tables.iter().flat_map(|table| table.iter()).map(|syntax| syntax.words).collect();
    known.retain(|words| !words.contains(' '));
    Err(CommandError::refused(
        format!("unknown command {first:?} for {program:?}"),
        format!("verbs of a simulated cluster: {}", known.join(", ")),
    ))
}

#[cfg(test)]
mod tests;
