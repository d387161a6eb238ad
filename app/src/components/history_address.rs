//! The address of a view of the history: what it is narrowed to stands in the query.

use domain::interaction::Kind;
use leptos_router::params::ParamsMap;

use crate::{address::with_query, view::HistoryQuery};

/// Where the history is, narrowed to this.
pub(crate) fn address(query: &HistoryQuery) -> String {
    let before = query.before.map(|id| id.to_string());
    let query = [
        ("q", query.q.as_deref()),
        ("state", query.state.as_deref()),
        ("kind", query.kind.map(Kind::name)),
        ("agent", query.agent.as_deref()),
        ("session_id", query.session_id.as_deref()),
        ("task_id", query.task_id.as_deref()),
        ("before", before.as_deref()),
    ];
    with_query("/history", &query)
}

/// The query that an address holds. A part that cannot be read narrows nothing.
pub(crate) fn read(params: &ParamsMap) -> HistoryQuery {
    let text = |name: &str| {
        params
            .get(name)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    HistoryQuery {
        q: text("q"),
        state: text("state"),
        kind: text("kind").and_then(|name| Kind::from_name(&name)),
        agent: text("agent"),
        session_id: text("session_id"),
        task_id: text("task_id"),
        before: text("before").and_then(|id| id.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use domain::interaction::Kind;

    use super::address;
    use crate::view::HistoryQuery;

    #[test]
    fn an_address_holds_what_narrows() {
        assert_eq!(address(&HistoryQuery::default()), "/history");
        let query = HistoryQuery {
            q: Some("50 % & ü".into()),
            kind: Some(Kind::PlanReview),
            agent: Some(String::new()),
            ..HistoryQuery::default()
        };
        assert_eq!(
            address(&query),
            "/history?q=50%20%25%20%26%20%C3%BC&kind=plan_review"
        );
    }
}
