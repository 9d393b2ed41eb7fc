import { expect, it } from 'vitest';
import { clickHouseDestination } from '../../../src/administration/follow/clickhouse.ts';
import { type Destination, UnfitDestinationError } from '../../../src/administration/follow/destination.ts';
import { type FollowOptions, follow } from '../../../src/administration/follow/follow-events.ts';
import { s3Destination } from '../../../src/administration/follow/s3.ts';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import { hasClickHouse, startClickHouse } from '../../support/clickhouse-server.ts';
import { newCommit } from '../../support/log.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { startS3 } from '../../support/s3-server.ts';

async function logOf(commits: number): Promise<MemoryLog> {
  const log = memoryLog(1);
  const events = [customEventsReceived.create({ items: [{ event_id: 1, user_id: 1 }] })];
  for (let n = 0; n < commits; n++) await log.append(newCommit('intake-a', { events }));
  return log;
}

function followed(log: MemoryLog, destination: Destination, more: Partial<FollowOptions> = {}): Promise<number> {
  return follow({
    ...{ log, destination, bot: null, batchRows: 5, lingerMs: 1, retryMs: 1, untilEnd: true },
    signal: AbortSignal.timeout(30_000),
    ...more,
  });
}

const inS3 = (url: string): Destination =>
  s3Destination({ url, region: 'region', accessKeyId: 'key', secretAccessKey: 'secret', scope: 'memory-all' });

it('a log that ends before the rows at the destination, such as a restored one, is refused', async () => {
  const s3 = await startS3();
  const destination = inS3(s3.url);
  expect(await followed(await logOf(3), destination)).toBe(3);
  const objects = s3.objects();
  const restored = followed(await logOf(2), destination);
  await expect(restored).rejects.toThrow(UnfitDestinationError);
  await expect(restored).rejects.toThrow('choose another table or another prefix');
  await expect(followed(await logOf(0), destination)).rejects.toThrow('the log ends at nothing');
  expect(s3.objects()).toEqual(objects);
  expect(await followed(await logOf(3), destination)).toBe(0);
  await s3.close();
});

it('a store that does not answer is named, with the cause', async () => {
  const s3 = await startS3();
  await s3.close();
  const { host } = new URL(s3.url);
  await expect(inS3(s3.url).open()).rejects.toThrow(
    `no answer from http://${host}/events: connect ECONNREFUSED ${host}`,
  );
});

it.skipIf(!hasClickHouse)('rows that a table takes for a repeat, though they were deleted, are a failure', async () => {
  const clickHouse = await startClickHouse();
  const log = await logOf(1);
  const destination = clickHouseDestination({ url: clickHouse.url, table: 'emptied', scope: 'memory-all' });
  expect(await followed(log, destination)).toBe(1);
  clickHouse.run('DELETE FROM emptied WHERE true');
  const stopping = new AbortController();
  const failures: string[] = [];
  const put = await followed(log, destination, {
    signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(10_000)]),
    onRetry(error, waitMs) {
      failures.push(`${(error as Error).message} ${waitMs}`);
      if (failures.length === 3) stopping.abort();
    },
  });
  expect(put).toBe(0);
  expect(failures).toEqual([1, 2, 4].map((ms) => expect.stringMatching(new RegExp(`for a repeat, .* ${ms}$`))));
  await destination.close();
  await clickHouse.close();
});
