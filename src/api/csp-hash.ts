import { createHash } from 'node:crypto';

/** The source of a Content-Security-Policy that names an element by its content. */
export function cspHash(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
