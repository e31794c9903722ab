//! Verbs that change objects.

use super::flags::{Arguments, FOR_EVER, Flag, Takes};
use super::read::{SELECTION, selection};
use super::writing::dry_run;
use super::{
    Apply, Cascade, CommandError, Delete, DryRun, MetadataChange, Parsed, Patch, PatchSource, PatchType,
    Replace, Rollout, RolloutAction, Scale, Selection, Verb, VerbSyntax,
};

/// Flags of all verbs that write.
pub(super) const WRITING: &[Flag] = &[
    Flag::new("dry-run", Takes::ValueOr("unchanged")),
    Flag::new("field-manager", Takes::Value),
    Flag::new("validate", Takes::ValueOr("strict")),
    Flag::new("save-config", Takes::Nothing),
    Flag::new("show-managed-fields", Takes::Nothing),
];

const PATCH: &[Flag] = &[
    Flag::short("patch", 'p', Takes::Value),
    Flag::new("patch-file", Takes::Value),
    Flag::new("type", Takes::Value),
    Flag::new("subresource", Takes::Value),
];

const METADATA: &[Flag] = &[
    Flag::new("overwrite", Takes::Nothing),
    Flag::new("list", Takes::Nothing),
    Flag::new("resource-version", Takes::Value),
];

const REVISION: &[Flag] = &[Flag::new("revision", Takes::Value)];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax {
        words: "apply",
        flags: &[
            SELECTION,
            WRITING,
            &[
                Flag::new("server-side", Takes::Nothing),
                Flag::new("force-conflicts", Takes::Nothing),
                Flag::new("overwrite", Takes::Nothing),
            ],
        ],
        read: apply,
    },
    VerbSyntax {
        words: "replace",
        flags: &[SELECTION, WRITING, &[Flag::new("force", Takes::Nothing)]],
        read: replace,
    },
    VerbSyntax {
        words: "delete",
        flags: &[
            SELECTION,
            WRITING,
            &[
                Flag::new("cascade", Takes::ValueOr("background")),
                Flag::new("grace-period", Takes::Value),
                Flag::new("force", Takes::Nothing),
                Flag::new("now", Takes::Nothing),
                Flag::new("ignore-not-found", Takes::Nothing),
                Flag::new("wait", Takes::Nothing),
                Flag::new("timeout", Takes::Value),
            ],
        ],
        read: delete,
    },
    VerbSyntax { words: "patch", flags: &[SELECTION, WRITING, PATCH], read: patch },
    VerbSyntax { words: "edit", flags: &[SELECTION, WRITING, PATCH], read: edit },
    VerbSyntax { words: "label", flags: &[SELECTION, WRITING, METADATA], read: label },
    VerbSyntax { words: "annotate", flags: &[SELECTION, WRITING, METADATA], read: annotate },
    VerbSyntax {
        words: "scale",
        flags: &[
            SELECTION,
            WRITING,
            &[Flag::new("replicas", Takes::Value), Flag::new("current-replicas", Takes::Value)],
        ],
        read: scale,
    },
    VerbSyntax {
        words: "rollout status",
        flags: &[
            SELECTION,
            REVISION,
            &[Flag::short("watch", 'w', Takes::Nothing), Flag::new("timeout", Takes::Value)],
        ],
        read: rollout_status,
    },
    VerbSyntax {
        words: "rollout restart",
        flags: &[SELECTION, WRITING],
        read: |a| rollout(a, RolloutAction::Restart),
    },
];

/// A selection by files, as verbs need it that take nothing else.
pub(super) fn files(verb: &str, arguments: &Arguments) -> Parsed<Selection> {
    let selection = selection(arguments)?;
    if !selection.arguments.is_empty() {
        let unexpected = format!("Unexpected args: [{}]", selection.arguments.join(" "));
        return Err(CommandError::usage(verb, unexpected));
    }
    if selection.files.is_empty() {
        return Err(CommandError::error("must specify one of -f and -k"));
    }
    Ok(selection)
}

