//! Making a team.

use domain::limits;
use leptos::prelude::*;

use crate::{
    components::{controls::Sending, settings::submit::Submit},
    server_fns::CreateTeam,
};

/// A name. It leads to the team, which has no members yet.
#[component]
pub(crate) fn CreateTeamForm(create: ServerAction<CreateTeam>) -> impl IntoView {
    let sending = Sending::of(create);
    view! {
        <section aria-labelledby="create-title">
            <h2 id="create-title" class="section-title">
                "Make a team"
            </h2>
            <ActionForm action=create attr:class="fields">
                <div class="labelled">
                    <label for="team-name">"Name"</label>
                    <input
                        id="team-name"
                        class="field"
                        name="name"
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        spellcheck="false"
                        dir="auto"
                        required
                        aria-describedby="team-hint create-problem"
                    />
                    <p id="team-hint" class="hint">
                        "Its members and agents come next. Agents may name it when they ask."
                    </p>
                </div>
                <Submit sending label="Make team" problem="create-problem" primary=true />
            </ActionForm>
        </section>
    }
}
