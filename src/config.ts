import { isIP } from 'node:net';
import { join } from 'node:path';
import leven from 'leven';
import { z } from 'zod';
import { ENGINE_NAMES, ENGINE_VARIABLES, ENGINES } from './log/engines.ts';
import { problemsOfPolicy } from './projections/bad-event-policy.ts';
import { READ_MODEL_NAMES } from './projections/registry.ts';
import { count } from './util/variables.ts';

/** The environment variables of the service. They are checked once at the start; one error names all problems. */

/** Checks `stop`, `dead-letter` or `name=mode,…` (projections/bad-event-policy.ts). */
function checkBadEventPolicy(text: string, context: z.RefinementCtx): void {
  for (const problem of problemsOfPolicy(text, READ_MODEL_NAMES)) context.addIssue(problem);
}

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `must be ${values.join(', ')}`.replace(/, (\w+)$/, ' or $1') });
}

/** 10 minutes, the longest useful wait. It is far below 2^31 ms, from which on a timer fires at once. */
const LONGEST_MS = 600_000;
/** Far more than one instance can serve. */
const MOST = 1_000_000;

/**
 * Reads TRUST_PROXY. `true` trusts one proxy, never all: if every hop were trusted, a caller could choose its own
 * address.
 */
function trustedProxies(text: string, context: z.RefinementCtx): number | string[] | false {
  if (text === 'false' || text === '0') return false;
  if (text === 'true') return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork)) context.addIssue('must be true, false, a number of proxies, or addresses and CIDRs');
  return networks;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function corsOrigins(text: string, context: z.RefinementCtx): readonly string[] {
  const origins = text === '' ? [] : text.split(',').map((origin) => origin.trim());
  const isOrigin = (origin: string): boolean => URL.canParse(origin) && new URL(origin).origin === origin;
  if (text.trim() !== '*' && !origins.every(isOrigin))
    context.addIssue('must be * or origins like https://app.example, comma-separated');
  return origins;
}

function retryDelays(text: string, context: z.RefinementCtx): readonly number[] {
  const delays = text.split(',').map((part) => (/^ *\d{1,8} *$/.test(part) ? Number(part) : Number.NaN));
  if (delays.some(Number.isNaN)) context.addIssue('must be whole seconds, comma-separated');
  return delays;
}

function allowedNetworks(text: string, context: z.RefinementCtx): readonly string[] {
  const networks = text === '' ? [] : text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork)) context.addIssue('must be addresses and CIDRs, comma-separated');
  return networks;
}

