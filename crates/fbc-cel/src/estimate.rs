//! What an expression may cost at most, before it is ever evaluated: the sizes of values come from the schema.
//!
//! Source: `google/cel-go:checker/cost.go`, `google/cel-go:ext`, `kubernetes/apiserver:pkg/cel/library/cost.go`
//! (`EstimateCallCost`).

use super::checker::Types;
use super::cost::{LIST, MAP, part};
use super::shape::Shape;
use super::size::{Elements, Place, Size, Sizes, Step, replaced};
use super::syntax::{Call, Expr, Loop, LoopKind, Node, Operator};
use super::types::Type;

/// The most that an expression of a rule about a place of this schema costs.
pub(crate) fn most(expression: &Expr, types: &Types<'_>, shape: &dyn Shape) -> u64 {
    Estimation { types, root: shape, variables: Vec::new(), sizes: Sizes::default() }.of(expression).cost
}

/// What is known of an expression.
#[derive(Debug, Clone, Copy)]
struct Estimate<'s> {
    cost: u64,
    place: Place<'s>,
    size: Option<Size>,
    elements: Option<Elements>,
}

impl<'s> Estimate<'s> {
    fn made(cost: u64, size: Option<Size>) -> Self {
        Self { cost, place: Place::None, size, elements: None }
    }

    fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }
}

struct Estimation<'t, 's> {
    types: &'t Types<'s>,
    root: &'s dyn Shape,
    /// Variables of loops and bindings, the innermost last.
    variables: Vec<(&'t str, Estimate<'s>)>,
    sizes: Sizes,
}

/// The size of a value whose type alone tells it.
fn size_of_type(of: &Type<'_>) -> Option<Size> {
    match of {
        Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Duration | Type::Timestamp => {
            Some(Size::exact(1))
        }
        Type::Optional(inner) => size_of_type(inner),
        _ => None,
    }
}

fn is_long(of: &Type<'_>) -> bool {
    matches!(of, Type::Text | Type::Bytes)
}

