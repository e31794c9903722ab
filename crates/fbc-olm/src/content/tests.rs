//! Images: tags, digests, mirrors, and the texts of pulls that fail.

use super::*;

fn image(text: &str, labels: &[&str]) -> Arc<Image> {
    let files = MemoryTree::from_iter([("catalog.yaml", text)]);
    let labels = labels.iter().map(|label| ((*label).to_owned(), "/configs".to_owned())).collect();
    Arc::new(Image::of_files(Arc::new(files), labels, Rules::default()).unwrap())
}

#[test]
fn tags_move_and_digests_stay() {
    let mut images = Images::default();
    let (old, new) = (image("schema: a\n", &[CONFIGS_LABEL]), image("schema: b\n", &[CONFIGS_LABEL]));
    assert_ne!(old.digest(), new.digest());
    images.push("registry.example/c:v1", Arc::clone(&old)).unwrap();
    let before = images.pull_catalog("registry.example/c:v1").unwrap().canonical;
    images.push("registry.example/c:v1", new).unwrap();
    assert_ne!(images.pull_catalog("registry.example/c:v1").unwrap().canonical, before);
    assert_eq!(images.pull_catalog(&before).unwrap().image.digest(), old.digest());
    images.break_repository("registry.example/c", "no route", false);
    assert_eq!(images.pull("registry.example/c:v1").unwrap_err().message, "no route");
    assert!(images.pull(&before).is_ok());
    images.fix_repository("registry.example/c");
    assert!(images.pull("registry.example/c:v1").is_ok());
}

#[test]
fn a_digest_is_taken_as_given_and_asked_for_once() {
    let mut images = Images::default();
    let digest = format!("registry.example/b@sha256:{}", "0".repeat(64));
    images.push(&digest, image("schema: a\n", &[])).unwrap();
    images.break_repository("registry.example/b", "no route", false);
    assert_eq!(images.pull(&digest).unwrap_err().message, "no route");
    images.fix_repository("registry.example/b");
    assert_eq!(images.pull(&digest).unwrap().canonical, digest);
    images.break_repository("registry.example/b", "no route", false);
    assert!(images.pull(&digest).is_ok());
    assert!(images.pull("registry.example/b:latest").is_err());
}

#[test]
fn what_is_pushed_comes_before_what_clusters_share() {
    let (shared, own) = (image("schema: a\n", &[]), image("schema: b\n", &[]));
    let mut repositories = Repositories::default();
    for tag in ["registry.example/b:v1", "registry.example/b:v2"] {
        repositories.push(tag, Arc::clone(&shared)).unwrap();
    }
    let mut images = Images::default();
    images.set_shared(Arc::new(repositories));
    images.push("registry.example/b:v2", Arc::clone(&own)).unwrap();
    for (reference, expected) in [("v1", &shared), ("v2", &own)] {
        let pulled = images.pull(&format!("registry.example/b:{reference}")).unwrap();
        assert_eq!(pulled.image.digest(), expected.digest(), "{reference}");
    }
    assert!(images.pull(&format!("registry.example/b@{}", shared.digest())).is_ok());
}

#[test]
fn what_is_here_is_found_without_a_pull() {
    let mut images = Images::default();
    let catalog = image("schema: a\n", &[]);
    images.push("registry.example/c:v1", Arc::clone(&catalog)).unwrap();
    let canonical = format!("registry.example/c@{}", catalog.digest());
    images.break_repository("registry.example/c", "no route", false);
    assert_eq!(images.pulled(&canonical).unwrap().canonical, canonical);
    assert!(images.pulled("registry.example/c:v1").is_none());
    assert!(images.pulled(&format!("registry.example/other@{}", catalog.digest())).is_none());
}

