/** Forms that a passkey answers: it is made or asked by the browser, and its answer is sent with the form. */

// Between JSON and bytes, by the browser itself (WebAuthn Level 3, section 5.1.8 and 5.1.9).
const PARSED = {
  create: (options) => PublicKeyCredential.parseCreationOptionsFromJSON(options),
  get: (options) => PublicKeyCredential.parseRequestOptionsFromJSON(options),
};

async function answer(form) {
  const trouble = form.querySelector("[data-passkey-trouble]");
  const kind = form.dataset.passkey;
  trouble.hidden = true;
  try {
    const publicKey = PARSED[kind](JSON.parse(form.dataset.options).publicKey);
    const credential = await navigator.credentials[kind]({ publicKey });
    form.elements.credential.value = JSON.stringify(credential);
  } catch {
    // Cancelled, timed out, or there is none here: the browser does not say which, on purpose.
    trouble.hidden = false;
    return;
  }
  form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  // Also by Enter in a field, which would send the form without an answer.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answer(form);
  });
  // Until now a press would have done nothing, and said nothing.
  form.querySelector("[data-passkey-start]").disabled = false;
}
