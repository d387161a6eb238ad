//! Which earlier questions are like one that waits: enough so that a person wants to see what was answered then. It is only
//! ever shown to them (rule 20).

use std::{cmp::Reverse, collections::BTreeSet};

use crate::{
    interaction::{AnswerContent, Ask, Interaction, Outcome, Repeatable, Request, State},
    limits::{EARLIER, EARLIER_ALIKE, EARLIER_WORDS, SEARCHED_WORD_CHARS},
};

/// Shorter words are in every question.
const TELLS: usize = 3;
/// How much of a long prompt is compared, in characters: what it begins with says what it is about.
const COMPARED: usize = 2_000;

/// The words by which an index finds questions like this one, all of each list in one text: first all that tell something,
/// then the longest half, which is what is left of a question that is put in another way. None where there is nothing that an
/// earlier answer could answer.
pub fn words_to_find(request: &Request) -> Vec<Vec<String>> {
    let Some(question) = request.repeatable() else {
        return Vec::new();
    };
    // As the index cuts them.
    let cut = |word: String| word.chars().take(SEARCHED_WORD_CHARS).collect();
    let tell = words(&question).into_iter().filter(|word| tells(word));
    let each: BTreeSet<String> = tell.map(cut).collect();
    let mut longest: Vec<String> = each.into_iter().collect();
    // The sort is stable, and the words come in the order of the alphabet: the same question finds the same.
    longest.sort_by_key(|word| Reverse(word.chars().count()));
    longest.truncate(EARLIER_WORDS);
    let half = longest.len().div_ceil(2);
    match half {
        0 => Vec::new(),
        _ if half == longest.len() => vec![longest],
        _ => vec![longest.clone(), longest[..half].to_vec()],
    }
}

/// Those of the found questions whose answer a person wants to see under this one, the most alike first, then the newest: of
/// the same team, answered by a person, and no answer twice.
pub fn earlier<'a>(asked: &Interaction, found: &'a [Interaction]) -> Vec<&'a Interaction> {
    let Some(question) = asked.request.repeatable() else {
        return Vec::new();
    };
    let mut like: Vec<(usize, &Interaction)> = found
        .iter()
        .filter(|one| one.id != asked.id && one.team_id() == asked.team_id())
        .filter(|one| is_by_person(one) && fits(&asked.request.ask, one))
        .filter_map(|one| Some((likeness(&question, &one.request.repeatable()?)?, one)))
        .collect();
    like.sort_by_key(|(alike, one)| Reverse((*alike, one.state.closed_at(), one.id)));
    let mut shown: Vec<&Interaction> = Vec::new();
    for (_, one) in like {
        let is_new = shown.iter().all(|other| other.answer() != one.answer());
        if is_new && shown.len() < EARLIER {
            shown.push(one);
        }
    }
    shown
}

/// What was answered by itself is the word of a person who did not see that question, and an answer with files is more than
/// its words.
fn is_by_person(one: &Interaction) -> bool {
    let is_whole =
        matches!(&one.state, State::Resolved { answer } if answer.attachments.is_empty());
    is_whole && one.state.outcome() == Some(Outcome::Answered) && one.remembered().is_none()
}

/// Whether the answer to the one can be given to this. A blank one tells nobody anything.
fn fits(ask: &Ask, one: &Interaction) -> bool {
    match (ask, one.answer()) {
        (Ask::Question, Some(AnswerContent::Text { text })) => !text.trim().is_empty(),
        (Ask::Choice(choice), Some(AnswerContent::Selected { selected })) => {
            let is_there = |value: &String| choice.options.iter().any(|it| it.value == *value);
            !selected.is_empty()
                && (choice.multiple || selected.len() == 1)
                && selected.iter().all(is_there)
        }
        _ => false,
    }
}

/// How many of their words are the same, in a hundred. `None` where they are not alike: of another kind, or about another
/// number, version or id, to which there may be another answer.
fn likeness(one: &Repeatable, other: &Repeatable) -> Option<usize> {
    if one.kind != other.kind {
        return None;
    }
    if one == other {
        return Some(100);
    }
    let (ours, theirs) = (words(one), words(other));
    let numbers = |words: &BTreeSet<String>| -> BTreeSet<String> {
        let with_digits = words.iter().filter(|word| word.contains(char::is_numeric));
        with_digits.cloned().collect()
    };
    if numbers(&ours) != numbers(&theirs) {
        return None;
    }
    let (both, all) = (
        ours.intersection(&theirs).count(),
        ours.union(&theirs).count(),
    );
    let alike = (100 * both).checked_div(all)?;
    // Not a hundred: they are not the same.
    (alike >= EARLIER_ALIKE).then_some(alike.min(99))
}

