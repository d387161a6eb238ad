//! `handraise team duty`: who of a team is on duty.

use std::{
    fs::File,
    io::{self, Read},
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use domain::{
    AbsenceId, OverrideId, PersonId,
    duty::{AbsenceDraft, Duty, Every, Given, OverrideDraft, RotaDraft, Shift, Why},
    limits,
};
use service::TeamDuty;

use super::{Place, operator, said, team::named, user};

/// Without a command below it, it shows.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct DutyArgs {
    #[command(subcommand)]
    command: Option<DutyCommand>,
    #[command(flatten)]
    show: Show,
}

#[derive(Debug, Args)]
struct Show {
    /// The team
    #[arg(long)]
    team: Option<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum DutyCommand {
    /// Gives a team a rota, in place of the one it has. Overrides, and who is away, stay.
    #[command(
        after_help = "Examples:\n  handraise team duty rota --team Payments --person Ana --person Ben --every week --at 09:00 --zone Europe/Berlin --starts 2026-11-23\n  handraise team duty rota --team Payments --clear"
    )]
    Rota {
        /// The team
        #[arg(long)]
        team: String,
        /// A member who answers, once for each in their order
        #[arg(
            long = "person",
            value_name = "NAME",
            required_unless_present = "clear"
        )]
        people: Vec<String>,
        /// How long each is on duty
        #[arg(long, value_enum, required_unless_present = "clear")]
        every: Option<EveryName>,
        /// The time of day at which they hand over, such as 09:00
        #[arg(long, value_name = "HH:MM", required_unless_present = "clear")]
        at: Option<String>,
        /// Where that clock hangs, such as Europe/Berlin
        #[arg(long, required_unless_present = "clear")]
        zone: Option<String>,
        /// The day on which the first one's turn began; a weekly rota hands over on its day of the week [default of a
        /// daily rota: the turn that runs]
        #[arg(long, value_name = "DAY")]
        starts: Option<String>,
        /// It has no rota any more, and no address of its calendar works
        #[arg(long, conflicts_with_all = ["people", "every", "at", "zone", "starts"])]
        clear: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Puts another person on duty than the rota says, for a while.
    ///
    /// A day goes from hand-over to hand-over; a time is by the clock of the rota, unless it says another one.
    #[command(
        after_help = "Examples:\n  handraise team duty override --team Payments --person Ben --from 2030-12-24\n  handraise team duty override --team Payments --person Ben --from 2030-12-24T18:00 --until 2030-12-25T09:00\n  handraise team duty override --team Payments --remove 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"
    )]
    Override {
        /// The team
        #[arg(long)]
        team: String,
        /// The person on duty instead
        #[arg(long, required_unless_present = "remove")]
        person: Option<String>,
        /// The first day, or since when
        #[arg(long, value_name = "WHEN", required_unless_present = "remove")]
        from: Option<String>,
        /// The last day, or until when [default: the first day]
        #[arg(long, value_name = "WHEN")]
        until: Option<String>,
        /// Takes one back, by the id that `handraise team duty` shows
        #[arg(long, value_name = "ID", conflicts_with_all = ["person", "from", "until"])]
        remove: Option<OverrideId>,
        #[command(flatten)]
        place: Place,
    },
    /// Notes that a person is out of office, and who stands in; without a name the next of the rota does.
    ///
    /// A day goes from midnight to midnight; a time is by the clock of the rota, unless it says another one.
    #[command(
        after_help = "Examples:\n  handraise team duty away --team Payments --person Ana --from 2030-12-24 --until 2031-01-02 --delegate Ben\n  handraise team duty away --team Payments --remove 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"
    )]
    Away {
        /// The team
        #[arg(long)]
        team: String,
        /// The person who is away
        #[arg(long, required_unless_present = "remove")]
        person: Option<String>,
        /// The first day, or since when
        #[arg(long, value_name = "WHEN", required_unless_present = "remove")]
        from: Option<String>,
        /// The last day, or until when [default: the first day]
        #[arg(long, value_name = "WHEN")]
        until: Option<String>,
        /// The person who stands in
        #[arg(long, value_name = "NAME")]
        delegate: Option<String>,
        /// Takes it back, by the id that `handraise team duty` shows
        #[arg(long, value_name = "ID", conflicts_with_all = ["person", "from", "until", "delegate"])]
        remove: Option<AbsenceId>,
        #[command(flatten)]
        place: Place,
    },
    /// Reads overrides out of a calendar file: each event puts the person whom its title names on duty. All of it counts, or
    /// nothing.
    #[command(after_help = "Example:\n  handraise team duty import --team Payments holidays.ics")]
    Import {
        /// The team
        #[arg(long)]
        team: String,
        /// The file (iCalendar); `-` reads from standard input
        file: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Prints the team's calendar, or an address by which one person's calendar program subscribes to it.
    ///
    /// The address holds a secret, is shown once, and ends with that person's place in the team; making it anew ends the last.
    #[command(
        after_help = "Examples:\n  handraise team duty calendar --team Payments > duty.ics\n  handraise team duty calendar --team Payments --person Ana\n  handraise team duty calendar --team Payments --person Ana --close"
    )]
    Calendar {
        /// The team
        #[arg(long)]
        team: String,
        /// Makes an address for this person
        #[arg(long)]
        person: Option<String>,
        /// Ends theirs
        #[arg(long, requires = "person")]
        close: bool,
        /// Where the server listens, for the address [default: 127.0.0.1:3000; environment: HANDRAISE_ADDR]
        #[arg(long, value_name = "ADDRESS:PORT")]
        addr: Option<SocketAddr>,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EveryName {
    /// From day to day
    Day,
    /// From week to week
    Week,
}

impl DutyArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self.command {
            Some(command) => command.run().await,
            None => {
                let Some(team) = self.show.team else {
                    bail!(
                        "--team says whose duty to show, as in `handraise team duty --team Payments`"
                    );
                };
                let (service, _) = self.show.place.open(None).await?;
                let team = named(&service, &team).await?.id.to_string();
                let duty = service.team_duty(&team, &operator()).await.map_err(said)?;
                print!("{}", text(&duty));
                Ok(())
            }
        }
    }
}

