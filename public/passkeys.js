// What of the pages of second factors needs a script: passkeys, and copying. It asks the device, puts what that says
// into the form, and sends the form; nothing else is sent anywhere.

const bytes = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
const named = (list) => list?.map((one) => ({ ...one, id: bytes(one.id) }));

/** What a device is asked, as browsers want it. */
function asked(options) {
  const { publicKey } = JSON.parse(options);
  publicKey.challenge = bytes(publicKey.challenge);
  if (publicKey.user) publicKey.user.id = bytes(publicKey.user.id);
  for (const list of ['excludeCredentials', 'allowCredentials']) {
    if (publicKey[list]) publicKey[list] = named(publicKey[list]);
  }
  return { publicKey };
}

/** What it says, as the server reads it. */
function said({ id, rawId, type, response }) {
  const parts = ['attestationObject', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle'];
  const found = parts.filter((part) => response[part]).map((part) => [part, text(response[part])]);
  return JSON.stringify({ id, rawId: text(rawId), type, response: Object.fromEntries(found), extensions: {} });
}

function why(error, does) {
  if (error.name === 'InvalidStateError') return 'This device has a passkey here already.';
  if (error.name === 'SecurityError') return 'The browser refuses passkeys for this address.';
  return does === 'create'
    ? 'Nothing was added: the device was not unlocked in time, or you stopped it.'
    : 'Nothing was shown: the device was not unlocked in time, or has no passkey for this server.';
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const { passkey: does, options } = form.dataset;
  const button = form.querySelector('button');
  const problem = form.querySelector('[data-problem]');
  const ask = async () => {
    button.disabled = true;
    problem.hidden = true;
    try {
      form.elements.answer.value = said(await navigator.credentials[does](asked(options)));
      form.submit();
    } catch (error) {
      problem.textContent = why(error, does);
      problem.hidden = false;
      button.disabled = false;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    ask();
  });
  form.hidden = false;
  if (!navigator.credentials) {
    problem.textContent = 'This browser has no passkeys, or none for this address.';
    problem.hidden = false;
    button.disabled = true;
  } else if ('atOnce' in form.dataset) {
    ask();
  }
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = 'Copied';
  });
}
