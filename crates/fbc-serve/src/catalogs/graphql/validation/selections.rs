//! Fields, fragments and directives where they are written.

use std::collections::HashMap;

use super::super::document::{
    Argument, Directive, Field, InlineFragment, Literal, Name, OperationKind, Selection, SelectionSet,
    Spread, Value,
};
use super::super::input;
use super::super::types::{ArgumentDefinition, Type, TypeReference};
use super::suggestions::did_you_mean;
use super::{AllUses, Uses, Validator, VariableUse};

impl<'e> Validator<'e> {
    /// Checks all operations and fragments, each by itself.
    pub(super) fn selections(&mut self) -> AllUses<'e> {
        let document = self.document;
        let mut all = AllUses::default();
        let mut names: HashMap<&str, usize> = HashMap::new();
        for operation in &document.operations {
            let mut uses = Uses::default();
            if operation.name.is_none() && document.operations.len() > 1 {
                self.error("This anonymous operation must be the only defined operation.", &[operation.at]);
            }
            let (name, at) = operation.name.map_or(("", operation.at), |name| (name.text, name.at));
            if let Some(other) = names.insert(name, at) {
                self.error(format!("There can only be one operation named \"{name}\"."), &[other, at]);
            }
            let (parent, location) = match operation.kind {
                OperationKind::Query => (self.schema.query(), "QUERY"),
                OperationKind::Mutation => (None, "MUTATION"),
                OperationKind::Subscription => (None, "SUBSCRIPTION"),
            };
            self.variable_definitions(operation, &mut uses);
            self.directives(&operation.directives, location, &mut uses);
            self.selection_set(&operation.selections, parent, &mut uses);
            all.operations.push(uses);
        }
        let mut names: HashMap<&str, usize> = HashMap::new();
        for fragment in &document.fragments {
            let mut uses = Uses::default();
            let (name, condition) = (fragment.name, fragment.condition);
            let of = self.schema.types.get(condition.text);
            if of.is_some_and(|of| !of.is_object()) {
                let message = format!(
                    "Fragment \"{}\" cannot condition on non composite type \"{}\".",
                    name.text, condition.text
                );
                self.error(message, &[condition.at]);
            }
            if let Some(other) = names.insert(name.text, name.at) {
                let message = format!("There can only be one fragment named \"{}\".", name.text);
                self.error(message, &[other, name.at]);
            }
            self.type_name(condition);
            self.directives(&fragment.directives, "FRAGMENT_DEFINITION", &mut uses);
            self.selection_set(&fragment.selections, of.filter(|of| of.is_object()), &mut uses);
            all.fragments.push(uses);
        }
        all
    }

    /// Refuses a type that the schema does not have.
    pub(super) fn type_name(&mut self, name: Name<'_>) {
        let types = &self.schema.types;
        if !types.contains_key(name.text) && !self.is_full() {
            let meant = did_you_mean(name.text, types.keys().map(String::as_str));
            self.error(format!("Unknown type \"{}\".{meant}", name.text), &[name.at]);
        }
    }

    /// Checks a set on an object of a type; nothing is known of its fields if that is not known.
    fn selection_set(&mut self, set: &'e SelectionSet<'e>, parent: Option<&'e Type>, uses: &mut Uses<'e>) {
        for selection in &set.items {
            match selection {
                Selection::Field(field) => self.field(field, parent, uses),
                Selection::Inline(fragment) => self.inline_fragment(fragment, parent, uses),
                Selection::Spread(spread) => self.spread(spread, parent, uses),
            }
        }
    }

    fn field(&mut self, field: &'e Field<'e>, parent: Option<&'e Type>, uses: &mut Uses<'e>) {
        let (schema, name) = (self.schema, field.name.text);
        let definition = parent.and_then(|parent| schema.field(parent, name));
        if let (Some(parent), None) = (parent, definition)
            && !self.is_full()
        {
            let meant = did_you_mean(name, parent.field_names());
            self.error(
                format!("Cannot query field \"{name}\" on type \"{}\".{meant}", parent.name),
                &[field.at],
            );
        }
        let inner = definition.and_then(|definition| schema.types.get(definition.of.name()));
        if let (Some(definition), Some(inner)) = (definition, inner) {
            let of = &definition.of;
            match &field.selections {
                Some(set) if !inner.is_object() => {
                    self.error(
                        format!("Field \"{name}\" of type \"{of}\" must not have a sub selection."),
                        &[set.at],
                    );
                }
                None if inner.is_object() => {
                    self.error(
                        format!("Field \"{name}\" of type \"{of}\" must have a sub selection."),
                        &[field.at],
                    );
                }
                _ => {}
            }
        }
        let known = definition.map(|definition| definition.arguments.as_slice());
        let of = || format!("field \"{name}\" of type \"{}\"", parent.map_or("", |parent| &parent.name));
        self.arguments(&field.arguments, known, of, uses);
        self.directives(&field.directives, "FIELD", uses);
        if let Some(set) = &field.selections {
            self.selection_set(set, inner.filter(|inner| inner.is_object()), uses);
        }
        self.required(&field.arguments, known, &format!("Field \"{name}\""), field.at);
    }

    fn inline_fragment(
        &mut self,
        fragment: &'e InlineFragment<'e>,
        parent: Option<&'e Type>,
        uses: &mut Uses<'e>,
    ) {
        let mut of = parent;
        if let Some(condition) = fragment.condition {
            of = self.schema.types.get(condition.text);
            if of.is_some_and(|of| !of.is_object()) {
                let message =
                    format!("Fragment cannot condition on non composite type \"{}\".", condition.text);
                self.error(message, &[condition.at]);
            }
            if let (Some(of), Some(parent)) = (of, parent)
                && of.name != parent.name
            {
                let message = format!(
                    "Fragment cannot be spread here as objects of type \"{}\" can never be of type \"{}\".",
                    parent.name, of.name
                );
                self.error(message, &[fragment.at]);
            }
            self.type_name(condition);
        }
        self.directives(&fragment.directives, "INLINE_FRAGMENT", uses);
        self.selection_set(&fragment.selections, of.filter(|of| of.is_object()), uses);
    }

    fn spread(&mut self, spread: &'e Spread<'e>, parent: Option<&'e Type>, uses: &mut Uses<'e>) {
        let name = spread.name;
        uses.spreads.push((name, spread.at));
        match self.document.fragment(name.text) {
            None => self.error(format!("Unknown fragment \"{}\".", name.text), &[name.at]),
            Some(fragment) => {
                let of = self.schema.types.get(fragment.condition.text);
                if let (Some(of), Some(parent)) = (of, parent)
                    && of.name != parent.name
                {
                    let message = format!(
                        "Fragment \"{}\" cannot be spread here as objects of type \"{}\" can never be of type \"{}\".",
                        name.text, parent.name, of.name
                    );
                    self.error(message, &[spread.at]);
                }
            }
        }
        self.directives(&spread.directives, "FRAGMENT_SPREAD", uses);
    }

    pub(super) fn directives(
        &mut self,
        directives: &'e [Directive<'e>],
        location: &str,
        uses: &mut Uses<'e>,
    ) {
        let schema = self.schema;
        for directive in directives {
            let name = directive.name.text;
            let definition = schema.directives.iter().find(|definition| definition.name == name);
            match definition {
                None => self.error(format!("Unknown directive \"{name}\"."), &[directive.at]),
                Some(definition) if !definition.locations.contains(&location) => {
                    let message = format!("Directive \"{name}\" may not be used on {location}.");
                    self.error(message, &[directive.at]);
                }
                Some(_) => {}
            }
            let known = definition.map(|definition| definition.arguments.as_slice());
            self.required(&directive.arguments, known, &format!("Directive \"@{name}\""), directive.at);
            self.arguments(&directive.arguments, known, || format!("directive \"@{name}\""), uses);
        }
    }

    /// Refuses that an argument is missing that must be there.
    fn required(
        &mut self,
        given: &[Argument<'_>],
        known: Option<&[ArgumentDefinition]>,
        of: &str,
        at: usize,
    ) {
        let required = known.unwrap_or_default().iter().filter(|definition| {
            let is_required = matches!(definition.of, TypeReference::NonNull(_));
            is_required && !given.iter().any(|given| given.name.text == definition.name)
        });
        for ArgumentDefinition { name, of: kind, .. } in required {
            self.error(
                format!("{of} argument \"{name}\" of type \"{kind}\" is required but not provided."),
                &[at],
            );
        }
    }

    fn arguments(
        &mut self,
        given: &'e [Argument<'e>],
        known: Option<&'e [ArgumentDefinition]>,
        of: impl Fn() -> String,
        uses: &mut Uses<'e>,
    ) {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for Argument { name, value } in given {
            let definition = known.and_then(|known| known.iter().find(|known| known.name == name.text));
            match (known, definition) {
                (_, Some(definition)) => {
                    let faults = input::faults(self.schema, &definition.of, value);
                    if !faults.is_empty() {
                        let faults = faults.join("\n");
                        let message =
                            format!("Argument \"{}\" has invalid value {value}.\n{faults}", name.text);
                        self.error(message, &[value.at]);
                    }
                }
                (Some(known), None) if !self.is_full() => {
                    let meant = did_you_mean(name.text, known.iter().map(|known| known.name));
                    self.error(format!("Unknown argument \"{}\" on {}.{meant}", name.text, of()), &[name.at]);
                }
                _ => {}
            }
            if let Some(other) = names.insert(name.text, name.at) {
                let message = format!("There can be only one argument named \"{}\".", name.text);
                self.error(message, &[other, name.at]);
            }
            self.value(value, definition.map(|definition| &definition.of), uses);
        }
    }

    /// Finds the variables in a value, and members of objects that are given twice.
    fn value(&mut self, value: &'e Value<'e>, of: Option<&'e TypeReference>, uses: &mut Uses<'e>) {
        match &value.literal {
            Literal::Variable(text) => {
                uses.variables.push(VariableUse { name: Name { text, at: value.at }, of });
            }
            Literal::List(items) => items.iter().for_each(|item| self.value(item, None, uses)),
            Literal::Object(members) => {
                let mut names: HashMap<&str, usize> = HashMap::new();
                for (name, value) in members {
                    if let Some(other) = names.insert(name.text, name.at) {
                        let message = format!("There can be only one input field named \"{}\".", name.text);
                        self.error(message, &[other, name.at]);
                    }
                    self.value(value, None, uses);
                }
            }
            _ => {}
        }
    }
}
