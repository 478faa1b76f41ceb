// An edge proxy that authenticates people: its published keys, and assertions signed with them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";

type Claims = Record<string, unknown>;
export type Edge = {
  jwksUrl: string;
  issuer: string;
  sign(claims: Claims): Promise<string>;
  /** Signed with an unpublished key under a published key's id. */
  signWithStranger(claims: Claims): Promise<string>;
  /** Signed with the published key as an HMAC secret. */
  signWithPublicKey(claims: Claims): Promise<string>;
  stop(): Promise<void>;
};

export async function startEdge(): Promise<Edge> {
  const [own, stranger] = await Promise.all([
    generateKeyPair("RS256", { extractable: true }),
    generateKeyPair("RS256"),
  ]);
  const jwks = {
    keys: [{ ...(await exportJWK(own.publicKey)), kid: "edge-1", alg: "RS256", use: "sig" }],
  };
  const server = createServer((_request, response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(jwks)),
  );
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwt = (claims: Claims, alg = "RS256") => {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({
      iss: issuer,
      iat: now,
      exp: now + 300,
      email: "somebody@example.com",
      ...claims,
    }).setProtectedHeader({ alg, kid: "edge-1" });
  };
  return {
    jwksUrl: `${issuer}/certs`,
    issuer,
    sign: (claims) => jwt(claims).sign(own.privateKey),
    signWithStranger: (claims) => jwt(claims).sign(stranger.privateKey),
    signWithPublicKey: async (claims) =>
      jwt(claims, "HS256").sign(new TextEncoder().encode(await exportSPKI(own.publicKey))),
    stop: () => new Promise((done) => void server.close(() => done())),
  };
}
