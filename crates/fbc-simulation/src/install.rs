//! Bundles installed on simulated clusters, and upgraded from version to version.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_app::settings::{FOLLOW_LINKS, Settings};
use fbc_model::confined_tree::leads_out;
use fbc_model::tree::Tree;
use fbc_scenario::Servers;
use fbc_scenario::trial::{self, Platform, Trial, TrialBundle, Verdict, by_package};
use fbc_source::image_source::is_image;
use fbc_source::{Error, Session};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::input::{bundle_directories, scenario};

/// What is to be installed.
pub struct Order {
    /// Bundle directories, directories with bundle directories below them, and images.
    pub bundles: Vec<PathBuf>,
    /// The platforms.
    pub platforms: Vec<Platform>,
    /// Only install; do not upgrade.
    pub no_upgrades: bool,
    /// Whether this run is about what follows all bundles: those that cannot be read.
    pub has_last: bool,
}

/// One platform with what became of the bundles there.
pub struct Row {
    /// The platform.
    pub platform: Platform,
    /// What became of the bundle.
    pub trial: Trial,
}

/// The jobs that one run of several does.
pub type Part<'p> = &'p dyn for<'j> Fn(Vec<Job<'j>>) -> Vec<Job<'j>>;

/// Installs bundles side by side; `part` takes the jobs that this run is about.
///
/// # Errors
/// If a reference cannot be opened.
pub fn install(
    order: &Order,
    part: Part<'_>,
    session: &Session,
    settings: &Settings,
) -> Result<Vec<Row>, Error> {
    let (images, directories): (Vec<PathBuf>, _) =
        order.bundles.iter().cloned().partition(|reference| is_image(reference));
    let directories = bundle_directories::below(&directories)?;
    let on_disk = directories.par_iter().map(|directory| {
        let tree: Arc<dyn Tree> = Arc::from(settings.disk_tree(directory));
        Ok((directory, TrialBundle::read(tree)))
    });
    let in_images = images
        .par_iter()
        .map(|image| Ok((image, TrialBundle::read(scenario::open(image, session, settings)?))));
    let mut bundles = Vec::new();
    let mut unreadable = Vec::new();
    for (reference, bundle) in on_disk.chain(in_images).collect::<Result<Vec<_>, Error>>()? {
        match bundle {
            Ok(bundle) => bundles.push(bundle),
            Err(error) => unreadable.push((reference, error)),
        }
    }
    let packages = by_package(bundles);
    let jobs = part(jobs(&packages, &order.platforms, order.no_upgrades));
    let progress = settings.host.begin("installing bundles", jobs.len());
    // Package by package, so that what is worked out of its definitions serves all platforms.
    let mut sorted: Vec<(usize, &Job<'_>)> = jobs.iter().enumerate().collect();
    sorted.sort_by_key(|(_, (bundles, _))| bundles.first().map(|bundle| &bundle.package));
    let servers = Servers::default();
    let mut tried: Vec<(usize, Vec<Row>)> = sorted
        .into_par_iter()
        .map(|(number, (bundles, platform))| {
            let trials = trial::upgrade(bundles, platform, &servers);
            progress.advance();
            let row = |trial| Row { platform: (*platform).clone(), trial };
            (number, trials.into_iter().map(row).collect())
        })
        .collect();
    tried.sort_by_key(|(number, _)| *number);
    drop(progress);
    // Where an earlier version is not installed, there is nothing to upgrade: a later one is installed alone as well.
    let is_told = |(position, row): &(usize, Row)| *position == 0 || row.trial.from.is_some();
    let told = |chain: Vec<Row>| chain.into_iter().enumerate().filter(is_told).map(|(_, row)| row);
    // In the order of the jobs, so that the reports of shards are that of the whole, one behind the other.
    let mut rows: Vec<Row> = tried.into_iter().flat_map(|(_, chain)| told(chain)).collect();
    for (reference, error) in unreadable.into_iter().filter(|_| order.has_last) {
        rows.extend(order.platforms.iter().map(|platform| Row {
            platform: platform.clone(),
            trial: unreadable_trial(reference, &error.to_string()),
        }));
    }
    Ok(rows)
}

/// Bundles one over the other on a platform.
pub type Job<'j> = (&'j [TrialBundle], &'j Platform);

/// What is to be tried: every package with several versions as a chain, and alone every bundle that begins none.
fn jobs<'j>(packages: &'j [Vec<TrialBundle>], platforms: &'j [Platform], no_upgrades: bool) -> Vec<Job<'j>> {
    let mut all: Vec<&[TrialBundle]> = Vec::new();
    for bundles in packages {
        let has_chain = bundles.len() > 1 && !no_upgrades;
        all.extend(has_chain.then_some(bundles.as_slice()));
        all.extend(bundles.iter().skip(usize::from(has_chain)).map(std::slice::from_ref));
    }
    platforms.iter().flat_map(|platform| all.iter().map(move |bundles| (*bundles, platform))).collect()
}

fn unreadable_trial(reference: &Path, error: &str) -> Trial {
    Trial {
        package: reference.display().to_string(),
        bundle: String::new(),
        version: String::new(),
        from: None,
        // OLM would read what fbc does not.
        verdict: match leads_out(error) {
            true => Verdict::Unsettled(format!("{error}; {FOLLOW_LINKS}")),
            false => Verdict::RefusedByOlm(error.to_owned()),
        },
        watch_namespace: None,
        needs: Vec::new(),
        obstacles: Vec::new(),
    }
}

impl Row {
    /// The row as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Self { platform, trial } = self;
        json!({
            "target": platform.target.to_string(), "engine": platform.engine.to_string(),
            "with": platform.with.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "package": trial.package, "bundle": trial.bundle, "version": trial.version, "from": trial.from,
            "verdict": trial.verdict.word(), "message": trial.verdict.message(),
            "watchNamespace": trial.watch_namespace,
            "needs": trial.needs.iter().map(|need| json!({
                "group": need.group, "kinds": need.kinds, "addOn": need.add_on.map(|add_on| add_on.to_string()),
            })).collect::<Vec<_>>(),
            "obstacles": trial.obstacles.iter().map(|obstacle| json!({
                "workload": obstacle.workload, "reason": obstacle.reason, "message": obstacle.message,
            })).collect::<Vec<_>>(),
        })
    }
}
