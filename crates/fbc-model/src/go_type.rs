//! Go's types as data, and what `encoding/json` says when a value does not fit one.
//!
//! The reference decodes every blob into Go structs. Which values that refuses, and in which words,
//! follows from the types alone; so the types are tables here ([`crate::go_types`]) and this module
//! holds the one algorithm over them.

mod fields;

use fbc_go::base64;
use fbc_yaml::{Kind, Node};

pub use self::fields::{bytes, field, member, number_as_text, text, texts};

/// A Go type.
#[derive(Debug)]
pub enum GoType {
    /// `string`, or a named type of that kind (the name as Go prints it).
    String(&'static str),
    /// `bool`
    Bool,
    /// `int32`
    Int32,
    /// `[]byte`: base64 text, or a list of numbers.
    Bytes,
    /// `json.RawMessage`: anything, kept as it is.
    Raw,
    /// `map[string]string`
    StringMap,
    /// `[]T`; the name is Go's for the list.
    List(&'static str, &'static GoType),
    /// A struct.
    Struct(&'static GoStruct),
}

/// A Go struct.
#[derive(Debug)]
pub struct GoStruct {
    /// The name with its package, such as `declcfg.ChannelEntry`.
    pub name: &'static str,
    /// The fields in the order in which Go writes them.
    pub fields: &'static [GoField],
}

/// A field of a struct.
#[derive(Debug)]
pub struct GoField {
    /// The name in JSON.
    pub name: &'static str,
    /// Its type.
    pub kind: GoType,
    /// Whether an empty value is left out when the struct is written.
    pub omit_empty: bool,
}

/// Plain `string`.
pub const STRING: GoType = GoType::String("string");

impl GoType {
    /// The type as Go prints it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::String(name) | Self::List(name, _) => name,
            Self::Bool => "bool",
            Self::Int32 => "int32",
            Self::Bytes => "[]uint8",
            Self::Raw => "json.RawMessage",
            Self::StringMap => "map[string]string",
            Self::Struct(of) => of.name,
        }
    }
}

impl GoStruct {
    /// The field that a key of an object goes to: the one of that very name, else one whose name
    /// differs in upper and lower case only.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&'static GoField> {
        let fields = self.fields;
        fields
            .iter()
            .find(|field| field.name == key)
            .or_else(|| fields.iter().find(|field| equal_fold(field.name, key)))
    }
}

/// Go's `foldName`: equal but for simple case folding. Names of fields are ASCII, so beside ASCII
/// letters only U+017F and U+212A (which fold to `s` and `k`) can matter.
#[must_use]
pub fn equal_fold(ascii: &str, other: &str) -> bool {
    if other.is_ascii() {
        return ascii.eq_ignore_ascii_case(other);
    }
    let folded: String = other
        .chars()
        .map(|c| match c {
            '\u{17f}' => 's',
            '\u{212a}' => 'k',
            c => c.to_ascii_lowercase(),
        })
        .collect();
    ascii.to_ascii_lowercase() == folded
}

/// A value that does not fit its Go type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TypeError {
    /// The text of `encoding/json`.
    pub message: String,
    /// The value, as a JSON pointer from the value that was decoded.
    pub pointer: String,
}

/// Checks that Go would decode the value into the type.
///
/// # Errors
/// The first misfit in the order of the document, as Go reports it.
pub fn check(node: Node<'_>, kind: &GoType) -> Result<(), TypeError> {
    check_with_keys(node, kind).map(|_| ())
}

/// As [`check`], and says whether every key is spelt as the type spells it. Go drops keys that it
/// does not know, and takes others whatever their case.
///
/// # Errors
/// As [`check`].
pub fn check_with_keys(node: Node<'_>, kind: &GoType) -> Result<bool, TypeError> {
    let mut context = Context { owner: None, path: Vec::new(), pointer: Vec::new(), keys_are_known: true };
    context.check(node, kind)?;
    Ok(context.keys_are_known)
}

struct Context<'n> {
    /// The innermost struct.
    owner: Option<&'static GoStruct>,
    /// The fields that lead here.
    path: Vec<&'static str>,
    pointer: Vec<Step<'n>>,
    keys_are_known: bool,
}

enum Step<'n> {
    Key(&'n str),
    Index(usize),
}

