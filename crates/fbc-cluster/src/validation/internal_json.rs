//! Objects as refusals show them: the API server's internal types as JSON, with the names and the order of its own fields.
//!
//! Types of `metav1`, such as label selectors, have no internal form: they keep the names and omissions of JSON.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/core/types.go`, `kubernetes/apimachinery:pkg/util/{diff,validation/field}`.

use serde_json::Value;
use similar::TextDiff;

use crate::types::{Field, StructId, Type, is_left_out, types};

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

/// The difference of two specifications of a type, a line for each value.
pub(super) fn difference(before: &Value, after: &Value, group: &str, of: &str) -> String {
    let text = |spec: &Value| written(spec, group, of, true) + "\n";
    let (before, after) = (text(before), text(after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(3).missing_newline_hint(false).to_string()
}

/// A value of a type in one line.
pub(super) fn in_one_line(value: &Value, group: &str, of: &str) -> String {
    written(value, group, of, false)
}

fn written(value: &Value, group: &str, of: &str, is_indented: bool) -> String {
    let mut writer = Writer { text: String::new(), is_indented };
    match types().named(group, of) {
        Some(id) if of == "PodSpec" => writer.pod_spec(value, id),
        Some(id) => writer.value(Some(value), &Type::Struct(id), 0),
        None => {}
    }
    fbc_go::json::escape_html(&writer.text)
}

struct Writer {
    text: String,
    is_indented: bool,
}

impl Writer {
    fn pod_spec(&mut self, spec: &Value, of: StructId) {
        let of = types().get(of);
        let fields: Vec<&Field> = POD_SPEC.iter().filter_map(|name| of.field(name)).collect();
        self.block('{', '}', 0, fields.len(), |writer, index| {
            let field = fields[index];
            writer.name(&format!("{:?}", field.go_name));
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
            writer.name(&format!("{:?}", field.go_name));
            writer.value(value, &field.of, 2);
        });
    }

    fn value(&mut self, value: Option<&Value>, of: &Type, depth: usize) {
        let value = value.filter(|value| !value.is_null());
        match (of, value) {
            (Type::Optional(inner), Some(value)) => self.value(Some(value), inner, depth),
            (Type::Struct(id), value) => {
                let of = types().get(*id);
                let is_versioned = of.package == "meta";
                let own = |field: &Field| value.and_then(|value| value.get(field.name));
                let is_there =
                    |field: &&Field| !is_versioned || own(field).is_some_and(|own| !is_left_out(own, field));
                let fields: Vec<&Field> = of.fields.iter().filter(is_there).collect();
                self.block('{', '}', depth, fields.len(), |writer, index| {
                    let field = fields[index];
                    let name = if is_versioned { field.name } else { &field.go_name };
                    writer.name(&format!("{name:?}"));
                    writer.value(own(field), &field.of, depth + 1);
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
                    writer.name(&Value::from(key.as_str()).to_string());
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

    fn name(&mut self, name: &str) {
        self.text.push_str(name);
        self.text.push_str(if self.is_indented { ": " } else { ":" });
    }

    fn line(&mut self, depth: usize) {
        if self.is_indented {
            self.text.push('\n');
            self.text.push_str(&" ".repeat(depth));
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
            self.line(depth + 1);
            write(self, index);
        }
        if length > 0 {
            self.line(depth);
        }
        self.text.push(close);
    }
}
