//! The bill of materials: CycloneDX 1.5, made of the lock file.

use std::path::Path;

use serde_json::{Value, json};

use super::Release;
use super::dependencies::{Dependency, dependencies};
use crate::error::{Context as _, TaskResult};

/// The document.
pub(super) fn document(root: &Path, release: &Release) -> TaskResult<Vec<u8>> {
    let document = bill(&dependencies(root, None)?, release);
    let mut bytes =
        serde_json::to_vec_pretty(&document).context(|| "writing the bill of materials".to_owned())?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn bill(dependencies: &[Dependency], release: &Release) -> Value {
    let (own, others): (Vec<_>, Vec<_>) =
        dependencies.iter().partition(|dependency| dependency.name == "fbc");
    let links = dependencies.iter().map(|dependency| {
        let needs: Vec<String> = dependency.needs.iter().map(|id| format!("pkg:cargo/{id}")).collect();
        json!({"ref": reference(dependency), "dependsOn": needs})
    });
    let moment = release.moment;
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(moment),
            "component": own.first().map(|dependency| component(dependency, "application")),
            "tools": {"components": [{"type": "application", "name": "cargo xtask dist", "version": release.version}]},
        },
        "components": others.iter().map(|dependency| component(dependency, "library")).collect::<Vec<_>>(),
        "dependencies": links.collect::<Vec<_>>(),
    })
}

fn reference(dependency: &Dependency) -> String {
    format!("pkg:cargo/{}", dependency.id())
}

fn component(dependency: &Dependency, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(dependency),
        "name": dependency.name,
        "version": dependency.version,
        "purl": reference(dependency),
        "description": dependency.description,
    });
    if dependency.license.starts_with("see ") {
        component["licenses"] = json!([{"license": {"name": dependency.license}}]);
    } else {
        component["licenses"] = json!([{"expression": dependency.license}]);
    }
    if let Some(checksum) = &dependency.checksum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}

/// A moment as RFC 3339, in UTC: the civil date by the days since 1970 (Howard Hinnant's `civil_from_days`).
pub(super) fn timestamp(moment: u64) -> String {
    let (days, seconds) = (moment / 86_400 + 719_468, moment % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        for (moment, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
        ] {
            assert_eq!(timestamp(moment), expected);
        }
    }

    #[test]
    fn components_and_their_links() {
        let mut fbc = Dependency::of_test("fbc", Path::new(""));
        fbc.needs.insert("a@1.0.0".to_owned());
        let release = Release::of_test("1.0.0", 0);
        let document = bill(&[Dependency::of_test("a", Path::new("")), fbc], &release);
        assert_eq!(document["metadata"]["component"]["purl"], "pkg:cargo/fbc@1.0.0");
        assert_eq!(document["components"][0]["licenses"][0]["expression"], "MIT");
        assert_eq!(document["components"][0]["hashes"][0]["content"], "00");
        assert_eq!(document["dependencies"][1]["dependsOn"][0], "pkg:cargo/a@1.0.0");
    }
}
