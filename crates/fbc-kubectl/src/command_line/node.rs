//! Verbs of nodes, and those that only `oc` has.

use super::create::{Creation, namespace_object};
use super::flags::{Arguments, FOR_EVER, Flag, Takes};
use super::read::{SELECTION, selection};
use super::write::WRITING;
use super::writing::dry_run;
use super::{CommandError, Cordon, Drain, Parsed, Policy, Taint, Verb, VerbSyntax};

const TAINT: &[&[Flag]] = &[SELECTION, WRITING, &[Flag::new("overwrite", Takes::Nothing)]];
const CORDON: &[&[Flag]] = &[SELECTION, WRITING];
const DRAIN: &[&[Flag]] = &[
    SELECTION,
    WRITING,
    &[
        Flag::new("pod-selector", Takes::Value),
        Flag::new("ignore-daemonsets", Takes::Nothing),
        Flag::new("delete-emptydir-data", Takes::Nothing),
        Flag::new("force", Takes::Nothing),
        Flag::new("disable-eviction", Takes::Nothing),
        Flag::new("grace-period", Takes::Value),
        Flag::new("timeout", Takes::Value),
        Flag::new("skip-wait-for-delete-timeout", Takes::Value),
    ],
];
const NEW_PROJECT: &[&[Flag]] = &[&[
    Flag::new("description", Takes::Value),
    Flag::new("display-name", Takes::Value),
    Flag::new("node-selector", Takes::Value),
    Flag::new("skip-config-write", Takes::Nothing),
]];
const POLICY: &[&[Flag]] =
    &[&[Flag::new("rolebinding-name", Takes::Value), Flag::new("role-namespace", Takes::Value)]];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: "taint", flags: TAINT, read: taint },
    VerbSyntax { words: "adm taint", flags: TAINT, read: taint },
    VerbSyntax { words: "cordon", flags: CORDON, read: |arguments| cordon(arguments, true) },
    VerbSyntax { words: "adm cordon", flags: CORDON, read: |arguments| cordon(arguments, true) },
    VerbSyntax { words: "uncordon", flags: CORDON, read: |arguments| cordon(arguments, false) },
    VerbSyntax { words: "adm uncordon", flags: CORDON, read: |arguments| cordon(arguments, false) },
    VerbSyntax { words: "drain", flags: DRAIN, read: drain },
    VerbSyntax { words: "adm drain", flags: DRAIN, read: drain },
    VerbSyntax { words: "new-project", flags: NEW_PROJECT, read: new_project },
    VerbSyntax { words: "adm new-project", flags: NEW_PROJECT, read: adm_new_project },
    VerbSyntax {
        words: "adm policy add-cluster-role-to-user",
        flags: POLICY,
        read: |a| policy(a, true, true, "User"),
    },
    VerbSyntax {
        words: "adm policy add-cluster-role-to-group",
        flags: POLICY,
        read: |a| policy(a, true, true, "Group"),
    },
    VerbSyntax {
        words: "adm policy add-role-to-user",
        flags: POLICY,
        read: |a| policy(a, true, false, "User"),
    },
    VerbSyntax {
        words: "adm policy add-role-to-group",
        flags: POLICY,
        read: |a| policy(a, true, false, "Group"),
    },
    VerbSyntax { words: "policy add-role-to-user", flags: POLICY, read: |a| policy(a, true, false, "User") },
    VerbSyntax {
        words: "adm policy remove-cluster-role-from-user",
        flags: POLICY,
        read: |arguments| policy(arguments, false, true, "User"),
    },
    VerbSyntax {
        words: "adm policy remove-role-from-user",
        flags: POLICY,
        read: |arguments| policy(arguments, false, false, "User"),
    },
];

