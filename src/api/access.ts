import type { FastifyRequest } from 'fastify';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isJsonObject, property } from '../domain/storable-json.ts';
import type { Authenticator, Principal } from '../queries/catalog/authenticator.ts';
import type { BotRow } from '../queries/catalog/bots.ts';
import type { Operator, OperatorAuthenticator } from '../queries/operations/operator-list.ts';
import { addressBlock } from '../util/networks.ts';
import { ApiError, unavailable } from './api-errors.ts';
import { type ParsedBody, parseBody } from './body.ts';

/** The requirements of a route beyond a valid key. */
export interface AccessRule {
  /**
   * Whether the route acts on one bot. `required`: the request must name it. `optional`: a request without a bot is
   * accepted, one with a wrong bot is refused. `without-uuid`: required unless the body names a report by `uuid`.
   * `webhook`: the platform calls, names the bot in the path and shows the bot's secret token instead of an API key.
   * `operator`: an operator calls, with an operator key; API keys do not open the route.
   */
  readonly resource: 'required' | 'optional' | 'without-uuid' | 'webhook' | 'operator';
  /** Whether an operator needs the right to act. */
  readonly act?: boolean;
  readonly premium?: boolean;
  /** Whether it needs a key of a person: of kind `personal` or `owner`. */
  readonly personal?: boolean;
  /** Whether it needs a key of kind `owner`. */
  readonly owner?: boolean;
  /** Whether cached keys and bots are served while the database is down (decisions.md#database-down). */
  readonly withoutDatabase?: boolean;
}

interface Access {
  /** Null if the platform or an operator calls. */
  readonly principal: Principal | null;
  /** Null unless an operator calls. */
  readonly operator: Operator | null;
  /** The bot that the request acts on; null only where the rule does not require one. */
  readonly bot: BotRow | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    operator: Operator | null;
    access: Access | null;
    parsedBody: ParsedBody | null;
  }
}

/** Finds the principal of a request with a session's cookie. */
export interface SessionAccess {
  /** Null: there is no cookie of an owner, its session is over, or its key is. @throws ApiError 403 for another site's request */
  principalOf(request: FastifyRequest): Promise<Principal | null>;
  /** As `principalOf`, for the session of an operator. */
  operatorOf(request: FastifyRequest): Promise<Operator | null>;
}

export interface AccessControlOptions {
  readonly authenticator: Authenticator;
  /** Absent: there are no operator keys. */
  readonly operators?: OperatorAuthenticator;
  /** Whether the catalog has reached the log end that the start saw. Before that, no request is answered 401, 403 or 404. */
  readonly catalogReady: () => boolean;
  /** Requests a second of one key; 0: no limit. */
  readonly ratePerKey: number;
  /** Failed authentications a minute of one address; 0: no limit. */
  readonly failuresPerMinute: number;
  /** Notes the use of a key. Absent: no use is noted. */
  readonly noteUse?: (keyId: number) => void;
  /** Finds the principal of a console's session if a request has no API key. Absent: there are no sessions. */
  readonly sessions?: SessionAccess;
}

const TOO_MANY_FAILURES = 'too many failed authentications from this address';

export class AccessControl {
  private readonly perKey: RateLimiterAbstract | null;
  private readonly failures: RateLimiterAbstract | null;

  constructor(private readonly options: AccessControlOptions) {
    const { ratePerKey, failuresPerMinute } = options;
    this.perKey = ratePerKey === 0 ? null : new RateLimiterMemory({ points: ratePerKey, duration: 1 });
    this.failures = failuresPerMinute === 0 ? null : new RateLimiterMemory({ points: failuresPerMinute, duration: 60 });
  }

  /** @throws ApiError 503 until the catalog has caught up */
  checkReady(): void {
    if (!this.options.catalogReady()) throw unavailable('starting: the catalog is being read from the log');
  }

  /** Counts a failed authentication of the address. @throws ApiError 401, or 429 after too many */
  async refuse(request: FastifyRequest, message: string): Promise<never> {
    await consume(this.failures, addressBlock(request.ip), TOO_MANY_FAILURES);
    throw new ApiError(401, message);
  }

