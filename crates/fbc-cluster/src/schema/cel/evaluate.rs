//! Evaluating expressions.

use std::borrow::Cow;
use std::rc::Rc;

use super::budget::{Evaluation, Fault, TOO_EXPENSIVE};
use super::syntax::{Expr, Field, Loop, LoopKind, Node, Operator};
use super::value::{Entries, List, Shared, Val};
use super::{cost, functions};

pub(crate) const NO_SUCH_OVERLOAD: Fault = Fault(Cow::Borrowed("no such overload"));

/// A fault with a text of its own.
pub(crate) fn fault<T>(text: impl Into<Cow<'static, str>>) -> Result<T, Fault> {
    Err(Fault(text.into()))
}

pub(crate) type Evaluated<'a> = Result<Val<'a>, Fault>;

/// Names and their values, innermost first.
pub(crate) struct Scope<'s, 'a> {
    name: &'s str,
    value: Val<'a>,
    outer: Option<&'s Scope<'s, 'a>>,
}

impl<'s, 'a> Scope<'s, 'a> {
    pub(crate) fn new(name: &'s str, value: Val<'a>, outer: Option<&'s Scope<'s, 'a>>) -> Self {
        Self { name, value, outer }
    }

    fn find(&self, name: &str) -> Option<&Val<'a>> {
        if self.name == name { Some(&self.value) } else { self.outer?.find(name) }
    }
}

