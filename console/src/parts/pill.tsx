import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface PillProps {
  /** The meaning of the state; absent: nothing has happened yet. */
  readonly kind?: 'good' | 'bad' | 'warn' | 'now' | undefined;
  /** Absent: a dot. */
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

/** A state: a shape, a word, a colour. */
export function Pill({ kind, icon, children }: PillProps) {
  return (
    <span class={`pill ${kind ?? ''}`}>
      {icon === undefined ? <i class="dot" /> : <Icon name={icon} />}
      {children}
    </span>
  );
}
