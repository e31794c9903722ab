//! Verbs that change nothing.

use fbc_cluster::time::SECOND;

use super::flags::{Arguments, FOR_EVER, Flag, Takes};
use super::{CommandError, Describe, Events, Get, Parsed, Selection, Verb, VerbSyntax, Wait, WaitFor};
use crate::jsonpath::Template;

/// `auth can-i`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CanI {
    /// The verb of the request.
    pub verb: String,
    /// The resource as given: `pods`, `deployments.apps`, `deploy/web`; a path if it begins with `/`.
    pub resource: String,
    /// The name of an object.
    pub name: Option<String>,
    /// `--subresource`
    pub subresource: Option<String>,
    /// `-A`
    pub all_namespaces: bool,
    /// `-q`: only the exit code answers.
    pub quiet: bool,
}

/// `api-resources`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiResources {
    /// `--api-group`
    pub group: Option<String>,
    /// `--namespaced`
    pub namespaced: Option<bool>,
    /// `--no-headers`
    pub no_headers: bool,
}

/// `logs`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Logs {
    /// The pod, with or without `pod/`.
    pub pod: String,
    /// `-c`, or the second argument.
    pub container: Option<String>,
    /// `--all-containers`
    pub all_containers: bool,
    /// `-p`
    pub previous: bool,
    /// `--tail`
    pub tail: Option<usize>,
}

/// Flags that choose objects.
pub(super) const SELECTION: &[Flag] = &[
    Flag::short("filename", 'f', Takes::Value),
    Flag::short("recursive", 'R', Takes::Nothing),
    Flag::short("selector", 'l', Takes::Value),
    Flag::new("field-selector", Takes::Value),
    Flag::new("all", Takes::Nothing),
    Flag::short("all-namespaces", 'A', Takes::Nothing),
];

/// Flags that concern tables or the transport.
const TABLE: &[Flag] = &[
    Flag::new("show-labels", Takes::Nothing),
    Flag::short("label-columns", 'L', Takes::Value),
    Flag::new("no-headers", Takes::Nothing),
    Flag::new("ignore-not-found", Takes::Nothing),
    Flag::new("show-kind", Takes::Nothing),
    Flag::new("show-managed-fields", Takes::Nothing),
    Flag::new("sort-by", Takes::Value),
    Flag::short("watch", 'w', Takes::Nothing),
    Flag::new("watch-only", Takes::Nothing),
    Flag::new("chunk-size", Takes::Value),
    Flag::new("raw", Takes::Value),
];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: "get", flags: &[SELECTION, TABLE], read: get },
    VerbSyntax {
        words: "describe",
        flags: &[
            SELECTION,
            &[Flag::new("show-events", Takes::Nothing), Flag::new("chunk-size", Takes::Value)],
        ],
        read: describe,
    },
    VerbSyntax {
        words: "logs",
        flags: &[&[
            Flag::short("container", 'c', Takes::Value),
            Flag::new("all-containers", Takes::Nothing),
            Flag::short("previous", 'p', Takes::Nothing),
            Flag::short("follow", 'f', Takes::Nothing),
            Flag::new("tail", Takes::Value),
        ]],
        read: logs,
    },
    VerbSyntax {
        words: "events",
        flags: &[&[
            Flag::new("for", Takes::Value),
            Flag::new("types", Takes::Value),
            Flag::short("all-namespaces", 'A', Takes::Nothing),
            Flag::new("no-headers", Takes::Nothing),
            Flag::short("watch", 'w', Takes::Nothing),
        ]],
        read: events,
    },
    VerbSyntax {
        words: "wait",
        flags: &[SELECTION, &[Flag::new("for", Takes::Value), Flag::new("timeout", Takes::Value)]],
        read: wait,
    },
    VerbSyntax {
        words: "auth can-i",
        flags: &[&[
            Flag::new("subresource", Takes::Value),
            Flag::short("all-namespaces", 'A', Takes::Nothing),
            Flag::short("quiet", 'q', Takes::Nothing),
            Flag::new("list", Takes::Nothing),
        ]],
        read: can_i,
    },
    VerbSyntax { words: "auth whoami", flags: &[], read: |_| Ok(Verb::WhoAmI { with_groups: true }) },
    VerbSyntax { words: "whoami", flags: &[], read: |_| Ok(Verb::WhoAmI { with_groups: false }) },
    VerbSyntax { words: "project", flags: &[], read: project },
    VerbSyntax {
        words: "api-resources",
        flags: &[&[
            Flag::new("api-group", Takes::Value),
            Flag::new("namespaced", Takes::Nothing),
            Flag::new("no-headers", Takes::Nothing),
        ]],
        read: api_resources,
    },
];

