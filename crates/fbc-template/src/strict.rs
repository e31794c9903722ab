//! Strict decoding as `sigs.k8s.io/yaml` does it: no key twice, no field that the type does not have.
//!
//! Source of the behaviour: `kubernetes-sigs/yaml:yaml.go` (`UnmarshalStrict`, and the conversion of
//! numbers and booleans to text where a field is text).

use fbc_go::text;
use fbc_model::go_type::{self, GoType};
use fbc_yaml::locate::Lines;
use fbc_yaml::stream;
use fbc_yaml::{Built, Document, DocumentBuilder, Kind, Node};

use crate::document::{TemplateDocument, TypeMismatch};
use crate::error::TemplatePlace;

/// What a strict decoder objects to.
#[derive(Debug)]
pub(crate) enum StrictFault {
    /// The text does not parse, or gives a key twice.
    Malformed(String),
    /// A field is unknown or has the wrong type.
    Decoding(String),
}

impl StrictFault {
    /// The whole text of the reference.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Malformed(message) => format!("error converting YAML to JSON: {message}"),
            Self::Decoding(message) => {
                format!("error unmarshaling JSON: while decoding JSON: {message}")
            }
        }
    }
}

/// Parses the whole text as one document and decodes it.
pub(crate) fn parse<'t>(
    text: &'t [u8],
    kind: &'static GoType,
) -> Result<(TemplateDocument<'t>, Document), TypeMismatch<StrictFault>> {
    let template = TemplateDocument::whole(text).map_err(|error| error.map(StrictFault::Malformed))?;
    if let Some((message, place)) = duplicate_keys(&template) {
        return Err(TypeMismatch { message: StrictFault::Malformed(message), place: Some(place) });
    }
    let converted = converted(template.root(), kind);
    if let Some(number) = converted.not_numbers().next() {
        let message = StrictFault::Malformed(stream::unsupported_number(number));
        return Err(TypeMismatch { message, place: None });
    }
    match check(converted, kind) {
        Ok(document) => Ok((template, document)),
        Err((message, pointer)) => Err(TypeMismatch {
            message: StrictFault::Decoding(message),
            place: Some(template.place_of_key(&pointer)),
        }),
    }
}

/// go-yaml's text for all keys that are given twice, in the order in which it finds them, and the
/// place of the first.
fn duplicate_keys(template: &TemplateDocument<'_>) -> Option<(String, TemplatePlace)> {
    if !template.has_duplicate_keys() {
        return None;
    }
    let locator = template.locator();
    let mut duplicates = Vec::new();
    locator.duplicate_keys(|duplicate| {
        let key = duplicate.key.to_owned();
        duplicates.push((duplicate.value, key, duplicate.pointer.to_owned(), duplicate.last));
    });
    // A key is noted when its value is done, so inner ones come first.
    duplicates.sort_by_key(|(value, ..)| (value.end, std::cmp::Reverse(value.start)));
    let text_lines = Lines::new(template.text());
    let lines: Vec<String> = duplicates
        .iter()
        .map(|(value, key, ..)| {
            let (line, _) = text_lines.line_and_column(value.start);
            format!("\n  line {line}: key {} already set in map", text::quote(key))
        })
        .collect();
    let (_, _, pointer, bytes) = duplicates.into_iter().next()?;
    let place = TemplatePlace { pointer: Some(pointer), bytes };
    Some((format!("yaml: unmarshal errors:{}", lines.concat()), place))
}

/// Decodes a value into a type: the value with numbers and booleans as text where the type has text.
///
/// # Errors
/// The first unknown field or misfit in the order of the keys, with its JSON pointer.
pub(crate) fn decode(node: Node<'_>, kind: &GoType) -> Result<Document, (String, String)> {
    check(converted(node, kind), kind)
}

fn converted(node: Node<'_>, kind: &GoType) -> Document {
    let mut builder = DocumentBuilder::new();
    let root = convert(&mut builder, node, kind);
    builder.finish(root)
}

fn check(document: Document, kind: &GoType) -> Result<Document, (String, String)> {
    let misfit = go_type::check(document.root(), kind).err();
    let stop = misfit.as_ref().map(|error| error.pointer.as_str());
    match first_unknown(document.root(), kind, &mut String::new(), stop) {
        Walk::Unknown { key, pointer } => {
            Err((format!("json: unknown field {}", text::quote(&key)), pointer))
        }
        _ => match misfit {
            Some(error) => Err((error.message, error.pointer)),
            None => Ok(document),
        },
    }
}

/// The fields of the struct that a pointer to one of its members leads into.
pub(crate) fn fields_beside(pointer: &str, kind: &'static GoType) -> Vec<&'static str> {
    let mut kind = kind;
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    for key in parent.split('/').skip(1) {
        kind = match kind {
            GoType::List(_, item) => item,
            GoType::Struct(of) => match of.field(key) {
                Some(field) => &field.kind,
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        };
    }
    match kind {
        GoType::Struct(of) => of.fields.iter().map(|field| field.name).collect(),
        _ => Vec::new(),
    }
}

fn convert(builder: &mut DocumentBuilder, node: Node<'_>, kind: &GoType) -> Built {
    match (kind, node.kind()) {
        (GoType::String(_), Kind::Bool) => {
            builder.string(if node.as_bool() == Some(true) { "true" } else { "false" })
        }
        (GoType::String(_), Kind::Number) => builder.string(&go_type::number_as_text(node)),
        (GoType::List(_, item), Kind::Array) => {
            let mark = builder.open();
            for node in node.items() {
                let value = convert(builder, node, item);
                builder.push_item(value);
            }
            builder.close_array(mark)
        }
        (GoType::Struct(of), Kind::Object) => {
            let mark = builder.open();
            for (key, node) in node.members() {
                let value = match of.field(key) {
                    Some(field) => convert(builder, node, &field.kind),
                    None => builder.copy(node),
                };
                builder.push_member(key, value);
            }
            builder.close_object(mark)
        }
        _ => builder.copy(node),
    }
}

/// How the look for an unknown field goes.
enum Walk {
    GoOn,
    /// The place where the walk was to stop.
    Stop,
    Unknown {
        key: String,
        pointer: String,
    },
}

/// Looks for a field that the type does not have, in the order of decoding, up to a place.
fn first_unknown(node: Node<'_>, kind: &GoType, pointer: &mut String, stop: Option<&str>) -> Walk {
    if stop == Some(pointer.as_str()) {
        return Walk::Stop;
    }
    let length = pointer.len();
    match kind {
        GoType::List(_, item) => {
            for (index, node) in node.items().enumerate() {
                pointer.push_str(&format!("/{index}"));
                let walk = first_unknown(node, item, pointer, stop);
                if !matches!(walk, Walk::GoOn) {
                    return walk;
                }
                pointer.truncate(length);
            }
        }
        GoType::Struct(of) => {
            for (key, node) in node.members() {
                go_type::push_key(pointer, key);
                let walk = match of.field(key) {
                    Some(field) => first_unknown(node, &field.kind, pointer, stop),
                    None => Walk::Unknown { key: key.to_owned(), pointer: pointer.clone() },
                };
                if !matches!(walk, Walk::GoOn) {
                    return walk;
                }
                pointer.truncate(length);
            }
        }
        _ => {}
    }
    Walk::GoOn
}
