//! `diff`: what applying manifests would change.
//!
//! Source: `kubernetes/kubectl:pkg/cmd/diff/diff.go`.

use similar::TextDiff;

use super::{ApplyMode, Failure, Runner, Server};
use crate::command_line::Diff;
use crate::print::{Output, without_managed_fields};
use fbc_cluster::object::{Object, ObjectFields};

impl<S: Server> Runner<'_, S> {
    pub(super) fn diff(&mut self, diff: &Diff) -> Result<(), Failure> {
        let manifests = self.manifests(&diff.selection)?;
        let mode = if diff.server_side {
            ApplyMode::ServerSide { force: diff.force_conflicts }
        } else {
            ApplyMode::ClientSide
        };
        self.request.dry_run = true;
        for manifest in manifests {
            let Some((id, _)) = self.kind_of(&manifest.object) else {
                self.failures.push(manifest.unknown_kind());
                continue;
            };
            let name = manifest.object.object_name();
            let live = match self.server.get(&self.request, id, &name) {
                Ok(live) => Some(live),
                Err(error) if error.is_not_found() => None,
                Err(error) => return Err(error.into()),
            };
            let merged = self.server.apply(&self.request, manifest.object, mode)?.object;
            let file = file_name(&merged);
            let (before, after) = (yaml(live.as_ref())?, yaml(Some(&merged))?);
            if before == after {
                continue;
            }
            let (live, merged) = (format!("LIVE/{file}"), format!("MERGED/{file}"));
            let text = TextDiff::from_lines(&before, &after);
            self.stdout.push_str(&format!("diff -u -N {live} {merged}\n"));
            self.stdout.push_str(&text.unified_diff().context_radius(3).header(&live, &merged).to_string());
            self.exit_code = 1;
        }
        Ok(())
    }
}

/// `apps.v1.Deployment.default.web`
fn file_name(object: &Object) -> String {
    let version = object.api_version().replace('/', ".");
    format!("{version}.{}.{}.{}", object.kind(), object.namespace(), object.name())
}

/// An object as it is compared: without field owners, and without what every write changes.
fn yaml(object: Option<&Object>) -> Result<String, Failure> {
    let Some(object) = object else { return Ok(String::new()) };
    let mut object = without_managed_fields(object);
    for field in ["resourceVersion", "generation", "creationTimestamp", "uid"] {
        object.remove(&["metadata", field]);
    }
    Ok(Output::Yaml.print(&object, false)?)
}
