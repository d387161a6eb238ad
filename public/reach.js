// What of *How to reach you* needs a script: asking the browser for a subscription, and seeing what arrives. The forms
// are plain ones; nothing but they is sent anywhere.

/** Some browsers never answer whether they subscribe. */
const WITHIN = 20_000;
/** How long it is looked whether a test has arrived, and how often. */
const LOOKS = 15;
const EVERY = 1_000;

const inTime = (work, what) =>
  Promise.race([
    work,
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`${what} did not answer in time`)), WITHIN);
    }),
  ]);
const bytes = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

/** An iPad calls itself a Macintosh, which has no screen to touch. */
const isPad = () =>
  /iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

function browserName() {
  const { userAgent } = navigator;
  const known = [
    ['Edge', /Edg/],
    ['Opera', /OPR/],
    ['Firefox', /Firefox|FxiOS/],
    ['Chrome', /Chrome|CriOS/],
    ['Safari', /Safari/],
  ];
  const systems = [
    ['iPhone', /iPhone/],
    ['Android', /Android/],
    ['Windows', /Windows/],
    ['macOS', /Mac OS X/],
    ['Linux', /Linux/],
  ];
  const find = (list, other) => list.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? other;
  return `${find(known, 'Browser')} on ${isPad() ? 'iPad' : find(systems, 'this device')}`;
}

/** With one full stop: browsers' own messages have theirs. */
const sentence = (words) => words.replace(/\.*$/, '.');

/** Times as this browser tells them: the server knows no zone of its reader's. */
function tellTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const isToday = at.toDateString() === new Date().toDateString();
    time.textContent = isToday ? at.toLocaleTimeString() : at.toLocaleString();
  }
}
tellTimes();

/** Why this browser cannot be reached; `null` when it can. */
function whyNot() {
  const isApple = /iPhone/.test(navigator.userAgent) || isPad();
  if (!window.isSecureContext) return 'Browsers take notifications only from addresses that begin with https://.';
  if (isApple && !('PushManager' in window)) {
    return 'On an iPhone or iPad, put Handraise on the home screen first (Share, then Add to Home Screen), and open it there.';
  }
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window)) {
    return 'This browser takes no notifications from pages.';
  }
  if (Notification.permission === 'denied') {
    return 'Notifications from this address are blocked in the settings of this browser. Allow them there, and reload this page.';
  }
  return null;
}

async function subscribe(form) {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('the browser was not allowed to show notifications');
  }
  await inTime(navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }), 'the browser');
  const registration = await inTime(navigator.serviceWorker.ready, 'the browser');
  const key = bytes(form.dataset.key);
  const before = await registration.pushManager.getSubscription();
  // One for another key of this server is worth nothing.
  if (before && text(before.options.applicationServerKey ?? new ArrayBuffer(0)) !== form.dataset.key) {
    await before.unsubscribe();
  }
  const asked = registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const subscription = await inTime(asked, 'the push service of this browser');
  form.elements.endpoint.value = subscription.endpoint;
  form.elements.p256dh.value = text(subscription.getKey('p256dh'));
  form.elements.auth.value = text(subscription.getKey('auth'));
  form.elements.label.value = browserName();
}

const push = document.querySelector('form[data-push]');
if (push) {
  const button = push.querySelector('button');
  const problem = push.querySelector('[data-problem]');
  const say = (words) => {
    problem.textContent = words;
    problem.hidden = false;
  };
  push.hidden = false;
  const reason = whyNot();
  if (reason) {
    button.hidden = true;
    say(reason);
  }
  push.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    try {
      await subscribe(push);
      push.submit();
    } catch (error) {
      say(`Not added: ${sentence(error.message)}`);
      button.disabled = false;
    }
  });
  // One that is there already is marked as this browser's.
  navigator.serviceWorker?.getRegistration('/').then(async (registration) => {
    const subscription = await registration?.pushManager?.getSubscription();
    if (!subscription) return;
    registration.update().catch(() => {});
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint));
    const own = document.querySelector(`[data-browser="${text(digest)}"] [data-this]`);
    if (own) {
      own.hidden = false;
      push.hidden = true;
    }
  });
}

/** The list as the server has it now. */
async function readAgain() {
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const line of document.querySelectorAll('[data-reach]')) {
    const now = page.querySelector(`[data-reach="${line.dataset.reach}"] [data-state]`);
    const state = line.querySelector('[data-state]');
    if (now && state) state.replaceChildren(...now.childNodes);
  }
  tellTimes();
}

const wait = (time) => new Promise((done) => setTimeout(done, time));

for (const form of document.querySelectorAll('form[data-test]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    const line = form.closest('[data-reach]');
    const said = line.querySelector('[data-said]');
    const state = () => {
      const shown = line.querySelector('[data-state]');
      return `${shown.querySelector('time')?.dateTime} ${shown.textContent}`;
    };
    const before = state();
    button.disabled = true;
    said.hidden = false;
    delete said.dataset.arrived;
    said.textContent = 'On its way…';
    const begun = Date.now();
    try {
      const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
      const { pathname, searchParams } = new URL(response.url);
      if (pathname !== location.pathname || searchParams.has('refused')) {
        location.assign(response.url);
        return;
      }
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      for (let look = 0; look < LOOKS && state() === before; look += 1) {
        await wait(EVERY);
        await readAgain();
      }
      const took = ((Date.now() - begun) / 1000).toFixed(0);
      if (state() === before) said.textContent = `Nothing was heard of it for ${took} s. It is tried again by itself.`;
      else if (!said.dataset.arrived) said.textContent = '';
    } catch (error) {
      said.textContent = `Not sent: ${sentence(error.message)}`;
    }
    button.disabled = false;
  });
}

navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (!data?.arrived) return;
  const here = document.querySelector('[data-this]:not([hidden])')?.closest('[data-reach]');
  const said = here?.querySelector('[data-said]');
  if (!said) return;
  said.hidden = false;
  said.dataset.arrived = data.arrived;
  said.textContent = `It arrived in this browser at ${new Date().toLocaleTimeString()}.`;
});
