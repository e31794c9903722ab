//! `create`: from files, or objects that the sub-commands make of flags.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::flags::{Arguments, Flag, Takes};
use super::read::SELECTION;
use super::write::{WRITING, files};
use super::writing::dry_run;
use super::{CommandError, DryRun, Parsed, Selection, Verb, VerbSyntax};

const RBAC: &str = "rbac.authorization.k8s.io";

/// What `create` creates.
#[derive(Debug, Clone, PartialEq)]
pub struct Creation {
    /// Files with manifests; then nothing else is set.
    pub selection: Selection,
    /// The object of a sub-command, without a namespace.
    pub object: Option<Object>,
    /// Files whose content becomes entries of `data`.
    pub data_files: Vec<DataFile>,
    /// Resources of a role's rule; their groups are looked up.
    pub rule_resources: Vec<String>,
    /// What stands between `failed to create ` and the server's refusal; most sub-commands say only the latter.
    pub failure: Option<&'static str>,
    /// What is said instead of `… created`.
    pub message: Option<String>,
    /// `oc new-project`: the new namespace becomes the current one.
    pub switch_project: bool,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// A file whose content becomes an entry of `data`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// The key: the name of the file unless given.
    pub key: String,
    /// The path.
    pub path: String,
}

impl Creation {
    /// An object as it is.
    pub fn from_object(object: Object) -> Self {
        Self {
            selection: Selection::default(),
            object: Some(object),
            data_files: Vec::new(),
            rule_resources: Vec::new(),
            failure: None,
            message: None,
            switch_project: false,
            dry_run: DryRun::None,
        }
    }
}

const DATA: &[Flag] = &[
    Flag::new("from-literal", Takes::Value),
    Flag::new("from-file", Takes::Value),
    Flag::new("type", Takes::Value),
];
const RULE: &[Flag] = &[
    Flag::new("verb", Takes::Value),
    Flag::new("resource", Takes::Value),
    Flag::new("resource-name", Takes::Value),
    Flag::new("non-resource-url", Takes::Value),
    Flag::new("aggregation-rule", Takes::Value),
];
const BINDING: &[Flag] = &[
    Flag::new("clusterrole", Takes::Value),
    Flag::new("role", Takes::Value),
    Flag::new("user", Takes::Value),
    Flag::new("group", Takes::Value),
    Flag::new("serviceaccount", Takes::Value),
];
const WORKLOAD: &[Flag] = &[
    Flag::new("image", Takes::Value),
    Flag::short("replicas", 'r', Takes::Value),
    Flag::new("port", Takes::Value),
    Flag::new("restart", Takes::Value),
];
pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: "create", flags: &[SELECTION, WRITING], read: from_files },
    VerbSyntax { words: "create namespace", flags: &[WRITING], read: namespace },
    VerbSyntax { words: "create ns", flags: &[WRITING], read: namespace },
    VerbSyntax { words: "create serviceaccount", flags: &[WRITING], read: service_account },
    VerbSyntax { words: "create sa", flags: &[WRITING], read: service_account },
    VerbSyntax { words: "create configmap", flags: &[WRITING, DATA], read: config_map },
    VerbSyntax { words: "create cm", flags: &[WRITING, DATA], read: config_map },
    VerbSyntax { words: "create secret generic", flags: &[WRITING, DATA], read: secret },
    VerbSyntax { words: "create role", flags: &[WRITING, RULE], read: |arguments| role(arguments, false) },
    VerbSyntax {
        words: "create clusterrole",
        flags: &[WRITING, RULE],
        read: |arguments| role(arguments, true),
    },
    VerbSyntax { words: "create rolebinding", flags: &[WRITING, BINDING], read: role_binding },
    VerbSyntax { words: "create clusterrolebinding", flags: &[WRITING, BINDING], read: cluster_role_binding },
    VerbSyntax { words: "create deployment", flags: &[WRITING, WORKLOAD], read: deployment },
    VerbSyntax { words: "create deploy", flags: &[WRITING, WORKLOAD], read: deployment },
    VerbSyntax { words: "create job", flags: &[WRITING, WORKLOAD], read: job },
];

fn from_files(arguments: &Arguments) -> Parsed<Verb> {
    let selection = files("create", arguments)?;
    let creation = Creation { selection, dry_run: dry_run(arguments)?, ..Creation::from_object(Value::Null) };
    Ok(Verb::Create(Creation { object: None, ..creation }))
}

