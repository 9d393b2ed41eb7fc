import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { botOfPage } from '../page-bot.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

export interface HeadProps {
  /** The name of the page: its heading, and the first part of the title of the browser's tab. */
  readonly title: string;
  /** The page that this one belongs to, and what this one is called there, such as its number. */
  readonly crumb?: { readonly href: string; readonly text: string; readonly here?: string } | undefined;
  /** A pill beside the heading. */
  readonly status?: ComponentChildren;
  /** One sentence that says something that the title does not. */
  readonly lead?: ComponentChildren;
  /** At most three buttons and a menu, one of them primary. */
  readonly children?: ComponentChildren;
}

/** The head of a page. */
export function Head({ title, crumb, status, lead, children }: HeadProps) {
  const bot = botOfPage()?.name;
  useEffect(() => {
    document.title = [title, bot, texts.name].filter((part) => part !== undefined).join(' · ');
  }, [title, bot]);
  return (
    <div class="head">
      <div class="names">
        {crumb !== undefined && (
          <p class="crumb">
            <a href={crumb.href}>{crumb.text}</a>
            <Icon name="right" />
            {crumb.here !== undefined && <bdi>{crumb.here}</bdi>}
          </p>
        )}
        <div class="title">
          <h1 title={title}>
            <bdi>{title}</bdi>
          </h1>
          {status}
        </div>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="btns">{children}</div>}
    </div>
  );
}
