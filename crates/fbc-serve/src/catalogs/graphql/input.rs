//! What a query is given: arguments, variables and conditions.
//!
//! Source: `graphql-go/graphql:values.go`, `scalars.go`, which turn one type into another where they can.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value as Json};

use super::discovery::Scalar;
use super::document::{Argument, Directive, Literal, Operation, Value, VariableDefinition};
use super::errors::QueryError;
use super::source::Source;
use super::types::{ArgumentDefinition, Schema, TypeReference};

/// The values of an operation's variables by name; null is no value.
pub(super) type Variables<'q> = HashMap<&'q str, Json>;

/// The arguments of a field that have values.
pub(super) type Arguments<'s> = BTreeMap<&'s str, Json>;

/// The variables of an operation, after what a client sends.
pub(super) fn variables<'q>(
    schema: &Schema,
    operation: &'q Operation<'q>,
    given: &Map<String, Json>,
    source: &Source<'_>,
) -> Result<Variables<'q>, QueryError> {
    let value = |definition: &'q VariableDefinition<'q>| {
        let name = definition.name.text;
        let value = variable(schema, definition, given.get(name).unwrap_or(&Json::Null), source)?;
        Ok((name, value))
    };
    operation.variables.iter().map(value).collect()
}

fn variable(
    schema: &Schema,
    definition: &VariableDefinition<'_>,
    given: &Json,
    source: &Source<'_>,
) -> Result<Json, QueryError> {
    let refuse = |message: String| QueryError::at(message, vec![source.location(definition.at)]);
    let VariableDefinition { name, of, default, .. } = definition;
    // Variables of other types have no place in a query that is valid.
    let scalar = schema.scalar(of);
    match (given, default, of) {
        (Json::Null, _, TypeReference::NonNull(_)) => {
            Err(refuse(format!("Variable \"${}\" of required type \"{of}\" was not provided.", name.text)))
        }
        (Json::Null, None, _) => Ok(Json::Null),
        (Json::Null, Some(default), _) => {
            Ok(scalar.and_then(|scalar| literal(scalar, &default.literal)).unwrap_or_default())
        }
        (given, _, _) => scalar.and_then(|scalar| coerced(scalar, given)).ok_or_else(|| {
            let found = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
            refuse(format!(
                "Variable \"${}\" got invalid value {given}.\nExpected type \"{}\", found \"{found}\".",
                name.text,
                of.name()
            ))
        }),
    }
}

/// The arguments of a field, with what stands for those that are not given.
pub(super) fn arguments<'s>(
    schema: &Schema,
    definitions: &'s [ArgumentDefinition],
    given: &[Argument<'_>],
    variables: &Variables<'_>,
) -> Arguments<'s> {
    let value = |definition: &'s ArgumentDefinition| {
        let given = given.iter().find(|given| given.name.text == definition.name);
        let value = given.and_then(|given| match &given.value.literal {
            Literal::Variable(name) => variables.get(name).filter(|value| !value.is_null()).cloned(),
            other => literal(schema.scalar(&definition.of)?, other),
        });
        Some((definition.name, value.or_else(|| definition.default.clone())?))
    };
    definitions.iter().filter_map(value).collect()
}

/// True unless `@skip` or `@include` leave a selection out.
pub(super) fn is_included(directives: &[Directive<'_>], variables: &Variables<'_>) -> bool {
    directives.iter().all(|directive| {
        let wanted = match directive.name.text {
            "skip" => false,
            "include" => true,
            _ => return true,
        };
        let condition = directive.arguments.iter().find(|argument| argument.name.text == "if");
        let value = condition.and_then(|argument| match argument.value.literal {
            Literal::Boolean(value) => Some(value),
            Literal::Variable(name) => variables.get(name)?.as_bool(),
            _ => None,
        });
        value.is_none_or(|value| value == wanted)
    })
}

/// A literal as a value of a scalar, if it is one.
pub(super) fn literal(scalar: Scalar, literal: &Literal<'_>) -> Option<Json> {
    match (scalar, literal) {
        (Scalar::Int, Literal::Int(text)) => text.parse::<i64>().ok().map(Json::from),
        (Scalar::Float, Literal::Int(text) | Literal::Float(text)) => {
            text.parse::<f64>().ok().and_then(float)
        }
        (Scalar::String, Literal::String(text)) => Some(text.as_str().into()),
        (Scalar::Boolean, Literal::Boolean(value)) => Some((*value).into()),
        _ => None,
    }
}

fn float(number: f64) -> Option<Json> {
    serde_json::Number::from_f64(number).map(Json::Number)
}

/// What a client sends as a value of a scalar, if it can become one.
fn coerced(scalar: Scalar, given: &Json) -> Option<Json> {
    let number = || match given {
        Json::Bool(value) => Some(f64::from(u8::from(*value))),
        Json::String(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
        other => other.as_f64(),
    };
    match scalar {
        Scalar::Int => number()
            .filter(|number| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(number))
            .map(|number| Json::from(number as i32)),
        Scalar::Float => number().and_then(float),
        Scalar::String => match given {
            Json::String(_) => Some(given.clone()),
            Json::Bool(value) => Some(value.to_string().into()),
            other => {
                let mut text = String::new();
                fbc_go::text::push_general_number(&mut text, other.as_f64()?);
                Some(text.into())
            }
        },
        Scalar::Boolean => Some(Json::Bool(match given {
            Json::Bool(value) => *value,
            Json::String(text) => !text.is_empty() && text != "false",
            other => other.as_f64().is_some_and(|number| number != 0.0),
        })),
    }
}

/// What is wrong with a value where a type is expected, in graphql-go's words. What variables hold is not looked at.
pub(super) fn faults(schema: &Schema, of: &TypeReference, value: &Value<'_>) -> Vec<String> {
    match (of, &value.literal) {
        (_, Literal::Variable(_)) => Vec::new(),
        (TypeReference::NonNull(of), Literal::Null) => match &**of {
            TypeReference::Named(name) => vec![format!("Expected \"{name}!\", found null.")],
            _ => vec!["Expected non-null value, found null.".to_owned()],
        },
        (_, Literal::Null) => Vec::new(),
        (TypeReference::List(of), Literal::List(items)) => {
            let faults = items.iter().flat_map(|item| faults(schema, of, item));
            faults.map(|fault| format!("In element #1: {fault}")).collect()
        }
        (TypeReference::List(of) | TypeReference::NonNull(of), _) => faults(schema, of, value),
        (TypeReference::Named(name), found) => match schema.scalar(of) {
            Some(scalar) if literal(scalar, found).is_none() => {
                vec![format!("Expected type \"{name}\", found {value}.")]
            }
            _ => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_others() {
        for (scalar, given, expected) in [
            (Scalar::Int, json!(3), Some(json!(3))),
            (Scalar::Int, json!(3.9), Some(json!(3))),
            (Scalar::Int, json!(true), Some(json!(1))),
            (Scalar::Int, json!("12"), Some(json!(12))),
            (Scalar::Int, json!("x"), None),
            (Scalar::Int, json!(3e9), None),
            (Scalar::Int, json!([1]), None),
            (Scalar::Float, json!("1.5"), Some(json!(1.5))),
            (Scalar::String, json!(true), Some(json!("true"))),
            (Scalar::String, json!({}), None),
            (Scalar::Boolean, json!("false"), Some(json!(false))),
            (Scalar::Boolean, json!(2), Some(json!(true))),
        ] {
            assert_eq!(coerced(scalar, &given), expected, "{given}");
        }
    }
}
