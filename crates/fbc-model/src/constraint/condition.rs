//! Expressions over the properties of a bundle, in the environment that OLM v0 gives them.

use std::rc::Rc;
use std::sync::Arc;

use fbc_cel::{Budget, CompileError, Dialect, Fault, Program, Scalar, Shape, Type, Val};
use serde_json::{Value, json};

/// The variable that expressions are about.
const PROPERTIES: &str = "properties";

/// An expression over the properties of a bundle, compiled.
#[derive(Clone, Debug)]
pub struct CelCondition {
    rule: Arc<str>,
    program: Arc<Program>,
}

impl CelCondition {
    /// Compiles an expression.
    ///
    /// # Errors
    /// Why it does not compile, or that its result is not a boolean.
    pub fn compile(rule: &str) -> Result<Self, CompileError> {
        let of_property = Type::Map(Rc::new(Type::Text), Rc::new(Type::Dyn));
        let properties = Type::List(Rc::new(of_property));
        let program = Program::compile_condition(rule, (PROPERTIES, &properties), Dialect::Constraints)?;
        Ok(Self { rule: rule.into(), program: Arc::new(program) })
    }

    /// The expression as it is written.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Whether it is true of a bundle with these properties, each with its type and value. OLM takes an expression that has no
    /// value for one that is false.
    ///
    /// # Errors
    /// Why it has no value.
    pub fn holds<'p>(&self, properties: impl IntoIterator<Item = (&'p str, Value)>) -> Result<bool, Fault> {
        let all: Value =
            properties.into_iter().map(|(kind, value)| json!({"type": kind, "value": value})).collect();
        let variables = [(PROPERTIES, Val::lift(&all, Some(&Decoded)))];
        match self.program.run_over(&variables, &mut Budget::of_request())? {
            Val::Bool(flag) => Ok(flag),
            _ => Err(Fault("the result is not a boolean".into())),
        }
    }
}

/// What Go decodes JSON into where it knows no type: all numbers are floats.
#[derive(Debug)]
struct Decoded;

impl Shape for Decoded {
    fn value_type(&self) -> Option<Type<'_>> {
        Some(Type::Dyn)
    }

    fn scalar(&self) -> Scalar {
        Scalar::Double
    }

    fn has_fields(&self) -> bool {
        false
    }

    fn field(&self, _: &str) -> Option<&dyn Shape> {
        None
    }

    fn map_value(&self) -> Option<&dyn Shape> {
        Some(self)
    }

    fn element(&self) -> Option<&dyn Shape> {
        Some(self)
    }

    fn list_keys(&self) -> Option<&[String]> {
        None
    }

    fn most_elements(&self) -> u64 {
        fbc_cel::LARGEST_REQUEST
    }
}
