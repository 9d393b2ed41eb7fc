import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderSpool } from '@botledger/client/spool';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refusal } from '../../support/scripted-client.ts';
import { event, events, later, queueOf, settled } from '../../support/scripted-queue.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botledger-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const filesIn = (spool: string): string[] => {
  const queue = join(spool, 'send-event');
  return readdirSync(queue).map((name) => join(queue, name));
};

/** The folder as a kill at this moment would leave it. */
function killed(): string {
  const copy = `${folder}-copy`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(folder, copy, { recursive: true });
  return copy;
}

describe('a spool', () => {
  it('has an item before add returns, readable for its owner alone, until the item has its outcome', async () => {
    const { queue, add } = queueOf({ spool: folderSpool(folder) });
    add(event(1), event(2));
    const [file] = filesIn(folder);
    const kept = readFileSync(file!, 'utf8').trim().split('\n');
    expect(kept.map((line) => JSON.parse(line).event)).toEqual(['e1', 'e2']);
    expect(statSync(file!).mode & 0o777).toBe(0o600);
    await queue.flush();
    expect(filesIn(folder)).toEqual([]);
    await queue.close();
  });

  it('gives what a killed program left to the next one, in order and with the same keys and digits', async () => {
    const { add, answer, pass, sent } = queueOf({ spool: folderSpool(folder), maxBatch: 2 });
    const never = later();
    answer({ body: { ok: true } }, never.promise);
    const amount = '0.1000000000000000000001';
    add({ ...event(1), event_key: 'order 1' }, event(2), { ...event(3), value_num: amount }, event(4), event(5));
    await pass(0);
    const copy = killed();
    const next = queueOf({ spool: folderSpool(copy) });
    next.add({ ...event(6), event_key: 'order 6' });
    await next.queue.close();
    const [body] = next.sent.map((each) => each.body);
    expect(body).toContain(`"value_num":${amount}`);
    const names = (JSON.parse(body!) as { event: string }[]).map((each) => each.event);
    // The first two were accepted; their file had more, so they come again, and their keys say that they count once.
    expect(names).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
    const keys = (text: string): unknown[] => JSON.parse(text).map((each: { event_key: string }) => each.event_key);
    expect(keys(body!).slice(0, 2)).toEqual(keys(sent[0]!.body));
    expect(new Set(keys(body!)).size).toBe(6);
    expect(keys(body!)[0]).toBe('order 1');
    expect(filesIn(copy)).toEqual([]);
  });

  it('leaves out a line that a kill cut, and counts neither it nor an empty file', async () => {
    const { add } = queueOf({ spool: folderSpool(folder) });
    add(event(1), event(2));
    const copy = killed();
    const [file] = filesIn(copy);
    const text = readFileSync(file!, 'utf8');
    writeFileSync(file!, text.slice(0, text.length - 10));
    writeFileSync(join(copy, 'send-event', '000000000009.ndjson'), '');
    const next = queueOf({ spool: folderSpool(copy) });
    expect(next.queue.size).toBe(1);
    expect(await next.queue.close()).toEqual({ sent: 1, failed: 0 });
    expect(filesIn(copy)).toEqual([]);
  });

  it('leaves out damaged lines, and says how many', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { add } = queueOf({ spool: folderSpool(folder) });
    add(event(1));
    const copy = killed();
    const [file] = filesIn(copy);
    writeFileSync(file!, `\0\0\0\n"text"\n${readFileSync(file!, 'utf8')}`);
    const next = queueOf({ spool: folderSpool(copy) });
    expect(await next.queue.close()).toEqual({ sent: 1, failed: 0 });
    expect(next.bodies()).toEqual(['e1']);
    expect(log.mock.calls).toEqual([[`botledger: left out 2 damaged lines of ${file}`]]);
    expect(filesIn(copy)).toEqual([]);
    log.mockRestore();
  });

  it('is bounded, and has room again for as much as was sent', async () => {
    const { queue, add } = queueOf({ spool: folderSpool(folder, { maxBytes: 200 }) });
    const taken = add(...events(1, 9));
    expect(taken.filter(Boolean).length).toBeGreaterThan(0);
    expect(taken.at(-1)).toBe(false);
    await expect(queue.put(event(10)).sent).rejects.toThrow('the queue is full');
    await queue.flush();
    expect(add(event(11))).toEqual([true]);
    await queue.close();
  });

  it('keeps what close had no time for, and does not hand it back', async () => {
    const { queue, add, answer, pass, failed } = queueOf({ spool: folderSpool(folder), maxBatch: 2 });
    answer(...Array.from({ length: 20 }, () => refusal(503, 'stopping')));
    add(...events(1, 3));
    const closed = queue.close(2000);
    await pass(2000);
    expect(await closed).toEqual({ sent: 0, failed: 0 });
    expect({ failed, size: queue.size }).toEqual({ failed: [], size: 3 });
    const next = queueOf({ spool: folderSpool(folder) });
    expect(await next.queue.close()).toEqual({ sent: 3, failed: 0 });
    expect(next.bodies()).toEqual(['e1,e2,e3']);
  });

  it('forgets what the service refused', async () => {
    const { queue, add, answer, failed } = queueOf({ spool: folderSpool(folder) });
    answer(refusal(403, 'no'));
    add(event(1));
    expect(await queue.close()).toEqual({ sent: 0, failed: 1 });
    expect(failed).toHaveLength(1);
    expect(filesIn(folder)).toEqual([]);
  });

  it('serves one queue of a program at a time', async () => {
    const { queue } = queueOf({ spool: folderSpool(folder) });
    expect(() => queueOf({ spool: folderSpool(folder) })).toThrow(/^the spool .* is in use by another queue/);
    await queue.close();
    await queueOf({ spool: folderSpool(folder) }).queue.close();
  });

  it('that the disk refuses is logged once, and its items are sent from memory', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { queue, add } = queueOf({ spool: folderSpool(folder) });
    rmSync(folder, { recursive: true });
    add(event(1), event(2));
    await settled();
    expect(await queue.close()).toEqual({ sent: 2, failed: 0 });
    expect(log.mock.calls.map(([text]) => text)).toEqual([
      'botledger: failed to write to the spool; items are in memory only',
    ]);
    log.mockRestore();
  });

  it('hands back at close what only the memory had, since the disk failed', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { queue, add, answer, pass, failed } = queueOf({ spool: folderSpool(folder), maxBatch: 2 });
    answer(...Array.from({ length: 20 }, () => refusal(503, 'stopping')));
    rmSync(folder, { recursive: true });
    add(event(1));
    mkdirSync(join(folder, 'send-event'), { recursive: true });
    add(event(2));
    const closed = queue.close(2000);
    await pass(2000);
    expect(await closed).toEqual({ sent: 0, failed: 1 });
    expect(failed.flatMap(({ items }) => items.map(({ event: name }) => name))).toEqual(['e1']);
    expect(queue.size).toBe(1);
    log.mockRestore();
  });

  it('whose files cannot be deleted is logged once, and the queue continues', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { queue, add, bodies, failed } = queueOf({ spool: folderSpool(folder) });
    for (const n of [1, 2]) {
      add(event(n));
      const [file] = filesIn(folder).slice(-1);
      rmSync(file!);
      mkdirSync(file!);
      await queue.flush();
    }
    add(event(3));
    expect(await queue.close()).toEqual({ sent: 3, failed: 0 });
    expect({ failed, sent: bodies() }).toEqual({ failed: [], sent: ['e1', 'e2', 'e3'] });
    expect(log.mock.calls.map(([text]) => text)).toEqual([
      'botledger: failed to delete from the spool; the next start sends these items again, and they count once',
    ]);
    log.mockRestore();
  });

  it('refuses a bound that makes no sense', () => {
    expect(() => folderSpool(folder, { maxBytes: Number.NaN })).toThrow(RangeError);
  });
});