  /** Refuses an address beyond its limit of failed authentications, before a body is read. @throws ApiError 429 */
  async checkAddress(request: FastifyRequest): Promise<void> {
    const spent = (await this.failures?.get(addressBlock(request.ip))) ?? null;
    if (spent !== null && spent.consumedPoints >= this.options.failuresPerMinute)
      throw tooMany(TOO_MANY_FAILURES, spent);
  }

  /** Called before the body is read. Refuses a wrong key in header or query, and a wrong secret token. */
  async checkKey(request: FastifyRequest, rule: AccessRule): Promise<void> {
    this.checkReady();
    if (rule.resource === 'webhook') return this.checkSecretToken(request, rule);
    const key = request.headers['api-key'] ?? bearerOf(request) ?? queryOf(request)['api-key'];
    if (key === undefined) {
      // Only a session of the console may send a long body without a key.
      request.keyShown = request.method === 'POST' && (await this.hasSession(request, rule));
      if (!request.keyShown) await this.checkAddress(request);
      return;
    }
    request.keyShown = true;
    await this.authenticate(request, rule, key);
  }

  /** Called after the body is read. Checks in the order of decisions.md#order-of-checks. */
  async checkAccess(request: FastifyRequest, rule: AccessRule): Promise<void> {
    const body = request.method === 'POST' ? await parseBody(request) : null;
    request.parsedBody = body;
    if (rule.resource === 'webhook') return;
    const fields = body !== null && 'value' in body && isJsonObject(body.value) ? body.value : {};
    if (request.principal === null && request.operator === null)
      await this.authenticate(request, rule, property(fields, 'api-key'));
    if (rule.resource === 'operator') {
      if (rule.act && request.operator!.can !== 'act') throw new ApiError(403, 'this needs an operator who can act');
      request.access = { principal: null, operator: request.operator, bot: null };
      return;
    }
    const principal = request.principal!;
    const named =
      request.headers['resource-key'] ?? queryOf(request)['resource_key'] ?? property(fields, 'resource_key');
    const optional =
      rule.resource === 'optional' || (rule.resource === 'without-uuid' && property(fields, 'uuid') !== undefined);
    const bot = await this.resolveBot(request, rule, named, optional);
    if (rule.premium && principal.plan !== 'premium') throw new ApiError(403, 'Premium plan required');
    if (rule.personal && principal.kind === 'service') throw new ApiError(403, 'this needs a personal key');
    if (rule.owner && principal.kind !== 'owner')
      throw new ApiError(403, 'this needs an owner key: npx botledger key issue --kind owner');
    request.access = { principal, operator: null, bot };
  }

  private async authenticate(request: FastifyRequest, rule: AccessRule, key: unknown): Promise<void> {
    if (rule.resource === 'operator') {
      const operator = await this.operatorBy(request, key);
      if (operator === null)
        return this.refuse(request, key === undefined ? 'operator key missing' : 'operator key invalid');
      await consume(this.perKey, String(operator.operatorId), 'too many requests with this key');
      request.operator = operator;
      return;
    }
    const principal = await this.principalBy(request, rule, key);
    if (principal === null) return this.refuse(request, keyProblem(request, key));
    this.options.noteUse?.(principal.keyId);
    await consume(this.perKey, String(principal.keyId), 'too many requests with this key');
    request.principal = principal;
  }

  private async hasSession(request: FastifyRequest, rule: AccessRule): Promise<boolean> {
    const { sessions } = this.options;
    if (rule.resource === 'operator') return ((await sessions?.operatorOf(request)) ?? null) !== null;
    return ((await sessions?.principalOf(request)) ?? null) !== null;
  }

  private async principalBy(request: FastifyRequest, rule: AccessRule, key: unknown): Promise<Principal | null> {
    const { authenticator, sessions } = this.options;
    if (key === undefined) return (await sessions?.principalOf(request)) ?? null;
    return typeof key === 'string' ? authenticator.authenticate(key, allowsStale(request, rule)) : null;
  }

