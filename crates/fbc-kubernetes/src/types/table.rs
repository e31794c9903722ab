//! Reads the tables.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

/// A struct in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructId(usize);

/// The type of a Go value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// `string`, or a named type of that kind as Go prints it.
    Text(&'static str),
    /// `bool`
    Flag,
    /// `int32` or `int64`, as named.
    Whole(&'static str),
    /// `float64`
    Float,
    /// `[]byte`: base64 text.
    Bytes,
    /// `metav1.Time`
    Time,
    /// `metav1.MicroTime`
    MicroTime,
    /// `metav1.Duration`
    Duration,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrText,
    /// `runtime.RawExtension`: an object of any kind, replaced as a whole.
    Raw,
    /// `metav1.FieldsV1`
    Fields,
    /// JSON of any shape.
    Any,
    /// What reads and writes itself in a way of its own.
    Special(Special),
    /// `*T`
    Optional(Box<Type>),
    /// `[]T`
    List(Box<Type>),
    /// `map[string]T`
    Map(Box<Type>),
    /// A struct.
    Struct(StructId),
}

/// A Go type that reads and writes itself, and has several forms in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// `JSONSchemaPropsOrBool`
    SchemaOrFlag,
    /// `JSONSchemaPropsOrArray`
    SchemaOrList,
    /// `JSONSchemaPropsOrStringArray`
    SchemaOrTexts,
    /// `version.OperatorVersion`: a version as text.
    OperatorVersion,
    /// `release.OperatorRelease`: identifiers with dots between them.
    OperatorRelease,
}

/// When Go leaves a field out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Omit {
    /// Never.
    Never,
    /// `omitempty`
    Empty,
    /// `omitzero`
    Zero,
}

/// How the items of a list belong together, as the types declare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Items {
    /// Nothing is declared.
    Unsaid,
    /// Replaced as a whole.
    Atomic,
    /// Scalars of which each comes once.
    Set,
    /// Objects that these fields tell apart.
    Keyed(Vec<&'static str>),
}

/// A field of a struct.
#[derive(Debug, Clone)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The name in Go.
    pub go_name: String,
    /// What it holds.
    pub of: Type,
    /// Go's name of the type, if it is a list or a map with a name of its own.
    pub type_name: Option<&'static str>,
    /// When it is left out.
    pub omit: Omit,
    /// What the API server assumes where the field is absent.
    pub default: Option<Value>,
    /// How the items of a list belong together.
    pub items: Items,
    /// Whether server-side apply replaces it as a whole, where the types say so.
    pub atomic: Option<bool>,
    /// `patchStrategy: merge`
    pub merges: bool,
    /// `patchStrategy: replace`
    pub replaces: bool,
    /// `patchStrategy: retainKeys`
    pub retains_keys: bool,
    /// `patchMergeKey`
    pub merge_key: Option<&'static str>,
}

/// A Go struct; inlined structs are part of its fields.
#[derive(Debug, Clone)]
pub struct Struct {
    /// The table that it stands in, such as `core`.
    pub package: &'static str,
    /// Go's name without the package.
    pub name: &'static str,
    /// True if server-side apply replaces it as a whole.
    pub atomic: bool,
    /// The fields in Go's order.
    pub fields: Vec<Field>,
    /// The fields that are written although they are absent, with what is written; set by whoever asks first.
    always: OnceLock<Vec<(&'static str, Value)>>,
}

impl Struct {
    /// The field of this name in JSON.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Go's name without the package; empty for a struct that has none, whose name here is in parentheses.
    pub fn bare_name(&self) -> &'static str {
        if self.name.starts_with('(') { "" } else { self.name }
    }

    /// Go's name with the package, such as `v1.Container`.
    pub fn go_name(&self) -> String {
        format!("{}.{}", Types::version(self.package), self.name)
    }

    /// The fields that are written although they are absent, with what is written: worked out by the first who asks.
    pub fn always(&self, find: impl FnOnce(&Self) -> Vec<(&'static str, Value)>) -> &[(&'static str, Value)] {
        self.always.get_or_init(|| find(self))
    }
}

/// All structs of the tables.
#[derive(Debug, Default)]
pub struct Types {
    structs: Vec<Struct>,
    by_name: BTreeMap<(&'static str, &'static str), StructId>,
}

