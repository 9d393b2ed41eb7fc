import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface NoteProps {
  readonly kind: 'good' | 'bad' | 'warn' | 'now';
  /** One sentence about the event or state. */
  readonly what: ComponentChildren;
  /** Its meaning, and the next action. */
  readonly children?: ComponentChildren;
  /** Buttons at the end. */
  readonly actions?: ComponentChildren;
}

const ICONS: Readonly<Record<NoteProps['kind'], IconName>> = { good: 'check', bad: 'warn', warn: 'warn', now: 'clock' };

/** A note in the page. Screen readers read a bad one at once, others when they are idle. */
export function Note({ kind, what, children, actions }: NoteProps) {
  return (
    <div class={`note ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div>
        <p class="what">{what}</p>
        {children}
      </div>
      {actions !== undefined && <div class="btns">{actions}</div>}
    </div>
  );
}
