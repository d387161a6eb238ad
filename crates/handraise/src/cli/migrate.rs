//! `handraise migrate`: the database's tables, as this program wants them.

use store::Schema;

use super::Place;

pub(super) async fn run(place: Place) -> anyhow::Result<()> {
    let config = place.config()?;
    let url = config.database_url.reveal();
    let before = store::inspect(url).await?;
    // Every opening brings the tables up to date.
    store::connect(url).await?;
    let Some(after) = store::inspect(url).await? else {
        println!("the database is in memory: there is nothing to bring up to date");
        return Ok(());
    };
    let (place, Schema::Current(version)) = (&after.place, after.schema) else {
        anyhow::bail!("the schema of {} was changed meanwhile", after.place);
    };
    match before.map(|before| before.schema) {
        Some(Schema::Current(_)) => println!("{place} was up to date: schema {version}"),
        Some(Schema::Older { found, .. }) => {
            println!("brought {place} up to date: from schema {found} to {version}");
        }
        _ => println!("made the tables of {place}: schema {version}"),
    }
    Ok(())
}
