//! Parts that admins alone see.

use domain::Role;
use leptos::prelude::*;

use crate::{load::Loaded, view::Visitor};

/// Shows its children to admins alone. That is a courtesy: the server asks for the role itself.
#[component]
pub(crate) fn ForAdmins(visitor: Loaded<Visitor>, children: ChildrenFn) -> impl IntoView {
    let children = StoredValue::new(children);
    view! {
        <Suspense fallback=|| ()>
            {move || Suspend::new(async move {
                let visitor = visitor.await.ok()?;
                let admin = visitor.role == Role::Admin;
                admin.then(|| children.with_value(|children| children()))
            })}
        </Suspense>
    }
}
