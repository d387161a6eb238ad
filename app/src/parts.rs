//! The program in parts: the first has the desk, the others have the dialogs and all other pages. The browser
//! loads them when it has shown the desk, or when such a page is opened before that.

use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use leptos_router::{ChooseView, hooks::use_url};

use crate::{
    components::Failure,
    error::UiError,
    pages::{
        AcceptLinkPage, AccountPage, AgentsPage, BlockerPage, DeliveriesPage, DeliveryPage,
        GroupPage, HistoryPage, InteractionPage, PeoplePage, PersonPage, SettingsLayout,
        SignInPage, SlackLinkPage, TasksPage, TeamPage, TeamsPage, TokensPage, WebhookPage,
        WebhooksPage,
    },
    server_fns::load_visitor,
};

/// A part of the program that is not the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Blockers and groups.
    Dialog,
    /// All other pages.
    Rest,
}

impl Part {
    /// The part of the page at `path`, which knows its [`Later`] as well: the program asks before it has routes.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path.split('/').nth(1).unwrap_or_default() {
            "" => None,
            "blockers" | "groups" => Some(Self::Dialog),
            _ => Some(Self::Rest),
        }
    }

    /// The same for a whole address, or one without its host.
    pub(crate) fn of_url(url: &str) -> Option<Self> {
        let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = after_scheme.find('/').map_or("/", |at| &after_scheme[at..]);
        Self::of(path.split(['?', '#']).next().unwrap_or_default())
    }

    /// What the build calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dialog => "dialog",
            Self::Rest => "rest",
        }
    }

    async fn load(self) -> Result<(), SplitLoaderError> {
        match self {
            Self::Dialog => load_dialog().await,
            Self::Rest => load_rest().await,
        }
    }
}