fn words(question: &Repeatable) -> BTreeSet<String> {
    let title = question.title.iter().flat_map(|title| title.chars());
    let space = std::iter::once(' ');
    let text: String = title
        .chain(space)
        .chain(question.prompt.chars())
        .take(COMPARED)
        .collect();
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        // Letter by letter, as the index does.
        .map(|word| word.chars().flat_map(char::to_lowercase).collect())
        .collect()
}

fn tells(word: &str) -> bool {
    word.chars().count() >= TELLS || word.contains(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::{
        Role, TeamId, TeamRef,
        decide::interaction::{self as decide, AskedOf},
        testing::{Counter, agent, at, given, person, request, written},
    };

    fn question(prompt: &str) -> Value {
        json!({"kind": "question", "prompt": prompt})
    }

    fn asked_of(body: Value, team: Option<TeamRef>, ids: &Counter) -> Interaction {
        let of = AskedOf { team, to: None };
        written(&decide::open_for(
            request(body),
            agent(),
            of,
            None,
            None,
            None,
            at(ids, 0),
        ))
    }

    fn asked(body: Value, ids: &Counter) -> Interaction {
        asked_of(body, None, ids)
    }

    fn answered(body: Value, answer: Value, seconds: i64, ids: &Counter) -> Interaction {
        let by = person(Role::Admin);
        let now = at(ids, seconds);
        written(&decide::answer(&asked(body, ids), given(answer), &by, None, now).unwrap())
    }

    fn texts(asked: &Interaction, found: &[Interaction]) -> Vec<String> {
        let earlier = earlier(asked, found);
        let brief = |one: &&Interaction| one.answer().map(AnswerContent::brief);
        earlier.iter().filter_map(brief).collect()
    }

    #[test]
    fn a_question_in_other_words_is_like_it_and_another_one_is_not() {
        let ids = Counter::default();
        let new = asked(
            question("Which timeout should the orders client use?"),
            &ids,
        );
        for (prompt, is_like) in [
            ("Which timeout should the orders client use?", true),
            ("which TIMEOUT should the orders client use", true),
            ("What timeout should the orders client use?", true),
            ("The orders client: which timeout should it use?", true),
            // Another thing, to which there is another answer.
            (
                "Which timeout should the payments client have by default?",
                false,
            ),
            ("Which timeout should the orders client use, of 2?", false),
            ("Should the client be renamed?", false),
            ("?", false),
        ] {
            let old = answered(question(prompt), json!({"text": "150 ms"}), 1, &ids);
            assert_eq!(!texts(&new, &[old]).is_empty(), is_like, "{prompt}");
        }
        let port = asked(question("Which port, 80?"), &ids);
        let other = answered(
            question("Which port, 8080?"),
            json!({"text": "yes"}),
            1,
            &ids,
        );
        assert!(texts(&port, &[other]).is_empty());
    }

    #[test]
    fn what_is_shown_is_the_word_of_a_person_of_the_same_team_to_a_question_of_the_same_kind() {
        let ids = Counter::default();
        let body = question("Which timeout?");
        let new = asked(body.clone(), &ids);
        let say = |text: &str| answered(body.clone(), json!({"text": text}), 1, &ids);
        assert_eq!(texts(&new, &[say("150 ms")]), ["150 ms"]);
        assert!(texts(&new, &[say(" \n")]).is_empty());
        assert!(texts(&new, std::slice::from_ref(&new)).is_empty());
        assert!(texts(&new, &[asked(body.clone(), &ids)]).is_empty());
        let shop = TeamRef {
            id: TeamId(Uuid::from_u128(5)),
            name: "shop".into(),
        };
        let theirs = asked_of(body.clone(), Some(shop.clone()), &ids);
        assert!(texts(&theirs, &[say("150 ms")]).is_empty());
        let yes = given(json!({"text": "secret"}));
        let admin = person(Role::Admin);
        let theirs = decide::answer(&theirs, yes, &admin, None, at(&ids, 1)).unwrap();
        assert!(texts(&new, &[written(&theirs)]).is_empty());
        let expired = {
            let body = json!({"kind": "question", "prompt": "Which timeout?", "fallback": "1 s", "timeout_seconds": 5});
            written(&decide::expire(&asked(body, &ids), None, at(&ids, 9)).unwrap())
        };
        assert!(texts(&new, &[expired]).is_empty());
        let mut erased = say("150 ms");
        erased.erased = Some(crate::interaction::Erased {
            at: at(&ids, 2).at,
            by: crate::Actor::Deadline,
        });
        assert!(texts(&new, &[erased]).is_empty());
        for other in [
            json!({"kind": "choice", "prompt": "Which timeout?", "options": ["150 ms", "1 s"]}),
            json!({"kind": "approval", "prompt": "Which timeout?", "action": {"tool": "t", "arguments": {}}}),
        ] {
            let other = asked(other, &ids);
            assert!(texts(&other, &[say("150 ms")]).is_empty());
        }
    }

    #[test]
    fn of_options_only_those_that_are_offered_again_are_shown() {
        let ids = Counter::default();
        let choice = |options: Value, multiple: bool| json!({"kind": "choice", "prompt": "Which region?", "options": options, "multiple": multiple});
        let new = asked(choice(json!(["eu", "us"]), false), &ids);
        let one = |options, multiple, selected: Value| {
            let answer = json!({"selected": selected});
            texts(
                &new,
                &[answered(choice(options, multiple), answer, 1, &ids)],
            )
        };
        assert_eq!(one(json!(["eu", "us"]), false, json!(["eu"])), ["eu"]);
        assert_eq!(one(json!(["asia", "eu"]), false, json!(["eu"])), ["eu"]);
        assert!(one(json!(["asia", "eu"]), false, json!(["asia"])).is_empty());
        assert!(one(json!(["eu", "us"]), true, json!(["eu", "us"])).is_empty());
    }

    #[test]
    fn the_most_alike_comes_first_then_the_newest_and_no_answer_twice() {
        let ids = Counter::default();
        let new = asked(
            question("Which timeout should the orders client use?"),
            &ids,
        );
        let other = "What timeout should the orders client use?";
        let same = "Which timeout should the orders client use?";
        let found: Vec<_> = [
            (other, "1 s", 9),
            (same, "2 s", 1),
            (same, "3 s", 2),
            (same, "2 s", 3),
            (other, "4 s", 4),
        ]
        .into_iter()
        .map(|(prompt, text, at)| answered(question(prompt), json!({"text": text}), at, &ids))
        .collect();
        assert_eq!(texts(&new, &found), ["2 s", "3 s", "1 s"]);
    }

    #[test]
    fn an_index_is_asked_for_what_tells_something() {
        let words = |prompt: &str| words_to_find(&request(question(prompt)));
        assert_eq!(
            words("Is it OK to set the orders timeout to 5?"),
            [
                vec!["timeout", "orders", "set", "the", "5"],
                vec!["timeout", "orders", "set"]
            ]
        );
        assert_eq!(words("Region?"), [vec!["region"]]);
        assert!(words("?? ok").is_empty());
        let long = "word".repeat(10) + &" lorem ipsum dolor".repeat(900);
        assert!(words(&long).iter().all(|list| list.len() <= EARLIER_WORDS));
        // No word is longer than the index keeps, in letters of any size; what is left is each once.
        let one = "\u{6f22}".repeat(690);
        assert_eq!(
            words(&format!("{one} {one}\u{5b57}")),
            [["\u{6f22}".repeat(SEARCHED_WORD_CHARS)]]
        );
        let approval = json!({"kind": "approval", "prompt": "Which timeout?", "action": {"tool": "t", "arguments": {}}});
        assert!(words_to_find(&request(approval)).is_empty());
    }

    proptest! {
        /// A question is like itself, however it is spelled, and likeness goes both ways.
        #[test]
        fn likeness_has_no_direction(one in "[a-d0-3 ?]{1,30}", other in "[a-d0-3 ?]{1,30}") {
            prop_assume!(!one.trim().is_empty() && !other.trim().is_empty());
            let of = |prompt: &str| request(question(prompt)).repeatable().unwrap();
            let (one, other) = (of(&one), of(&other));
            prop_assert_eq!(likeness(&one, &one), Some(100));
            prop_assert_eq!(likeness(&one, &other), likeness(&other, &one));
        }
    }
}
