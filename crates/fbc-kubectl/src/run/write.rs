//! Verbs that write whole objects or patches: `apply`, `create`, `replace`, `delete`, `patch`, `oc adm policy`.

use serde_json::{Value, json};

use super::manifests::Manifest;
use super::resolve::{Found, Target, find_kind, targets};
use super::waiting::{Check, Waiting};
use super::{ApplyMode, Change, DeleteOptions, Failure, Runner, Server};
use crate::command_line::{
    Apply, Creation, Delete, DryRun, Patch, PatchSource, PatchType, Replace, Selection,
};
use crate::print::{Output, full_name};
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::{Object, ObjectFields};

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
    fn write_as(&mut self, manager: &str, dry_run: DryRun) {
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

    pub(super) fn create(&mut self, creation: &Creation) -> Result<(), Failure> {
        self.write_as("kubectl-create", creation.dry_run);
        let Some(object) = &creation.object else {
            return self.create_from_files(creation);
        };
        let mut object = object.clone();
        self.add_files(&mut object, creation)?;
        self.add_rule_resources(&mut object, &creation.rule_resources)?;
        if self.kind_of(&object).is_some_and(|(_, kind)| kind.namespaced) {
            object.set(&["metadata", "namespace"], self.namespace.as_str());
        }
        if creation.dry_run != DryRun::Client {
            object = self.server.create(&self.request, object).map_err(|error| match creation.failure {
                Some(what) => Failure::Text(format!("failed to create {what} {}", error.message)),
                None => error.into(),
            })?;
        }
        if creation.switch_project {
            self.switched_to = Some(object.name().to_owned());
            let text = format!("Now using project \"{}\" on the simulated cluster.\n", object.name());
            self.stdout.push_str(&text);
            return Ok(());
        }
        match &creation.message {
            Some(message) => self.stdout.push_str(message),
            None => self.print_changed(&object, "created", creation.dry_run)?,
        }
        Ok(())
    }

    fn create_from_files(&mut self, creation: &Creation) -> Result<(), Failure> {
        let manifests = self.manifests(&creation.selection)?;
        if manifests.is_empty() {
            return Err(Failure::Text("no objects passed to create".to_owned()));
        }
        for manifest in manifests {
            if self.kind_of(&manifest.object).is_none() {
                self.failures.push(manifest.unknown_kind());
                continue;
            }
            if creation.dry_run == DryRun::Client {
                self.print_changed(&manifest.object, "created", creation.dry_run)?;
                continue;
            }
            match self.server.create(&self.request, manifest.object) {
                Ok(object) => self.print_changed(&object, "created", creation.dry_run)?,
                Err(error) => self.failures.push(Failure::of_source(*error, "creating", &manifest.source)),
            }
        }
        Ok(())
    }

    /// Reads files into `data`.
    fn add_files(&self, object: &mut Object, creation: &Creation) -> Result<(), Failure> {
        for file in &creation.data_files {
            let Some(text) = (self.files)(&file.path) else {
                return Err(Failure::Text(format!("error reading {}: no such file or directory", file.path)));
            };
            let text = if object.kind() == "Secret" { fbc_go::base64::encode(text.as_bytes()) } else { text };
            object.set(&["data", &file.key], text);
        }
        Ok(())
    }

    /// Puts resources and their groups into a role's first rule; one rule for each group.
    fn add_rule_resources(&self, object: &mut Object, resources: &[String]) -> Result<(), Failure> {
        let Some(template) = object.list(&["rules"]).first().cloned().filter(|_| !resources.is_empty())
        else {
            return Ok(());
        };
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for resource in resources {
            let (word, part) =
                resource.split_once('/').map_or((resource.as_str(), ""), |(word, part)| (word, part));
            let (group, plural) = match find_kind(self.server.kinds(), word) {
                Some((_, kind)) => (kind.group.clone(), kind.plural.clone()),
                None if word == "*" => ("*".to_owned(), word.to_owned()),
                None => {
                    return Err(Failure::Text(format!("the server doesn't have a resource type {word:?}")));
                }
            };
            let plural = if part.is_empty() { plural } else { format!("{plural}/{part}") };
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, plurals)) => plurals.push(plural),
                None => groups.push((group, vec![plural])),
            }
        }
        let rule = |(group, plurals): (String, Vec<String>)| {
            let mut rule = template.clone();
            rule.set(&["apiGroups"], json!([group]));
            rule.set(&["resources"], json!(plurals));
            rule
        };
        let others: Vec<Value> = object.list(&["rules"]).iter().skip(1).cloned().collect();
        let rules: Vec<Value> = groups.into_iter().map(rule).chain(others).collect();
        object.set(&["rules"], rules);
        Ok(())
    }

    pub(super) fn replace(&mut self, replace: &Replace) -> Result<(), Failure> {
        self.write_as("kubectl-replace", replace.dry_run);
        for manifest in self.manifests(&replace.selection)? {
            let Some((kind, _)) = self.kind_of(&manifest.object) else {
                self.failures.push(manifest.unknown_kind());
                continue;
            };
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
            if all.iter().any(|target| matches!(target, Target::All(_))) {
                return Err(Failure::Text("resource(s) were provided, but no name was specified".to_owned()));
            }
        }
        self.write_as("kubectl", delete.dry_run);
        let found = if selects || !selection.files.is_empty() {
            self.select(selection)?
        } else {
            self.named(selection)?
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
                        self.failures.push(error.into());
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
            let Target::Named(kind, name) = target else { continue };
            let name = self.object_name(kind, &name);
            let preferred = self.server.kinds().get(kind).map(fbc_cluster::kind::Kind::preferred);
            let Some(preferred) = preferred else { continue };
            let mut object = json!({"apiVersion": preferred.api_version(), "kind": preferred.kind, "metadata": {"name": name.name}});
            if !name.namespace.is_empty() {
                object.set(&["metadata", "namespace"], name.namespace.as_str());
            }
            if let Ok(current) = self.server.get(&self.request, kind, &name) {
                object.set(&["metadata", "uid"], current.uid());
            }
            found.push(Found { kind, objects: vec![object], named: true });
        }
        Ok(found)
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
            PatchSource::File(path) => (self.files)(path).ok_or_else(|| {
                Failure::Text(format!("unable to read patch file: open {path}: no such file or directory"))
            })?,
        };
        let document = fbc_yaml::stream::read_one(text.as_bytes()).map_err(|error| {
            Failure::Text(format!("unable to parse {}: {error}", fbc_go::text::quote(&text)))
        })?;
        let value: Value = serde_json::from_str(&fbc_yaml::json_writer::compact(document.root()))
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
