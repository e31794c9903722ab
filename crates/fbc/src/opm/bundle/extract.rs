//! `opm alpha bundle extract`: the files of a bundle in a ConfigMap, as OLM v0 unpacks bundles.
//!
//! Source: `operator-framework/operator-registry:cmd/opm/alpha/bundle/extract.go`, `pkg/client/kubeclient.go`.

use std::env;
use std::fs;
use std::path::Path;

use fbc_go::text::quote;
use fbc_simulation::extraction::{ExtractError, Extraction, populate};
use fbc_simulation::server::ApiClient;

use crate::opm::arguments::Invocation;
use crate::opm::error::{OpmError, inform};

/// The variable with the image that the bundle comes from.
const IMAGE_VARIABLE: &str = "CONTAINER_IMAGE";

/// `opm alpha bundle extract`.
pub(in crate::opm) fn extract(invocation: &Invocation) -> Result<(), OpmError> {
    let limit = invocation.text("datalimit");
    let limit: u64 = limit.parse().map_err(|_| {
        let limit = quote(limit);
        OpmError::Usage(format!(
            "invalid argument {limit} for \"-l, --datalimit\" flag: strconv.ParseUint: parsing {limit}: invalid syntax"
        ))
    })?;
    let client = client(invocation.text("kubeconfig")).map_err(|error| {
        OpmError::Fatal(format!("cluster config failed: Cannot load config for REST client: {error}"))
    })?;
    let failed =
        |error: ExtractError| OpmError::Usage(format!("error loading manifests from directory: {error}"));
    let wanted = Extraction {
        namespace: invocation.text("namespace"),
        name: invocation.text("configmapname"),
        directory: invocation.text("manifestsdir"),
        limit,
        gzip: invocation.switch("gzip"),
        image: env::var(IMAGE_VARIABLE).ok().filter(|image| !image.is_empty()),
    };
    populate(&client, wanted, &inform).map_err(failed)
}

fn client(kubeconfig: &str) -> Result<ApiClient, ExtractError> {
    let variable = env::var("KUBECONFIG").ok().filter(|path| !path.is_empty());
    match variable.as_deref().or(Some(kubeconfig).filter(|path| !path.is_empty())) {
        Some(path) => {
            inform(&format!("Loading kube client config from path {}", quote(path)));
            fs::metadata(path).map_err(|error| ExtractError::system("stat", path, error))?;
            Ok(ApiClient::of_kubeconfig(Path::new(path))?)
        }
        None => {
            inform("Using in-cluster kube client config");
            Ok(ApiClient::in_cluster(&|name| env::var(name).ok())?)
        }
    }
}