impl Evaluation {
    pub(crate) fn run<'a>(&self, expression: &'a Expr, scope: &Scope<'_, 'a>) -> Evaluated<'a> {
        self.work(1)?;
        Ok(match &expression.node {
            Node::Null => Val::Null,
            Node::Bool(flag) => Val::Bool(*flag),
            Node::Int(number) => Val::Int(*number),
            Node::Uint(number) => Val::Uint(*number),
            Node::Double(number) => Val::Double(*number),
            Node::Text(text) => Val::Text(Shared::Held(text)),
            Node::Bytes(bytes) => Val::Bytes(Shared::Held(bytes)),
            Node::Name(_) | Node::Select { .. } | Node::Index { .. } => {
                self.spend(1)?;
                self.attribute(expression, scope)?
            }
            Node::Has { of, field } => {
                // The test itself is free: `kubernetes/apiserver:pkg/cel/environment/base.go` (`PresenceTestHasCost`).
                self.spend(1)?;
                Val::Bool(self.has(&self.attribute(of, scope)?, field)?)
            }
            Node::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (item, optional) in items {
                    values.extend(part(self.run(item, scope)?, *optional));
                }
                self.spend(cost::LIST)?;
                Val::list(values)
            }
            Node::Map(entries) => {
                let mut values = Vec::with_capacity(entries.len());
                for (key, value, optional) in entries {
                    let key = self.run(key, scope)?;
                    values.extend(part(self.run(value, scope)?, *optional).map(|value| (key, value)));
                }
                self.spend(cost::MAP)?;
                Val::Map(Entries::Built(Rc::new(values)))
            }
            Node::Not(of) => {
                let of = self.run(of, scope)?;
                self.spend(1)?;
                match of {
                    Val::Bool(flag) => Val::Bool(!flag),
                    _ => return Err(NO_SUCH_OVERLOAD),
                }
            }
            Node::Negate(of) => {
                let of = self.run(of, scope)?;
                self.spend(1)?;
                match of {
                    Val::Int(number) => {
                        number.checked_neg().map_or_else(|| fault("integer overflow"), |n| Ok(Val::Int(n)))?
                    }
                    Val::Double(number) => Val::Double(-number),
                    _ => return Err(NO_SUCH_OVERLOAD),
                }
            }
            Node::Or(left, right) => self.junction(left, right, true, scope)?,
            Node::And(left, right) => self.junction(left, right, false, scope)?,
            Node::Conditional(parts) => {
                let [condition, chosen, other] = &**parts;
                match self.run(condition, scope)? {
                    Val::Bool(true) => self.attribute(chosen, scope)?,
                    Val::Bool(false) => self.attribute(other, scope)?,
                    _ => return Err(NO_SUCH_OVERLOAD),
                }
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.run(left, scope)?, self.run(right, scope)?);
                self.binary(*operator, &left, &right)?
            }
            Node::Call(call) => {
                let mut arguments = Vec::with_capacity(call.arguments.len() + 1);
                for argument in call.target.iter().chain(&call.arguments) {
                    arguments.push(self.run(argument, scope)?);
                }
                let result = functions::call(self, call, &arguments)?;
                self.spend(cost::of_call(&call.function, &arguments, &result, self)?)?;
                result
            }
            Node::Loop(each) => self.each(each, scope)?,
            Node::Bind { name, value, body } => {
                // An empty list stands in the loop that the macro makes.
                self.spend(cost::LIST)?;
                let value = self.run(value, scope)?;
                self.run(body, &Scope::new(name, value, Some(scope)))?
            }
        })
    }

    /// The value of a name and what is selected of it. A step costs one; what it is to begin with, the caller spends: the
    /// API server counts nothing for the branches of a condition.
    fn attribute<'a>(&self, expression: &'a Expr, scope: &Scope<'_, 'a>) -> Evaluated<'a> {
        match &expression.node {
            Node::Name(name) => match scope.find(name) {
                Some(value) => Ok(value.clone()),
                None => functions::type_named(name)
                    .map_or_else(|| fault(format!("no such attribute(s): {name}")), Ok),
            },
            Node::Select { of, field, optional } => {
                let of = self.attribute(of, scope)?;
                self.spend(1)?;
                self.select(of, field, *optional)
            }
            Node::Index { of, index, optional } => {
                let (of, index) = (self.attribute(of, scope)?, self.attribute(index, scope)?);
                self.spend(1)?;
                self.element(of, &index, *optional)
            }
            _ => self.run(expression, scope),
        }
    }

    /// `||` and `&&` are content with one side that decides, even if the other fails.
    fn junction<'a>(
        &self,
        left: &'a Expr,
        right: &'a Expr,
        decides: bool,
        scope: &Scope<'_, 'a>,
    ) -> Evaluated<'a> {
        let left = self.run(left, scope);
        if matches!(left, Ok(Val::Bool(flag)) if flag == decides)
            || matches!(&left, Err(fault) if *fault == TOO_EXPENSIVE)
        {
            return left;
        }
        match (left, self.run(right, scope)) {
            (_, Ok(Val::Bool(flag))) if flag == decides => Ok(Val::Bool(decides)),
            (Ok(Val::Bool(_)), Ok(Val::Bool(_))) => Ok(Val::Bool(!decides)),
            (Err(fault), _) | (Ok(_), Err(fault)) => Err(fault),
            _ => Err(NO_SUCH_OVERLOAD),
        }
    }

    fn select<'a>(&self, of: Val<'a>, field: &Field, optional: bool) -> Evaluated<'a> {
        match of {
            Val::Optional(inner) => match inner {
                None => Ok(Val::Optional(None)),
                Some(inner) => self.select((*inner).clone(), field, true),
            },
            Val::Map(entries) => {
                let name = if entries.has_fields() { &field.meant } else { &field.written };
                self.work(entries.search_length())?;
                match entries.field(name) {
                    Some(value) if optional => Ok(Val::some(value)),
                    Some(value) => Ok(value),
                    None if optional => Ok(Val::Optional(None)),
                    None => fault(format!("no such key: {name}")),
                }
            }
            _ => Err(NO_SUCH_OVERLOAD),
        }
    }

    fn has(&self, of: &Val<'_>, field: &Field) -> Result<bool, Fault> {
        match of {
            Val::Optional(inner) => inner.as_ref().map_or(Ok(false), |inner| self.has(inner, field)),
            Val::Map(entries) => {
                let name = if entries.has_fields() { &field.meant } else { &field.written };
                self.work(entries.search_length())?;
                Ok(entries.field(name).is_some())
            }
            _ => Err(NO_SUCH_OVERLOAD),
        }
    }

    fn element<'a>(&self, of: Val<'a>, index: &Val<'a>, optional: bool) -> Evaluated<'a> {
        let found = match (&of, index) {
            (Val::Optional(None), _) => return Ok(Val::Optional(None)),
            (Val::Optional(Some(inner)), index) => return self.element((**inner).clone(), index, true),
            (Val::List(list), index) => {
                let place = match index {
                    Val::Int(number) => usize::try_from(*number).ok(),
                    Val::Uint(number) => usize::try_from(*number).ok(),
                    Val::Double(number) if number.fract() == 0.0 && (0.0..1e9).contains(number) =>
                    {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "it is whole and small"
                        )]
                        Some(*number as usize)
                    }
                    _ => return Err(NO_SUCH_OVERLOAD),
                };
                place.and_then(|place| list_element(list, place)).ok_or_else(|| {
                    Fault(format!("index out of bounds: {}", functions::written(index)).into())
                })
            }
            (Val::Map(entries), key) => {
                let found = entries.get(key, self)?;
                found.ok_or_else(|| Fault(format!("no such key: {}", functions::written(key)).into()))
            }
            _ => return Err(NO_SUCH_OVERLOAD),
        };
        match found {
            Ok(value) if optional => Ok(Val::some(value)),
            Err(_) if optional => Ok(Val::Optional(None)),
            found => found,
        }
    }

    fn binary<'a>(&self, operator: Operator, left: &Val<'a>, right: &Val<'a>) -> Evaluated<'a> {
        let ordered = |fits: fn(std::cmp::Ordering) -> bool| match left.compare(right) {
            Some(order) => Ok(Val::Bool(fits(order))),
            None if left.as_double().is_some() && right.as_double().is_some() => Ok(Val::Bool(false)),
            None => Err(NO_SUCH_OVERLOAD),
        };
        self.spend(cost::of_operator(operator, left, right, self)?)?;
        match operator {
            Operator::Equal => Ok(Val::Bool(left.equals(right, self)?)),
            Operator::NotEqual => Ok(Val::Bool(!left.equals(right, self)?)),
            Operator::Less => ordered(std::cmp::Ordering::is_lt),
            Operator::LessOrEqual => ordered(std::cmp::Ordering::is_le),
            Operator::Greater => ordered(std::cmp::Ordering::is_gt),
            Operator::GreaterOrEqual => ordered(std::cmp::Ordering::is_ge),
            Operator::In => match right {
                Val::List(list) => Ok(Val::Bool(list.position(left, self)?.is_some())),
                Val::Map(entries) => Ok(Val::Bool(entries.get(left, self)?.is_some())),
                _ => Err(NO_SUCH_OVERLOAD),
            },
            operator => functions::arithmetic(self, operator, left, right),
        }
    }

    fn each<'a>(&self, each: &'a Loop, scope: &Scope<'_, 'a>) -> Evaluated<'a> {
        let range = self.run(&each.range, scope)?;
        if matches!(each.kind, LoopKind::OptMap | LoopKind::OptFlatMap) {
            return self.optional(each, range, scope);
        }
        let mut found = Collected::default();
        let costs = LoopCosts::of(each.kind);
        self.spend(costs.whole)?;
        match &range {
            Val::List(list) => {
                for (index, item) in list.iter().enumerate() {
                    let index = Val::Int(i64::try_from(index).unwrap_or(i64::MAX));
                    let first = if each.second.is_some() { (index, Some(item)) } else { (item, None) };
                    if self.step(each, first, scope, &mut found)? {
                        break;
                    }
                }
            }
            Val::Map(entries) => {
                for (key, value) in entries.iter() {
                    let second = each.second.is_some().then_some(value);
                    if self.step(each, (key, second), scope, &mut found)? {
                        break;
                    }
                }
            }
            _ => return Err(NO_SUCH_OVERLOAD),
        }
        found.result(each.kind, self)
    }

    /// One turn of a loop; true if nothing after it matters.
    fn step<'a>(
        &self,
        each: &'a Loop,
        (first, second): (Val<'a>, Option<Val<'a>>),
        scope: &Scope<'_, 'a>,
        found: &mut Collected<'a>,
    ) -> Result<bool, Fault> {
        let costs = LoopCosts::of(each.kind);
        // The condition of the loop is looked at once more before it ends early.
        self.spend(costs.condition)?;
        if found.decided {
            return Ok(true);
        }
        let outer = Scope::new(&each.first, first.clone(), Some(scope));
        let inner = match (&each.second, second) {
            (Some(name), Some(value)) => Scope::new(name, value, Some(&outer)),
            _ => Scope::new(&each.first, first.clone(), Some(scope)),
        };
        if let Some(filter) = &each.filter {
            match self.run(filter, &inner)? {
                Val::Bool(true) => {}
                Val::Bool(false) => return Ok(false),
                _ => return Err(NO_SUCH_OVERLOAD),
            }
        }
        self.spend(costs.step)?;
        let value = self.run(&each.body, &inner);
        if matches!(value, Ok(Val::Bool(true))) {
            self.spend(costs.taken)?;
        }
        match (each.kind, value) {
            (LoopKind::All | LoopKind::Exists, Ok(Val::Bool(flag))) => {
                let decides = flag == (each.kind == LoopKind::Exists);
                found.decided |= decides;
            }
            // One element may decide although another fails.
            (LoopKind::All | LoopKind::Exists, value) => {
                let fault = value.err().unwrap_or(NO_SUCH_OVERLOAD);
                if fault == TOO_EXPENSIVE {
                    return Err(fault);
                }
                found.fault.get_or_insert(fault);
            }
            (_, Err(fault)) => return Err(fault),
            (LoopKind::ExistsOne, Ok(Val::Bool(flag))) => found.count += usize::from(flag),
            (LoopKind::Filter, Ok(Val::Bool(true))) => found.items.push(first),
            (LoopKind::Filter, Ok(Val::Bool(false))) => {}
            (LoopKind::Map, Ok(value)) => found.items.push(value),
            (LoopKind::TransformMap, Ok(value)) => found.entries.push((first, value)),
            (LoopKind::SortBy, Ok(key)) => found.entries.push((key, first)),
            _ => return Err(NO_SUCH_OVERLOAD),
        }
        Ok(false)
    }

    fn optional<'a>(&self, each: &'a Loop, range: Val<'a>, scope: &Scope<'_, 'a>) -> Evaluated<'a> {
        match range {
            Val::Optional(None) => {
                self.spend(OPTIONAL_NONE)?;
                Ok(Val::Optional(None))
            }
            Val::Optional(Some(value)) => {
                self.spend(OPTIONAL_SOME)?;
                let found = self.run(&each.body, &Scope::new(&each.first, (*value).clone(), Some(scope)))?;
                Ok(if each.kind == LoopKind::OptMap { Val::some(found) } else { found })
            }
            _ => Err(NO_SUCH_OVERLOAD),
        }
    }
}