/// A registry outside with one image in one repository.
struct OneRepository(&'static str);

impl Outside for OneRepository {
    fn digest(&self, repository: &str, _tag: &str) -> Result<String, PullError> {
        Err(PullError::retryable(format!("{repository} has no tags")))
    }

    fn content(&self, repository: &str, digest: &str) -> Result<ImageContent, PullError> {
        if repository != self.0 {
            let message = format!("reading manifest {digest} in {repository}: manifest unknown");
            return Err(PullError::retryable(message));
        }
        let files = Arc::new(MemoryTree::from_iter([("catalog.yaml", "schema: a\n")]));
        Ok(ImageContent { labels: BTreeMap::new(), files })
    }
}

#[test]
fn an_image_outside_is_in_the_repository_that_has_it() {
    let mut images = Images::default();
    images.set_outside(Box::new(OneRepository("registry.example/c")), Rules::default());
    let reference = |name: &str| format!("registry.example/{name}@sha256:{}", "0".repeat(64));
    assert!(images.pulled(&reference("c")).is_none());
    images.pull(&reference("c")).unwrap();
    assert!(images.pulled(&reference("c")).is_some());
    assert!(images.pulled(&reference("other")).is_none());
    assert!(images.pull(&reference("other")).unwrap_err().message.ends_with("manifest unknown"));
}

#[test]
fn texts_of_failed_pulls() {
    let mut images = Images::default();
    let bare = image("schema: a\n", &[]);
    let by_digest = format!("registry.example/c@{}", bare.digest());
    images.push("registry.example/c:v1", bare).unwrap();
    let label =
        r#"catalog image is missing the required label "operators.operatorframework.io.index.configs.v1""#;
    for (reference, text, is_terminal) in [
        (
            "registry.example/absent:v1",
            "error creating image source: reading manifest v1 in registry.example/absent: manifest unknown"
                .to_owned(),
            false,
        ),
        ("registry.example/c:v1", format!("error applying image: {label}"), false),
        (by_digest.as_str(), format!("error applying image: terminal error: {label}"), true),
        (
            "registry.example/C:v1",
            "error parsing image reference \"registry.example/C:v1\": invalid reference format: repository name \
             must be lowercase"
                .to_owned(),
            true,
        ),
    ] {
        let error = images.pull_catalog(reference).unwrap_err();
        assert_eq!((error.message, error.is_terminal), (text, is_terminal));
    }
}

#[test]
fn catalogs_that_cannot_be_stored() {
    for (text, fault) in
        [("schema: a\n", false), ("name: a\n", false), ("just text\n", true), ("a: [\n", true)]
    {
        let image = image(text, &[CONFIGS_LABEL]);
        assert_eq!(image.catalog().fault.is_some(), fault, "{text} {:?}", image.catalog().fault);
    }
}

/// D-DIS-2, D-DIS-3
#[test]
fn mirrors_are_asked_first() {
    let mut images = Images::default();
    let image = image("schema: a\n", &[CONFIGS_LABEL]);
    images.push("m.example/team/c:v1", Arc::clone(&image)).unwrap();
    let set = |for_digests, is_blocked| {
        let (source, mirrors) = ("a.example".to_owned(), vec!["m.example".to_owned()]);
        vec![Mirror { source, mirrors, for_digests, is_blocked }]
    };
    assert!(images.pull("a.example/team/c:v1").is_err());
    images.set_mirrors(set(true, false));
    assert!(images.pull("a.example/team/c:v1").is_err(), "a set for digests does nothing for tags");
    images.set_mirrors(set(false, false));
    let canonical = images.pull("a.example/team/c:v1").unwrap().canonical;
    assert_eq!(canonical, format!("a.example/team/c@{}", image.digest()));
    for (is_blocked, source) in [
        (false, "reading manifest v2 in a.example/team/c: manifest unknown"),
        (
            true,
            "registry a.example is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d",
        ),
    ] {
        images.set_mirrors(set(false, is_blocked));
        assert_eq!(
            images.pull("a.example/team/c:v2").unwrap_err().message,
            format!(
                "error creating image source: (Mirrors also failed: [m.example/team/c:v2: reading manifest v2 in \
                 m.example/team/c: manifest unknown]): a.example/team/c:v2: {source}"
            )
        );
    }
}
