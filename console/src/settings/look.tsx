import { useSignal } from '@preact/signals';
import { Card } from '../parts/card.tsx';
import { Seg } from '../parts/seg.tsx';
import { KeysList } from '../shell/keys-list.tsx';
import { chosenTheme, setTheme } from '../shell/theme.ts';
import { words } from './words.ts';

/** How the console looks and listens in this browser. */
export function Look() {
  const theme = useSignal(chosenTheme());
  return (
    <>
      <Card title={words.look} lead={words.inThisBrowser}>
        <div class="form">
          <p class="about">
            <b>{words.theme}</b>
            {words.themeMeans}
          </p>
          <div>
            <Seg
              label={words.theme}
              value={theme.value}
              of={words.themes}
              onPick={(picked) => {
                setTheme(picked);
                theme.value = picked;
              }}
            />
          </div>
        </div>
      </Card>
      <Card title={words.keyboard}>
        <KeysList />
      </Card>
    </>
  );
}
