//! Resource arguments: which kinds and objects they mean.

use fbc_cluster::kind::{Kind, KindId, Registry};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

use super::selectors::Selectors;
use super::{Failure, Runner, Server};
use crate::command_line::Selection;

/// Objects of one kind that a selection found, in its order.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) kind: KindId,
    pub(super) objects: Vec<Object>,
    /// True if the objects were named, false if they were listed.
    pub(super) named: bool,
    /// The file that names them.
    pub(super) source: Option<String>,
}

/// The kind that a word on a command line means: plural, singular, kind or short name, with `.group` or
/// `.version.group` behind it. Of several the one that came first.
///
/// Source: `kubernetes/apimachinery:pkg/api/meta/restmapper.go` and the short cuts of `kubernetes/client-go:restmapper`.
pub fn find_kind<'r>(kinds: &'r Registry, word: &str) -> Option<(KindId, &'r Kind)> {
    let word = word.to_lowercase();
    let named = |kind: &Kind, name: &str| {
        kind.plural == name
            || kind.singular == name
            || kind.kind.to_lowercase() == name
            || kind.short_names.iter().any(|short| short == name)
    };
    if let Some(found) = kinds.iter().find(|(_, kind)| named(kind, &word)) {
        return Some(found);
    }
    let (name, group) = word.split_once('.')?;
    let in_group = |kind: &Kind| {
        let version =
            group.split_once('.').filter(|(version, _)| kind.versions.iter().any(|served| served == version));
        kind.group == group
            || version.is_some_and(|(_, rest)| kind.group == rest)
            || kind.versions.iter().any(|served| served == group && kind.group.is_empty())
    };
    let exact = kinds.iter().find(|(_, kind)| named(kind, name) && in_group(kind));
    exact.or_else(|| kinds.iter().find(|(_, kind)| named(kind, name) && kind.group.starts_with(group)))
}

/// The kinds of a list of words, categories such as `all` among them.
fn find_kinds(kinds: &Registry, words: &str) -> Result<Vec<KindId>, Failure> {
    let mut found = Vec::new();
    for word in words.split(',').filter(|word| !word.is_empty()) {
        if let Some((id, _)) = find_kind(kinds, word) {
            found.push(id);
            continue;
        }
        let category: Vec<(KindId, &Kind)> = kinds
            .iter()
            .filter(|(_, kind)| kind.categories.iter().any(|category| category == word))
            .collect();
        if category.is_empty() {
            return Err(Failure::Text(format!("the server doesn't have a resource type {word:?}")));
        }
        found.extend(category.into_iter().map(|(id, _)| id));
    }
    Ok(found)
}

/// What resource arguments ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Selected {
    All(KindId),
    Named(KindId, String),
}

/// Reads resource arguments.
pub(super) fn targets(kinds: &Registry, selection: &Selection) -> Result<Vec<Selected>, Failure> {
    let arguments = &selection.arguments;
    let by_selector = selection.selector.is_some() || selection.field_selector.is_some();
    let Some((first, rest)) = arguments.split_first() else { return Ok(Vec::new()) };
    if arguments.iter().any(|argument| argument.contains('/')) {
        let mut found = Vec::new();
        for argument in arguments {
            let Some((kind, name)) = argument.split_once('/') else {
                let text = "there is no need to specify a resource type as a separate argument when passing arguments in \
                            resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get \
                            resource resource/<resource_name>'";
                return Err(Failure::Text(text.to_owned()));
            };
            if kind.is_empty() || name.is_empty() || name.contains('/') {
                let text = format!(
                    "arguments in resource/name form may not have more than one slash or empty parts: {argument}"
                );
                return Err(Failure::Text(text));
            }
            found.extend(find_kinds(kinds, kind)?.into_iter().map(|id| Selected::Named(id, name.to_owned())));
        }
        return Ok(found);
    }
    let ids = find_kinds(kinds, first)?;
    if rest.is_empty() {
        return Ok(ids.into_iter().map(Selected::All).collect());
    }
    if by_selector || selection.all {
        return Err(Failure::Text("name cannot be provided when a selector is specified".to_owned()));
    }
    if selection.all_namespaces {
        return Err(Failure::Text("a resource cannot be retrieved by name across all namespaces".to_owned()));
    }
    Ok(ids
        .into_iter()
        .flat_map(|id| rest.iter().map(move |name| Selected::Named(id, name.clone())))
        .collect())
}

impl<S: Server> Runner<'_, S> {
    /// The objects of a selection; what is missing or refused becomes a failure of the run.
    pub(super) fn select(&mut self, selection: &Selection) -> Result<Vec<Found>, Failure> {
        if !selection.files.is_empty() {
            return self.select_from_files(selection);
        }
        let selectors = Selectors::parse(selection)?;
        let mut found: Vec<Found> = Vec::new();
        for target in targets(self.server.kinds(), selection)? {
            match target {
                Selected::All(id) => {
                    let namespace = self.scope(id, selection.all_namespaces);
                    match self.server.list(&self.request, id, namespace.as_deref()) {
                        Ok(mut objects) => {
                            objects.retain(|object| selectors.match_object(object));
                            found.push(Found { kind: id, objects, named: false, source: None });
                        }
                        Err(error) => self.failures.push(error.into()),
                    }
                }
                Selected::Named(id, name) => self.find_named(&mut found, id, &name),
            }
        }
        Ok(found)
    }

    fn find_named(&mut self, found: &mut Vec<Found>, kind: KindId, name: &str) {
        let name = self.object_name(kind, name);
        match self.server.get(&self.request, kind, &name) {
            Ok(object) => push_named(found, kind, object),
            Err(error) => self.failures.push(error.into()),
        }
    }

    /// Objects that manifests name.
    fn select_from_files(&mut self, selection: &Selection) -> Result<Vec<Found>, Failure> {
        let mut found = Vec::new();
        for manifest in self.manifests(selection)? {
            let Some((kind, _)) = self.kind_of(&manifest.object) else {
                self.failures.push(manifest.unknown_kind());
                continue;
            };
            let name = ObjectName::namespaced(manifest.object.namespace(), manifest.object.name());
            match self.server.get(&self.request, kind, &name) {
                Ok(object) => push_named(&mut found, kind, object),
                Err(error) => self.failures.push(error.into()),
            }
        }
        Ok(found)
    }

    /// The namespace to list, or none for all.
    pub(super) fn scope(&self, kind: KindId, all_namespaces: bool) -> Option<String> {
        let namespaced = self.server.kinds().get(kind).is_some_and(|kind| kind.namespaced);
        (namespaced && !all_namespaces).then(|| self.namespace.clone())
    }

    /// A name in the namespace of the command, if the kind lives in namespaces.
    pub(super) fn object_name(&self, kind: KindId, name: &str) -> ObjectName {
        self.scope(kind, false)
            .map_or_else(|| ObjectName::cluster(name), |namespace| ObjectName::namespaced(namespace, name))
    }

    /// The kind of an object, if it is served.
    pub(super) fn kind_of(&self, object: &Value) -> Option<(KindId, Kind)> {
        let name = fbc_cluster::kind::GroupVersionKind::of(object.api_version(), object.kind());
        self.server.kinds().served(&name).map(|(id, kind)| (id, kind.clone()))
    }
}

/// Adds an object to the last group if that is of its kind, else to a new one.
fn push_named(found: &mut Vec<Found>, kind: KindId, object: Object) {
    match found.last_mut() {
        Some(last) if last.kind == kind && last.named => last.objects.push(object),
        _ => found.push(Found { kind, objects: vec![object], named: true, source: None }),
    }
}
