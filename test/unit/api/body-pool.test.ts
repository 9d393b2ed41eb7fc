import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { handleErrors } from '../../../src/api/api-errors.ts';
import { LOGIN_URL, takeRawBodies } from '../../../src/api/body.ts';
import { BodyPools, PACE, type Pace, POOLS, watchPace } from '../../../src/api/body-pool.ts';

/** Shares of the bytes of bodies, and the pace at which a body must arrive (decisions.md#body-pools). */
describe('a pool', () => {
  it.each(['key', 'platform', 'login', 'stranger'] as const)('of %s is never full with one holder alone', (pool) => {
    const pools = new BodyPools();
    const { maxBytes, maxBytesOfHolder } = POOLS[pool];
    expect(maxBytesOfHolder).toBeLessThanOrEqual(maxBytes / 2);
    expect(pools.hold({ pool, holder: 'a' }, maxBytesOfHolder)).toBeNull();
    expect(pools.hold({ pool, holder: 'a' }, 1)).toMatchObject({ status: 503, retryAfter: 1 });
    expect(pools.hold({ pool, holder: 'b' }, maxBytesOfHolder)).toBeNull();
  });

  it('is full with many holders, leaves the others alone, and has room again after a release', () => {
    const pools = new BodyPools();
    const { maxBytes, maxBytesOfHolder } = POOLS.stranger;
    const strangers = Array.from({ length: maxBytes / maxBytesOfHolder }, (_, index) => `10.0.0.${index}`);
    for (const holder of strangers) expect(pools.hold({ pool: 'stranger', holder }, maxBytesOfHolder)).toBeNull();
    expect(pools.hold({ pool: 'stranger', holder: 'late' }, 1)).toMatchObject({ status: 503 });
    for (const pool of ['key', 'platform', 'login'] as const) {
      expect(pools.hold({ pool, holder: strangers[0]! }, 1)).toBeNull();
      pools.release({ pool, holder: strangers[0]! }, 1);
    }
    for (const holder of strangers) pools.release({ pool: 'stranger', holder }, maxBytesOfHolder);
    expect(pools.holders).toBe(0);
    expect(pools.hold({ pool: 'stranger', holder: 'late' }, 1)).toBeNull();
  });
});

describe('the pace of a body', () => {
  afterEach(() => vi.useRealTimers());

  it('is its bytes a second after a grace', () => {
    vi.useFakeTimers();
    const late = vi.fn();
    let received = 0;
    const stop = watchPace(PACE, () => received, late);
    vi.advanceTimersByTime(PACE.graceMs - 1);
    received = 10 * PACE.bytesPerSecond;
    vi.advanceTimersByTime(10_000);
    expect(late).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(late.mock.calls).toMatchObject([[{ status: 408 }]]);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not watched once the body has ended', () => {
    vi.useFakeTimers();
    const late = vi.fn();
    watchPace(PACE, () => 0, late)();
    vi.advanceTimersByTime(100_000);
    expect([late.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('slow bodies', () => {
  const NEVER: Pace = { graceMs: 1e6, bytesPerSecond: 1 };
  const apps: FastifyInstance[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(apps.splice(0).map((app) => app.close()));
  });

  /** The header `as` names the caller: an owner, a bot, or none. */
  async function serve(pools: BodyPools, pace: Pace): Promise<number> {
    const app = Fastify({ forceCloseConnections: true });
    for (const name of ['principal', 'operator', 'access']) app.decorateRequest(name, null);
    takeRawBodies(app, pools, pace);
    handleErrors(app);
    app.addHook('onRequest', async (request) => {
      const [kind, name] = String(request.headers['as'] ?? '').split(' ');
      if (kind === 'owner') Object.assign(request, { principal: { ownerId: name }, keyShown: true });
      if (kind === 'bot') Object.assign(request, { access: { bot: { public_key: name } }, keyShown: true });
    });
    for (const url of ['/v1/send', LOGIN_URL]) app.post(url, async () => ({ ok: true }));
    apps.push(app);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  }

  /** Sends all bytes of a body but the last. */
  function sendSlowly(port: number, bytes: number, headers = ''): Socket {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    const head = `POST /v1/send HTTP/1.1\r\nHost: x\r\n${headers}Content-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: ${bytes + 1}\r\n\r\n${' '.repeat(bytes)}`);
    return socket;
  }

  const post = async (port: number, url: string, headers = {}): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${url}`, { method: 'POST', body: '{}', headers })).status;

  it('of strangers at one address leave room for platform, log-in and keys, and of one owner for others', async () => {
    const small = { maxBytes: 4000, maxBytesOfHolder: 2000 };
    const pools = new BodyPools({ key: small, platform: small, login: small, stranger: small });
    const port = await serve(pools, NEVER);
    sendSlowly(port, 1999);
    sendSlowly(port, 1999, 'as: owner 1\r\n');
    await vi.waitFor(async () => expect(await post(port, '/v1/send')).toBe(503), 30_000);
    await vi.waitFor(async () => expect(await post(port, '/v1/send', { as: 'owner 1' })).toBe(503), 30_000);
    expect(await post(port, '/v1/send', { as: 'owner 2' })).toBe(200);
    expect(await post(port, '/v1/send', { as: 'bot 1' })).toBe(200);
    expect(await post(port, LOGIN_URL)).toBe(200);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(() => expect(pools.holders).toBe(0), 30_000);
    expect(await post(port, '/v1/send')).toBe(200);
  });

  it('are answered 408, their connections closed and their bytes released', async () => {
    const pools = new BodyPools();
    const port = await serve(pools, { graceMs: 20, bytesPerSecond: 1 << 20 });
    const socket = sendSlowly(port, 1000);
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    await once(socket, 'end');
    expect(answer).toContain('HTTP/1.1 408 ');
    expect(answer).toContain('slowly than 1048576 bytes a second');
    await vi.waitFor(() => expect(pools.holders).toBe(0), 30_000);
  });
});
