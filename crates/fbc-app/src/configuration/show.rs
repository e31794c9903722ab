//! `--show-config`: every value as it counts, in TOML, with where it comes from as a comment.

use std::io::{self, Write};

use fbc_lint::{Rule, Severity};
use fbc_rules::RULES;

use super::Configuration;
use super::resolve::Origin;

impl Configuration {
    /// Writes what is configured.
    ///
    /// # Errors
    /// Those of the output.
    pub fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.file {
            Some(file) => writeln!(out, "# configuration file: {}", file.path.display())?,
            None => writeln!(out, "# configuration file: none")?,
        }
        let (parameters, origins) = (&self.policy.parameters, &self.origins);
        let profile = self.policy.profile.name();
        self.line(out, "profile", &quoted(profile), &origins.profile)?;
        let targets: Vec<String> = parameters.targets.iter().map(ToString::to_string).collect();
        if targets.is_empty() {
            writeln!(out, "# targets: the directory of each catalog, such as catalogs/v4.17")?;
        } else {
            self.line(out, "targets", &list(&targets), &origins.targets)?;
        }
        for (key, texts, origin) in [
            ("allowed-registries", &parameters.allowed_registries, &origins.allowed_registries),
            (
                "allowed-related-registries",
                &parameters.allowed_related_registries,
                &origins.allowed_related_registries,
            ),
            ("required-features", &parameters.required_features, &origins.required_features),
            ("allowed-kinds", &parameters.allowed_kinds, &origins.allowed_kinds),
            ("allowed-base-images", &parameters.allowed_base_images, &origins.allowed_base_images),
        ] {
            self.line(out, key, &list(texts), origin)?;
        }
        match &self.baseline {
            Some(file) => {
                self.line(out, "baseline", &quoted(&file.path.to_string_lossy()), &origins.baseline)?;
            }
            None => writeln!(out, "# baseline: none")?,
        }
        let must_expire = self.waiver_rules.must_expire.to_string();
        self.line(out, "waivers-must-expire", &must_expire, &origins.waivers_must_expire)?;
        writeln!(out, "\n[rules]")?;
        let family = |code: &str| code.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let shown: Vec<(&str, &str, &Origin)> = RULES.iter().map(|rule| self.level_shown(rule)).collect();
        for rules in shown.chunk_by(|a, b| family(a.0) == family(b.0)) {
            let Some((code, level, origin)) = rules.first() else { continue };
            if rules.iter().all(|(_, other, from)| other == level && from == origin) {
                self.line(out, &family(code), &quoted(level), origin)?;
                continue;
            }
            for (code, level, origin) in rules {
                self.line(out, code, &quoted(level), origin)?;
            }
        }
        for waiver in self.file.iter().flat_map(|file| &file.waivers) {
            let place = self.file.as_ref().map(|file| file.line_of(&waiver.place)).unwrap_or_default();
            writeln!(out, "\n[[waivers]] # {place}")?;
            let pattern = |pattern: &Option<fbc_lint::policy::pattern::Pattern>| {
                pattern.as_ref().map(|pattern| pattern.text().to_owned())
            };
            for (key, value) in [
                ("code", Some(waiver.code.clone())),
                ("package", pattern(&waiver.package)),
                ("channel", pattern(&waiver.channel)),
                ("bundle", pattern(&waiver.bundle)),
                ("path", pattern(&waiver.path)),
                ("reason", Some(waiver.reason.clone())),
                ("expires", waiver.expires.map(|day| day.to_string())),
            ] {
                if let Some(value) = value {
                    writeln!(out, "{key} = {}", quoted(&value))?;
                }
            }
        }
        Ok(())
    }

    /// The code of a rule, its level, and where that comes from.
    fn level_shown(&self, rule: &'static Rule) -> (&'static str, &'static str, &Origin) {
        let level = self.policy.level(rule).map_or("off", Severity::name);
        let origin = match self.origins.levels.get(rule.code) {
            Some(origin) => origin,
            None if self.policy.profile.levels().any(|(code, ..)| code == rule.code) => &Origin::Profile,
            None if self.policy.profile.level(rule) == default_level(rule) => &Origin::Default,
            None => &Origin::Profile,
        };
        (rule.code, level, origin)
    }

    fn line(&self, out: &mut dyn Write, key: &str, value: &str, origin: &Origin) -> io::Result<()> {
        let origin = match origin {
            Origin::Default => "default".to_owned(),
            Origin::Profile => format!("profile {}", self.policy.profile.name()),
            Origin::File(place) => place.clone(),
            Origin::Flag(flag) => (*flag).to_owned(),
        };
        writeln!(out, "{key} = {value} # {origin}")
    }
}

fn default_level(rule: &Rule) -> fbc_lint::policy::Level {
    fbc_lint::Profile::Default.level(rule)
}

/// A text of TOML: what JSON escapes, TOML does too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    let items: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", items.join(", "))
}
