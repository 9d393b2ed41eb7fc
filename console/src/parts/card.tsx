import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface CardProps {
  readonly title: ComponentChildren;
  /** A link leads here. */
  readonly id?: string;
  /** A line below the title. */
  readonly lead?: ComponentChildren;
  /** Buttons or a legend at the end of the head. */
  readonly actions?: ComponentChildren;
  readonly footer?: ComponentChildren;
  /** The content reaches the edges, as tables do. */
  readonly flush?: boolean;
  /** The parts of the content stand apart. */
  readonly stack?: boolean;
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}

/** One thing with its title. */
export function Card({ title, id, lead, actions, footer, flush, stack, busy, children }: CardProps) {
  const name = useId();
  return (
    <section class="card" id={id} aria-labelledby={name} aria-busy={busy} tabIndex={id === undefined ? undefined : -1}>
      <header>
        <h2 id={name}>{title}</h2>
        {actions !== undefined && <div class="btns">{actions}</div>}
        {lead !== undefined && <p>{lead}</p>}
      </header>
      <div class={flush === true ? 'body flush' : stack === true ? 'body stack' : 'body'}>{children}</div>
      {footer !== undefined && footer !== null && footer !== false && <footer>{footer}</footer>}
    </section>
  );
}
