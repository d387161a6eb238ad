//! Whether a text is a statement of SQL, by its first words.

/// The words statements begin with.
const SQL: [&str; 22] = [
    "select", "insert", "update", "delete", "drop", "alter", "create", "with", "truncate", "grant",
    "revoke", "merge", "begin", "explain", "copy", "vacuum", "pragma", "replace", "do", "call",
    "set", "lock",
];

/// Whether it is one.
pub(super) fn is_sql(text: &str) -> bool {
    let code = text.lines().map(str::trim_start);
    let mut code = code.filter(|line| !line.is_empty() && !line.starts_with("--"));
    let Some(line) = code.next() else {
        return false;
    };
    let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
    let word = word.to_lowercase();
    // A word alone may begin a sentence.
    SQL.contains(&word.as_str()) && (text.contains('\n') || has_second_word(&word, line))
}

fn has_second_word(first: &str, line: &str) -> bool {
    let line = line.to_lowercase();
    let has = |word: &str| {
        line.split(|c: char| !c.is_alphanumeric())
            .any(|it| it == word)
    };
    match first {
        "select" | "delete" => has("from"),
        "with" | "explain" => has("select"),
        "insert" | "merge" | "replace" => has("into"),
        "update" => has("set"),
        "drop" | "alter" | "create" | "truncate" => {
            [
                "table", "index", "view", "database", "schema", "user", "role", "column",
                "function", "type",
            ]
            .iter()
            .any(|word| has(word))
                || first == "truncate"
        }
        "grant" | "revoke" => has("on") || has("to") || has("from"),
        _ => line.trim_end().ends_with(';'),
    }
}