impl<'n> Context<'n> {
    fn check(&mut self, node: Node<'n>, kind: &GoType) -> Result<(), TypeError> {
        // Null leaves every Go value as it is.
        if node.is_null() {
            return Ok(());
        }
        match (kind, node.kind()) {
            (GoType::Raw, _) | (GoType::String(_), Kind::String) | (GoType::Bool, Kind::Bool) => Ok(()),
            (GoType::Int32, Kind::Number) => {
                let number = node.as_f64().unwrap_or_default();
                if number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) {
                    return Ok(());
                }
                let mut text = String::from("number ");
                fbc_go::text::push_json_number(&mut text, number);
                Err(self.misfit(&text, kind))
            }
            (GoType::Bytes, Kind::String) => match base64::decode(node.as_str().unwrap_or_default()) {
                Ok(_) => Ok(()),
                Err(error) => Err(TypeError { message: error.to_string(), pointer: self.pointer() }),
            },
            (GoType::Bytes, Kind::Array) => self.check_items(node, |context, item| {
                let number = item.as_f64().unwrap_or(-1.0);
                if item.is_null() || (number.fract() == 0.0 && (0.0..256.0).contains(&number)) {
                    return Ok(());
                }
                let found = if item.kind() == Kind::Number {
                    let mut text = String::from("number ");
                    fbc_go::text::push_json_number(&mut text, number);
                    text
                } else {
                    item.kind().go_name().to_owned()
                };
                Err(context.misfit(&found, &GoType::String("uint8")))
            }),
            (GoType::List(_, item), Kind::Array) => {
                self.check_items(node, |context, node| context.check(node, item))
            }
            (GoType::StringMap, Kind::Object) => {
                for (key, value) in node.members() {
                    self.pointer.push(Step::Key(key));
                    self.check(value, &STRING)?;
                    self.pointer.pop();
                }
                Ok(())
            }
            (GoType::Struct(of), Kind::Object) => self.check_members(node, of),
            (kind, found) => Err(self.misfit(found.go_name(), kind)),
        }
    }

    fn check_items(
        &mut self,
        node: Node<'n>,
        mut check: impl FnMut(&mut Self, Node<'n>) -> Result<(), TypeError>,
    ) -> Result<(), TypeError> {
        for (index, item) in node.items().enumerate() {
            self.pointer.push(Step::Index(index));
            check(self, item)?;
            self.pointer.pop();
        }
        Ok(())
    }

    fn check_members(&mut self, node: Node<'n>, of: &'static GoStruct) -> Result<(), TypeError> {
        let owner = self.owner.replace(of);
        for (key, value) in node.members() {
            let field = of.field(key);
            self.keys_are_known &= field.is_some_and(|field| field.name == key);
            if let Some(field) = field {
                self.path.push(field.name);
                self.pointer.push(Step::Key(key));
                self.check(value, &field.kind)?;
                self.pointer.pop();
                self.path.pop();
            }
        }
        self.owner = owner;
        Ok(())
    }

    fn misfit(&self, found: &str, kind: &GoType) -> TypeError {
        let target = match self.owner {
            Some(owner) if !self.path.is_empty() => {
                let name = owner.name.rsplit('.').next().unwrap_or(owner.name);
                format!("struct field {name}.{} of type {}", self.path.join("."), kind.name())
            }
            _ => format!("value of type {}", kind.name()),
        };
        TypeError {
            message: format!("json: cannot unmarshal {found} into Go {target}"),
            pointer: self.pointer(),
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.pointer {
            match step {
                Step::Key(key) => push_key(&mut pointer, key),
                Step::Index(index) => pointer.push_str(&format!("/{index}")),
            }
        }
        pointer
    }
}

/// Appends a key to a JSON pointer, escaped as RFC 6901 asks.
pub fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go_types::{BUNDLE, CHANNEL, PACKAGE};

    fn message(json: &str, of: &'static GoStruct) -> String {
        let (document, _) = fbc_yaml::json_reader::read_value(json.as_bytes(), 0).unwrap();
        match check(document.root(), &GoType::Struct(of)) {
            Ok(()) => "fits".to_owned(),
            Err(error) => format!("{} at {}", error.message, error.pointer),
        }
    }

    #[test]
    fn misfits_are_named_as_go_names_them() {
        for (json, of, expected) in [
            (r#"{"name":"x","icon":null,"other":3}"#, &PACKAGE, "fits"),
            (
                r#"{"description":3}"#,
                &PACKAGE,
                "json: cannot unmarshal number into Go struct field Package.description of type string at /description",
            ),
            (
                r#"{"Description":3}"#,
                &PACKAGE,
                "json: cannot unmarshal number into Go struct field Package.description of type string at /Description",
            ),
            (
                r#"{"icon":"x"}"#,
                &PACKAGE,
                "json: cannot unmarshal string into Go struct field Package.icon of type declcfg.Icon at /icon",
            ),
            (
                r#"{"icon":{"base64data":"*"}}"#,
                &PACKAGE,
                "illegal base64 data at input byte 0 at /icon/base64data",
            ),
            (
                r#"{"icon":{"base64data":[1,300]}}"#,
                &PACKAGE,
                "json: cannot unmarshal number 300 into Go struct field Icon.icon.base64data of type uint8 at /icon/base64data/1",
            ),
            (
                r#"{"entries":{}}"#,
                &CHANNEL,
                "json: cannot unmarshal object into Go struct field Channel.entries of type []declcfg.ChannelEntry at /entries",
            ),
            (
                r#"{"entries":[{"skips":"a"}]}"#,
                &CHANNEL,
                "json: cannot unmarshal string into Go struct field ChannelEntry.entries.skips of type []string at /entries/0/skips",
            ),
            (
                r#"{"properties":["a"]}"#,
                &BUNDLE,
                "json: cannot unmarshal string into Go struct field Bundle.properties of type property.Property at /properties/0",
            ),
            (
                r#"{"properties":[{"type":1}]}"#,
                &BUNDLE,
                "json: cannot unmarshal number into Go struct field Property.properties.type of type string at /properties/0/type",
            ),
            (
                r#"{"relatedImages":["a"]}"#,
                &BUNDLE,
                "json: cannot unmarshal string into Go struct field Bundle.relatedImages of type declcfg.RelatedImage at /relatedImages/0",
            ),
        ] {
            assert_eq!(message(json, of), expected, "{json}");
        }
    }

    #[test]
    fn fields_ignore_case_and_null() {
        let (document, _) = fbc_yaml::json_reader::read_value(
            r#"{"NAME":"a","Name":"b","SKIPS":["x"],"name":null}"#.as_bytes(),
            0,
        )
        .unwrap();
        assert_eq!(text(document.root(), "name"), "b");
        assert_eq!(texts(document.root(), "skips"), ["x"]);
        assert_eq!(text(document.root(), "image"), "");
        assert!(equal_fold("skips", "\u{17f}KIP\u{17f}"));
    }
}
