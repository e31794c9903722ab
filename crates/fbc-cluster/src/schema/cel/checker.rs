//! Checking types of an expression before it is ever evaluated.
//!
//! Source: `google/cel-go:checker/checker.go`, `google/cel-go:checker/errors.go`.

use std::collections::HashMap;
use std::rc::Rc;

use super::lexer::Fault;
use super::signatures::{Library, signatures};
use super::syntax::{Call, Expr, Loop, LoopKind, Node};
use super::types::{Bindings, Type};

/// The type of an expression with those of all that it is made of, or all faults in it.
pub(crate) fn check<'s>(
    expression: &Expr,
    variables: &[(&str, Type<'s>)],
    library: Library,
) -> Result<Types<'s>, Vec<Fault>> {
    let mut checker = Checker {
        library,
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        faults: Vec::new(),
        types: HashMap::new(),
    };
    checker.type_of(expression);
    if checker.faults.is_empty() {
        return Ok(Types(checker.types));
    }
    checker.faults.sort_by_key(|fault| fault.at);
    Err(checker.faults)
}

/// The types of expressions, by where these lie in memory.
pub(crate) struct Types<'s>(HashMap<*const Expr, Type<'s>>);

impl<'s> Types<'s> {
    pub(crate) fn of(&self, expression: &Expr) -> &Type<'s> {
        self.0.get(&std::ptr::from_ref(expression)).unwrap_or(&Type::Dyn)
    }
}

struct Checker<'s> {
    library: Library,
    types: HashMap<*const Expr, Type<'s>>,
    variables: Vec<(String, Type<'s>)>,
    faults: Vec<Fault>,
}

/// Names of types, which are values as well.
const TYPE_NAMES: [&str; 11] =
    ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type", "dyn"];