/// Splits arguments into nodes and changes of taints, which contain `=` or `:` or end in `-`.
fn taint(arguments: &Arguments) -> Parsed<Verb> {
    let mut selection = selection(arguments)?;
    let is_change = |word: &String| word.contains(['=', ':']) || word.ends_with('-');
    let words = std::mem::take(&mut selection.arguments);
    let first = words.iter().position(is_change).unwrap_or(words.len());
    let (resources, changes) = words.split_at(first);
    if let Some(late) = changes.iter().find(|word| !is_change(word)) {
        let text = format!("all resources must be specified before taint changes: {late}");
        return Err(CommandError::error(text));
    }
    if resources.is_empty() {
        return Err(CommandError::error("one or more resources must be specified as <resource> <name>"));
    }
    if changes.is_empty() {
        return Err(CommandError::error("at least one taint update is required"));
    }
    if selection.all && selection.selector.is_some() {
        return Err(CommandError::error("setting 'all' parameter with a non empty selector is prohibited"));
    }
    if resources.len() == 1 && !resources[0].contains('/') && !selection.all && selection.selector.is_none() {
        let text = "at least one resource name must be specified since 'all' parameter is not set";
        return Err(CommandError::error(text));
    }
    selection.arguments = resources.to_vec();
    let overwrite = arguments.switch("overwrite")?;
    Ok(Verb::Taint(Taint { selection, changes: changes.to_vec(), overwrite, dry_run: dry_run(arguments)? }))
}

/// Nodes by name or by selector.
fn nodes(verb: &str, arguments: &Arguments) -> Parsed<(Vec<String>, Option<String>)> {
    let selector = arguments.value("selector").map(str::to_owned);
    match (arguments.positional.is_empty(), selector.is_some()) {
        (true, false) => Err(CommandError::usage(verb, format!("USAGE: {verb} NODE [flags]"))),
        (false, true) => {
            Err(CommandError::usage(verb, "cannot specify both a node name and a --selector option"))
        }
        _ => Ok((arguments.positional.clone(), selector)),
    }
}

fn cordon(arguments: &Arguments, unschedulable: bool) -> Parsed<Verb> {
    let (nodes, selector) = nodes(if unschedulable { "cordon" } else { "uncordon" }, arguments)?;
    Ok(Verb::Cordon(Cordon { nodes, selector, unschedulable, dry_run: dry_run(arguments)? }))
}

fn drain(arguments: &Arguments) -> Parsed<Verb> {
    let (nodes, selector) = nodes("drain", arguments)?;
    Ok(Verb::Drain(Drain {
        nodes,
        selector,
        pod_selector: arguments.value("pod-selector").map(str::to_owned),
        ignore_daemon_sets: arguments.switch("ignore-daemonsets")?,
        delete_empty_dir_data: arguments.switch("delete-emptydir-data")?,
        force: arguments.switch("force")?,
        disable_eviction: arguments.switch("disable-eviction")?,
        grace_period: arguments.number("grace-period")?.filter(|seconds| *seconds >= 0),
        timeout: arguments.span("timeout")?.filter(|span| *span > 0 && *span < FOR_EVER),
        skip_wait_for_delete_timeout: arguments.number("skip-wait-for-delete-timeout")?,
        dry_run: dry_run(arguments)?,
    }))
}

fn project_object(arguments: &Arguments) -> Parsed<serde_json::Value> {
    let [name] = arguments.positional.as_slice() else {
        return Err(CommandError::error("you must provide exactly one project name"));
    };
    let mut object = namespace_object(name);
    for (flag, key) in [
        ("description", "openshift.io/description"),
        ("display-name", "openshift.io/display-name"),
        ("node-selector", "openshift.io/node-selector"),
    ] {
        if let Some(value) = arguments.value(flag) {
            fbc_cluster::object::ObjectFields::set(&mut object, &["metadata", "annotations", key], value);
        }
    }
    Ok(object)
}

fn new_project(arguments: &Arguments) -> Parsed<Verb> {
    let object = project_object(arguments)?;
    Ok(Verb::Create(Creation { switch_project: true, ..Creation::from_object(object) }))
}

fn adm_new_project(arguments: &Arguments) -> Parsed<Verb> {
    let object = project_object(arguments)?;
    let message = format!("Created project {}\n", arguments.positional.first().map_or("", String::as_str));
    Ok(Verb::Create(Creation { message: Some(message), ..Creation::from_object(object) }))
}

fn policy(arguments: &Arguments, add: bool, cluster: bool, subject_kind: &'static str) -> Parsed<Verb> {
    let [role, subjects @ ..] = arguments.positional.as_slice() else {
        return Err(CommandError::error("you must specify a role"));
    };
    if subjects.is_empty() {
        let what = subject_kind.to_lowercase();
        return Err(CommandError::error(format!("you must specify at least one {what}")));
    }
    Ok(Verb::Policy(Policy {
        add,
        cluster,
        role: role.clone(),
        subject_kind,
        subjects: subjects.to_vec(),
        binding: arguments.value("rolebinding-name").map(str::to_owned),
    }))
}
