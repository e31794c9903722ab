//! Certificates: the authorities of the system, and those that directories hold for single registries.

use fbc_registry::trust::{HostCertificates, TrustSettings, system_authorities};
use fbc_source::Error;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::item::Item;
use crate::count::counted;

/// How many days before its end a certificate is worth a warning.
const DAYS_OF_WARNING: i64 = 30;

pub(super) fn items(trust: &TrustSettings, now: i64) -> Vec<Item> {
    let system = match system_authorities() {
        0 => Item::note("the system has no authorities: those of Mozilla count, which are part of fbc"),
        number => Item::good(format!("{number} authorities of the system")),
    };
    let hosts = trust.hosts();
    std::iter::once(system).chain(hosts.into_iter().flat_map(|host| of_host(host, now))).collect()
}

fn of_host(host: HostCertificates, now: i64) -> Vec<Item> {
    let folder = host.folder.display();
    let name = host.host.as_deref().unwrap_or("every registry");
    let certificates = match host.certificates {
        Ok(certificates) => certificates,
        Err(error) => return vec![Item::from(Error::from(error))],
    };
    let number = counted(certificates.len(), "certificate");
    let mut items = vec![Item::good(format!("{folder}: {number} for {name}"))];
    items.extend(certificates.iter().filter_map(|der| {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        let validity = certificate.validity();
        let (from, until) = (validity.not_before.timestamp(), validity.not_after.timestamp());
        judged(&certificate.subject().to_string(), from, until, now).map(|(is_wrong, text)| {
            let text = format!("{folder}: {text}");
            let help = "ask whoever runs the registry for the new certificate";
            if is_wrong { Item::error(text, help) } else { Item::warning(text, help) }
        })
    }));
    items
}

/// What is to be said of a certificate that holds from one second to another, and whether it is of no use now.
fn judged(subject: &str, from: i64, until: i64, now: i64) -> Option<(bool, String)> {
    let day = |moment: i64| {
        let text = fbc_go::time::rfc3339(i64::try_from(moment.unsigned_abs()).unwrap_or(i64::MAX));
        text.split('T').next().unwrap_or_default().to_owned()
    };
    if now > until {
        Some((true, format!("the certificate of {subject:?} expired on {}", day(until))))
    } else if now < from {
        Some((true, format!("the certificate of {subject:?} is not valid before {}", day(from))))
    } else if until - now < DAYS_OF_WARNING * 86_400 {
        Some((false, format!("the certificate of {subject:?} expires on {}", day(until))))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::judged;

    #[test]
    fn days_of_certificates() {
        let day = 86_400;
        for (now, expected) in [
            (50 * day, None),
            (71 * day, Some((false, "the certificate of \"CN=a\" expires on 1970-04-11".to_owned()))),
            (101 * day, Some((true, "the certificate of \"CN=a\" expired on 1970-04-11".to_owned()))),
            (9 * day, Some((true, "the certificate of \"CN=a\" is not valid before 1970-01-11".to_owned()))),
        ] {
            assert_eq!(judged("CN=a", 10 * day, 100 * day, now), expected, "{now}");
        }
    }
}
