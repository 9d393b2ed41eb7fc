import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { layer, onKey } from './keys.ts';
import type { PaletteProps } from './palette.tsx';

interface Loaded {
  readonly Palette: ComponentType<PaletteProps>;
  readonly KeysHelp: ComponentType;
}

/** The code of the layers. It comes when one of them is first opened. */
const code = signal<Loaded | null>(null);

async function load(): Promise<void> {
  const [{ Palette }, { KeysHelp }] = await Promise.all([import('./palette.tsx'), import('./keys-help.tsx')]);
  code.value = { Palette, KeysHelp };
}

/** The layers that keys open over every page. */
export function Layers(props: PaletteProps) {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const open = layer.value;
  useEffect(() => {
    // Without an answer of the service the key does nothing; the next press tries again.
    if (open !== null && code.peek() === null)
      load().catch(() => {
        layer.value = null;
      });
  }, [open]);
  if (open === null || code.value === null) return null;
  return open === 'palette' ? <code.value.Palette {...props} /> : <code.value.KeysHelp />;
}
