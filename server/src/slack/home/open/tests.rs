use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn users(due: &[Due]) -> Vec<&str> {
    due.iter().map(|due| due.user.as_str()).collect()
}

fn shown(key: u64, seconds: i64) -> Shown {
    Shown {
        key,
        at: at(seconds),
    }
}

fn opened(user: &str) -> Arc<OpenHomes> {
    let homes = Arc::<OpenHomes>::default();
    homes.opened(user, at(0));
    homes
}

#[test]
fn one_task_shows_a_home_and_another_has_to_wait() {
    let homes = opened("ana");
    let due = homes.take_people(9, at(0));
    assert_eq!(users(&due), ["ana"]);
    homes.pressed("ana", None, at(1));
    assert_eq!(users(&homes.take_people(9, at(1))), [""; 0]);
    assert!(homes.hold("ana", at(9_999)).is_none());
    homes.keep(&due[0], Came::Shown(shown(1, 1), None), at(0));
    drop(due);
    // What was pressed meanwhile is shown after it.
    assert_eq!(users(&homes.take_people(9, at(1))), ["ana"]);
    assert!(homes.hold("ben", at(1)).is_some());
    assert!(homes.hold("ben", at(1)).is_some(), "it was given up");
}

#[test]
fn a_notice_stands_there_from_when_it_was_shown() {
    let homes = opened("ana");
    homes.pressed("ana", Some("Ben is on it.".into()), at(0));
    let due = homes.take_people(9, at(0)).remove(0);
    homes.keep(&due, Came::NoTurn(Some(TimeDelta::seconds(100))), at(0));
    drop(due);
    assert_eq!(users(&homes.take_people(9, at(99))), [""; 0]);
    let due = homes.take_people(9, at(100)).remove(0);
    let (number, words) = homes.notice("ana", at(100)).unwrap();
    assert_eq!(words, "Ben is on it.");
    homes.keep(&due, Came::Shown(shown(1, 100), Some(number)), at(100));
    drop(due);
    assert!(homes.notice("ana", at(129)).is_some());
    assert!(homes.notice("ana", at(130)).is_none());
}

#[test]
fn an_older_try_does_not_put_off_what_was_pressed_since() {
    let homes = opened("ana");
    let due = homes.take_people(9, at(0)).remove(0);
    homes.pressed("ana", Some("Ben is on it.".into()), at(1));
    homes.keep(&due, Came::Failed(Some(TimeDelta::seconds(60))), at(0));
    drop(due);
    let due = homes.take_people(9, at(1)).remove(0);
    assert_eq!(due.failures, 0);
    // What was published for the press before had no such notice.
    homes.keep(&due, Came::Shown(shown(1, 1), None), at(1));
    drop(due);
    assert!(homes.notice("ana", at(500)).is_some());
    homes.opened("ana", at(500));
    assert!(homes.notice("ana", at(500)).is_some());
}

#[test]
fn a_turn_that_was_not_had_is_no_failure() {
    let homes = opened("ana");
    for seconds in 0..9 {
        let due = homes.take_people(9, at(seconds)).remove(0);
        assert_eq!(due.failures, 0);
        homes.keep(&due, Came::NoTurn(None), at(seconds));
    }
    let due = homes.take_people(9, at(9)).remove(0);
    homes.keep(&due, Came::Refused, at(9));
    drop(due);
    assert_eq!(users(&homes.take_people(9, at(68))), [""; 0]);
    assert_eq!(users(&homes.take_people(9, at(69))), ["ana"]);
}

#[test]
fn what_a_home_shows_is_not_known_after_a_call_without_an_answer() {
    let homes = opened("ana");
    let due = homes.take_people(9, at(0)).remove(0);
    homes.keep(&due, Came::Shown(shown(1, 0), None), at(0));
    drop(due);
    for (came, left) in [
        (Came::Failed(None), Some(shown(1, 0))),
        (Came::Unclear(None), None),
    ] {
        homes.pressed("ana", None, at(0));
        let due = homes.take_people(9, at(0)).remove(0);
        homes.keep(&due, came, at(0));
        drop(due);
        homes.pressed("ana", None, at(0));
        let due = homes.take_people(9, at(0)).remove(0);
        assert_eq!(due.shown, left);
    }
}

#[test]
fn those_drawn_longest_ago_are_drawn_first() {
    let homes = Arc::<OpenHomes>::default();
    let names = ["a", "b", "c"];
    for name in names {
        homes.opened(name, at(0));
    }
    for due in homes.take_people(9, at(0)) {
        homes.keep(&due, Came::Shown(shown(1, 0), None), at(0));
    }
    for (seconds, name) in (1..).zip(names.into_iter().cycle().take(7)) {
        homes.news();
        let due = homes.take_news(1, at(seconds)).remove(0);
        assert_eq!(due.user, name);
        homes.keep(&due, Came::Shown(shown(1, seconds), None), at(seconds));
    }
    assert!(!homes.is_empty());
    assert_eq!(users(&homes.take_news(9, at(900))), [""; 0]);
    assert!(homes.is_empty());
}

#[test]
fn of_very_many_the_first_is_left_alone() {
    let homes = Arc::<OpenHomes>::default();
    for n in 0..=MOST_HOMES {
        homes.opened(&n.to_string(), at(i64::try_from(n).unwrap()));
    }
    let due = homes.take_people(MOST_HOMES + 9, at(500));
    assert_eq!(due.len(), MOST_HOMES);
    assert!(!users(&due).contains(&"0"));
}
