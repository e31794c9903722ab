//! Answers a query that was validated: the values of its fields, written as JSON.
//!
//! Source: the GraphQL specification of October 2021, section 6. As in graphql-go, whose objects are maps, the fields of an answer are
//! sorted by name.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::collect;
use super::document::{Document, Field, Operation, SelectionSet};
use super::errors::{QueryError, Segment};
use super::input::{self, Arguments, Variables};
use super::introspection::{self, Part};
use super::limits::{MOST_NESTING, TooLarge};
use super::question::{Fault, Place, Question};
use super::schema::{self, SchemaCount};
use super::source::Source;
use super::types::{FieldDefinition, Resolver, Schema, Type};

/// What fields are asked of.
#[derive(Debug)]
pub(super) enum Object<'s> {
    /// The catalog.
    Query,
    /// How much of each schema there is.
    Counts(&'s [SchemaCount]),
    Count(&'s SchemaCount),
    /// An object in a blob.
    Place(Place),
    /// A part of the schema.
    Schema(Part<'s>),
}

/// The value of a field.
#[derive(Debug)]
pub(super) enum Found<'s> {
    Null,
    Leaf(Json),
    Object(Object<'s>),
    List(Vec<Self>),
}

/// A field whose value is wanted.
#[derive(Debug)]
pub(super) struct Call<'c, 's> {
    pub(super) schema: &'s Schema,
    pub(super) field: &'s FieldDefinition,
    pub(super) object: &'c Object<'s>,
    pub(super) arguments: &'c Arguments<'s>,
}

/// The fields of an object by their names in the answer.
type Fields<'e> = BTreeMap<&'e str, Vec<&'e Field<'e>>>;

/// A step from the answer to a value.
#[derive(Debug, Clone, Copy)]
enum Step<'e> {
    Key(&'e str),
    Index(usize),
}

/// What an operation is answered from.
#[derive(Clone, Copy)]
pub(super) struct Execution<'e> {
    pub(super) schema: &'e Schema,
    pub(super) document: &'e Document<'e>,
    pub(super) variables: &'e Variables<'e>,
    pub(super) question: &'e Question<'e>,
    pub(super) source: &'e Source<'e>,
}

/// The JSON of an answer's data, and what went wrong with some of its fields.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) data: Vec<u8>,
    pub(super) errors: Vec<QueryError>,
}

struct Writer<'e> {
    from: Execution<'e>,
    answer: Answer,
    path: Vec<Step<'e>>,
    nesting: usize,
}

impl<'e> Execution<'e> {
    /// Answers an operation that asks for something.
    ///
    /// # Errors
    /// It needs more than a query may; then there is no answer.
    pub(super) fn run(self, operation: &'e Operation<'e>) -> Result<Answer, QueryError> {
        let mut writer = Writer { from: self, answer: Answer::default(), path: Vec::new(), nesting: 0 };
        if let Some(query) = self.schema.query() {
            let fields = writer.collect(query, [&operation.selections], operation.at)?;
            writer.object(query, &fields, &Object::Query)?;
        }
        Ok(writer.answer)
    }
}

impl<'e> Writer<'e> {
    fn error(&self, message: impl Into<String>, at: usize) -> QueryError {
        let path = self.path.iter().map(|step| match step {
            Step::Key(key) => Segment::Key((*key).to_owned()),
            Step::Index(index) => Segment::Index(*index),
        });
        QueryError { path: path.collect(), ..QueryError::at(message, vec![self.from.source.location(at)]) }
    }

    fn spend(&self, bytes: usize, at: usize) -> Result<(), QueryError> {
        self.from.question.spend(bytes).map_err(|fault| self.error(fault.to_string(), at))
    }

