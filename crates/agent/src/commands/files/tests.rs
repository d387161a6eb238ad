use std::fs::File;

use domain::digest;

use super::{bytes::LARGEST, *};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for name in ["x.sh", "a b.sh", "sub/y.sh", "c.json", "odd;.sh", "'.sh"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    folder
}

fn names(folder: &Path, command: &str) -> Vec<String> {
    let named = of_command(folder, command);
    named.operands.into_iter().map(|it| it.name).collect()
}

#[test]
fn files_that_a_command_names_are_found_however_it_names_them() {
    let folder = folder();
    for (command, expected) in [
        ("./x.sh --force", &["./x.sh"][..]),
        ("bash x.sh;ls", &["x.sh"]),
        ("sudo -u me bash 'a b.sh' && echo done", &["a b.sh"]),
        ("bash a\\ b.sh", &["a b.sh"]),
        ("sh 'odd;.sh'", &["odd;.sh"]),
        ("bash<x.sh", &["x.sh"]),
        ("echo $(cat x.sh)", &["x.sh"]),
        ("echo `cat x.sh`", &["x.sh"]),
        ("bash -c 'cd /tmp; sh -c \"./x.sh now\"'", &["./x.sh"]),
        ("cd sub && ./y.sh", &["sub/./y.sh"]),
        ("curl -d @c.json https://h.example", &["c.json"]),
        ("tool --file=c.json -fx.sh", &["c.json", "x.sh"]),
        ("FILE=x.sh make", &["x.sh"]),
        ("make -sfx.sh", &["x.sh"]),
        ("curl -d@c.json -F f=@x.sh", &["c.json", "x.sh"]),
        ("git -c alias.z=!./x.sh z", &["./x.sh"]),
        ("tar --action=exec=./x.sh", &["./x.sh"]),
        ("bash \"'.sh\"", &["'.sh"]),
        ("bash x'.s'h;# don't", &["x.sh"]),
        ("bash x\\.sh;# don't", &["x.sh"]),
        ("bash 'a b.sh' <<E\nit isn't\nE", &["a b.sh"]),
        (
            "cat <<E\nisn't\nE\nbash 'a b.sh' <<F\ndon't\nF",
            &["a b.sh"],
        ),
        ("echo don't; bash x.sh", &["x.sh"]),
        ("cat <<E\nit isn't what x.sh isn't\nE", &["x.sh"]),
        ("cat x.sh ./x.sh sub/../x.sh", &["./x.sh"]),
        ("ls sub", &[]),
        ("bash nowhere.sh", &[]),
    ] {
        assert_eq!(names(folder.path(), command), expected, "{command}");
    }
}

