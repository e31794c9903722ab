//! Operators between two values: what belongs together, and what comes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use super::expression::{Matched, Set, WithScalar};
use super::function::set;
use super::operator::{Calculation, SetOperator};
use super::{Evaluation, Labels, QueryError, Series, only, value, without_name};

impl Evaluation<'_> {
    pub(super) fn with_scalar(&self, of: &WithScalar) -> Result<Vec<Series>, QueryError> {
        let (series, scalar) = (self.vector(&of.vector)?, of.scalar);
        let kept = series.into_iter().filter_map(|one| {
            let sides = if of.is_scalar_first { (scalar, one.value) } else { (one.value, scalar) };
            let value = outcome(of.operator, sides, one.value)?;
            let labels = if of.operator.is_comparison() { one.labels } else { without_name(&one.labels) };
            Some(Series { labels, value })
        });
        Ok(kept.collect())
    }

    pub(super) fn set(&self, set: &Set) -> Result<Vec<Series>, QueryError> {
        let (left, right) = (self.vector(&set.left)?, self.vector(&set.right)?);
        let group = |one: &Series| match_group(&one.labels, set.matching.as_deref());
        let groups = |list: &[Series]| list.iter().map(group).collect::<BTreeSet<_>>();
        let (in_left, in_right) = (groups(&left), groups(&right));
        Ok(match set.operator {
            SetOperator::And => left.into_iter().filter(|one| in_right.contains(&group(one))).collect(),
            SetOperator::Unless => left.into_iter().filter(|one| !in_right.contains(&group(one))).collect(),
            SetOperator::Or => {
                let more = right.into_iter().filter(|one| !in_left.contains(&group(one)));
                left.into_iter().chain(more).collect()
            }
        })
    }

    /// Combines each series with the one of the other side that has the same labels.
    pub(super) fn matched(&self, of: &Matched) -> Result<Vec<Series>, QueryError> {
        let (left, right) = (self.vector(&of.left)?, self.vector(&of.right)?);
        if left.is_empty() || right.is_empty() {
            return Ok(Vec::new());
        }
        let mut partners: BTreeMap<Labels, Series> = BTreeMap::new();
        for partner in right {
            if partners.insert(match_group(&partner.labels, of.matching.as_deref()), partner).is_some() {
                return Err(QueryError::ManyToMany);
            }
        }
        let mut used: BTreeSet<(Labels, Option<Labels>)> = BTreeSet::new();
        let mut result = Vec::new();
        for series in left {
            let group = match_group(&series.labels, of.matching.as_deref());
            let Some(partner) = partners.get(&group) else { continue };
            let labels = self.labels_of_pair(&series.labels, &partner.labels, of)?;
            let is_new = used.insert((group, of.many.as_ref().map(|_| labels.clone())));
            if !is_new && of.many.is_none() {
                return Err(QueryError::ManyToOne);
            }
            if !is_new {
                return Err(QueryError::ManyToOneLabels);
            }
            let value = outcome(of.operator, (series.value, partner.value), series.value);
            result.extend(value.map(|value| Series { labels, value }));
        }
        Ok(result)
    }

    /// The labels of two series that belong together, the first of the left side.
    fn labels_of_pair(&self, labels: &Labels, partner: &Labels, of: &Matched) -> Result<Labels, QueryError> {
        let mut labels = if of.operator.is_comparison() { labels.clone() } else { without_name(labels) };
        match (&of.many, &of.matching) {
            (Some(included), _) => {
                for label in included {
                    let text = value(partner, label);
                    set(&mut labels, label, self.made("group modifier", label, iter::once(text))?);
                }
            }
            (None, Some(on)) => labels = only(&labels, on),
            (None, None) => {}
        }
        Ok(labels)
    }
}

/// What comes of two numbers: a comparison keeps what was compared, or nothing.
fn outcome(operator: Calculation, (left, right): (f64, f64), compared: f64) -> Option<f64> {
    let result = operator.result(left, right);
    if operator.is_comparison() { (result == 1.0).then_some(compared) } else { Some(result) }
}

/// The labels by which series of both sides belong together.
fn match_group(labels: &Labels, matching: Option<&[String]>) -> Labels {
    matching.map_or_else(|| without_name(labels), |on| only(labels, on))
}
