//! Evaluating expressions.

use std::borrow::Cow;
use std::rc::Rc;

use super::budget::{Evaluation, Fault};
use super::syntax::{Expr, Field, Node, Operator};
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
                let counted = |result: &Val<'_>| cost::of_call(&call.function, &arguments, result, self);
                if matches!(&*call.function, "distinct" | "sort") {
                    // What the API server counts for these grows faster than our work, and does not ask for the result.
                    self.spend(counted(&Val::Null)?)?;
                    functions::call(self, call, &arguments)?
                } else {
                    let result = functions::call(self, call, &arguments)?;
                    self.spend(counted(&result)?)?;
                    result
                }
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
            || matches!(&left, Err(fault) if fault.is_final())
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
                    Some(Val::Failed(fault)) => Err(Fault::clone(&fault)),
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
            Ok(Val::Failed(fault)) => Err(Fault::clone(&fault)),
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
