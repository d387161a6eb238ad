//! Names that both ends of the Model Context Protocol use: the server that has the tools, and the bridge that passes
//! calls on.

/// The tool that asks people, and waits a while.
pub const ASK_HUMAN: &str = "ask_human";
/// The tool that waits for the answer to an earlier request.
pub const WAIT_FOR_ANSWER: &str = "wait_for_answer";
/// The tool that tells people something.
pub const NOTIFY_HUMAN: &str = "notify_human";
/// The tool that takes a question back.
pub const CANCEL_QUESTION: &str = "cancel_question";
/// The tool that lists this agent's requests.
pub const LIST_MY_QUESTIONS: &str = "list_my_questions";
/// The tool that asks whether another tool may run.
pub const APPROVE_TOOL_USE: &str = "approve_tool_use";

/// All tools; every other name belongs to another server.
pub const TOOLS: [&str; 6] = [
    ASK_HUMAN,
    WAIT_FOR_ANSWER,
    NOTIFY_HUMAN,
    CANCEL_QUESTION,
    LIST_MY_QUESTIONS,
    APPROVE_TOOL_USE,
];

/// In the `_meta` of a call: the run that an approval is for.
pub const RUN: &str = "handraise/run";
/// In the `_meta` of a call: the idempotency key that is asked under, so that the receipt is of this call and no other.
pub const KEY: &str = "handraise/key";
/// In the `_meta` of a result: the receipt of the approval.
pub const RECEIPT: &str = "handraise/receipt";
/// In the `_meta` of a result: the server's note that this run has used the approval.
pub const CONSUMED: &str = "handraise/consumed";
