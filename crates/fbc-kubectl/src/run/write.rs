//! Verbs that write whole objects or patches: `apply`, `replace`, `delete`, `patch`.

use fbc_cluster::apply::patch::last_applied;
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::kind::{GroupVersionKind, KindId};
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::manifests::Manifest;
use super::resolve::{Found, Selected, targets};
use super::waiting::{Check, Waiting};
use super::{ApplyMode, Change, DeleteOptions, Failure, Runner, Server};
use crate::command_line::{
    Apply, Delete, DryRun, Patch, PatchSource, PatchType, Replace, Selection, Validation,
};
use crate::print::{Output, full_name};

/// What follows a conflict of managers: how it can be resolved.
const CONFLICT_ADVICE: &str = "\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

impl<S: Server> Runner<'_, S> {
    pub(super) fn write_as(&mut self, manager: &str, dry_run: DryRun) {
        manager.clone_into(&mut self.request.field_manager);
        self.request.dry_run = dry_run != DryRun::None;
    }

    pub(super) fn apply(&mut self, apply: &Apply) -> Result<(), Failure> {
        self.write_as(&apply.field_manager, apply.dry_run);
        let manifests = self.manifests(&apply.selection)?;
        if manifests.is_empty() {
            return Err(Failure::Text("no objects passed to apply".to_owned()));
        }
        let mode = if apply.server_side {
            ApplyMode::ServerSide { force: apply.force_conflicts }
        } else {
            ApplyMode::ClientSide
        };
        for manifest in manifests {
            if self.kind_of(&manifest.object).is_none() {
                self.failures.push(manifest.unknown_kind());
                continue;
            }
            if mode == ApplyMode::ClientSide
                && let Err(failure) = self.check_current(&manifest)
            {
                self.failures.push(failure);
                continue;
            }
            if apply.dry_run == DryRun::Client {
                self.show_applied(&manifest.object)?;
                continue;
            }
            self.warn_of_unknown_fields(&manifest.object);
            match self.server.apply(&self.request, manifest.object, mode) {
                Ok(applied) => {
                    self.stderr.extend(applied.warnings.iter().map(|warning| format!("{warning}\n")));
                    let done = match (mode, applied.change) {
                        (ApplyMode::ServerSide { .. }, _) => "serverside-applied",
                        (_, Change::Created) => "created",
                        (_, Change::Configured) => "configured",
                        (_, Change::Unchanged) => "unchanged",
                    };
                    self.print_changed(&applied.object, done, apply.dry_run)?;
                }
                Err(error) if apply.server_side => self.failures.push(server_side_failure(error)),
                Err(error) if error.message.starts_with("error when ") => self.failures.push(error.into()),
                Err(error) => self.failures.push(Failure::of_source(*error, "creating", &manifest.source)),
            }
        }
        Ok(())
    }

    /// What would be applied: nothing is sent, so of what is there already nobody knows whether it would change.
    fn show_applied(&mut self, object: &Object) -> Result<(), Failure> {
        let Some((id, _)) = self.kind_of(object) else { return Ok(()) };
        match self.server.get(&self.request, id, &object.object_name()) {
            Ok(current) => self.print_changed(&current, "configured", DryRun::Client),
            Err(_) => self.print_changed(&last_applied(object), "created", DryRun::Client),
        }
    }

    /// Tells of fields that the kind of an object does not have, if that is asked for.
    pub(super) fn warn_of_unknown_fields(&mut self, object: &Object) {
        if self.request.validation != Validation::Warn {
            return;
        }
        for field in self.server.unknown_fields(object) {
            self.stderr.push_str(&format!("Warning: unknown field {field:?}\n"));
        }
    }

    /// The refusal of the read with which a client-side apply begins.
    fn check_current(&self, manifest: &Manifest) -> Result<(), Failure> {
        let object = &manifest.object;
        let Some((id, kind)) = self.kind_of(object) else { return Ok(()) };
        let name = object.object_name();
        let Err(error) = self.server.get(&self.request, id, &name) else { return Ok(()) };
        if error.is_not_found() {
            return Ok(());
        }
        let version = GroupVersionKind::of(object.api_version(), object.kind());
        let path =
            if version.group.is_empty() { format!("/{}", version.version) } else { version.api_version() };
        let message = format!(
            "error when retrieving current configuration of:\nResource: \"{path}, Resource={}\", GroupVersionKind: \
             \"{path}, Kind={}\"\nName: {:?}, Namespace: {:?}\nfrom server for: {}: {}",
            kind.plural,
            kind.kind,
            name.name,
            name.namespace,
            fbc_go::text::quote(&manifest.source),
            error.message
        );
        Err(Failure::Api(Box::new(ApiError { message, ..*error })))
    }

    pub(super) fn replace(&mut self, replace: &Replace) -> Result<(), Failure> {
        self.write_as("kubectl-replace", replace.dry_run);
        for manifest in self.manifests(&replace.selection)? {
            let Some((kind, _)) = self.kind_of(&manifest.object) else {
                self.failures.push(manifest.unknown_kind());
                continue;
            };
            if replace.dry_run != DryRun::Client {
                self.warn_of_unknown_fields(&manifest.object);
            }
            if replace.force {
                let name = manifest.object.object_name();
                let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
                match self.server.delete(&self.request, kind, &name, options) {
                    Ok(()) => self.stdout.push_str(&deleted_text(&manifest.object, false, "deleted")),
                    Err(error) if error.is_not_found() => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let answer = match (replace.dry_run, replace.force) {
                (DryRun::Client, _) => Ok(manifest.object.clone()),
                (_, true) => self.server.create(&self.request, manifest.object.clone()),
                (_, false) => self.server.update(&self.request, manifest.object.clone()),
            };
            match answer {
                Ok(object) => self.print_changed(&object, "replaced", replace.dry_run)?,
                Err(error) => self.failures.push(Failure::of_source(*error, "replacing", &manifest.source)),
            }
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> Result<(), Failure> {
        let selection = &delete.selection;
        let selects = selection.all || selection.selector.is_some() || selection.field_selector.is_some();
        if !selects && selection.files.is_empty() {
            let all = targets(self.server.kinds(), selection)?;
            if all.iter().any(|target| matches!(target, Selected::All(_))) {
                return Err(Failure::Text("resource(s) were provided, but no name was specified".to_owned()));
            }
        }
        self.write_as("kubectl", delete.dry_run);
        let found = match () {
            () if !selection.files.is_empty() => self.in_files(selection)?,
            () if selects => self.select(selection)?,
            () => self.named(selection)?,
        };
        if delete.ignore_not_found || selects {
            self.failures.retain(|failure| !matches!(failure, Failure::Api(error) if error.is_not_found()));
        }
        if delete.force && delete.grace_period == Some(0) {
            let text = "Immediate deletion does not wait for confirmation that the running resource has been terminated. The \
                        resource may continue to run on the cluster indefinitely.";
            self.stderr.push_str(&format!("Warning: {text}\n"));
        }
        let options = DeleteOptions { cascade: delete.cascade, grace_period: delete.grace_period };
        let mut checks = Vec::new();
        let mut warned = false;
        let mut any = false;
        for group in found {
            let namespaced = self.server.kinds().get(group.kind).is_some_and(|kind| kind.namespaced);
            for object in group.objects {
                any = true;
                if !namespaced && self.namespace_given && !warned {
                    let text =
                        "Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n";
                    self.stderr.push_str(text);
                    warned = true;
                }
                let name = object.object_name();
                if delete.dry_run != DryRun::Client
                    && let Err(error) = self.server.delete(&self.request, group.kind, &name, options)
                {
                    if !(error.is_not_found() && (delete.ignore_not_found || selects)) {
                        self.failures.push(match &group.source {
                            Some(source) => Failure::of_source(*error, "deleting", source),
                            None => error.into(),
                        });
                    }
                    continue;
                }
                self.print_deleted(&object, namespaced, delete);
                checks.push(Check::gone(group.kind, &object));
            }
        }
        if !any && self.failures.is_empty() {
            self.stdout.push_str("No resources found\n");
        }
        if delete.wait && delete.dry_run == DryRun::None && !checks.is_empty() {
            self.wait_until(checks, delete.timeout);
        }
        Ok(())
    }

    /// The objects that arguments name, as far as they can be read: deleting needs no right to read.
    fn named(&self, selection: &Selection) -> Result<Vec<Found>, Failure> {
        let mut found = Vec::new();
        for target in targets(self.server.kinds(), selection)? {
            let Selected::Named(kind, name) = target else { continue };
            let name = self.object_name(kind, &name);
            let preferred = self.server.kinds().get(kind).map(fbc_cluster::kind::Kind::preferred);
            let Some(preferred) = preferred else { continue };
            let mut object = json!({"apiVersion": preferred.api_version(), "kind": preferred.kind, "metadata": {"name": name.name}});
            if !name.namespace.is_empty() {
                object.set(&["metadata", "namespace"], name.namespace.as_str());
            }
            found.push(self.to_delete(kind, object, None));
        }
        Ok(found)
    }

    /// The objects that manifests name, likewise.
    fn in_files(&mut self, selection: &Selection) -> Result<Vec<Found>, Failure> {
        let mut found = Vec::new();
        for manifest in self.manifests(selection)? {
            match self.kind_of(&manifest.object).map(|(kind, _)| kind) {
                Some(kind) => found.push(self.to_delete(kind, manifest.object, Some(manifest.source))),
                None => self.failures.push(manifest.unknown_kind()),
            }
        }
        Ok(found)
    }

    /// An object by its name, with the id of the one that is there now.
    fn to_delete(&self, kind: KindId, mut object: Object, source: Option<String>) -> Found {
        if let Ok(current) = self.server.get(&self.request, kind, &object.object_name()) {
            object.set(&["metadata", "uid"], current.uid());
        }
        Found { kind, objects: vec![object], named: true, source }
    }

    fn print_deleted(&mut self, object: &Object, namespaced: bool, delete: &Delete) {
        if *self.output == Output::Name {
            self.stdout.push_str(&format!("{}\n", full_name(object)));
            return;
        }
        let done = if delete.grace_period == Some(0) { "force deleted" } else { "deleted" };
        let text = deleted_text(object, namespaced, done);
        let suffix = match delete.dry_run {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        };
        self.stdout.push_str(&format!("{}{suffix}\n", text.trim_end()));
    }

    pub(super) fn wait_until(&mut self, checks: Vec<Check>, timeout: Option<u64>) {
        let deadline = timeout.map(|timeout| self.server.now() + timeout);
        let waiting = Waiting::new(self.request.clone(), checks, deadline);
        self.waiting = Some(waiting);
    }

    pub(super) fn patch(&mut self, patch: &Patch) -> Result<(), Failure> {
        self.write_as(if patch.edit { "kubectl-edit" } else { "kubectl-patch" }, patch.dry_run);
        let text = match &patch.source {
            PatchSource::Text(text) => text.clone(),
            PatchSource::File(path) => match (self.files)(path) {
                Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                None => {
                    let text = format!("unable to read patch file: open {path}: no such file or directory");
                    return Err(Failure::Text(text));
                }
            },
        };
        let document = fbc_yaml::stream::read_one(text.as_bytes()).map_err(|error| {
            Failure::Text(format!("unable to parse {}: {error}", fbc_go::text::quote(&text)))
        })?;
        let value: Value = fbc_go::json::read_value(&fbc_yaml::json_writer::compact(document.root()))
            .map_err(|error| Failure::Text(format!("unable to parse {text:?}: {error}")))?;
        let found = self.select(&patch.selection)?;
        if found.is_empty() && self.failures.is_empty() {
            return Err(Failure::Text("no objects passed to patch".to_owned()));
        }
        for group in found {
            let custom = self.server.kinds().get(group.kind).is_some_and(|kind| is_custom(&kind.group));
            let fitting = if custom { PatchType::Merge } else { PatchType::Strategic };
            let how = (patch.patch_type.unwrap_or(fitting), &value);
            for before in group.objects {
                let name = before.object_name();
                let part = patch.subresource.as_deref();
                match self.server.patch(&self.request, group.kind, &name, how, part) {
                    Ok(object) => {
                        let done = match (patch.edit, object == before) {
                            (true, true) => {
                                self.stdout.push_str("Edit cancelled, no changes made.\n");
                                continue;
                            }
                            (true, false) => "edited",
                            (false, true) => "patched (no change)",
                            (false, false) => "patched",
                        };
                        self.print_changed(&object, done, patch.dry_run)?;
                    }
                    Err(error) => self.failures.push(error.into()),
                }
            }
        }
        Ok(())
    }
}

/// True for groups that are not Kubernetes' own; strategic patches do not exist there.
fn is_custom(group: &str) -> bool {
    !(group.is_empty() || group.ends_with(".k8s.io") || !group.contains('.'))
}

/// `pod "a" deleted from default namespace`
fn deleted_text(object: &Object, namespaced: bool, done: &str) -> String {
    let name = full_name(object);
    let (kind, name) = name.split_once('/').unwrap_or(("", &name));
    let from = if namespaced { format!(" from {} namespace", object.namespace()) } else { String::new() };
    format!("{kind} \"{name}\" {done}{from}\n")
}

/// A refusal of server-side apply; conflicts come with advice.
fn server_side_failure(error: Box<ApiError>) -> Failure {
    if error.reason == Reason::Conflict {
        return Failure::Text(format!("{}\n{CONFLICT_ADVICE}", error.message));
    }
    error.into()
}