  private async operatorBy(request: FastifyRequest, key: unknown): Promise<Operator | null> {
    const { operators, sessions } = this.options;
    if (key === undefined) return (await sessions?.operatorOf(request)) ?? null;
    return typeof key === 'string' ? ((await operators?.authenticate(key)) ?? null) : null;
  }

  private async checkSecretToken(request: FastifyRequest, rule: AccessRule): Promise<void> {
    const { bot_public_key } = request.params as { bot_public_key: string };
    const secret = request.headers['x-telegram-bot-api-secret-token'];
    const bot =
      typeof secret === 'string'
        ? await this.options.authenticator.webhookBot(bot_public_key, secret, allowsStale(request, rule))
        : null;
    if (bot === null) return this.refuse(request, 'unknown bot or wrong secret token');
    request.keyShown = true;
    request.access = { principal: null, operator: null, bot };
  }

  private async resolveBot(
    request: FastifyRequest,
    rule: AccessRule,
    named: unknown,
    optional: boolean,
  ): Promise<BotRow | null> {
    const problem = resourceProblem(request, named);
    if (problem !== undefined)
      throw new ApiError(400, `resource_key ${problem}`, [{ path: 'resource_key', message: problem }]);
    const found = await this.options.authenticator.resource(
      request.principal!,
      named as string | undefined,
      allowsStale(request, rule),
    );
    switch (found) {
      case 'missing':
        if (optional) return null;
        throw new ApiError(400, 'resource_key is required with a key for several bots', [
          { path: 'resource_key', message: 'is required with a key for several bots' },
        ]);
      case 'unknown':
        throw new ApiError(404, 'no bot for this resource_key');
      case 'forbidden':
        throw new ApiError(403, 'this key cannot access this resource');
      default:
        return found;
    }
  }
}

/** The reason that a refused key is answered with. */
function keyProblem(request: FastifyRequest, key: unknown): string {
  if (key === undefined) return 'API key missing';
  if (key === '') return 'API key is empty';
  return isRepeated(request, 'api-key', key) ? 'API key is given more than once' : 'API key invalid';
}

function resourceProblem(request: FastifyRequest, named: unknown): string | undefined {
  if (named === '') return 'is empty: name a bot, or leave it out';
  if (named === undefined || typeof named === 'string') return undefined;
  return isRepeated(request, 'resource_key', named) ? 'is given more than once' : 'must be a string';
}

/** Whether the value is from the query and the query has the parameter more than once. */
function isRepeated(request: FastifyRequest, parameter: string, value: unknown): boolean {
  return Array.isArray(value) && value === queryOf(request)[parameter];
}

/**
 * Whether cached keys and bots are accepted while the database is down. Never with an Idempotency-Key: without the database
 * the service cannot know whether the request is a repeat (decisions.md#database-down).
 */
function allowsStale({ headers }: FastifyRequest, { withoutDatabase = false }: AccessRule): boolean {
  return withoutDatabase && headers['idempotency-key'] === undefined;
}

/** The caller, on a route that takes API keys. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = request.access?.principal ?? null;
  if (principal === null) throw new Error(`${request.url} was reached without an API key`);
  return principal;
}

/** The caller, on a route of operators. */
export function operatorOf(request: FastifyRequest): Operator {
  const operator = request.access?.operator ?? null;
  if (operator === null) throw new Error(`${request.url} was reached without an operator key`);
  return operator;
}

/** The bot that the request acts on, on a route that requires one. */
export function botOf(request: FastifyRequest): BotRow {
  const bot = request.access?.bot ?? null;
  if (bot === null) throw new Error(`${request.url} needs a bot and has none`);
  return bot;
}

/** The key of `Authorization: Bearer <key>`. Other schemes are ignored: they may be meant for a proxy. */
function bearerOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function queryOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return request.query as Record<string, unknown>;
}

async function consume(limiter: RateLimiterAbstract | null, key: string, message: string): Promise<void> {
  try {
    await limiter?.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw tooMany(message, refusal);
  }
}

function tooMany(message: string, { msBeforeNext }: RateLimiterRes): ApiError {
  return new ApiError(429, message, [], Math.max(1, Math.ceil(msBeforeNext / 1000)));
}