fn apply(arguments: &Arguments) -> Parsed<Verb> {
    let selection = files("apply", arguments)?;
    let server_side = arguments.switch("server-side")?;
    let force_conflicts = arguments.switch("force-conflicts")?;
    let dry_run = dry_run(arguments)?;
    if force_conflicts && !server_side {
        return Err(CommandError::error("--force-conflicts only works with --server-side"));
    }
    if server_side && dry_run == DryRun::Client {
        let text =
            "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)";
        return Err(CommandError::error(text));
    }
    let manager = if server_side { "kubectl" } else { "kubectl-client-side-apply" };
    let field_manager = arguments.value("field-manager").unwrap_or(manager).to_owned();
    Ok(Verb::Apply(Apply { selection, server_side, force_conflicts, field_manager, dry_run }))
}

fn replace(arguments: &Arguments) -> Parsed<Verb> {
    let selection = files("replace", arguments)?;
    Ok(Verb::Replace(Replace { selection, force: arguments.switch("force")?, dry_run: dry_run(arguments)? }))
}

fn delete(arguments: &Arguments) -> Parsed<Verb> {
    let selection = selection(arguments)?;
    if selection.arguments.is_empty() && selection.files.is_empty() {
        let text = "You must provide one or more resources by argument or filename.\nExample resource specifications \
                    include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";
        return Err(CommandError::error(text));
    }
    for (given, name) in [(&selection.selector, "selector"), (&selection.field_selector, "field-selector")] {
        if selection.all && given.is_some() {
            return Err(CommandError::error(format!("cannot set --all and --{name} at the same time")));
        }
    }
    let cascade = match arguments.value("cascade") {
        None | Some("background" | "true") => Cascade::Background,
        Some("foreground") => Cascade::Foreground,
        Some("orphan" | "false") => Cascade::Orphan,
        Some(other) => {
            let choice = "Must be \"background\", \"foreground\", or \"orphan\"";
            return Err(CommandError::error(format!("invalid cascade value ({other}). {choice}")));
        }
    };
    let force = arguments.switch("force")?;
    let given = arguments.number("grace-period")?.filter(|seconds| *seconds >= 0);
    let grace_period = match (arguments.switch("now")?, given) {
        (true, Some(_)) => {
            return Err(CommandError::error("--now and --grace-period cannot be specified together"));
        }
        (true, None) => Some(1),
        (false, Some(seconds)) if force && seconds > 0 => {
            let text = "--force and --grace-period greater than 0 cannot be specified together";
            return Err(CommandError::error(text));
        }
        (false, None) if force => Some(0),
        // Without --force an end at once is not asked for: pods get the second that they need to see it.
        (false, Some(0)) if !force => Some(1),
        (false, given) => given,
    };
    Ok(Verb::Delete(Delete {
        selection,
        cascade,
        grace_period,
        force,
        ignore_not_found: arguments.switch("ignore-not-found")?,
        wait: arguments.switch_or("wait", true)?,
        timeout: arguments.span("timeout")?.filter(|span| *span > 0 && *span < FOR_EVER),
        dry_run: dry_run(arguments)?,
    }))
}

fn patch_source(arguments: &Arguments) -> Parsed<Option<PatchSource>> {
    match (arguments.value("patch"), arguments.value("patch-file")) {
        (Some(_), Some(_)) => Err(CommandError::error("cannot specify --patch and --patch-file together")),
        (Some(text), None) => Ok(Some(PatchSource::Text(text.to_owned()))),
        (None, Some(file)) => Ok(Some(PatchSource::File(file.to_owned()))),
        (None, None) => Ok(None),
    }
}

fn patch_type(arguments: &Arguments) -> Parsed<Option<PatchType>> {
    match arguments.value("type").map(str::to_lowercase).as_deref() {
        None => Ok(None),
        Some("strategic") => Ok(Some(PatchType::Strategic)),
        Some("merge") => Ok(Some(PatchType::Merge)),
        Some("json") => Ok(Some(PatchType::Json)),
        Some(other) => {
            Err(CommandError::error(format!("--type must be one of [json merge strategic], not {other:?}")))
        }
    }
}

fn patch(arguments: &Arguments) -> Parsed<Verb> {
    let Some(source) = patch_source(arguments)? else {
        let text = "must specify --patch or --patch-file containing the contents of the patch";
        return Err(CommandError::error(text));
    };
    Ok(Verb::Patch(Patch {
        selection: selection(arguments)?,
        patch_type: Some(patch_type(arguments)?.unwrap_or_default()),
        source,
        subresource: arguments.value("subresource").map(str::to_owned),
        dry_run: dry_run(arguments)?,
        edit: false,
    }))
}

