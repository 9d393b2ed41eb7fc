import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Appended,
  COMMAND_MEMORY_MS,
  ConflictError,
  EMPTY_STREAM,
  type EventLog,
  type RecordedCommit,
} from '../../src/log/port.ts';
import { ALL_CATEGORIES, appendOnTop, newBot, newCommit, readAll } from '../support/log.ts';
import type { EngineUnderTest, OpenLogs } from './event-log.contract.ts';

/** The commits of one stream, as a subscriber receives them. */
async function commitsOf(log: EventLog, stream: string): Promise<RecordedCommit[]> {
  return (await readAll(log)).filter((commit) => commit.stream === stream);
}

/** The promises about commits and commands that are appended again. @param logs once the log is open */
export function describeRepeats(logs: () => OpenLogs, engine: EngineUnderTest): void {
  describe('a repeat', () => {
    let log: EventLog;
    /** The same log, as another process sees it. */
    let other: EventLog;
    beforeAll(() => {
      ({ log, other } = logs());
    });
    it('of a commit changes nothing, on exact streams at any later time', async () => {
      const stream = `bot-${newBot()}`;
      const commit = newCommit(stream);
      await log.append(commit);
      await appendOnTop(log, newCommit(stream));
      const { head, commits } = await log.read(stream);
      for (const expected of [EMPTY_STREAM, head]) {
        const again = await other.append({ ...commit, expected });
        const { position, revision, hash } = commits[0]!;
        expect(again).toEqual({ position, head: { revision, hash }, repeated: commits[0] });
      }
      expect((await log.read(stream)).head).toEqual(head);
    });

    it('of intake changes nothing', async () => {
      const stream = `intake-${newBot()}`;
      const commit = newCommit(stream);
      const results = [await log.append(commit), await other.append(commit), await log.append(commit)];
      if (engine.capabilities.reportsRepeatedIntake)
        expect(results.map(({ repeated }) => repeated?.id)).toEqual([undefined, commit.id, commit.id]);
      expect(await commitsOf(log, stream)).toMatchObject([{ id: commit.id, revision: null, prev: null, hash: null }]);
    });

    it('is not looked for if the caller says that there is none: appends together keep the order of the calls', async () => {
      for (const withCommands of [true, false]) {
        const stream = `intake-${newBot()}`;
        const commits = Array.from({ length: 60 }, () =>
          newCommit(stream, withCommands ? { command: { id: randomUUID() } } : {}),
        );
        await Promise.all(commits.map((commit) => log.append(commit, { unseen: true })));
        expect((await commitsOf(log, stream)).map(({ id }) => id)).toEqual(commits.map(({ id }) => id));
        if (!withCommands) continue;
        // A caller that is wrong about it gets the usual answer.
        const { repeated } = await other.append(commits[1]!, { unseen: true });
        expect(repeated?.id).toBe(commits[1]!.id);
        expect(await commitsOf(log, stream)).toHaveLength(60);
      }
    });

    it('of a command is answered with the commit of the first one', async () => {
      for (const category of ALL_CATEGORIES) {
        const stream = `${category}-${newBot()}`;
        const command = { id: randomUUID(), bodyHash: 'h1', answer: { ok: true, ids: [1, 2] } };
        const first = newCommit(stream, { command });
        await log.append(first);
        const again = await other.append(newCommit(stream, { command: { id: command.id, bodyHash: 'h2' } }));
        expect(again.repeated).toMatchObject({ id: first.id, command });
        expect(await other.findCommand(stream, command.id, first.at)).toEqual(again.repeated);
        expect(await other.findCommand(stream, randomUUID(), first.at)).toBeNull();
        expect(await commitsOf(log, stream)).toMatchObject([{ id: first.id }]);
      }
    });

    it('of a command differs from the first when both arrive together', async () => {
      for (const category of ALL_CATEGORIES) {
        const stream = `${category}-${newBot()}`;
        const command = { id: randomUUID() };
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, i) => (i % 2 ? log : other).append(newCommit(stream, { command }))),
        );
        const [winner, ...more] = await commitsOf(log, stream);
        expect(more).toEqual([]);
        expect(results.filter(({ repeated }) => repeated === null)).toHaveLength(1);
        for (const { position, repeated } of results) {
          expect(position).toBe(winner!.position);
          if (repeated !== null) expect(repeated).toEqual(winner);
        }
      }
    });

    it('is a new command if the first one was refused with a conflict', async () => {
      const stream = `bot-${newBot()}`;
      await log.append(newCommit(stream));
      const lost = newCommit(stream, { command: { id: randomUUID() }, expected: { revision: 5, hash: 'x' } });
      await expect(log.append(lost)).rejects.toThrow(ConflictError);
      const { head } = await log.read(stream);
      expect(await log.findCommand(stream, lost.command!.id, lost.at)).toBeNull();
      expect(await log.append({ ...lost, expected: head })).toMatchObject({ head: { revision: 2 }, repeated: null });
    });

    it('on intake is remembered for a day of the log, on exact streams forever', async () => {
      const at = Date.now() - 10 * COMMAND_MEMORY_MS;
      const bot = newBot();
      const [intake, exact] = [{ id: randomUUID() }, { id: randomUUID() }];
      await log.append(newCommit(`intake-${bot}`, { at, command: intake }));
      await log.append(newCommit(`bot-${bot}`, { at, command: exact }));
      const later = async (stream: string, ms: number, command: { id: string }): Promise<Appended> => {
        const found = await other.findCommand(stream, command.id, at + ms);
        const appended = await log.append(
          newCommit(stream, { at: at + ms, command, expected: stream.startsWith('bot') ? EMPTY_STREAM : 'any' }),
        );
        expect(appended.repeated).toEqual(found);
        return appended;
      };
      expect((await later(`intake-${bot}`, COMMAND_MEMORY_MS - 1, intake)).repeated).not.toBeNull();
      expect((await later(`intake-${bot}`, COMMAND_MEMORY_MS, intake)).repeated).toBeNull();
      expect((await later(`intake-${bot}`, COMMAND_MEMORY_MS + 5, intake)).repeated).not.toBeNull();
      expect((await later(`bot-${bot}`, 9 * COMMAND_MEMORY_MS, exact)).repeated).not.toBeNull();
      expect((await later(`intake-${bot}`, 9 * COMMAND_MEMORY_MS, exact)).repeated).not.toBeNull();
    });

    it.runIf(engine.capabilities.commandsAcrossKeys)('of a command is recognised on another bot too', async () => {
      const command = { id: randomUUID() };
      const first = newCommit(`intake-${newBot()}`, { command });
      await log.append(first);
      expect((await log.append(newCommit(`intake-${newBot()}`, { command }))).repeated?.id).toBe(first.id);
    });
  });
}
