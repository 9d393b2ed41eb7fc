import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { request } from '../../../console/src/api.ts';

const fetched = vi.fn<() => Promise<Response>>();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  fetched.mockReset();
});

const refused = (retryAfter: string): Response =>
  Response.json({ ok: false, error: 'too many' }, { status: 429, headers: { 'retry-after': retryAfter } });
const found = (): Response => Response.json({ ok: true, data: { name: 'a' } });

it('a refusal for too many that ends soon is waited out', async () => {
  fetched.mockResolvedValueOnce(refused('1')).mockResolvedValueOnce(refused('1')).mockResolvedValueOnce(found());
  const answer = request('/v1/reports/run', { method: 'POST', body: {} });
  await vi.advanceTimersByTimeAsync(1999);
  expect(fetched).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answer).toEqual({ name: 'a' });
});

it('one that lasts, or that says no time, is an error at once, and one that comes again and again in the end', async () => {
  fetched.mockResolvedValueOnce(refused('60'));
  await expect(request('/v1/export/events')).rejects.toMatchObject({ status: 429, message: 'too many' });
  fetched.mockResolvedValueOnce(Response.json({ error: 'too many' }, { status: 429 }));
  await expect(request('/v1/export/events')).rejects.toMatchObject({ status: 429 });
  expect(fetched).toHaveBeenCalledTimes(2);
  fetched.mockImplementation(async () => refused('1'));
  const given = expect(request('/v1/reports/run')).rejects.toMatchObject({ status: 429 });
  await vi.advanceTimersByTimeAsync(20_000);
  await given;
  expect(fetched).toHaveBeenCalledTimes(2 + 11);
});
