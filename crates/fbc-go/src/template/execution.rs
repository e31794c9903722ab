//! Fills a template in.
//!
//! Source of the behaviour: `golang/go:src/text/template/exec.go`.

use std::sync::Arc;

use crate::allowance::{Allowance, Exceeded};
use crate::text::quote;

use super::call::Parameter;
use super::functions::Functions;
use super::parser::Templates;
use super::tree::{Branch, Command, Node, NumberValue, Operand, OperandKind, Pipe, shown_template};
use super::value::{INTERFACE, Value};
use super::{ExecutionError, Template};

/// Deeper calls of templates are refused: fewer than Go allows itself, whose stack grows.
const MAX_CALLS: usize = 100;
/// The number that Go names in its error.
const MAX_CALLS_OF_GO: usize = 100_000;

/// Showing this many bytes of a template takes as long as a step.
const SHOWN_BYTES: usize = 64;
/// What is printed of what is not there.
pub(super) const NO_VALUE: &[u8] = b"<no value>";

/// Fills a template in.
pub(super) fn execute(
    template: &Template,
    data: &Value,
    allowance: &Allowance,
) -> Result<Vec<u8>, ExecutionError> {
    let name = template.name.as_str();
    let mut state = State {
        templates: &template.templates,
        functions: template.functions,
        allowance,
        file: name,
        template: name,
        text: &template.text,
        out: Vec::new(),
        variables: vec![("$".to_owned(), data.clone())],
        place: (0, String::new()),
        calls: 0,
    };
    let Some(nodes) = template.templates.get(name) else {
        let message = format!("template: {name}: {} is an incomplete or empty template", quote(name));
        return Err(ExecutionError { output: Vec::new(), message });
    };
    match state.list(nodes, data) {
        Err(Stop::Error(message)) => Err(ExecutionError { output: state.out, message }),
        Ok(()) | Err(Stop::Break | Stop::Continue) => Ok(state.out),
    }
}

/// What ends the walk over a list early.
pub(super) enum Stop {
    Break,
    Continue,
    Error(String),
}

pub(super) struct State<'t> {
    templates: &'t Templates,
    pub(super) functions: Functions,
    pub(super) allowance: &'t Allowance,
    /// The name that errors begin with.
    file: &'t str,
    /// The name of the template that is being filled in.
    template: &'t str,
    text: &'t str,
    out: Vec<u8>,
    variables: Vec<(String, Value)>,
    /// What is being worked on: where it stands, and how Go prints it.
    place: (usize, String),
    calls: usize,
}

pub(super) type Outcome<T> = Result<T, Stop>;

impl<'t> State<'t> {
    pub(super) fn error<T>(&self, message: impl AsRef<str>) -> Outcome<T> {
        let (place, shown) = &self.place;
        let before = self.text.get(..*place).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = before.rfind('\n').map_or(*place, |at| place - at - 1);
        Err(Stop::Error(format!(
            "template: {}:{line}:{column}: executing {} at <{shown}>: {}",
            self.file,
            quote(self.template),
            message.as_ref()
        )))
    }

    pub(super) fn at(&mut self, place: usize, shown: String) {
        // Whether that is too much shows at the next step.
        let _ = self.allowance.steps(shown.len() / SHOWN_BYTES);
        self.place = (place, shown);
    }

    fn list(&mut self, nodes: &'t [Node], dot: &Value) -> Outcome<()> {
        nodes.iter().try_for_each(|node| self.node(node, dot))
    }

    fn node(&mut self, node: &'t Node, dot: &Value) -> Outcome<()> {
        self.charge(self.allowance.steps(1))?;
        match node {
            Node::Text(text) => self.print(text.len(), || text.as_bytes().to_vec())?,
            Node::Action(pipe) => {
                let value = self.pipe(pipe, dot)?;
                if pipe.variables.is_empty() {
                    match &value {
                        Value::Nothing => self.print(NO_VALUE.len(), || NO_VALUE.to_vec())?,
                        value => self.print(value.extent().bytes, || value.plain())?,
                    }
                }
            }
            Node::If(branch) => self.branch(branch, dot, false)?,
            Node::With(branch) => self.branch(branch, dot, true)?,
            Node::Range(branch) => {
                let known = self.variables.len();
                let outcome = self.range(branch, dot);
                self.variables.truncate(known);
                match outcome {
                    Err(Stop::Break) => {}
                    outcome => outcome?,
                }
            }
            Node::Template { place, name, pipe } => self.call_template(*place, name, pipe.as_ref(), dot)?,
            Node::Break => return Err(Stop::Break),
            Node::Continue => return Err(Stop::Continue),
        }
        Ok(())
    }

    /// Ends what takes more than is allowed.
    pub(super) fn charge(&self, charged: Result<(), Exceeded>) -> Outcome<()> {
        charged.or_else(|exceeded| self.error(format!("{exceeded} (limit {})", exceeded.name())))
    }

