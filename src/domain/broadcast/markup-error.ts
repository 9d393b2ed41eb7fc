/** The platform would not take the markup; its message is the platform's. */
export class MarkupError extends Error {
  override readonly name = 'MarkupError';
}

/** Where a mistake is, as the platform counts it. */
export function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}
