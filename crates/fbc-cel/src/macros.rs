//! Calls, and the loops and bindings that macros make of them.
//!
//! Source: `google/cel-go:parser/macro.go`.

use fbc_go::regexp::Pattern;

use super::dialect::Dialect;
use super::lexer::Fault;
use super::parser::{Parsed, fault};
use super::syntax::{Call, Expr, Loop, LoopKind, Node};

/// Makes a call, or what a macro stands for.
pub(super) fn expand(
    at: usize,
    target: Option<Expr>,
    function: String,
    arguments: Vec<Expr>,
    dialect: Dialect,
) -> Parsed<Expr> {
    let plain_fault = |at: usize, message: &str| Err(Fault { at, message: message.to_owned() });
    match (target, function.as_str(), arguments.len()) {
        (None, "has", 1) => {
            let argument = arguments.into_iter().next();
            match argument.map(|argument| argument.node) {
                Some(Node::Select { of, field, optional: false }) => {
                    Ok(Expr::new(at, Node::Has { of, field }))
                }
                _ => plain_fault(at, "invalid argument to has() macro"),
            }
        }
        (Some(Expr { node: Node::Name(library), .. }), "bind", 3)
            if library == "cel" && dialect.has_extensions() =>
        {
            let [name, value, body]: [Expr; 3] = into_array(arguments, at)?;
            let Node::Name(name) = name.node else {
                return plain_fault(name.at, "cel.bind() variable names must be simple identifiers");
            };
            Ok(Expr::new(at, Node::Bind { name, value: Box::new(value), body: Box::new(body) }))
        }
        (Some(Expr { node: Node::Name(library), .. }), _, _)
            if is_library(&library) && dialect.has_extensions() =>
        {
            call(at, None, format!("{library}.{function}"), arguments)
        }
        (Some(range), name, count) => match loop_kind(name, count, dialect) {
            Some((kind, has_second, has_filter)) => {
                let mut arguments = arguments.into_iter();
                let first = variable(arguments.next(), at)?;
                let second = if has_second { Some(variable(arguments.next(), at)?) } else { None };
                let filter = if has_filter { arguments.next() } else { None };
                let Some(body) = arguments.next() else { return plain_fault(at, "missing argument") };
                Ok(Expr::new(at, Node::Loop(Box::new(Loop { kind, range, first, second, filter, body }))))
            }
            None => call(at, Some(range), function, arguments),
        },
        (target, _, _) => call(at, target, function, arguments),
    }
}

fn is_library(name: &str) -> bool {
    const LIBRARIES: [&str; 10] =
        ["math", "lists", "sets", "strings", "base64", "optional", "format", "cidr", "ip", "jsonpatch"];
    LIBRARIES.contains(&name)
}

/// The loop that a macro of this name and number of arguments makes: its kind, whether it has two variables and a filter.
fn loop_kind(name: &str, count: usize, dialect: Dialect) -> Option<(LoopKind, bool, bool)> {
    Some(match (name, count) {
        ("all", 2) => (LoopKind::All, false, false),
        ("exists", 2) => (LoopKind::Exists, false, false),
        ("exists_one" | "existsOne", 2) => (LoopKind::ExistsOne, false, false),
        ("filter", 2) => (LoopKind::Filter, false, false),
        ("map", 2) => (LoopKind::Map, false, false),
        ("map", 3) => (LoopKind::Map, false, true),
        _ if !dialect.has_extensions() => return None,
        ("sortBy", 2) => (LoopKind::SortBy, false, false),
        ("all", 3) => (LoopKind::All, true, false),
        ("exists", 3) => (LoopKind::Exists, true, false),
        ("exists_one" | "existsOne", 3) => (LoopKind::ExistsOne, true, false),
        ("transformList", 3) => (LoopKind::Map, true, false),
        ("transformList", 4) => (LoopKind::Map, true, true),
        ("transformMap", 3) => (LoopKind::TransformMap, true, false),
        ("transformMap", 4) => (LoopKind::TransformMap, true, true),
        ("optMap", 2) => (LoopKind::OptMap, false, false),
        ("optFlatMap", 2) => (LoopKind::OptFlatMap, false, false),
        _ => return None,
    })
}

fn variable(argument: Option<Expr>, at: usize) -> Parsed<String> {
    match argument {
        Some(Expr { node: Node::Name(name), .. }) => Ok(name),
        Some(other) => Err(Fault { at: other.at, message: "argument must be a simple name".to_owned() }),
        None => Err(Fault { at, message: "argument must be a simple name".to_owned() }),
    }
}

fn into_array<const N: usize>(arguments: Vec<Expr>, at: usize) -> Parsed<[Expr; N]> {
    arguments.try_into().map_err(|_| fault(at, "wrong number of arguments".to_owned()))
}

fn call(at: usize, target: Option<Expr>, function: String, arguments: Vec<Expr>) -> Parsed<Expr> {
    let pattern = match (function.as_str(), arguments.as_slice()) {
        ("matches", [.., Expr { node: Node::Text(text), .. }]) => Some(text),
        ("find" | "findAll", [Expr { node: Node::Text(text), .. }, ..]) => Some(text),
        _ => None,
    };
    let pattern = pattern.map(Pattern::new);
    Ok(Expr::new(at, Node::Call(Box::new(Call { function, target, arguments, pattern }))))
}
