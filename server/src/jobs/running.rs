//! Says that this node runs, so that `handraise doctor` sees those of other versions.

use std::time::Duration;

use domain::Ids;
use machine::clock::SystemIds;
use service::Service;
use store::NodeId;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(60);
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    let node = NodeId(SystemIds.next());
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            let said = service.store().runs(node, VERSION, service.now()).await;
            if let Err(error) = said {
                tracing::debug!(%error, "cannot say that this node runs");
            }
        }
    })
    .await;
    // One that is killed is forgotten later.
    let _ = service.store().stops(node).await;
}