impl<'s> Checker<'s> {
    /// Reports a fault; what follows from it is not reported again.
    fn fault(&mut self, at: usize, message: String) -> Type<'s> {
        self.faults.push(Fault { at, message });
        Type::Dyn
    }

    fn type_of(&mut self, expression: &Expr) -> Type<'s> {
        let found = self.find_type(expression);
        self.types.insert(std::ptr::from_ref(expression), found.clone());
        found
    }

    fn find_type(&mut self, expression: &Expr) -> Type<'s> {
        let at = expression.at;
        match &expression.node {
            Node::Null => Type::Null,
            Node::Bool(_) => Type::Bool,
            Node::Int(_) => Type::Int,
            Node::Uint(_) => Type::Uint,
            Node::Double(_) => Type::Double,
            Node::Text(_) => Type::Text,
            Node::Bytes(_) => Type::Bytes,
            Node::Name(name) => match self.variables.iter().rev().find(|(known, _)| known == name) {
                Some((_, found)) => found.clone(),
                None if TYPE_NAMES.contains(&name.as_str()) => Type::Meta,
                None => self.fault(at, format!("undeclared reference to '{name}' (in container '')")),
            },
            Node::Select { of, field, optional } => {
                let of = self.type_of(of);
                let found = self.field(at, &of, &field.written, &field.meant);
                if *optional || matches!(of, Type::Optional(_)) { optional_of(found) } else { found }
            }
            Node::Has { of, field } => {
                let of = self.type_of(of);
                self.field(at, &of, &field.written, &field.meant);
                Type::Bool
            }
            Node::Index { of, index, optional } => {
                let (of, index) = (self.type_of(of), self.type_of(index));
                let found = self.element(at, &of, &index);
                if *optional || matches!(of, Type::Optional(_)) { optional_of(found) } else { found }
            }
            Node::List(items) => {
                let types = items.iter().map(|(item, optional)| self.part(item, *optional)).collect();
                Type::List(Rc::new(joined(types)))
            }
            Node::Map(entries) => {
                let keys = entries.iter().map(|(key, _, _)| self.type_of(key)).collect();
                let values = entries.iter().map(|(_, value, optional)| self.part(value, *optional)).collect();
                // Nothing else can be a key, and types that hold others on both sides could double at every step.
                let key = Some(joined(keys))
                    .filter(|key| matches!(key, Type::Bool | Type::Int | Type::Uint | Type::Text));
                Type::Map(Rc::new(key.unwrap_or(Type::Dyn)), Rc::new(joined(values)))
            }
            Node::Not(of) => {
                let of = self.type_of(of);
                self.resolve(at, "!_", false, &[of])
            }
            Node::Negate(of) => {
                let of = self.type_of(of);
                self.resolve(at, "-_", false, &[of])
            }
            Node::Or(left, right) => self.junction(at, "_||_", left, right),
            Node::And(left, right) => self.junction(at, "_&&_", left, right),
            Node::Conditional(parts) => self.conditional(at, parts),
            Node::Binary(operator, left, right) => {
                let arguments = [self.type_of(left), self.type_of(right)];
                self.resolve(at, operator.function(), false, &arguments)
            }
            Node::Call(call) => self.call(at, call),
            Node::Loop(each) => self.each(at, each),
            Node::Bind { name, value, body } => {
                let value = self.type_of(value);
                self.within(vec![(name.clone(), value)], body)
            }
        }
    }

    fn within(&mut self, variables: Vec<(String, Type<'s>)>, body: &Expr) -> Type<'s> {
        let count = self.variables.len();
        self.variables.extend(variables);
        let found = self.type_of(body);
        self.variables.truncate(count);
        found
    }

    fn part(&mut self, item: &Expr, optional: bool) -> Type<'s> {
        match (self.type_of(item), optional) {
            (Type::Optional(inner), true) => (*inner).clone(),
            (found, _) => found,
        }
    }

    fn field(&mut self, at: usize, of: &Type<'s>, written: &str, meant: &str) -> Type<'s> {
        match of {
            Type::Dyn => Type::Dyn,
            Type::Map(_, value) => (**value).clone(),
            Type::Optional(inner) => {
                let inner = (**inner).clone();
                self.field(at, &inner, written, meant)
            }
            // Definitions in use write reserved words such as `namespace` without escapes as well.
            Type::Object(schema) => match schema.visible(meant).and_then(Type::of) {
                Some(found) => found,
                None => self.fault(at, format!("undefined field '{written}'")),
            },
            other => {
                let message = format!("type '{other}' does not support field selection");
                self.fault(at, message)
            }
        }
    }

    fn element(&mut self, at: usize, of: &Type<'s>, index: &Type<'s>) -> Type<'s> {
        match (of, index) {
            (Type::Dyn, _) => Type::Dyn,
            (Type::Optional(inner), _) => {
                let inner = (**inner).clone();
                self.element(at, &inner, index)
            }
            (Type::List(item), Type::Int | Type::Dyn) => (**item).clone(),
            (Type::Map(key, value), index) if Bindings::default().accepts(key, index) => (**value).clone(),
            _ => self.no_overload(at, "_[_]", false, &[of.clone(), index.clone()]),
        }
    }

    fn junction(&mut self, at: usize, function: &str, left: &Expr, right: &Expr) -> Type<'s> {
        let sides = [self.type_of(left), self.type_of(right)];
        if sides.iter().all(|side| matches!(side, Type::Bool | Type::Dyn)) {
            return Type::Bool;
        }
        self.no_overload(at, function, false, &sides)
    }

    fn conditional(&mut self, at: usize, parts: &[Expr; 3]) -> Type<'s> {
        let [condition, chosen, other] = parts;
        let types = [self.type_of(condition), self.type_of(chosen), self.type_of(other)];
        let [condition, chosen, other] = &types;
        let mut bindings = Bindings::default();
        let same = bindings.accepts(&Type::Open(0), chosen) && bindings.accepts(&Type::Open(0), other);
        if same && matches!(condition, Type::Bool | Type::Dyn) {
            return bindings.resolve(&Type::Open(0));
        }
        self.no_overload(at, "_?_:_", false, &types)
    }

    fn call(&mut self, at: usize, call: &Call) -> Type<'s> {
        let arguments: Vec<Type<'s>> =
            call.target.iter().chain(&call.arguments).map(|argument| self.type_of(argument)).collect();
        self.resolve(at, &call.function, call.target.is_some(), &arguments)
    }

    fn resolve(&mut self, at: usize, function: &str, on_target: bool, arguments: &[Type<'s>]) -> Type<'s> {
        let signatures = signatures(function, self.library);
        if signatures.is_empty() {
            return self.fault(at, format!("undeclared reference to '{function}' (in container '')"));
        }
        let mut results: Vec<Type<'s>> = Vec::new();
        for signature in signatures {
            let mut bindings = Bindings::default();
            let fits = signature.on_target == on_target
                && signature.arguments.len() == arguments.len()
                && signature
                    .arguments
                    .iter()
                    .zip(arguments)
                    .all(|(wanted, given)| bindings.accepts(wanted, given));
            if fits {
                results.push(bindings.resolve(&signature.result));
            }
        }
        match results.as_slice() {
            [] => self.no_overload(at, function, on_target, arguments),
            [only] => only.clone(),
            [first, others @ ..] => {
                let same = others.iter().all(|other| other.to_string() == first.to_string());
                if same { first.clone() } else { Type::Dyn }
            }
        }
    }

    fn no_overload(
        &mut self,
        at: usize,
        function: &str,
        on_target: bool,
        arguments: &[Type<'s>],
    ) -> Type<'s> {
        let list = |types: &[Type<'s>]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        let applied = match arguments {
            [target, rest @ ..] if on_target => format!("{target}.({})", list(rest)),
            all => format!("({})", list(all)),
        };
        self.fault(at, format!("found no matching overload for '{function}' applied to '{applied}'"))
    }

    fn each(&mut self, at: usize, each: &Loop) -> Type<'s> {
        let range = self.type_of(&each.range);
        if matches!(each.kind, LoopKind::OptMap | LoopKind::OptFlatMap) {
            let inner = match range {
                Type::Optional(inner) => (*inner).clone(),
                _ => Type::Dyn,
            };
            let body = self.within(vec![(each.first.clone(), inner)], &each.body);
            return if each.kind == LoopKind::OptMap { optional_of(body) } else { body };
        }
        let (key, value) = match &range {
            Type::List(item) => (Type::Int, (**item).clone()),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dyn => (Type::Dyn, Type::Dyn),
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                (self.fault(each.range.at, message), Type::Dyn)
            }
        };
        let variables = match &each.second {
            Some(second) => vec![(each.first.clone(), key.clone()), (second.clone(), value)],
            None if matches!(range, Type::Map(..)) => vec![(each.first.clone(), key.clone())],
            None => vec![(each.first.clone(), value)],
        };
        if let Some(filter) = &each.filter {
            let found = self.within(variables.clone(), filter);
            self.expect_bool(filter.at, &found);
        }
        let body = self.within(variables.clone(), &each.body);
        match each.kind {
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => {
                self.expect_bool(at, &body);
                Type::Bool
            }
            LoopKind::Filter | LoopKind::SortBy => {
                if each.kind == LoopKind::Filter {
                    self.expect_bool(at, &body);
                }
                Type::List(Rc::new(variables.into_iter().next().map_or(Type::Dyn, |(_, found)| found)))
            }
            LoopKind::TransformMap => Type::Map(Rc::new(key), Rc::new(body)),
            _ => Type::List(Rc::new(body)),
        }
    }

    fn expect_bool(&mut self, at: usize, found: &Type<'s>) {
        if !matches!(found, Type::Bool | Type::Dyn) {
            self.fault(at, format!("expected type 'bool' but found '{found}'"));
        }
    }
}

fn optional_of(found: Type<'_>) -> Type<'_> {
    if matches!(found, Type::Optional(_)) { found } else { Type::Optional(Rc::new(found)) }
}

/// One type for all elements, or anything if they differ.
fn joined(types: Vec<Type<'_>>) -> Type<'_> {
    let mut bindings = Bindings::default();
    if types.iter().all(|found| bindings.accepts(&Type::Open(0), found)) {
        bindings.resolve(&Type::Open(0))
    } else {
        Type::Dyn
    }
}
