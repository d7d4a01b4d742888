import assert from "node:assert/strict";
import { test } from "node:test";
import { base64url, bytes, creation, possible, request } from "./webauthn";

test("bytes go there and back", () => {
  for (const length of [0, 1, 2, 3, 64]) {
    const data = Uint8Array.from({ length }, (_, index) => (index * 37 + 251) % 256);
    assert.deepEqual(bytes(base64url(data)), data);
    assert.match(base64url(data), /^[\w-]*$/);
  }
});

test("what the club asks becomes what the browser wants", () => {
  const asked = creation({
    challenge: "AQID",
    rp: { id: "club.example", name: "Damier" },
    user: { id: "YW5uYQ", name: "Anna", displayName: "Anna" },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    excludeCredentials: [{ id: "_-8", type: "public-key" }],
  });
  assert.deepEqual(asked.challenge, Uint8Array.of(1, 2, 3));
  assert.deepEqual(asked.user.id, new TextEncoder().encode("anna"));
  assert.deepEqual(asked.excludeCredentials?.[0]?.id, Uint8Array.of(255, 239));
  assert.equal(asked.rp.id, "club.example");
  assert.deepEqual(request({ challenge: "AQID", rpId: "club.example" }).challenge, Uint8Array.of(1, 2, 3));
});

test("an address by number has no passkeys", () => {
  (globalThis as { PublicKeyCredential?: unknown }).PublicKeyCredential = class {};
  assert.equal(possible("club.example", true), true);
  assert.equal(possible("club.example", false), false);
  assert.equal(possible("127.0.0.1", true), false);
  assert.equal(possible("[::1]", true), false);
});
