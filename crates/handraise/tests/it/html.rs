//! The reader of HTML that tests use lets nothing pass that could run.

use crate::support::html::text_of;

#[test]
#[should_panic(expected = "there is a <img>")]
fn a_foreign_element_fails() {
    text_of("<p>x<img src=\"/pkg/x\"></p>");
}

#[test]
#[should_panic(expected = "onclick")]
fn a_handler_fails() {
    text_of("<p onclick=\"x\">x</p>");
}

#[test]
#[should_panic(expected = "javascript:")]
fn a_script_link_fails() {
    text_of("<a href=\"javascript:x\">x</a>");
}

#[test]
fn text_is_read_as_a_person_would() {
    let html =
        "<!DOCTYPE html><p>a &amp;lt; <!--x--><bdi>b</bdi></p><script nonce=\"1\">c<d</script>e";
    assert_eq!(text_of(html), "a &lt; b e");
}