/// The objects that a verb is about.
pub(super) fn selection(arguments: &Arguments) -> Parsed<Selection> {
    Ok(Selection {
        arguments: arguments.positional.clone(),
        files: arguments.list("filename"),
        selector: arguments.value("selector").map(str::to_owned),
        field_selector: arguments.value("field-selector").map(str::to_owned),
        all: arguments.switch("all")?,
        all_namespaces: arguments.switch("all-namespaces")?,
    })
}

fn not_watching(arguments: &Arguments) -> Parsed<()> {
    if arguments.switch("watch")? || arguments.switch("watch-only")? {
        let hint = "use wait --for=…, or run the command again later in the simulation";
        return Err(CommandError::refused("watching is not supported in a simulated cluster", hint));
    }
    Ok(())
}

fn get(arguments: &Arguments) -> Parsed<Verb> {
    not_watching(arguments)?;
    if let Some(path) = arguments.value("raw") {
        let hint = "get the objects instead: get KIND -o json";
        return Err(CommandError::refused(
            format!("the path {path:?} is not served by a simulated cluster"),
            hint,
        ));
    }
    let selection = selection(arguments)?;
    if selection.arguments.is_empty() && selection.files.is_empty() {
        let text = "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of \
                    supported resources.\n\nerror: Required resource not specified.\nUse \"kubectl explain <resource>\" \
                    for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for \
                    help and examples";
        return Err(CommandError { text: text.to_owned(), hint: None });
    }
    Ok(Verb::Get(Get {
        selection,
        show_labels: arguments.switch("show-labels")?,
        label_columns: arguments.list("label-columns"),
        no_headers: arguments.switch("no-headers")?,
        ignore_not_found: arguments.switch("ignore-not-found")?,
        show_kind: arguments.switch("show-kind")?,
        show_managed_fields: arguments.switch("show-managed-fields")?,
        sort_by: arguments.value("sort-by").map(str::to_owned),
    }))
}

fn describe(arguments: &Arguments) -> Parsed<Verb> {
    let selection = selection(arguments)?;
    if selection.arguments.is_empty() && selection.files.is_empty() {
        return Err(CommandError::error(
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of \
             supported resources.",
        ));
    }
    Ok(Verb::Describe(Describe { selection, show_events: arguments.switch_or("show-events", true)? }))
}

fn logs(arguments: &Arguments) -> Parsed<Verb> {
    if arguments.switch("follow")? {
        let hint = "let time go by with wait, and ask again";
        return Err(CommandError::refused("following is not supported in a simulated cluster", hint));
    }
    let Some(pod) = arguments.positional.first() else {
        return Err(CommandError::error("expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'."));
    };
    if let Some((kind, _)) = pod.split_once('/')
        && !["pod", "pods"].contains(&kind)
    {
        let hint = "name one of its pods: logs POD";
        return Err(CommandError::refused(
            format!("logs of {kind} are not supported in a simulated cluster"),
            hint,
        ));
    }
    let tail = match arguments.value("tail") {
        None | Some("-1") => None,
        Some(text) => Some(text.parse().map_err(|_| {
            CommandError::error(format!("invalid argument {text:?} for \"--tail\" flag: must be a number"))
        })?),
    };
    Ok(Verb::Logs(Logs {
        pod: pod.clone(),
        container: arguments
            .value("container")
            .or(arguments.positional.get(1).map(String::as_str))
            .map(str::to_owned),
        all_containers: arguments.switch("all-containers")?,
        previous: arguments.switch("previous")?,
        tail,
    }))
}

