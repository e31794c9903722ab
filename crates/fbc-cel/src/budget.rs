//! What evaluations may cost, counted as the API server counts, and what they may take besides.
//!
//! The API server counts a comparison of two lists by their lengths, a call of `size` as one step, and so on, whatever
//! lies below; an expression that shares values in values is cheap and takes for ever. So there is a second count, of what is
//! really done.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use fbc_go::regexp::{self, MOST_STEPS, Pattern, Steps, TooManySteps};

/// How much one evaluation may cost.
///
/// Source: `kubernetes/apiserver:pkg/apis/cel/config.go` (`PerCallLimit`).
pub const CALL_COST: u64 = 1_000_000;

/// How much all evaluations of one request may cost: the rules of a definition, or a policy with one binding.
///
/// Source: `kubernetes/apiserver:pkg/apis/cel/config.go` (`RuntimeCELCostBudget`).
pub const REQUEST_COST: u64 = 10_000_000;

/// How much the conditions of a webhook or policy may cost.
///
/// Source: `kubernetes/apiserver:pkg/apis/cel/config.go` (`RuntimeCELCostBudgetMatchConditions`).
pub(crate) const CONDITIONS_COST: u64 = 2_500_000;

/// How much one evaluation may take; the unit is about 50 ns. What the API server's cost allows seldom takes as much.
pub const CALL_WORK: u64 = 1_000_000;

/// How much all evaluations of one request may take.
pub(crate) const REQUEST_WORK: u64 = 4_000_000;

/// How many bytes are compared, counted or copied in one unit of work.
const BYTES_OF_WORK: usize = 64;

/// How many regular expressions that are no literals an evaluation remembers.
const REMEMBERED: usize = 16;

/// Why an expression has no value, in the words of the reference (`no such key: a`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(pub Cow<'static, str>);

/// One evaluation used up what it may cost.
pub const TOO_EXPENSIVE: Fault = Fault(Cow::Borrowed("operation cancelled: actual cost limit exceeded"));

/// One evaluation took more than it may; the API server, which does not count that, may accept it.
pub(crate) const TOO_MUCH_WORK: Fault = Fault(Cow::Borrowed(
    "operation cancelled: evaluating takes too much work, which a real API server does not count (limit cel-work)",
));

/// All evaluations together matched too much.
pub(crate) const TOO_MANY_STEPS: Fault = Fault(Cow::Borrowed(TooManySteps::TEXT));

/// All evaluations together did.
pub const OUT_OF_BUDGET: Fault = Fault(Cow::Borrowed(
    "validation failed due to running out of cost budget, no further validation rules will be run",
));

impl Fault {
    /// True if it is a limit of ours, and not one of the API server.
    #[must_use]
    pub fn is_own_limit(&self) -> bool {
        [TOO_MUCH_WORK, TOO_MANY_STEPS].contains(self)
    }

    /// True if the evaluation is over, whatever a part of it could decide without the rest.
    pub(crate) fn is_final(&self) -> bool {
        *self == TOO_EXPENSIVE || self.is_own_limit()
    }
}

/// What the evaluations of one request may still cost and take.
#[derive(Debug)]
pub struct Budget {
    cost: u64,
    work: u64,
    steps: u64,
}

impl Budget {
    /// That of rules, or of a policy.
    #[must_use]
    pub fn of_request() -> Self {
        Self { cost: REQUEST_COST, work: REQUEST_WORK, steps: MOST_STEPS }
    }

    /// That of conditions.
    #[must_use]
    pub fn of_conditions() -> Self {
        Self { cost: CONDITIONS_COST, ..Self::of_request() }
    }

    /// What was not spent on cost.
    #[cfg(test)]
    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// That of rules, with fewer steps of matching.
    #[cfg(test)]
    pub(crate) fn of_steps(steps: u64) -> Self {
        Self { steps, ..Self::of_request() }
    }