    /// Prints a text of about that many bytes.
    fn print(&mut self, bytes: usize, text: impl FnOnce() -> Vec<u8>) -> Outcome<()> {
        self.charge(self.allowance.bytes(bytes))?;
        self.out.extend(text());
        Ok(())
    }

    fn branch(&mut self, branch: &'t Branch, dot: &Value, sets_dot: bool) -> Outcome<()> {
        let known = self.variables.len();
        let value = self.pipe(&branch.pipe, dot)?;
        let outcome = match (&branch.otherwise, value.is_true()) {
            (_, true) => self.list(&branch.list, if sets_dot { &value } else { dot }),
            (Some(otherwise), false) => self.list(otherwise, dot),
            (None, false) => Ok(()),
        };
        self.variables.truncate(known);
        outcome
    }

    fn range(&mut self, branch: &'t Branch, dot: &Value) -> Outcome<()> {
        let value = self.pipe(&branch.pipe, dot)?;
        let pipe = &branch.pipe;
        let count = match &value {
            Value::Int(number) => *number,
            Value::Byte(byte) => i64::from(*byte),
            Value::List(items) => items.len() as i64,
            Value::Map(members) => members.len() as i64,
            Value::Nothing => 0,
            other => {
                let shown = String::from_utf8_lossy(&other.plain()).into_owned();
                return self.error(format!("range can't iterate over {shown}"));
            }
        };
        if pipe.variables.len() > 1 && matches!(value, Value::Int(_) | Value::Byte(_)) {
            return self.error(format!("can't use {count} to iterate over more than one variable"));
        }
        let element = |value: &Value| Value::Element(Arc::new(value.clone()));
        let known = self.variables.len();
        let mut members = match &value {
            Value::Map(members) => Some(members.iter()),
            _ => None,
        };
        for number in 0..count {
            // Its number or name, and what it is.
            let (key, item) = match &value {
                Value::Byte(_) => (Value::Nothing, Value::Byte(number as u8)),
                Value::List(items) => match items.get(number as usize) {
                    Some(item) => (Value::Int(number), element(item)),
                    None => break,
                },
                Value::Map(_) => match members.as_mut().and_then(Iterator::next) {
                    Some((name, item)) => (Value::from(name.as_str()), element(item)),
                    None => break,
                },
                _ => (Value::Nothing, Value::Int(number)),
            };
            match pipe.variables.as_slice() {
                [] => {}
                [name] => self.loop_variable(pipe.assigns, name, 1, item.clone())?,
                [name, of_item, ..] => {
                    self.loop_variable(pipe.assigns, name, 2, key)?;
                    self.loop_variable(pipe.assigns, of_item, 1, item.clone())?;
                }
            }
            self.charge(self.allowance.steps(1))?;
            let outcome = self.list(&branch.list, &item);
            self.variables.truncate(known);
            match outcome {
                Ok(()) | Err(Stop::Continue) => {}
                outcome => return outcome,
            }
        }
        match &branch.otherwise {
            Some(otherwise) if count <= 0 => self.list(otherwise, dot),
            _ => Ok(()),
        }
    }

    /// Sets a variable of a loop: one that was there before, or the one so far from the end of those that there are.
    fn loop_variable(&mut self, assigns: bool, name: &str, from_end: usize, value: Value) -> Outcome<()> {
        if assigns {
            return self.assign(name, value);
        }
        let at = self.variables.len().checked_sub(from_end);
        if let Some(variable) = at.and_then(|at| self.variables.get_mut(at)) {
            variable.1 = value;
        }
        Ok(())
    }

    fn call_template(
        &mut self,
        place: usize,
        name: &'t str,
        pipe: Option<&'t Pipe>,
        dot: &Value,
    ) -> Outcome<()> {
        self.at(place, shown_template(name, pipe));
        let Some(nodes) = self.templates.get(name) else {
            return self.error(format!("template {} not defined", quote(name)));
        };
        if self.calls == MAX_CALLS {
            return self.error(format!("exceeded maximum template depth ({MAX_CALLS_OF_GO})"));
        }
        let dot = match pipe {
            Some(pipe) => self.pipe(pipe, dot)?,
            None => Value::Nothing,
        };
        let variables = std::mem::replace(&mut self.variables, vec![("$".to_owned(), dot.clone())]);
        let template = std::mem::replace(&mut self.template, name);
        self.calls += 1;
        let outcome = self.list(nodes, &dot);
        self.calls -= 1;
        self.template = template;
        self.variables = variables;
        outcome
    }

    fn assign(&mut self, name: &str, value: Value) -> Outcome<()> {
        match self.variables.iter_mut().rev().find(|(known, _)| known == name) {
            Some(variable) => {
                variable.1 = value;
                Ok(())
            }
            None => self.error(format!("undefined variable: {name}")),
        }
    }

