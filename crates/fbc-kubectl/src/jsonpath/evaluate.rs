//! Walking a value along the steps of a path.

use std::cmp::Ordering;

use fbc_go::allowance::{Allowance, Exceeded};
use serde_json::Value;

use super::{JsonPathError, Operand, Operator, Part, Step};

/// Adds the values of one path to the output.
type Write<'f> = &'f dyn Fn(&mut String, &[&Value]) -> Result<(), Exceeded>;

/// A walk over a value. Every value that it comes by is a step.
#[derive(Clone, Copy)]
pub(super) struct Walk<'v, 'a> {
    /// The whole input.
    pub(super) root: &'v Value,
    pub(super) allowance: &'a Allowance,
}

impl<'v> Walk<'v, '_> {
    /// Renders parts: `current` is the element of the innermost range.
    pub(super) fn render(
        self,
        out: &mut String,
        parts: &'v [Part],
        current: &'v Value,
        write: Write<'_>,
    ) -> Result<(), JsonPathError> {
        for part in parts {
            match part {
                Part::Text(text) => self.allowance.push(out, text)?,
                Part::Path(path) => write(out, &self.steps(path, current)?)?,
                Part::Range(path, body) => {
                    for element in self.steps(path, current)? {
                        self.render(out, body, element, write)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The values at the end of a path.
    pub(super) fn steps(self, path: &'v [Step], current: &'v Value) -> Result<Vec<&'v Value>, JsonPathError> {
        let mut values = vec![current];
        for step in path {
            self.allowance.steps(1 + values.len())?;
            values = match step {
                Step::Root => vec![self.root],
                Step::Current => vec![current],
                Step::Literal(literal) => vec![literal],
                Step::Field(name) => values.iter().filter_map(|value| value.get(name)).collect(),
                Step::Wildcard => {
                    let mut found = Vec::new();
                    for value in values {
                        self.allowance.steps(number_of_children(value))?;
                        found.extend(children(value));
                    }
                    found
                }
                Step::Recursive => {
                    let mut found = Vec::new();
                    for value in values {
                        self.descend(value, &mut found)?;
                    }
                    found
                }
                Step::Slice { start, end, step } => {
                    let mut found = Vec::new();
                    for value in values {
                        let items = slice(value, *start, *end, *step)?;
                        self.allowance.steps(items.len())?;
                        found.extend(items);
                    }
                    found
                }
                Step::Union(paths) => {
                    let mut found = Vec::new();
                    for path in paths {
                        for value in &values {
                            found.extend(self.steps(path, value)?);
                        }
                    }
                    found
                }
                Step::Filter { left, operator, right } => {
                    let mut found = Vec::new();
                    for element in values.iter().flat_map(|value| children(value)) {
                        if self.matches(element, left, *operator, right.as_ref())? {
                            found.push(element);
                        }
                    }
                    found
                }
            };
        }
        Ok(values)
    }

    fn descend(self, value: &'v Value, found: &mut Vec<&'v Value>) -> Result<(), Exceeded> {
        self.allowance.steps(1)?;
        if value.is_object() || value.is_array() {
            found.push(value);
            children(value).try_for_each(|child| self.descend(child, found))?;
        }
        Ok(())
    }

    fn matches(
        self,
        element: &'v Value,
        left: &'v Operand,
        operator: Operator,
        right: Option<&'v Operand>,
    ) -> Result<bool, JsonPathError> {
        self.allowance.steps(1)?;
        let left = self.operand(element, left)?;
        if operator == Operator::Exists {
            return Ok(!left.is_empty());
        }
        let Some(right) = right else { return Ok(false) };
        let right = self.operand(element, right)?;
        let (Some(left), Some(right)) = (left.first(), right.first()) else { return Ok(false) };
        let order = compare(left, right);
        Ok(match operator {
            Operator::Exists => true,
            Operator::Equal => left == right || order == Some(Ordering::Equal),
            Operator::NotEqual => left != right && order != Some(Ordering::Equal),
            Operator::Less => order == Some(Ordering::Less),
            Operator::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        })
    }

    fn operand(self, element: &'v Value, operand: &'v Operand) -> Result<Vec<&'v Value>, JsonPathError> {
        match operand {
            Operand::Path(path) => self.steps(path, element),
            Operand::Literal(literal) => Ok(vec![literal]),
        }
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn number_of_children(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// Elements of a list; both ends must lie within it, unless nothing is asked for.
fn slice(
    value: &Value,
    start: Option<i64>,
    end: Option<i64>,
    step: Option<i64>,
) -> Result<Vec<&Value>, JsonPathError> {
    let items = match value {
        Value::Array(items) => items,
        Value::Null => return Ok(Vec::new()),
        _ => return Err(JsonPathError("the value is not array or slice".to_owned())),
    };
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let from_end = |index: i64| if index < 0 { index + length } else { index };
    let first = from_end(start.unwrap_or(0));
    // One element alone is written as the range up to the next index, which for the last one is 0.
    let last = match (start, end) {
        (Some(-1), Some(0)) => length,
        (_, end) => from_end(end.unwrap_or(length)),
    };
    if first == last {
        return Ok(Vec::new());
    }
    for (index, outside) in
        [(first, first >= length || first < 0), (last.saturating_sub(1), last > length || last < 0)]
    {
        if outside {
            return Err(JsonPathError(format!("array index out of bounds: index {index}, length {length}")));
        }
    }
    if first > last {
        return Err(JsonPathError(format!("starting index {first} is greater than ending index {last}")));
    }
    let step = usize::try_from(step.unwrap_or(1)).unwrap_or(1).max(1);
    let index = |index: i64| usize::try_from(index).unwrap_or_default();
    Ok(items.get(index(first)..index(last)).unwrap_or_default().iter().step_by(step).collect())
}

/// Numbers by value, texts by bytes; other pairs have no order.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => (left == right).then_some(Ordering::Equal),
        _ => None,
    }
}
