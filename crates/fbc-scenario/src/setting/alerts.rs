//! The alerts of a cluster, as its metrics report them.

use std::collections::BTreeMap;

use fbc_cluster::time::{Moment, SECOND};
use fbc_kubectl::alert::Alert;
use fbc_openshift::update_service::Facts;
use fbc_openshift::update_service::facts::Series;

use crate::prepare::Prepared;

/// The alerts that metrics report (`ALERTS`, `ALERTS_FOR_STATE`); those that were known before are active since then.
pub(super) fn evaluate(facts: Option<&Facts>, before: &[Alert], now: Moment) -> Vec<Alert> {
    let series = facts.map(|facts| facts.series.as_slice()).unwrap_or_default();
    let label = |series: &Series, name: &str| series.labels.get(name).cloned().unwrap_or_default();
    let named = |wanted: &'static str| {
        series.iter().filter(move |one| {
            one.value > 0.0 && label(one, "__name__") == wanted && !label(one, "alertname").is_empty()
        })
    };
    let known = before.iter().map(|alert| (alert.labels.clone(), alert.since));
    let reported =
        named("ALERTS_FOR_STATE").map(|one| (own(one), Moment((one.value as u64).saturating_mul(SECOND))));
    let active_since: BTreeMap<_, _> = known.chain(reported).collect();
    let alert = |series: &Series| {
        let labels = own(series);
        Alert {
            is_firing: label(series, "alertstate") != "pending",
            since: active_since.get(&labels).copied().unwrap_or(now),
            labels,
        }
    };
    named("ALERTS").map(alert).collect()
}

/// The labels that all series about the same alert have alike.
fn own(series: &Series) -> BTreeMap<String, String> {
    let mut labels = series.labels.clone();
    labels.retain(|name, _| !["__name__", "alertstate"].contains(&name.as_str()));
    labels
}

/// The alerts that a run begins with.
pub(super) fn at_first(prepared: &Prepared) -> Vec<Alert> {
    let facts = prepared.updates.as_ref().and_then(|updates| updates.facts.as_ref());
    evaluate(facts, &[], prepared.scenario.start)
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
        let found = |alerts: &[Alert]| -> Vec<(bool, Moment)> {
            alerts.iter().map(|alert| (alert.is_firing, alert.since)).collect()
        };
        let first = evaluate(Some(&facts), &[], Moment::START);
        assert_eq!(found(&first), [(true, Moment::START), (false, Moment(60 * SECOND))]);
        let text = "ALERTS{alertname=\"A\",namespace=\"n\",pod=\"x\",alertstate=\"firing\"} 1\n\
                    ALERTS{alertname=\"A\",namespace=\"n\",pod=\"y\",alertstate=\"firing\"} 1\n\
                    ALERTS{alertname=\"A\",namespace=\"n\",pod=\"z\",alertstate=\"firing\"} 1\n";
        let later = Moment(90 * SECOND);
        let second = evaluate(Some(&Facts::parse(text).unwrap()), &first, later);
        assert_eq!(found(&second), [(true, Moment::START), (true, Moment(60 * SECOND)), (true, later)]);
    }
}