/// What the loop of a macro costs besides what stands in it: the macros expand to loops over an accumulator, which is
/// made, tested, extended and read.
///
/// Source: `google/cel-go:parser/macro.go`, `google/cel-go:ext/comprehensions.go`.
struct LoopCosts {
    /// Once.
    whole: u64,
    /// Before each step.
    condition: u64,
    /// For each step.
    step: u64,
    /// For each step whose body is true.
    taken: u64,
}

/// `optMap` on nothing: whether there is a value, and nothing again.
const OPTIONAL_NONE: u64 = 2;
/// `optMap` on a value: whether there is one, that value, its binding, and a new optional value.
const OPTIONAL_SOME: u64 = 3 + cost::LIST;

impl LoopCosts {
    fn of(kind: LoopKind) -> Self {
        let [whole, condition, step, taken] = match kind {
            LoopKind::All => [1, 2, 1, 0],
            LoopKind::Exists => [1, 3, 1, 0],
            LoopKind::ExistsOne => [2, 0, 0, 2],
            LoopKind::Filter => [1 + cost::LIST, 0, 0, 3 + cost::LIST],
            LoopKind::Map => [1 + cost::LIST, 0, 2 + cost::LIST, 0],
            LoopKind::TransformMap => [1 + cost::MAP, 0, 3, 0],
            // The keys are a list of their own, bound to a name.
            LoopKind::SortBy => [2 + 2 * cost::LIST, 0, 2 + cost::LIST, 0],
            LoopKind::OptMap | LoopKind::OptFlatMap => [0; 4],
        };
        Self { whole, condition, step, taken }
    }
}