/// The name behind a sub-command; words after it are left for those that run a program.
fn name<'a>(sub_command: &str, arguments: &'a Arguments) -> Parsed<&'a str> {
    match arguments.positional.as_slice() {
        [name] => Ok(name),
        all => {
            let text = format!("exactly one NAME is required, got {}", all.len());
            Err(CommandError::usage(&format!("create {sub_command}"), text))
        }
    }
}

fn creation(arguments: &Arguments, object: Object, failure: Option<&'static str>) -> Parsed<Creation> {
    Ok(Creation { failure, dry_run: dry_run(arguments)?, ..Creation::from_object(object) })
}

fn object(api_version: &str, kind: &str, name: &str) -> Object {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})
}

/// A namespace without anything else.
pub(super) fn namespace_object(name: &str) -> Object {
    object("v1", "Namespace", name)
}

fn namespace(arguments: &Arguments) -> Parsed<Verb> {
    let object = namespace_object(name("namespace", arguments)?);
    creation(arguments, object, None).map(Verb::Create)
}

fn service_account(arguments: &Arguments) -> Parsed<Verb> {
    let object = object("v1", "ServiceAccount", name("serviceaccount", arguments)?);
    creation(arguments, object, Some("serviceaccount:")).map(Verb::Create)
}

/// Fills `data` from literals, and lists the files for the rest.
fn data(arguments: &Arguments, object: &mut Object, encode: fn(&str) -> String) -> Parsed<Vec<DataFile>> {
    for literal in arguments.values("from-literal") {
        let Some((key, value)) = literal.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(CommandError::error(format!("invalid literal source {literal}, expected key=value")));
        };
        if object.at(&["data", key]).is_some() {
            let text = format!("cannot add key {key:?}, another key by that name already exists in data");
            return Err(CommandError::error(text));
        }
        object.set(&["data", key], encode(value));
    }
    let file = |file: &str| match file.split_once('=') {
        Some((key, path)) => DataFile { key: key.to_owned(), path: path.to_owned() },
        None => DataFile { key: file.rsplit('/').next().unwrap_or(file).to_owned(), path: file.to_owned() },
    };
    Ok(arguments.values("from-file").map(file).collect())
}

fn config_map(arguments: &Arguments) -> Parsed<Verb> {
    let mut object = object("v1", "ConfigMap", name("configmap", arguments)?);
    let data_files = data(arguments, &mut object, str::to_owned)?;
    let creation = creation(arguments, object, Some("configmap:"))?;
    Ok(Verb::Create(Creation { data_files, ..creation }))
}

fn secret(arguments: &Arguments) -> Parsed<Verb> {
    let mut object = object("v1", "Secret", name("secret generic", arguments)?);
    if let Some(kind) = arguments.value("type") {
        object.set(&["type"], kind);
    }
    let data_files = data(arguments, &mut object, |text| fbc_go::base64::encode(text.as_bytes()))?;
    let creation = creation(arguments, object, Some("secret"))?;
    Ok(Verb::Create(Creation { data_files, ..creation }))
}

