//! Verbs that read: `get`, `describe`, `events`, `auth can-i`, `api-resources`, `project`.

use std::collections::BTreeMap;

use fbc_cluster::kind::{Kind, KindId};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::resolve::{Found, find_kind};
use super::{AccessQuestion, Failure, Runner, Server};
use crate::command_line::{ApiResources, CanI, Describe, Events, Get};
use crate::describe::{Look, describe};
use crate::layout::align_table;
use crate::print::{
    Group, Output, TableOptions, list_of, nothing_found, sort_by, tables, without_managed_fields,
};

impl<S: Server> Runner<'_, S> {
    pub(super) fn get(&mut self, get: &Get) -> Result<(), Failure> {
        let mut found = self.select(&get.selection)?;
        if get.ignore_not_found {
            self.failures.retain(|failure| !matches!(failure, Failure::Api(error) if error.is_not_found()));
        }
        for group in &mut found {
            let Some(path) = &get.sort_by else { break };
            let mut order: Vec<&Object> = group.objects.iter().collect();
            sort_by(&mut order, path).map_err(Failure::from_error)?;
            group.objects = order.into_iter().cloned().collect();
        }
        if self.output.prints_objects() {
            self.print_objects(get, found)
        } else {
            self.print_tables(get, &found)
        }
    }

    /// Prints objects themselves: one alone if it was named alone, else as a list.
    fn print_objects(&mut self, get: &Get, found: Vec<Found>) -> Result<(), Failure> {
        let is_list = found.iter().any(|group| !group.named);
        let hides = self.output.hides_managed_fields() && !get.show_managed_fields;
        let tidy = |object: Object| if hides { without_managed_fields(&object) } else { object };
        let mut objects: Vec<Object> = found.into_iter().flat_map(|group| group.objects).map(tidy).collect();
        if objects.is_empty() && (!is_list || *self.output == Output::Name) {
            return Ok(());
        }
        let object = if is_list || objects.len() > 1 { list_of(objects) } else { objects.remove(0) };
        self.print_object(&object, get.no_headers)
    }

    fn print_tables(&mut self, get: &Get, found: &[Found]) -> Result<(), Failure> {
        let kinds: Vec<(&Kind, Vec<Value>)> = found
            .iter()
            .filter_map(|group| {
                Some((self.server.kinds().get(group.kind)?, self.server.printer_columns(group.kind)))
            })
            .collect();
        let several = found.windows(2).any(|pair| pair[0].kind != pair[1].kind);
        let options = TableOptions {
            wide: *self.output == Output::Wide,
            no_headers: get.no_headers,
            show_labels: get.show_labels,
            label_columns: get.label_columns.clone(),
            with_namespace: get.selection.all_namespaces,
            with_kind: several || get.show_kind,
        };
        let groups: Vec<Group<'_>> = found
            .iter()
            .zip(&kinds)
            .map(|(group, (kind, columns))| Group {
                kind,
                printer_columns: columns,
                objects: group.objects.iter().collect(),
            })
            .collect();
        let text = tables(&groups, &options, self.server.now());
        if text.is_empty() && self.failures.is_empty() && !get.ignore_not_found {
            let namespaced = kinds.iter().any(|(kind, _)| kind.namespaced);
            let namespace = (namespaced && !get.selection.all_namespaces).then_some(self.namespace.as_str());
            self.stderr.push_str(&nothing_found(namespace));
        }
        self.stdout.push_str(&text);
        Ok(())
    }

    pub(super) fn describe(&mut self, verb: &Describe) -> Result<(), Failure> {
        let found = self.select(&verb.selection)?;
        let look =
            ServerLook { server: &*self.server, request: &self.request, show_events: verb.show_events };
        let mut texts = Vec::new();
        for group in &found {
            let Some(kind) = self.server.kinds().get(group.kind) else { continue };
            texts.extend(group.objects.iter().map(|object| describe(kind, object, &look, self.server.now())));
        }
        if texts.is_empty() && self.failures.is_empty() {
            let namespaced = found
                .iter()
                .filter_map(|group| self.server.kinds().get(group.kind))
                .any(|kind| kind.namespaced && !verb.selection.all_namespaces);
            self.stderr.push_str(&nothing_found(namespaced.then_some(self.namespace.as_str())));
        }
        self.stdout.push_str(&texts.join("\n\n"));
        Ok(())
    }

    pub(super) fn events(&mut self, verb: &Events) -> Result<(), Failure> {
        let Some((kind, _)) = find_kind(self.server.kinds(), "events") else {
            return Err(Failure::Text("the server doesn't have a resource type \"events\"".to_owned()));
        };
        let involved = match verb.involved.as_deref().map(|involved| involved.split_once('/')) {
            None => None,
            Some(Some((word, name))) => Some((self.kind_named(word)?.kind.clone(), name.to_owned())),
            Some(None) => {
                let text = "--for must be in resource/name form".to_owned();
                return Err(Failure::Text(text));
            }
        };
        let namespace = self.scope(kind, verb.all_namespaces);
        let mut events = self.server.list(&self.request, kind, namespace.as_deref())?;
        events.retain(|event| {
            let of_type =
                verb.types.is_empty() || verb.types.iter().any(|wanted| wanted == event.text(&["type"]));
            let of_object = involved.as_ref().is_none_or(|(kind, name)| {
                event["involvedObject"]["kind"] == **kind && event["involvedObject"]["name"] == **name
            });
            of_type && of_object
        });
        events.sort_by_key(|event| event_times(event).1);
        if events.is_empty() {
            self.stderr.push_str(&match namespace {
                Some(namespace) => format!("No events found in {namespace} namespace.\n"),
                None => "No events found.\n".to_owned(),
            });
            return Ok(());
        }
        let now = self.server.now();
        let mut rows = String::new();
        if !verb.no_headers {
            rows.push_str(if verb.all_namespaces { "NAMESPACE\t" } else { "" });
            rows.push_str("LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n");
        }
        for event in &events {
            if verb.all_namespaces {
                rows.push_str(&format!("{}\t", event.namespace()));
            }
            let text = |path: &[&str]| event.text(path).trim().to_owned();
            let object =
                format!("{}/{}", text(&["involvedObject", "kind"]), text(&["involvedObject", "name"]));
            let seen = crate::describe::event_age(event, now);
            rows.push_str(&format!(
                "{seen}\t{}\t{}\t{object}\t{}\n",
                text(&["type"]),
                text(&["reason"]),
                text(&["message"])
            ));
        }
        self.stdout.push_str(&align_table(&rows));
        Ok(())
    }

    /// The kind that a word means, or kubectl's words for none.
    fn kind_named(&self, word: &str) -> Result<&Kind, Failure> {
        let found = find_kind(self.server.kinds(), word).map(|(_, kind)| kind);
        found.ok_or_else(|| Failure::Text(format!("the server doesn't have a resource type {word:?}")))
    }

    /// Who the API server takes the user for.
    pub(super) fn who_am_i(&mut self, with_groups: bool) -> Result<(), Failure> {
        let (name, groups) = (self.request.user.clone(), self.request.groups.clone());
        if !with_groups {
            self.stdout.push_str(&format!("{name}\n"));
            return Ok(());
        }
        if self.output.prints_objects() {
            let review = json!({
                "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": {},
                "status": {"userInfo": {"username": name, "groups": groups}},
            });
            return self.print_object(&review, false);
        }
        let rows = [
            ("ATTRIBUTE", "VALUE".to_owned()),
            ("Username", name),
            ("Groups", format!("[{}]", groups.join(" "))),
        ];
        for (attribute, value) in rows {
            self.stdout.push_str(&format!("{attribute:<12}{value}\n"));
        }
        Ok(())
    }

    pub(super) fn can_i(&mut self, verb: &CanI) -> Result<(), Failure> {
        let kind = find_kind(self.server.kinds(), &verb.resource).map(|(_, kind)| kind.clone());
        let is_path = verb.resource.starts_with('/');
        let (group, resource) = match &kind {
            Some(kind) => (kind.group.clone(), kind.plural.clone()),
            None if is_path || verb.resource == "*" => (String::new(), verb.resource.clone()),
            None => {
                let (resource, group) = verb.resource.split_once('.').unwrap_or((&verb.resource, ""));
                let in_group = if group.is_empty() { String::new() } else { format!(" in group '{group}'") };
                let text =
                    format!("Warning: the server doesn't have a resource type '{resource}'{in_group}\n\n");
                self.stderr.push_str(&text);
                (group.to_owned(), resource.to_owned())
            }
        };
        let mut namespace = if verb.all_namespaces { String::new() } else { self.namespace.clone() };
        if kind.as_ref().is_some_and(|kind| !kind.namespaced) {
            if !verb.all_namespaces {
                let in_group = if group.is_empty() { String::new() } else { format!(" in group '{group}'") };
                let text = format!("Warning: resource '{resource}' is not namespace scoped{in_group}\n\n");
                self.stderr.push_str(&text);
            }
            namespace = String::new();
        }
        let question = AccessQuestion {
            verb: verb.verb.clone(),
            group,
            resource,
            subresource: verb.subresource.clone().unwrap_or_default(),
            namespace: if is_path { String::new() } else { namespace },
            name: verb.name.clone().unwrap_or_default(),
        };
        let allowed = self.server.can_i(&self.request, &question);
        if !verb.quiet {
            self.stdout.push_str(if allowed { "yes\n" } else { "no\n" });
        }
        self.exit_code = u8::from(!allowed);
        Ok(())
    }

    pub(super) fn api_resources(&mut self, verb: &ApiResources) {
        let wanted = |kind: &Kind| {
            verb.group.as_ref().is_none_or(|group| kind.group == *group)
                && verb.namespaced.is_none_or(|namespaced| kind.namespaced == namespaced)
        };
        let mut kinds: BTreeMap<(String, String), &Kind> = BTreeMap::new();
        for (_, kind) in self.server.kinds().iter().filter(|(_, kind)| wanted(kind)) {
            kinds.insert((kind.group.clone(), kind.plural.clone()), kind);
        }
        let mut rows = String::new();
        if !verb.no_headers {
            rows.push_str("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND\n");
        }
        for kind in kinds.values() {
            let version = kind.preferred().api_version();
            let short = kind.short_names.join(",");
            rows.push_str(&format!(
                "{}\t{short}\t{version}\t{}\t{}\n",
                kind.plural, kind.namespaced, kind.kind
            ));
        }
        self.stdout.push_str(&align_table(&rows));
    }

    pub(super) fn project(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let server = "the simulated cluster";
        let Some(name) = name else {
            self.stdout.push_str(&format!("Using project \"{}\" on {server}.\n", self.namespace));
            return Ok(());
        };
        let (kind, _) = find_kind(self.server.kinds(), "namespaces").ok_or_else(|| {
            Failure::Text("the server doesn't have a resource type \"namespaces\"".to_owned())
        })?;
        self.server.get(&self.request, kind, &ObjectName::cluster(name))?;
        let already = if self.namespace == name { "Already on" } else { "Now using" };
        self.stdout.push_str(&format!("{already} project \"{name}\" on {server}.\n"));
        self.switched_to = Some(name.to_owned());
        Ok(())
    }
}

/// First and last time of an event.
fn event_times(event: &Value) -> (Option<Moment>, Option<Moment>) {
    let time = |paths: [&[&str]; 3]| paths.into_iter().find_map(|path| Moment::parse(event.text(path)));
    let first = time([&["firstTimestamp"], &["eventTime"], &["lastTimestamp"]]);
    (first, time([&["series", "lastObservedTime"], &["lastTimestamp"], &["eventTime"]]).or(first))
}

/// Look-ups of descriptions through a server; what the user may not see is not there.
struct ServerLook<'s, S> {
    server: &'s S,
    request: &'s super::Request,
    show_events: bool,
}

impl<S: Server> Look for ServerLook<'_, S> {
    fn list(&self, group: &str, kind: &str, namespace: Option<&str>) -> Vec<Object> {
        if kind == "Event" && !self.show_events {
            return Vec::new();
        }
        let id: Option<KindId> = self.server.kinds().find(group, kind).map(|(id, _)| id);
        id.and_then(|id| self.server.list(self.request, id, namespace).ok()).unwrap_or_default()
    }

    fn shows_events(&self) -> bool {
        self.show_events
    }
}