/// What a loop found.
#[derive(Default)]
struct Collected<'a> {
    items: Vec<Val<'a>>,
    entries: Vec<(Val<'a>, Val<'a>)>,
    count: usize,
    decided: bool,
    fault: Option<Fault>,
}

impl<'a> Collected<'a> {
    fn result(self, kind: LoopKind, evaluation: &Evaluation) -> Evaluated<'a> {
        match (kind, self.fault) {
            (LoopKind::All | LoopKind::Exists, _) if self.decided => Ok(Val::Bool(kind == LoopKind::Exists)),
            (_, Some(fault)) => Err(fault),
            (LoopKind::All | LoopKind::Exists, None) => Ok(Val::Bool(kind == LoopKind::All)),
            (LoopKind::ExistsOne, None) => Ok(Val::Bool(self.count == 1)),
            (LoopKind::SortBy, None) => {
                let mut entries = self.entries;
                functions::sort(&mut entries, |(key, _)| key, evaluation)?;
                Ok(Val::list(entries.into_iter().map(|(_, item)| item).collect()))
            }
            (LoopKind::TransformMap, None) => Ok(Val::Map(Entries::Built(Rc::new(self.entries)))),
            (_, None) => Ok(Val::list(self.items)),
        }
    }
}

fn list_element<'a>(list: &List<'a>, place: usize) -> Option<Val<'a>> {
    list.get(place)
}

fn part(value: Val<'_>, optional: bool) -> Option<Val<'_>> {
    match value {
        Val::Optional(inner) if optional => inner.map(|inner| (*inner).clone()),
        value => Some(value),
    }
}
