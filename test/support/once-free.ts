import { pause } from '../../src/util/pause.ts';
import type { Answer } from './service.ts';

/** Repeats a 429: an export of the key counts until its answer was sent, which its client may see earlier. */
export async function onceFree(question: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await question();
    if (answer.status !== 429) return answer;
    await pause(100);
  }
}
