import { Drawer } from '../parts/drawer.tsx';
import { layer } from './keys.ts';
import { KeysList } from './keys-list.tsx';
import { words } from './layer-words.ts';

/** The keys, over any page. */
export function KeysHelp() {
  return (
    <Drawer
      title={words.keys}
      onClose={() => {
        layer.value = null;
      }}
    >
      <KeysList />
    </Drawer>
  );
}