#[test]
fn names_are_found_where_a_second_reader_finds_them() {
    let folder = folder();
    let at = folder.path().to_str().unwrap();
    let cases = [
        ("bash -c './x\\.sh'".to_owned(), "./x.sh"),
        ("bash -c \"x'.'sh\"".to_owned(), "x.sh"),
        ("bash -c './x\\.sh' \"isn't\"".to_owned(), "./x.sh"),
        ("eval bash a\\\\ b.sh".to_owned(), "a b.sh"),
        ("bash $'x\\x2esh'".to_owned(), "x.sh"),
        ("echo $'\\''; bash a\\ b.sh #'".to_owned(), "a b.sh"),
        ("sed -n 1e./x.sh c".to_owned(), "./x.sh"),
        (format!("sed -n 1e{at}/x.sh c"), &*format!("{at}/x.sh")),
        ("perl -e 'do q~./x.sh~'".to_owned(), "./x.sh"),
        ("perl -e 'do q%x.sh%'".to_owned(), "x.sh"),
        (format!("curl file://h{at}/x%2Esh"), &format!("{at}/x.sh")),
        ("sh /proc/self/cwd/x.sh".to_owned(), "/proc/self/cwd/x.sh"),
        (
            "sh /proc/./self/cwd/x.sh".to_owned(),
            "/proc/./self/cwd/x.sh",
        ),
    ];
    for (command, expected) in cases {
        let found = names(folder.path(), &command);
        assert!(
            found.iter().any(|it| it == expected),
            "{command}: {found:?}"
        );
    }
    let argv = ["ssh", "here", "bash", "a\\", "b.sh"].map(str::to_owned);
    let found = of_arguments(folder.path(), &argv).operands;
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_name_is_found_whatever_is_glued_to_it() {
    let folder = folder();
    fs::create_dir(folder.path().join("sub@2")).unwrap();
    for name in [
        "a,b.sh",
        "v1@x.sh",
        "run:ci.sh",
        "a=b.sh",
        "a b,c.sh",
        "x.sh,",
        "x.sh!",
        "x y.sh",
    ] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    for (command, expected) in [
        ("bash v1@x.sh; echo done", "v1@x.sh"),
        ("./run:ci.sh&& echo ok", "./run:ci.sh"),
        ("sh a,b.sh; true", "a,b.sh"),
        ("sh<a,b.sh", "a,b.sh"),
        ("cat a=b.sh|sh", "a=b.sh"),
        ("dd if=a,b.sh | sh", "a,b.sh"),
        ("make SHELL=a,b.sh x", "a,b.sh"),
        ("tar --use-compress-program=a,b.sh -cf x y", "a,b.sh"),
        ("sh x.sh,;true", "x.sh,"),
        ("sh 'a b,c.sh';true", "a b,c.sh"),
        ("timeout 5 sh v1@x.sh&", "v1@x.sh"),
        ("bash -c 'sh a,b.sh; true'", "a,b.sh"),
        ("sh -c 'sh x.sh!; true'", "x.sh!"),
        ("sh -c 'sh {x.sh}; true'", "x.sh"),
        ("perl -e 'exec qw!sh a,b.sh!'", "a,b.sh"),
        ("sed -n 1rx.sh c | sh", "x.sh"),
        ("sed '1Rx.sh' c|sh", "x.sh"),
        ("sed -n '1r x y.sh' c | sh", "x y.sh"),
        ("gdb -q -ex 'source x y.sh'", "x y.sh"),
    ] {
        let found = names(folder.path(), command);
        assert!(
            found.iter().any(|it| it == expected),
            "{command}: {found:?}"
        );
    }
    let left = of_command(folder.path(), "make -C sub@2; true").left_out;
    assert!(left.iter().any(|it| it.contains("sub@2")), "{left:?}");
    // A command too long for that is said to be more than plain words.
    let long = format!("sed -n 1r{}x.sh c", "a/".repeat(60));
    assert!(of_command(folder.path(), &long).is_more);
    assert!(!of_command(folder.path(), "sed -n 1rx.sh c").is_more);
}

#[test]
fn a_folder_that_is_called_as_the_home_is_written_is_looked_into_too() {
    let folder = folder();
    fs::create_dir(folder.path().join("~")).unwrap();
    fs::write(folder.path().join("~/x.sh"), "other").unwrap();
    for command in ["sh '~/x.sh'", "sh \\~/x.sh"] {
        let found = names(folder.path(), command);
        assert!(
            found.iter().any(|it| it == "./~/x.sh"),
            "{command}: {found:?}"
        );
    }
    let named = of_paths(folder.path(), ["~/x.sh"].into_iter()).operands;
    assert_eq!(named.len(), 1);
}

#[test]
fn what_only_stands_inside_of_a_word_is_a_file_or_nothing() {
    let folder = folder();
    for command in ["ls sub/dev", "cat build/tmp x/usr/bin"] {
        let named = of_command(folder.path(), command);
        let said = format!("\n\n{}", plain::LISTED);
        assert_eq!(named.not_covered(), said, "{command}");
        assert_eq!(named.operands, [], "{command}");
    }
}

#[test]
fn a_file_is_found_wherever_in_a_word_its_name_stands() {
    let folder = folder();
    for command in [
        "sed sXaX./x.shXe",
        "sed s-a-./x.sh-e",
        "sed -e s_a_./x.sh_e -e p",
        "sed s+a+make -fx.sh+e",
        "perl -edo+q-./x.sh-",
    ] {
        let named = of_command(folder.path(), command);
        let names: Vec<_> = named.operands.iter().map(|it| &it.name).collect();
        assert!(
            names.iter().any(|it| it.ends_with("x.sh")),
            "{command}: {names:?}"
        );
    }
}

#[test]
fn of_what_is_more_than_plain_words_people_are_told_so() {
    let folder = folder();
    let command = |it: &str| of_command(folder.path(), it).not_covered();
    let listed = format!("\n\n{}", plain::LISTED);
    assert_eq!(command("bash x.sh && ./x.sh | tee out"), listed);
    for more in [
        "bash x^y",
        "bash x\\.sh",
        "bash x'.'sh",
        "bash =x.sh",
        "zsh x(.)",
    ] {
        assert_eq!(command(more), format!("\n\n{}", plain::MORE), "{more}");
    }
    let arguments = |it: &str| {
        let argv = ["sh", "-c", it].map(str::to_owned);
        of_arguments(folder.path(), &argv).is_more
    };
    assert!(!arguments("make deploy") && arguments("\"x\""));
    let texts = |it: &str| of_texts(folder.path(), &["x", it]).is_more;
    assert!(!texts("SELECT 1") && texts("it's"));
    // The name of a file that is written is nothing to be read.
    assert!(!of_paths(folder.path(), ["x'*.sh"].into_iter()).is_more);
}

#[test]
fn a_file_is_told_by_its_bytes_and_their_number() {
    let folder = folder();
    let named = of_paths(folder.path(), ["x.sh", "new.txt"].into_iter());
    let sha256 = digest::sha256(b"x.sh").replace("sha256:", "");
    let (name, size) = ("x.sh".to_owned(), 4);
    assert_eq!(named.operands, [Operand { name, sha256, size }]);
    assert_eq!(named.not_covered(), "");
    let argv = ["bash", "a b.sh", "--file=c.json"].map(str::to_owned);
    let named = of_arguments(folder.path(), &argv).operands;
    assert_eq!(named.len(), 2);
}

#[test]
fn whatever_became_of_a_file_is_seen() {
    let folder = folder();
    let now = || of_command(folder.path(), "bash x.sh new.sh");
    let before = now();
    assert_eq!(now().differs_from(&before), None);
    let (script, new) = (folder.path().join("x.sh"), folder.path().join("new.sh"));
    fs::write(&script, "X.sh").unwrap();
    let differs = || now().differs_from(&before);
    assert_eq!(differs().as_deref(), Some("x.sh"));
    fs::remove_file(&script).unwrap();
    assert_eq!(differs().as_deref(), Some("x.sh"));
    fs::write(&script, "x.sh").unwrap();
    assert_eq!(differs(), None);
    fs::write(&new, "").unwrap();
    assert_eq!(differs().as_deref(), Some("new.sh"));
}

#[test]
fn what_is_left_out_is_said_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let big = File::create(folder.path().join("big.iso")).unwrap();
    big.set_len(LARGEST + 1).unwrap();
    let said = of_command(folder.path(), "cat big.iso").not_covered();
    let left_out = "\n\nNot looked into, so they may change before it runs: `big.iso` (too large)";
    assert_eq!(said, format!("\n\n{}{left_out}", plain::LISTED));
    let all: Vec<_> = (0..40).map(|n| format!("x{n:02}*")).collect();
    let command = format!("cat {}", all.join(" "));
    let named = of_command(folder.path(), &command);
    let said = named.told_after("May it?").unwrap();
    assert!(all.iter().all(|it| said.contains(it)), "{said}");
    assert!(said.starts_with(&format!("May it?\n\n{}\n\nNot", plain::MORE)));
}

