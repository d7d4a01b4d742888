// Passkeys: what the club asks as JSON becomes what the browser wants, and its answer becomes JSON again.

/** The bytes behind URL-safe base64 without padding. */
export function bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** The same back. */
export function base64url(data: ArrayBuffer | Uint8Array): string {
  const plain = Array.from(new Uint8Array(data), (byte) => String.fromCharCode(byte)).join("");
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

interface Descriptor {
  readonly id: string;
  readonly type: "public-key";
}

export interface CreationJson
  extends Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> {
  readonly challenge: string;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly excludeCredentials?: readonly Descriptor[];
}

export interface RequestJson
  extends Omit<PublicKeyCredentialRequestOptions, "challenge" | "allowCredentials"> {
  readonly challenge: string;
}

export function creation(json: CreationJson): PublicKeyCredentialCreationOptions {
  return {
    ...json,
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map(({ id, type }) => ({ id: bytes(id), type })),
  };
}

export function request(json: RequestJson): PublicKeyCredentialRequestOptions {
  return { ...json, challenge: bytes(json.challenge), allowCredentials: [] };
}

/** What a device has answered, as the club reads it. */
export function answer(credential: PublicKeyCredential): string {
  const given = credential.response;
  const response: Record<string, unknown> = { clientDataJSON: base64url(given.clientDataJSON) };
  if ("attestationObject" in given) {
    const made = given as AuthenticatorAttestationResponse;
    response.attestationObject = base64url(made.attestationObject);
    response.transports = made.getTransports?.() ?? [];
  } else {
    const shown = given as AuthenticatorAssertionResponse;
    response.authenticatorData = base64url(shown.authenticatorData);
    response.signature = base64url(shown.signature);
    response.userHandle = shown.userHandle ? base64url(shown.userHandle) : null;
  }
  const { id, rawId, type, authenticatorAttachment } = credential;
  return JSON.stringify({
    id,
    rawId: base64url(rawId),
    type,
    response,
    authenticatorAttachment,
    clientExtensionResults: {},
  });
}

/** Whether this browser has passkeys for a page at this address: not by a number, and not without TLS. */
export function possible(host: string, secure: boolean): boolean {
  const isNumber = /^[\d.]+$/.test(host) || host.startsWith("[");
  return secure && !isNumber && typeof PublicKeyCredential !== "undefined";
}
