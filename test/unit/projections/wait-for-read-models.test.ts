import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/log/port.ts';
import { type LoadProgress, waitForReadModels } from '../../../src/projections/runtime/wait-for-read-models.ts';

const at = (position: string): Cursor => new Map([[0, position]]);

/** A read model that advances one step at each load. Undefined: it has no version at that load. */
function steps(...positions: readonly (string | undefined)[]): { load: LoadProgress; loads: () => number } {
  let loaded = 0;
  const load: LoadProgress = async () => {
    const position = positions[Math.min(loaded++, positions.length - 1)];
    return position === undefined ? null : { passed: at(position) };
  };
  return { load, loads: () => loaded };
}

describe('waitForReadModels', () => {
  it('returns the progress of each read model when each has applied the cursor', async () => {
    const [quick, slow] = [steps('0:3'), steps(undefined, '0:1', '0:2')];
    const found = await waitForReadModels([quick.load, slow.load], at('0:2'), { pollMs: 1 });
    expect(found).toEqual([{ passed: at('0:3') }, { passed: at('0:2') }]);
    expect([quick.loads(), slow.loads()]).toEqual([1, 3]);
  });

  it('returns null if one of them is behind when the time is over', async () => {
    const behind = steps('0:1');
    expect(
      await waitForReadModels([steps('0:2').load, behind.load], at('0:2'), { timeoutMs: 5, pollMs: 1 }),
    ).toBeNull();
    expect(behind.loads()).toBeGreaterThan(1);
  });

  it('loads the progress once if there is no time', async () => {
    expect(await waitForReadModels([steps('0:2').load], at('0:2'), { timeoutMs: -1 })).not.toBeNull();
    expect(await waitForReadModels([steps('0:1', '0:2').load], at('0:2'), { timeoutMs: 0 })).toBeNull();
  });

  it('returns null when the signal aborts', async () => {
    const stopping = new AbortController();
    const waiting = waitForReadModels([steps('0:1').load], at('0:2'), { signal: stopping.signal });
    stopping.abort();
    expect(await waiting).toBeNull();
  });

  it('passes on the error of a load', async () => {
    const failing: LoadProgress = () => Promise.reject(new Error('no connection'));
    await expect(waitForReadModels([failing], at('0:2'), { timeoutMs: 5 })).rejects.toThrow('no connection');
  });
});