/// A page that is not in the first part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Later {
    Dialog(DialogPage),
    Rest(RestPage),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum DialogPage {
    Blocker,
    Group,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RestPage {
    History,
    Interaction,
    Tasks,
    Agents,
    Deliveries,
    Delivery,
    Settings,
    Account,
    People,
    Person,
    Teams,
    Team,
    Tokens,
    Webhooks,
    Webhook,
    SignIn,
    AcceptLink,
    SlackLink,
}

#[wasm_split(dialog, wasm_split_path = ::leptos::wasm_split, fallible, preload(load_dialog))]
fn show_dialog(page: DialogPage) -> Result<AnyView, SplitLoaderError> {
    Ok(match page {
        DialogPage::Blocker => view! { <BlockerPage /> }.into_any(),
        DialogPage::Group => view! { <GroupPage /> }.into_any(),
    })
}

#[wasm_split(rest, wasm_split_path = ::leptos::wasm_split, fallible, preload(load_rest))]
fn show_rest(page: RestPage) -> Result<AnyView, SplitLoaderError> {
    Ok(match page {
        RestPage::History => view! { <HistoryPage /> }.into_any(),
        RestPage::Interaction => view! { <InteractionPage /> }.into_any(),
        RestPage::Tasks => view! { <TasksPage /> }.into_any(),
        RestPage::Agents => view! { <AgentsPage /> }.into_any(),
        RestPage::Deliveries => view! { <DeliveriesPage /> }.into_any(),
        RestPage::Delivery => view! { <DeliveryPage /> }.into_any(),
        RestPage::Settings => view! { <SettingsLayout /> }.into_any(),
        RestPage::Account => view! { <AccountPage /> }.into_any(),
        RestPage::People => view! { <PeoplePage /> }.into_any(),
        RestPage::Person => view! { <PersonPage /> }.into_any(),
        RestPage::Teams => view! { <TeamsPage /> }.into_any(),
        RestPage::Team => view! { <TeamPage /> }.into_any(),
        RestPage::Tokens => view! { <TokensPage /> }.into_any(),
        RestPage::Webhooks => view! { <WebhooksPage /> }.into_any(),
        RestPage::Webhook => view! { <WebhookPage /> }.into_any(),
        RestPage::SignIn => view! { <SignInPage /> }.into_any(),
        RestPage::AcceptLink => view! { <AcceptLinkPage /> }.into_any(),
        RestPage::SlackLink => view! { <SlackLinkPage /> }.into_any(),
    })
}

impl ChooseView for Later {
    async fn choose(self) -> AnyView {
        let target = use_url().get_untracked();
        let shown = match self {
            Self::Dialog(page) => show_dialog(page).await,
            Self::Rest(page) => show_rest(page).await,
        };
        match shown {
            Ok(view) => view,
            Err(_) => explain(&format!("{}{}", target.path(), target.search())).await,
        }
    }

    async fn preload(&self) {
        let part = match self {
            Self::Dialog(_) => Part::Dialog,
            Self::Rest(_) => Part::Rest,
        };
        // One that is not to be had is told of when the page is chosen.
        let _ = part.load().await;
    }
}

/// Instead of a page whose part did not come.
async fn explain(target: &str) -> AnyView {
    match load_visitor().await {
        Err(error @ UiError::Unreachable) => view! { <Failure error /> }.into_any(),
        // There is a server, which has other parts than this page: it is another version.
        Ok(_) | Err(_) => {
            let _ = window().location().assign(target);
            ().into_any()
        }
    }
}

#[cfg(feature = "hydrate")]
pub use in_browser::load_for_this_page;
#[cfg(feature = "hydrate")]
pub(crate) use in_browser::{load_ahead, until_there};

#[cfg(feature = "hydrate")]
mod in_browser {
    use std::time::Duration;

    use gloo_timers::future::sleep;
    use leptos::{prelude::*, task::spawn_local, wasm_split::SplitLoaderError};

    use super::Part;
    use crate::{
        components::load_notice_lines,
        live::{Live, LiveStatus},
    };

    /// How long the desk has the network for itself.
    const REST: Duration = Duration::from_secs(2);
    /// Between tries, at most.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Loads what the page was rendered with. Until that is here the page is what the server made of it, whose
    /// links and forms work.
    pub async fn load_for_this_page() {
        let path = window().location().pathname().unwrap_or_default();
        if let Some(part) = Part::of(&path) {
            until_there(async || part.load().await).await;
        }
        // Each function of a part asks for it anew, and what is not there at once is not what the server rendered.
        if let Ok(Some(_)) = document().query_selector(".notices:not([hidden])") {
            until_there(load_notice_lines).await;
        }
    }

    /// Tries to get something of another part until it is to be had.
    pub(crate) async fn until_there<T>(load: impl AsyncFn() -> Result<T, SplitLoaderError>) -> T {
        let mut pause = Duration::from_secs(1);
        loop {
            match load().await {
                Ok(there) => return there,
                Err(_) => sleep(pause).await,
            }
            pause = (pause * 2).min(PATIENCE);
        }
    }

    /// Loads the other parts while nobody waits for them. One that does not come is tried again when it is needed.
    pub(crate) fn load_ahead(live: Live) {
        spawn_local(async move {
            let _ = Part::Dialog.load().await;
            sleep(REST).await;
            while live.status.get_untracked() != LiveStatus::Live {
                sleep(REST).await;
            }
            let _ = Part::Rest.load().await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn the_desk_needs_the_first_part_alone() {
        assert_eq!(Part::of("/"), None);
        assert_eq!(Part::of("/blockers/1"), Some(Part::Dialog));
        assert_eq!(Part::of("/groups/marked"), Some(Part::Dialog));
        assert_eq!(Part::of("/settings/people/1"), Some(Part::Rest));
        assert_eq!(Part::of("/sign-in"), Some(Part::Rest));
        assert_eq!(Part::of_url("http://leptos.dev/?a=/b"), None);
        assert_eq!(Part::of_url("http://leptos.dev"), None);
        assert_eq!(Part::of_url("/tasks?status=failed"), Some(Part::Rest));
        assert_eq!(
            Part::of_url("https://leptos.dev/groups/marked"),
            Some(Part::Dialog)
        );
    }
}
