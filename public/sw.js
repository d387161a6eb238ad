// Shows what the server pushes, and takes what is decided there back to it. It keeps nothing: no page, no file, and
// nothing of what agents wrote.

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => event.waitUntil(pushed(event)));
self.addEventListener('notificationclick', (event) => event.waitUntil(pressed(event)));
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewed(event)));

const windows = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });
const ICON = '/pkg/icon-192.png';
/** Android paints it by its alpha alone. */
const BADGE = '/pkg/badge-96.png';

/** What came; `null` when it is nothing of ours. */
function read(event) {
  try {
    return event.data.json();
  } catch {
    return null;
  }
}

async function pushed(event) {
  const told = read(event);
  const what = told?.handraise;
  // Apple's push service ends what shows nothing: there a notification replaces the one that is taken away.
  if (what?.is === 'closed' && !told.notification) return takeAway(what.interaction);
  if (what?.is === 'question' && !mustShow() && (await isBeforeThem(what.interaction))) return;
  if (what?.is === 'test') {
    for (const page of await windows()) page.postMessage({ arrived: what.message });
  }
  const { title = 'Handraise', body = 'Open Handraise to see the questions that wait for you.', tag } = told?.notification ?? {};
  // Browsers show no more than so many buttons, and some show none: then a tap opens the question.
  const most = self.Notification.maxActions ?? 0;
  const buttons = (what?.buttons ?? []).slice(0, most);
  await self.registration.showNotification(title, {
    body,
    tag,
    icon: ICON,
    badge: BADGE,
    dir: 'auto',
    renotify: Boolean(tag),
    requireInteraction: Boolean(what?.presses) && buttons.length > 0,
    actions: buttons.map(({ title }, number) => ({ action: String(number), title })),
    data: what,
  });
}

/** Whether this is a browser of Apple, which shows every message or gets no more of them. */
const mustShow = () => {
  const { userAgent } = self.navigator;
  return /AppleWebKit/.test(userAgent) && !/Chrome|Chromium/.test(userAgent);
};

/** Whether the question has the focus on one of this browser's pages. */
async function isBeforeThem(id) {
  const places = [`/blockers/${id}`, `/q/${id}`];
  const pages = await windows();
  return pages.some(({ focused, url }) => focused && places.includes(new URL(url).pathname));
}

async function takeAway(id) {
  for (const one of await self.registration.getNotifications({ tag: id })) one.close();
}

/** The browser has another address from now on, which the server has to know. */
async function renewed({ oldSubscription, newSubscription }) {
  try {
    const key = oldSubscription?.options.applicationServerKey;
    const manner = { userVisibleOnly: true, applicationServerKey: key };
    const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(manner));
    const { endpoint, keys } = subscription.toJSON();
    const response = await fetch('/settings/reach/push', {
      method: 'POST',
      body: new URLSearchParams({
        endpoint,
        p256dh: keys.p256dh,
        auth: keys.auth,
        label: '',
        instead: oldSubscription?.endpoint ?? '',
      }),
      credentials: 'same-origin',
    });
    // What was refused, and a sign-in page, lead elsewhere.
    const { pathname, searchParams } = new URL(response.url);
    if (response.ok && pathname === '/settings/reach' && searchParams.has('done')) return undefined;
  } catch {
    // The person is told.
  }
  return self.registration.showNotification('Notifications stopped', {
    body: 'This browser has a new address. Open “How to reach you”, and add it again.',
    tag: 'stopped',
    icon: ICON,
    data: { place: '/settings/reach' },
  });
}

async function pressed({ notification, action }) {
  notification.close();
  const what = notification.data ?? {};
  const button = action === '' ? undefined : what.buttons?.[Number(action)];
  const place = what.place ?? '/';
  if (!button) return open(place);
  const outcome = await answer(what, button);
  const [title, body] = inWords(outcome, button.title);
  await self.registration.showNotification(title, {
    body,
    tag: what.interaction,
    icon: ICON,
    badge: BADGE,
    silent: outcome === 'sent',
    data: { place },
  });
}

/** The answer, by the call that the page takes too. */
async function answer({ interaction, person }, { fields }) {
  try {
    const form = new URLSearchParams([['id', interaction], ['by', person], ...fields]);
    const response = await fetch('/ui/answer-blocker', {
      method: 'POST',
      body: form,
      credentials: 'same-origin',
      redirect: 'error',
      headers: { accept: 'application/json' },
    });
    if (!response.ok) return response.status === 401 ? 'SignedOut' : 'Failed';
    return await response.json();
  } catch {
    return 'Unknown';
  }
}

function inWords(outcome, title) {
  switch (outcome) {
    case 'sent':
      return [`Sent: ${title}`, 'It is answered.'];
    case 'too_late':
      return ['Too late', 'It was answered, taken back or expired before. Open it to see how it ended.'];
    case 'SignedOut':
      return ['Not sent: you are signed out', 'Open it, sign in, and answer there.'];
    case 'Unknown':
      return ['No reply', 'The server did not reply. Open it to see whether your answer arrived.'];
    default:
      return ['Not sent', 'The server did not take it. Open it, and answer there.'];
  }
}

async function open(place) {
  const url = new URL(place, self.location.origin);
  for (const page of await windows()) {
    if (new URL(page.url).pathname === url.pathname) return page.focus();
  }
  return self.clients.openWindow(url);
}
