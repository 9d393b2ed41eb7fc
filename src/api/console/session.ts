import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hashSecret, parseApiKey } from '../../domain/catalog/api-key.ts';
import { OPERATOR_PART } from '../../domain/operations/operator.ts';
import type { Sources } from '../../domain/sources.ts';
import type { Reader } from '../../projections/reader.ts';
import type { Authenticator, Principal } from '../../queries/catalog/authenticator.ts';
import { listResources } from '../../queries/catalog/bots.ts';
import type { Operator, OperatorAuthenticator } from '../../queries/operations/operator-list.ts';
import type { AccessControl, SessionAccess } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import { LOGIN_URL, parseBody } from '../body.ts';
import { revalidate } from '../revalidation.ts';
import { checked } from '../route.ts';
import type { OneTimeKeys } from './one-time-keys.ts';
import { SESSION_MS, type SessionStore, type StoredKey } from './session-store.ts';

/** `__Host-`: a browser takes it only over TLS or from this machine, for this host and no other. */
const COOKIE = '__Host-botledger';
const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

/**
 * The browser forgets the answers that it has kept (decisions.md#console-session). Not `"cookies"`: that would end the
 * cookies of the whole registrable domain, also of other programs; our one cookie ends by `set-cookie`.
 */
const CLEARED = '"cache", "storage"';

const credential = z.union([z.strictObject({ key: z.string() }), z.strictObject({ token: z.string() })], {
  error: 'must be {"key": "<API key>"} or {"token": "<token of a log-in link>"}',
});

export interface SessionOptions {
  readonly authenticator: Authenticator;
  /** Absent: operators do not log in here (decisions.md#admin-api). */
  readonly operators?: OperatorAuthenticator;
  readonly store: SessionStore;
  readonly oneTimeKeys: OneTimeKeys;
  readonly db: Reader;
  readonly sources: Sources;
  /** Whether the service proves balances. */
  readonly hasProofs?: boolean;
}

export function sessionAccess(options: SessionOptions): SessionAccess {
  return {
    principalOf: async (request) => (await loggedIn(request, options))?.principal ?? null,
    operatorOf: async (request) => (await loggedIn(request, options))?.operator ?? null,
  };
}

/** An owner, by a personal key, or an operator. */
type Visitor =
  | { readonly principal: Principal; readonly operator: null }
  | { readonly principal: null; readonly operator: Operator };

/** Null: the key is not valid. */
async function visitorOf(
  { publicPart, secretHash }: StoredKey,
  { authenticator, operators }: SessionOptions,
): Promise<Visitor | null> {
  if (publicPart === OPERATOR_PART) {
    const operator = await operators?.authenticateHash(publicPart, secretHash);
    return operator === null || operator === undefined ? null : { principal: null, operator };
  }
  const principal = await authenticator.authenticateHash(publicPart, secretHash);
  return principal === null ? null : { principal, operator: null };
}

/** Null: there is no cookie, its session is over, or its key is. @throws ApiError 403 for another site's request */
async function loggedIn(
  request: FastifyRequest,
  options: SessionOptions,
): Promise<(Visitor & { readonly expiresAt: number }) | null> {
  const id = sessionId(request);
  if (id === undefined) return null;
  refuseOtherSites(request);
  const session = await options.store.find(id);
  if (session === null) return null;
  const visitor = await visitorOf(session, options);
  return visitor === null ? null : { ...visitor, expiresAt: session.expiresAt };
}

/** `/console/session`: log in, see who is logged in, log out. */
export function serveSession(app: FastifyInstance, control: AccessControl, options: SessionOptions): void {
  const { store, oneTimeKeys, db, sources, hasProofs = false } = options;

  async function answerFor({ principal, operator }: Visitor, expiresAt: number): Promise<object> {
    const expires_at = new Date(expiresAt).toISOString();
    if (operator !== null) {
      const { name, can } = operator;
      return { ok: true, data: { kind: 'operator', expires_at, name, can } };
    }
    const bots = await listResources(await db.at('catalog'), principal.ownerId, principal.scope);
    const { kind, plan, currency, scope } = principal;
    const proofs = hasProofs ? { proofs: true } : {};
    return { ok: true, data: { expires_at, kind, all_bots: scope.type === 'all', plan, currency, bots, ...proofs } };
  }

  app.route({
    method: 'POST',
    url: LOGIN_URL,
    schema: { hide: true },
    onRequest: async (request) => {
      control.checkReady();
      await control.checkAddress(request);
    },
    async handler(request, reply) {
      refuseOtherSites(request);
      const body = await parseBody(request);
      if ('error' in body) throw body.error;
      const given = checked(credential, body.value);
      const key = 'token' in given ? oneTimeKeys.take(given.token) : given.key;
      const parts = key === null ? null : parseApiKey(key);
      const stored = parts === null ? null : { publicPart: parts.publicPart, secretHash: hashSecret(parts.secret) };
      const visitor = stored === null ? null : await visitorOf(stored, options);
      if (stored === null || visitor === null)
        return control.refuse(request, 'token' in given ? 'this link is not valid any more' : 'API key invalid');
      if (visitor.principal?.kind === 'service')
        throw new ApiError(403, 'this needs a personal key: npx botledger key issue --kind personal');
      const before = sessionId(request);
      if (before !== undefined) await store.end(before);
      const id = Buffer.from(sources.randomBytes(32)).toString('base64url');
      const { expiresAt } = await store.begin(id, stored);
      void reply.header(
        'set-cookie',
        stringifySetCookie({ name: COOKIE, value: id, ...ATTRIBUTES, maxAge: SESSION_MS / 1000 }),
      );
      return answerFor(visitor, expiresAt);
    },
  });

  app.route({
    method: 'GET',
    url: LOGIN_URL,
    schema: { hide: true },
    onRequest: async () => control.checkReady(),
    onSend: revalidate,
    async handler(request) {
      const session = await loggedIn(request, options);
      if (session === null) throw new ApiError(401, 'not logged in');
      return answerFor(session, session.expiresAt);
    },
  });

  app.route({
    method: 'DELETE',
    url: LOGIN_URL,
    schema: { hide: true },
    async handler(request, reply) {
      refuseOtherSites(request);
      const id = sessionId(request);
      if (id !== undefined) await store.end(id);
      void reply
        .header('set-cookie', stringifySetCookie({ name: COOKIE, value: '', ...ATTRIBUTES, maxAge: 0 }))
        .header('clear-site-data', CLEARED);
      return { ok: true };
    },
  });
}

function sessionId({ headers: { cookie } }: FastifyRequest): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[COOKIE];
}

/**
 * A request by cookie must come from a page of ours: the browser says so in Sec-Fetch-Site, and no page can set that
 * header. Reads may also come from the address bar, or from a client that sends no such header; some of them change
 * something (GET create-code), so they are also checked. For changes, browsers without that header send the Origin.
 */
function refuseOtherSites({ method, headers: { 'sec-fetch-site': site, origin }, host }: FastifyRequest): void {
  const isRead = method === 'GET' || method === 'HEAD';
  if (site === 'same-origin' || (isRead && (site === undefined || site === 'none'))) return;
  if (site === undefined && origin !== undefined && hostOf(origin) === host) return;
  throw new ApiError(403, 'this request comes from another site: log in on the console itself');
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
