import { Pill } from '../parts/pill.tsx';
import { words } from './words.ts';

type Status = keyof typeof words.statuses | null;

const KINDS = { active: 'good', blocked: 'bad', deactivated: undefined } as const;

/** Whether a user can be reached. */
export function StatusPill({ status }: { readonly status: Status }) {
  if (status === null) return <>{words.unknown}</>;
  return (
    <Pill kind={KINDS[status]} {...(status === 'active' ? { icon: 'check' } : {})}>
      {words.statuses[status]}
    </Pill>
  );
}