#[test]
fn more_than_people_can_be_told_or_an_approval_can_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |command: &str| {
        let named = of_command(folder.path(), command);
        let told = named.told_after("May it?");
        told.err().map(|why| why.to_string()).unwrap_or_default()
    };
    for many in [500, 3_000] {
        let all: Vec<_> = (0..many).map(|n| format!("x{n}*")).collect();
        let why = refused(&all.join(" "));
        assert!(why.contains("no more than 20000 characters"), "{why}");
    }
    let all: Vec<_> = (0..=limits::OPERANDS).map(|n| format!("{n:03}")).collect();
    for name in &all {
        fs::write(folder.path().join(name), "").unwrap();
    }
    assert_eq!(refused(&all[1..].join(" ")), "");
    let why = refused(&all.join(" "));
    assert!(why.starts_with("it names more than 50 files"), "{why}");
}

#[cfg(unix)]
#[test]
fn a_name_that_no_approval_can_hold_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a\tb.sh", "a\r.sh", "a\nb.sh", "\u{2800}"] {
        fs::write(folder.path().join(name), "").unwrap();
        let named = of_command(folder.path(), &format!("sh '{name}'"));
        let why = named.told_after("").unwrap_err().to_string();
        assert!(why.contains(&format!("{name:?}")), "{why}");
        assert!(why.ends_with("call the file something else"), "{why}");
    }
}

