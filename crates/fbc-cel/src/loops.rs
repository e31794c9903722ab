//! Loops that macros make, over lists and maps, and what they find.

use super::budget::{Evaluation, Fault};
use super::evaluate::{Evaluated, NO_SUCH_OVERLOAD, Scope};
use super::syntax::{Loop, LoopKind};
use super::value::{Entries, Val};
use super::{cost, functions};
use std::rc::Rc;

impl Evaluation {
    pub(super) fn each<'a>(&self, each: &'a Loop, scope: &Scope<'_, 'a>) -> Evaluated<'a> {
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
                if fault.is_final() {
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
