//! `label`, `annotate` and `scale`: small changes as merge patches.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Map, Value, json};

use super::{Failure, Runner, Server};
use crate::command_line::{DryRun, MetadataChange, PatchType, Scale};

impl<S: Server> Runner<'_, S> {
    pub(super) fn change_metadata(&mut self, change: &MetadataChange) -> Result<(), Failure> {
        let field = if change.annotations { "annotations" } else { "labels" };
        self.request.field_manager =
            if change.annotations { "kubectl-annotate" } else { "kubectl-label" }.to_owned();
        self.request.dry_run = change.dry_run != DryRun::None;
        let selects = change.selection.all || change.selection.selector.is_some();
        for group in self.select(&change.selection)? {
            if !group.named && !selects {
                return Err(Failure::Text("resource(s) were provided, but no name was specified".to_owned()));
            }
            for before in group.objects {
                if let Err(failure) = check_overwrite(&before, field, change) {
                    self.failures.push(failure);
                    continue;
                }
                if !change.annotations {
                    for key in change.remove.iter().filter(|key| before.label(key).is_none()) {
                        self.stdout.push_str(&format!("label {key:?} not found.\n"));
                    }
                }
                let mut entries = Map::new();
                entries.extend(change.set.iter().map(|(key, value)| (key.clone(), json!(value))));
                entries.extend(change.remove.iter().map(|key| (key.clone(), Value::Null)));
                let patch = json!({"metadata": {field: entries}});
                let how = (PatchType::Merge, &patch);
                match self.server.patch(&self.request, group.kind, &before.object_name(), how, None) {
                    Ok(object) => {
                        let done = if change.annotations {
                            "annotated"
                        } else {
                            label_change(&before, &object, change)
                        };
                        self.print_changed(&object, done, change.dry_run)?;
                    }
                    Err(error) => self.failures.push(error.into()),
                }
            }
        }
        Ok(())
    }

    pub(super) fn scale(&mut self, scale: &Scale) -> Result<(), Failure> {
        self.request.field_manager = "kubectl".to_owned();
        self.request.dry_run = scale.dry_run != DryRun::None;
        let found = self.select(&scale.selection)?;
        if found.is_empty() && self.failures.is_empty() {
            return Err(Failure::Text("no objects passed to scale".to_owned()));
        }
        let patch = json!({"spec": {"replicas": scale.replicas}});
        for group in found {
            for before in group.objects {
                let current = before.number(&["spec", "replicas"]).unwrap_or_default();
                if let Some(expected) = scale.current_replicas.filter(|expected| *expected != current) {
                    let text = format!("Expected replicas to be {expected}, was {current}");
                    self.failures.push(Failure::Text(text));
                    continue;
                }
                match self.server.patch(
                    &self.request,
                    group.kind,
                    &before.object_name(),
                    (PatchType::Merge, &patch),
                    None,
                ) {
                    Ok(object) => self.print_changed(&object, "scaled", scale.dry_run)?,
                    Err(error) => self.failures.push(error.into()),
                }
            }
        }
        Ok(())
    }
}

/// Without `--overwrite` a key keeps its value.
fn check_overwrite(object: &Object, field: &str, change: &MetadataChange) -> Result<(), Failure> {
    if change.overwrite {
        return Ok(());
    }
    let current = |key: &str| object.at(&["metadata", field, key]).and_then(Value::as_str);
    let differing =
        change.set.iter().filter(|(key, value)| current(key).is_some_and(|current| current != value));
    if change.annotations {
        let declared: String =
            differing.map(|(key, _)| format!("\n    {key}: {}", current(key).unwrap_or_default())).collect();
        let text = "--overwrite is false but found the following declared annotation(s):";
        return if declared.is_empty() { Ok(()) } else { Err(Failure::Text(format!("{text}{declared}"))) };
    }
    let texts: Vec<String> = differing
        .map(|(key, _)| {
            format!(
                "'{key}' already has a value ({}), and --overwrite is false",
                current(key).unwrap_or_default()
            )
        })
        .collect();
    match texts.as_slice() {
        [] => Ok(()),
        [only] => Err(Failure::Text(only.clone())),
        several => Err(Failure::Text(format!("[{}]", several.join(", ")))),
    }
}

/// What `label` says it did.
fn label_change(before: &Object, after: &Object, change: &MetadataChange) -> &'static str {
    let added = change.set.iter().any(|(key, _)| before.label(key) != after.label(key));
    let removed = change.remove.iter().any(|key| before.label(key).is_some());
    match (added, removed) {
        (true, true) => "modified",
        (true, false) => "labeled",
        (false, true) => "unlabeled",
        (false, false) => "not labeled",
    }
}