#[test]
fn folders_in_folders_are_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("d1/d2")).unwrap();
    fs::write(folder.path().join("d1/d2/y.sh"), "y").unwrap();
    for command in ["cd d1 && cd d2 && ./y.sh", "cd d1; (cd d2; sh y.sh)"] {
        let found = names(folder.path(), command);
        assert_eq!(found.len(), 1, "{command}: {found:?}");
        assert!(found[0].ends_with("y.sh"), "{found:?}");
    }
    // More than there is time for.
    for n in 0..MOST_FOLDERS + 3 {
        fs::create_dir(folder.path().join(format!("m{n}"))).unwrap();
    }
    let many: Vec<_> = (0..MOST_FOLDERS + 3).map(|n| format!("cd m{n};")).collect();
    let said = of_command(folder.path(), &many.concat()).left_out;
    assert!(said.iter().any(|it| it.ends_with("(too many folders)")));
    for n in 0..MOST_FOLDERS + 3 {
        let named = format!("`m{n}` (a folder)");
        assert!(said.contains(&named), "{named} is not in {said:?}");
    }
}

#[test]
fn what_only_a_shell_can_read_is_said_to_be_left_out() {
    let folder = folder();
    let completed = "a shell makes something else of it";
    for (command, expected) in [
        ("./{x,y}.sh", format!("`./{{x,y}}.sh` ({completed})")),
        ("sh x{1..3}", format!("`x{{1..3}}` ({completed})")),
        ("sh *.sh", format!("`*.sh` ({completed})")),
        ("find -exec sh {} +", format!("`{{}}` ({completed})")),
        ("ls | xargs sh", format!("`xargs` ({completed})")),
        (
            "env -S'bash\\_x.sh'",
            format!("`-S'bash\\_x.sh` ({completed})"),
        ),
        ("bash \"$SCRIPT\"", format!("`$SCRIPT` ({completed})")),
        ("sh ~ana/x.sh", format!("`~ana/x.sh` ({completed})")),
        ("bash -c 'sh [a-z].sh'", format!("`[a-z].sh` ({completed})")),
        ("zsh -c 'sh (x|y).sh'", format!("`x|y).sh` ({completed})")),
        (
            "cd && ./x",
            "`cd` (to a folder that only the shell knows)".to_owned(),
        ),
        (
            "cd -; ./x",
            "`cd` (to a folder that only the shell knows)".to_owned(),
        ),
        (
            "cd -- && ./x",
            "`cd` (to a folder that only the shell knows)".to_owned(),
        ),
        (
            "command cd -P; ./x",
            "`cd` (to a folder that only the shell knows)".to_owned(),
        ),
        (
            "if popd; then ./x; fi",
            "`popd` (to a folder that only the shell knows)".to_owned(),
        ),
        (
            "bash 'a b.sh' # isn't\nls;# isn't",
            "what stands in its quotes, which cannot be told apart".to_owned(),
        ),
        (
            "cat <<E\nisn't\nE\nsh x.sh <<F\ndon't\nF",
            "what stands in its quotes, which cannot be told apart".to_owned(),
        ),
        ("make -C sub", "`sub` (a folder)".to_owned()),
    ] {
        let found = of_command(folder.path(), command).left_out;
        assert_eq!(found, [expected], "{command}");
    }
    let usual = "cd sub && sh x.sh 2>/dev/null # 'all' && ls -l";
    assert_eq!(
        of_command(folder.path(), usual).left_out,
        ["`sub` (a folder)"]
    );
    for script in ["sh *.sh", "./*.sh"] {
        let argv = ["sh", "-c", script].map(str::to_owned);
        let found = of_arguments(folder.path(), &argv).left_out;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with(&format!("*.sh` ({completed})")));
    }
    let mut deep = "sh x.sh".to_owned();
    for _ in 0..6 {
        deep = format!("bash -c {}", shell_words::quote(&deep));
    }
    let found = of_command(folder.path(), &deep).left_out;
    assert_eq!(found, ["what stands deep in its quotes"]);
    let long = format!("sh {}*", "x".repeat(1_000));
    assert!(of_command(folder.path(), &long).not_covered().len() < 300);
}

