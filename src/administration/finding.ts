/** The result of an examination about one part of the installation (decisions.md#doctor). */
export interface Finding {
  readonly check: string;
  /** `warning`: it works, and needs a look. `wrong`: it does not work, or data are missing. */
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly finding: string;
  /** The next step of the operator; null: none. */
  readonly remedy: string | null;
}

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
