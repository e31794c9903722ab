//! The alerts of a cluster, as its metrics report them.

use std::collections::BTreeMap;

use fbc_cluster::time::{Moment, SECOND};
use fbc_kubectl::alert::Alert;
use fbc_openshift::update_service::Facts;
use fbc_openshift::update_service::facts::Series;

use crate::prepare::Prepared;

/// The alerts that metrics report (`ALERTS`, `ALERTS_FOR_STATE`); those that were known before are active since then.
pub(super) fn of(facts: Option<&Facts>, before: &[Alert], now: Moment) -> Vec<Alert> {
    let series = facts.map(|facts| facts.series.as_slice()).unwrap_or_default();
    let label = |series: &Series, name: &str| series.labels.get(name).cloned().unwrap_or_default();
    let named = |wanted: &'static str| {
        series.iter().filter(move |one| {
            one.value > 0.0 && label(one, "__name__") == wanted && !label(one, "alertname").is_empty()
        })
    };
    let alert = |series: &Series| {
        let (name, namespace) = (label(series, "alertname"), label(series, "namespace"));
        let is_same = |one: &&Series| own(one) == own(series);
        let told = named("ALERTS_FOR_STATE")
            .find(is_same)
            .map(|one| Moment((one.value as u64).saturating_mul(SECOND)));
        let known = before.iter().find(|one| one.name == name && one.namespace == namespace);
        Alert {
            severity: label(series, "severity"),
            is_firing: label(series, "alertstate") != "pending",
            since: told.or(known.map(|one| one.since)).unwrap_or(now),
            name,
            namespace,
        }
    };
    named("ALERTS").map(alert).collect()
}

/// The labels that two series about the same alert have alike.
fn own(series: &Series) -> BTreeMap<&str, &str> {
    let labels = series.labels.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    labels.filter(|(name, _)| !["__name__", "alertstate"].contains(name)).collect()
}

/// The alerts that a run begins with.
pub(super) fn at_first(prepared: &Prepared) -> Vec<Alert> {
    let facts = prepared.updates.as_ref().and_then(|updates| updates.facts.as_ref());
    of(facts, &[], prepared.scenario.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_are_the_same_if_their_labels_are() {
        let text = "ALERTS{alertname=\"A\",namespace=\"n\",pod=\"x\",alertstate=\"firing\"} 1\n\
                    ALERTS{alertname=\"A\",namespace=\"n\",pod=\"y\",alertstate=\"pending\"} 1\n\
                    ALERTS{alertname=\"\",alertstate=\"firing\"} 1\n\
                    ALERTS{alertstate=\"firing\"} 1\n\
                    ALERTS_FOR_STATE{alertname=\"A\",namespace=\"n\",pod=\"y\"} 60\n";
        let facts = Facts::parse(text).unwrap();
        let alerts = of(Some(&facts), &[], Moment::START);
        let found: Vec<(bool, Moment)> = alerts.iter().map(|alert| (alert.is_firing, alert.since)).collect();
        assert_eq!(found, [(true, Moment::START), (false, Moment(60 * SECOND))]);
    }
}
