//! Calls of functions: their arguments, and what Go says of wrong ones.
//!
//! Source of the behaviour: `golang/go:src/text/template/exec.go` (`evalCall`, `evalArg`).

use crate::text::quote;

use super::execution::{Outcome, State};
use super::functions::{Arity, CallError, Function};
use super::tree::{Operand, OperandKind};
use super::value::{INTERFACE, Value};

/// Going through this many bytes of a text takes as long as a step.
const STEP_BYTES: usize = 1024;

/// What a parameter of a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    Any,
    Text,
}

impl State<'_> {
    /// The value of an argument of a function.
    pub(super) fn argument(
        &mut self,
        operand: &Operand,
        dot: &Value,
        parameter: Parameter,
    ) -> Outcome<Value> {
        self.charge(self.allowance.steps(1))?;
        self.at(operand.place, operand.shown());
        let value = match &operand.kind {
            OperandKind::Nil if parameter == Parameter::Text => {
                return self.error("cannot assign nil to string");
            }
            OperandKind::Nil => return Ok(Value::Nothing),
            OperandKind::Dot => dot.clone().inner(),
            OperandKind::Field(names) => self.fields(dot.clone(), names, false)?,
            OperandKind::Variable(names) => {
                let value = self.variable(names)?;
                self.fields(value, names.get(1..).unwrap_or_default(), false)?
            }
            OperandKind::Pipe(pipe) => self.pipe(pipe, dot)?,
            OperandKind::Function(name) => self.call(name, (operand.place, name.clone()), &[], None, dot)?,
            OperandKind::Chain(of, names) => {
                if of.kind == OperandKind::Nil {
                    return self.error(format!("indirection through explicit nil in {}", operand.shown()));
                }
                let value = self.argument(of, dot, Parameter::Any)?;
                self.fields(value, names, false)?
            }
            OperandKind::Text { text, .. } => return Ok(Value::Text(text.clone())),
            _ if parameter == Parameter::Text => {
                return self.error(format!("expected string; found {}", operand.shown()));
            }
            _ => return self.constant(operand, dot),
        };
        self.fit(value.inner(), parameter)
    }

    /// Makes sure that a value is of the type that a parameter takes.
    fn fit(&self, value: Value, parameter: Parameter) -> Outcome<Value> {
        match (parameter, &value) {
            (Parameter::Any, _) | (Parameter::Text, Value::Text(_)) => Ok(value),
            (Parameter::Text, Value::Nothing) => self.error("invalid value; expected string"),
            (Parameter::Text, other) => {
                let found = if *other == Value::Null { INTERFACE } else { other.type_name() };
                self.error(format!("wrong type for value; expected string; got {found}"))
            }
        }
    }

    pub(super) fn call(
        &mut self,
        name: &str,
        call: (usize, String),
        arguments: &[Operand],
        last: Option<Value>,
        dot: &Value,
    ) -> Outcome<Value> {
        let Some(function) = self.functions.find(name) else {
            return self.error(format!("{} is not a defined function", quote(name)));
        };
        let given = arguments.len() + usize::from(last.is_some());
        match function.arity() {
            Arity::Exactly(count) if given != count => {
                return self.error(format!("wrong number of args for {name}: want {count} got {given}"));
            }
            Arity::AtLeast(count) if given < count => {
                let listed = arguments.len();
                return self
                    .error(format!("wrong number of args for {name}: want at least {count} got {listed}"));
            }
            _ => {}
        }
        if matches!(function, Function::And | Function::Or) {
            let mut value = Value::Nothing;
            for argument in arguments {
                value = self.argument(argument, dot, Parameter::Any)?;
                if value.is_true() == (function == Function::Or) {
                    return Ok(value);
                }
            }
            return Ok(last.unwrap_or(value));
        }
        let parameter = |index: usize| match (function, index) {
            (Function::Printf | Function::Base64Decode, 0) => Parameter::Text,
            _ => Parameter::Any,
        };
        let mut values = Vec::with_capacity(given);
        for (index, argument) in arguments.iter().enumerate() {
            values.push(self.argument(argument, dot, parameter(index))?);
        }
        if let Some(last) = last {
            values.push(self.fit(last, parameter(values.len()))?);
        }
        // Long texts are gone through.
        let texts = values.iter().map(|value| if let Value::Text(text) = value { text.len() } else { 0 });
        self.charge(self.allowance.steps(texts.sum::<usize>() / STEP_BYTES))?;
        function.call(&values, self.allowance).or_else(|error| {
            let callee = match (&error, arguments.first(), values.first()) {
                (CallError::NotAFunction(_), Some(callee), _) => format!("non-function {} ", callee.shown()),
                (CallError::NotAFunction(_), None, Some(Value::Text(text))) => {
                    format!("non-function {} ", String::from_utf8_lossy(text))
                }
                (CallError::NotAFunction(_), None, Some(other)) => {
                    format!("non-function <{} Value> ", other.type_name())
                }
                _ => String::new(),
            };
            self.at(call.0, call.1.clone());
            self.error(format!("error calling {name}: {callee}{error}"))
        })
    }
}
