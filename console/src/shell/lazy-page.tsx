import { useSignal } from '@preact/signals';
import { type ComponentType, createElement } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { PageEntry } from './pages.ts';

interface LazyPageProps<Props> {
  readonly page: PageEntry<Props>;
  readonly props: Props;
}

/** A page whose code comes when it is first opened. Until then the frame stands, so nothing moves. */
export function LazyPage<Props extends object>({ page, props }: LazyPageProps<Props>) {
  const code = useSignal<{ readonly Page: ComponentType<Props> } | 'loading' | 'failed'>('loading');
  useEffect(() => {
    page.load().then(
      (Page) => {
        code.value = { Page };
      },
      () => {
        // The service did not answer, or has newer files since an upgrade.
        code.value = 'failed';
      },
    );
  }, []);
  if (code.value === 'loading') return <p class="quiet-text">{texts.loading}</p>;
  if (code.value !== 'failed') return createElement(code.value.Page, props);
  return (
    <div role="alert">
      <p>{texts.errors.noPage}</p>
      <button type="button" class="btn" onClick={() => window.location.reload()}>
        {texts.errors.reload}
      </button>
    </div>
  );
}
