//! `create`: objects from files, or such as its sub-commands make.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::resolve::find_kind;
use super::{Failure, Runner, Server};
use crate::command_line::{Creation, DryRun};

/// Fields that Go's types write although nothing is in them, by kind. A name that ends in `[]` means every element.
///
/// Source: `kubernetes/api`: structures that are no pointers.
const EMPTY_FIELDS: [(&str, &[&[&str]]); 3] = [
    ("Namespace", &[&["spec"], &["status"]]),
    (
        "Deployment",
        &[&["spec", "strategy"], &["spec", "template", "spec", "containers[]", "resources"], &["status"]],
    ),
    (
        "Job",
        &[
            &["spec", "template", "metadata"],
            &["spec", "template", "spec", "containers[]", "resources"],
            &["status"],
        ],
    ),
];

/// Adds the fields that a client in Go shows of an object that it made and did not send.
fn add_empty_fields(object: &mut Object) {
    let fields = EMPTY_FIELDS.iter().find(|(known, _)| *known == object.kind()).map(|(_, fields)| *fields);
    for path in fields.unwrap_or_default() {
        add_empty(object, path);
    }
}

fn add_empty(value: &mut Value, path: &[&str]) {
    let Some((field, rest)) = path.split_first() else { return };
    if let Some(list) = field.strip_suffix("[]") {
        let elements = value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        elements.for_each(|element| add_empty(element, rest));
    } else {
        if value.get(field).is_none() {
            value.set(&[field], json!({}));
        }
        if let Some(inner) = value.get_mut(field) {
            add_empty(inner, rest);
        }
    }
}

impl<S: Server> Runner<'_, S> {
    pub(super) fn create(&mut self, creation: &Creation) -> Result<(), Failure> {
        self.write_as("kubectl-create", creation.dry_run);
        let Some(object) = &creation.object else {
            return self.create_from_files(creation);
        };
        let mut object = object.clone();
        self.add_files(&mut object, creation)?;
        self.add_rule_resources(&mut object, &creation.rule_resources)?;
        // What is only shown has no namespace but a given one; the server is told by the path.
        if (self.namespace_given || creation.dry_run != DryRun::Client)
            && self.kind_of(&object).is_some_and(|(_, kind)| kind.namespaced)
        {
            object.set(&["metadata", "namespace"], self.namespace.as_str());
        }
        if creation.dry_run == DryRun::Client {
            add_empty_fields(&mut object);
        } else {
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
            self.warn_of_unknown_fields(&manifest.object);
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
            let Some(bytes) = (self.files)(&file.path) else {
                return Err(Failure::Text(format!("error reading {}: no such file or directory", file.path)));
            };
            match String::from_utf8(bytes) {
                Ok(text) if object.kind() != "Secret" => object.set(&["data", &file.key], text),
                read => {
                    let bytes = read.map_or_else(std::string::FromUtf8Error::into_bytes, String::into_bytes);
                    let field = if object.kind() == "Secret" { "data" } else { "binaryData" };
                    object.set(&[field, &file.key], fbc_go::base64::encode(&bytes));
                }
            }
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
}
