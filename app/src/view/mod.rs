//! The data that pages show: plain, made by the server from domain types, without any markup.

mod access;
mod around;
mod blocker;
mod duty;
mod group;
mod history;
mod outbound;
mod plan;
mod providers;
mod row;
mod teams;
mod visitor;
mod work;

pub use access::{
    Account, EndingToken, LinkNotice, OwnerName, PeopleList, PersonRow, SessionRow, SignInLink,
    SlackLink, SlackUser, Standing, TokenList, TokenRow, TokenWish,
};
pub use around::{Around, ClaimView, SnoozedRow};
pub use blocker::{
    ActionView, AnswerOutcome, AnsweredBefore, Blocker, BlockerStatus, ChoiceView, Control,
    Earlier, Ending, FormStep, OptionView, Remark, SuggestionView,
};
pub use duty::{DutyLine, DutyNow, DutyText};
pub use group::{Answered, Group, GroupPart};
pub use history::{HistoryPage, HistoryQuery, Step, Story, What};
pub use outbound::{
    Again, DeliveryPage, DeliveryQuery, DeliveryRow, DeliveryStory, Destination, NoticeLines,
    Notices, Since, StuckChannel, Try, TryEnd, VoidDecision, WebhookList, WebhookRow,
    WebhookStanding, WebhookWish,
};
pub use plan::{CommentThen, PlanBefore, PlanThen, PlanVersions};
pub use providers::{Connections, ProviderName, WaysIn};
pub(crate) use row::in_place_of_words;
pub use row::{CalledBack, ClosedRow, Closure, HistoryRow, Progress, Row};
pub use teams::{
    AgentName, MemberRow, OneTeam, OwnTeam, TeamAgent, TeamList, TeamName, TeamPerson, TeamRow,
    TeamWish,
};
pub use visitor::Visitor;
pub use work::{AgentList, AgentRow, Counts, TaskList, TaskRow};

/// A text of an agent's on one line, in which nothing hides and nothing reorders. The pages' data is made on the
/// server; a browser takes it as it comes.
pub fn harmless(text: &str) -> String {
    #[cfg(feature = "ssr")]
    return visible::isolated(&visible::line(text));
    #[cfg(not(feature = "ssr"))]
    text.to_owned()
}

/// The name of a session or a task, in which nothing hides and nothing reorders. Addresses need the name as it is, so
/// this is made where it is drawn, and the same on the server and in a browser: signs that are no letter, no digit and
/// none of ASCII are written out.
pub(crate) fn drawn_name(name: &str) -> String {
    let mut drawn = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ' {
            drawn.push(c);
        } else {
            drawn.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::drawn_name;

    #[test]
    fn nothing_hides_in_a_name() {
        for (name, drawn) in [
            ("nightly-4711 a/b:ü数", "nightly-4711 a/b:ü数"),
            ("s\u{202e}on", "s⟨U+202E⟩on"),
            ("a\u{200b}b\n⟨", "a⟨U+200B⟩b⟨U+000A⟩⟨U+27E8⟩"),
        ] {
            assert_eq!(drawn_name(name), drawn);
        }
    }
}
