import type { Finding } from '../../cli/operations/doctor.ts';

export const ok = (check: string, finding: string): Finding => ({ check, state: 'ok', finding, remedy: null });

/** It works, and needs a look. */
export const warning = (check: string, finding: string, remedy: string): Finding => ({
  check,
  state: 'warning',
  finding,
  remedy,
});

/** It does not work, or data are missing. */
export const wrong = (check: string, finding: string, remedy: string): Finding => ({
  check,
  state: 'wrong',
  finding,
  remedy,
});
