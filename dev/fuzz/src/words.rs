//! A command of a shell, in which names of files are looked for: those are part of what is approved.

use agent::testing::names_in;

/// Where a command is certainly read, each of its words is among the names.
pub fn words(bytes: &[u8]) {
    let Ok(command) = str::from_utf8(bytes) else {
        return;
    };
    let (names, is_certain) = names_in(command);
    assert!(
        names
            .iter()
            .all(|name| !name.is_empty() && name.len() <= 2 * 4_096)
    );
    if is_certain && !command.contains(['\'', '"', '\\']) {
        let is_end = |c: char| c.is_whitespace() || ";|&<>()".contains(c);
        // No path is longer.
        let is_fit = |word: &&str| (1..=4_096).contains(&word.len()) && !word.contains('\0');
        for word in command.split(is_end).filter(is_fit) {
            assert!(names.contains(word), "{word:?} of {command:?}");
        }
    }
}
