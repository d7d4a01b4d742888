// Joining, logging in and a member's own page: passkeys, which need a script. All else there is plain forms.
import { byId } from "./dom";
import { t } from "./i18n";
import { initSettings } from "./settingspanel";
import { answer, type CreationJson, creation, possible, type RequestJson, request } from "./webauthn";

initSettings(() => undefined);

/** Say why it did not work, where it is read aloud; and mark the field that has to be changed. */
function refuse(sentence: string, field?: HTMLInputElement | null): void {
  const problem = byId("passkey-problem");
  problem.hidden = sentence === "";
  problem.textContent = sentence;
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", problem.id);
  field.focus();
}

/** What the club wants to be asked of the device; null when it has said why not. */
async function asked<Json>(address: string, form: HTMLFormElement): Promise<Json | null> {
  const reply = await fetch(address).catch(() => null);
  if (reply?.ok) return (await reply.json()) as Json;
  const refusal = (await reply?.json().catch(() => null)) as
    | { problem: string; field: string }
    | null
    | undefined;
  const named = refusal?.field ? form.elements.namedItem(refusal.field) : null;
  refuse(
    refusal?.problem ?? t("The club does not answer. Try again in a moment."),
    named instanceof HTMLInputElement ? named : null,
  );
  return null;
}

/** Ask the device, and send its answer with the form. Who closes the device's question again has done no wrong. */
async function pass(form: HTMLFormElement, ask: () => Promise<Credential | null>): Promise<void> {
  let credential: Credential | null = null;
  try {
    credential = await ask();
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "InvalidStateError") refuse(t("This device has a passkey for you already."));
    else if (name === "NotAllowedError" || name === "AbortError")
      refuse(t("Nothing has been done. Try again when you like."));
    else refuse(t("This did not work with your device."));
    return;
  }
  if (!(credential instanceof PublicKeyCredential)) return;
  (form.elements.namedItem("credential") as HTMLInputElement).value = answer(credential);
  form.submit(); // not by its button: a password is not wanted
}

/** Let a button do something once at a time. */
function press(id: string, work: () => Promise<void>): void {
  const button = byId<HTMLButtonElement>(id);
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled")) return;
    button.setAttribute("aria-disabled", "true");
    refuse("");
    await work();
    button.removeAttribute("aria-disabled");
  });
}

function make(form: HTMLFormElement, address: string): Promise<void> {
  return asked<CreationJson>(address, form).then((json) =>
    json ? pass(form, () => navigator.credentials.create({ publicKey: creation(json) })) : undefined,
  );
}

if (possible(location.hostname, isSecureContext)) {
  const join = document.querySelector<HTMLFormElement>("#join");
  const logIn = document.querySelector<HTMLFormElement>("#log-in-passkey");
  const add = document.querySelector<HTMLFormElement>("#add-passkey");
  if (join) {
    byId("with-passkey").hidden = false;
    press("make-passkey", () => {
      const name = join.elements.namedItem("name") as HTMLInputElement;
      return make(join, `/join/passkey?name=${encodeURIComponent(name.value.slice(0, 100))}`);
    });
  }
  if (logIn) {
    logIn.hidden = false;
    press("show-passkey", async () => {
      const json = await asked<RequestJson>("/log-in/passkey", logIn);
      if (json) await pass(logIn, () => navigator.credentials.get({ publicKey: request(json) }));
    });
  }
  if (add) {
    add.hidden = false;
    byId("no-passkeys").hidden = true;
    press("add", () => make(add, "/account/passkey"));
  }
}