export const environment = z
  .object({
    PORT: count(3000, 0, 65535).describe('Port of the HTTP server; 0: any free one'),
    HOST: z.string().default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for all'),
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/, error: 'must be like postgres://user:password@host:port/database' })
      .optional()
      .describe('PostgreSQL to use; unset: an embedded one in DATA_DIR'),
    DATA_DIR: z.string().min(1).default('.data').describe('Folder of the embedded PostgreSQL and of the demo key'),
    EVENT_LOG: oneOf(ENGINE_NAMES).default(ENGINES[0].name).describe('Engine of the event log'),
    ...ENGINE_VARIABLES,
    ROLE: oneOf(['all', 'api', 'projector', 'process']).default('all').describe('What this instance does'),
    LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('Least level of log lines'),
    MAX_WAIT_MS: count(5000, 100, LONGEST_MS).describe(
      'No request waits longer for the log, a queue or a lock, in milliseconds, 100 to 600,000',
    ),
    REPORT_TIMEOUT_MS: count(15_000, 100, LONGEST_MS).describe(
      'A report may run this long, in milliseconds, 100 to 600,000; the wait for its turn (MAX_WAIT_MS, then 503) does not count',
    ),
    REPORT_CONCURRENCY: count(4, 1, 1000).describe('Reports of one API key at once, in one instance, 1 to 1,000'),
    EXPORT_CONCURRENCY: count(4, 1, 100).describe('Exports over HTTP at once, in one instance, 1 to 100'),
    EXPORT_CLICKHOUSE_URL: z
      .url({ protocol: /^https?$/, error: 'must be like https://user:password@host:8443/database' })
      .optional()
      .describe('Where `botledger export follow --to clickhouse` puts events, with user, password and database'),
    EXPORT_S3_URL: z
      .string()
      .regex(/^https?:\/\/[^/\s?#]+\/[\w.-]+(\/[\w.=/-]*)?$/, 'must be like https://host/bucket/prefix')
      .optional()
      .describe(
        'Where `botledger export follow --to s3` puts objects: the store’s address, the bucket, and the beginning of the keys',
      ),
    EXPORT_S3_REGION: z
      .string()
      .min(1)
      .default('us-east-1')
      .describe('The region for signatures; many stores take any'),
    EXPORT_S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('The store’s access key'),
    EXPORT_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('The secret of the access key'),
    REPORT_CACHE_MB: count(384, 1, MOST).describe(
      'Memory for columns of events and fields of users that the next report may need, of all threads of one instance together (as many as processors, at most 4), in MiB, 1 to 1,000,000; for each thread 20 to 40 bytes an event hold what most reports ask, 100 all columns but long texts',
    ),
    EVENTS_ROWS_MONTHS: count(0, 0, 1200).describe(
      'Events older than this many months by their bot’s clock leave the table of rows and stay packed, with slower lists and late events: they take two fifths of the disk space, 1 to 1,200; 0: none does',
    ),
    KEEP_FORMER: count(1, 0, 1).describe(
      'For how many releases the former version of a changed read model is kept and followed, so that a step back loses nothing, 0 or 1; 0: it is dropped when the new one answers and no instance of the former release is left',
    ),
    RATE_LIMIT_PER_KEY: count(1000, 0, MOST).describe(
      'Requests a second of one API key, in one instance, up to 1,000,000; 0: no limit',
    ),
    AUTH_FAILURES_PER_MINUTE: count(60, 0, MOST).describe(
      'Failed authentications a minute of one address, in one instance, up to 1,000,000; 0: no limit',
    ),
    TELEGRAM_API_ROOT: z
      .url({ protocol: /^https?$/, error: 'must be like https://host' })
      .default('https://api.telegram.org')
      .describe('Where broadcasts are sent to: the platform’s bot interface, or a server that stands in for it'),
    PUBLIC_URL: z
      .string()
      .regex(/^https?:\/\/[\w.-]+(:\d{1,5})?(\/[\w.-]+)*\/?$/, 'must be like https://host or https://host/path')
      .transform((address) => address.replace(/\/$/, ''))
      .optional()
      .describe(
        'Where people reach this service from the internet: links of broadcasts that count clicks lead to PUBLIC_URL/r/…; unset: no broadcast counts clicks',
      ),
    ADMIN_API: oneOf(['on', 'off'])
      .optional()
      .describe(
        'Whether the api serves /admin/v1 and lets operators log in to the console; unset: on with the embedded PostgreSQL and a loopback HOST if TRUST_PROXY is not set, else off',
      ),
    ON_BAD_EVENT: z
      .string()
      .superRefine(checkBadEventPolicy)
      .default('quarantine')
      .describe(
        'What a read model does at an event that it cannot apply: quarantine (its bot waits, the others continue), stop, dead-letter (record it and skip it), or name=mode, comma-separated',
      ),
    WEBHOOK_RETRY_DELAYS: z
      .string()
      .default('0,5,300,1800,7200,18000,36000,50400,72000,86400')
      .transform(retryDelays)
      .describe(
        'Seconds from a payout to the first call of the bot’s webhook, from that to the next, and so on, each ±20 %; after the last the payout has failed',
      ),
    WEBHOOK_ALLOWED_NETWORKS: z
      .string()
      .default('')
      .transform(allowedNetworks)
      .describe(
        'Networks besides the public internet that webhooks may lead to, also by plain http: addresses and CIDRs, comma-separated',
      ),
    CORS_ORIGINS: z
      .string()
      .default('')
      .transform(corsOrigins)
      .describe(
        'Origins of web pages that may call the intake methods, like https://app.example, comma-separated; *: all. A key in a page is known to all who see the page',
      ),
    PROOF: oneOf(['on', 'off'])
      .default('off')
      .describe(
        'Whether the service keeps trees of hashes over the log and signs checkpoints of them (docs/proofs.md)',
      ),
    CHECKPOINT_KEY: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File with the keys of checkpoints, outside of the database; unset with the embedded PostgreSQL: checkpoint-key in DATA_DIR, made at the first start',
      ),
    CHECKPOINT_SECONDS: count(600, 1, 86_400).describe(
      'Seconds between two checkpoints while the log grows, 1 to 86,400',
    ),
    WITNESS_POLICY: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File with a policy of witnesses (C2SP tlog-policy), which are asked to cosign each checkpoint; unset: none is (docs/proofs.md)',
      ),
    TRUST_PROXY: z
      .string()
      .transform(trustedProxies)
      .default(false)
      .describe(
        'Proxies in front, whose X-Forwarded-For gives the client’s address: how many (true: one), or their addresses and CIDRs, comma-separated',
      ),
  })
  .superRefine((env: Readonly<Record<string, unknown>>, context) => {
    if (env['PROOF'] === 'on' && env['DATABASE_URL'] !== undefined && env['CHECKPOINT_KEY'] === undefined)
      context.addIssue({
        code: 'custom',
        path: ['CHECKPOINT_KEY'],
        message: 'is needed with PROOF=on and DATABASE_URL; `botledger audit make-key` makes one',
      });
    for (const { name, config } of ENGINES)
      if (env['EVENT_LOG'] === name && config.address in config.variables && env[config.address] === undefined)
        context.addIssue({ code: 'custom', path: [config.address], message: `is needed with EVENT_LOG=${name}` });
  });

