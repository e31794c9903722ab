//! The difference of two pods, as a refusal shows it: the API server's internal types as indented JSON.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/types.go`, `kubernetes/apimachinery:pkg/util/diff`.

use serde_json::Value;
use similar::TextDiff;

use crate::object::{Object, ObjectFields};
use crate::types::{Field, StructId, Type, types};

/// The fields of a pod specification in the order of the internal type. Those that it keeps in the security context
/// stand there.
const POD_SPEC: &[&str] = &[
    "volumes",
    "initContainers",
    "containers",
    "ephemeralContainers",
    "restartPolicy",
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
    "dnsPolicy",
    "nodeSelector",
    "serviceAccountName",
    "automountServiceAccountToken",
    "nodeName",
    "securityContext",
    "imagePullSecrets",
    "hostname",
    "subdomain",
    "setHostnameAsFQDN",
    "affinity",
    "schedulerName",
    "tolerations",
    "hostAliases",
    "priorityClassName",
    "priority",
    "preemptionPolicy",
    "dnsConfig",
    "readinessGates",
    "runtimeClassName",
    "overhead",
    "enableServiceLinks",
    "topologySpreadConstraints",
    "os",
    "schedulingGates",
    "resourceClaims",
    "resources",
    "hostnameOverride",
];

/// Fields that the internal type keeps in the security context, before its own.
const OF_SECURITY_CONTEXT: &[&str] =
    &["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/// The difference of two pods in what must not change. As in the reference, what may change is taken from the new one.
pub(super) fn pod_spec_diff(old: &Object, new: &Object) -> String {
    let empty = Value::Null;
    let after = new.get("spec").unwrap_or(&empty);
    let mut before = old.get("spec").cloned().unwrap_or_default();
    for field in ["activeDeadlineSeconds", "tolerations"] {
        match after.get(field) {
            Some(value) => before.set(&[field], value.clone()),
            None => drop(before.remove(&[field])),
        }
    }
    for list in ["containers", "initContainers"] {
        let images: Vec<Value> =
            after.list(&[list]).iter().map(|container| container["image"].clone()).collect();
        if let Some(Value::Array(containers)) = before.get_mut(list) {
            for (container, image) in containers.iter_mut().zip(images) {
                container.set(&["image"], image);
            }
        }
    }
    let (before, after) = (text(&before), text(after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(3).missing_newline_hint(false).to_string()
}

/// A pod specification as text, a line for each value.
fn text(spec: &Value) -> String {
    let mut writer = Writer { text: String::new() };
    if let Some(of) = types().named("core", "PodSpec") {
        writer.pod_spec(spec, of);
    }
    writer.text.push('\n');
    writer.text
}

struct Writer {
    text: String,
}

impl Writer {
    fn pod_spec(&mut self, spec: &Value, of: StructId) {
        let of = types().get(of);
        let fields: Vec<&Field> = POD_SPEC.iter().filter_map(|name| of.field(name)).collect();
        self.block('{', '}', 0, fields.len(), |writer, index| {
            let field = fields[index];
            writer.text.push_str(&format!("\"{}\": ", field.go_name));
            if field.name == "securityContext" {
                writer.security_context(spec, field);
            } else {
                writer.value(spec.get(field.name), &field.of, 1);
            }
        });
    }

    fn security_context(&mut self, spec: &Value, field: &Field) {
        let context = spec.get(field.name);
        let (Some(context), Type::Optional(inner)) = (context, &field.of) else {
            self.text.push_str("null");
            return;
        };
        let Type::Struct(id) = inner.as_ref() else { return };
        let of_spec = types().named("core", "PodSpec").map(|id| types().get(id));
        let moved =
            OF_SECURITY_CONTEXT.iter().filter_map(|name| Some((spec.get(*name), of_spec?.field(name)?)));
        let own = types().get(*id).fields.iter().map(|field| (context.get(field.name), field));
        let all: Vec<(Option<&Value>, &Field)> = moved.chain(own).collect();
        self.block('{', '}', 1, all.len(), |writer, index| {
            let (value, field) = all[index];
            writer.text.push_str(&format!("\"{}\": ", field.go_name));
            writer.value(value, &field.of, 2);
        });
    }

    fn value(&mut self, value: Option<&Value>, of: &Type, depth: usize) {
        let value = value.filter(|value| !value.is_null());
        match (of, value) {
            (Type::Optional(inner), Some(value)) => self.value(Some(value), inner, depth),
            (Type::Struct(id), value) => {
                let fields = &types().get(*id).fields;
                self.block('{', '}', depth, fields.len(), |writer, index| {
                    let field = &fields[index];
                    writer.text.push_str(&format!("\"{}\": ", field.go_name));
                    writer.value(value.and_then(|value| value.get(field.name)), &field.of, depth + 1);
                });
            }
            (Type::List(item), Some(Value::Array(items))) => {
                self.block('[', ']', depth, items.len(), |writer, index| {
                    writer.value(items.get(index), item, depth + 1);
                });
            }
            (Type::Map(item), Some(Value::Object(members))) => {
                let members: Vec<(&String, &Value)> = members.iter().collect();
                self.block('{', '}', depth, members.len(), |writer, index| {
                    let (key, value) = members[index];
                    writer.text.push_str(&format!("{}: ", Value::from(key.as_str())));
                    writer.value(Some(value), item, depth + 1);
                });
            }
            (_, Some(value)) => self.text.push_str(&value.to_string()),
            (Type::Text(_), None) => self.text.push_str("\"\""),
            (Type::Flag, None) => self.text.push_str("false"),
            (Type::Whole(_) | Type::Float | Type::IntOrText, None) => self.text.push('0'),
            (Type::Quantity, None) => self.text.push_str("\"0\""),
            (_, None) => self.text.push_str("null"),
        }
    }

    /// Members or items between brackets, each on a line of its own.
    fn block(
        &mut self,
        open: char,
        close: char,
        depth: usize,
        length: usize,
        mut write: impl FnMut(&mut Self, usize),
    ) {
        self.text.push(open);
        for index in 0..length {
            if index > 0 {
                self.text.push(',');
            }
            self.text.push('\n');
            self.text.push_str(&" ".repeat(depth + 1));
            write(self, index);
        }
        if length > 0 {
            self.text.push('\n');
            self.text.push_str(&" ".repeat(depth));
        }
        self.text.push(close);
    }
}
