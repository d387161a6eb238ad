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
fn a_file_is_told_by_its_bytes_and_their_number() {
    let folder = folder();
    let named = of_paths(folder.path(), ["x.sh", "new.txt"].into_iter());
    let sha256 = digest::sha256(b"x.sh").replace("sha256:", "");
    let (name, size) = ("x.sh".to_owned(), 4);
    assert_eq!(named.operands, [Operand { name, sha256, size }]);
    assert_eq!(named.left_out(), "");
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
fn what_is_left_out_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..limits::OPERANDS + 12 {
        fs::write(folder.path().join(format!("{n:03}")), "").unwrap();
    }
    let big = File::create(folder.path().join("big.iso")).unwrap();
    big.set_len(LARGEST + 1).unwrap();
    let all: Vec<_> = (0..limits::OPERANDS + 12)
        .map(|n| format!("{n:03}"))
        .collect();
    let command = format!("cat {} big.iso", all.join(" "));
    let named = of_command(folder.path(), &command);
    assert_eq!(named.operands.len(), limits::OPERANDS);
    let said = named.left_out();
    assert!(said.contains("`050` (too many files), "), "{said}");
    assert!(said.ends_with(", and 3 more"), "{said}");
    let said = of_command(folder.path(), "cat big.iso").left_out();
    assert!(
        said.ends_with("before it runs: `big.iso` (too large)"),
        "{said}"
    );
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
    for n in 0..MOST_FOLDERS {
        fs::create_dir(folder.path().join(format!("m{n}"))).unwrap();
    }
    let many: Vec<_> = (0..MOST_FOLDERS).map(|n| format!("cd m{n};")).collect();
    let said = of_command(folder.path(), &many.concat()).left_out;
    assert!(said.iter().any(|it| it.ends_with("(too many folders)")));
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
    assert!(of_command(folder.path(), &long).left_out().len() < 300);
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
    assert_eq!(named.left_out, ["`050` (too many files)"]);
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
        let name = command.rsplit(' ').next().map(str::to_owned);
        assert_eq!(now(), name);
    }
    let paths = || of_paths(folder.path(), ["out/new"].into_iter());
    let before = paths();
    fs::remove_file(at("out")).unwrap();
    symlink("sub", at("out")).unwrap();
    assert_eq!(paths().differs_from(&before).as_deref(), Some("out/new"));
}

#[test]
fn files_of_an_action_are_looked_at_again() {
    let folder = folder();
    let script = folder.path().join("x.sh");
    let mut action = Action {
        tool: "sh".to_owned(),
        arguments: domain::json::AnyJson(serde_json::json!({ "cwd": folder.path() })),
        operands: of_command(folder.path(), "sh x.sh").operands,
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
