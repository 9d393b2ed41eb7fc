import { RequestError } from '../api.ts';
import { texts } from '../texts.ts';
import { words } from './words.ts';

/** A file of an export, whole. */
export interface ExportFile {
  readonly content: Blob;
  /** Up to when it is complete, as ISO 8601. */
  readonly asOf: string;
}

/**
 * Receives an export to its end.
 * @param path with the query
 * @param onBytes called with the bytes that have come so far
 * @throws RequestError when the service refuses it, or the connection breaks; an AbortError after `signal`
 */
export async function requestExport(
  path: string,
  bot: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<ExportFile> {
  const response = await answerOf(path, bot, signal);
  if (!response.ok) {
    const refused = (await response.json().catch(() => null)) as { readonly error?: string } | null;
    throw new RequestError(refused?.error ?? texts.errors.status(response.status), response.status);
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parts.push(read.value);
      bytes += read.value.length;
      onBytes(bytes);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // Only the end of the stream says that the file is whole.
    throw new RequestError(words.broken, 0);
  }
  return { content: new Blob(parts), asOf: response.headers.get('data-as-of') ?? '' };
}

async function answerOf(path: string, bot: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(path, { headers: { 'resource-key': bot }, credentials: 'same-origin', signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RequestError(texts.errors.noAnswer, 0);
  }
}