    /// Why nothing may be evaluated any more, if so.
    #[must_use]
    pub fn end(&self) -> Option<Fault> {
        [(self.cost, OUT_OF_BUDGET), (self.work, TOO_MUCH_WORK), (self.steps, TOO_MANY_STEPS)]
            .into_iter()
            .find_map(|(left, fault)| (left == 0).then_some(fault))
    }

    /// Lets one evaluation spend from it.
    ///
    /// # Errors
    /// That of the evaluation; [`OUT_OF_BUDGET`] if one of its own could have gone on.
    pub(crate) fn evaluate<T>(
        &mut self,
        run: impl FnOnce(&Evaluation) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let evaluation = Evaluation {
            cost: Cell::new(CALL_COST.min(self.cost)),
            work: Cell::new(CALL_WORK.min(self.work)),
            steps: Steps::new(self.steps),
            patterns: RefCell::default(),
        };
        let (cost, work) = (evaluation.cost.get(), evaluation.work.get());
        let result = run(&evaluation);
        self.cost -= cost - evaluation.cost.get();
        self.work -= work - evaluation.work.get();
        self.steps = evaluation.steps.left();
        match result {
            Err(fault) if fault == TOO_EXPENSIVE && (self.cost == 0 || cost < CALL_COST) => {
                Err(OUT_OF_BUDGET)
            }
            result => result,
        }
    }
}

/// One evaluation, with what it may still cost and take.
#[derive(Debug)]
pub(crate) struct Evaluation {
    cost: Cell<u64>,
    work: Cell<u64>,
    /// What matching may still take, as in all evaluations of the request.
    steps: Steps,
    /// Regular expressions that are no literals, the last ones: loops ask for the same again and again.
    patterns: RefCell<Vec<Pattern>>,
}

fn take(from: &Cell<u64>, amount: u64, otherwise: Fault) -> Result<(), Fault> {
    let left = from.get().checked_sub(amount);
    from.set(left.unwrap_or_default());
    left.map(|_| ()).ok_or(otherwise)
}

impl Evaluation {
    /// Spends what the API server counts.
    pub(crate) fn spend(&self, cost: u64) -> Result<(), Fault> {
        take(&self.cost, cost, TOO_EXPENSIVE)
    }

    /// Spends what is really done, or values that are made.
    pub(crate) fn work(&self, units: usize) -> Result<(), Fault> {
        take(&self.work, units as u64, TOO_MUCH_WORK)
    }

    /// What was spent on work, if this was the first evaluation.
    #[cfg(test)]
    pub(crate) fn worked(&self) -> u64 {
        CALL_WORK - self.work.get()
    }

    /// Spends what it takes to go through bytes, or to make them.
    pub(crate) fn work_on_bytes(&self, bytes: usize) -> Result<(), Fault> {
        self.work(bytes / BYTES_OF_WORK)
    }

    /// A regular expression, which is a literal or one of the last that were asked for; what it takes to compile it is
    /// spent the first time.
    pub(crate) fn compiled(&self, literal: Option<&Pattern>, source: &str) -> Result<Pattern, Fault> {
        let mut patterns = self.patterns.borrow_mut();
        let known = literal.or_else(|| patterns.iter().find(|known| known.source() == source)).cloned();
        let pattern = known.unwrap_or_else(|| {
            let made = Pattern::new(source);
            patterns.truncate(REMEMBERED - 1);
            patterns.insert(0, made.clone());
            made
        });
        if !pattern.is_compiled() {
            // What does not parse says so when it is used.
            let weight = regexp::weight(source).unwrap_or_default();
            self.work(source.len().saturating_add(usize::try_from(weight).unwrap_or(usize::MAX)))?;
        }
        Ok(pattern)
    }

    /// Matches a regular expression with what is left.
    pub(crate) fn matching<T>(
        &self,
        run: impl FnOnce(&Steps) -> Result<T, TooManySteps>,
    ) -> Result<T, Fault> {
        run(&self.steps).map_err(|_| TOO_MANY_STEPS)
    }
}