impl Types {
    /// A struct.
    pub fn get(&self, id: StructId) -> &Struct {
        &self.structs[id.0]
    }

    /// The type of a built-in kind; `None` for kinds that have no table.
    pub fn of_kind(&self, group: &str, version: &str, kind: &str) -> Option<StructId> {
        let package = TABLES.iter().find(|table| table.group == Some(group) && table.version == version)?;
        let id = *self.by_name.get(&(package.name, kind))?;
        self.get(id).field("apiVersion").map(|_| id)
    }

    /// The types of all built-in kinds.
    pub fn kinds(&self) -> impl Iterator<Item = StructId> {
        (0..self.structs.len()).map(StructId).filter(|id| {
            let of = self.get(*id);
            let has_both = of.field("apiVersion").is_some() && of.field("metadata").is_some();
            has_both && Self::group_version(of.package).is_some()
        })
    }

    /// All structs, in the order of the tables.
    pub fn structs(&self) -> impl Iterator<Item = (StructId, &Struct)> {
        self.structs.iter().enumerate().map(|(index, of)| (StructId(index), of))
    }

    /// The API group and the version of a table; tables whose kinds the API server does not have itself have no group.
    pub fn group_version(package: &str) -> Option<(&'static str, &'static str)> {
        let table = TABLES.iter().find(|table| table.name == package)?;
        Some((table.group?, table.version))
    }

    /// The version of a table, which Go has as the name of the package.
    pub fn version(package: &str) -> &'static str {
        TABLES.iter().find(|table| table.name == package).map_or("v1", |table| table.version)
    }

    /// The struct of a package, such as `meta`, `ObjectMeta`.
    pub fn named(&self, package: &str, name: &str) -> Option<StructId> {
        self.by_name.get(&(package, name)).copied()
    }
}

/// All tables, read once.
pub fn types() -> &'static Types {
    static TYPES: LazyLock<Types> = LazyLock::new(read);
    &TYPES
}

struct Table {
    name: &'static str,
    group: Option<&'static str>,
    version: &'static str,
    text: &'static str,
}

macro_rules! tables {
    ($($name:literal $group:expr, $version:literal;)*) => {
        &[$(Table { name: $name, group: $group, version: $version, text: include_str!(concat!("tables/", $name, ".types")) }),*]
    };
}

static TABLES: &[Table] = tables! {
    "meta" None, "v1";
    "core" Some(""), "v1";
    "apps" Some("apps"), "v1";
    "batch" Some("batch"), "v1";
    "rbac" Some("rbac.authorization.k8s.io"), "v1";
    "networking" Some("networking.k8s.io"), "v1";
    "policy" Some("policy"), "v1";
    "coordination" Some("coordination.k8s.io"), "v1";
    "admissionregistration" Some("admissionregistration.k8s.io"), "v1";
    "autoscaling" Some("autoscaling"), "v2";
    "scheduling" Some("scheduling.k8s.io"), "v1";
    "storage" Some("storage.k8s.io"), "v1";
    "discovery" Some("discovery.k8s.io"), "v1";
    "events" Some("events.k8s.io"), "v1";
    "node" Some("node.k8s.io"), "v1";
    "certificates" Some("certificates.k8s.io"), "v1";
    "flowcontrol" Some("flowcontrol.apiserver.k8s.io"), "v1";
    "apiextensions" Some("apiextensions.k8s.io"), "v1";
    "apiregistration" Some("apiregistration.k8s.io"), "v1";
    "authentication" Some("authentication.k8s.io"), "v1";
    "authorization" Some("authorization.k8s.io"), "v1";
    "scale" Some("autoscaling"), "v1";
    "apiextensions-v1beta1" None, "v1beta1";
    "operators" None, "v1alpha1";
    "registry" None, "registry";
};

/// Lines of a table that say something, with whether they belong to a struct above.
fn lines(text: &'static str) -> impl Iterator<Item = (bool, &'static str)> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| (line.starts_with(' '), line.trim()))
}

