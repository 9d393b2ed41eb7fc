import { isSafeNumber, LosslessNumber } from 'lossless-json';

/** The number of JSON digits as the API parses it: one that a double cannot hold keeps its digits. For `parse` of lossless-json. */
export function exactNumber(digits: string): number | LosslessNumber {
  return isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits);
}
