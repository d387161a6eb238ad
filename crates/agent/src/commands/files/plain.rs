//! Whether a command is plain: nothing but words, and their separators. A shell has more ways to name a file than
//! anybody can list, so a command that is not certain to be plain is taken for more, whichever way it is.

use std::{env, path::Path};

/// The remark to people about everything else.
pub(super) const MORE: &str =
    "This is more than plain words: files that it names may have been missed.";

/// The remark to people about plain words: a program may be told of a file in more ways than by its
/// name.
pub(super) const LISTED: &str =
    "Files that are listed with it are approved as they are now. Others were not looked into.";

/// Words after which names mean something else: another folder, another home, another machine.
const CHANGES: [&str; 20] = [
    "cd",
    "eval",
    "exec",
    "trap",
    "env",
    "su",
    "sg",
    "sudo",
    "doas",
    "login",
    "pkexec",
    "runuser",
    "ssh",
    "nsenter",
    "unshare",
    "xargs",
    "-execdir",
    "--exec",
    "--chdir",
    "--directory",
];
/// The same, also in the middle of a word: `perl -echdir+q%a%`.
const CHANGES_ANYWHERE: [&str; 5] = ["chdir", "pushd", "popd", "chroot", "setpriv"];
/// Variables that a shell looks at where no word shows it.
const VARIABLES: [&str; 9] = [
    "HOME", "CDPATH", "BASH_ENV", "ENV", "PATH", "FPATH", "ZDOTDIR", "PWD", "OLDPWD",
];
/// Each of them makes another text of the text around it, in some shell.
const READ_OTHERWISE: [char; 9] = ['\'', '"', '\\', '$', '`', '\n', '^', '{', '}'];
/// In an option of more letters it is unknown which of them takes the rest.
const LETTERS: usize = 16;

/// Of a text that a shell is given to read.
pub(super) fn is_plain(command: &str) -> bool {
    is_words(command) && !changes_names(command)
}

/// Of one of a program's arguments, which a shell may be given.
pub(super) fn is_plain_argument(argument: &str) -> bool {
    is_plain_quoted(argument) && !changes_names(argument)
}

/// Of a text in a tool's input. Most of them are no commands, so only a text that surely is more
/// counts.
pub(super) fn is_plain_text(text: &str) -> bool {
    !text.contains(['*', '?', '[', '{', '$', '`', '\'', '"', '\\', '~'])
}