fn read() -> Types {
    let mut types = Types::default();
    for table in TABLES {
        for (_, line) in lines(table.text).filter(|(is_field, _)| !is_field) {
            let (name, atomic) = line.split_once(' ').map_or((line, false), |(name, _)| (name, true));
            types.by_name.insert((table.name, name), StructId(types.structs.len()));
            types.structs.push(Struct {
                package: table.name,
                name,
                atomic,
                fields: Vec::new(),
                always: OnceLock::new(),
            });
        }
    }
    let mut current = 0;
    for table in TABLES {
        for (is_field, line) in lines(table.text) {
            if !is_field {
                current += 1;
                continue;
            }
            let field = read_field(&types, table.name, line);
            types.structs[current - 1].fields.push(field);
        }
    }
    types
}

fn read_field(types: &Types, package: &'static str, line: &'static str) -> Field {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let (name, omit) = match (name.strip_suffix("??"), name.strip_suffix('?')) {
        (Some(name), _) => (name, Omit::Zero),
        (None, Some(name)) => (name, Omit::Empty),
        (None, None) => (name, Omit::Never),
    };
    let of = read_type(types, package, words.next().unwrap_or_default());
    let mut field = Field {
        name,
        go_name: name[..1].to_uppercase() + &name[1..],
        of,
        type_name: None,
        omit,
        default: None,
        items: Items::Unsaid,
        atomic: None,
        merges: false,
        replaces: false,
        retains_keys: false,
        merge_key: None,
    };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("type", name) => field.type_name = Some(name),
            ("go", go_name) => field.go_name = go_name.to_owned(),
            ("patch", strategy) => {
                field.merges = strategy.contains("merge");
                field.replaces = strategy == "replace";
                field.retains_keys = strategy.contains("retainKeys");
            }
            ("key", key) => field.merge_key = Some(key),
            ("list", "set") => field.items = Items::Set,
            ("list", "atomic") => field.items = Items::Atomic,
            ("list", keys) => {
                let keys = keys.trim_start_matches("map(").trim_end_matches(')');
                field.items = Items::Keyed(keys.split(',').collect());
            }
            ("atomic", _) => field.atomic = Some(true),
            ("granular", _) => field.atomic = Some(false),
            ("default", text) => {
                field.default = Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)));
            }
            _ => unreachable!("the tables are part of the program: {line}"),
        }
    }
    field
}

fn read_type(types: &Types, package: &'static str, text: &'static str) -> Type {
    for (prefix, make) in
        [("*", Type::Optional as fn(Box<Type>) -> Type), ("[]", Type::List), ("{}", Type::Map)]
    {
        if let Some(inner) = text.strip_prefix(prefix) {
            return make(Box::new(read_type(types, package, inner)));
        }
    }
    match text {
        "text" => Type::Text("string"),
        "bool" => Type::Flag,
        "int32" | "int64" => Type::Whole(text),
        "float64" => Type::Float,
        "bytes" => Type::Bytes,
        "time" => Type::Time,
        "microtime" => Type::MicroTime,
        "duration" => Type::Duration,
        "quantity" => Type::Quantity,
        "int-or-text" => Type::IntOrText,
        "raw" => Type::Raw,
        "fields" => Type::Fields,
        "any" => Type::Any,
        "schema-or-bool" => Type::Special(Special::SchemaOrFlag),
        "schema-or-list" => Type::Special(Special::SchemaOrList),
        "schema-or-texts" => Type::Special(Special::SchemaOrTexts),
        "version" => Type::Special(Special::OperatorVersion),
        "release" => Type::Special(Special::OperatorRelease),
        _ => match text.strip_prefix("text:") {
            Some(name) => Type::Text(name),
            None => {
                let (package, name) = text.split_once('.').unwrap_or((package, text));
                let id = types.by_name.get(&(package, name));
                Type::Struct(*id.unwrap_or_else(|| unreachable!("the tables name the struct {text}")))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_their_fields_are_found() {
        let pod = types().of_kind("", "v1", "Pod").map(|id| types().get(id)).unwrap();
        assert_eq!(pod.field("spec").map(|field| field.omit), Some(Omit::Empty));
        let container = types().get(types().named("core", "Container").unwrap());
        let ports = container.field("ports").unwrap();
        assert_eq!(ports.items, Items::Keyed(vec!["containerPort", "protocol"]));
        assert_eq!((ports.merges, ports.merge_key), (true, Some("containerPort")));
        assert_eq!(types().of_kind("apps", "v2", "Deployment"), None);
        assert_eq!(types().of_kind("", "v1", "Container"), None, "no kind");
    }
}
