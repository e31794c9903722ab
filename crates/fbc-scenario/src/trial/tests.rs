//! The sample bundle of the scenarios on several platforms.

use std::path::Path;

use fbc_model::tree::DiskTree;

use super::*;

fn sample(name: &str) -> TrialBundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    TrialBundle::read(Arc::new(DiskTree { root })).unwrap()
}

#[test]
fn a_bundle_installs_on_every_platform_and_is_upgraded() {
    let bundles =
        ["1.0.0", "1.1.0", "1.2.0"].map(|version| sample(&format!("scenarios/bundles/ferry-{version}")));
    let [bundles] = by_package(bundles.into()).try_into().unwrap();
    for target in Target::ALL {
        for engine in Engine::ALL.into_iter().filter(|engine| engine.is_in(target)) {
            let platform = Platform { target, engine, with: Vec::new(), seed: 1 };
            let words: Vec<&str> = upgrade(&bundles, &platform, &Servers::default())
                .iter()
                .map(|trial| trial.verdict.word())
                .collect();
            // The last version demands more of stored objects.
            assert_eq!(words, ["installs", "installs", "refused by OLM"], "{target} {engine}");
        }
    }
}

#[test]
fn what_the_platform_lacks_is_named() {
    let bundle = sample("beacon-bundle-next");
    let trial = |target, with: &[AddOn]| {
        let platform = Platform { target, engine: Engine::Helm, with: with.to_vec(), seed: 1 };
        install(&bundle, &platform)
    };
    let plain = trial(Target::Latest, &[]);
    assert_eq!(plain.verdict.word(), "lacks kinds", "{plain:?}");
    let needs: Vec<String> = plain.needs.iter().map(ToString::to_string).collect();
    assert_eq!(
        needs,
        [
            "needs cert-manager.io (v1 Certificate, v1 Issuer): not in the cluster; `--with cert-manager` adds a stand-in",
            "needs monitoring.coreos.com (v1 ServiceMonitor): not in the cluster; `--with monitoring` adds a stand-in"
        ]
    );
    for (target, with) in
        [(Target::Latest, &[AddOn::CertManager, AddOn::Monitoring][..]), (Target::Ocp421, &[])]
    {
        let trial = trial(target, with);
        // Nothing is missing any more; its definition has no schema, which every API server refuses.
        assert_eq!((trial.verdict.word(), &trial.needs[..]), ("refused by the API", &[][..]), "{trial:?}");
    }
}
