/** Forms that a passkey answers: it is made or asked by the browser, and its answer is sent with the form. */

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function text(buffer) {
  const plain = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The server's options with bytes where JSON has text. */
function decoded(options) {
  const known = (each) => ({ ...each, id: bytes(each.id) });
  const decodedOptions = { ...options, challenge: bytes(options.challenge) };
  if (options.user) decodedOptions.user = { ...options.user, id: bytes(options.user.id) };
  if (options.excludeCredentials) decodedOptions.excludeCredentials = options.excludeCredentials.map(known);
  if (options.allowCredentials) decodedOptions.allowCredentials = options.allowCredentials.map(known);
  return decodedOptions;
}

/** The credential as the server reads it. */
function encoded(credential) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) response[name] = text(credential.response[name]);
  }
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    response,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

async function answer(form) {
  const trouble = form.querySelector("[data-passkey-trouble]");
  trouble.hidden = true;
  const publicKey = decoded(JSON.parse(form.dataset.options).publicKey);
  try {
    const credential = await navigator.credentials[form.dataset.passkey]({ publicKey });
    form.elements.credential.value = JSON.stringify(encoded(credential));
  } catch {
    // Cancelled, timed out, or there is none here: the browser does not say which, on purpose.
    trouble.hidden = false;
    return;
  }
  form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.querySelector("[data-passkey-start]").addEventListener("click", () => answer(form));
}