fn role(arguments: &Arguments, cluster: bool) -> Parsed<Verb> {
    let (kind, sub_command) = if cluster { ("ClusterRole", "clusterrole") } else { ("Role", "role") };
    let mut object = object(&format!("{RBAC}/v1"), kind, name(sub_command, arguments)?);
    if cluster && arguments.value("aggregation-rule").is_some() {
        let labels: Vec<(String, String)> = arguments
            .list("aggregation-rule")
            .iter()
            .filter_map(|pair| pair.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())))
            .collect();
        let labels: Value = labels.into_iter().map(|(key, value)| (key, Value::String(value))).collect();
        object.set(&["aggregationRule", "clusterRoleSelectors"], json!([{"matchLabels": labels}]));
        return creation(arguments, object, None).map(Verb::Create);
    }
    let verbs = arguments.list("verb");
    if verbs.is_empty() {
        return Err(CommandError::error("at least one verb must be specified"));
    }
    let resources = arguments.list("resource");
    let urls = arguments.list("non-resource-url");
    if resources.is_empty() && urls.is_empty() {
        let what = if cluster {
            "one of resource or nonResourceURL must be specified"
        } else {
            "at least one resource must be specified"
        };
        return Err(CommandError::error(what));
    }
    let names = arguments.list("resource-name");
    let mut rules = Vec::new();
    if !resources.is_empty() {
        let mut rule = json!({"verbs": verbs});
        if !names.is_empty() {
            rule.set(&["resourceNames"], json!(names));
        }
        rules.push(rule);
    }
    if !urls.is_empty() {
        rules.push(json!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    object.set(&["rules"], rules);
    Ok(Verb::Create(Creation { rule_resources: resources, ..creation(arguments, object, None)? }))
}

/// The subjects of a binding.
fn subjects(arguments: &Arguments) -> Parsed<Vec<Value>> {
    let mut subjects = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        let names = arguments.list(flag);
        subjects.extend(names.iter().map(|name| json!({"apiGroup": RBAC, "kind": kind, "name": name})));
    }
    for account in arguments.list("serviceaccount") {
        let Some((namespace, name)) = account.split_once(':') else {
            return Err(CommandError::error("serviceaccount must be <namespace>:<name>"));
        };
        subjects.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    Ok(subjects)
}

fn binding(arguments: &Arguments, kind: &str, name: &str, role: (&str, &str)) -> Parsed<Object> {
    let mut object = object(&format!("{RBAC}/v1"), kind, name);
    object.set(&["roleRef"], json!({"apiGroup": RBAC, "kind": role.0, "name": role.1}));
    let subjects = subjects(arguments)?;
    if !subjects.is_empty() {
        object.set(&["subjects"], subjects);
    }
    Ok(object)
}

fn cluster_role_binding(arguments: &Arguments) -> Parsed<Verb> {
    let name = name("clusterrolebinding", arguments)?;
    let role = arguments.required("clusterrole")?;
    let object = binding(arguments, "ClusterRoleBinding", name, ("ClusterRole", role))?;
    creation(arguments, object, Some("clusterrolebinding:")).map(Verb::Create)
}

fn role_binding(arguments: &Arguments) -> Parsed<Verb> {
    let name = name("rolebinding", arguments)?;
    let role = match (arguments.value("clusterrole"), arguments.value("role")) {
        (Some(role), None) => ("ClusterRole", role),
        (None, Some(role)) => ("Role", role),
        _ => return Err(CommandError::error("exactly one of clusterrole or role must be specified")),
    };
    let object = binding(arguments, "RoleBinding", name, role)?;
    creation(arguments, object, Some("rolebinding:")).map(Verb::Create)
}

/// The name of a container: what the image's path ends with, without tag and digest.
fn container_name(image: &str) -> String {
    let path = image.rsplit('/').next().unwrap_or(image);
    let path = path.split('@').next().unwrap_or(path);
    path.split(':').next().unwrap_or(path).to_owned()
}

fn deployment(arguments: &Arguments) -> Parsed<Verb> {
    let (name, command) = name_and_command("deployment", arguments)?;
    let images = arguments.list("image");
    if images.is_empty() {
        arguments.required("image")?;
    }
    let mut containers: Vec<Value> =
        images.iter().map(|image| json!({"image": image, "name": container_name(image)})).collect();
    if let Some(first) = containers.first_mut() {
        if let Some(port) = arguments.number("port")?.filter(|port| *port > 0) {
            first.set(&["ports"], json!([{"containerPort": port}]));
        }
        if !command.is_empty() {
            first.set(&["command"], json!(command));
        }
    }
    let mut object = object("apps/v1", "Deployment", name);
    object.set(&["metadata", "labels", "app"], name);
    object.set(
        &["spec"],
        json!({
            "replicas": arguments.number("replicas")?.unwrap_or(1),
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}},
        }),
    );
    creation(arguments, object, Some("deployment:")).map(Verb::Create)
}

/// The name, and the program behind it.
fn name_and_command<'a>(sub_command: &str, arguments: &'a Arguments) -> Parsed<(&'a str, &'a [String])> {
    match arguments.positional.split_first() {
        Some((name, command)) => Ok((name, command)),
        None => {
            let text = "exactly one NAME is required, got 0";
            Err(CommandError::usage(&format!("create {sub_command}"), text))
        }
    }
}

fn job(arguments: &Arguments) -> Parsed<Verb> {
    let (name, command) = name_and_command("job", arguments)?;
    let Some(image) = arguments.value("image") else {
        return Err(CommandError::error("either --image or --from must be specified"));
    };
    let mut container = json!({"image": image, "name": name});
    if !command.is_empty() {
        container.set(&["command"], json!(command));
    }
    let restart = arguments.value("restart").unwrap_or("Never");
    let mut object = object("batch/v1", "Job", name);
    object.set(&["spec", "template", "spec"], json!({"containers": [container], "restartPolicy": restart}));
    creation(arguments, object, Some("job:")).map(Verb::Create)
}