    pub(super) fn pipe(&mut self, pipe: &Pipe, dot: &Value) -> Outcome<Value> {
        self.at(pipe.place, pipe.shown());
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(command, dot, value)?.dug());
        }
        let value = value.unwrap_or(Value::Nothing);
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(name, value.clone())?;
            } else {
                self.variables.push((name.clone(), value.clone()));
            }
        }
        Ok(value)
    }

    /// The value of a command; `last` is that of the command before, the last argument of this one.
    fn command(&mut self, command: &Command, dot: &Value, last: Option<Value>) -> Outcome<Value> {
        let Some((first, arguments)) = command.operands.split_first() else { return Ok(Value::Nothing) };
        self.charge(self.allowance.steps(1))?;
        match &first.kind {
            OperandKind::Function(name) => {
                self.at(first.place, name.clone());
                let call = (command.place, command.shown());
                return self.call(name, call, arguments, last, dot);
            }
            OperandKind::Pipe(pipe) => {
                self.no_arguments(first, arguments, last.is_some())?;
                return self.pipe(pipe, dot);
            }
            OperandKind::Field(names) => {
                self.at(first.place, first.shown());
                return self.fields(dot.clone(), names, !arguments.is_empty() || last.is_some());
            }
            OperandKind::Chain(of, names) => {
                self.at(first.place, first.shown());
                if of.kind == OperandKind::Nil {
                    return self.error(format!("indirection through explicit nil in {}", first.shown()));
                }
                let value = self.argument(of, dot, Parameter::Any)?;
                return self.fields(value, names, !arguments.is_empty() || last.is_some());
            }
            OperandKind::Variable(names) => {
                self.at(first.place, first.shown());
                let value = self.variable(names)?;
                let fields = names.get(1..).unwrap_or_default();
                if fields.is_empty() {
                    self.no_arguments(first, arguments, last.is_some())?;
                    return Ok(value);
                }
                return self.fields(value, fields, !arguments.is_empty() || last.is_some());
            }
            _ => {}
        }
        self.at(first.place, first.shown());
        self.no_arguments(first, arguments, last.is_some())?;
        match &first.kind {
            OperandKind::Nil => self.error("nil is not a command"),
            _ => self.constant(first, dot),
        }
    }

    fn no_arguments(&self, first: &Operand, arguments: &[Operand], has_last: bool) -> Outcome<()> {
        if arguments.is_empty() && !has_last {
            return Ok(());
        }
        self.error(format!("can't give argument to non-function {}", first.shown()))
    }

    /// The value of what is not a variable, field or function.
    pub(super) fn constant(&mut self, operand: &Operand, dot: &Value) -> Outcome<Value> {
        match &operand.kind {
            OperandKind::Bool(value) => Ok(Value::Bool(*value)),
            OperandKind::Dot => Ok(dot.clone()),
            OperandKind::Text { text, .. } => Ok(Value::Text(text.clone())),
            OperandKind::Number(number) => match number.value {
                NumberValue::Int(value) => Ok(Value::Int(value)),
                NumberValue::Float(value) => Ok(Value::Float(value)),
                NumberValue::Uint => self.error(format!("{} overflows int", number.text)),
            },
            _ => Ok(Value::Nothing),
        }
    }

    pub(super) fn variable(&self, names: &[String]) -> Outcome<Value> {
        let name = names.first().map(String::as_str).unwrap_or_default();
        match self.variables.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => Ok(value.clone()),
            None => self.error(format!("undefined variable: {name}")),
        }
    }

    pub(super) fn fields(&self, value: Value, names: &[String], has_arguments: bool) -> Outcome<Value> {
        let (mut value, mut is_element) = match value {
            Value::Element(value) => (Arc::unwrap_or_clone(value), true),
            value => (value, false),
        };
        for (index, name) in names.iter().enumerate() {
            let has_arguments = has_arguments && index + 1 == names.len();
            let type_name = if is_element { INTERFACE } else { value.type_name() };
            let member = match &value {
                Value::Nothing => continue,
                Value::Null => {
                    return self.error(format!("nil pointer evaluating {INTERFACE}.{name}"));
                }
                Value::Struct(of) => {
                    is_element = false;
                    of.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value)
                }
                Value::Map(_) if has_arguments => {
                    return self.error(format!("{name} is not a method but has arguments"));
                }
                Value::Map(members) => {
                    is_element = true;
                    Some(members.get(name).unwrap_or(&Value::Nothing))
                }
                _ => None,
            };
            let Some(member) = member else {
                return self.error(format!("can't evaluate field {name} in type {type_name}"));
            };
            if has_arguments {
                return self.error(format!("{name} has arguments but cannot be invoked as function"));
            }
            value = member.clone();
        }
        Ok(if is_element && value != Value::Nothing { Value::Element(Arc::new(value)) } else { value })
    }
}
