//! Tables and descriptions of objects that the API server took.
//!
//! The objects are those of the tests of printing. They are created and then given their status, so that everything
//! that the API server drops, adds or refuses would show.

use std::collections::BTreeMap;

use fbc_cluster::api::{ApiServer, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{MINUTE, Moment};
use serde_json::{Value, json};

use super::world::administrator;
use super::{Played, played, recorded, same};
use crate::command_line::parse;
use crate::run::tests::objects;
use crate::run::tests::recorded::words;
use crate::run::{Session, run};

pub(super) fn all() -> Vec<Played> {
    let Some(definition) = recorded("10f-crd/widget-crd.json") else { return Vec::new() };
    let start = Moment::parse("2025-12-31T23:56:00Z").unwrap();
    let mut api = control_plane::api_server(&["tables"], 1, start);
    let mut uids = BTreeMap::new();
    let mut all = vec![("objects".to_owned(), fill(&mut api, definition, &mut uids))];
    api.advance_to(start + 4 * MINUTE);
    all.extend(played("11-tables/cases.json", |case| {
        let arguments = case.list(&["args"]).iter().filter_map(Value::as_str).map(str::to_owned);
        let line: Vec<String> = std::iter::once("kubectl".to_owned()).chain(arguments).collect();
        let command = parse(&line).map_err(|error| error.to_string())?;
        let outcome = run(&command, &mut Session::default(), &mut api, &|_| None);
        for (stream, seen) in [("stderr", &outcome.stderr), ("stdout", &outcome.stdout)] {
            let seen = uids.values().fold(with_placeholders(seen), |text, uid| text.replace(uid, "<uid>"));
            let (seen, expected) = (words(&seen), words(case.text(&[stream])));
            let at = seen.iter().zip(&expected).take_while(|(seen, expected)| seen == expected).count();
            let near = |words: &[String]| {
                words.iter().skip(at.saturating_sub(3)).take(9).cloned().collect::<Vec<_>>()
            };
            same(stream, &near(&seen), &near(&expected))?;
        }
        same("exit code", &json!(outcome.exit_code), &case["exit"])
    }));
    all
}

/// The placeholders of the recordings, and texts of the same length and order that may stand in names.
const PLACEHOLDERS: [(&str, &str); 4] = [("<r0", "0r0"), ("<r1", "0r1"), ("<rnd", "0rnd"), ("<uid", "0uid")];

fn without_placeholders(text: &str) -> String {
    PLACEHOLDERS.iter().fold(text.to_owned(), |text, (placeholder, valid)| {
        let parts: Vec<&str> = text.split(placeholder).collect();
        let rest = parts.iter().skip(1).map(|part| part.replacen('>', "0", 1));
        std::iter::once(parts[0].to_owned()).chain(rest).collect::<Vec<_>>().join(valid)
    })
}

fn with_placeholders(text: &str) -> String {
    PLACEHOLDERS.iter().fold(text.to_owned(), |text, (placeholder, valid)| {
        let parts: Vec<&str> = text.split(valid).collect();
        let rest = parts.iter().skip(1).map(|part| {
            let digits = part.len() - part.trim_start_matches(|one: char| one.is_ascii_digit()).len();
            // The last digit stands for the end of the placeholder.
            let end = digits.saturating_sub(1);
            format!("{}>{}", &part[..end], part.get(end + 1..).unwrap_or_default())
        });
        std::iter::once(parts[0].to_owned()).chain(rest).collect::<Vec<_>>().join(placeholder)
    })
}

/// Creates the objects; what refers to one by its invented uid refers to the real one afterwards.
fn fill(
    api: &mut ApiServer,
    mut definition: Object,
    uids: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let columns = objects::widget_columns();
    if let Value::Array(versions) = definition.place(&["spec", "versions"]) {
        versions.iter_mut().for_each(|version| version.set(&["additionalPrinterColumns"], columns.clone()));
    }
    let mut refused = Vec::new();
    api.install_definition(definition).map_err(|error| error.to_string())?;
    let (pods, others): (Vec<Object>, Vec<Object>) =
        objects::all().into_iter().partition(|object| object.kind() == "Pod");
    for object in others.into_iter().chain(pods) {
        let mut object: Object = serde_json::from_str(&without_placeholders(&object.to_string())).unwrap();
        let invented = object.uid().to_owned();
        if let Value::Array(owners) = object.place(&["metadata", "ownerReferences"]) {
            for owner in owners {
                if let Some(uid) = uids.get(owner.text(&["uid"])) {
                    owner.set(&["uid"], uid.as_str());
                }
            }
        } else {
            object.remove(&["metadata", "ownerReferences"]);
        }
        if object.kind() == "CustomResourceDefinition" {
            continue;
        }
        let deleted = object.is_terminating();
        let wanted = object.clone();
        object.remove(&["metadata", "resourceVersion"]);
        let answer = api.create(&administrator(), object, WriteOptions::default()).and_then(|stored| {
            uids.insert(invented, stored.uid().to_owned());
            complete(api, &stored, &wanted)?;
            if deleted {
                let (id, _) = api.kind_of(&stored)?;
                api.delete(&administrator(), id, &stored.object_name(), &DeleteOptions::default())?;
            }
            Ok(())
        });
        match answer {
            Err(error) if !error.is_already_exists() => refused.push(error.to_string()),
            _ => {}
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n        ")) }
}

/// Gives an object the status, and a node the taints, that controllers gave it.
fn complete(api: &mut ApiServer, stored: &Object, wanted: &Object) -> Result<(), ApiError> {
    let options = WriteOptions::default();
    let mut object = stored.clone();
    if object.kind() == "Node" {
        object.set(&["spec", "taints"], wanted["spec"]["taints"].clone());
        object = Object::clone(&*api.update(&administrator(), object, Subresource::None, options)?);
    }
    if let Some(status) = wanted.get("status") {
        object.set(&["status"], status.clone());
        api.update(&administrator(), object, Subresource::Status, options)?;
    }
    Ok(())
}
