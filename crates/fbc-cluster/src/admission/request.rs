//! A request as admission sees it: what `AdmissionReview` sends to webhooks, and policies call `request`.
//!
//! Source: `kubernetes/apiserver:pkg/admission/plugin/webhook/request/admissionreview.go`.

use serde_json::{Value, json};

use crate::access::User;
use crate::api::{ApiServer, DeleteOptions, FieldValidation};
use crate::apply::unpack;
use crate::kind::{GroupVersionKind, Kind};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;

/// Group and kinds of what admission itself is configured with; webhooks and policies are not asked about these.
const CONFIGURATION: &str = "admissionregistration.k8s.io";

/// A write on its way in.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// Who writes.
    pub user: &'r User,
    /// The kind of the object.
    pub kind: &'r Kind,
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub operation: &'static str,
    /// The part of the object that is written, empty for the whole.
    pub subresource: &'static str,
    /// What is stored; absent for what is created.
    pub before: Option<&'r Object>,
    /// What is to be stored; absent for what is deleted.
    pub object: Option<&'r Object>,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
    /// What the request asks for besides.
    pub options: RequestOptions<'r>,
}

/// What a request asks for besides the object, as webhooks and policies see it.
#[derive(Debug, Clone, Copy)]
pub enum RequestOptions<'r> {
    /// Of a write: the field manager, empty unless the request names it.
    Write(&'r str, FieldValidation),
    /// Of a deletion.
    Delete(&'r DeleteOptions),
}

impl RequestOptions<'_> {
    /// `CreateOptions`, `UpdateOptions` or `DeleteOptions`; those of patches are the ones of what they do.
    fn to_json(self, operation: &str, dry_run: bool) -> Value {
        let kind = match operation {
            "CREATE" => "CreateOptions",
            "UPDATE" => "UpdateOptions",
            _ => "DeleteOptions",
        };
        let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
        if dry_run {
            options["dryRun"] = json!(["All"]);
        }
        match self {
            Self::Write(manager, validation) => {
                if !manager.is_empty() {
                    options["fieldManager"] = manager.into();
                }
                if validation == FieldValidation::Strict {
                    options["fieldValidation"] = "Strict".into();
                }
            }
            Self::Delete(deletion) => {
                if let Some(seconds) = deletion.grace_period {
                    options["gracePeriodSeconds"] = seconds.into();
                }
                for (field, value) in
                    [("uid", &deletion.uid), ("resourceVersion", &deletion.resource_version)]
                {
                    if let Some(value) = value {
                        options["preconditions"][field] = value.as_str().into();
                    }
                }
                options["propagationPolicy"] = format!("{:?}", deletion.propagation).into();
            }
        }
        options
    }
}

/// An object as webhooks and policies see it.
pub(crate) fn shown(object: Option<&Object>) -> Object {
    let mut copy = object.cloned().unwrap_or_default();
    unpack(&mut copy);
    copy
}

impl Request<'_> {
    /// The object that the request is about, as it will be or as it was.
    pub(crate) fn about(&self) -> &Object {
        static NOTHING: Value = Value::Null;
        self.object.or(self.before).unwrap_or(&NOTHING)
    }

    /// `AdmissionRequest`
    pub(crate) fn to_json(self, uid: &str) -> Value {
        let about = self.about();
        let name = GroupVersionKind::of(about.api_version(), &self.kind.kind);
        let kind = json!({"group": name.group, "version": name.version, "kind": name.kind});
        let resource = json!({"group": name.group, "version": name.version, "resource": self.kind.plural});
        let mut request = json!({
            "uid": uid, "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
            "operation": self.operation, "dryRun": self.dry_run,
            "userInfo": self.user.to_json(),
            "object": shown(self.object), "oldObject": shown(self.before),
            "options": self.options.to_json(self.operation, self.dry_run),
        });
        for (field, text) in
            [("name", about.name()), ("namespace", about.namespace()), ("subResource", self.subresource)]
        {
            if !text.is_empty() {
                request.set(&[field], text);
            }
        }
        if !self.subresource.is_empty() {
            request.set(&["requestSubResource"], self.subresource);
        }
        request
    }

    /// Whether one of the rules of a webhook or policy means the request.
    ///
    /// Source: `kubernetes/apiserver:pkg/admission/plugin/webhook/predicates/rules/rules.go`. Versions of a group are
    /// equivalent, as `matchPolicy: Equivalent` has it.
    pub(crate) fn fits_rules(&self, rules: &[Value]) -> bool {
        let one_of = |rule: &Value, field: &str, wanted: &dyn Fn(&str) -> bool| {
            rule.list(&[field]).iter().filter_map(Value::as_str).any(|text| text == "*" || wanted(text))
        };
        let fits = |rule: &&Value| {
            let scope = match rule.text(&["scope"]) {
                "Namespaced" => self.kind.namespaced,
                "Cluster" => !self.kind.namespaced,
                _ => true,
            };
            let versions = &self.kind.versions;
            scope
                && one_of(rule, "operations", &|text| text == self.operation)
                && one_of(rule, "apiGroups", &|text| text == self.kind.group)
                && one_of(rule, "apiVersions", &|text| versions.iter().any(|version| version == text))
                && rule
                    .list(&["resources"])
                    .iter()
                    .filter_map(Value::as_str)
                    .any(|text| self.is_resource(text))
        };
        rules.iter().any(|rule| fits(&rule))
    }

    fn is_resource(&self, text: &str) -> bool {
        let (resource, subresource) = text.split_once('/').unwrap_or((text, ""));
        (resource == "*" || resource == self.kind.plural)
            && (subresource == "*" || subresource == self.subresource)
    }

    /// Whether the selectors of a webhook or policy (`namespaceSelector`, `objectSelector`) accept the request.
    pub(crate) fn fits_selectors(&self, of: &Value, api: &ApiServer) -> bool {
        let selector = |field: &str| match of.given(&[field]) {
            Some(value) => LabelSelector::of_object(Some(value)).ok(),
            None => Some(LabelSelector::everything()),
        };
        let (Some(namespaces), Some(objects)) = (selector("namespaceSelector"), selector("objectSelector"))
        else {
            return false;
        };
        let of_namespace = || {
            if self.kind.kind == "Namespace" && self.kind.group.is_empty() {
                return namespaces.matches_object(self.about());
            }
            let name = ObjectName::cluster(self.about().namespace());
            !self.kind.namespaced
                || api
                    .find("", "Namespace", &name)
                    .is_some_and(|namespace| namespaces.matches_object(namespace))
        };
        let of_object =
            || [self.object, self.before].into_iter().flatten().any(|one| objects.matches_object(one));
        (namespaces.is_everything() || of_namespace()) && (objects.is_everything() || of_object())
    }

    /// Whether webhooks and policies are asked at all.
    pub(crate) fn is_asked_about(&self) -> bool {
        self.kind.group != CONFIGURATION
    }
}
