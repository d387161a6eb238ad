//! The data that pages show: plain, made by the server from domain types, without any markup.

mod access;
mod blocker;
mod group;
mod history;
mod outbound;
mod row;
mod visitor;
mod work;

pub use access::{
    Account, EndingToken, LinkNotice, PeopleList, PersonRow, SessionRow, SignInLink, SlackLink,
    SlackUser, Standing, TokenList, TokenRow,
};
pub use blocker::{
    ActionView, AnswerOutcome, Blocker, BlockerStatus, ChoiceView, Control, Earlier, Ending,
    FormStep, OptionView, Remark,
};
pub use group::{Answered, Group, GroupPart};
pub use history::{HistoryPage, HistoryQuery, Step, Story, What};
pub use outbound::{
    Again, DeliveryPage, DeliveryQuery, DeliveryRow, DeliveryStory, Destination, NoticeLines,
    Notices, Since, StuckChannel, Try, TryEnd, VoidDecision, WebhookList, WebhookRow,
    WebhookStanding, WebhookWish,
};
pub use row::{ClosedRow, Closure, HistoryRow, Progress, Row};
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
