import { shortNumber } from '../format.ts';

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/** A size for people, such as `1.2 MB`. @param bytes decimal units */
export function fileSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${shortNumber(bytes / 1000 ** power)} ${UNITS[power]}`;
}
