import type { OwnerState } from '../../domain/catalog/owner.ts';
import { Rejection } from '../../domain/rejection.ts';

/** The owner of a state. @throws Rejection not_found: it names the owner, whose id the state does not have */
export function knownOwner({ owner }: OwnerState, ownerId: number): NonNullable<OwnerState['owner']> {
  if (owner === null) throw new Rejection('not_found', 'owner', `there is no owner ${ownerId}`);
  return owner;
}
