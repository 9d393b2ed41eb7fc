import type { EventLog } from '../../src/log/port.ts';
import { pause } from '../../src/util/pause.ts';
import type { BrokerProcess } from './kafka-broker.ts';
import { newBot } from './log.ts';
import { expectExactlyOnce, followAll, nthCommit, persist } from './log-stress.ts';

export interface BrokerKills {
  readonly broker: BrokerProcess;
  readonly under: { open(): Promise<EventLog> };
  readonly writers: number;
  readonly kills: number;
  /** Commits between two kills. */
  readonly between: number;
}

/** Kills the broker with -9 under writers and readers, again and again, and expects no trace of it in the log. */
export async function surviveBrokerKills({ broker, under, writers, kills, between }: BrokerKills): Promise<void> {
  const handles = [await under.open(), await under.open()];
  const bots = Array.from({ length: 3 }, newBot);
  const stop = new AbortController();
  const readers = followAll(handles, new Map(), stop.signal);
  const acknowledged: string[] = [];
  let written = false;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    for (let n = 0; !written; n++) {
      const commit = nthCommit(bots, writer, n);
      await persist(handles[writer % 2]!, commit);
      acknowledged.push(commit.id);
    }
  });
  for (let kill = 0; kill <= kills; kill++) {
    const reached = acknowledged.length + between;
    while (acknowledged.length < reached) await pause(20);
    if (kill === kills) break;
    await broker.kill();
    await broker.start();
  }
  written = true;
  await Promise.all(writing);
  const head = await handles[0]!.endCursor();
  await Promise.all(readers.map((reader) => reader.until(head)));
  stop.abort();
  expectExactlyOnce(readers, acknowledged, bots);
  await Promise.all(handles.map((handle) => handle.close()));
}
