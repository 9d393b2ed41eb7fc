import { type OwnerSession, session } from '../session.ts';

/** The session if its key may change settings. */
export function ownerSession(): OwnerSession | null {
  const current = session.value;
  return current?.kind === 'owner' ? current : null;
}
