//! What the configuration says of a catalog: read once, when it is needed first, by whichever worker needs it.

use std::sync::{Arc, OnceLock};

use fbc_lint::{Policy, Report};

/// What a configuration makes of findings.
pub struct Configured {
    /// The policy.
    pub policy: Policy,
    /// Takes out of a report what waivers and the baseline set aside.
    pub set_aside: Box<dyn Fn(&mut Report) + Send + Sync>,
}

impl Default for Configured {
    fn default() -> Self {
        Self { policy: Policy::default(), set_aside: Box::new(|_| ()) }
    }
}

impl std::fmt::Debug for Configured {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Configured").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// The configuration of a catalog.
#[derive(Debug, Default)]
pub struct Setting {
    read: OnceLock<Arc<Configured>>,
    /// What was read before it changed.
    before: Option<Arc<Configured>>,
}

impl Setting {
    /// The configuration. If it cannot be read, what it said before holds, or else that there is none; why is reported
    /// once.
    pub fn get(
        &self,
        read: impl FnOnce() -> Result<Configured, String>,
        report: impl FnOnce(String),
    ) -> Arc<Configured> {
        let configured = self.read.get_or_init(|| match read() {
            Ok(configured) => Arc::new(configured),
            Err(message) => {
                report(message);
                self.before.clone().unwrap_or_default()
            }
        });
        Arc::clone(configured)
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
        let most = |setting: &Setting, read: Result<usize, String>| {
            let configured = |most| Configured {
                policy: Policy { most_findings: most, ..Policy::default() },
                ..Configured::default()
            };
            let mut messages = Vec::new();
            let found = setting.get(|| read.map(configured), |message| messages.push(message));
            (found.policy.most_findings, messages.join(", "))
        };
        let setting = Setting::default();
        assert_eq!(
            most(&setting, Err("broken".to_owned())),
            (Policy::default().most_findings, "broken".to_owned())
        );
        let setting = setting.renewed();
        assert_eq!(most(&setting, Ok(7)), (7, String::new()));
        assert_eq!(most(&setting, Ok(8)), (7, String::new()));
        let setting = setting.renewed().renewed();
        assert_eq!(most(&setting, Err("broken".to_owned())), (7, "broken".to_owned()));
    }
}