#[test]
fn what_is_too_much_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<_> = (0..=limits::OPERANDS).map(|n| format!("{n:03}")).collect();
    for name in &all {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let last = folder.path().join(&all[limits::OPERANDS]);
    fs::write(&last, "x".repeat(10)).unwrap();
    let (found, read) = hash(&last, 4);
    assert_eq!((found.unwrap(), read), (None, 0));
    let (found, read) = hash(&last, 10);
    assert_eq!((found.unwrap().is_some(), read), (true, 10));
    let named = of_command(folder.path(), &format!("cat {}", all.join(" ")));
    assert!(named.too_many && named.operands.len() == limits::OPERANDS);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_and_said_to_be_left_out() {
    let folder = folder();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("p.sh"))
        .status();
    assert!(made.unwrap().success());
    let found = of_command(folder.path(), "bash p.sh").left_out;
    assert_eq!(found, ["`p.sh` (no regular file)"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_elsewhere_is_another_file() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("other")).unwrap();
    fs::copy(at("x.sh"), at("other/x.sh")).unwrap();
    for (link, first, then, command) in [
        ("to", "x.sh", "other/x.sh", "edit to"),
        ("out", "sub", "other", "cp x.sh out/authorized_keys"),
        ("deep", "sub", "other", "cp x.sh deep/a/b"),
    ] {
        symlink(first, at(link)).unwrap();
        let before = of_command(folder.path(), command);
        let now = || of_command(folder.path(), command).differs_from(&before);
        assert_eq!(now(), None);
        fs::remove_file(at(link)).unwrap();
        symlink(then, at(link)).unwrap();
        // A part of the way there is a name as well.
        let name = command.rsplit(' ').next().unwrap();
        assert!(now().is_some_and(|it| name.starts_with(&it)), "{name}");
    }
    let paths = || of_paths(folder.path(), ["out/new"].into_iter());
    let before = paths();
    fs::remove_file(at("out")).unwrap();
    symlink("sub", at("out")).unwrap();
    assert_eq!(paths().differs_from(&before).as_deref(), Some("out/new"));
}

#[cfg(unix)]
#[test]
fn a_name_leads_where_a_shell_and_where_the_kernel_goes() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("far/deep")).unwrap();
    fs::write(at("far/x.sh"), "of the kernel").unwrap();
    symlink("far/deep", at("link")).unwrap();
    let mut found = names(folder.path(), "cd link/.. && sh x.sh");
    found.sort();
    assert_eq!(found.len(), 2, "{found:?}");
    let found = names(folder.path(), "sh link/../x.sh");
    assert_eq!(found, ["link/../x.sh", "x.sh"]);
    // From where a link has led.
    let found = names(folder.path(), "cd link; sh ../x.sh");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[cfg(unix)]
#[test]
fn another_folder_in_the_place_of_the_one_it_runs_in_is_seen() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["a", "b"] {
        fs::create_dir(at(name)).unwrap();
    }
    symlink("a", at("work")).unwrap();
    let here = at("work");
    let before = of_command(&here, "make");
    let differs = || of_command(&here, "make").differs_from(&before);
    assert_eq!(differs(), None);
    fs::remove_file(&here).unwrap();
    symlink("b", &here).unwrap();
    assert_eq!(differs().as_deref(), Some("the folder that it runs in"));
    fs::remove_file(&here).unwrap();
    symlink("a", &here).unwrap();
    assert_eq!(differs(), None);
    // One of the same name, and a folder that is named.
    for command in ["make", "ls ../a"] {
        let before = of_command(&here, command);
        fs::rename(at("a"), at("old")).unwrap();
        fs::create_dir(at("a")).unwrap();
        assert!(of_command(&here, command).differs_from(&before).is_some());
        fs::remove_dir(at("a")).unwrap();
        fs::rename(at("old"), at("a")).unwrap();
    }
    fs::create_dir_all(at("b/sub")).unwrap();
    let before = of_command(&at("b"), "ls sub");
    fs::rename(at("b/sub"), at("b/old")).unwrap();
    fs::create_dir(at("b/sub")).unwrap();
    let found = of_command(&at("b"), "ls sub").differs_from(&before);
    assert_eq!(found.as_deref(), Some("sub"));
}

