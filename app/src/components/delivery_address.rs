//! The address of a view of the deliveries: what it is narrowed to stands in the query.

use domain::delivery::DeliveryState;
use leptos_router::params::ParamsMap;

use crate::view::DeliveryQuery;

/// Where the deliveries are, narrowed to this.
pub(super) fn address(query: &DeliveryQuery) -> String {
    let narrowed = [
        ("state", query.state.map(|state| state.name().to_owned())),
        ("destination", query.destination.map(|id| id.to_string())),
        ("before", query.before.map(|id| id.to_string())),
    ];
    let narrowed: Vec<String> = narrowed
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", value?)))
        .collect();
    match narrowed.is_empty() {
        true => "/deliveries".to_owned(),
        false => format!("/deliveries?{}", narrowed.join("&")),
    }
}

/// The query that an address holds. A part that cannot be read narrows nothing.
pub(crate) fn read(params: &ParamsMap) -> DeliveryQuery {
    let state = params.get("state");
    DeliveryQuery {
        state: state.and_then(|name| DeliveryState::from_name(name.trim())),
        destination: params.get("destination").and_then(|id| id.parse().ok()),
        before: params.get("before").and_then(|id| id.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use domain::{DestinationId, delivery::DeliveryState};
    use uuid::Uuid;

    use super::address;
    use crate::view::DeliveryQuery;

    #[test]
    fn an_address_holds_what_narrows() {
        assert_eq!(address(&DeliveryQuery::default()), "/deliveries");
        let query = DeliveryQuery {
            state: Some(DeliveryState::Dead),
            destination: Some(DestinationId(Uuid::from_u128(1))),
            before: None,
        };
        assert_eq!(
            address(&query),
            "/deliveries?state=dead&destination=00000000-0000-0000-0000-000000000001"
        );
    }
}