export type Config = Readonly<z.infer<typeof environment>>;

/**
 * Whether the api serves `/admin/v1` (decisions.md#admin-api). A service behind a proxy on the same host also has a
 * loopback HOST, and is open to the world.
 */
export function servesAdmin({
  ADMIN_API,
  DATABASE_URL,
  HOST,
  TRUST_PROXY,
}: Pick<Config, 'ADMIN_API' | 'DATABASE_URL' | 'HOST' | 'TRUST_PROXY'>): boolean {
  if (ADMIN_API !== undefined) return ADMIN_API === 'on';
  if (DATABASE_URL !== undefined || TRUST_PROXY !== false) return false;
  return HOST === 'localhost' || HOST === '::1' || /^127(\.\d{1,3}){3}$/.test(HOST);
}

/** The configuration cannot be used. The message names every problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The keys of checkpoints of an embedded database are in its folder. */
function withCheckpointKey(config: z.infer<typeof environment>): Config {
  const { PROOF, CHECKPOINT_KEY, DATA_DIR } = config;
  if (PROOF === 'off' || CHECKPOINT_KEY !== undefined) return config;
  return { ...config, CHECKPOINT_KEY: join(DATA_DIR, 'checkpoint-key') };
}

/** Reads and checks the configuration. @throws ConfigError */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // Compose files make an unset variable an empty one.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = environment.safeParse(given);
  if (result.success) return Object.freeze(withCheckpointKey(result.data));
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`configuration: ${problems.join('; ')}`);
}

/** A variable whose name is probably misspelt, and the name that was probably meant. */
export interface Misspelt {
  readonly given: string;
  readonly meant: string;
}

/** A name of up to this length may have one mistake, a longer one two, since short names are close to each other. */
const SHORT_NAME = 7;

/** Finds variables that are not known and look like a known one, such as `PROT` for `PORT`, each with the nearest. */
export function misspeltVariables(given: readonly string[], known: readonly string[]): Misspelt[] {
  return given
    .filter((name) => !known.includes(name) && /^[A-Z][A-Z0-9_]+$/.test(name))
    .flatMap((name) => {
      const near = known
        .map((meant) => ({ meant, mistakes: mistakesIn(name, meant) }))
        .filter(({ meant, mistakes }) => mistakes <= (meant.length <= SHORT_NAME ? 1 : 2))
        .sort((a, b) => a.mistakes - b.mistakes)[0];
      return near === undefined ? [] : [{ given: name, meant: near.meant }];
    });
}

/** Words the warning for the operator. */
export function misspeltWarning({ given, meant }: Misspelt): string {
  return `the variable ${given} is not read; did you mean ${meant}?`;
}

/** The edit distance. Two neighbouring letters that changed places count as one mistake. */
function mistakesIn(name: string, meant: string): number {
  const letters = leven(name, meant, { maxDistance: 3 });
  return letters === 2 && isSwap(name, meant) ? 1 : letters;
}

function isSwap(name: string, meant: string): boolean {
  if (name.length !== meant.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== meant[index]);
  const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
  return swapped === meant;
}
