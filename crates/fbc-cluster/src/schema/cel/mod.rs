//! The Common Expression Language as the API server's validation rules use it: parsed and checked once, then
//! evaluated over objects without copying them.
//!
//! Crates for the language convert a whole object before each evaluation, compile regular expressions on each call and
//! do not know schemas; rules run on every write, so that this is an evaluator of its own.

mod checker;
mod evaluate;
mod functions;
mod lexer;
mod libraries;
mod macros;
pub(crate) mod named_format;
mod parser;
mod signatures;
mod syntax;
mod texts;
mod times;
pub(crate) mod types;
pub(crate) mod url;
pub(crate) mod value;

#[cfg(test)]
mod tests;

pub(crate) use evaluate::Fault;
use evaluate::{Evaluation, Scope};
use syntax::{Expr, Node};
use types::Type;
use value::Val;

/// How much one evaluation may cost; the unit is about one step.
pub(crate) const CALL_BUDGET: u64 = 1_000_000;

/// A checked expression.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    expression: Expr,
    /// True if the expression looks at the old object.
    pub(crate) uses_old: bool,
}

/// What a program's result must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Bool,
    Text,
    Anything,
}

/// Why an expression does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CompileError {
    /// The report of the compiler.
    #[error("{0}")]
    Invalid(String),
    /// The result has another type.
    #[error("the result has another type than the rule needs")]
    WrongType,
}

impl Program {
    /// Compiles an expression over `self` and `oldSelf`, both of one type; `oldSelf` may be an optional value.
    pub(crate) fn compile(
        source: &str,
        own_type: &Type<'_>,
        optional_old: bool,
        wanted: Wanted,
    ) -> Result<Self, CompileError> {
        let report = |faults: Vec<lexer::Fault>| CompileError::Invalid(report(source, &faults));
        let expression = parser::parse(source).map_err(report)?;
        let old_type =
            if optional_old { Type::Optional(std::rc::Rc::new(own_type.clone())) } else { own_type.clone() };
        let found = checker::check(&expression, &[("self", own_type.clone()), ("oldSelf", old_type)])
            .map_err(report)?;
        let fits = match wanted {
            Wanted::Bool => matches!(found, Type::Bool),
            Wanted::Text => matches!(found, Type::Text),
            Wanted::Anything => true,
        };
        if !fits {
            return Err(CompileError::WrongType);
        }
        let uses_old = mentions(&expression, "oldSelf");
        Ok(Self { expression, uses_old })
    }

    /// Compiles an expression over variables that may hold anything, as admission policies have them.
    pub(crate) fn compile_over(source: &str, names: &[&str], wanted: Wanted) -> Result<Self, CompileError> {
        let report = |faults: Vec<lexer::Fault>| CompileError::Invalid(report(source, &faults));
        let expression = parser::parse(source).map_err(report)?;
        let variables: Vec<(&str, Type<'_>)> = names.iter().map(|name| (*name, Type::Dyn)).collect();
        let found = checker::check(&expression, &variables).map_err(report)?;
        let fits = match wanted {
            Wanted::Bool => matches!(found, Type::Bool | Type::Dyn),
            Wanted::Text => matches!(found, Type::Text | Type::Dyn),
            Wanted::Anything => true,
        };
        if fits { Ok(Self { expression, uses_old: false }) } else { Err(CompileError::WrongType) }
    }

    /// Evaluates a program of [`Program::compile_over`]; what it costs is taken from the budget.
    pub(crate) fn run_over<'a>(
        &'a self,
        variables: &[(&str, Val<'a>)],
        budget: &mut u64,
    ) -> Result<Val<'a>, Fault> {
        let limit = CALL_BUDGET.min(*budget);
        let evaluation = Evaluation::new(limit);
        let result = self.within(&evaluation, variables, None);
        *budget = budget.saturating_sub(limit - evaluation.left());
        result
    }

    /// Evaluates the program with these variables inside of others.
    fn within<'a>(
        &'a self,
        evaluation: &Evaluation,
        variables: &[(&str, Val<'a>)],
        outer: Option<&Scope<'_, 'a>>,
    ) -> Result<Val<'a>, Fault> {
        match (variables.split_first(), outer) {
            (Some(((name, value), rest)), outer) => {
                let scope = Scope::new(name, value.clone(), outer);
                self.within(evaluation, rest, Some(&scope))
            }
            (None, Some(scope)) => evaluation.run(&self.expression, scope),
            (None, None) => evaluation.run(&self.expression, &Scope::new("", Val::Null, None)),
        }
    }

    /// Evaluates the program; what it costs is taken from the budget.
    pub(crate) fn run<'a>(
        &'a self,
        own: Val<'a>,
        old: Option<Val<'a>>,
        budget: &mut u64,
    ) -> Result<Val<'a>, Fault> {
        let limit = CALL_BUDGET.min(*budget);
        let evaluation = Evaluation::new(limit);
        let own = Scope::new("self", own, None);
        let result = match old {
            Some(old) => evaluation.run(&self.expression, &Scope::new("oldSelf", old, Some(&own))),
            None => evaluation.run(&self.expression, &own),
        };
        *budget = budget.saturating_sub(limit - evaluation.left());
        result
    }
}

/// The faults of an expression as the reference compiler reports them: message, line, and a mark below it.
///
/// Source: `google/cel-go:common/error.go`.
fn report(source: &str, faults: &[lexer::Fault]) -> String {
    let one = |fault: &lexer::Fault| {
        let before: String = source.chars().take(fault.at).collect();
        let line_number = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let line = source.split('\n').nth(line_number - 1).unwrap_or_default();
        let dots = ".".repeat(column);
        format!("ERROR: <input>:{line_number}:{}: {}\n | {line}\n | {dots}^", column + 1, fault.message)
    };
    faults.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// True if a name is read anywhere in an expression. Names that a loop hides count as well.
fn mentions(expression: &Expr, name: &str) -> bool {
    let any = |expressions: &[&Expr]| expressions.iter().any(|expression| mentions(expression, name));
    match &expression.node {
        Node::Name(found) => found == name,
        Node::Select { of, .. } | Node::Has { of, .. } | Node::Not(of) | Node::Negate(of) => {
            mentions(of, name)
        }
        Node::Index { of, index, .. } => any(&[of, index]),
        Node::List(items) => items.iter().any(|(item, _)| mentions(item, name)),
        Node::Map(entries) => entries.iter().any(|(key, value, _)| any(&[key, value])),
        Node::Or(left, right) | Node::And(left, right) | Node::Binary(_, left, right) => any(&[left, right]),
        Node::Conditional(parts) => parts.iter().any(|part| mentions(part, name)),
        Node::Call(call) => {
            call.target.iter().chain(&call.arguments).any(|argument| mentions(argument, name))
        }
        Node::Loop(each) => {
            let filter = each.filter.iter().any(|filter| mentions(filter, name));
            filter || any(&[&each.range, &each.body])
        }
        Node::Bind { value, body, .. } => any(&[value, body]),
        _ => false,
    }
}
