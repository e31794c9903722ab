//! A GraphQL document as it is written: operations and fragments, with the byte where each part begins.
//!
//! Source: the GraphQL specification of October 2021, section 2.

use std::collections::HashMap;

use super::types::TypeReference;

/// A document that holds operations and fragments, and no definitions of types.
#[derive(Debug, Default)]
pub(super) struct Document<'q> {
    pub(super) operations: Vec<Operation<'q>>,
    pub(super) fragments: Vec<Fragment<'q>>,
    /// The place of a fragment among the fragments, by its name; of several with one name, the last.
    pub(super) fragment_places: HashMap<&'q str, usize>,
}

impl<'q> Document<'q> {
    /// The fragment of a name.
    pub(super) fn fragment(&self, name: &str) -> Option<&Fragment<'q>> {
        self.fragments.get(*self.fragment_places.get(name)?)
    }
}

/// A name, and the byte where it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'q> {
    pub(super) text: &'q str,
    pub(super) at: usize,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationKind {
    Query,
    Mutation,
    Subscription,
}

#[derive(Debug)]
pub(super) struct Operation<'q> {
    pub(super) at: usize,
    pub(super) kind: OperationKind,
    pub(super) name: Option<Name<'q>>,
    pub(super) variables: Vec<VariableDefinition<'q>>,
    pub(super) directives: Vec<Directive<'q>>,
    pub(super) selections: SelectionSet<'q>,
}

#[derive(Debug)]
pub(super) struct Fragment<'q> {
    pub(super) at: usize,
    pub(super) name: Name<'q>,
    pub(super) condition: Name<'q>,
    pub(super) directives: Vec<Directive<'q>>,
    pub(super) selections: SelectionSet<'q>,
}

#[derive(Debug)]
pub(super) struct VariableDefinition<'q> {
    pub(super) at: usize,
    pub(super) name: Name<'q>,
    pub(super) of: TypeReference,
    /// Where the name of the type begins, inside of lists.
    pub(super) type_at: usize,
    pub(super) default: Option<Value<'q>>,
    pub(super) directives: Vec<Directive<'q>>,
}

#[derive(Debug, Default)]
pub(super) struct SelectionSet<'q> {
    pub(super) at: usize,
    pub(super) items: Vec<Selection<'q>>,
}

#[derive(Debug)]
pub(super) enum Selection<'q> {
    Field(Field<'q>),
    Spread(Spread<'q>),
    Inline(InlineFragment<'q>),
}

#[derive(Debug)]
pub(super) struct Field<'q> {
    pub(super) at: usize,
    pub(super) alias: Option<Name<'q>>,
    pub(super) name: Name<'q>,
    pub(super) arguments: Vec<Argument<'q>>,
    pub(super) directives: Vec<Directive<'q>>,
    pub(super) selections: Option<SelectionSet<'q>>,
}

impl<'q> Field<'q> {
    /// The name of the field in the answer.
    pub(super) fn key(&self) -> &'q str {
        self.alias.unwrap_or(self.name).text
    }
}

#[derive(Debug)]
pub(super) struct Spread<'q> {
    pub(super) at: usize,
    pub(super) name: Name<'q>,
    pub(super) directives: Vec<Directive<'q>>,
}

#[derive(Debug)]
pub(super) struct InlineFragment<'q> {
    pub(super) at: usize,
    pub(super) condition: Option<Name<'q>>,
    pub(super) directives: Vec<Directive<'q>>,
    pub(super) selections: SelectionSet<'q>,
}

#[derive(Debug)]
pub(super) struct Directive<'q> {
    pub(super) at: usize,
    pub(super) name: Name<'q>,
    pub(super) arguments: Vec<Argument<'q>>,
}

#[derive(Debug)]
pub(super) struct Argument<'q> {
    pub(super) name: Name<'q>,
    pub(super) value: Value<'q>,
}

/// A value, and the byte where it begins.
#[derive(Debug)]
pub(super) struct Value<'q> {
    pub(super) at: usize,
    pub(super) literal: Literal<'q>,
}

/// Numbers are as they are written.
#[derive(Debug, PartialEq)]
pub(super) enum Literal<'q> {
    Variable(&'q str),
    Null,
    Int(&'q str),
    Float(&'q str),
    String(String),
    Boolean(bool),
    Enum(&'q str),
    List(Vec<Value<'q>>),
    Object(Vec<(Name<'q>, Value<'q>)>),
}

impl PartialEq for Name<'_> {
    /// Where a name is does not count.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl PartialEq for Value<'_> {
    /// Where a value is does not count.
    fn eq(&self, other: &Self) -> bool {
        self.literal == other.literal
    }
}

impl std::fmt::Display for Value<'_> {
    /// Writes the value as graphql-go prints it. Nesting is bounded by the parser.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.literal {
            Literal::Variable(name) => write!(formatter, "${name}"),
            Literal::Null => formatter.write_str("null"),
            Literal::Int(text) | Literal::Float(text) | Literal::Enum(text) => formatter.write_str(text),
            Literal::String(text) => formatter.write_str(&fbc_go::text::quote(text)),
            Literal::Boolean(value) => write!(formatter, "{value}"),
            Literal::List(items) => {
                formatter.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{item}")?;
                }
                formatter.write_str("]")
            }
            Literal::Object(members) => {
                formatter.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{}: {value}", name.text)?;
                }
                formatter.write_str("}")
            }
        }
    }
}
