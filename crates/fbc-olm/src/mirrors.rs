//! Mirrors of registries: what ImageDigestMirrorSets, ImageTagMirrorSets and ImageContentSourcePolicies say, and the
//! controller that brings it to all that pull images. It stands for the operator that writes the configuration of
//! nodes; that nodes start anew takes no time here.
//!
//! Sources: section 4.6 of the product document (D-DIS-2 to D-DIS-4); `openshift/api:config/v1` and
//! `operator/v1alpha1` for the kinds; `containers/image:pkg/sysregistriesv2`, `docker/docker_image_src.go`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::Value;

use super::cluster_operator::CONFIG_GROUP;
use super::content::SharedImages;

/// The group of ImageContentSourcePolicies.
const POLICY_GROUP: &str = "operator.openshift.io";

/// A kind of mirror sets: group, kind, the list in its `spec`, and whether it is for digests or for tags.
type SetKind = (&'static str, &'static str, &'static str, bool);

const SETS: [SetKind; 3] = [
    (CONFIG_GROUP, "ImageDigestMirrorSet", "imageDigestMirrors", true),
    (CONFIG_GROUP, "ImageTagMirrorSet", "imageTagMirrors", false),
    (POLICY_GROUP, "ImageContentSourcePolicy", "repositoryDigestMirrors", true),
];

/// The definitions of the kinds of mirror sets.
pub fn definitions() -> Vec<Object> {
    let files = [
        include_str!("../definitions/imagedigestmirrorset.yaml"),
        include_str!("../definitions/imagetagmirrorset.yaml"),
        include_str!("../definitions/imagecontentsourcepolicy.yaml"),
    ];
    files.into_iter().map(crate::definitions::object).collect()
}

/// Where the images of a source lie as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// A host, or a host and the beginning of paths.
    pub source: String,
    /// What takes the place of the source, the most wanted first.
    pub mirrors: Vec<String>,
    /// Whether it counts for references with a digest, or for those with a tag.
    pub for_digests: bool,
    /// Whether the source is never asked.
    pub is_blocked: bool,
}

/// A repository to ask for an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Host and path.
    pub repository: String,
    /// The source that must not be asked, if this is one.
    pub blocked_by: Option<String>,
}

/// Where to ask for the images of a repository, in this order: mirrors of the longest source that fits, then the
/// repository itself.
pub fn places(mirrors: &[Mirror], repository: &str, for_digest: bool) -> Vec<Place> {
    let rest_of = |mirror: &Mirror| {
        let rest = repository.strip_prefix(mirror.source.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    };
    let fitting: Vec<&Mirror> = mirrors.iter().filter(|mirror| rest_of(mirror).is_some()).collect();
    let longest = fitting.iter().map(|mirror| mirror.source.len()).max();
    let (mut places, mut blocked_by) = (Vec::new(), None);
    for mirror in fitting.into_iter().filter(|mirror| Some(mirror.source.len()) == longest) {
        if mirror.is_blocked {
            blocked_by = Some(mirror.source.clone());
        }
        if mirror.for_digests != for_digest {
            continue;
        }
        for other in &mirror.mirrors {
            let repository = format!("{other}{}", rest_of(mirror).unwrap_or_default());
            let place = Place { repository, blocked_by: None };
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places.push(Place { repository: repository.to_owned(), blocked_by });
    places
}

/// What the mirror sets of a cluster say, by kinds and names.
fn mirrors(api: &ApiServer) -> Vec<Mirror> {
    let mut found = Vec::new();
    for (group, kind, list, for_digests) in SETS {
        for set in api.all(group, kind) {
            for entry in set.list(&["spec", list]) {
                let texts = entry.list(&["mirrors"]).iter().filter_map(Value::as_str);
                found.push(Mirror {
                    source: entry.text(&["source"]).to_owned(),
                    mirrors: texts.map(str::to_owned).collect(),
                    for_digests,
                    is_blocked: entry.text(&["mirrorSourcePolicy"]) == "NeverContactSource",
                });
            }
        }
    }
    found
}

/// Tells all that pull images where they lie.
#[derive(Debug)]
pub struct Mirrors {
    images: SharedImages,
}

impl Mirrors {
    /// The controller of these images.
    pub fn new(images: SharedImages) -> Self {
        Self { images }
    }
}

impl Controller for Mirrors {
    fn name(&self) -> &'static str {
        "machine-config-operator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (CONFIG_GROUP, "ImageDigestMirrorSet"),
            (CONFIG_GROUP, "ImageTagMirrorSet"),
            (POLICY_GROUP, "ImageContentSourcePolicy"),
        ]
    }

    fn requests(
        &mut self,
        _change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        // All sets are looked at together.
        requests.push(ObjectName::default());
    }

    fn reconcile(&mut self, _request: &ObjectName, api: &mut ApiServer) -> Outcome {
        self.images.borrow_mut().set_mirrors(mirrors(api));
        Outcome::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror(source: &str, mirrors: &[&str], for_digests: bool, is_blocked: bool) -> Mirror {
        let mirrors = mirrors.iter().map(|mirror| (*mirror).to_owned()).collect();
        Mirror { source: source.to_owned(), mirrors, for_digests, is_blocked }
    }

    /// D-DIS-2
    #[test]
    fn the_longest_source_decides() {
        let mirrors = [
            mirror("a.example", &["m.example"], true, false),
            mirror("a.example/team", &["m.example/one", "m.example/two"], true, true),
            mirror("a.example/team", &["t.example/team"], false, false),
        ];
        for (repository, for_digest, expected, is_blocked) in [
            ("a.example/x", true, vec!["m.example/x", "a.example/x"], false),
            ("a.example/x", false, vec!["a.example/x"], false),
            ("a.example/team/x", true, vec!["m.example/one/x", "m.example/two/x", "a.example/team/x"], true),
            ("a.example/team", false, vec!["t.example/team", "a.example/team"], true),
            ("a.example/teams/x", true, vec!["m.example/teams/x", "a.example/teams/x"], false),
            ("b.example/x", true, vec!["b.example/x"], false),
        ] {
            let places = places(&mirrors, repository, for_digest);
            let found: Vec<&str> = places.iter().map(|place| place.repository.as_str()).collect();
            assert_eq!(found, expected, "{repository} {for_digest}");
            assert_eq!(
                places.last().is_some_and(|place| place.blocked_by.is_some()),
                is_blocked,
                "{repository}"
            );
        }
    }
}