fn events(arguments: &Arguments) -> Parsed<Verb> {
    not_watching(arguments)?;
    Ok(Verb::Events(Events {
        involved: arguments.value("for").map(str::to_owned),
        types: arguments.list("types"),
        all_namespaces: arguments.switch("all-namespaces")?,
        no_headers: arguments.switch("no-headers")?,
    }))
}

fn wait(arguments: &Arguments) -> Parsed<Verb> {
    let condition = wait_condition(arguments.value("for").unwrap_or_default())?;
    let timeout = arguments.span("timeout")?.unwrap_or(30 * SECOND).min(FOR_EVER);
    Ok(Verb::Wait(Wait { selection: selection(arguments)?, condition, timeout }))
}

/// Reads `--for`.
///
/// Source: `kubernetes/kubectl:pkg/cmd/wait/wait.go`.
fn wait_condition(text: &str) -> Parsed<WaitFor> {
    let lower = text.to_lowercase();
    match lower.as_str() {
        "delete" => return Ok(WaitFor::Delete),
        "create" => return Ok(WaitFor::Create),
        _ => {}
    }
    if lower.starts_with("condition=") {
        let condition = &text["condition=".len()..];
        let (name, status) = condition.split_once('=').unwrap_or((condition, "true"));
        return Ok(WaitFor::Condition { name: name.to_owned(), status: status.to_owned() });
    }
    if lower.starts_with("jsonpath=") {
        let expression = &text["jsonpath=".len()..];
        // The value stands behind the `=` that follows the closing brace; a path without braces holds none.
        let split = match expression.rfind("}=") {
            Some(at) => Some((&expression[..=at], &expression[at + 2..])),
            None if expression.ends_with('}') => None,
            None => expression.split_once('='),
        };
        let (path, value) = split.map_or((expression, None), |(path, value)| (path, Some(value)));
        let unquoted = |text: &str| text.trim_matches(['\'', '"']).to_owned();
        let value = value.map(unquoted);
        if value.as_deref() == Some("") {
            return Err(CommandError::error("jsonpath wait value cannot be empty"));
        }
        let template = Template::relaxed(path).map_err(|error| CommandError::error(error.to_string()))?;
        return Ok(WaitFor::JsonPath { path: path.to_owned(), template, value });
    }
    Err(CommandError::error(format!("unrecognized condition: {text:?}")))
}

fn can_i(arguments: &Arguments) -> Parsed<Verb> {
    if arguments.switch("list")? {
        let hint = "ask for one verb and resource: auth can-i create deployments.apps";
        return Err(CommandError::refused("auth can-i --list is not supported in a simulated cluster", hint));
    }
    let [verb, resource, rest @ ..] = arguments.positional.as_slice() else {
        let text = "you must specify two arguments: verb resource or verb resource/resourceName.";
        return Err(CommandError::error(format!(
            "{text}\nSee 'kubectl auth can-i -h' for help and examples."
        )));
    };
    let named = if resource.starts_with('/') { None } else { resource.split_once('/') };
    let (resource, name) = named.map_or((resource.as_str(), None), |(resource, name)| (resource, Some(name)));
    Ok(Verb::CanI(CanI {
        verb: verb.clone(),
        resource: resource.to_owned(),
        name: name.or(rest.first().map(String::as_str)).map(str::to_owned),
        subresource: arguments.value("subresource").map(str::to_owned),
        all_namespaces: arguments.switch("all-namespaces")?,
        quiet: arguments.switch("quiet")?,
    }))
}

fn project(arguments: &Arguments) -> Parsed<Verb> {
    Ok(Verb::Project { name: arguments.positional.first().cloned() })
}

fn api_resources(arguments: &Arguments) -> Parsed<Verb> {
    let namespaced = arguments.value("namespaced").map(|_| arguments.switch("namespaced")).transpose()?;
    Ok(Verb::ApiResources(ApiResources {
        group: arguments.value("api-group").map(str::to_owned),
        namespaced,
        no_headers: arguments.switch("no-headers")?,
    }))
}
