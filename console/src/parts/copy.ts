import { texts } from '../texts.ts';

/** Copies a text. @returns what became of it, in words: a browser may refuse, and has no clipboard without TLS */
export async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return texts.copied;
  } catch {
    return texts.notCopied;
  }
}
