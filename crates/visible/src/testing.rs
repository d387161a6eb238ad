//! Texts that surfaces are tried with.

use proptest::prelude::*;

/// Texts with troublesome characters in them.
pub fn hostile() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        4 => "[a-zA-Z0-9 ./\\\\\"'{}\\[\\]:,=&?#@+*-]{0,12}",
        2 => "\\PC{0,4}",
        1 => any::<char>().prop_map(String::from),
        2 => prop::sample::select(vec![
            "\n", "\r\n", "\t", " \n", "\u{202e}", "\u{200b}\u{200b}", "שלום 5", "ехес",
            "e\u{301}\u{301}\u{301}\u{301}\u{301}", "⟨U+202E⟩", "⟨RTL⟩", "i\u{307}", "cafe\u{301}",
            "\t\t\t\t", "            ", "\u{2010}\u{2024}\u{1c3}", "→", "\u{1112}\u{1161}", "\"", "DROP TABLE a;\n", "--- a\n+++ b\n@@\n",
            "-x\n+y\n", "{\"a\": 1}", "[1,2]", "https://a.example/?b=c&d#e", "  # a will be destroyed", "*** Begin Patch\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(parts, 0..6).prop_map(|parts| parts.concat())
}