    /// The fields that are selected, each with all its places.
    fn collect(
        &self,
        of: &Type,
        sets: impl IntoIterator<Item = &'e SelectionSet<'e>>,
        at: usize,
    ) -> Result<Fields<'e>, QueryError> {
        let Execution { document, variables, .. } = self.from;
        let admit = |directives| {
            self.spend(0, at)?;
            Ok(input::is_included(directives, variables))
        };
        let mut fields = Fields::new();
        for (_, field) in collect::fields(document, &of.name, sets, admit)? {
            fields.entry(field.key()).or_default().push(field);
        }
        Ok(fields)
    }

    fn object(&mut self, of: &'e Type, fields: &Fields<'e>, object: &Object<'e>) -> Result<(), QueryError> {
        self.answer.data.push(b'{');
        for (index, (key, places)) in fields.iter().enumerate() {
            let Some(place) = places.first() else { continue };
            let before = self.answer.data.len();
            if index > 0 {
                self.answer.data.push(b',');
            }
            self.json(&Json::from(*key));
            self.answer.data.push(b':');
            self.spend(self.answer.data.len() - before, place.at)?;
            self.path.push(Step::Key(key));
            self.field(of, places, place, object)?;
            self.path.pop();
        }
        self.answer.data.push(b'}');
        Ok(())
    }

    fn field(
        &mut self,
        of: &'e Type,
        places: &[&'e Field<'e>],
        place: &'e Field<'e>,
        object: &Object<'e>,
    ) -> Result<(), QueryError> {
        let schema = self.from.schema;
        // Validation refuses unknown fields.
        let Some(field) = schema.field(of, place.name.text) else {
            return self.complete(Found::Null, None, place);
        };
        if field.name == schema.type_name.name {
            return self.complete(Found::Leaf(of.name.as_str().into()), None, place);
        }
        let arguments = input::arguments(schema, &field.arguments, &place.arguments, self.from.variables);
        let call = Call { schema, field, object, arguments: &arguments };
        let found = match &field.resolver {
            Resolver::Catalog(of) => schema::resolve(of, &call, self.from.question),
            Resolver::Introspection => Ok(introspection::resolve(&call)),
        };
        let found = match found {
            Ok(found) => found,
            Err(fault @ Fault::TooLarge) => return Err(self.error(fault.to_string(), place.at)),
            Err(Fault::Failed(text)) => {
                self.answer.errors.push(self.error(text, place.at));
                Found::Null
            }
        };
        let inner = schema.types.get(field.of.name()).filter(|inner| inner.is_object());
        let inner = match inner.filter(|_| matches!(found, Found::Object(_) | Found::List(_))) {
            Some(inner) => {
                let sets = places.iter().filter_map(|place| place.selections.as_ref());
                Some((inner, self.collect(inner, sets, place.at)?))
            }
            None => None,
        };
        self.complete(found, inner.as_ref(), place)
    }

    fn complete(
        &mut self,
        found: Found<'e>,
        inner: Option<&(&'e Type, Fields<'e>)>,
        place: &'e Field<'e>,
    ) -> Result<(), QueryError> {
        match (found, inner) {
            (Found::Leaf(value), _) => {
                let before = self.answer.data.len();
                self.json(&value);
                self.spend(self.answer.data.len() - before, place.at)
            }
            (Found::Object(object), Some((of, fields))) => {
                if self.nesting == MOST_NESTING {
                    return Err(self.error(TooLarge::Nesting.to_string(), place.at));
                }
                self.nesting += 1;
                self.object(of, fields, &object)?;
                self.nesting -= 1;
                Ok(())
            }
            (Found::List(items), _) => {
                self.answer.data.push(b'[');
                for (index, item) in items.into_iter().enumerate() {
                    if index > 0 {
                        self.answer.data.push(b',');
                    }
                    self.spend(0, place.at)?;
                    self.path.push(Step::Index(index));
                    self.complete(item, inner, place)?;
                    self.path.pop();
                }
                self.answer.data.push(b']');
                Ok(())
            }
            (Found::Null | Found::Object(_), _) => {
                self.json(&Json::Null);
                Ok(())
            }
        }
    }

    fn json(&mut self, value: &Json) {
        // Writing into memory cannot fail, and all keys are texts.
        let _ = serde_json::to_writer(&mut self.answer.data, value);
    }
}