#[cfg(unix)]
#[test]
fn a_name_where_nothing_was_leads_nowhere_else_later() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let place = |name: &str, to: Option<&str>| {
        let _ = fs::remove_file(at(name));
        if let Some(to) = to {
            symlink(to, at(name)).unwrap();
        }
    };
    for (first, then) in [
        // Nothing, a link to nothing, to a file, to a folder.
        (None, Some("nowhere")),
        (None, Some("/etc/passwd")),
        (None, Some("sub")),
        (Some("nowhere"), Some("elsewhere")),
        (Some("nowhere"), Some("x.sh")),
        (Some("nowhere"), None),
        (Some("x.sh"), Some("./x.sh")),
    ] {
        for (name, command) in [("out", "cp x.sh out"), ("sub/out", "cp x.sh sub/out")] {
            place(name, first);
            let before = of_command(folder.path(), command);
            let differs = || of_command(folder.path(), command).differs_from(&before);
            assert_eq!(differs(), None);
            place(name, then);
            assert!(differs().is_some(), "{first:?} {then:?}");
            place(name, None);
        }
    }
    // The second link on the way.
    place("out", Some("next"));
    place("next", Some("nowhere"));
    let paths = || of_paths(folder.path(), ["out"].into_iter());
    let before = paths();
    place("next", Some("elsewhere"));
    assert_eq!(paths().differs_from(&before).as_deref(), Some("out"));
    // A file that a link takes the place of, to another with the same bytes.
    fs::copy(at("x.sh"), at("same.sh")).unwrap();
    fs::copy(at("x.sh"), at("copy.sh")).unwrap();
    let before = of_command(folder.path(), "sh same.sh");
    place("same.sh", Some("copy.sh"));
    let found = of_command(folder.path(), "sh same.sh").differs_from(&before);
    assert_eq!(found.as_deref(), Some("same.sh"));
}

#[test]
fn files_of_an_action_are_looked_at_again() {
    let folder = folder();
    let script = folder.path().join("x.sh");
    let mut action = Action {
        tool: "sh".to_owned(),
        arguments: domain::json::AnyJson(serde_json::json!({ "cwd": folder.path() })),
        operands: of_command(folder.path(), "sh x.sh").operands,
        attachments: Vec::new(),
    };
    unchanged(&action).unwrap();
    for other in ["X.sh", "x.sh and more", ""] {
        fs::write(&script, other).unwrap();
        let refused = unchanged(&action).unwrap_err().to_string();
        assert!(
            refused.contains("x.sh is not as it was approved"),
            "{refused}"
        );
    }
    fs::remove_file(&script).unwrap();
    let refused = unchanged(&action).unwrap_err().to_string();
    assert!(refused.contains("--no-files"), "{refused}");
    action.operands.clear();
    unchanged(&action).unwrap();
}

#[cfg(unix)]
#[test]
fn where_links_lead_is_told() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    symlink("/etc", at("out")).unwrap();
    symlink("x.sh", at("same")).unwrap();
    let links = |path: &str| of_paths(folder.path(), [path].into_iter()).links(folder.path());
    let absolute = |name: &str| at(name).display().to_string();
    for straight in [
        "x.sh",
        "./x.sh",
        "new.sh",
        "sub/new",
        "out/../x.sh",
        "~/x.sh",
    ] {
        assert!(links(straight).is_empty(), "{straight}");
    }
    assert!(links(&absolute("x.sh")).is_empty());
    for name in ["out/new", "same", &absolute("out/new")] {
        assert_eq!(links(name).len(), 1, "{name}");
    }
    assert_eq!(links("out/new")["out/new"], "/etc/new");
}
