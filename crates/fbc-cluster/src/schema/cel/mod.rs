//! The Common Expression Language as the API server's validation rules use it: parsed and checked once, then
//! evaluated over objects without copying them.
//!
//! Crates for the language convert a whole object before each evaluation, compile regular expressions on each call and
//! do not know schemas; rules run on every write, so that this is an evaluator of its own.

pub(crate) mod budget;
mod checker;
mod cost;
mod equality;
mod estimate;
mod evaluate;
mod functions;
mod index;
mod lexer;
mod libraries;
mod loops;
mod macros;
pub(crate) mod named_format;
mod parser;
pub(crate) mod properties;
mod signatures;
pub(crate) mod size;
mod syntax;
mod texts;
mod times;
pub(crate) mod types;
pub(crate) mod url;
pub(crate) mod value;

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod estimate_tests;
#[cfg(test)]
mod tests;

use budget::Evaluation;
pub(crate) use budget::{Budget, Fault};
use std::collections::HashSet;

use fbc_go::regexp::Pattern;

use super::structural::Schema;
use evaluate::Scope;
use signatures::Library;
use syntax::{Expr, Node};
use types::Type;
use value::Val;

/// A checked expression.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    expression: Expr,
    /// True if the expression looks at the old object.
    pub(crate) uses_old: bool,
    /// What it costs at most, if it is about a place of a schema.
    pub(crate) most_cost: u64,
}

/// What a program's result must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
        (own_type, schema): (&Type<'_>, &Schema),
        optional_old: bool,
        wanted: Wanted,
    ) -> Result<Self, CompileError> {
        let report = |faults: Vec<lexer::Fault>| CompileError::Invalid(report(source, &faults));
        let expression = parser::parse(source).map_err(report)?;
        let old_type =
            if optional_old { Type::Optional(std::rc::Rc::new(own_type.clone())) } else { own_type.clone() };
        let variables = [("self", own_type.clone()), ("oldSelf", old_type)];
        let types = checker::check(&expression, &variables, Library::Kubernetes).map_err(report)?;
        let fits = match wanted {
            Wanted::Bool => matches!(types.of(&expression), Type::Bool),
            Wanted::Text => matches!(types.of(&expression), Type::Text),
            Wanted::Anything => true,
        };
        if !fits {
            return Err(CompileError::WrongType);
        }
        let uses_old = mentions(&expression, "oldSelf");
        let most_cost = estimate::most(&expression, &types, schema);
        Ok(Self { expression, uses_old, most_cost })
    }

    /// Compiles an expression over variables that may hold anything, as admission policies have them.
    pub(crate) fn compile_over(source: &str, names: &[&str], wanted: Wanted) -> Result<Self, CompileError> {
        let report = |faults: Vec<lexer::Fault>| CompileError::Invalid(report(source, &faults));
        let expression = parser::parse(source).map_err(report)?;
        let variables: Vec<(&str, Type<'_>)> = names.iter().map(|name| (*name, Type::Dyn)).collect();
        let types = checker::check(&expression, &variables, Library::Kubernetes).map_err(report)?;
        let fits = match wanted {
            Wanted::Bool => matches!(types.of(&expression), Type::Bool | Type::Dyn),
            Wanted::Text => matches!(types.of(&expression), Type::Text | Type::Dyn),
            Wanted::Anything => true,
        };
        if fits {
            Ok(Self { expression, uses_old: false, most_cost: 0 })
        } else {
            Err(CompileError::WrongType)
        }
    }

    /// Evaluates a program of [`Program::compile_over`]; what it costs is taken from the budget.
    pub(crate) fn run_over<'a>(
        &'a self,
        variables: &[(&str, Val<'a>)],
        budget: &mut Budget,
    ) -> Result<Val<'a>, Fault> {
        budget.evaluate(|evaluation| self.within(evaluation, variables, None))
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
        budget: &mut Budget,
    ) -> Result<Val<'a>, Fault> {
        let own = Scope::new("self", own, None);
        budget.evaluate(|evaluation| match old {
            Some(old) => evaluation.run(&self.expression, &Scope::new("oldSelf", old, Some(&own))),
            None => evaluation.run(&self.expression, &own),
        })
    }

    /// Adds its regular expressions that are literals.
    pub(crate) fn collect_patterns<'s>(&'s self, all: &mut Vec<&'s Pattern>) {
        self.expression.each(&mut |expression| {
            if let Node::Call(call) = &expression.node {
                all.extend(&call.pattern);
            }
        });
    }

    /// How deep the expression is, which is how deep a value may be that it makes of others.
    pub(crate) fn depth(&self) -> usize {
        self.expression.depth
    }

    /// Adds the variables of a policy that it reads.
    pub(crate) fn collect_variables<'s>(&'s self, read: &mut Variables<'s>) {
        let is_map = |of: &Expr| matches!(&of.node, Node::Name(known) if known == "variables");
        self.expression.each(&mut |expression| match &expression.node {
            Node::Select { of, field, .. } | Node::Has { of, field } if is_map(of) => {
                read.names.insert(&field.written);
            }
            Node::Select { .. } | Node::Has { .. } => {}
            // By a name that is computed, or the map as a whole.
            _ => read.all |= expression.parts().into_iter().any(is_map),
        });
    }
}

/// Which variables of a policy are read.
#[derive(Debug, Default)]
pub(crate) struct Variables<'s> {
    names: HashSet<&'s str>,
    all: bool,
}

impl Variables<'_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.all || self.names.contains(name)
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
    let mut lines: Vec<String> = faults.iter().take(MOST_REPORTED).map(one).collect();
    if let Some(more) = faults.len().checked_sub(MOST_REPORTED).filter(|more| *more > 0) {
        lines.push(format!("{more} more errors were truncated"));
    }
    lines.join("\n")
}

/// How many faults are reported.
///
/// Source: `google/cel-go:common/errors.go`.
const MOST_REPORTED: usize = 100;

/// True if a name is read anywhere in an expression. Names that a loop hides count as well.
fn mentions(expression: &Expr, name: &str) -> bool {
    let mut found = false;
    expression
        .each(&mut |expression| found |= matches!(&expression.node, Node::Name(known) if known == name));
    found
}
