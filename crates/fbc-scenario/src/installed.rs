//! Operators from catalogs on a cluster that updates: OLM v1 beside the Cluster Version Operator, with a default catalog
//! whose image has another tag after an update to another minor version.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::controllers::garbage::GarbageCollector;
use fbc_cluster::controllers::namespaces::Namespaces;
use fbc_cluster::controllers::roles::RoleAggregation;
use fbc_cluster::engine::{Cluster, Controller};
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_olm::catalogd::{Catalogd, NameLabel};
use fbc_olm::cluster_operator::{self, ClusterOperator};
use fbc_olm::content::{Image, SharedImages};
use fbc_olm::default_catalogs::{self, DefaultCatalogs};
use fbc_olm::definitions::{Edition, definitions};
use fbc_olm::names::{CLUSTER_CATALOG, CLUSTER_EXTENSION, GROUP};
use fbc_olm::{Options, Target};
use fbc_openshift::cluster_update::cluster::Parts;
use fbc_openshift::cluster_update::{Companions, Fate};
use fbc_resolve::CatalogIndex;
use fbc_version::Version;
use serde_json::{Value, json};

use crate::setting::Content;

/// The catalog that operators come from: one of the default ones.
const CATALOG: &str = "openshift-redhat-operators";
/// Where operators are installed, and the account that does it.
const NAMESPACE: &str = "openshift-operators";
const INSTALLER: &str = "installer";

/// What the catalogs of two releases hold, ready for any number of clusters. Bundles install nothing but a record of
/// their version.
#[derive(Clone)]
pub struct Catalogs {
    target: Target,
    present: Arc<Image>,
    next: Arc<Image>,
    bundles: Vec<(String, Arc<Image>)>,
}

impl Catalogs {
    /// The catalog of the present release and that of the next one, which may be the same.
    pub fn new(target: Target, present: Arc<CatalogIndex>, next: Arc<CatalogIndex>) -> Self {
        let rules = Options::of_openshift(target).resolution_rules();
        let present = Arc::new(Image::of_index("present", present, rules));
        let next = Arc::new(Image::of_index("next", next, rules));
        let mut content = Content::default();
        content.add_catalog("present", Arc::clone(&present));
        content.add_catalog("next", Arc::clone(&next));
        Self { target, present, next, bundles: content.empty_bundles(rules).into_iter().collect() }
    }
}

/// The operators of one cluster.
pub struct InstalledOperators {
    /// The catalogs that they come from.
    pub catalogs: Catalogs,
    /// Packages with the installed versions.
    pub operators: Vec<(String, String)>,
    /// The versions of the cluster before and after the update.
    pub versions: (String, String),
    /// The seed of what looks random.
    pub seed: u64,
}

/// `4.19` of `4.19.3`.
fn minor(version: &str) -> String {
    Version::parse(version)
        .map_or_else(|_| version.to_owned(), |version| format!("{}.{}", version.major(), version.minor()))
}

impl InstalledOperators {
    /// What the registry has.
    fn images(&self) -> SharedImages {
        let images = SharedImages::default();
        let (from, to) = (minor(&self.versions.0), minor(&self.versions.1));
        let push = |reference: Option<String>, image: &Arc<Image>| {
            if let Some(reference) = reference {
                // References that nobody can pull show when they are pulled.
                let _ = images.borrow_mut().push(&reference, Arc::clone(image));
            }
        };
        push(default_catalogs::image(CATALOG, &from), &self.catalogs.present);
        if from != to {
            push(default_catalogs::image(CATALOG, &to), &self.catalogs.next);
        }
        for (reference, image) in &self.catalogs.bundles {
            push(Some(reference.clone()), image);
        }
        images
    }

    /// The catalog, an account that may do everything, and the extensions.
    fn objects(&self) -> Vec<Value> {
        let image = default_catalogs::image(CATALOG, &minor(&self.versions.0));
        let mut objects = vec![
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
            json!({
                "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": INSTALLER, "namespace": NAMESPACE},
            }),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": "operators-installer"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
                "subjects": [{"kind": "ServiceAccount", "name": INSTALLER, "namespace": NAMESPACE}],
            }),
            json!({
                "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": CATALOG},
                "spec": {"source": {"type": "Image", "image": {"ref": image, "pollIntervalMinutes": 10}}},
            }),
        ];
        objects.extend(self.operators.iter().map(|(package, version)| {
            json!({
                "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": package},
                "spec": {
                    "namespace": NAMESPACE, "serviceAccount": {"name": INSTALLER},
                    "source": {"sourceType": "Catalog", "catalog": {"packageName": package, "version": version}},
                },
            })
        }));
        objects
    }
}

impl Companions for InstalledOperators {
    fn join(&self, cluster: &mut Cluster, parts: &Parts) {
        let options = Options::of_openshift(self.catalogs.target);
        let images = self.images();
        let edition = match self.catalogs.target {
            Target::Ocp419 => Edition::OCP_4_19,
            _ => Edition::LATEST,
        };
        for definition in definitions(edition) {
            // Tests hold that these are accepted.
            let _ = cluster.api.install_definition(definition);
        }
        cluster.api.add_mutator(Arc::new(NameLabel));
        let administrator = Caller::administrator("administrator");
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": options.system_namespace},
        });
        for object in std::iter::once(namespace).chain(self.objects()) {
            let _ = cluster.api.create(&administrator, object, WriteOptions::default());
        }
        let is_played = parts.has_operator(cluster_operator::OPERATOR);
        let controllers: [Box<dyn Controller>; 6] = [
            Box::new(GarbageCollector::default()),
            Box::new(Namespaces::default()),
            Box::new(RoleAggregation::default()),
            Box::new(Catalogd::new(options.clone(), images.clone(), self.seed)),
            Box::new(ClusterOperator::new(&options).reporting(!is_played)),
            Box::new(DefaultCatalogs::default()),
        ];
        for controller in controllers {
            cluster.add_controller(controller);
        }
        fbc_olm::setting::add_operator_controller(cluster, &options, &images);
    }

    fn fates(&self, api: &ApiServer) -> Vec<Fate> {
        let fate = |(package, before): &(String, String)| {
            let extension = api.find(GROUP, CLUSTER_EXTENSION, &ObjectName::cluster(package.as_str()));
            let text = |path: &[&str]| extension.map(|one| one.text(path).to_owned()).unwrap_or_default();
            let reported = |kind: &str, good: &str| {
                let condition = extension?.condition(kind)?;
                (condition["reason"] != good).then(|| condition.text(&["message"]).to_owned())
            };
            Fate {
                name: package.clone(),
                before: before.clone(),
                after: text(&["status", "install", "bundle", "version"]),
                // Why it goes no further says more than that nothing is installed.
                trouble: reported("Progressing", "Succeeded").or_else(|| reported("Installed", "Succeeded")),
            }
        };
        self.operators.iter().map(fate).collect()
    }

    fn catalogs(&self, api: &ApiServer) -> Vec<(String, String)> {
        let catalogs = api.all(GROUP, CLUSTER_CATALOG);
        catalogs
            .map(|one| (one.name().to_owned(), one.text(&["spec", "source", "image", "ref"]).to_owned()))
            .collect()
    }
}