fn edit(arguments: &Arguments) -> Parsed<Verb> {
    let Some(source) = patch_source(arguments)? else {
        let hint = "give the change as a patch: edit KIND NAME -p '{\"spec\": …}', or use patch";
        return Err(CommandError::refused("edit opens no editor in a simulated cluster", hint));
    };
    Ok(Verb::Patch(Patch {
        selection: selection(arguments)?,
        patch_type: patch_type(arguments)?,
        source,
        subresource: arguments.value("subresource").map(str::to_owned),
        dry_run: dry_run(arguments)?,
        edit: true,
    }))
}

fn label(arguments: &Arguments) -> Parsed<Verb> {
    metadata(arguments, false)
}

fn annotate(arguments: &Arguments) -> Parsed<Verb> {
    metadata(arguments, true)
}

/// Splits arguments into resources and changes: `key=value` sets, `key-` removes.
fn metadata(arguments: &Arguments, annotations: bool) -> Parsed<Verb> {
    let what = if annotations { "annotation" } else { "label" };
    let mut selection = selection(arguments)?;
    let is_change = |word: &str| word.contains('=') || word.ends_with('-');
    let (changes, resources): (Vec<String>, Vec<String>) =
        std::mem::take(&mut selection.arguments).into_iter().partition(|word| is_change(word));
    selection.arguments = resources;
    if selection.arguments.is_empty() && selection.files.is_empty() {
        let text = "one or more resources must be specified as <resource> <name> or <resource>/<name>";
        return Err(CommandError::error(text));
    }
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    for change in changes {
        match (change.split_once('='), change.strip_suffix('-')) {
            (Some((key, value)), _) => set.push((key.to_owned(), value.to_owned())),
            (None, Some(key)) => remove.push(key.to_owned()),
            (None, None) => return Err(CommandError::error(format!("unknown {what} spec: {change}"))),
        }
    }
    if set.is_empty() && remove.is_empty() {
        return Err(CommandError::error(format!("at least one {what} update is required")));
    }
    if set.iter().any(|(key, _)| remove.contains(key)) {
        let text = format!("can not both modify and remove a {what} in the same command");
        return Err(CommandError::error(text));
    }
    Ok(Verb::Metadata(MetadataChange {
        selection,
        annotations,
        set,
        remove,
        overwrite: arguments.switch("overwrite")?,
        dry_run: dry_run(arguments)?,
    }))
}

fn scale(arguments: &Arguments) -> Parsed<Verb> {
    arguments.required("replicas")?;
    let replicas = arguments.number("replicas")?.filter(|replicas| *replicas >= 0).ok_or_else(|| {
        CommandError::error(
            "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
        )
    })?;
    Ok(Verb::Scale(Scale {
        selection: selection(arguments)?,
        replicas,
        current_replicas: arguments.number("current-replicas")?.filter(|count| *count >= 0),
        dry_run: dry_run(arguments)?,
    }))
}

fn revision(arguments: &Arguments, flag: &str) -> Parsed<Option<i64>> {
    let revision = arguments.number(flag)?;
    if revision.is_some_and(|revision| revision < 0) {
        let number = revision.unwrap_or_default();
        return Err(CommandError::error(format!("revision must be a positive integer: {number}")));
    }
    Ok(revision.filter(|revision| *revision > 0))
}

fn rollout_status(arguments: &Arguments) -> Parsed<Verb> {
    let action = RolloutAction::Status {
        watch: arguments.switch_or("watch", true)?,
        timeout: arguments.span("timeout")?.filter(|span| *span > 0 && *span < FOR_EVER),
        revision: revision(arguments, "revision")?,
    };
    rollout(arguments, action)
}

fn rollout(arguments: &Arguments, action: RolloutAction) -> Parsed<Verb> {
    let selection = selection(arguments)?;
    if selection.arguments.is_empty() && selection.files.is_empty() {
        return Err(CommandError::error("required resource not specified"));
    }
    Ok(Verb::Rollout(Rollout { selection, action }))
}
