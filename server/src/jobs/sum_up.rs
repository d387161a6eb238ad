//! Tells people what was held back from them, once a second, and looks after what ladders leave behind. A turn of its own:
//! after a night there is much to read, and no rung waits for it.

use std::time::Duration;

use service::{Service, ServiceError};
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(1);
/// In how many turns what counts in no limit any more is forgotten once.
const FORGET: u32 = 600;

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    let mut turns = 0_u32;
    super::every(EVERY, stopping, || {
        let service = service.clone();
        turns = turns.wrapping_add(1);
        let forgets = turns % FORGET == 1;
        async move {
            if let Err(error) = turn(&service, forgets).await {
                tracing::error!(%error, "what was held back cannot be told; it will be tried again");
            }
        }
    })
    .await;
}

async fn turn(service: &Service, forgets: bool) -> Result<(), ServiceError> {
    if forgets {
        service.forget_sent().await?;
        service.join_ladder().await?;
    }
    if service.anybody_is_reached().await? {
        service.sum_up_due().await?;
    }
    Ok(())
}
