// What /q/{id} is better with than without: texts are kept while they are typed, where the dashboard keeps them
// (app/src/draft.rs), the time that is left runs, and what happened meanwhile is shown when the page is looked at again.

const main = document.querySelector('main[data-id]');
const form = document.querySelector('form[data-draft]');
const storages = () => {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
};
const PREFIX = 'handraise.draft.';
const SENT = 'handraise.sent';

/** The next person at this browser reads nothing of what was typed in this tab. */
function belongTo(person) {
  const [tab] = storages();
  if (!tab) return;
  const before = tab.getItem('handraise.person');
  if (before && before !== person) {
    for (const name of Object.keys(tab)) if (/^handraise\.(draft\.|more\.|sent$)/.test(name)) tab.removeItem(name);
  }
  tab.setItem('handraise.person', person);
}

const keep = (name, text) => {
  for (const storage of storages()) {
    try {
      if (text) storage.setItem(name, text);
      else storage.removeItem(name);
    } catch {
      // Full, or forbidden: then the text is only on the screen.
    }
  }
};
const kept = (name) => storages().map((storage) => storage.getItem(name)).find(Boolean);

function keepTexts() {
  const name = PREFIX + form.dataset.draft;
  const area = form.querySelector('textarea');
  const [tab] = storages();
  // The same form again, without the text: what was sent did not get through.
  const [sent, text] = JSON.parse(tab?.getItem(SENT) ?? '[]');
  tab?.removeItem(SENT);
  const typed = (sent === name && text) || kept(name) || '';
  const isTaken = 'taken' in form.dataset;
  if (area) {
    if (!area.value || (isTaken && typed.endsWith(`\n${area.value}`))) area.value = typed;
    // As in the dialog: an earlier answer stands after what was typed.
    else if (isTaken && typed && typed !== area.value) area.value = `${typed}\n${area.value}`;
    if (isTaken) keep(name, area.value);
    if (area.value) area.closest('details')?.setAttribute('open', '');
    area.addEventListener('input', () => keep(name, area.value));
  }
  form.addEventListener('submit', (event) => {
    // A second press was meant for what stood here before.
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = '1';
    for (const button of form.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true');
    tab?.setItem(SENT, JSON.stringify([name, area?.value]));
    keep(name, '');
  });
}

/** What was picked outlives the page in its tab: in the dialog (app/src/components/with_files.rs), and while a file is sent. */
function keepPicks() {
  const options = [...form.querySelectorAll('.option input')];
  const [tab] = storages();
  if (!tab || !options.length) return;
  const name = `handraise.more.${form.dataset.draft}.picked`;
  const picked = new URLSearchParams(tab.getItem(name) ?? '').getAll('');
  if (!options.some((option) => option.checked)) {
    for (const option of options) option.checked = picked.includes(option.value);
  }
  const note = () => {
    const now = options.filter((option) => option.checked).map((option) => ['', option.value]);
    try {
      tab.setItem(name, String(new URLSearchParams(now)));
    } catch {
      // Full: then they are only on the screen.
    }
  };
  note();
  form.addEventListener('change', note);
  form.addEventListener('submit', () => tab.removeItem(name));
}

/** What was typed in this browser, and is no answer any more. */
function showUnsent() {
  const ours = PREFIX + main.dataset.id;
  const names = storages().flatMap((storage) => Object.keys(storage));
  const texts = names.filter((name) => name === ours || name.startsWith(`${ours}.`)).map(kept);
  const place = document.getElementById('kept');
  if (!texts.length || !place) return;
  place.querySelector('.text').textContent = [...new Set(texts)].join('\n\n');
  place.hidden = false;
}

const words = (ms) => {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h`;
  const days = Math.floor(s / 86400);
  return days === 1 ? '1 day' : `${days} days`;
};

/** The clock of the telephone may be wrong: what passes since the page came is not. */
function runDown(time) {
  const [shown, start] = [Number(time.dataset.left), performance.now()];
  const draw = () => {
    const left = shown - (performance.now() - start);
    time.textContent = words(left);
    if (left < -2000) {
      clearInterval(timer);
      void lookAgain();
    }
  };
  const timer = setInterval(draw, 1000);
}

/** The page anew; what stands here may be the answer to a form, which must not be sent again. */
function anew() {
  const area = form?.querySelector('textarea');
  if (area?.value) keep(PREFIX + form.dataset.draft, area.value);
  location.replace(`/q/${main.dataset.id}`);
}

/** Shows what the server has now, if it is not this. */
async function lookAgain() {
  try {
    const answer = await fetch(`/q/${main.dataset.id}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const now = page.querySelector('main');
    if (now?.dataset.version !== main.dataset.version && !form?.dataset.sent) anew();
  } catch {
    // No network: it is tried again when the page is looked at again.
  }
}

if (main) {
  belongTo(main.dataset.by);
  if (form) {
    keepTexts();
    keepPicks();
  } else if (!main.hasAttribute('data-open')) showUnsent();
  const time = document.querySelector('time[data-left]');
  if (time) runDown(time);
  if (main.hasAttribute('data-open')) {
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void lookAgain();
    });
  }
  // Back from the next question: the form may be pressed again.
  addEventListener('pageshow', (event) => {
    if (event.persisted) anew();
  });
}