impl DutyCommand {
    async fn run(self) -> anyhow::Result<()> {
        let by = operator();
        match self {
            Self::Rota {
                team,
                people,
                every,
                at,
                zone,
                starts,
                clear,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let team = named(&service, &team).await?.id;
                if clear {
                    return service.clear_rota(team, &by).await.map_err(said);
                }
                let every = match every {
                    Some(EveryName::Day) => Every::Day.name(),
                    Some(EveryName::Week) => Every::Week.name(),
                    None => "",
                };
                let rota = RotaDraft {
                    people,
                    every: every.to_owned(),
                    at: at.unwrap_or_default(),
                    zone: zone.unwrap_or_default(),
                    starts,
                };
                service.set_rota(team, &rota, &by).await.map_err(said)
            }
            Self::Override {
                team,
                person,
                from,
                until,
                remove,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let team = named(&service, &team).await?.id;
                if let Some(id) = remove {
                    let removed = service.remove_override(team, id, &by);
                    return removed.await.map_err(said);
                }
                let one = OverrideDraft {
                    person: person.unwrap_or_default(),
                    from: given("--from", from)?,
                    until: given("--until", until)?,
                };
                service.add_override(team, &one, &by).await.map_err(said)
            }
            Self::Away {
                team,
                person,
                from,
                until,
                delegate,
                remove,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let team = named(&service, &team).await?.id;
                if let Some(id) = remove {
                    return service.remove_away(team, id, &by).await.map_err(said);
                }
                let absence = AbsenceDraft {
                    person: person.unwrap_or_default(),
                    from: given("--from", from)?,
                    until: given("--until", until)?,
                    delegate,
                };
                let gap = service.set_away(team, &absence, &by).await.map_err(said)?;
                if let Some(gap) = gap {
                    eprintln!("warning: the rota {}", gap.message);
                }
                Ok(())
            }
            Self::Import { team, file, place } => {
                let text = read(&file)?;
                let (service, _) = place.open(None).await?;
                let team = named(&service, &team).await?.id;
                let imported = service.import_overrides(team, &text, &by);
                let imported = imported.await.map_err(said)?;
                println!(
                    "{} added, {} there already, {} over or called off",
                    imported.added, imported.known, imported.passed_over
                );
                Ok(())
            }
            Self::Calendar {
                team,
                person,
                close,
                addr,
                place,
            } => {
                let (service, at) = place.open_with_address(addr).await?;
                let team = named(&service, &team).await?.id;
                let Some(person) = person else {
                    let team = team.to_string();
                    let calendar = service.duty_calendar(&team, &by).await.map_err(said)?;
                    print!("{calendar}");
                    return Ok(());
                };
                let person = user::named(&service, &person).await?;
                if close {
                    let closed = service.close_calendar(team, person, &by);
                    return closed.await.map_err(said);
                }
                let secret = service.open_calendar(team, person, &by).await;
                let secret = secret.map_err(said)?;
                println!("{at}/api/v1/teams/{team}/duty.ics?key={}", secret.reveal());
                Ok(())
            }
        }
    }
}

