import { useSignal } from '@preact/signals';
import { type ComponentType, createElement } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { PageEntry } from './pages.ts';

interface LazyPageProps<Props> {
  readonly page: PageEntry<Props>;
  readonly props: Props;
}

const loaded = new Map<string, ComponentType<never>>();

/** A page whose code comes when it is first opened. Until then the frame stands, so nothing moves. */
export function LazyPage<Props extends object>({ page, props }: LazyPageProps<Props>) {
  const state = useSignal<'loading' | 'failed' | 'loaded'>(loaded.has(page.path) ? 'loaded' : 'loading');
  const load = async (): Promise<void> => {
    state.value = 'loading';
    try {
      loaded.set(page.path, (await page.load()) as ComponentType<never>);
      state.value = 'loaded';
    } catch {
      // The service did not answer, or has newer files since an upgrade.
      state.value = 'failed';
    }
  };
  useEffect(() => {
    if (state.peek() === 'loading') void load();
  }, []);
  if (state.value === 'loaded') return createElement(loaded.get(page.path) as unknown as ComponentType<Props>, props);
  if (state.value === 'loading') return <p class="quiet-text">{texts.loading}</p>;
  return (
    <div role="alert">
      <p>{texts.errors.noPage}</p>
      <button type="button" class="btn" onClick={() => window.location.reload()}>
        {texts.errors.reload}
      </button>
    </div>
  );
}