fn is_words(command: &str) -> bool {
    let mut rest = command;
    while let Some(first) = rest.chars().next() {
        let after = match first {
            c if is_between(c) => Some(&rest[1..]),
            '<' | '>' => after_redirection(rest),
            '\'' | '"' => after_quoted(&rest[1..], first),
            _ => after_word(rest),
        };
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

fn is_between(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&')
}

/// Whether a word may end here.
fn is_end(rest: &str) -> bool {
    let next = rest.chars().next();
    next.is_none_or(|c| is_between(c) || matches!(c, '<' | '>'))
}

fn after_redirection(rest: &str) -> Option<&str> {
    if let Some(after) = rest.strip_prefix('<') {
        // `<<` is a text, `<(` a command, and `<1-3>` in some shells any of three names.
        let chunk = after.split(is_between).next().unwrap_or_default();
        return (!chunk.contains(['<', '>', '(']) && !after.starts_with('&')).then_some(after);
    }
    let after = rest.strip_prefix(">>").or_else(|| rest.strip_prefix('>'))?;
    match after.strip_prefix('&') {
        Some(to) => {
            let after = to.trim_start_matches(|c: char| c.is_ascii_digit());
            (after.len() < to.len() && is_end(after)).then_some(after)
        }
        None => (!after.starts_with('>')).then_some(after),
    }
}

fn after_quoted(inner: &str, quote: char) -> Option<&str> {
    let (inner, after) = inner.split_once(quote)?;
    (is_plain_quoted(inner) && is_end(after)).then_some(after)
}

fn after_word(rest: &str) -> Option<&str> {
    // `=ls` is a program's path in some shells.
    let word = rest.strip_prefix("~/").unwrap_or(rest);
    let after = word.trim_start_matches(is_ordinary);
    (after.len() < rest.len() && is_end(after) && !rest.starts_with('=')).then_some(after)
}

/// A character that stands for itself in every shell.
fn is_ordinary(c: char) -> bool {
    c.is_alphanumeric() || "_./-+=:,@%".contains(c)
}

/// A text that a program or another shell may be given to read.
fn is_plain_quoted(text: &str) -> bool {
    let is_other = |chunk: &str| {
        // `xx#.sh` is a choice, and `a:~b/c` a user's home.
        let inner = chunk.strip_prefix("~/").unwrap_or(chunk);
        is_choice(chunk) || inner.contains('~') || inner.trim_start_matches('#').contains('#')
    };
    !text.contains(READ_OTHERWISE) && !text.split_whitespace().any(is_other)
}

/// `x(y)`, `(x|y).sh` and `<1-3>` are names that some shells complete.
fn is_choice(chunk: &str) -> bool {
    let inner = chunk.trim_start_matches('(');
    let inner = inner.trim_end_matches([')', '.', ',', ':', ';', '!']);
    let is_numbers = chunk
        .split_once('<')
        .is_some_and(|(_, rest)| rest.contains('>'));
    inner.contains(['(', ')']) || is_numbers
}

/// Whether it makes names mean something else, in quotes too. Whose folder `/proc/self` names depends on who looks.
fn changes_names(command: &str) -> bool {
    let between = |c: char| c.is_whitespace() || ";|&<>()'\"=,:@{}`$!+%".contains(c);
    let mut words = command.split(between);
    words.any(|word| {
        let program = word.rsplit('/').next().unwrap_or(word);
        CHANGES.contains(&program)
            || VARIABLES.contains(&word)
            || names_itself(word)
            || (word.starts_with('-') && !word.starts_with("--") && word.len() > LETTERS)
    }) || CHANGES_ANYWHERE.iter().any(|it| command.contains(it))
        || command.contains("~+")
        || command.contains("~-")
        || (command.contains('~') && !has_home())
}

/// However it is written: `/proc/net/../cwd`, `/dev//fd`.
fn names_itself(word: &str) -> bool {
    let has = |name: &str| word.contains('/') && word.split('/').any(|part| part == name);
    has("proc") || (has("dev") && has("fd"))
}

/// Whether `~` is one folder for every reader.
fn has_home() -> bool {
    env::var_os("HOME").is_some_and(|home| Path::new(&home).is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_words_and_what_separates_them_is_plain() {
        for command in [
            "",
            "make",
            "./x.sh --force; bash 'a b.sh' && cargo test -p agent | tee out.txt &",
            "rm -rf build\nls -l > out 2>&1",
            "cat <in >> out || true",
            "~/bin/x.sh naïve/ファイル.txt a=b 50% @c.json x:y,z +1",
            "git commit -m \"Say why (again), and how.\"",
            "sort<in>out",
        ] {
            // Words glued like this may be a range of numbers.
            assert_eq!(is_plain(command), !command.contains("<in>"), "{command}");
        }
    }

    #[test]
    fn everything_that_a_shell_may_read_otherwise_is_more() {
        for command in [
            "sh *.sh",
            "sh x?",
            "sh [a-z]",
            "sh $X",
            "sh `x`",
            "sh {a,b}",
            "sh x\\.sh",
            "sh x'.'sh",
            "sh 'x'.sh",
            "sh --file='x y'",
            "sh $'x'",
            "sh \"$X\"",
            "bash -c 'sh \"x\"'",
            "bash -c './x\\.sh'",
            "sh 'a\nb'",
            "sh 'a",
            "sh x(y)",
            "zsh -c 'sh x(y)'",
            "zsh -c 'sh (x|y).sh'",
            "zsh -c 'sh x<1-3>.sh'",
            "sh x<1-3>.sh",
            "sh <(x)",
            "sh <<E",
            "sh <<<x",
            "sh <&3",
            "sh >&x",
            "sh x^y",
            "sh x # y",
            "sh =x",
            "sh ~",
            "sh ~ana/x",
            "sh ~+/x",
            "sh a:~/x",
            "sh ! x",
            "sh x\u{a0}y",
            "sh x\r",
            "cd sub && ./x.sh",
            "pushd sub",
            "eval ./x.sh",
            "bash -c 'cd sub; ./x.sh'",
            "trap ./x.sh EXIT",
            "HOME=/srv make",
            "export PATH",
            "PATH+=:/srv make",
            "env BASH_ENV=x.sh bash y.sh",
            "env 'CDPATH=/srv' make",
            "read HOME <x",
            "sh /proc/self/cwd/x.sh",
            "sh /dev/fd/../cwd/x.sh",
            "sh /proc/net/../cwd/x.sh",
            "sh /dev//fd/../cwd/x.sh",
            "sh /dev/./fd/../cwd/x.sh",
            "env -C sub make",
            "sudo -i sh x.sh",
            "git rebase --exec x.sh o",
            "/usr/bin/env -i bash -c 'sh x.sh'",
            "/bin/su - root -c ./x.sh",
            "exec -c sh x.sh",
            "setpriv --reset-env sh x.sh",
            "true&&xargs -alist sh",
            "find . -execdir sh y.sh",
            "perl -echdir+q%sub%,do+q%./x.sh%",
            "make -ssssssssssssssssssCsub",
            "sh -c 'sh <~root/x.sh'",
            "bash -c 'dd if=~root/x.sh'",
            "zsh -c 'sh ^y'",
            "zsh -c 'sh xx#.sh'",
            "zsh -c 'sh {xy}.sh'",
        ] {
            assert!(!is_plain(command), "{command}");
        }
    }

    #[test]
    fn an_argument_is_as_plain_as_a_quoted_word() {
        for (argument, plain) in [
            ("a b.sh", true),
            ("--file=x.sh", true),
            ("make deploy; make test", true),
            ("x\\.sh", false),
            ("cd /srv; make", false),
            ("echo \"x\"", false),
            ("a\nb", false),
        ] {
            assert_eq!(is_plain_argument(argument), plain, "{argument}");
        }
    }
}
