//! catalog-operator: CatalogSources, Subscriptions, unpacking of bundles, InstallPlans.
//!
//! Its queues are controllers: each looks at objects of one kind, and asks the others to look.
//!
//! | module | what it holds |
//! |---|---|
//! | `catalogs`, `registry`, `registry_objects`, `registry_pod`, `connections`, `servers` | CatalogSources, what serves them, what was read from them |
//! | `subscriptions`, `plan_condition`, `health` | Subscriptions, and what they say of plans and catalogs |
//! | `resolution`, `states`, `changes` | namespaces: which Subscriptions move, to what |
//! | `pace` | how fast all this goes |
//! | `unpack`, `unpacking`, `references` | bundles that come by image |
//! | `steps`, `permissions` | what a plan creates |
//! | `orders`, `plans`, `execution`, `ensure`, `crds` | InstallPlans, and how they are carried out |

mod catalogs;
mod changes;
mod condition;
mod connections;
mod crds;
mod duration;
mod ensure;
mod execution;
mod health;
mod orders;
mod pace;
mod permissions;
mod plan_condition;
mod plans;
mod references;
mod registry;
mod registry_objects;
mod registry_pod;
mod resolution;
mod servers;
mod states;
mod steps;
mod subscriptions;
mod unpack;
mod unpacking;

use std::cell::RefCell;
use std::rc::Rc;

use fbc_cluster::engine::{Cluster, Controller};
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{MINUTE, Milliseconds};

use self::catalogs::{CATALOGS, Catalogs};
use self::connections::{Connections, SharedConnections};
use self::pace::Pace;
use self::plans::Plans;
use self::resolution::Resolution;
use self::servers::Servers;
use self::subscriptions::Subscriptions;
use crate::Options;
use crate::content::SharedContent;
use crate::names::{CATALOG_SOURCE, GROUP};

/// The name of the queue of namespaces.
const RESOLUTION: &str = "resolution";
/// After which while everything is looked at again.
const RESYNC: Milliseconds = 15 * MINUTE;

/// The controllers of catalog-operator, in the order in which they start.
pub fn controllers(options: &Options, content: &SharedContent) -> Vec<Box<dyn Controller>> {
    let connections: SharedConnections = Rc::new(RefCell::new(Connections::new(content)));
    let pace = Pace::default();
    vec![
        Box::new(Servers::new(content)),
        Box::new(Catalogs::new(options, &connections)),
        Box::new(Subscriptions::new(options, &connections)),
        Box::new(Resolution::new(options, &connections, &pace)),
        Box::new(Plans::new(options, &pace)),
    ]
}

/// Tells catalog-operator that what is served is not what it was: connections break, and are made again.
pub fn content_changed(cluster: &mut Cluster) {
    let catalogs: Vec<_> = cluster.api.all(GROUP, CATALOG_SOURCE).map(|one| one.object_name()).collect();
    for catalog in catalogs {
        cluster.poke(CATALOGS, catalog);
    }
}
