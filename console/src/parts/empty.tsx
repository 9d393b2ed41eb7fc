import type { ComponentChildren } from 'preact';

export interface EmptyProps {
  /** Names the missing content, or says that nothing was found. */
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Nothing yet, or nothing found: what to do about it. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