fn given(option: &str, text: Option<String>) -> anyhow::Result<Option<Given>> {
    let read = text.map(|text| Given::parse(option, &text)).transpose();
    read.map_err(|fault| anyhow::anyhow!("{} {}", fault.path, fault.message))
}

/// No more of it than can be one.
fn read(file: &Path) -> anyhow::Result<String> {
    let most = limits::CALENDAR_BYTES + 1;
    let mut bytes = Vec::new();
    let done = match file.as_os_str() == "-" {
        true => io::stdin().take(most).read_to_end(&mut bytes),
        false => {
            let opened = File::open(file);
            let opened = opened.with_context(|| format!("cannot open {}", file.display()))?;
            opened.take(most).read_to_end(&mut bytes)
        }
    };
    done.with_context(|| format!("cannot read {}", file.display()))?;
    String::from_utf8(bytes).with_context(|| {
        format!(
            "{} is no text in UTF-8, so no iCalendar file",
            file.display()
        )
    })
}

/// Who is on duty and who follows, then all that decides it, by the clock of the rota.
fn text(duty: &TeamDuty) -> String {
    let Some(rules) = &duty.duty else {
        return format!(
            "{} has no rota; `handraise team duty rota` gives it one\n",
            visible::line(&duty.team.name)
        );
    };
    let name = |person| visible::line(&duty.name(person));
    let mut lines = Vec::new();
    for (n, shift) in duty.shifts.iter().enumerate() {
        let when = if n == 0 { "now " } else { "then" };
        lines.push(format!("{when}  {}", line_of(rules, shift, &name)));
    }
    let rota = &rules.rota;
    let people: Vec<_> = rota.people.iter().map(|person| name(*person)).collect();
    lines.push(format!(
        "rota  every {} at {} in {}, from {}: {}",
        rota.every.name(),
        rota.at,
        rota.zone,
        rota.starts,
        people.join(", ")
    ));
    for one in &rules.overrides {
        let (from, until) = (
            rules.rota.on_the_wall(one.from),
            rules.rota.on_the_wall(one.until),
        );
        let person = name(one.person);
        lines.push(format!("override {}  {from} to {until}  {person}", one.id));
    }
    for one in &rules.absences {
        let (from, until) = (
            rules.rota.on_the_wall(one.from),
            rules.rota.on_the_wall(one.until),
        );
        let delegate = one.delegate.map(name);
        let delegate = delegate.map_or_else(String::new, |name| format!(", {name} stands in"));
        let person = name(one.person);
        lines.push(format!(
            "away     {}  {from} to {until}  {person}{delegate}",
            one.id
        ));
    }
    for person in &duty.calendars {
        lines.push(format!("calendar  an address of {}", name(*person)));
    }
    lines.join("\n") + "\n"
}

fn line_of(rules: &Duty, shift: &Shift, name: &impl Fn(PersonId) -> String) -> String {
    let (from, until) = (
        rules.rota.on_the_wall(shift.from),
        rules.rota.on_the_wall(shift.until),
    );
    let who = shift.person.map_or_else(|| "nobody".to_owned(), name);
    let why = match shift.why {
        Why::Turn => String::new(),
        Why::Override => "  instead of the rota".to_owned(),
        Why::For(person) => format!("  for {}", name(person)),
    };
    format!("{from} to {until}  {who}{why}")
}
