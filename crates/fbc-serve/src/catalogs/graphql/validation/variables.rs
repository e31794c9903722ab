//! Variables and their places.

use std::collections::{HashMap, HashSet};

use super::super::document::{Name, Operation, VariableDefinition};
use super::super::input;
use super::super::types::TypeReference;
use super::{AllUses, Uses, Validator, VariableUse};

impl<'e> Validator<'e> {
    /// Checks the variables that an operation defines.
    pub(super) fn variable_definitions(&mut self, operation: &'e Operation<'e>, uses: &mut Uses<'e>) {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for definition in &operation.variables {
            let VariableDefinition { name: Name { text: name, at }, of, default, .. } = definition;
            if let Some(default) = default {
                if let TypeReference::NonNull(inner) = of {
                    let message = format!(
                        "Variable \"${name}\" of type \"{of}\" is required and will not use the default value. Perhaps you \
                         meant to use type \"{inner}\"."
                    );
                    self.error(message, &[default.at]);
                }
                let faults = input::faults(self.schema, of, default);
                if !faults.is_empty() {
                    let faults = faults.join("\n");
                    let message =
                        format!("Variable \"${name}\" has invalid default value: {default}.\n{faults}");
                    self.error(message, &[default.at]);
                }
            }
            if let Some(other) = names.insert(name, *at) {
                self.error(format!("There can only be one variable named \"{name}\"."), &[other, *at]);
            }
            if self.schema.types.get(of.name()).is_some_and(|of| of.is_object()) {
                let message = format!("Variable \"${name}\" cannot be non-input type \"{of}\".");
                self.error(message, &[definition.type_at]);
            }
            self.type_name(Name { text: of.name(), at: definition.type_at });
            self.directives(&definition.directives, "VARIABLE_DEFINITION", uses);
        }
    }

    /// Checks the places that variables fill, in operations and in the fragments that these use.
    pub(super) fn variables(&mut self, uses: &AllUses<'e>) {
        let document = self.document;
        for (operation, used) in document.operations.iter().zip(&uses.operations) {
            if self.is_full() {
                return;
            }
            let of = operation.name.map(|name| name.text).filter(|name| !name.is_empty());
            let mut is_used = vec![false; uses.fragments.len()];
            self.follow(used, &uses.fragments, &mut is_used);
            let fragments = uses.fragments.iter().zip(is_used).filter(|(_, is_used)| *is_used);
            let places: Vec<VariableUse<'_>> = std::iter::once(used)
                .chain(fragments.map(|(uses, _)| uses))
                .flat_map(|uses| uses.variables.iter().copied())
                .collect();
            let defined: HashMap<&str, &VariableDefinition<'_>> =
                operation.variables.iter().map(|definition| (definition.name.text, definition)).collect();
            for place in &places {
                let name = place.name.text;
                let by = of.map_or(String::new(), |of| format!(" by operation \"{of}\""));
                match defined.get(name) {
                    None => {
                        let message = format!("Variable \"${name}\" is not defined{by}.");
                        self.error(message, &[place.name.at, operation.at]);
                    }
                    Some(definition) => self.place(definition, *place),
                }
            }
            let filled: HashSet<&str> = places.iter().map(|place| place.name.text).collect();
            let unused =
                operation.variables.iter().filter(|definition| !filled.contains(definition.name.text));
            for definition in unused {
                let name = definition.name.text;
                let of = of.map_or(String::new(), |of| format!(" in operation \"{of}\""));
                self.error(format!("Variable \"${name}\" is never used{of}."), &[definition.at]);
            }
        }
    }

    /// Refuses a variable where another type is expected; one with a default is never null.
    fn place(&mut self, definition: &VariableDefinition<'_>, place: VariableUse<'_>) {
        let (of, Some(expected)) = (&definition.of, place.of) else { return };
        let fits = match (expected, &definition.default) {
            (TypeReference::NonNull(expected), Some(_)) => of.is_part_of(expected),
            _ => of.is_part_of(expected),
        };
        if !fits && self.schema.types.contains_key(of.name()) {
            let message = format!(
                "Variable \"${}\" of type \"{of}\" used in position expecting type \"{expected}\".",
                definition.name.text
            );
            self.error(message, &[definition.at, place.name.at]);
        }
    }
}
