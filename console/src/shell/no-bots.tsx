import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { CodeBlock } from '../parts/code-block.tsx';
import type { OwnerSession } from '../session.ts';
import { texts } from '../texts.ts';

/** A key without a bot: an owner makes one here, others on the server. */
export function NoBots({ kind }: Pick<OwnerSession, 'kind'>) {
  const form = useSignal<{ readonly AnotherBot: ComponentType } | null>(null);
  useEffect(() => {
    if (kind === 'owner')
      void import('../settings/bot.tsx').then(({ AnotherBot }) => {
        form.value = { AnotherBot };
      });
  }, [kind]);
  return (
    <>
      <h1>{texts.nav.noBots}</h1>
      {kind === 'owner' ? (
        <div class="stack">{form.value !== null && <form.value.AnotherBot />}</div>
      ) : (
        <CodeBlock name={texts.terminal} code="npx botledger bot create" />
      )}
    </>
  );
}