impl<'t, 's: 't> Estimation<'t, 's> {
    fn of(&mut self, expression: &'t Expr) -> Estimate<'s> {
        let types = self.types;
        let of_type = size_of_type(types.of(expression));
        match &expression.node {
            Node::Text(text) => Estimate::made(0, Some(Size::exact(text.chars().count() as u64))),
            Node::Bytes(bytes) => Estimate::made(0, Some(Size::exact(bytes.len() as u64))),
            Node::Null | Node::Bool(_) | Node::Int(_) | Node::Uint(_) | Node::Double(_) => {
                Estimate::made(0, Some(Size::exact(1)))
            }
            Node::Name(name) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                let known = known.map(|(_, estimate)| *estimate);
                let place = known.map_or(Place::At(self.root), |known| known.place);
                let size = self.sizes.of(place).or(of_type).or(known.and_then(|known| known.size));
                Estimate { cost: 1, place, size, elements: known.and_then(|known| known.elements) }
            }
            Node::Select { of, field, optional } => {
                let target = self.of(of);
                let counts =
                    *optional || matches!(types.of(of), Type::Map(..) | Type::Object(_) | Type::Open(_));
                let place = match optional {
                    true => Place::None,
                    false => target.place.step(Step::Field(&field.meant), self.root),
                };
                let cost = target.cost.saturating_add(u64::from(counts));
                Estimate { cost, place, size: self.sizes.of(place).or(of_type), elements: None }
            }
            // The test itself is free.
            Node::Has { of, .. } => Estimate::made(self.of(of).cost, of_type),
            Node::Index { of, index, optional } => {
                let (target, index) = (self.of(of), self.of(index));
                let place = if *optional { Place::None } else { target.place.step(Step::Element, self.root) };
                let element = target.elements.filter(|_| !*optional).map(|elements| elements.value);
                let cost = target.cost.saturating_add(index.cost).saturating_add(1);
                Estimate { cost, place, size: element.or(self.sizes.of(place)).or(of_type), elements: None }
            }
            Node::List(items) => {
                let items: Vec<_> = items.iter().map(|(item, _)| self.of(item)).collect();
                let elements = Elements { is_list: true, key: Size::exact(1), value: union(&items) };
                container(&items, LIST, items.len(), elements)
            }
            Node::Map(entries) => {
                let keys: Vec<_> = entries.iter().map(|(key, _, _)| self.of(key)).collect();
                let values: Vec<_> = entries.iter().map(|(_, value, _)| self.of(value)).collect();
                let elements = Elements { is_list: false, key: union(&keys), value: union(&values) };
                container(&[keys, values].concat(), MAP, entries.len(), elements)
            }
            Node::Not(of) | Node::Negate(of) => Estimate::made(self.of(of).cost.saturating_add(1), of_type),
            Node::Or(left, right) | Node::And(left, right) => {
                Estimate::made(self.of(left).cost.saturating_add(self.of(right).cost), of_type)
            }
            Node::Conditional(parts) => {
                let [condition, chosen, other] = &**parts;
                let (condition, chosen, other) = (self.of(condition), self.of(chosen), self.of(other));
                let elements = chosen.elements.zip(other.elements).map(|(chosen, other)| chosen.or(other));
                let cost = condition.cost.saturating_add(chosen.cost.max(other.cost));
                Estimate { elements, ..Estimate::made(cost, Some(chosen.size().or(other.size()))) }
            }
            Node::Binary(operator, left, right) => self.binary(expression, *operator, left, right),
            Node::Call(call) => self.call(expression, call),
            Node::Loop(each) => self.each(each, of_type),
            Node::Bind { name, value, body } => {
                let value = self.of(value);
                let body = self.with(&[(name, value)], body);
                let cost = LIST.saturating_add(value.cost).saturating_add(body.cost);
                Estimate { cost, place: Place::None, ..body }
            }
        }
    }

    fn with(&mut self, variables: &[(&'t str, Estimate<'s>)], body: &'t Expr) -> Estimate<'s> {
        let before = self.variables.len();
        self.variables.extend_from_slice(variables);
        let estimate = self.of(body);
        self.variables.truncate(before);
        estimate
    }

    fn binary(
        &mut self,
        expression: &Expr,
        operator: Operator,
        left: &'t Expr,
        right: &'t Expr,
    ) -> Estimate<'s> {
        let types = [self.types.of(left), self.types.of(right)];
        let [of_left, of_right] = [self.of(left), self.of(right)];
        let (left, right) = (of_left.size(), of_right.size());
        let smaller = part(left.most.min(right.most), 10);
        // Which of several ways to apply the operator is meant shows as soon as the type of one side is known.
        let known = types.into_iter().find(|of| !of.is_dyn()).unwrap_or(types[0]);
        let mut elements = None;
        let mut size = size_of_type(self.types.of(expression));
        let own = match operator {
            Operator::Equal if matches!(types, [Type::Named(one), Type::Named(other)] if one == other) => {
                match types[0] {
                    Type::Named("kubernetes.NamedFormat") => 7,
                    Type::Named("kubernetes.URL") => {
                        of_right.size.map_or(1, |size| part(size.most.max(1), 10))
                    }
                    _ => 1,
                }
            }
            Operator::Equal | Operator::NotEqual => smaller,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
                if is_long(known) {
                    smaller
                } else if known.is_dyn() {
                    smaller.max(1)
                } else {
                    1
                }
            }
            Operator::In => match types[1] {
                Type::List(_) => right.most,
                of if of.is_dyn() => right.most.max(1),
                _ => 1,
            },
            Operator::Add if known.is_dyn() || is_long(known) || matches!(known, Type::List(_)) => {
                size = Some(left.plus(right));
                elements = of_left.elements.zip(of_right.elements).map(|(left, right)| left.or(right));
                match known {
                    Type::List(_) => 1,
                    _ => part(left.plus(right).most, 10).max(u64::from(known.is_dyn())),
                }
            }
            _ => 1,
        };
        let cost = own.saturating_add(of_left.cost).saturating_add(of_right.cost);
        Estimate { elements, ..Estimate::made(cost, size) }
    }

    fn each(&mut self, each: &'t Loop, of_type: Option<Size>) -> Estimate<'s> {
        let range = self.of(&each.range);
        if matches!(each.kind, LoopKind::OptMap | LoopKind::OptFlatMap) {
            // Whether there is a value, that value, its binding, and what is made of it.
            let value = Estimate::made(0, None);
            let body = self.with(&[(&each.first, value)], &each.body);
            let made = u64::from(each.kind == LoopKind::OptMap);
            let cost = range.cost.saturating_mul(2).saturating_add(body.cost).saturating_add(2 + LIST + made);
            return Estimate::made(cost, of_type);
        }
        let is_list =
            range.elements.map_or(matches!(self.types.of(&each.range), Type::List(_)), |all| all.is_list);
        let variable = |step, size| {
            let place = range.place.step(step, self.root);
            Estimate { cost: 0, place, size, elements: None }
        };
        let key = range.elements.map(|elements| elements.key);
        let value = range.elements.map(|elements| elements.value);
        let variables = match &each.second {
            Some(second) => {
                let step = if is_list { Step::Index } else { Step::Key };
                vec![(&*each.first, variable(step, key)), (&**second, variable(Step::Element, value))]
            }
            None if is_list => vec![(&*each.first, variable(Step::Element, value))],
            None => vec![(&*each.first, variable(Step::Key, key))],
        };
        let filter = each.filter.as_ref().map_or(0, |filter| self.with(&variables, filter).cost);
        let body = self.with(&variables, &each.body);
        // What is made, tested and read once, and what each step adds.
        let (whole, step) = match each.kind {
            LoopKind::All => (1, 3),
            LoopKind::Exists => (1, 4),
            LoopKind::ExistsOne => (2, 2),
            LoopKind::Filter => (1 + LIST, 3 + LIST),
            LoopKind::TransformMap => (1 + MAP, 3),
            LoopKind::SortBy => (2 + 2 * LIST, 2 + LIST),
            _ => (1 + LIST, 2 + LIST),
        };
        let step = body.cost.saturating_add(filter).saturating_add(step);
        let count = range.size();
        let cost = count.most.saturating_mul(step).saturating_add(whole).saturating_add(range.cost);
        let held = match each.kind {
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => {
                return Estimate::made(cost, Some(Size::exact(1)));
            }
            LoopKind::TransformMap => None,
            LoopKind::Filter | LoopKind::SortBy => {
                let one = variables.first().map_or(Size::UNKNOWN, |(_, one)| {
                    self.sizes.of(one.place).or(one.size).unwrap_or(Size::UNKNOWN)
                });
                Some(one)
            }
            _ => Some(body.size()),
        };
        let elements =
            held.map(|held| Elements { is_list: true, key: Size::exact(1), value: Size::up_to(held.most) });
        Estimate { elements, ..Estimate::made(cost, Some(count)) }
    }

    fn call(&mut self, expression: &Expr, call: &'t Call) -> Estimate<'s> {
        let target = call.target.as_ref().map(|target| (self.of(target), self.types.of(target)));
        let arguments: Vec<_> = call.arguments.iter().map(|argument| self.of(argument)).collect();
        let base = target.iter().map(|(target, _)| target.cost).chain(arguments.iter().map(|one| one.cost));
        let base = base.fold(0, u64::saturating_add);
        if let ("dyn", [only]) = (call.function.as_str(), arguments.as_slice()) {
            return Estimate { cost: base.saturating_add(1), place: Place::None, ..*only };
        }
        let (own, size) = self.own_cost(call, target, &arguments);
        Estimate::made(base.saturating_add(own), size.or(size_of_type(self.types.of(expression))))
    }

    /// What a call costs besides its arguments, and the size of its result.
    fn own_cost(
        &self,
        call: &Call,
        target: Option<(Estimate<'s>, &Type<'s>)>,
        arguments: &[Estimate<'s>],
    ) -> (u64, Option<Size>) {
        let argument = |index: usize| arguments.get(index).map_or(Size::UNKNOWN, Estimate::size);
        let is_text = |index: usize| call.arguments.get(index).is_some_and(|one| is_long(self.types.of(one)));
        let on = target.as_ref().map_or(Size::UNKNOWN, |(target, _)| target.size());
        let traversed = |size: Size| part(size.most, 10);
        let matched =
            |pattern: Size| part(on.most.saturating_add(1), 10).saturating_mul(part(pattern.most, 4));
        let parsed = |base: u64| base.saturating_add(if is_text(0) { traversed(argument(0)) } else { 0 });
        match (call.function.as_str(), &target) {
            (
                "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes",
                Some((list, of)),
            ) => {
                let each = match of {
                    Type::List(item) if is_long(item) => {
                        let place = match list.place {
                            Place::None => Place::Lost,
                            place => place.step(Step::Element, self.root),
                        };
                        traversed(self.sizes.of(place).unwrap_or(Size::UNKNOWN)).saturating_add(1)
                    }
                    Type::List(_) => 1,
                    _ if call.function == "includes" => 1,
                    _ => return (traversed(on), None),
                };
                (on.most.saturating_mul(each), None)
            }
            ("url" | "jsonpatch.escapeKey", _) => (traversed(argument(0)), Some(argument(0))),
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(_)) => (traversed(on), Some(on)),
            ("replace", Some(_)) => {
                (part(on.most.saturating_mul(2), 10), Some(replaced(on, argument(0), argument(1))))
            }
            ("split", Some(_)) => {
                let most = match call.arguments.get(1).map(|limit| &limit.node) {
                    Some(Node::Int(limit)) => u64::try_from(*limit).unwrap_or(u64::MAX),
                    _ => on.most,
                };
                (part(on.most.saturating_mul(2), 10), Some(Size::up_to(most)))
            }
            ("join", Some((list, of))) => {
                let place = match list.place {
                    Place::None => Place::Lost,
                    place => place.step(Step::Element, self.root),
                };
                let item = match of {
                    Type::List(_) => self.sizes.of(place).unwrap_or(Size::UNKNOWN),
                    _ => Size::exact(0),
                };
                let gaps = Size { least: on.least.saturating_sub(1), most: on.most.saturating_sub(1) };
                let separators = if arguments.is_empty() { Size::exact(0) } else { argument(0).times(gaps) };
                let size = on.times(item).plus(separators);
                (traversed(size), Some(size))
            }
            ("find" | "findAll", Some(_)) => (matched(argument(0)), Some(Size::up_to(on.most))),
            ("matches", Some(_)) => (matched(argument(0)), None),
            ("contains", Some(_)) => (traversed(on).saturating_mul(traversed(argument(0))), None),
            ("startsWith" | "endsWith", Some(_)) => (traversed(argument(0)), None),
            ("format", Some(_)) => (traversed(on), Some(on.plus(argument(0)))),
            ("strings.quote", _) => {
                let size = argument(0);
                let most = size.most.saturating_mul(2).saturating_add(2);
                (traversed(size), Some(Size { least: size.least + 2, most }))
            }
            ("bytes", _) if is_text(0) => {
                let size = argument(0);
                (traversed(size), Some(Size { least: size.least, most: size.most.saturating_mul(4) }))
            }
            ("string", _)
                if call.arguments.first().is_some_and(|one| matches!(self.types.of(one), Type::Bytes)) =>
            {
                let size = argument(0);
                (traversed(size), Some(Size { least: size.least / 4, most: size.most }))
            }
            ("cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver", _)
            | ("ip", None) => (traversed(argument(0)), None),
            ("ip.isCanonical", _) => (part(argument(0).most.saturating_mul(2), 10), None),
            ("containsIP", Some(_)) => (parsed(4), None),
            ("containsCIDR", Some(_)) => (parsed(7), None),
            ("validate", Some(_)) => (traversed(argument(0)).saturating_mul(32), None),
            ("sets.contains" | "sets.intersects", _) => {
                (argument(0).times(argument(1)).most.saturating_add(1), None)
            }
            ("sets.equivalent", _) => {
                (argument(0).times(argument(1)).most.saturating_mul(2).saturating_add(1), None)
            }
            ("slice" | "reverse" | "flatten", Some((_, Type::List(_)))) => {
                (on.most.saturating_add(1 + LIST), Some(on))
            }
            ("distinct" | "sort", Some(_)) => {
                (on.times(on).most.saturating_mul(2).saturating_add(1 + LIST), Some(on))
            }
            _ => (1, None),
        }
    }
}

/// The sizes of all of these.
fn union(all: &[Estimate<'_>]) -> Size {
    all.iter().map(Estimate::size).reduce(Size::or).unwrap_or(Size::exact(0))
}

/// A list or map of these.
fn container<'s>(parts: &[Estimate<'s>], base: u64, count: usize, elements: Elements) -> Estimate<'s> {
    let cost = parts.iter().map(|part| part.cost).fold(base, u64::saturating_add);
    Estimate { elements: Some(elements), ..Estimate::made(cost, Some(Size::exact(count as u64))) }
}
