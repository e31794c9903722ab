//! What the configuration says of a catalog: read once, when it is needed first, by whichever worker needs it.

use std::sync::{Arc, OnceLock};

use fbc_lint::{Policy, Report};

use crate::host::HostError;

/// What a configuration makes of findings.
pub struct CatalogConfiguration {
    /// The policy.
    pub policy: Policy,
    /// Takes out of a report what waivers and the baseline set aside.
    pub set_aside: Box<dyn Fn(&mut Report) + Send + Sync>,
}

impl Default for CatalogConfiguration {
    fn default() -> Self {
        Self { policy: Policy::default(), set_aside: Box::new(|_| ()) }
    }
}

impl std::fmt::Debug for CatalogConfiguration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CatalogConfiguration").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// The configuration of a catalog.
#[derive(Debug, Default)]
pub struct CachedConfiguration {
    read: OnceLock<Arc<CatalogConfiguration>>,
    /// What was read before it changed.
    before: Option<Arc<CatalogConfiguration>>,
}

impl CachedConfiguration {
    /// The configuration. If it cannot be read, what it said before holds, or else that there is none; why is reported
    /// once.
    pub fn get(
        &self,
        read: impl FnOnce() -> Result<CatalogConfiguration, HostError>,
        report: impl FnOnce(String),
    ) -> Arc<CatalogConfiguration> {
        let configuration = self.read.get_or_init(|| match read() {
            Ok(configuration) => Arc::new(configuration),
            Err(error) => {
                report(error.to_string());
                self.before.clone().unwrap_or_default()
            }
        });
        Arc::clone(configuration)
    }

    /// The same after a change of the configuration: it is read again.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self { read: OnceLock::new(), before: self.read.get().or(self.before.as_ref()).cloned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_configuration_leaves_the_one_before() {
        let most = |cached: &CachedConfiguration, read: Result<usize, HostError>| {
            let configuration = |most| CatalogConfiguration {
                policy: Policy { most_findings: most, ..Policy::default() },
                ..CatalogConfiguration::default()
            };
            let mut messages = Vec::new();
            let found = cached.get(|| read.map(configuration), |message| messages.push(message));
            (found.policy.most_findings, messages.join(", "))
        };
        let cached = CachedConfiguration::default();
        assert_eq!(
            most(&cached, Err(HostError::Refused("broken".to_owned()))),
            (Policy::default().most_findings, "broken".to_owned())
        );
        let cached = cached.renewed();
        assert_eq!(most(&cached, Ok(7)), (7, String::new()));
        assert_eq!(most(&cached, Ok(8)), (7, String::new()));
        let cached = cached.renewed().renewed();
        assert_eq!(most(&cached, Err(HostError::Refused("broken".to_owned()))), (7, "broken".to_owned()));
    }
}
